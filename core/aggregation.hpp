#pragma once

#include "core/ids.hpp"
#include "core/quality/method.hpp"
#include "core/quality/stopping.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::core {

/// How the judgments of a unit become its result.
enum class aggregation_method : std::uint8_t {
  majority = 1,
  weighted = 2,          ///< Votes weigh as much as their contributor's trust.
  weighted_log_odds = 3, ///< Votes weigh the logarithm of the odds that the contributor is right.
  incremental = 4,       ///< What a model of all contributors of the step finds.
  review = 5,            ///< Majority of verdicts on a result, see core/review.hpp; ties reject.
  gold_selected = 6,     ///< What test questions show to be right most often of what a model finds.
  wawa = 7,              ///< What a model finds, from its first refit on by this method.
  one_coin = 8,          ///< As `wawa`.
  dawid_skene_map = 9,   ///< As `wawa`.
};

std::string_view to_string(aggregation_method method);
std::optional<aggregation_method> aggregation_method_named(std::string_view name);

/// Whether the result of a unit is what a model of the whole step finds (`model_opinion`).
bool asks_model(aggregation_method method);

/// By what a model reads the judgments of a unit from its first refit on; none: by what test
/// questions select. Requires a method that asks a model.
std::optional<quality::method> refitted_to(aggregation_method method);

/// How a step makes results of judgments, and when a unit has enough of them.
struct aggregation_policy {
  aggregation_method method = aggregation_method::majority;
  /// Every answer there can be, in label order; empty: any.
  std::vector<std::string> labels;
  /// None: a unit has enough when all its slots are judged.
  std::optional<quality::stopping_rule> stopping;
};

/// How many judgments a unit asks for at first: no more than the rule may turn out to need.
std::uint32_t first_slots(const quality::stopping_rule& rule);

/// The lot that the contributor draws on the unit, the same in every run.
std::uint64_t lot_of(const unit_id& unit, const contributor_id& contributor);

/// One answer, and how much the contributor was trusted when they gave it.
struct trusted_answer {
  std::string answer;
  double trust = 1;
  std::uint64_t lot = 0; ///< Of the contributor on this unit: the least lot settles a tie.
};

/// How many judgments gave one answer, and how likely it is the right one.
struct answer_support {
  std::string answer;
  std::uint32_t votes = 0;
  double share = 0;
};

/// The consensus of a unit.
struct aggregate {
  aggregation_method method = aggregation_method::majority;
  /// The winner. Of several as likely the one with most votes, of these the one for which somebody
  /// with the least lot voted; the first in label order only where nobody voted for any of them.
  std::string answer;
  double confidence = 0;               ///< The winner's share, 0 to 1.
  double posterior = 0;                ///< The same before it was calibrated, if it is.
  std::vector<answer_support> support; ///< All answers that were given or may be, in label order.
  std::uint32_t tied =
      1; ///< How many answers have as great a share as the winner, itself included.
  /// Of a review that corrects: the answer that most of those who correct want. JSON.
  std::string correction{};
  bool calibrated = false; ///< Of a model: the shares are as sure as test questions allow.
  /// Of methods that a refit may bring, which are all that ask a model but `incremental`: by which
  /// one it was found.
  std::string chosen{};
};

/// What the model of the step takes to be true of a unit.
struct model_opinion {
  std::vector<double> shares;  ///< By `aggregation_policy::labels`.
  std::uint32_t judgments = 0; ///< Of the unit, that it knows of.
  bool calibrated = false;
  std::string method{}; ///< By which it was found.
  /// The greatest share before it was calibrated. None: as `shares` say.
  std::optional<double> posterior{};
};

/// The consensus of `given`, at least one. `opinion` is that of the model, for the methods that
/// have one.
aggregate aggregate_of(const aggregation_policy& policy, const std::vector<trusted_answer>& given,
                       const model_opinion* opinion = nullptr);

/// Whether `answer` is the winner, or as likely. Of verdicts that tie only one may win.
bool may_win(const aggregate& found, const std::string& answer);

/// Majority vote: the answer given most often; confidence is its share.
aggregate majority(const std::vector<std::string>& answers);

/// Whether a judgment that gave `answer` gave what became the result.
bool gave(const aggregate& result, const std::string& answer);

/// From which confidence on a result counts as sure: where judging stops, else 0.9.
double sure_in(const aggregation_policy& policy);

/// Whether `rule` wants no more judgments than those that made `found`. It goes by the posterior:
/// on recorded answers that saves four judgments of ten and is right as often as confidence that is
/// calibrated, which on hard work reaches no limit worth setting.
bool enough(const quality::stopping_rule& rule, const aggregate& found);

/// The result as JSON: `{"answer": …, "confidence": …, "votes": {…}, "tied": n}`; of methods other
/// than majority with `"method"` and `"shares": {…}`, of those that ask a model with
/// `"calibrated": …`, of these but `incremental` with `"chosen": …`, of a review that corrects with
/// `"correction": …`.
std::string to_json(const aggregate& result);

} // namespace holdfast::core
