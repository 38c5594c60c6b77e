#pragma once

#include "bench/results.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

/// How a node bears what comes at once, too often or too late: each figure with what it is to
/// reach. Databases are not to be used by anybody else, because all that is in them is verified.
namespace holdfast::bench {

/// So many leases expire at the same time, of tasks of twenty keys and of units: how long until all
/// are taken again, and how evenly keys and contributors come to it.
void expire_at_once(const std::string& conninfo, std::size_t leases, results& out);

/// The same contributors ask from many places at once until so many units are assigned: none may
/// have a unit twice.
void assign_concurrently(const std::string& conninfo, std::size_t assignments, results& out);

/// So many judgments are handed in within 50 ms of the end of their lease, before or after it.
void race_expiry(const std::string& conninfo, std::size_t races, results& out);

/// How long `verify` takes beside so many judgments.
void verify_judgments(const std::string& conninfo, std::size_t judgments, results& out);

/// So many times a hundred tasks are made at once, one of which the database refuses: what becomes
/// of the others, which shared a transaction with it.
void spoil_batches(const std::string& conninfo, std::size_t rounds, results& out);

/// So many tasks end the process of each worker that takes them, and others are done beside them.
void poison_workers(const std::string& conninfo, std::size_t poisoned, results& out);

/// A worker process of `poison_workers`, of the gateway at `port`.
[[noreturn]] void work_until_poisoned(std::uint16_t port);

} // namespace holdfast::bench
