#include "bench/soak/report.hpp"

#include "bench/soak/figures.hpp"
#include "bench/soak/goals.hpp"
#include "bench/soak/trends.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace holdfast::soak {

namespace {

using nlohmann::ordered_json;

/// Of what is committed when nothing is wrong: nothing of an outage is felt any more.
constexpr double whole_share = 0.95;

ordered_json distribution(const std::vector<double>& values) {
  return {{"n", values.size()},
          {"p50", quantile(values, 0.5)},
          {"p99", quantile(values, 0.99)},
          {"max", quantile(values, 1)}};
}

std::vector<double> latencies(const soak_result& r, bool scheduled_only) {
  std::vector<double> all;
  for (const auto& request : r.clients.requests)
    if (request.failure == core::errc::none && (request.scheduled || !scheduled_only))
      all.push_back(static_cast<double>(request.millis));
  return all;
}

ordered_json verify_figures(const soak_result& r) {
  std::map<std::string, std::uint64_t> failed;
  std::uint64_t expected = 0;
  for (const auto& round : r.verify_rounds)
    if (is_expected(r, round))
      ++expected;
    else if (round.failure != core::errc::none)
      ++failed[std::string{core::to_string(round.failure)}];
  ordered_json all{
      {"rounds", r.verify_rounds.size()}, {"verified", rounds_verified(r)}, {"failed", failed}};
  if (r.two_versions)
    all["wrong_state_before_the_upgrade"] = expected;
  return all;
}

ordered_json resource_figures(const soak_result& r) {
  ordered_json all;
  const auto add = [&](const char* name, resource what) {
    all[name]["max"] = most(r, what);
    const auto grows = worst_trend(r, what);
    if (!grows)
      return;
    all[name]["slope_per_hour"] = grows->per_hour;
    all[name]["slope_at_least_per_hour"] = grows->at_least_per_hour;
    if (grows->median > 0)
      all[name]["slope_percent_per_hour"] = 100 * grows->per_hour / grows->median;
  };
  add("memory_mib", resource::memory);
  add("files", resource::files);
  add("threads", resource::threads);
  add("actors", resource::actors);
  return all;
}

/// What those do who have waited for the server, all at once, when it is back.
void add_returns(ordered_json& one, const soak_result& r, fault_kind kind,
                 const std::vector<double>& times, const std::vector<double>& by_second) {
  std::vector<double> first;
  std::vector<double> sessions;
  std::vector<double> sessions_each;
  std::vector<double> whole_again;
  std::uint64_t relapsed = 0;
  for (std::size_t number = 0; number < r.faults.size(); ++number) {
    if (r.faults[number].planned.kind != kind)
      continue;
    if (const auto commit = first_commit_after(r, times, number))
      first.push_back(*commit);
    if (const auto again = recovery(r, by_second, number, whole_share))
      whole_again.push_back(*again);
    sessions.push_back(static_cast<double>(sessions_at_once(r, number)));
    sessions_each.push_back(sessions_of_a_node(r, number));
    relapsed += relapses(r, by_second, number);
  }
  one["first_commit_after_s"] = distribution(first);
  one["not_recovered"] = not_recovered(r, by_second, kind);
  one["recovery_of_95_percent_s"] = distribution(whole_again);
  one["relapses"] = relapsed;
  if (r.sessions_of_nodes.empty())
    return; // nobody counted
  one["sessions_in_a_second"] = distribution(sessions);
  one["sessions_a_second_of_a_node"] = distribution(sessions_each);
}

ordered_json fault_figures(const soak_result& r, fault_kind kind, const std::vector<double>& times,
                           const std::vector<double>& by_second,
                           const std::vector<double>& changes) {
  std::uint64_t struck = 0;
  std::uint64_t bit = 0;
  std::uint64_t failed = 0;
  std::uint64_t violated = 0;
  std::uint64_t shards_given = 0;
  std::uint64_t records_lost = 0;
  std::vector<double> generations;
  std::vector<double> silence;
  std::vector<double> recovered;
  for (std::size_t number = 0; number < r.faults.size(); ++number) {
    const auto& fault = r.faults[number];
    if (fault.planned.kind != kind)
      continue;
    ++struck;
    bit += fault.bit ? 1 : 0;
    failed += failed_during(r, number);
    violated += fault.violation.empty() ? 0 : 1;
    shards_given += fault.shards_given;
    records_lost += fault.loss.size();
    if (fault.generation_seconds)
      generations.push_back(*fault.generation_seconds);
    silence.push_back(longest_silence(r, times, number));
    if (const auto again = recovery(r, by_second, number))
      recovered.push_back(*again);
  }
  ordered_json one{{"struck", struck}, {"bit", bit}, {"requests_failed", failed}};
  if (const auto taken = takeovers(r, kind); !taken.empty()) {
    one["takeover_s"] = distribution(taken);
    one["takeover_s"]["samples"] = taken; // for a total of several runs
  }
  if (const auto exits = exit_times(r, kind); !exits.empty())
    one["exit_s"] = distribution(exits);
  if (const auto gaps = without_host(r, kind); !gaps.empty())
    one["without_host_s"] = distribution(gaps);
  if (kind == fault_kind::commit_cut || kind == fault_kind::commit_hang) {
    const auto commits = interrupted_by(r, kind);
    one["commits"] = {{"cut_before", commits.cut_before},
                      {"cut_after", commits.cut_after},
                      {"silenced", commits.silenced},
                      {"found_absent", commits.found_absent},
                      {"found_there", commits.found_there},
                      {"unresolved", commits.all() - commits.found_absent - commits.found_there},
                      {"stall_s", distribution(commits.stall_seconds)}};
  }
  if (const auto moves = moves_per_flap(r, kind); !moves.empty())
    one["moves_per_flap"] = distribution(moves);
  if (kind == fault_kind::join_and_leave)
    one["shards_given"] = shards_given;
  if (!generations.empty()) {
    one["records_lost_by_the_database"] = records_lost;
    one["generation_s"] = distribution(generations);
  }
  if (recovery_max(kind) > core::duration::zero())
    add_returns(one, r, kind, times, by_second);
  if (const auto share = throughput_share(r, changes, kind))
    one["throughput_share"] = *share;
  one["violations"] = violated;
  one["longest_silence_s"] = distribution(silence);
  one["recovery_s"] = distribution(recovered);
  return one;
}

ordered_json figures(const soak_result& r) {
  ordered_json all;
  std::map<std::string, std::uint64_t> failed;
  for (const auto& request : r.clients.requests)
    if (request.failure != core::errc::none)
      ++failed[std::string{core::to_string(request.failure)}];
  const auto took = seconds(r.ended - r.begun);
  all["seconds"] = took;
  all["quiet_after_s"] = r.quiet_after ? ordered_json(*r.quiet_after) : ordered_json();
  all["requests"] = r.clients.requests.size();
  all["requests_per_second"] = static_cast<double>(r.clients.requests.size()) / took;
  all["requests_failed"] = failed;
  all["latency_ms"] = distribution(latencies(r, false));
  all["latency_of_scheduled_ms"] = distribution(latencies(r, true));
  all["tasks_handed_in"] = r.clients.enqueued.size();
  all["results_handed_in"] = r.clients.completed.size();
  all["judgments_handed_in"] = r.clients.judgments.size();
  all["rows_handed_in"] = r.clients.rows.size();
  all["lost"] = r.check.lost;
  all["excused"] = r.check.excused;
  all["doubled"] = r.check.doubled;
  all["from_nowhere"] = r.check.from_nowhere;
  all["stale_attempted"] = r.check.stale_attempted;
  all["stale_accepted"] = r.check.stale_accepted;
  all["stale_writes_refused"] = r.nodes.stale_writes;
  all["verify"] = verify_figures(r);
  const auto times = commit_times(r);
  const auto by_second = commits_by_second(r, times);
  const auto changes = change_times(r);
  all["calm_commits_answered_per_second"] = calm_rate(r, by_second);
  all["calm_changes_per_second"] = calm_rate(r, commits_by_second(r, changes));
  for (const auto kind : r.plan.request.kinds)
    all["faults"][std::string{name_of(kind)}] = fault_figures(r, kind, times, by_second, changes);
  if (r.two_versions)
    all["versions"] = {{"upgrades", changes_of_version(r, struck_fault::change::upgrade)},
                       {"rollbacks", changes_of_version(r, struck_fault::change::rollback)}};
  all["nodes"] = resource_figures(r);
  all["database_mib"] = r.database_mib;
  return all;
}

} // namespace

