#pragma once

#include "core/outcome.hpp"
#include "core/time.hpp"
#include "link/fault_injector.hpp"
#include "link/io_thread.hpp"
#include "link/open_requests.hpp"
#include "link/published_actors.hpp"
#include "link/report.hpp"
#include "link/tls.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace holdfast::link {

struct outlet_options {
  std::string host; ///< Name or IP address of the remote machine.
  std::uint16_t port = 0;
  /// The name that the remote certificate must have; without one, that it is for `host`.
  std::string expected_name;
  credentials tls;
  core::duration dial_deadline = std::chrono::seconds{5}; ///< For the connection and handshake.
  core::duration greeting_deadline = std::chrono::seconds{3};
  core::duration stall_deadline = std::chrono::seconds{10};
  std::uint32_t connections_max = 8; ///< CAF needs one; a second while that one breaks.
  /// The actors and requests of this process.
  published_actors* published = &published_actors::of_process();
  open_requests* open = &open_requests::of_process();
  logger log;
  std::shared_ptr<fault_injector> faults; ///< For tests: nothing that is configured leads here.
};

/// The way to a remote process that has an inlet. Offers a port on loopback; for each connection
/// there it dials the remote one, proves itself, checks who answers, waits for its first words, and
/// relays what is fit for CAF. When one side goes, so does the other. Only processes of the same
/// user may use the port: whoever does speaks in our name.
class outlet {
public:
  /// Opens the port on loopback; nothing is dialed yet. `invalid_argument` for credentials that
  /// make no sense.
  static core::outcome<std::unique_ptr<outlet>> open(io_thread& thread, outlet_options options);
  /// Closes every connection. Not on the io thread.
  ~outlet();

  /// Dials now, so that the next connection to the port finds the remote process there and waiting;
  /// if nobody comes within `greeting_deadline`, it is hung up. CAF is impatient: a process that it
  /// has dialed must greet before the next heartbeat is due. `unavailable` with the reason. Blocks
  /// for `dial_deadline` at most; not on the io thread.
  core::outcome<bool> prepare();

  /// Reads the credentials anew if their files have changed, and cuts connections to processes
  /// whose certificate is not good any more. Each dial reads them by itself.
  void reload();

  /// On 127.0.0.1.
  std::uint16_t port() const;
  const link_counters& counters() const;

  /// Why the last connection did not come about or was cut; empty after one that came about.
  std::string last_failure() const;

private:
  class state;

  outlet(io_thread& thread, std::shared_ptr<state> s) : thread_(thread), state_(std::move(s)) {}

  io_thread& thread_;
  std::shared_ptr<state> state_;
};

} // namespace holdfast::link
