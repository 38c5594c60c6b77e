// The seeded simulator: whole nodes, their clients and their faults in one process on virtual time.
// One seed is one run, the same at every repetition.

#include "tests/sim/plants.hpp"
#include "tests/sim/world.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <stdexcept>

namespace holdfast::sim {

namespace {

constexpr std::size_t trace_lines = 120;

/// Of the column with the names of bugs.
constexpr int bug_width = 24;

/// Runs below which a fault that never struck means nothing.
constexpr std::uint64_t sometimes_seeds_min = 500;

/// Seeds in a row that may have nothing to do with a bug.
constexpr std::uint64_t seeds_without_work_max = 1'000;

constexpr auto usage = R"(Usage: holdfast_sim [options]

  --seed N         run one seed
  --seeds A..B     run the seeds from A to B (default 1..100)
  --steps M        messages of the safety phase of each run (default 2500)
  --repeat         run each seed twice and compare their traces
  --verbose        print the trace as it comes
  --plant NAME     put a bug in; `--plant list` prints their names
  --planted N      put in each bug in turn and require that one of the first N seeds finds it in
                   whose plan it can show
  --help           print this
)";

struct arguments {
  std::uint64_t first = 1;
  std::uint64_t last = 100;
  std::uint64_t planted_seeds = 0;
  bool repeat = false;
  run_options run;
};

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end)
    throw std::invalid_argument("not a number: '" + std::string{text} + "'");
  return value;
}

arguments parse(const std::vector<std::string>& words) {
  arguments a;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    const auto value = [&]() -> const std::string& {
      if (++i == words.size())
        throw std::invalid_argument(word + " needs a value");
      return words[i];
    };
    if (word == "--seed") {
      a.first = a.last = number(value());
    } else if (word == "--seeds") {
      const auto& range = value();
      const auto dots = range.find("..");
      if (dots == std::string::npos)
        throw std::invalid_argument("--seeds takes A..B");
      a.first = number(std::string_view{range}.substr(0, dots));
      a.last = number(std::string_view{range}.substr(dots + 2));
    } else if (word == "--steps") {
      a.run.steps = number(value());
    } else if (word == "--repeat") {
      a.repeat = true;
    } else if (word == "--verbose") {
      a.run.echo = true;
    } else if (word == "--plant") {
      a.run.plant = value();
    } else if (word == "--planted") {
      a.planted_seeds = number(value());
    } else {
      throw std::invalid_argument("unknown option '" + word + "'");
    }
  }
  return a;
}

/// Prints what was found, from the same run once more with its trace.
void print_violation(const run_options& options, const violation& found) {
  auto traced = options;
  traced.trace_lines = trace_lines;
  traced.echo = false;
  const auto again = run_seed(traced);
  std::cout << describe(draw_plan(options.seed)) << "the last of the trace:\n";
  for (const auto& line : again.trace)
    std::cout << "  " << line << '\n';
  std::cout << "VIOLATION of " << found.invariant << " with seed " << options.seed << " at message "
            << found.step << ": " << found.what << '\n';
  if (!again.found || again.found->step != found.step)
    std::cout << "The run did NOT repeat: something in it is not deterministic.\n";
  std::cout << "replay: holdfast_sim --seed " << options.seed << " --steps " << options.steps
            << (options.plant.empty() ? "" : " --plant ") << options.plant << " --verbose\n";
}

struct totals {
  std::uint64_t seeds = 0;
  std::uint64_t messages = 0;
  std::uint64_t commits = 0;
  std::uint64_t judgments = 0;
  std::uint64_t longest = 0;
  core::duration virtual_time{};
  tally seen;
  task_tally tasks;

  void add(const run_report& r) {
    ++seeds;
    messages += r.messages;
    commits += r.commits;
    judgments += r.judgments;
    longest = std::max(longest, r.messages);
    virtual_time += r.virtual_time;
    seen.add(r.seen);
    tasks.add(r.tasks);
  }
};

bool is_fault(event_kind kind) {
  return kind != event_kind::doubt_resolved && kind != event_kind::generation_begun
         && kind != event_kind::batch_fenced && kind != event_kind::stale_write_refused
         && kind != event_kind::workflow_updated && kind != event_kind::lacked
         && kind != event_kind::steps_searched && kind != event_kind::gathered
         && kind != event_kind::list_gathered && kind != event_kind::batch_taken_apart
         && kind != event_kind::reissued && kind != event_kind::child_canceled
         && kind != event_kind::child_taken && kind != event_kind::child_withdrawn
         && kind != event_kind::child_made_anew;
}

std::uint64_t faults_of(const tally& seen) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < seen.counts.size(); ++i)
    if (is_fault(static_cast<event_kind>(i)))
      sum += seen.counts[i];
  return sum;
}

