#include "core/task_purpose.hpp"

namespace holdfast::core {

namespace {

constexpr std::string_view owner_prefix = "unit/";
constexpr std::size_t uuid_text = 36;

} // namespace

std::string owner_of(const task_purpose& purpose) {
  return std::string{owner_prefix} + to_string(purpose.step) + "/" + to_string(purpose.unit);
}

std::optional<task_purpose> purpose_in(std::string_view owner_id) {
  constexpr auto slash = owner_prefix.size() + uuid_text;
  if (owner_id.size() != slash + 1 + uuid_text
      || owner_id.substr(0, owner_prefix.size()) != owner_prefix || owner_id[slash] != '/')
    return std::nullopt;
  const auto step = parse_uuid(owner_id.substr(owner_prefix.size(), uuid_text));
  const auto unit = parse_uuid(owner_id.substr(slash + 1));
  if (!step || !unit)
    return std::nullopt;
  return task_purpose{{*step}, {*unit}};
}

} // namespace holdfast::core
