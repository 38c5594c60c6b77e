#pragma once

#include "core/fields/found_value.hpp"
#include "core/fields/rule.hpp"
#include "core/fields/value.hpp"

#include <string>
#include <vector>

/// Numbers. No value here is `absent`.
namespace holdfast::core::fields {

/// `weighted_median`: half of the weight lies on each side; the middle of two numbers where the
/// weight parts just between them. `mean`: by weight. `trimmed_mean`: the mean without the outer
/// numbers, as many from each end as weigh at most `rule.trim` of all together; of one half and
/// more the median is left.
///
/// `confidence` is the share of the weight whose numbers agree with the answer. The intervals lie
/// between the quantiles 1/4 and 3/4, and 1/40 and 39/40: numbers in order stand at the places
/// where the weight before them, their own and their neighbour's by half, has come to that share,
/// and between two places quantiles are on a straight line (which for equal weights is the
/// definition 7 of R. J. Hyndman, Y. Fan, "Sample quantiles in statistical packages", 1996). At
/// least one value.
found_value combine_numbers(const field_rule& rule, const std::vector<given_value>& given);

/// 1 within the tolerance, else 0.
double likeness_of_numbers(const field_rule& rule, const value& a, const value& b);

/// Whether the two are no farther apart than `rule.within`, or than `rule.within_share` of the
/// greater of them by size.
bool numbers_agree(const field_rule& rule, const value& a, const value& b);

/// The reason why the number cannot be a truth; empty where it can.
std::string degenerate_numbers(const field_rule& rule, const value& truth);

} // namespace holdfast::core::fields
