#include "core/step_survey.hpp"

#include "core/quality/agreement.hpp"
#include "core/quality/answers.hpp"
#include "core/quality/copying.hpp"
#include "core/quality/incomplete_beta.hpp"
#include "core/quality/patterns.hpp"
#include "core/quality/peer_agreement.hpp"
#include "core/quality/speed.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace holdfast::core {

namespace {

constexpr std::uint64_t first_survey = 50;

/// Who agrees less than this beyond chance gives answers that are worth little.
constexpr double kappa_min = 0.2;
/// Honest work on hard units agrees so much at least; to be below it must be no accident.
constexpr double kappa_honest = 0.4;
constexpr std::uint32_t agreement_units_min = 10;
/// A flag by accident for one honest step in a hundred.
constexpr double chance_max = 0.01;

/// Of somebody's judgments, before their habits or their pace are looked at.
constexpr std::uint32_t judgments_min = 10;

std::string percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

std::string in_hundredths(double value) {
  const auto hundredths = std::lround(std::abs(value) * 100);
  const auto digits = std::to_string(hundredths % 100);
  return (value < 0 && hundredths != 0 ? "-" : "") + std::to_string(hundredths / 100) + '.'
         + std::string(2 - digits.size(), '0') + digits;
}

quality::named_answers answers_in(const std::vector<surveyed_judgment>& judgments) {
  quality::answers_builder builder;
  for (const auto& one : judgments)
    builder.add(one.contributor, to_string(one.unit), one.answer);
  return builder.finish(quality::repeats::first_counts);
}

void look_at_agreement(const quality::named_answers& named, std::vector<concern>& concerns) {
  const auto all = quality::peer_agreements(named.given);
  for (std::size_t who = 0; who < all.size(); ++who) {
    const auto& one = all[who];
    const auto kappa = one.kappa();
    if (!kappa || *kappa >= kappa_min || one.compared < agreement_units_min)
      continue;
    const double compared = one.compared;
    const double honest = one.expected + kappa_honest * (1 - one.expected);
    const auto chance = quality::binomial_tail(compared * (1 - one.agreed), compared, 1 - honest);
    if (chance * static_cast<double>(all.size()) > chance_max)
      continue;
    concerns.push_back({named.contributors[who], monitor::agreement,
                        "agrees with the majority of the others on " + percent(one.agreed) + " of "
                            + std::to_string(one.compared) + " units, where chance makes "
                            + percent(one.expected) + " (kappa " + in_hundredths(*kappa) + ")"});
  }
}

void look_at_copying(const quality::named_answers& named, std::vector<concern>& concerns) {
  std::set<std::uint32_t> told; // a contributor's strongest pair says enough
  for (const auto& pair : quality::suspected_copies(named.given, {}))
    for (const auto& [one, other] :
         {std::pair{pair.first, pair.second}, std::pair{pair.second, pair.first}})
      if (told.insert(one).second)
        concerns.push_back({named.contributors[one], monitor::copying,
                            "shares " + std::to_string(pair.shared) + " mistakes with "
                                + named.contributors[other] + " on " + std::to_string(pair.units)
                                + " units that both have answered, where "
                                + in_hundredths(pair.expected) + " are to be expected"});
}

/// What everybody in the step does, from which each one's habits are told.
class habits {
public:
  habits(const std::vector<surveyed_judgment>& judgments, const quality::named_answers& named) {
    // Where answers are no labels all of them count as one, which is a pattern of nobody's: then
    // payloads alone tell something, and the memory for each contributor stays small.
    std::unordered_map<std::string_view, std::uint32_t> labels;
    const bool labelled = named.labels.size() <= surveyed_labels_max;
    for (std::uint32_t label = 0; label < named.labels.size(); ++label)
      labels.emplace(named.labels[label], labelled ? label : 0);
    all_.resize(labelled ? labels.size() : 1, 0);
    for (const auto& one : judgments) {
      const auto label = labels.at(one.answer);
      ++all_[label];
      const auto of = of_.try_emplace(one.contributor, static_cast<std::uint32_t>(all_.size()));
      of.first->second.observe(label, one.payload);
      ++payloads_[one.payload];
      ++count_;
    }
  }

