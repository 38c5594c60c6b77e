#include "bench/soak/goals.hpp"

#include "bench/soak/figures.hpp"
#include "bench/soak/trends.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>

namespace holdfast::soak {

namespace {

/// Of a process that is gone, which its neighbours see at once, and of one that hands over.
constexpr double takeover_max = 1;
/// Beyond the lease of a process that is merely silent: to look, and to commit.
constexpr double takeover_over_lease_max = 1;
constexpr double exit_max = 20;
constexpr double quiet_max = 120;
/// From a commit whose answer does not come until it is known what became of it.
constexpr double stall_max = 6;
/// Of a shard, for each node that was cut off: away from it, and back.
constexpr double moves_per_flap_max = 2;
/// Of what is committed when nothing is wrong, with a node that is far away.
constexpr double far_share_min = 0.6;
/// Of all nodes together, when a server is back that they have waited for.
constexpr std::uint64_t sessions_at_once_max = 50;
/// A throughput of fewer seconds is chance.
constexpr double far_lines_min = 30;
/// Of the median, an hour.
constexpr double memory_growth_max = 0.05;
/// Of things that are counted, an hour: one may come by chance and stay.
constexpr double count_growth_max = 1;

std::string two_digits(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", number);
  return text;
}

std::string of_kind(fault_kind kind) { return std::string{name_of(kind)}; }

void judge_takeovers(const soak_result& r, fault_kind kind, double most_allowed,
                     std::vector<std::string>& missed) {
  const auto times = takeovers(r, kind);
  if (const auto p99 = quantile(times, 0.99); p99 > most_allowed)
    missed.push_back("takeover after a " + of_kind(kind) + " took " + two_digits(p99)
                     + " s at p99 of " + std::to_string(times.size()) + "; at most "
                     + two_digits(most_allowed) + " s");
}

/// A node that is asked to go gives everything away first: nobody else may notice.
void judge_drains(const soak_result& r, std::vector<std::string>& missed) {
  for (std::size_t number = 0; number < r.faults.size(); ++number) {
    const auto& fault = r.faults[number];
    const auto kind = fault.planned.kind;
    if (kind != fault_kind::drain && kind != fault_kind::rolling_restart
        && kind != fault_kind::join_and_leave)
      continue;
    const auto who =
        "a " + of_kind(kind) + " at " + two_digits(seconds(fault.begun - r.begun)) + " s: ";
    if (const auto failed = failed_during(r, number); failed > 0)
      missed.push_back(who + std::to_string(failed) + " requests failed");
    for (const auto took : fault.exit_seconds)
      if (took > exit_max)
        missed.push_back(who + "a process took " + two_digits(took) + " s to end; at most "
                         + two_digits(exit_max) + " s");
    if (fault.takeover_seconds && fault.bit && fault.exit_seconds.size() == 1
        && *fault.takeover_seconds > fault.exit_seconds.front() + takeover_max)
      missed.push_back(who + "its shards had no host "
                       + two_digits(*fault.takeover_seconds - fault.exit_seconds.front())
                       + " s after its end; at most " + two_digits(takeover_max) + " s");
  }
}

/// Commits that are interrupted, nodes that come and go, and those that are far away.
void judge_disturbed(const soak_result& r, std::vector<std::string>& missed) {
  for (const auto kind : {fault_kind::commit_cut, fault_kind::commit_hang}) {
    const auto met = interrupted_by(r, kind);
    if (const auto p99 = quantile(met.stall_seconds, 0.99); p99 > stall_max)
      missed.push_back("a " + of_kind(kind) + " held a node up for " + two_digits(p99)
                       + " s at p99 of " + std::to_string(met.stall_seconds.size()) + "; at most "
                       + two_digits(stall_max) + " s");
  }
  if (const auto most = quantile(moves_per_flap(r, fault_kind::swizzle), 1);
      most > moves_per_flap_max)
    missed.push_back("in a swizzle a shard moved " + two_digits(most)
                     + " times for each node that was cut off; at most "
                     + two_digits(moves_per_flap_max));
  double far = 0;
  for (const auto& fault : r.faults)
    if (fault.planned.kind == fault_kind::far_line)
      far += seconds(fault.ended - fault.begun);
  if (far < far_lines_min)
    return;
  const auto share = throughput_share(r, change_times(r), fault_kind::far_line);
  if (share && *share < far_share_min)
    missed.push_back("with a far line " + two_digits(100 * *share)
                     + " % of the usual was committed; at least " + two_digits(100 * far_share_min)
                     + " %");
}

/// Who has waited for the server must not overrun it when it is back.
void judge_outages(const soak_result& r, std::vector<std::string>& missed) {
  const auto by_second = commits_by_second(r, commit_times(r));
  for (std::size_t number = 0; number < r.faults.size(); ++number) {
    const auto& fault = r.faults[number];
    if (fault.planned.kind != fault_kind::outage)
      continue;
    const auto who = "an outage at " + two_digits(seconds(fault.begun - r.begun)) + " s: ";
    if (const auto most = sessions_at_once(r, number); most > sessions_at_once_max)
      missed.push_back(who + "nodes began " + std::to_string(most)
                       + " sessions within a second; at most "
                       + std::to_string(sessions_at_once_max));
    if (const auto again = relapses(r, by_second, number); again > 0)
      missed.push_back(who + std::to_string(again)
                       + " seconds after it had recovered with less than half of the usual");
  }
}

void judge_verify(const soak_result& r, std::vector<std::string>& missed) {
  if (r.verify_rounds.empty())
    return; // the run is void
  const auto& last = r.verify_rounds.back();
  if (last.failure != core::errc::none && !is_expected(r, last))
    missed.push_back("the last verify failed: " + std::string{core::to_string(last.failure)} + ' '
                     + last.detail);
  const auto strange =
      std::count_if(r.verify_rounds.begin(), r.verify_rounds.end() - 1, [&](const auto& round) {
        return round.failure == core::errc::wrong_state && !is_expected(r, round);
      });
  if (strange > 0)
    missed.push_back("verify did not know the schema " + std::to_string(strange) + " times");
}

/// Of a short run it says nothing: a process is warm after minutes only.
void judge_growth(const soak_result& r, std::vector<std::string>& missed) {
  if (r.plan.request.load_time < long_run)
    return;
  if (const auto memory = worst_trend(r, resource::memory);
      memory && memory->at_least_per_hour > memory_growth_max * memory->median)
    missed.push_back("a node's memory grows by "
                     + two_digits(100 * memory->per_hour / memory->median) + " % an hour; at most "
                     + two_digits(100 * memory_growth_max) + " %");
  const auto judge = [&](resource what, const char* name) {
    if (const auto grows = worst_trend(r, what);
        grows && grows->at_least_per_hour > count_growth_max)
      missed.push_back("a node has " + two_digits(grows->per_hour) + " more " + name
                       + " each hour; at most " + two_digits(count_growth_max));
  };
  judge(resource::files, "open files");
  judge(resource::threads, "threads");
  judge(resource::actors, "actors");
}

bool any_bit(const soak_result& r, std::initializer_list<fault_kind> kinds) {
  return std::any_of(r.faults.begin(), r.faults.end(), [&](const struck_fault& fault) {
    return fault.bit && std::count(kinds.begin(), kinds.end(), fault.planned.kind) != 0;
  });
}

} // namespace

std::vector<std::string> missed_goals(const soak_result& r) {
  std::vector<std::string> missed;
  const auto lease = seconds(r.plan.request.lease_time);
  judge_takeovers(r, fault_kind::kill, takeover_max, missed);
  judge_takeovers(r, fault_kind::freeze, lease + takeover_over_lease_max, missed);
  judge_takeovers(r, fault_kind::database_partition, lease + takeover_over_lease_max, missed);
  judge_drains(r, missed);
  judge_disturbed(r, missed);
  judge_outages(r, missed);
  judge_verify(r, missed);
  judge_growth(r, missed);
  if (!r.quiet_after)
    missed.emplace_back("not all work was finished after everything had been healed");
  else if (*r.quiet_after > quiet_max)
    missed.push_back("all work was finished " + two_digits(*r.quiet_after)
                     + " s after everything had been healed; at most " + two_digits(quiet_max)
                     + " s");
  return missed;
}

std::vector<sometimes> sometimes_of(const soak_result& r) {
  using kind = fault_kind;
  std::uint64_t takeovers_seen = 0;
  for (const auto of : {kind::kill, kind::freeze, kind::drain, kind::database_partition})
    takeovers_seen += takeovers(r, of).size();
  auto interrupted = interrupted_by(r, kind::commit_cut);
  interrupted.found_there += interrupted_by(r, kind::commit_hang).found_there;
  const auto& trouble = r.clients.trouble;
  return {
      {"late results refused", r.check.stale_refused, true},
      {"bad tasks refused beside good ones", trouble.bad_beside_good, true},
      {"tasks that the server refused", trouble.refused_by_server, true},
      {"tasks that a queue had no room for", trouble.no_room, true},
      {"dead letters", trouble.dead_letters, true},
      {"repetitions that were known", trouble.repeated, true},
      {"takeovers", takeovers_seen,
       any_bit(r, {kind::kill, kind::freeze, kind::drain, kind::database_partition})},
      {"shards that a node found lost", r.nodes.shards_lost,
       any_bit(r, {kind::freeze, kind::database_partition})},
      {"commits without an answer", r.nodes.commits_unresolved,
       any_bit(r,
               {kind::database_cut, kind::backends_ended, kind::slots_exhausted, kind::server_crash,
                kind::outage, kind::failover, kind::lossy_failover, kind::older_copy,
                kind::standby_away, kind::disk_full, kind::commit_cut, kind::commit_hang})},
      {"acknowledgements of commits that the database lost", r.check.excused,
       any_bit(r, {kind::lossy_failover, kind::older_copy})},
      {"commits in doubt that were not there", interrupted.found_absent,
       any_bit(r, {kind::commit_cut})},
      {"commits in doubt that were there", interrupted.found_there,
       any_bit(r, {kind::commit_cut, kind::commit_hang})},
      {"requests that nodes turned away", r.nodes.overloaded, false},
      {"requests that nobody sent", r.clients.not_sent, false},
  };
}

} // namespace holdfast::soak
