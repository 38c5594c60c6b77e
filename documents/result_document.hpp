#pragma once

#include "core/repair.hpp"

#include <string_view>

namespace holdfast::documents {

/// What a repair compares of the stored result of a finalized unit.
core::standing_result read_result(std::string_view result);

} // namespace holdfast::documents
