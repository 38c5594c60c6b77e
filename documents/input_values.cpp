#include "documents/input_values.hpp"

#include "core/invariant.hpp"
#include "documents/exact_number.hpp"
#include "documents/parse.hpp"
#include "documents/pointer.hpp"
#include "documents/schema.hpp"

#include <limits>
#include <optional>

namespace holdfast::documents {

namespace {

core::input_value value_of(std::string_view text) {
  // Whatever is inside is not compared, and may be large.
  if (text.front() == '{' || text.front() == '[')
    return {std::string{}, std::nullopt};
  const auto read = parse_json(text, {std::numeric_limits<std::size_t>::max(), 1});
  HOLDFAST_INVARIANT(read, "inputs are checked when they come in");
  core::input_value value{canonical_text(*read), std::nullopt};
  if (is_number(*read))
    value.number = nearest_in(*read);
  return value;
}

} // namespace

core::input_values read_input_values(std::string_view input,
                                     const std::vector<std::string>& pointers) {
  core::input_values values;
  for (const auto& text : pointers) {
    const auto pointer = json_pointer::parse(text);
    HOLDFAST_INVARIANT(pointer, "pointers were checked with the definition");
    const auto found = pointer->find_text(input);
    values.emplace(text, found ? value_of(*found) : core::input_value{});
  }
  return values;
}

} // namespace holdfast::documents
