#include "http/request_body.hpp"

#include "documents/json.hpp"
#include "http/body_items.hpp"
#include "http/header_names.hpp"
#include "http/problem.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::http {

namespace {

/// Of the JSON of a body. Operations have tighter bounds of their own.
constexpr std::size_t json_depth_max = 64;

constexpr std::array<std::pair<std::string_view, documents::table_format>, 4> table_types{
    {{"text/csv", documents::table_format::csv},
     {"text/tab-separated-values", documents::table_format::tsv},
     {"application/x-ndjson", documents::table_format::ndjson},
     {"application/json", documents::table_format::json}}};

bool is_json(std::string_view content_type) {
  const auto bare = content_type.substr(0, content_type.find(';'));
  return bare.empty() || is_same_name(bare, "application/json");
}

response type_refused(const route& to) {
  if (to.takes_table)
    return problem_of(refusal::unsupported_media_type, table_types_told());
  std::string taken = "the body must be application/json";
  if (!to.lines_of.empty())
    taken += to.takes_csv ? ", application/x-ndjson or text/csv" : " or application/x-ndjson";
  return problem_of(refusal::unsupported_media_type, std::move(taken));
}

} // namespace

std::optional<documents::table_format> table_format_of(std::string_view content_type) {
  auto bare = content_type.substr(0, content_type.find(';'));
  bare = bare.substr(0, bare.find_last_not_of(" \t") + 1);
  for (const auto& [type, format] : table_types)
    if (is_same_name(bare, type))
      return format;
  return std::nullopt;
}

std::string table_types_told() {
  return "the body must be text/csv, text/tab-separated-values, application/x-ndjson or "
         "application/json";
}

std::optional<response> read_body(const route& to, const request& asked, std::size_t bytes_max,
                                  visit& from) {
  if ((asked.body.empty() && !to.takes_table) || from.parts.from_query)
    return std::nullopt;
  const auto type = header_of(asked, "content-type");
  if (to.takes_table) // it is read piece by piece, by the route
    return table_format_of(type) ? std::nullopt : std::optional{type_refused(to)};
  const auto form = item_form_of(type);
  if (form == item_form::json) {
    if (!is_json(type))
      return type_refused(to);
    if (const auto why = documents::check_json(asked.body, {bytes_max, json_depth_max});
        why.code != core::errc::none)
      return problem_of(why);
    from.parts.body = asked.body;
    const auto begin = from.parts.body.find_first_not_of(" \t\r\n");
    from.parts.body.remove_prefix(std::min(begin, from.parts.body.size()));
    return std::nullopt;
  }
  if (to.lines_of.empty() || (form == item_form::csv && !to.takes_csv))
    return type_refused(to);
  auto items = form == item_form::ndjson ? items_of_lines(asked.body, to.lines_of, json_depth_max)
                                         : source_rows_of_csv(asked.body, bytes_max);
  if (!items)
    return problem_of(items.error());
  from.items = std::make_shared<const body_items>(std::move(*items));
  from.parts.body = from.items->json;
  return std::nullopt;
}

} // namespace holdfast::http
