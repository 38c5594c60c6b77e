#include "core/quality/refit.hpp"

#include "core/invariant.hpp"
#include "core/quality/dawid_skene.hpp"
#include "core/quality/label_product.hpp"
#include "core/quality/method.hpp"
#include "core/quality/one_coin.hpp"
#include "core/quality/trust.hpp"
#include "core/quality/voting.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::core::quality {

namespace {

bool decides(const refit_input& input, std::size_t unit) {
  return input.test_questions[unit] < input.given.labels && input.given.of(unit).size() > 0;
}

/// The most votes that a unit of work has; 0 before the first.
std::size_t votes_of_work(const refit_input& input) {
  std::size_t most = 0;
  for (std::size_t unit = 0; unit < input.given.units(); ++unit)
    if (input.test_questions[unit] == unknown_label)
      most = std::max(most, input.given.of(unit).size());
  return most;
}

/// The judgments and what is known, with test questions as hard as the work is. Everybody answers
/// the same questions, a unit of work has a few votes: what twenty together are right about says
/// nothing about three. So each question becomes several, with no more votes each than work has.
refit_input with_comparable_questions(const refit_input& input) {
  const auto most = votes_of_work(input);
  refit_input all;
  all.given.labels = input.given.labels;
  all.given.contributors = input.given.contributors;
  for (std::size_t unit = 0; unit < input.given.units(); ++unit) {
    const auto votes = input.given.of(unit);
    const bool cut = decides(input, unit) && most > 0;
    const auto parts = cut ? (votes.size() + most - 1) / most : 1;
    for (std::size_t part = 0; part < parts; ++part) {
      all.given.votes.insert(all.given.votes.end(), votes.begin() + votes.size() * part / parts,
                             votes.begin() + votes.size() * (part + 1) / parts);
      all.given.begins.push_back(all.given.votes.size());
      all.test_questions.push_back(decides(input, unit) ? input.test_questions[unit]
                                                        : unknown_label);
    }
  }
  return all;
}

/// What `one_coin` takes from all units. A label that nobody gave so far is unlikely, and not
/// impossible until the next refit.
void learn_coins(const refit_input& input, unit_rule& rule) {
  auto fit = one_coin_by_accuracy(input.given, em_options{input.test_questions});
  const auto units = static_cast<double>(input.given.units());
  rule.label_shares = std::move(fit.label_shares);
  for (auto& share : rule.label_shares)
    share = (share * units + prior_label) / (units + prior_label * input.given.labels);
  rule.reliability = std::move(fit.accuracies);
}

std::size_t deciding_questions(const refit_input& input) {
  std::size_t deciding = 0;
  for (std::size_t unit = 0; unit < input.given.units(); ++unit)
    deciding += decides(input, unit) ? 1 : 0;
  return deciding;
}

/// What test questions say of the rule, where there are enough of them.
void ask_questions(const refit_input& input, unit_rule& rule) {
  if (deciding_questions(input) < deciding_questions_min)
    return;
  const auto asked = with_comparable_questions(input);
  if (!input.goes_by)
    rule.chosen = most_accurate_on(asked.given, asked.test_questions);
  rule.sureness =
      fit_temperature(aggregate_by(rule.chosen, asked.given, {}).found, asked.test_questions);
}

unit_rule rule_for(const refit_input& input) {
  unit_rule rule;
  rule.chosen = input.goes_by.value_or(rule.chosen);
  ask_questions(input, rule);
  if (rule.chosen == method::one_coin)
    learn_coins(input, rule);
  if (rule.chosen == method::wawa)
    rule.reliability = agreement_with_majority(input.given);
  return rule;
}

double reliability_of(const unit_rule& rule, std::uint32_t contributor) {
  return contributor < rule.reliability.size() ? rule.reliability[contributor] : trust{}.mean();
}

void toss_coins(const unit_rule& rule, const vote_range& votes, std::uint32_t labels,
                double* shares) {
  label_product<0> product{labels};
  product.begin(rule.label_shares.data());
  std::vector<double> likelihood(labels);
  for (const auto& one : votes) {
    const auto right = reliability_of(rule, one.contributor);
    std::fill(likelihood.begin(), likelihood.end(), (1 - right) / (labels - 1.0));
    likelihood[one.label] = right;
    product.multiply(likelihood.data());
  }
  product.finish(shares);
}

} // namespace

bool can_refit(const refit_input& input) {
  if (fits_confusion_table(input.given))
    return true;
  return input.goes_by ? *input.goes_by != method::dawid_skene_map
                       : deciding_questions(input) >= deciding_questions_min;
}

refit refit_of(const refit_input& input) {
  HOLDFAST_INVARIANT(can_refit(input), "the caller asks first");
  refit done;
  // From the vote shares, not from where the live estimates are: these depend on the order in which
  // judgments came in.
  if (fits_confusion_table(input.given))
    done.found = dawid_skene(input.given, prior::diagonal, em_options{input.test_questions}).found;
  done.rule = rule_for(input);
  return done;
}

estimates shares_by(const unit_rule& rule, const vote_range& votes, std::uint32_t labels) {
  estimates found{1, labels};
  if (rule.chosen == method::one_coin) {
    toss_coins(rule, votes, labels, found.of(0));
    return found;
  }
  answers unit;
  unit.labels = labels;
  std::vector<double> weights;
  for (const auto& one : votes) {
    unit.votes.push_back({unit.contributors++, one.label});
    weights.push_back(rule.chosen == method::wawa ? reliability_of(rule, one.contributor) : 1.0);
  }
  unit.begins.push_back(unit.votes.size());
  return weighted(unit, weights);
}

} // namespace holdfast::core::quality
