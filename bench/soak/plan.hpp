#pragma once

#include "core/time.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The soak: real nodes on a real server, under load, while things go wrong on purpose.
namespace holdfast::soak {

/// What goes wrong.
enum class fault_kind : std::uint8_t {
  kill,               ///< SIGKILL of a node; it is started again.
  freeze,             ///< SIGSTOP for longer than the lease: its shards must be taken over.
  hesitation,         ///< SIGSTOP for about the lease: whoever hosts its shards then, one does.
  blink,              ///< SIGSTOP for much less than the lease: nobody may notice.
  drain,              ///< SIGTERM, and a new process.
  hard_stop,          ///< SIGTERM, and SIGKILL before the drain may be over.
  rolling_restart,    ///< The same of every node, one after the other.
  join_and_leave,     ///< A node more joins, and leaves for good by SIGTERM.
  database_cut,       ///< The sessions of one node are ended again and again.
  backends_ended,     ///< The sessions of all nodes are ended at once, again and again.
  slots_exhausted,    ///< The server lets nobody in any more: all its connections are taken.
  held_snapshot,      ///< A transaction stays open, so that no dead row can be removed meanwhile.
  database_partition, ///< Nothing passes between a node and the server; the others reach both.
  commit_cut,        ///< A session of a node is cut just before or just after a COMMIT, repeatedly.
  commit_hang,       ///< The answer to a COMMIT never comes, and the session stays open.
  server_crash,      ///< SIGKILL of the database server; it is started again.
  outage,            ///< The same, and it stays away for much longer than anybody tries.
  failover,          ///< SIGKILL of the database server; its standby takes over.
  lossy_failover,    ///< The same, but the standby lags behind: acknowledged commits are lost.
  older_copy,        ///< The database is replaced by a backup of itself that is some seconds old.
  standby_away,      ///< The server is started again without its standby, which then takes over.
  disk_full,         ///< The server cannot write any more.
  partition,         ///< Nothing passes between a node and the others; the server is reached.
  partial_partition, ///< The same between two nodes; the third one is reached by both.
  one_way_partition, ///< What a node sends to the others is lost; what they send arrives.
  swizzle,           ///< Nodes are cut off one after the other, and healed in another order.
  bad_line,          ///< All that a node sends and gets is slow, and some of it lost.
  far_line,          ///< All that a node sends and gets is late, by more or less, and some lost.
  clock_jump,        ///< The wall clock of a node is an hour ahead, then one behind.
  database_clock,    ///< The server's wall clock is set back for a while.
  worker_clock,      ///< The wall clock of all users is an hour ahead, then one behind.
  compound,          ///< A node freezes, another one is killed, and the server crashes.
  count
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(fault_kind::count)>
    fault_names{"kill",
                "freeze",
                "hesitation",
                "blink",
                "drain",
                "hard stop",
                "rolling restart",
                "join and leave",
                "database cut",
                "backends ended",
                "slots exhausted",
                "held snapshot",
                "database partition",
                "commit cut",
                "commit hang",
                "server crash",
                "outage",
                "failover",
                "lossy failover",
                "older copy",
                "standby away",
                "disk full",
                "partition",
                "partial partition",
                "one-way partition",
                "swizzle",
                "bad line",
                "far line",
                "clock jump",
                "database clock",
                "worker clock",
                "compound"};

inline std::string_view name_of(fault_kind kind) {
  return fault_names[static_cast<std::size_t>(kind)];
}

/// The kind of a name, in which dashes may stand for spaces; empty for a name that is none.
std::optional<fault_kind> kind_named(std::string_view name);

/// From here on a run is long: pauses are drawn from a wider range, and what grows is noticed.
inline constexpr core::duration long_run = std::chrono::minutes{30};

/// Why something cannot be made bad on this machine; empty when it can.
struct obstacles {
  std::string network;
  std::string disk;
  std::string delays{}; ///< Packets cannot be held back one by one.
};

/// Why a cluster of so many nodes cannot meet a kind of fault here; empty when it can.
std::string obstacle_to(fault_kind kind, std::uint32_t nodes, const obstacles& machine);

/// Within which as much is to be committed again as before, once a server is back; zero for kinds
/// of faults of which that is not asked. The next fault waits for longer.
core::duration recovery_max(fault_kind kind);

struct planned_fault {
  core::duration at{}; ///< Since the start of the load.
  fault_kind kind = fault_kind::kill;
  std::uint32_t node = 0;
  core::duration lasts{};  ///< Until what was stopped goes on, or what was ended is started again.
  std::uint32_t other = 0; ///< Of two nodes the second; the same one where there is only one.
  std::vector<std::uint32_t> cut_order{};  ///< Of a swizzle: its nodes as they are cut off.
  std::vector<std::uint32_t> heal_order{}; ///< The same nodes as they come back.
};

/// What a run is to meet.
struct plan_request {
  std::uint64_t seed = 1;
  std::uint32_t nodes = 3;
  core::duration load_time{};
  core::duration lease_time{};   ///< Of the nodes.
  std::vector<fault_kind> kinds; ///< Each once a round; none: an undisturbed run.
};

struct soak_plan {
  plan_request request;
  std::vector<planned_fault> faults; ///< In order of time; one is over before the next begins.
};

/// The plan of a seed. Every kind of fault comes in each round, in an order of its own, so that no
/// run leaves one out that is long enough for it; each minute begins with a calm part, unless an
/// outage lasts into it.
soak_plan draw_plan(const plan_request& request);

/// What a server needs of a disk for so long a load with so many requests with tasks, and so many
/// units, a second: all rows are kept to the end, to be compared.
std::uint64_t disk_bytes_for(core::duration load_time, double enqueues_per_second,
                             double units_per_second);

} // namespace holdfast::soak
