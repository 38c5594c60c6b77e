#include "bench/soak/scorecard.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace holdfast::soak {

namespace {

using bench::at_least;
using bench::at_most;
using bench::figure;
using bench::target;
using nlohmann::json;

std::string words_joined(std::string_view name, char between) {
  std::string joined{name};
  std::replace(joined.begin(), joined.end(), ' ', between);
  return joined;
}

/// Collects the figures of one run.
class card {
public:
  card(const json& verdict, double lease_seconds)
      : verdict_(verdict), lease_(lease_seconds), of_run_(verdict.at("figures")) {}

  /// Those of a kind of fault.
  void add(fault_kind kind) {
    const auto found = of_run_.at("faults").find(std::string{name_of(kind)});
    if (found == of_run_.at("faults").end())
      return;
    of_fault_ = &*found;
    name_ = words_joined(name_of(kind), '_');
    add_rows(kind);
  }

  /// What holds for every run: its violations, and what never happened in it (row 55).
  void add_whole(const std::string& name) {
    name_ = name;
    count("55", "violations", verdict_.at("violations").size());
    count("55", "void_reasons", verdict_.at("void_reasons").size());
  }

  std::vector<figure> take() { return std::move(all_); }

private:
  void put(const std::string& row, const std::string& what, double value, const std::string& unit,
           std::optional<target> goal = {}) {
    all_.push_back({"scorecard." + row + '.' + name_ + '.' + what, value, unit,
                    verdict_.at("command").get<std::string>(), goal});
  }

  /// Of something that must not be.
  void count(const std::string& row, const std::string& what, double times) {
    put(row, what, times, "", at_most(0));
  }

  void of_run(const std::string& row, const std::string& what) {
    count(row, what, of_run_.at(what).get<double>());
  }
  void of_fault(const std::string& row, const std::string& what) {
    count(row, what, of_fault_->at(what).get<double>());
  }
  void struck(const std::string& row) {
    put(row, "struck", of_fault_->at("struck").get<double>(), "");
  }

  /// What nodes wrote of shards that were no longer theirs. Nothing is proved where they tried not.
  void writes_refused(const std::string& row) {
    put(row, "stale_writes_refused", of_run_.at("stale_writes_refused").get<double>(), "",
        at_least(1));
  }

  /// A share of a distribution, if there is one.
  void spread(const std::string& row, const json& in, const std::string& what,
              const std::string& share, double bound, const std::string& unit = "s") {
    if (const auto found = in.find(what); found != in.end() && found->at("n") > 0)
      put(row, what + '_' + share, found->at(share).get<double>(), unit, at_most(bound));
  }

  void add_rows(fault_kind kind);
  void add_rows_of_commits(fault_kind kind);
  void add_rows_of_losses(fault_kind kind);

