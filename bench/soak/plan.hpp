#pragma once

#include "core/time.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The soak: real nodes on a real server, under load, while things go wrong on purpose.
namespace holdfast::soak {

/// What goes wrong.
enum class fault_kind : std::uint8_t {
  kill,         ///< SIGKILL of a node; it is started again.
  freeze,       ///< SIGSTOP for longer than the lease: its shards must be taken over.
  blink,        ///< SIGSTOP for much less than the lease: nobody may notice.
  drain,        ///< SIGTERM, and a new process.
  database_cut, ///< The sessions of one node are ended again and again.
  server_crash, ///< SIGKILL of the database server; it is started again.
  count
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(fault_kind::count)>
    fault_names{"kill", "freeze", "blink", "drain", "database cut", "server crash"};

inline std::string_view name_of(fault_kind kind) {
  return fault_names[static_cast<std::size_t>(kind)];
}

struct planned_fault {
  core::duration at{}; ///< Since the start of the load.
  fault_kind kind = fault_kind::kill;
  std::uint32_t node = 0;
  core::duration lasts{}; ///< Until what was stopped goes on, or what was ended is started again.
};

struct soak_plan {
  std::uint64_t seed = 1;
  std::uint32_t nodes = 3;
  core::duration load_time{};
  std::vector<planned_fault> faults; ///< In order of time; one is over before the next begins.
};

/// The plan of a seed. Every kind of fault comes in each round, in an order of its own, so that no
/// run leaves one out that is long enough for it; each minute begins with a calm part.
soak_plan draw_plan(std::uint64_t seed, std::uint32_t nodes, core::duration load_time,
                    core::duration lease_time);

} // namespace holdfast::soak
