// libFuzzer target of the reader and the writer of CSV.
//
// A record that is read is written so that the same record is read again, whatever becomes of
// formulas; no field that is written guarded is a formula; and line ends of another system change
// nothing outside of quotation marks.

#include "documents/csv.hpp"
#include "tests/fuzz/oracle.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace holdfast;
using documents::csv_formulas;
using fuzz::demand;

const std::string file = "f";

using rows = std::vector<std::vector<std::string>>;

rows fields_of(const std::vector<documents::csv_record>& records) {
  rows all;
  std::size_t line = 0;
  for (const auto& record : records) {
    demand(record.line > line, "lines are told in order");
    demand(record.fields.size() == record.quoted.size(), "of each field it is known how it stood");
    line = record.line;
    all.push_back(record.fields);
  }
  return all;
}

std::string written(const rows& all, csv_formulas formulas, const char* line_end) {
  std::string text = std::string{"header"} + line_end; // what a file begins with is no field
  for (const auto& fields : all) {
    for (std::size_t i = 0; i < fields.size(); ++i)
      text += (i > 0 ? "," : "") + documents::csv_field(fields[i], formulas);
    text += line_end;
  }
  return text;
}

bool is_formula(std::string_view field) {
  if (!field.empty() && field.front() == '"')
    field.remove_prefix(1);
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  return !field.empty()
         && std::string_view{"=@\t\r\n"}.find(field.front()) != std::string_view::npos;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  const auto records = documents::parse_csv(text, file);
  if (!records) {
    demand(records.error().detail.rfind("f:", 0) == 0, "a refusal names file and line");
    return 0;
  }
  auto all = fields_of(*records);
  for (const auto formulas : {csv_formulas::guarded, csv_formulas::as_they_are})
    for (const auto* line_end : {"\n", "\r\n", "\r"}) {
      const auto again = documents::parse_csv(written(all, formulas, line_end), file);
      demand(static_cast<bool>(again), "what is written can be read");
      auto read = fields_of(*again);
      read.erase(read.begin());
      demand(read == all, "what is written is read again");
    }
  for (const auto& fields : all)
    for (const auto& field : fields)
      demand(!is_formula(documents::csv_field(field, csv_formulas::guarded)),
             "no field that is guarded is a formula");
  if (text.find_first_of("\"\r") == std::string::npos) {
    std::string other;
    for (const char c : text)
      other += c == '\n' ? std::string{"\r\n"} : std::string{c};
    const auto same = documents::parse_csv(other, file);
    demand(same && fields_of(*same) == all, "line ends of another system change nothing");
  }
  return 0;
}
