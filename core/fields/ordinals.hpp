#pragma once

#include "core/fields/found_value.hpp"
#include "core/fields/rule.hpp"
#include "core/fields/step_values.hpp"
#include "core/fields/value.hpp"

#include <string>
#include <vector>

/// One label of several that stand in an order. No value here is `absent`.
namespace holdfast::core::fields {

/// The weighted median on the scale: half of the weight lies at or below it, and half at or above.
/// Where the weight parts just between two labels, lots decide between the two. `confidence` is the
/// share of the weight that gave the label. Values that are no label of the scale count nothing. At
/// least one value.
found_value combine_ordinals(const field_rule& rule, const std::vector<given_value>& given);

/// 1 minus the distance on the scale as a share of its length.
double likeness_of_ordinals(const field_rule& rule, const value& a, const value& b);

/// Whether both are the same label.
bool ordinals_agree(const field_rule& rule, const value& a, const value& b);

/// The reason why the label cannot be a truth; empty where it can.
std::string degenerate_ordinals(const field_rule& rule, const value& truth);

/// `dawid_skene_ordinal` over a step: where the truth is `k`, a contributor says `j` with a
/// probability that falls by the same factor with each step between the two,
/// `exp(-care * |j - k|) / sum over i of exp(-care * |i - k|)`; `care` is one number for each
/// contributor. Expectation maximization from the shares of weight; the prior of a contributor is
/// six judgments of which two are one step off, and each label has a prior of one unit.
/// `contributors` are the probabilities to say the truth itself, in the mean over truths.
///
/// Sources: A. P. Dawid, A. M. Skene, "Maximum likelihood estimation of observer error-rates using
/// the EM algorithm", 1979, with confusions that fall with the distance, as in B. Lakshminarayanan,
/// Y. W. Teh, "Inferring ground truth from multi-annotator ordinal data: a probabilistic approach",
/// 2013.
step_found combine_ordinals_step(const field_rule& rule, std::uint32_t units,
                                 std::uint32_t contributors, const std::vector<step_value>& given);

} // namespace holdfast::core::fields
