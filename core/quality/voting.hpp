#pragma once

#include "core/quality/answers.hpp"
#include "core/quality/estimates.hpp"

#include <vector>

/// Methods in closed form: each unit is decided by its own votes and a weight for each contributor.
namespace holdfast::core::quality {

/// Vote shares.
estimates majority(const answers& given);

/// `conf(l) = sum(trust of voters of l) / sum(trust of all)`, with one trust from 0 to 1 for each
/// contributor. Source: the confidence score of Figure Eight (article 201855939 of its help). A
/// unit whose voters all have trust 0 falls back to vote shares.
estimates weighted(const answers& given, const std::vector<double>& trust);

/// Each vote weighs `ln(p (K - 1) / (1 - p))`, p being the contributor's accuracy within 0.001 to
/// 0.999; shares are the Bayes posterior when errors are uniform and labels equally likely
/// beforehand. Source: S. Nitzan, J. Paroush, "Optimal decision rules in uncertain dichotomous
/// choice situations", 1982, for K = 2.
estimates weighted_log_odds(const answers& given, const std::vector<double>& accuracies);

/// Worker agreement with aggregate: the weight of a contributor is the share of their answers that
/// equal the majority. An answer that is one of n in front equals it by 1/n, whatever the labels
/// are called: were a tie the first label's, of two who disagree everywhere one would be right.
estimates wawa(const answers& given);

/// These weights, by contributor; of whoever has said nothing, what one assumes of anybody.
std::vector<double> agreement_with_majority(const answers& given);

/// The same with shares in place of a majority: the weight of a contributor is how large a part of
/// the others' votes on a unit says what they said, as a mean over their units. Their own vote is
/// left out, which would have everybody agree with themselves, the more so the fewer the others
/// are.
estimates wawa_soft(const answers& given);

/// These weights, by contributor; of whoever shares no unit with others, what one assumes of
/// anybody.
std::vector<double> agreement_with_others(const answers& given);

} // namespace holdfast::core::quality
