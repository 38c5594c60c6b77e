#pragma once

#include "core/aggregation.hpp"
#include "core/ids.hpp"
#include "core/quality/incremental.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace holdfast::core {

/// What all judgments of one step together say about its units and its contributors, under the
/// names they have there. For the methods of aggregation that learn from one unit about another.
class answer_model {
public:
  explicit answer_model(const std::vector<std::string>& labels);

  /// Counts a judgment whose answer is one of the labels. A second one of a contributor on a unit
  /// is not counted.
  void add(const unit_id& unit, const contributor_id& contributor, const std::string& answer);

  /// The unit is a test question with this answer. What is no label says nothing.
  void hold(const unit_id& unit, const std::string& truth);

  /// Nothing that the contributor ever said counts.
  void withdraw(const contributor_id& contributor);

  model_opinion opinion_of(const unit_id& unit) const;

private:
  std::uint32_t number_of(const unit_id& unit);

  std::unordered_map<std::string, std::uint32_t> labels_;
  std::unordered_map<unit_id, std::uint32_t> units_;
  std::unordered_map<contributor_id, std::uint32_t> contributors_;
  std::vector<std::vector<std::uint32_t>> judged_; ///< Units by contributor.
  std::vector<std::uint32_t> judgments_;           ///< How many by unit.
  quality::incremental model_;
};

} // namespace holdfast::core
