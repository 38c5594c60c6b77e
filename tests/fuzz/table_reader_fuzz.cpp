// libFuzzer target of the reader of tables and of the mapping of their rows.
//
// The pieces in which a file comes change nothing; lines are told in order; CSV without a bad row
// has the records that `read_csv` finds; what the mapping makes is JSON under a key.

#include "documents/csv.hpp"
#include "documents/json.hpp"
#include "documents/row_mapping.hpp"
#include "documents/table_reader.hpp"
#include "tests/fuzz/oracle.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace holdfast;
using documents::table_format;
using fuzz::demand;

documents::table_limits fuzz_limits() {
  documents::table_limits limits;
  limits.row_bytes_max = 64;
  limits.columns_max = 8;
  return limits;
}

struct read_table {
  std::vector<std::string> columns;
  std::vector<documents::table_row> rows;
  core::failure failure;
  bool has_bad_row = false;
};

read_table read_in_pieces(table_format format, std::string_view text, std::size_t piece) {
  read_table told;
  documents::table_reader reader{format, fuzz_limits(),
                                 [&](const std::vector<std::string>& columns) {
                                   told.columns = columns;
                                   return core::failure{};
                                 },
                                 [&](documents::table_row& row) {
                                   told.has_bad_row |= row.problem.code != core::errc::none;
                                   told.rows.push_back(row);
                                   return core::failure{};
                                 }};
  while (!text.empty() && told.failure.code == core::errc::none) {
    told.failure = reader.read(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
  }
  if (told.failure.code == core::errc::none)
    told.failure = reader.end();
  return told;
}

bool is_same(const read_table& a, const read_table& b) {
  if (a.columns != b.columns || a.rows.size() != b.rows.size()
      || a.failure.detail != b.failure.detail)
    return false;
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    const auto& one = a.rows[i];
    const auto& other = b.rows[i];
    if (one.line != other.line || one.object != other.object
        || one.problem.detail != other.problem.detail
        || (one.problem.code == core::errc::none && one.cells != other.cells))
      return false;
  }
  return true;
}

void check_rows(const read_table& told) {
  std::uint64_t line = 0;
  for (const auto& row : told.rows) {
    demand(row.line >= line && row.line > 0, "lines are told in order");
    line = row.line;
    if (row.problem.code != core::errc::none) {
      demand(!row.problem.detail.empty(), "a refusal says why");
      continue;
    }
    demand(row.object.empty() == !told.columns.empty(), "a row has cells or an object");
    demand(!row.object.empty() || row.cells.size() == told.columns.size(),
           "a row has a cell for each column");
  }
}

/// Where nothing is wrong, the reader of whole texts finds the same.
void check_csv(const read_table& told, const std::string& text) {
  if (told.has_bad_row || told.failure.code != core::errc::none
      || (text.size() > 1 && (text[0] == '\0' || text[1] == '\0')) || text.rfind("\xff\xfe", 0) == 0
      || text.rfind("\xfe\xff", 0) == 0)
    return;
  const auto records = documents::parse_csv(text, "f");
  demand(static_cast<bool>(records), "what has no bad row is CSV");
  demand(records->size() == told.rows.size() + 1, "there is a row for each record");
  for (std::size_t i = 0; i < told.rows.size(); ++i) {
    demand((*records)[i + 1].fields == told.rows[i].cells, "the fields are those of the record");
    demand((*records)[i + 1].line == told.rows[i].line, "and so is the line");
  }
}

void check_mapping(const read_table& told) {
  for (const auto& key : {std::vector<std::string>{}, std::vector<std::string>{"digest()"}}) {
    auto mapping = documents::parse_row_mapping({}, key);
    documents::row_mapper mapper{std::move(*mapping)};
    if (!told.columns.empty())
      demand(mapper.bind(told.columns).code == core::errc::none, "no column is missing");
    for (const auto& row : told.rows) {
      const auto made = mapper.map(row);
      demand(made.line == row.line, "a row keeps its line");
      if (made.problem.code != core::errc::none)
        continue;
      demand(!made.key.empty(), "a row has a key");
      demand(documents::check_json(made.input, {1000, 70}).code == core::errc::none,
             "an input is JSON that the database takes");
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2)
    return 0;
  const auto format = static_cast<table_format>(data[0] % 4);
  const std::size_t piece = 1 + data[1] % 16;
  const std::string text{reinterpret_cast<const char*>(data) + 2, size - 2};
  const auto whole = read_in_pieces(format, text, text.size() + 1);
  demand(is_same(whole, read_in_pieces(format, text, piece)), "pieces change nothing");
  check_rows(whole);
  if (format == table_format::csv)
    check_csv(whole, text);
  check_mapping(whole);
  return 0;
}
