#pragma once

#include "core/fields/found_value.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// Shares of the weight of those who judged, for kinds whose answers have parts.
namespace holdfast::core::fields {

/// The difference of two sums of the same weights that were added in another order is at most this.
inline constexpr double share_grain = 1e-9;

/// Whether a part that this share of the weight named is in the answer: more than `least`, or just
/// `least` where that is above one half.
bool is_enough(double share, double least);

/// Who judged, in an order that depends on nothing but what they said: by lot, then by weight. What
/// is added or compared in this order comes out the same to the last bit, whatever order judgments
/// arrived in, unless two people share lot and weight.
std::vector<std::uint32_t> in_order_of_lots(const std::vector<given_value>& given);

double weight_of(const std::vector<given_value>& given, const std::vector<std::uint32_t>& order);

struct weighted_number {
  double number = 0;
  double weight = 1;
};

/// The number with half of the weight on each side; the middle of two where the weight parts just
/// between them. At least one; sorts them.
double weighted_median(std::vector<weighted_number>& numbers);

/// The case for one of several labels.
struct label_claim {
  std::string label;
  double weight = 0;
  std::uint32_t votes = 0;
  std::uint64_t lot = std::numeric_limits<std::uint64_t>::max();
};

/// Adds a vote to the claim of its label, which is made if there is none yet.
void add_vote(std::vector<label_claim>& claims, const std::string& label, double weight,
              std::uint64_t lot);

/// The claim with most weight; of several the one with most votes, then the one of the least lot.
/// `tied` becomes how many have as much weight. At least one claim.
std::size_t leading_claim(const std::vector<label_claim>& claims, std::uint32_t& tied);

/// Puts claims in the order of `labels`, those that are not among them behind, by bytes.
void sort_by_labels(std::vector<label_claim>& claims, const std::vector<std::string>& labels);

/// What a sentence about a truth says of a label that the rule does not have, else nothing.
std::string problem_of_label(const std::vector<std::string>& labels, const std::string& label);

} // namespace holdfast::core::fields
