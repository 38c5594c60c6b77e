#include "http/route_table.hpp"

#include "core/percent.hpp"
#include "documents/text.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::http {

namespace {

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    path.remove_prefix(1); // the slash
    const auto end = path.find('/');
    segments.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end, path.size()));
  }
  return segments;
}

bool is_parameter(std::string_view segment) { return !segment.empty() && segment.front() == '{'; }

/// The parameters of `path` where it fits `pattern`.
std::optional<std::vector<parameter>> fitted(const std::vector<std::string_view>& pattern,
                                             const std::vector<std::string_view>& path) {
  if (pattern.size() != path.size())
    return std::nullopt;
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if (!is_parameter(pattern[i]) && pattern[i] != path[i])
      return std::nullopt;
  std::vector<parameter> found;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (!is_parameter(pattern[i]))
      continue;
    auto value = percent_decoded(path[i], false);
    if (!value || value->empty())
      return std::nullopt;
    const auto name = pattern[i].substr(1, pattern[i].size() - 2);
    found.push_back({std::string{name}, std::move(*value)});
  }
  return found;
}

} // namespace

void route_table::add(route one) {
  patterns_.push_back(segments_of(one.row.path));
  routes_.push_back(std::move(one));
}

route_table::match route_table::find(std::string_view method, std::string_view path) const {
  match result;
  if (path.empty() || path.front() != '/')
    return result;
  const auto wanted = segments_of(path);
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const auto& one = routes_[i];
    auto parameters = fitted(patterns_[i], wanted);
    if (!parameters)
      continue;
    if (to_string(one.row.method) != method) {
      result.others.push_back(one.row.method);
      continue;
    }
    result.found = &one;
    result.path = std::move(*parameters);
    return result;
  }
  return result;
}

const route_table& routes() {
  static const route_table all = [] {
    route_table table;
    add_task_routes(table);
    add_work_routes(table);
    add_workflow_routes(table);
    add_cluster_routes(table);
    return table;
  }();
  return all;
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank) {
  std::string plain{text};
  if (plus_is_blank)
    std::replace(plain.begin(), plain.end(), '+', ' ');
  auto decoded = core::percent_decoded(plain);
  if (!decoded || documents::first_invalid_utf8(*decoded) != std::string::npos)
    return std::nullopt;
  return decoded;
}

std::optional<std::vector<parameter>> query_of(std::string_view query) {
  std::vector<parameter> parameters;
  while (!query.empty()) {
    const auto end = query.find('&');
    const auto one = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    if (one.empty())
      continue;
    const auto equals = one.find('=');
    auto name = percent_decoded(one.substr(0, equals), true);
    auto value = percent_decoded(
        equals == std::string_view::npos ? std::string_view{} : one.substr(equals + 1), true);
    if (!name || !value)
      return std::nullopt;
    parameters.push_back({std::move(*name), std::move(*value)});
  }
  return parameters;
}

} // namespace holdfast::http
