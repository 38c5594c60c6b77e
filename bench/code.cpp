#include "bench/code.hpp"

#include "core/aggregation.hpp"
#include "core/batching.hpp"
#include "core/queue.hpp"
#include "core/ready_set.hpp"
#include "core/step_index.hpp"
#include "core/unit.hpp"
#include "documents/judgment_document.hpp"

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::bench {

namespace {

const core::instant start{std::chrono::hours{24 * 365 * 55}};

core::unit fresh_unit(core::uuid_source& ids, std::uint32_t slots) {
  core::unit u;
  u.id = {ids.next(start)};
  u.slots = slots;
  return u;
}

void unit_grant_and_submit(benchmark::State& state) {
  core::uuid_source ids{1};
  const core::lease_policy policy;
  auto u = fresh_unit(ids, 1000);
  std::size_t n = 0;
  for (auto _ : state) {
    if (u.judgments.size() >= 20)
      u = fresh_unit(ids, 1000);
    const auto who = "contributor-" + std::to_string(n++ % 1000);
    const auto granted = core::decide(u, policy, core::ask{who, {ids.next(start)}}, start);
    benchmark::DoNotOptimize(core::decide(
        u, policy,
        core::submit{who, granted.answer.token, {ids.next(start)}, R"({"answer":"yes"})", "yes"},
        start));
  }
}
BENCHMARK(unit_grant_and_submit);

void ready_set_take(benchmark::State& state) {
  core::uuid_source ids{1};
  const auto units = static_cast<std::size_t>(state.range(0));
  std::size_t taken = units;
  core::ready_set ready;
  for (auto _ : state) {
    if (taken == units) {
      state.PauseTiming();
      ready = {};
      for (std::size_t i = 0; i < units; ++i)
        ready.add({ids.next(start)}, 1);
      taken = 0;
      state.ResumeTiming();
    }
    benchmark::DoNotOptimize(ready.take("ana", start));
    ++taken;
  }
}
BENCHMARK(ready_set_take)->Arg(1000)->Arg(100000);

void majority_of(benchmark::State& state) {
  std::vector<std::string> answers;
  for (int i = 0; i < state.range(0); ++i)
    answers.push_back(std::to_string(i % 5));
  for (auto _ : state)
    benchmark::DoNotOptimize(core::majority(answers));
}
BENCHMARK(majority_of)->Arg(5)->Arg(20);

/// Tasks of many keys wait for a worker that knows them, and so many wait who do not.
void queue_serves_others(benchmark::State& state) {
  core::uuid_source ids{1};
  core::queue q;
  for (int i = 0; i < state.range(0); ++i) {
    core::task t;
    t.spec.id = {ids.next(start)};
    t.spec.type = "crop";
    t.spec.key = "key-" + std::to_string(i);
    t.progress.next_action = start;
    enter(q, std::move(t));
  }
  std::vector<core::claim> waiting;
  for (int i = 0; i < state.range(1); ++i)
    waiting.push_back({"w" + std::to_string(i), {ids.next(start)}, 1, {"mail", "sign"}});
  for (auto _ : state) {
    core::missed_claims missed;
    for (const auto& claim : waiting)
      if (!missed.covers(q, claim) && decide(q, claim, start).answer.empty())
        missed.add(q, claim);
    benchmark::DoNotOptimize(next_wake(q, start));
  }
}
BENCHMARK(queue_serves_others)->Args({1000, 100})->Args({10000, 1000});

void judgment_check(benchmark::State& state) {
  core::step_definition step;
  step.judgment_schema = R"({"type":"object","required":["answer"],
    "properties":{"answer":{"enum":["yes","no"]},"seconds":{"type":"number"},
                  "note":{"type":"string"}}})";
  const documents::judgment_checker checker{step, {}};
  for (auto _ : state)
    benchmark::DoNotOptimize(
        checker.answer_of(R"({"answer":"yes","seconds":12,"note":"clear enough"})"));
}
BENCHMARK(judgment_check);

/// A hundred thousand steps, each with five of two thousand skills, and somebody who has those of
/// a dozen of them: as many as a profile has room for.
struct steps_and_seeker {
  steps_and_seeker() {
    core::uuid_source ids{1};
    std::mt19937_64 random{1};
    for (std::size_t i = 0; i < 100'000; ++i) {
      core::step_listing listing;
      listing.step = {ids.next(start)};
      while (listing.asks.skills.size() < 5)
        listing.asks.skills.push_back("skill-" + std::to_string(random() % 2000));
      index.put(listing);
      all.push_back(std::move(listing));
    }
    for (std::size_t i = 0; i < 12; ++i) {
      const auto& skills = all[i * 8000].asks.skills;
      profile.skills.insert(profile.skills.end(), skills.begin(), skills.end());
    }
  }

  core::step_index index;
  std::vector<core::step_listing> all; ///< In order of rank.
  core::contributor_profile profile;
};

const steps_and_seeker& searched() {
  static const steps_and_seeker made;
  return made;
}

void step_index_find_20(benchmark::State& state) {
  const auto& in = searched();
  for (auto _ : state)
    benchmark::DoNotOptimize(in.index.find(in.profile, 0, {}, 20));
}
BENCHMARK(step_index_find_20);

/// What the index is there to save.
void step_scan_find_20(benchmark::State& state) {
  const auto& in = searched();
  for (auto _ : state) {
    std::vector<core::step_listing> found;
    for (const auto& listing : in.all)
      if (found.size() < 20 && core::meets(listing.asks, in.profile, 0))
        found.push_back(listing);
    benchmark::DoNotOptimize(found);
  }
}
BENCHMARK(step_scan_find_20);

/// Adds each finished benchmark to the other figures.
class collector : public benchmark::BenchmarkReporter {
public:
  explicit collector(results& out) : out_(out) {}

  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs)
      out_.add("code." + run.benchmark_name(), run.GetAdjustedCPUTime(),
               benchmark::GetTimeUnitString(run.time_unit));
  }

private:
  results& out_;
};

} // namespace

void measure_code(results& out) {
  char program[] = "holdfast_bench";
  char* arguments[] = {program, nullptr};
  int count = 1;
  benchmark::Initialize(&count, arguments);
  collector reporter{out};
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
}

} // namespace holdfast::bench