  const json& verdict_;
  double lease_;
  const json& of_run_;
  const json* of_fault_ = nullptr;
  std::string name_;
  std::vector<figure> all_;
};

void card::add_rows(fault_kind kind) {
  switch (kind) {
  case fault_kind::kill:
    struck("06");
    of_run("06", "lost");
    of_run("06", "doubled");
    spread("07", *of_fault_, "takeover_s", "p50", 0.6 * lease_);
    spread("07", *of_fault_, "takeover_s", "p99", lease_ + 1);
    spread("07", *of_fault_, "takeover_s", "max", lease_ + 2);
    break;
  case fault_kind::freeze:
    struck("08");
    of_run("08", "stale_accepted");
    put("08", "stale_attempted", of_run_.at("stale_attempted").get<double>(), "", at_least(1));
    writes_refused("08");
    spread("08", *of_fault_, "takeover_s", "p99", lease_ + 1);
    break;
  case fault_kind::blink:
    struck("09");
    of_fault("09", "violations"); // shards that moved
    break;
  case fault_kind::drain:
  case fault_kind::rolling_restart:
    struck("10");
    of_fault("10", "requests_failed");
    spread("10", *of_fault_, "without_host_s", "p99", 1);
    spread("10", *of_fault_, "exit_s", "max", 20);
    break;
  case fault_kind::clock_jump:
    struck("11");
    of_fault("11", "violations");
    of_run("11", "doubled");
    break;
  case fault_kind::database_clock:
  case fault_kind::worker_clock:
    struck("11");
    of_run("11", "lost");
    of_run("11", "doubled");
    of_run("11", "stale_accepted");
    of_fault("11", "violations");
    break;
  case fault_kind::server_crash:
    struck("13");
    of_run("13", "lost");
    spread("14", *of_fault_, "first_commit_after_s", "p99", 2);
    spread("14", *of_fault_, "recovery_s", "p99", 5);
    of_fault("14", "not_recovered");
    break;
  case fault_kind::outage:
    struck("36");
    of_run("36", "lost");
    spread("36", *of_fault_, "sessions_in_a_second", "max", 50, "");
    spread("36", *of_fault_, "recovery_of_95_percent_s", "max", 10);
    of_fault("36", "not_recovered");
    of_fault("36", "relapses");
    break;
  case fault_kind::commit_cut:
  case fault_kind::commit_hang:
    add_rows_of_commits(kind);
    break;
  case fault_kind::failover:
    struck("18");
    of_run("18", "lost");
    spread("18", *of_fault_, "longest_silence_s", "p99", 15);
    break;
  case fault_kind::lossy_failover:
  case fault_kind::older_copy:
  case fault_kind::standby_away:
    add_rows_of_losses(kind);
    break;
  case fault_kind::disk_full:
    struck("20");
    of_run("20", "lost");
    spread("20", *of_fault_, "recovery_s", "max", 10);
    of_fault("20", "not_recovered");
    spread("20", *of_fault_, "sessions_a_second_of_a_node", "max", 5, "1/s");
    break;
  case fault_kind::partition:
  case fault_kind::partial_partition:
  case fault_kind::one_way_partition:
    struck("22");
    of_fault("22", "violations");
    count("22", "never_finished", of_run_.at("quiet_after_s").is_null() ? 1 : 0);
    break;
  case fault_kind::database_partition:
    struck("23");
    of_run("23", "stale_accepted");
    writes_refused("23");
    spread("23", *of_fault_, "takeover_s", "p99", lease_ + 1);
    break;
  case fault_kind::far_line:
    struck("24");
    of_fault("24", "violations");
    if (const auto share = of_fault_->find("throughput_share"); share != of_fault_->end())
      put("24", "throughput_share", share->get<double>(), "", at_least(0.6));
    break;
  case fault_kind::slots_exhausted:
  case fault_kind::backends_ended:
  case fault_kind::held_snapshot:
  case fault_kind::hard_stop:
    struck(words_joined(name_of(kind), '_'));
    of_run(words_joined(name_of(kind), '_'), "lost");
    of_run(words_joined(name_of(kind), '_'), "doubled");
    of_fault(words_joined(name_of(kind), '_'), "violations");
    break;
  case fault_kind::swizzle:
    struck("25");
    of_fault("25", "violations");
    spread("25", *of_fault_, "moves_per_flap", "max", 2, "");
    break;
  case fault_kind::compound:
    struck("26");
    of_fault("26", "violations");
    break;
  case fault_kind::join_and_leave:
    struck("joining");
    of_fault("joining", "violations");
    of_fault("joining", "requests_failed");
    break;
  default:
    break; // no row asks for it alone
  }
}

/// Nothing is lost but what the database itself has lost, and that has to be something.
void card::add_rows_of_losses(fault_kind kind) {
  const auto row = words_joined(name_of(kind), '_');
  struck(row);
  of_run(row, "lost");
  of_run(row, "doubled");
  of_run(row, "stale_accepted");
  of_fault(row, "violations");
  if (kind == fault_kind::standby_away) {
    of_run(row, "excused");
    return;
  }
  put(row, "excused", of_run_.at("excused").get<double>(), "", at_least(1));
  spread(row, *of_fault_, "generation_s", "max", lease_ + 1);
}

void card::add_rows_of_commits(fault_kind kind) {
  const auto& commits = of_fault_->at("commits");
  if (kind == fault_kind::commit_hang) {
    put("16", "silenced", commits.at("silenced").get<double>(), "");
    count("16", "unresolved", commits.at("unresolved").get<double>());
    spread("16", commits, "stall_s", "p99", 6);
    return;
  }
  put("15", "cut_before", commits.at("cut_before").get<double>(), "");
  put("15", "cut_after", commits.at("cut_after").get<double>(), "");
  put("15", "found_absent", commits.at("found_absent").get<double>(), "");
  put("15", "found_there", commits.at("found_there").get<double>(), "");
  count("15", "unresolved", commits.at("unresolved").get<double>());
  of_run("15", "lost");
  of_run("15", "doubled");
}

} // namespace

std::vector<scorecard_run> scorecard_runs() {
  using kind = fault_kind;
  std::vector<scorecard_run> runs;
  const auto alone = [&](kind one) { runs.push_back({words_joined(name_of(one), '-'), {one}}); };
  alone(kind::kill);
  alone(kind::freeze);
  runs.push_back({"short-pauses", {kind::blink, kind::hesitation}});
  runs.push_back({"drains", {kind::drain, kind::rolling_restart}});
  alone(kind::join_and_leave);
  alone(kind::clock_jump);
  runs.push_back({"other-clocks", {kind::database_clock, kind::worker_clock}});
  runs.push_back({"server-crash", {kind::server_crash, kind::database_cut}});
  runs.push_back({"sessions", {kind::backends_ended, kind::slots_exhausted, kind::held_snapshot}});
  alone(kind::hard_stop);
  alone(kind::outage);
  alone(kind::commit_cut);
  alone(kind::commit_hang);
  alone(kind::failover);
  runs.push_back({"lost-commits", {kind::lossy_failover, kind::older_copy}});
  alone(kind::standby_away);
  alone(kind::disk_full);
  runs.push_back(
      {"partitions", {kind::partition, kind::partial_partition, kind::one_way_partition}});
  alone(kind::database_partition);
  runs.push_back({"bad-lines", {kind::bad_line, kind::far_line}});
  alone(kind::swizzle);
  alone(kind::compound);
  return runs;
}

std::vector<figure> scorecard_figures(const scorecard_run& run, const std::string& verdict,
                                      double lease_seconds) {
  const auto parsed = json::parse(verdict);
  card all{parsed, lease_seconds};
  for (const auto kind : run.kinds)
    all.add(kind);
  all.add_whole(run.name);
  return all.take();
}

} // namespace holdfast::soak
