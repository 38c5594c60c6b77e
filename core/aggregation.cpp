#include "core/aggregation.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"
#include "core/quality/estimates.hpp"
#include "core/quality/labels.hpp"
#include "core/quality/tie_break.hpp"
#include "core/quality/voting.hpp"
#include "core/review.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace holdfast::core {

namespace {

struct method_row {
  aggregation_method method;
  std::string_view name;
  bool asks_model = false;
  std::optional<quality::method> refitted_to{};
};

constexpr std::array<method_row, 9> methods{{
    {aggregation_method::majority, "majority"},
    {aggregation_method::weighted, "weighted"},
    {aggregation_method::weighted_log_odds, "weighted_log_odds"},
    {aggregation_method::incremental, "incremental", true, quality::method::dawid_skene_map},
    {aggregation_method::review, "review"},
    {aggregation_method::gold_selected, "gold_selected", true, std::nullopt},
    {aggregation_method::wawa, "wawa", true, quality::method::wawa},
    {aggregation_method::one_coin, "one_coin", true, quality::method::one_coin},
    {aggregation_method::dawid_skene_map, "dawid_skene_map", true,
     quality::method::dawid_skene_map},
}};

const method_row& row_of(aggregation_method method) {
  for (const auto& row : methods)
    if (row.method == method)
      return row;
  break_invariant("aggregation_method", "every value has a row", __FILE__, __LINE__);
}

/// The answers there may be: those of the policy, else those that were given.
std::vector<answer_support> answers_of(const aggregation_policy& policy,
                                       const std::vector<trusted_answer>& given) {
  auto labels = policy.labels;
  if (labels.empty()) {
    for (const auto& one : given)
      labels.push_back(one.answer);
    quality::sort_labels(labels);
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  }
  std::vector<answer_support> answers;
  for (auto& label : labels)
    answers.push_back({std::move(label), 0, 0});
  return answers;
}

/// The unit alone, each judgment by a contributor of its own.
quality::answers as_votes(const std::vector<trusted_answer>& given,
                          std::vector<answer_support>& answers) {
  quality::answers unit;
  unit.labels = static_cast<std::uint32_t>(answers.size());
  unit.contributors = static_cast<std::uint32_t>(given.size());
  for (const auto& one : given) {
    const auto found = std::find_if(answers.begin(), answers.end(), [&](const answer_support& a) {
      return a.answer == one.answer;
    });
    HOLDFAST_INVARIANT(found != answers.end(), "a judgment whose answer is no label is refused");
    ++found->votes;
    unit.votes.push_back({static_cast<std::uint32_t>(unit.votes.size()),
                          static_cast<std::uint32_t>(found - answers.begin())});
  }
  unit.begins.push_back(unit.votes.size());
  return unit;
}

quality::estimates shares_of(aggregation_method method, const quality::answers& unit,
                             const std::vector<answer_support>& answers,
                             const std::vector<trusted_answer>& given,
                             const model_opinion* opinion) {
  std::vector<double> trust;
  for (const auto& one : given)
    trust.push_back(one.trust);
  switch (method) {
  case aggregation_method::review:
  case aggregation_method::majority: {
    quality::estimates found{1, unit.labels};
    for (std::uint32_t label = 0; label < unit.labels; ++label)
      found.of(0)[label] = static_cast<double>(answers[label].votes)
                           / static_cast<double>(given.size()); // exact where the quotient is
    return found;
  }
  case aggregation_method::weighted:
    return quality::weighted(unit, trust);
  case aggregation_method::weighted_log_odds:
    return quality::weighted_log_odds(unit, trust);
  case aggregation_method::gold_selected:
  case aggregation_method::wawa:
  case aggregation_method::one_coin:
  case aggregation_method::dawid_skene_map:
  case aggregation_method::incremental: {
    HOLDFAST_INVARIANT(opinion != nullptr && opinion->shares.size() == unit.labels,
                       "the step asks its model before it asks the unit");
    quality::estimates found{1, unit.labels};
    std::copy(opinion->shares.begin(), opinion->shares.end(), found.of(0));
    return found;
  }
  }
  break_invariant("aggregation_method", "every value has a rule", __FILE__, __LINE__);
}

/// The correction that most ask for, as the first of them has spelled it: as answers, 10 and "10"
/// are one.
aggregate correction_of(const std::vector<trusted_answer>& given) {
  std::vector<std::string> wanted;
  std::map<std::string, std::string> spelled;
  for (const auto& one : given) {
    const auto said = review_of(one.answer);
    if (said.verdict != review_verdict::correct)
      continue;
    const bool is_text = !said.correction.empty() && said.correction.front() == '"';
    wanted.push_back(is_text ? said.correction : json_quoted(said.correction));
    spelled.emplace(wanted.back(), said.correction);
  }
  auto most = majority(wanted);
  most.answer = spelled.at(most.answer);
  return most;
}

/// The verdict of most reviewers. Of several that tie it is the one that lets least pass, and where
/// two corrections tie none of them does: what reviewers do not agree on was not approved.
aggregate review_of_all(const std::vector<trusted_answer>& given) {
  auto verdicts = given;
  for (auto& one : verdicts)
    one.answer = to_string(review_of(one.answer).verdict);
  auto result = aggregate_of({aggregation_method::majority, verdict_names(), {}}, verdicts);
  result.method = aggregation_method::review;
  const auto votes =
      std::max_element(result.support.begin(), result.support.end(),
                       [](const auto& a, const auto& b) { return a.votes < b.votes; })
          ->votes;
  // In the order of `verdict_names`.
  for (const auto& verdict : result.support)
    if (verdict.votes == votes)
      result.answer = verdict.answer;
  if (result.answer != to_string(review_verdict::correct))
    return result;
  auto correction = correction_of(given);
  if (correction.tied == 1) {
    result.correction = std::move(correction.answer);
    return result;
  }
  const auto& rejected = result.support.back();
  result.answer = rejected.answer;
  result.confidence = result.posterior = rejected.share;
  result.tied = correction.tied;
  return result;
}

/// Which of the answers that are as likely as the likeliest is reported: it depends neither on what
/// answers are called nor on the order in which they came.
std::string settled_answer(const aggregate& found, double likeliest,
                           const std::vector<trusted_answer>& given) {
  const answer_support* best = nullptr;
  quality::tie_claim claim_of_best;
  for (const auto& one : found.support) {
    if (one.share < likeliest - quality::tie_width)
      continue;
    quality::tie_claim claim;
    for (const auto& judged : given)
      if (judged.answer == one.answer)
        claim.add_vote(judged.lot);
    if (best == nullptr || claim.goes_before(claim_of_best)) {
      best = &one;
      claim_of_best = claim;
    }
  }
  HOLDFAST_INVARIANT(best != nullptr, "one of the answers is the likeliest");
  return best->answer;
}

} // namespace

