#include "core/quality/method.hpp"

#include "core/invariant.hpp"
#include "core/quality/dawid_skene.hpp"
#include "core/quality/glad.hpp"
#include "core/quality/ibcc.hpp"
#include "core/quality/one_coin.hpp"
#include "core/quality/trust.hpp"
#include "core/quality/voting.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace holdfast::core::quality {

namespace {

estimates held(estimates found, const known_labels& test_questions) {
  for (std::size_t unit = 0; unit < test_questions.size(); ++unit)
    hold_at(found.of(unit), found.labels, test_questions[unit]);
  return found;
}

aggregated fitted(method what, em_fit fit) {
  const auto iterations = static_cast<std::uint32_t>(fit.iterations());
  const auto log_likelihood = fit.log_likelihood();
  return {std::move(fit.found), what, log_likelihood, iterations, std::move(fit.model)};
}

/// What stands for a distribution of parameters has a lower bound where others have a likelihood.
aggregated bounded(method what, em_fit fit) {
  const auto iterations = static_cast<std::uint32_t>(fit.iterations());
  return {std::move(fit.found), what, std::nullopt, iterations, std::nullopt};
}

/// Without the model that others report, where a table of it would be too large.
aggregated fitted(method what, coin_fit fit) {
  return {std::move(fit.found), what, fit.log_likelihood, fit.iterations, std::nullopt};
}

aggregated fitted(method what, glad_fit fit) {
  const auto iterations = static_cast<std::uint32_t>(fit.log_likelihoods.size());
  const auto log_likelihood = fit.log_likelihoods.back();
  return {std::move(fit.found), what, log_likelihood, iterations, std::nullopt};
}

} // namespace

const std::vector<method_description>& method_descriptions() {
  // clang-format off
  static const std::vector<method_description> table{
    {method::majority, "majority", "the label given most often"},
    {method::weighted, "weighted", "votes weigh as much as their contributor's trust"},
    {method::weighted_log_odds, "weighted_log_odds", "votes weigh the log-odds of the trust"},
    {method::wawa, "wawa", "votes weigh as much as their contributor agrees with the majority"},
    {method::wawa_soft, "wawa_soft", "votes weigh as much as their contributor agrees with others"},
    {method::dawid_skene_mle, "dawid_skene_mle", "confusion matrices, without a prior"},
    {method::dawid_skene_map, "dawid_skene_map", "confusion matrices, with a prior"},
    {method::fast_dawid_skene, "fast_dawid_skene", "confusion matrices, hard assignments"},
    {method::one_coin, "one_coin", "one accuracy per contributor"},
    {method::one_coin_mle, "one_coin_mle", "one accuracy per contributor, without a prior"},
    {method::ibcc_vb, "ibcc_vb", "all confusion matrices that may be, by variational Bayes"},
    {method::glad, "glad", "one ability per contributor, one difficulty per unit"},
    {method::incremental, "incremental", "dawid_skene_map, in live steps one judgment at a time"},
    {method::gold_selected, "gold_selected", "what is best on the test questions"},
  };
  // clang-format on
  return table;
}

const std::vector<method_alias>& method_aliases() {
  static const std::vector<method_alias> table{
      {"mv", method::majority},
      {"trust_linear", method::weighted},
      {"trust_logodds", method::weighted_log_odds},
      {"mle", method::dawid_skene_mle},
      {"ds_mle", method::dawid_skene_mle},
      {"map", method::dawid_skene_map},
      {"ds_map", method::dawid_skene_map},
      {"dawid_skene", method::dawid_skene_map},
      {"fds", method::fast_dawid_skene},
      {"onecoin_map", method::one_coin},
      {"onecoin_mle", method::one_coin_mle},
  };
  return table;
}

std::optional<method> method_named(std::string_view name) {
  for (const auto& row : method_descriptions())
    if (row.name == name)
      return row.what;
  for (const auto& row : method_aliases())
    if (row.name == name)
      return row.what;
  return std::nullopt;
}

std::string_view name_of(method what) {
  const auto& table = method_descriptions();
  return std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.what == what; })
      ->name;
}

bool needs_confusion_table(method what) {
  return what != method::majority && what != method::weighted && what != method::weighted_log_odds
         && what != method::wawa && what != method::wawa_soft && what != method::glad
         && what != method::one_coin;
}

aggregated aggregate_by(method what, const answers& given, const known_labels& test_questions,
                        const aggregation_settings& settings) {
  em_options em{test_questions};
  em.iterations_max = settings.iterations_max;
  em.rise_min = settings.rise_min;
  const auto trusted = [&] {
    return settings.trust.empty()
               ? mean_trust(test_records(given, test_questions), settings.trust_prior)
               : settings.trust;
  };
  const auto closed = [&](estimates found) {
    return aggregated{held(std::move(found), test_questions), what, std::nullopt, 0, std::nullopt};
  };
  switch (what) {
  case method::majority:
    return closed(majority(given));
  case method::weighted:
    return closed(weighted(given, trusted()));
  case method::weighted_log_odds:
    return closed(weighted_log_odds(given, trusted()));
  case method::wawa:
    return closed(wawa(given));
  case method::wawa_soft:
    return closed(wawa_soft(given));
  case method::dawid_skene_mle:
    return fitted(what, dawid_skene(given, prior::none, em));
  case method::dawid_skene_map:
    return fitted(what, dawid_skene(given, prior::diagonal, em));
  case method::fast_dawid_skene:
    return fitted(what, fast_dawid_skene(given, em));
  case method::one_coin:
    return fits_confusion_table(given) ? fitted(what, one_coin(given, em))
                                       : fitted(what, one_coin_by_accuracy(given, em));
  case method::one_coin_mle:
    return fitted(what, one_coin_mle(given, em));
  case method::ibcc_vb:
    return bounded(what, ibcc_vb(given, em));
  case method::glad:
    return fitted(what, glad(given, {test_questions, settings.iterations_max, settings.rise_min}));
  case method::incremental:
    // What a live step has when everything is in and it has looked at all of it again.
    return fitted(what, dawid_skene(given, prior::diagonal, em));
  case method::gold_selected:
    break;
  }
  HOLDFAST_INVARIANT(std::any_of(test_questions.begin(), test_questions.end(),
                                 [](auto truth) { return truth != unknown_label; }),
                     "the caller has test questions to choose by");
  return aggregate_by(most_accurate_on(given, test_questions), given, test_questions, settings);
}

method most_accurate_on(const answers& given, const known_labels& test_questions) {
  constexpr std::array candidates{method::dawid_skene_map, method::one_coin, method::wawa,
                                  method::majority};
  auto best = candidates.back(); // which always runs
  double most = -1;
  for (const auto candidate : candidates) {
    if (needs_confusion_table(candidate) && !fits_confusion_table(given))
      continue;
    const auto found = aggregate_by(candidate, given, {}).found;
    const auto right = accuracy_of(found, test_questions).shared;
    if (right > most + tie_width) {
      best = candidate;
      most = right;
    }
  }
  return best;
}

} // namespace holdfast::core::quality
