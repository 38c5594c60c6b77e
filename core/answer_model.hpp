#pragma once

#include "core/aggregation.hpp"
#include "core/contributor.hpp"
#include "core/ids.hpp"
#include "core/quality/incremental.hpp"
#include "core/quality/refit.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace holdfast::core {

/// What all judgments of one step together say about its units and its contributors, under the
/// names they have there. For the methods of aggregation that learn from one unit about another.
///
/// It counts one judgment at a time. Now and then all are looked at together (`begin_refit`, then
/// `quality::refit_of` anywhere, then `adopt`), which takes away what their order has done, tells
/// how sure the model may be, and decides how it reads the judgments of a unit: by the method that
/// the step names, or by one that test questions select.
class answer_model {
public:
  /// `method` is one that asks a model.
  explicit answer_model(const std::vector<std::string>& labels,
                        aggregation_method method = aggregation_method::incremental);

  /// Counts a judgment whose answer is one of the labels. A second one of a contributor on a unit
  /// is not counted.
  void add(const unit_id& unit, const contributor_id& contributor, const std::string& answer);

  /// The unit is a test question with this answer. What is no label says nothing.
  void hold(const unit_id& unit, const std::string& truth);

  /// What is true of the unit is not known any more.
  void let_go(const unit_id& unit);

  /// Nothing that the contributor ever said counts.
  void withdraw(const contributor_id& contributor);

  /// The contributor's judgment of this unit does not count any more, if it did.
  void withdraw(const unit_id& unit, const contributor_id& contributor);

  model_opinion opinion_of(const unit_id& unit) const;

  /// All judgments that count, by contributor in order of their first one.
  std::vector<step_history::vote> counted() const;
  /// How many judgments count.
  std::uint64_t judgments() const { return counted_; }
  /// All whose judgments ever counted.
  std::size_t contributors() const { return contributors_.size(); }

  /// What a refit looks at, as it is now; null when there is nothing to look at, or too much for
  /// the methods that it may go by (`quality::can_refit`). A refit that was begun before is given
  /// up.
  std::shared_ptr<const quality::refit_input> begin_refit();

  /// Goes on from what a refit has found in `input`. What came in or was withdrawn since it was
  /// begun counts as if it had done so now. False: it is not the one that was begun last here.
  bool adopt(const std::shared_ptr<const quality::refit_input>& input,
             const quality::refit& refitted);

  /// Nothing comes of the refit of `input`. False as for `adopt`.
  bool give_up(const std::shared_ptr<const quality::refit_input>& input);

private:
  std::uint32_t number_of(const unit_id& unit);

  std::unordered_map<std::string, std::uint32_t> labels_;
  std::unordered_map<unit_id, std::uint32_t> units_;
  std::unordered_map<contributor_id, std::uint32_t> contributors_;
  std::vector<std::vector<std::uint32_t>> judged_; ///< Units by contributor.
  std::vector<std::uint32_t> judgments_;           ///< How many by unit.
  std::uint64_t counted_ = 0;
  std::optional<quality::method> goes_by_; ///< `refitted_to` of the step's method.
  quality::incremental model_;
  quality::unit_rule rule_;   ///< Of the last refit.
  std::vector<bool> changed_; ///< Units, since a refit was begun.
  std::shared_ptr<const quality::refit_input> begun_;
};

} // namespace holdfast::core
