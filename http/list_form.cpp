#include "http/list_form.hpp"

#include "documents/csv.hpp"
#include "http/weighted_names.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace holdfast::http {

list_form form_for(const request& asked, bool has_csv) {
  auto best = list_form::page;
  unsigned weight = 0;
  for (const auto& one : weighted_names_of(asked, "accept")) {
    auto form = list_form::page;
    if (one.name == ndjson_type)
      form = list_form::ndjson;
    else if (one.name == "text/csv" && has_csv)
      form = list_form::csv;
    else if (one.name != "application/json" && one.name != "application/*" && one.name != "*/*")
      continue;
    if (one.weight <= weight)
      continue;
    best = form;
    weight = one.weight;
  }
  return best;
}

std::optional<std::uint64_t> take_limit(std::vector<parameter>& query) {
  const auto is_limit = [](const parameter& one) { return one.name == "limit"; };
  const auto count = std::count_if(query.begin(), query.end(), is_limit);
  if (count == 0)
    return no_limit;
  const auto found = std::find_if(query.begin(), query.end(), is_limit);
  const auto text = std::move(found->value);
  query.erase(found);
  std::uint64_t limit = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, limit);
  if (count > 1 || read.ec != std::errc{} || read.ptr != end || limit == 0)
    return std::nullopt;
  return limit;
}

void append_json_line(std::string& to, std::string_view json) {
  // JSON has no line end within a text: there it is `\n`.
  for (const char c : json)
    to += c == '\n' || c == '\r' ? ' ' : c;
  to += '\n';
}

void append_csv_field(std::string& to, std::string_view text, bool is_first) {
  if (!is_first)
    to += ',';
  if (!text.empty())
    to += documents::csv_field(text, documents::csv_formulas::guarded);
}

} // namespace holdfast::http
