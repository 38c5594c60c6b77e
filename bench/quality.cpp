#include "bench/quality.hpp"

#include "bench/recorded_jobs.hpp"
#include "core/quality/dawid_skene.hpp"
#include "core/quality/incremental.hpp"
#include "core/quality/one_coin.hpp"
#include "core/quality/refit.hpp"
#include "core/quality/seeded.hpp"

#include <chrono>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::bench {

namespace {

namespace quality = core::quality;
using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point began) {
  return std::chrono::duration<double>(clock::now() - began).count();
}

struct made_up_job {
  std::size_t units = 0;
  std::uint32_t judgments_per_unit = 0;
  std::uint32_t contributors = 0;
  std::uint32_t labels = 0;
};

/// Contributors who are right between 50 and 95 times in 100, and else say anything.
quality::answers make(const made_up_job& job) {
  quality::seeded_source random{1};
  std::vector<std::uint32_t> skill(job.contributors);
  for (auto& one : skill)
    one = 50 + static_cast<std::uint32_t>(random.below(46));
  quality::answers given;
  given.labels = job.labels;
  given.contributors = job.contributors;
  given.votes.reserve(job.units * job.judgments_per_unit);
  for (std::size_t unit = 0; unit < job.units; ++unit) {
    const auto truth = static_cast<std::uint32_t>(random.below(job.labels));
    const auto first = static_cast<std::uint32_t>(random.below(job.contributors));
    for (std::uint32_t i = 0; i < job.judgments_per_unit; ++i) {
      const auto who = (first + i * 7919) % job.contributors; // a prime: nobody twice
      const auto knows = random.below(100) < skill[who];
      const auto label = knows ? truth : static_cast<std::uint32_t>(random.below(job.labels));
      given.votes.push_back({who, label});
    }
    given.begins.push_back(given.votes.size());
  }
  return given;
}

/// What crowd-kit 1.4, the usual library, takes for an iteration of Dawid-Skene over as many
/// answers with as many labels. Measured once, elsewhere: the ratio tells the order of magnitude.
constexpr double crowd_kit_millis = 31;

void small_job(results& out) {
  const auto given = make({400, 20, 100, 2});
  quality::em_options thousand;
  thousand.iterations_max = 1000;
  thousand.rise_min = -1e9; // all of them
  const auto per_iteration = [&](const char* name, const auto& fit) {
    const auto began = clock::now();
    const auto iterations = static_cast<double>(fit().iterations());
    out.add(std::string{"quality."} + name + ".8000_answers_2_labels.iteration",
            seconds_since(began) * 1e3 / iterations, "ms");
  };
  per_iteration("dawid_skene",
                [&] { return quality::dawid_skene(given, quality::prior::diagonal, thousand); });
  per_iteration("one_coin", [&] { return quality::one_coin(given, thousand); });
  out.add("quality.dawid_skene.8000_answers_2_labels.ratio_vs_crowd_kit",
          crowd_kit_millis / out.value("quality.dawid_skene.8000_answers_2_labels.iteration"), "x",
          at_least(100));
}

void large_job(results& out) {
  for (const std::uint32_t contributors : {1000U, 10000U}) {
    const auto given = make({1'000'000, 10, contributors, 4});
    const auto began = clock::now();
    const auto fit = quality::dawid_skene(given, quality::prior::diagonal, {});
    const auto seconds = seconds_since(began);
    const auto name = "quality.dawid_skene.10m_answers_4_labels_" + std::to_string(contributors)
                      + "_contributors";
    out.add(name, seconds, "s", at_most(10));
    out.add(name + ".iterations", static_cast<double>(fit.iterations()), "");
    out.add(name + ".iteration", seconds * 1e3 / static_cast<double>(fit.iterations()), "ms");
  }
}

void live_step(results& out) {
  for (const std::uint32_t labels : {2U, 10U}) {
    const auto given = make({20000, 20, 1000, labels});
    quality::incremental live{labels};
    std::vector<double> last_micros; // of the twentieth judgment of each unit
    const auto began = clock::now();
    for (std::size_t unit = 0; unit < given.units(); ++unit)
      for (const auto& one : given.of(unit)) {
        const auto before = clock::now();
        live.add(unit, one);
        if (&one == given.of(unit).end() - 1)
          last_micros.push_back(seconds_since(before) * 1e6);
      }
    const auto name = "quality.incremental.20_judgments_" + std::to_string(labels) + "_labels";
    const auto seconds = seconds_since(began);
    const auto last_seconds = std::accumulate(last_micros.begin(), last_micros.end(), 0.0) / 1e6;
    out.add(name + ".judgments", static_cast<double>(given.votes.size()) / seconds, "1/s",
            at_least(100'000));
    out.add(name + ".last", static_cast<double>(last_micros.size()) / last_seconds, "1/s",
            at_least(100'000));
    out.add(name + ".last_p50", quantile(last_micros, 0.5), "us");
    out.add(name + ".last_p99", quantile(last_micros, 0.99), "us", at_most(100));
  }
}

/// 100,000 judgments of a live step, a tenth of its units test questions: what its own thread does
/// for a refit, and what the other one does.
void refit_of_live_step(results& out) {
  const auto given = make({20000, 5, 1000, 5});
  quality::incremental live{given.labels};
  for (std::size_t unit = 0; unit < given.units(); ++unit)
    for (const auto& one : given.of(unit))
      live.add(unit, one);
  for (std::size_t unit = 0; unit < given.units(); unit += 10)
    live.hold(unit, given.of(unit).begin()->label);
  auto began = clock::now();
  const quality::refit_input input{live.recorded(), live.held(), std::nullopt};
  const std::string name = "quality.refit.100000_judgments_5_labels";
  out.add(name + ".begin", seconds_since(began) * 1e3, "ms");
  began = clock::now();
  const auto refitted = quality::refit_of(input);
  out.add(name, seconds_since(began), "s");
  began = clock::now();
  live.adopt(refitted.found);
  out.add(name + ".adopt", seconds_since(began) * 1e3, "ms");
}

} // namespace

void measure_quality(results& out) {
  small_job(out);
  large_job(out);
  live_step(out);
  refit_of_live_step(out);
  replay_recorded_jobs(out);
}

} // namespace holdfast::bench