std::uint64_t lot_of(const unit_id& unit, const contributor_id& contributor) {
  return quality::lot_on(quality::lot_of(to_string(unit)), quality::lot_of(contributor));
}

bool may_win(const aggregate& found, const std::string& answer) {
  if (answer == found.answer || found.method == aggregation_method::review)
    return answer == found.answer;
  const auto& all = found.support;
  return std::any_of(all.begin(), all.end(), [&](const answer_support& one) {
    return one.answer == answer && one.share >= found.confidence - quality::tie_width;
  });
}

std::string_view to_string(aggregation_method method) { return row_of(method).name; }

std::optional<aggregation_method> aggregation_method_named(std::string_view name) {
  for (const auto& row : methods)
    if (row.name == name)
      return row.method;
  return std::nullopt;
}

bool asks_model(aggregation_method method) { return row_of(method).asks_model; }

std::optional<quality::method> refitted_to(aggregation_method method) {
  HOLDFAST_INVARIANT(asks_model(method), "other methods have no model to refit");
  return row_of(method).refitted_to;
}

std::uint32_t first_slots(const quality::stopping_rule& rule) {
  // Before more than half of the votes are in, no majority is beyond reach of the rest.
  const auto decided = rule.curtail && !rule.stop_at ? rule.max / 2 + 1 : 1;
  return std::min(rule.max, std::max({rule.min, decided, std::uint32_t{1}}));
}

aggregate aggregate_of(const aggregation_policy& policy, const std::vector<trusted_answer>& given,
                       const model_opinion* opinion) {
  HOLDFAST_INVARIANT(!given.empty(), "a unit is aggregated when its judgments are in");
  if (policy.method == aggregation_method::review)
    return review_of_all(given);
  aggregate result;
  result.method = policy.method;
  result.support = answers_of(policy, given);
  const auto unit = as_votes(given, result.support);
  const auto shares = shares_of(policy.method, unit, result.support, given, opinion);
  for (std::uint32_t label = 0; label < unit.labels; ++label)
    result.support[label].share = shares.of(0)[label];
  const auto consensus = quality::consensus_of(shares.of(0), unit.labels);
  result.answer = consensus.tied == 1 ? result.support[consensus.label].answer
                                      : settled_answer(result, consensus.confidence, given);
  result.confidence = result.posterior = consensus.confidence;
  result.tied = consensus.tied;
  if (asks_model(policy.method)) {
    HOLDFAST_INVARIANT(opinion != nullptr, "the step asks its model before it asks the unit");
    result.calibrated = opinion->calibrated;
    result.posterior = opinion->posterior.value_or(consensus.confidence);
    // Of `incremental` there is one only.
    if (policy.method != aggregation_method::incremental)
      result.chosen = opinion->method;
  }
  return result;
}

aggregate majority(const std::vector<std::string>& answers) {
  std::vector<trusted_answer> given;
  for (const auto& answer : answers)
    given.push_back({answer, 1});
  return aggregate_of({}, given);
}

bool gave(const aggregate& result, const std::string& answer) {
  if (result.method == aggregation_method::review)
    return to_string(review_of(answer).verdict) == result.answer;
  return answer == result.answer;
}

double sure_in(const aggregation_policy& policy) {
  constexpr double usually_sure = 0.9;
  return policy.stopping ? policy.stopping->stop_at.value_or(usually_sure) : usually_sure;
}

bool enough(const quality::stopping_rule& rule, const aggregate& found) {
  std::vector<quality::vote> votes;
  for (std::uint32_t label = 0; label < found.support.size(); ++label)
    votes.insert(votes.end(), found.support[label].votes, {0, label});
  return quality::enough(rule, {votes.data(), votes.data() + votes.size()},
                         static_cast<std::uint32_t>(found.support.size()), found.posterior);
}

std::string to_json(const aggregate& result) {
  const bool weighed = result.method != aggregation_method::majority;
  json_object votes;
  json_object shares;
  for (const auto& one : result.support) {
    if (one.votes > 0)
      votes.number(one.answer, static_cast<std::int64_t>(one.votes));
    shares.number(one.answer, one.share);
  }
  json_object written;
  written.text("answer", result.answer)
      .number("confidence", result.confidence)
      .raw("votes", votes.str())
      .number("tied", static_cast<std::int64_t>(result.tied));
  if (weighed)
    written.text("method", to_string(result.method)).raw("shares", shares.str());
  if (asks_model(result.method))
    written.boolean("calibrated", result.calibrated);
  if (!result.chosen.empty())
    written.text("chosen", result.chosen);
  if (!result.correction.empty())
    written.raw("correction", result.correction);
  return written.str();
}

} // namespace holdfast::core