  void look(std::vector<concern>& concerns) const {
    for (const auto& [who, pattern] : of_) {
      const auto flags = quality::flags_of(pattern, others_than(pattern));
      if (pattern.count() < judgments_min || !flags.any())
        continue;
      const auto count = std::to_string(pattern.count());
      std::string why;
      const auto add = [&](bool flagged, const std::string& what) {
        if (flagged)
          why += (why.empty() ? "" : ", ") + what;
      };
      add(flags.constant, "one answer to nearly all");
      add(flags.run, std::to_string(pattern.longest_run()) + " times in a row the same");
      add(flags.alternating, "another answer nearly every time");
      add(flags.identical, "nearly all the same to the byte");
      concerns.push_back({who, monitor::patterns, why + " (of " + count + " judgments)"});
    }
  }

private:
  quality::step_habits others_than(const quality::answer_pattern& one) const {
    const auto others = static_cast<double>(count_ - one.count());
    quality::step_habits result{std::vector<double>(all_.size(), 0), 0};
    if (others <= 0)
      return result;
    for (std::uint32_t label = 0; label < all_.size(); ++label)
      result.label_shares[label] = static_cast<double>(all_[label] - one.of_label(label)) / others;
    const auto commonest = one.commonest_payload();
    result.payload_share =
        static_cast<double>(payloads_.at(commonest.payload) - commonest.times) / others;
    return result;
  }

  std::vector<std::uint64_t> all_; ///< By label.
  std::uint64_t count_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> payloads_;
  std::map<contributor_id, quality::answer_pattern> of_;
};

void look_at_speed(const std::vector<surveyed_judgment>& judgments,
                   std::vector<concern>& concerns) {
  const auto seconds = [](const surveyed_judgment& one) {
    return std::chrono::duration<double>(one.taken).count();
  };
  quality::speed_monitor usual;
  for (const auto& one : judgments)
    usual.observe(seconds(one));
  struct paces {
    std::uint32_t all = 0;
    std::uint32_t fast = 0;
    std::uint32_t slow = 0;
  };
  std::map<contributor_id, paces> of;
  for (const auto& one : judgments) {
    auto& who = of[one.contributor];
    const auto pace = usual.pace_of(seconds(one));
    ++who.all;
    who.fast += pace == quality::pace::too_fast ? 1 : 0;
    who.slow += pace == quality::pace::too_slow ? 1 : 0;
  }
  for (const auto& [contributor, who] : of) {
    const auto most = std::max(who.fast, who.slow);
    if (who.all >= judgments_min && 2 * most >= who.all)
      concerns.push_back({contributor, monitor::speed,
                          std::to_string(most) + " of " + std::to_string(who.all)
                              + " judgments took far " + (who.fast >= who.slow ? "less" : "more")
                              + " time than usual"});
  }
}

} // namespace

step_survey survey(const std::vector<surveyed_judgment>& judgments) {
  step_survey result;
  const auto named = answers_in(judgments);
  result.judgments = judgments.size();
  result.units = named.units.size();
  result.labels = named.labels.size();
  if (result.labels <= surveyed_labels_max) {
    result.krippendorff_alpha = quality::krippendorff_alpha(named.given);
    result.fleiss_kappa = quality::fleiss_kappa(named.given);
    look_at_agreement(named, result.concerns);
    look_at_copying(named, result.concerns);
  }
  habits{judgments, named}.look(result.concerns);
  look_at_speed(judgments, result.concerns);
  std::sort(result.concerns.begin(), result.concerns.end(), [](const auto& a, const auto& b) {
    return std::tie(a.what, a.contributor) < std::tie(b.what, b.contributor);
  });
  return result;
}

std::vector<concern> concerns_to_flag(const std::vector<concern>& found,
                                      const std::vector<step_history::unreadable>& unreadable) {
  std::set<contributor_id> unsure;
  for (const auto& row : unreadable)
    unsure.insert(row.contributor);
  std::vector<concern> kept;
  for (const auto& one : found)
    if (unsure.count(one.contributor) == 0)
      kept.push_back(one);
  return kept;
}

std::uint64_t next_survey_after(std::uint64_t judgments) {
  return judgments + std::max(first_survey, judgments / 4);
}

finished_units sum_of(const finished_by_version& finished) {
  finished_units sum;
  for (const auto& [version, part] : finished) {
    sum.units += part.units;
    sum.judgments += part.judgments;
    sum.unsure += part.unsure;
  }
  return sum;
}

std::int64_t judgments_saved(const finished_by_version& finished,
                             const versioned_workflow& workflow, std::uint32_t position) {
  std::int64_t saved = 0;
  for (const auto& [version, part] : finished)
    if (const auto* step = workflow.find(version, position);
        step != nullptr && step->aggregation.stopping)
      saved += static_cast<std::int64_t>(part.units) * step->aggregation.stopping->max
               - static_cast<std::int64_t>(part.judgments);
  return saved;
}

} // namespace holdfast::core
