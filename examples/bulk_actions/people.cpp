#include "examples/bulk_actions/people.hpp"

#include <algorithm>
#include <array>

namespace bulk {

namespace {

constexpr std::array<std::string_view, 4> statuses{"ACTIVE", "ON_LEAVE", "WITHDRAWN", "GRADUATED"};
constexpr std::array<std::string_view, 7> right_names{
    "EXPORT", "CHANGE_STATUS", "WATCH", "SEND_MAIL", "ENROL", "RUN_AS_OTHERS", "CHANGE_UNITS"};

/// RFC 5321, 4.5.3.1.3, without the angle brackets.
constexpr std::size_t address_bytes_max = 254;

template <class Value, class Names>
std::optional<Value> named(const Names& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return std::nullopt;
  return static_cast<Value>(found - names.begin());
}

} // namespace

std::string_view to_string(program_status status) {
  return statuses[static_cast<std::size_t>(status)];
}

std::optional<program_status> status_named(std::string_view name) {
  return named<program_status>(statuses, name);
}

std::string_view to_string(right which) { return right_names[static_cast<std::size_t>(which)]; }

std::optional<right> right_named(std::string_view name) { return named<right>(right_names, name); }

by_ids in_order(by_ids wanted) {
  auto& ids = wanted.ids;
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return wanted;
}

bool is_address(std::string_view text) {
  const auto plain = [](char c) { return c > ' ' && c < 0x7f && c != '<' && c != '>'; };
  const auto at = text.find('@');
  return text.size() <= address_bytes_max && std::all_of(text.begin(), text.end(), plain)
         && at != std::string_view::npos && at > 0 && at + 1 < text.size()
         && text.find('@', at + 1) == std::string_view::npos;
}

} // namespace bulk
