#pragma once

#include "core/routing.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// What `pointers`, each a JSON pointer, lead to in the input of a unit: JSON that was checked when
/// it came in. All of them are in it; what is not there is null.
core::input_values read_input_values(std::string_view input,
                                     const std::vector<std::string>& pointers);

} // namespace holdfast::documents
