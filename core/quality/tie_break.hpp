#pragma once

#include "core/quality/answers.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace holdfast::core::quality {

/// A number that stands for a name in the drawing of lots.
std::uint64_t lot_of(std::string_view name);

/// The label by which a unit is reported when several are as likely. It depends neither on the
/// names of labels nor on the order of anything: of the likeliest the one with most votes; of
/// several of these the lot decides, which is drawn by the unit and those who voted for each. Where
/// nobody voted for any of them it is the first in label order. `lots` has one of each contributor.
std::uint32_t settled_label(const double* shares, std::uint32_t labels, const vote_range& votes,
                            std::uint64_t lot_of_unit, const std::vector<std::uint64_t>& lots);

} // namespace holdfast::core::quality
