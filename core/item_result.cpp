#include "core/item_result.hpp"

#include "core/invariant.hpp"

#include <charconv>

namespace holdfast::core {

std::string to_string(const result_place& place) {
  if (place.ordinal == 0)
    return {};
  auto text = std::to_string(place.ordinal);
  if (place.unit)
    text += '-' + to_string(place.unit);
  return text;
}

std::optional<result_place> result_place_of(std::string_view text) {
  result_place place;
  if (text.empty())
    return place;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, place.ordinal);
  // Ordinals are numbers of the database, which has no greater ones.
  if (read.ec != std::errc{} || place.ordinal == 0 || place.ordinal > INT64_MAX)
    return std::nullopt;
  if (read.ptr == end)
    return place;
  const auto unit = *read.ptr == '-'
                        ? parse_uuid({read.ptr + 1, static_cast<std::size_t>(end - read.ptr - 1)})
                        : std::nullopt;
  if (!unit)
    return std::nullopt;
  place.unit = {*unit};
  return place;
}

std::string_view to_string(result_state state) {
  switch (state) {
  case result_state::final:
    return "final";
  case result_state::rejected:
    return "rejected";
  case result_state::canceled:
    return "canceled";
  case result_state::superseded:
    return "superseded";
  case result_state::gathered:
    return "gathered";
  }
  break_invariant("result_state", "every value has a name", __FILE__, __LINE__);
}

std::optional<result_state> result_state_named(std::string_view name) {
  for (std::uint8_t number = 1; number <= result_states; ++number)
    if (const auto state = static_cast<result_state>(number); to_string(state) == name)
      return state;
  return std::nullopt;
}

} // namespace holdfast::core