std::vector<std::string> void_reasons(const soak_result& r) {
  std::vector<std::string> reasons;
  for (const auto kind : r.plan.request.kinds) {
    const std::string name{name_of(kind)};
    const auto planned = std::count_if(r.plan.faults.begin(), r.plan.faults.end(),
                                       [&](const auto& f) { return f.kind == kind; });
    const auto bit = std::count_if(r.faults.begin(), r.faults.end(),
                                   [&](const auto& f) { return f.planned.kind == kind && f.bit; });
    if (planned == 0)
      reasons.push_back("the run is too short for a " + name);
    else if (bit == 0)
      reasons.push_back("no " + name + " met anything");
  }
  for (const auto& one : sometimes_of(r))
    if (one.wanted && one.times == 0)
      reasons.push_back("it never came to " + one.what);
  if (r.two_versions && changes_of_version(r, struck_fault::change::upgrade) == 0)
    reasons.emplace_back("nothing was upgraded: two versions take a rolling restart");
  if (rounds_verified(r) == 0)
    reasons.emplace_back("the live database was never verified");
  return reasons;
}

std::vector<std::string> violations(const soak_result& r) {
  auto all = r.check.violations;
  if (r.check.stale_accepted > 0)
    all.push_back(std::to_string(r.check.stale_accepted)
                  + " results were accepted after their"
                    " leases had run out");
  for (const auto& fault : r.faults)
    if (!fault.violation.empty())
      all.push_back(std::string{name_of(fault.planned.kind)} + " of n"
                    + std::to_string(fault.planned.node) + ": " + fault.violation);
  all.insert(all.end(), r.broken_invariants.begin(), r.broken_invariants.end());
  const auto missed = missed_goals(r);
  all.insert(all.end(), missed.begin(), missed.end());
  return all;
}

std::string verdict_word(const soak_result& r) {
  if (!violations(r).empty())
    return "red";
  return void_reasons(r).empty() ? "green" : "void";
}

std::string verdict_json(const soak_result& r) {
  ordered_json verdict;
  verdict["verdict"] = verdict_word(r);
  verdict["seed"] = r.plan.request.seed;
  verdict["lease_seconds"] = seconds(r.plan.request.lease_time);
  verdict["command"] = r.command;
  verdict["violations"] = violations(r);
  verdict["void_reasons"] = void_reasons(r);
  verdict["left_out"] = ordered_json::object();
  for (const auto& [kind, why] : r.left_out)
    verdict["left_out"][std::string{name_of(kind)}] = why;
  for (const auto& one : sometimes_of(r))
    verdict["sometimes"][one.what] = {{"times", one.times}, {"wanted", one.wanted}};
  verdict["figures"] = figures(r);
  return verdict.dump(2) + '\n';
}

} // namespace holdfast::soak
