#pragma once

#include "bench/results.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

/// What tasks cost when there are many, and when a worker dies with many of them.
namespace holdfast::bench {

/// Workers hold `tasks` leases, 1,000 each, and extend them at a third of their ttl, for two ttls
/// and more: how many commits that is, and whether all of them live in the end.
void extend_many(const std::string& conninfo, std::size_t tasks, results& out);

/// A worker process that holds 1,000 tasks is killed: when the next one has them all, and how many
/// of them it could complete.
void kill_a_worker(const std::string& conninfo, results& out);

/// Whole lives of tasks beside `stored` finished ones, as a share of those on an empty table: of
/// the databases `full`, which it fills, and `empty`.
void live_beside_finished(const std::string& empty, const std::string& full, std::uint64_t stored,
                          int seconds, results& out);

/// Whole lives of tasks for 100 s: whether the pace lasts, and what the tables of live work take in
/// the end.
void live_for_long(const std::string& conninfo, results& out);

/// The worker process of `kill_a_worker`: claims 1,000 tasks through the gateway at `port`, says so
/// on stdout, and waits to be killed.
[[noreturn]] void hold_tasks(std::uint16_t port);

} // namespace holdfast::bench
