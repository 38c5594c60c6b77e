#include "bench/recorded_jobs.hpp"

#include "app/labelled_set_directory.hpp"
#include "core/quality/calibration.hpp"
#include "core/quality/method.hpp"
#include "core/quality/overlap_replay.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::bench {

namespace {

namespace quality = core::quality;

struct recorded_job {
  std::string name;
  documents::labelled_set set;
};

/// Those with known truth.
std::vector<recorded_job> recorded_jobs() {
  std::vector<recorded_job> jobs;
  for (const auto* name : {"sp_amt", "cf_amt", "zencrowd_us", "bluebird"}) {
    auto set = app::read_labelled_set(std::string{HOLDFAST_SOURCE_DIR} + "/data/" + name,
                                      quality::repeats::first_counts, nullptr);
    if (!set)
      throw std::runtime_error{set.error().detail};
    jobs.push_back({name, std::move(*set)});
  }
  return jobs;
}

/// Expected calibration error of what test questions select, on the units that are none of them.
void calibrate(const recorded_job& job, results& out) {
  const auto& given = job.set.named.given;
  const auto& questions = job.set.test_questions;
  const auto what = quality::most_accurate_on(given, questions);
  auto found = quality::aggregate_by(what, given, questions).found;
  const auto fit =
      quality::fit_temperature(quality::aggregate_by(what, given, {}).found, questions);
  const auto name = "quality.calibration." + job.name;
  out.add(name + ".error_before", quality::expected_calibration_error(found, job.set.held_back),
          "");
  const auto after = quality::expected_calibration_error(quality::calibrated(std::move(found), fit),
                                                         job.set.held_back);
  const bool promised = job.name == "sp_amt" || job.name == "cf_amt";
  out.add(name + ".error_after", after, "", promised ? std::optional{at_most(0.10)} : std::nullopt);
}

struct policy {
  std::string name;
  quality::stopping_rule rule;
  bool asks_questions = true;
  std::optional<target> saved{}; ///< On the mean of all jobs, in percent.
  std::optional<target> gain{};  ///< On each, in points.
};

/// What a rule saves against five judgments for each unit, and how much more often it is right than
/// their majority, as the mean of ten orders of the judgments.
void replay_policy(const policy& p, const std::vector<recorded_job>& jobs, results& out) {
  constexpr std::uint32_t fixed_judgments = 5;
  constexpr std::uint64_t orders = 10;
  double saved_by_all = 0;
  for (const auto& job : jobs) {
    const auto& set = job.set;
    const auto& truth = p.asks_questions ? set.held_back : set.truth;
    double saved = 0;
    double gain = 0;
    for (std::uint64_t seed = 1; seed <= orders; ++seed) {
      const auto played = quality::replay(
          set.named.given, p.rule, p.asks_questions ? set.test_questions : quality::known_labels{},
          fixed_judgments, seed);
      saved += 100 * played.saved() / orders;
      gain += 100
              * (quality::accuracy_of(played.found, truth).shared
                 - quality::accuracy_of(played.fixed, truth).shared)
              / orders;
    }
    const auto name = "quality.stopping." + p.name + '.' + job.name;
    out.add(name + ".saved", saved, "%");
    out.add(name + ".gain", gain, "points", p.gain);
    saved_by_all += saved / static_cast<double>(jobs.size());
  }
  out.add("quality.stopping." + p.name + ".mean.saved", saved_by_all, "%", p.saved);
}

} // namespace

void replay_recorded_jobs(results& out) {
  const auto jobs = recorded_jobs();
  for (const auto& job : jobs)
    calibrate(job, out);
  const quality::stopping_rule flexible{2, 5, 0.9, false};
  // Curtailing leaves out what could not change the majority: it must not be right less often.
  replay_policy({"curtailed", {1, 5, std::nullopt, true}, true, std::nullopt, at_least(0)}, jobs,
                out);
  replay_policy({"flexible", flexible, true, at_least(35), at_least(-1)}, jobs, out);
  replay_policy({"flexible_without_test_questions", flexible, false}, jobs, out);
}

} // namespace holdfast::bench
