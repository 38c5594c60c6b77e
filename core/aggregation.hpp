#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::core {

/// How many judgments gave one answer.
struct vote_share {
  std::string answer;
  std::uint32_t votes = 0;
};

/// The consensus of a unit.
struct aggregate {
  std::string answer;             ///< The winner; of several, the first in label order.
  double confidence = 0;          ///< The winner's share of the votes, 0 to 1.
  std::vector<vote_share> shares; ///< All answers given, in label order.
  std::uint32_t tied = 1; ///< How many answers have as many votes as the winner, itself included.
};

/// Majority vote: the answer given most often; confidence is its share. Requires at least one
/// answer.
aggregate majority(const std::vector<std::string>& answers);

/// The result as JSON: `{"answer": …, "confidence": …, "votes": {…}, "tied": n}`.
std::string to_json(const aggregate& result);

} // namespace holdfast::core
