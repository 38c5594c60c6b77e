#pragma once

#include "core/access.hpp"
#include "core/time.hpp"
#include "link/fault_injector.hpp"
#include "link/open_requests.hpp"
#include "link/peer_directory.hpp"
#include "link/published_actors.hpp"
#include "link/report.hpp"
#include "link/tls.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::link {

/// Bounds on what strangers may cost.
struct inlet_limits {
  core::duration handshake_deadline = std::chrono::seconds{3};
  /// Between the handshake and the peer's first words.
  core::duration greeting_deadline = std::chrono::seconds{3};
  /// For a peer to take what is sent to it. A peer that sends signs of life and reads nothing would
  /// make the process behind pile up messages without end.
  core::duration stall_deadline = std::chrono::seconds{10};
  std::uint32_t connections_max = 1000;
  std::uint32_t connections_per_address_max = 200;
  std::uint32_t handshakes_max = 64;
  /// Of these; a part, so that one address cannot have all of them.
  std::uint32_t handshakes_per_address_max = 16;
  /// Connections that are taken; the others wait in the system's queue.
  std::uint32_t accepts_per_second = 100;
  /// Bounds on a peer with a certificate, over all of its connections. It is not cut when it
  /// sends more, but read more slowly. Without TLS nobody knows who is who, and nothing is bounded.
  std::uint32_t messages_per_second = 200'000;
  std::uint32_t bytes_per_second = 268'435'456;
  /// Payloads of more than 64 KiB that are under way to the process behind, in total and of one
  /// peer. Those beyond wait for `room_deadline` at most. No bounds unless they are set.
  std::uint64_t payload_bytes_max = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t payload_bytes_per_peer_max = std::numeric_limits<std::uint64_t>::max();
  core::duration room_deadline{};
  /// The same for requests of peers that are not nodes, until they are answered.
  std::uint64_t waiting_bytes_max = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t waiting_bytes_per_peer_max = std::numeric_limits<std::uint64_t>::max();
  /// Actors that a peer may name on one connection.
  std::size_t actors_max = std::numeric_limits<std::size_t>::max();
};

struct inlet_options {
  std::string address = "127.0.0.1"; ///< An IP address.
  std::uint16_t port = 0;            ///< 0 takes a free one.
  std::optional<credentials> tls;    ///< Without it only loopback addresses are accepted.
  std::vector<std::string> allowed;  ///< Names of peers' certificates; none lets nobody in.
  /// Of peers whose certificate names no role.
  core::role_set roles_without_one;
  /// The actors and requests of the process behind.
  published_actors* published = &published_actors::of_process();
  open_requests* open = &open_requests::of_process();
  /// Is told who is connected; may be null.
  std::shared_ptr<peer_directory> directory;
  std::uint16_t upstream_port = 0; ///< On loopback: where the process behind takes connections.
  inlet_limits limits;
  logger log;
  std::shared_ptr<fault_injector> faults; ///< For tests: nothing that is configured leads here.
};

} // namespace holdfast::link
