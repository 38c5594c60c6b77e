#include "bench/soak/figures.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::soak {

namespace {

constexpr double relapse_share = 0.5;
/// After a fault's end, for what it has left behind.
constexpr double aftermath = 5;

clock::time_point end_of_calm(const soak_result& r, std::size_t fault) {
  return fault + 1 < r.faults.size() ? r.faults[fault + 1].begun : r.ended;
}

} // namespace

double seconds(clock::duration d) { return std::chrono::duration<double>(d).count(); }

double quantile(std::vector<double> values, double share) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  const auto index =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::min(values.size() - 1, index == 0 ? 0 : index - 1)];
}

std::vector<double> commit_times(const soak_result& r) {
  std::vector<double> all;
  for (const auto& request : r.clients.requests)
    if (request.changed > 0)
      all.push_back(seconds(request.begun - r.begun) + request.millis / 1000.0);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<double> change_times(const soak_result& r) {
  std::vector<double> all;
  for (const auto& request : r.clients.requests)
    all.insert(all.end(), request.changed,
               seconds(request.begun - r.begun) + request.millis / 1000.0);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<double> commits_by_second(const soak_result& r, const std::vector<double>& times) {
  std::vector<double> by_second(static_cast<std::size_t>(seconds(r.ended - r.begun)) + 1);
  for (const auto at : times)
    if (at >= 0 && static_cast<std::size_t>(at) < by_second.size())
      ++by_second[static_cast<std::size_t>(at)];
  return by_second;
}

double calm_rate(const soak_result& r, const std::vector<double>& by_second) {
  const auto first = r.faults.empty() ? r.ended : r.faults.front().begun;
  const auto calm = std::min(static_cast<std::size_t>(seconds(first - r.begun)), by_second.size());
  // The first second is shared with the setting up.
  return calm < 2 ? 0
                  : quantile({by_second.begin() + 1,
                              by_second.begin() + static_cast<std::ptrdiff_t>(calm)},
                             0.5);
}

double longest_silence(const soak_result& r, const std::vector<double>& times, std::size_t fault) {
  const auto from = seconds(r.faults[fault].begun - r.begun);
  const auto to = std::min(seconds(r.faults[fault].ended - r.begun) + aftermath,
                           seconds(end_of_calm(r, fault) - r.begun));
  double last = from;
  double longest = 0;
  for (auto at = std::lower_bound(times.begin(), times.end(), from); at != times.end() && *at < to;
       ++at) {
    longest = std::max(longest, *at - last);
    last = *at;
  }
  return std::max(longest, to - last);
}

std::optional<double> recovery(const soak_result& r, const std::vector<double>& by_second,
                               std::size_t fault, double share) {
  const auto ended = seconds(r.faults[fault].ended - r.begun);
  const auto wanted = share * calm_rate(r, by_second);
  for (auto second = static_cast<std::size_t>(std::ceil(ended)); second < by_second.size();
       ++second) {
    const auto over = static_cast<double>(second) + 1;
    if (over > seconds(end_of_calm(r, fault) - r.begun))
      return std::nullopt;
    if (by_second[second] >= wanted)
      return over - ended;
  }
  return std::nullopt;
}

std::uint64_t not_recovered(const soak_result& r, const std::vector<double>& by_second,
                            fault_kind kind) {
  const auto patience = seconds(recovery_max(kind));
  std::uint64_t all = 0;
  for (std::size_t number = 0; number < r.faults.size(); ++number) {
    if (r.faults[number].planned.kind != kind)
      continue;
    const auto took = recovery(r, by_second, number);
    const auto until =
        std::min(seconds(end_of_calm(r, number) - r.begun), seconds(r.plan.request.load_time));
    const auto watched = until - seconds(r.faults[number].ended - r.begun);
    if (took ? *took > patience : watched >= patience)
      ++all;
  }
  return all;
}

std::optional<double> first_commit_after(const soak_result& r, const std::vector<double>& times,
                                         std::size_t fault) {
  const auto ended = seconds(r.faults[fault].ended - r.begun);
  const auto first = std::lower_bound(times.begin(), times.end(), ended);
  if (first == times.end() || *first > seconds(end_of_calm(r, fault) - r.begun))
    return std::nullopt;
  return *first - ended;
}

std::uint64_t relapses(const soak_result& r, const std::vector<double>& by_second,
                       std::size_t fault) {
  const auto recovered = recovery(r, by_second, fault);
  if (!recovered)
    return 0;
  const auto since = seconds(r.faults[fault].ended - r.begun) + *recovered;
  const auto until =
      std::min(seconds(end_of_calm(r, fault) - r.begun), seconds(r.plan.request.load_time));
  std::uint64_t all = 0;
  for (auto second = static_cast<std::size_t>(std::ceil(since));
       static_cast<double>(second) + 1 <= until && second < by_second.size(); ++second)
    if (by_second[second] < relapse_share * calm_rate(r, by_second))
      ++all;
  return all;
}

std::uint64_t sessions_at_once(const soak_result& r, std::size_t fault) {
  std::vector<clock::time_point> begun;
  for (const auto at : r.sessions_of_nodes)
    if (at >= r.faults[fault].begun && at < end_of_calm(r, fault))
      begun.push_back(at);
  std::sort(begun.begin(), begun.end());
  std::ptrdiff_t most = 0;
  for (auto first = begun.begin(); first != begun.end(); ++first)
    most = std::max(most,
                    std::lower_bound(first, begun.end(), *first + std::chrono::seconds{1}) - first);
  return static_cast<std::uint64_t>(most);
}

double sessions_of_a_node(const soak_result& r, std::size_t fault) {
  const auto& met = r.faults[fault];
  const auto begun = std::count_if(r.sessions_of_nodes.begin(), r.sessions_of_nodes.end(),
                                   [&](auto at) { return at >= met.begun && at < met.ended; });
  const auto lasted = seconds(met.ended - met.begun) * r.plan.request.nodes;
  return lasted > 0 ? static_cast<double>(begun) / lasted : 0;
}

std::vector<double> takeovers(const soak_result& r, fault_kind kind) {
  std::vector<double> all;
  for (const auto& fault : r.faults)
    if (fault.planned.kind == kind && fault.takeover_seconds && fault.bit)
      all.push_back(*fault.takeover_seconds);
  return all;
}

interrupted_commits interrupted_by(const soak_result& r, fault_kind kind) {
  interrupted_commits all;
  for (const auto& fault : r.faults) {
    if (fault.planned.kind != kind)
      continue;
    const auto& one = fault.commits;
    all.cut_before += one.cut_before;
    all.cut_after += one.cut_after;
    all.silenced += one.silenced;
    all.found_absent += one.found_absent;
    all.found_there += one.found_there;
    all.stall_seconds.insert(all.stall_seconds.end(), one.stall_seconds.begin(),
                             one.stall_seconds.end());
  }
  return all;
}

std::vector<double> moves_per_flap(const soak_result& r, fault_kind kind) {
  std::vector<double> all;
  for (const auto& fault : r.faults)
    if (fault.planned.kind == kind && fault.moves_per_flap)
      all.push_back(*fault.moves_per_flap);
  return all;
}

std::optional<double> throughput_share(const soak_result& r, const std::vector<double>& changes,
                                       fault_kind kind) {
  double lasted = 0;
  double committed = 0;
  for (const auto& fault : r.faults) {
    if (fault.planned.kind != kind)
      continue;
    const auto from = seconds(fault.begun - r.begun);
    const auto to = seconds(fault.ended - r.begun);
    lasted += to - from;
    committed += static_cast<double>(std::lower_bound(changes.begin(), changes.end(), to)
                                     - std::lower_bound(changes.begin(), changes.end(), from));
  }
  const auto calm = calm_rate(r, commits_by_second(r, changes)) * lasted;
  return calm > 0 ? std::optional{committed / calm} : std::nullopt;
}

std::vector<double> exit_times(const soak_result& r, fault_kind kind) {
  std::vector<double> all;
  for (const auto& fault : r.faults)
    if (fault.planned.kind == kind)
      all.insert(all.end(), fault.exit_seconds.begin(), fault.exit_seconds.end());
  return all;
}

std::vector<double> without_host(const soak_result& r, fault_kind kind) {
  std::vector<double> all;
  for (const auto& fault : r.faults)
    if (fault.planned.kind == kind && fault.bit && fault.takeover_seconds
        && fault.exit_seconds.size() == 1)
      all.push_back(std::max(0.0, *fault.takeover_seconds - fault.exit_seconds.front()));
  return all;
}

bool has_failed(const timed_request& request) {
  switch (request.failure) {
  case core::errc::none:
  case core::errc::no_unit_available: // there is nothing to do
  case core::errc::lease_not_held:    // it came too late
  case core::errc::stale_token:
  case core::errc::lease_expired:
  case core::errc::already_judged:
  case core::errc::limit_reached: // the contributor holds enough
    return false;
  default:
    return true;
  }
}

std::uint64_t failed_during(const soak_result& r, std::size_t fault) {
  const auto& met = r.faults[fault];
  const auto calm_since = fault == 0 ? r.begun : r.faults[fault - 1].ended;
  return static_cast<std::uint64_t>(std::count_if(
      r.clients.requests.begin(), r.clients.requests.end(), [&](const timed_request& request) {
        const auto over = request.begun
                          + std::chrono::duration_cast<clock::duration>(
                              std::chrono::duration<float, std::milli>{request.millis});
        return has_failed(request) && request.begun >= calm_since && request.begun <= met.ended
               && over >= met.begun;
      }));
}

std::uint64_t changes_of_version(const soak_result& r, struck_fault::change which) {
  return static_cast<std::uint64_t>(
      std::count_if(r.faults.begin(), r.faults.end(),
                    [&](const struck_fault& f) { return f.bit && f.versions == which; }));
}

bool is_expected(const soak_result& r, const verify_round& round) {
  if (!r.two_versions || round.failure != core::errc::wrong_state)
    return false;
  const auto upgrade = std::find_if(r.faults.begin(), r.faults.end(), [](const struck_fault& f) {
    return f.versions == struck_fault::change::upgrade;
  });
  return upgrade == r.faults.end() || round.at <= upgrade->ended;
}

std::uint64_t rounds_verified(const soak_result& r) {
  return static_cast<std::uint64_t>(
      std::count_if(r.verify_rounds.begin(), r.verify_rounds.end(),
                    [](const verify_round& one) { return one.failure == core::errc::none; }));
}

} // namespace holdfast::soak
