#pragma once

#include "bench/soak/soak_result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// What a soak measured, each figure a function of its result. Times are in seconds.
namespace holdfast::soak {

double seconds(clock::duration d);

/// The least value that `share` of all do not exceed; 0 of none.
double quantile(std::vector<double> values, double share);

/// When answers came that followed from a commit, since the run began; in order. A success that
/// changed nothing, such as a claim that found no task, is not one: a node gives it from memory.
std::vector<double> commit_times(const soak_result& result);

/// The same, once for each task, result, lease or judgment that was committed.
std::vector<double> change_times(const soak_result& result);

/// Those in each second of the run.
std::vector<double> commits_by_second(const soak_result& result, const std::vector<double>& times);

/// What is committed in a second when nothing is wrong: the median before the first fault.
double calm_rate(const soak_result& result, const std::vector<double>& by_second);

/// The longest time without a commit, from a fault's beginning until a few seconds after its end,
/// or until the next one began, or the end of the run. What lasts at the end of that counts as far.
double longest_silence(const soak_result& result, const std::vector<double>& times,
                       std::size_t fault);

/// From a fault's end until as much is committed again as when nothing is wrong, or such a share of
/// it: to the end of the first second of which that is true. Empty when the next fault or the end
/// came first. The usual share leaves room for chance: a second is short.
std::optional<double> recovery(const soak_result& result, const std::vector<double>& by_second,
                               std::size_t fault, double share = 0.8);

/// Faults of a kind from which it had not recovered within `recovery_max`, though no other one came
/// so soon.
std::uint64_t not_recovered(const soak_result& result, const std::vector<double>& by_second,
                            fault_kind kind);

/// From a fault's end until the first commit was answered. Empty when the next fault or the end
/// came first.
std::optional<double> first_commit_after(const soak_result& result,
                                         const std::vector<double>& times, std::size_t fault);

/// Seconds, after it had recovered from a fault, in which not half as much was committed as when
/// nothing is wrong: what is too much for a system that comes back breaks it again. Counted until
/// the next fault begins, or the load ends.
std::uint64_t relapses(const soak_result& result, const std::vector<double>& by_second,
                       std::size_t fault);

/// Sessions that nodes began at the server within one second, where they were most, since a fault
/// began and until the next one did.
std::uint64_t sessions_at_once(const soak_result& result, std::size_t fault);

/// Sessions that a node began each second while a fault lasted, on the average of all nodes.
double sessions_of_a_node(const soak_result& result, std::size_t fault);

/// Of all faults of a kind that met a host of shards.
std::vector<double> takeovers(const soak_result& result, fault_kind kind);

/// What became of commits that faults of a kind interrupted, all together.
interrupted_commits interrupted_by(const soak_result& result, fault_kind kind);

/// By faults of a kind that moved shards, one figure of each: see `struck_fault::moves_per_flap`.
std::vector<double> moves_per_flap(const soak_result& result, fault_kind kind);

/// What was committed while faults of a kind lasted, by `change_times`, as a share of what is when
/// nothing is wrong. Not the answers: a worker who waits longer for each is given more by it. Empty
/// when either is not known.
std::optional<double> throughput_share(const soak_result& result,
                                       const std::vector<double>& changes, fault_kind kind);

/// How long each process took to end that was asked to, by faults of this kind.
std::vector<double> exit_times(const soak_result& result, fault_kind kind);

/// How long shards had no host after the process had ended that gave them away, by faults of a kind
/// that end one each.
std::vector<double> without_host(const soak_result& result, fault_kind kind);

/// Whether a request failed, rather than being refused: who had asked rightly was not served.
bool has_failed(const timed_request& request);

/// Requests that failed and were open while a fault lasted: those that began during it, or before
/// it and after the end of the one before. A request that another fault had hurt already is not
/// among them; one that meets the next fault as well is, because what it met first should have been
/// over by then.
std::uint64_t failed_during(const soak_result& result, std::size_t fault);

/// Rolling restarts that brought up another version.
std::uint64_t changes_of_version(const soak_result& result, struck_fault::change which);

/// Whether `verify` had to fail: the harness is of the newer version, and nothing was upgraded yet.
bool is_expected(const soak_result& result, const verify_round& round);

/// Rounds of `verify` that found something out, be it good or bad.
std::uint64_t rounds_verified(const soak_result& result);

} // namespace holdfast::soak
