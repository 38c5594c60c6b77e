#pragma once

#include "core/quality/answers.hpp"
#include "core/quality/calibration.hpp"
#include "core/quality/estimates.hpp"
#include "core/quality/method.hpp"

#include <cstddef>
#include <optional>
#include <vector>

/// Looking at all judgments of a live step again, at once.
namespace holdfast::core::quality {

/// So many test questions must have been answered before they choose a method or a temperature.
/// With fewer, one of them is worth more than the ten points by which methods usually differ.
inline constexpr std::size_t deciding_questions_min = 10;

/// What a refit looks at.
struct refit_input {
  answers given;
  known_labels test_questions; ///< One entry per unit.
  /// Of those that `most_accurate_on` chooses from; none: the one that it chooses.
  std::optional<method> goes_by{};
};

/// How the judgments of one unit are read until the next refit.
struct unit_rule {
  /// Of those that `most_accurate_on` chooses from. Until it can choose, it is the first of them.
  method chosen = method::dawid_skene_map;
  /// By contributor: of `one_coin` their accuracies, of `wawa` their agreement with the majority;
  /// of the others none.
  std::vector<double> reliability;
  std::vector<double> label_shares; ///< Of `one_coin`: how likely each label is anywhere.
  calibration sureness;
};

struct refit {
  /// By `dawid_skene_map`, test questions held at their truth. Without units where the answers fit
  /// no confusion table; then the rule goes by another method.
  estimates found;
  unit_rule rule;
};

/// Whether there is a refit of such judgments. Where they fit no confusion table there is one for
/// methods that make none: the one that the step names, or those that enough test questions can
/// choose from.
bool can_refit(const refit_input& input);

/// Requires a vote, and `can_refit`.
refit refit_of(const refit_input& input);

/// The shares of one unit with `votes`, at least one, by `rule`, which does not go by
/// `dawid_skene_map`. Of contributors whom the refit has not seen it takes what one assumes of
/// anybody.
estimates shares_by(const unit_rule& rule, const vote_range& votes, std::uint32_t labels);

} // namespace holdfast::core::quality