void print(const totals& t, double wall_seconds) {
  std::cout << std::fixed << std::setprecision(1) << t.seeds << " seeds in " << wall_seconds
            << " s (" << static_cast<double>(t.seeds) / wall_seconds << " a second), "
            << std::chrono::duration<double, std::ratio<3600>>(t.virtual_time).count()
            << " virtual hours, " << t.messages << " messages (longest run " << t.longest << "), "
            << t.commits << " commits, " << t.judgments << " judgments acknowledged, "
            << faults_of(t.seen) << " faults:";
  for (std::size_t i = 0; i < t.seen.counts.size(); ++i)
    std::cout << (i == 0 ? " " : ", ") << event_names[i] << ' ' << t.seen.counts[i];
  std::cout << "; tasks:";
  for (std::size_t i = 0; i < t.tasks.counts.size(); ++i)
    std::cout << (i == 0 ? " " : ", ") << task_event_names[i] << ' ' << t.tasks.counts[i];
  std::cout << '\n';
}

/// A long series in which something never happened has not tested it.
bool everything_happened(const totals& t) {
  if (t.seeds < sometimes_seeds_min)
    return true;
  bool all = true;
  const auto require = [&](std::uint64_t count, std::string_view name) {
    if (count != 0)
      return;
    std::cout << "VOID: in " << t.seeds << " seeds this never happened: " << name << '\n';
    all = false;
  };
  for (std::size_t i = 0; i < t.seen.counts.size(); ++i)
    require(t.seen.counts[i], event_names[i]);
  for (std::size_t i = 0; i < t.tasks.counts.size(); ++i)
    require(t.tasks.counts[i], task_event_names[i]);
  return all;
}

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int run_series(const arguments& a) {
  const auto begin = std::chrono::steady_clock::now();
  std::cout << "seeds " << a.first << ".." << a.last << ", " << a.run.steps
            << " messages of safety phase" << (a.run.plant.empty() ? "" : ", planted bug ")
            << a.run.plant << std::endl;
  totals sum;
  for (auto seed = a.first; seed <= a.last; ++seed) {
    auto options = a.run;
    options.seed = seed;
    const auto report = run_seed(options);
    if (report.found) {
      print_violation(options, *report.found);
      return 1;
    }
    if (a.repeat) {
      const auto again = run_seed(options);
      std::cout << "seed " << seed << " trace " << std::hex << report.hash << std::dec << '\n';
      if (again.hash != report.hash) {
        std::cout << "NOT DETERMINISTIC: seed " << seed << " has another trace the second time\n";
        return 1;
      }
    }
    sum.add(report);
  }
  print(sum, since(begin));
  return everything_happened(sum) ? 0 : 1;
}

/// The first of this seed and the next in whose plan the bug can show.
std::uint64_t seed_for(const plant& bug, std::uint64_t seed) {
  const auto last = seed + seeds_without_work_max;
  while (!bug.may_show(draw_plan(seed)))
    if (++seed > last)
      throw std::logic_error("no plan has what " + std::string{bug.name} + " needs");
  return seed;
}

/// Each planted bug must be found by one of the first seeds.
int run_planted(const arguments& a) {
  int missed = 0;
  for (const auto& bug : plants()) {
    const auto begin = std::chrono::steady_clock::now();
    auto options = a.run;
    options.plant = bug.name;
    std::optional<violation> found;
    options.seed = seed_for(bug, a.first);
    for (auto left = a.planted_seeds; left > 0; --left) {
      found = run_seed(options).found;
      if (found)
        break;
      options.seed = seed_for(bug, options.seed + 1);
    }
    std::cout << std::left << std::setw(bug_width) << bug.name << ' ';
    if (found) {
      const auto text = found->what.substr(0, found->what.find('\n'));
      std::cout << "caught at seed " << options.seed << " by " << found->invariant << ": " << text;
    } else {
      std::cout << "NOT CAUGHT by " << a.planted_seeds << " seeds: " << bug.bug;
      ++missed;
    }
    std::cout << std::fixed << std::setprecision(1) << " (" << since(begin) << " s)" << std::endl;
  }
  return missed == 0 ? 0 : 1;
}

int main_with(const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), "--help") != words.end()) {
    std::cout << usage;
    return 0;
  }
  try {
    const auto a = parse(words);
    if (a.run.plant == "list") {
      for (const auto& bug : plants())
        std::cout << std::left << std::setw(bug_width) << bug.name << ' ' << bug.bug << '\n';
      return 0;
    }
    return a.planted_seeds > 0 ? run_planted(a) : run_series(a);
  } catch (const std::invalid_argument& why) {
    std::cerr << "holdfast_sim: " << why.what() << '\n' << usage;
    return 2;
  }
}

} // namespace

} // namespace holdfast::sim

int main(int argc, char** argv) { return holdfast::sim::main_with({argv + 1, argv + argc}); }
