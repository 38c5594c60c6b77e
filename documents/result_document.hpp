#pragma once

#include "core/repair.hpp"

#include <string_view>

namespace holdfast::documents {

/// What a repair compares of the stored result of a finalized unit.
core::standing_result read_result(std::string_view result);

/// What the judgments gave before their requester has overridden it, as JSON; empty where they gave
/// nothing.
std::string before_override(std::string_view overridden_result);

} // namespace holdfast::documents
