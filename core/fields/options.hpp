#pragma once

#include "core/fields/found_value.hpp"
#include "core/fields/rule.hpp"
#include "core/fields/step_values.hpp"
#include "core/fields/value.hpp"

#include <string>
#include <vector>

/// Several of some options. No value here is `absent`; the empty set says that none of them holds.
namespace holdfast::core::fields {

/// `options`: those that more than `rule.share` of the weight chose, each by itself; `confidence`
/// is the least over all options of the greater of the share that chose it and the share that did
/// not. `exact`: the set with most weight as a whole, ties by lot; `confidence` is its share.
/// At least one value.
found_value combine_options(const field_rule& rule, const std::vector<given_value>& given);

/// Jaccard's index: what both have of what one of them has; 1 for two empty sets. Source: P.
/// Jaccard, "The distribution of the flora in the alpine zone", 1912.
double likeness_of_options(const field_rule& rule, const value& a, const value& b);

/// Whether both are the same set.
bool options_agree(const field_rule& rule, const value& a, const value& b);

/// The reason why the set cannot be a truth; empty where it can.
std::string degenerate_options(const field_rule& rule, const value& truth);

/// `one_coin_options` over a step: each option of each unit holds or does not, and each contributor
/// tells that rightly with an accuracy of their own, the same for all options and units.
/// Expectation maximization from the shares of weight; the prior of an accuracy is Beta(4, 2), as
/// that of trust, and how often an option holds is estimated for each option with one unit more
/// that has it and one that has not.
///
/// Source: A. P. Dawid, A. M. Skene, "Maximum likelihood estimation of observer error-rates using
/// the EM algorithm", 1979, with one parameter for each observer.
step_found combine_options_step(const field_rule& rule, std::uint32_t units,
                                std::uint32_t contributors, const std::vector<step_value>& given);

} // namespace holdfast::core::fields
