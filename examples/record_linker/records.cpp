#include "examples/record_linker/records.hpp"

#include <algorithm>
#include <array>

namespace linker {

namespace {

constexpr std::array<std::string_view, 5> names{"PENDING", "QUEUED", "COMPLETED", "FAILED",
                                                "CANCELLED"};

} // namespace

std::string_view to_string(link_status status) { return names[static_cast<std::size_t>(status)]; }

std::optional<link_status> status_named(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return std::nullopt;
  return static_cast<link_status>(found - names.begin());
}

} // namespace linker
