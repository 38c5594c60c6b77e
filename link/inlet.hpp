#pragma once

#include "core/outcome.hpp"
#include "link/inlet_options.hpp"
#include "link/io_thread.hpp"
#include "link/report.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace holdfast::link {

class inlet_state;

/// Whether only this machine can reach an IP address. Names are not looked up: what `localhost`
/// means is a matter of /etc/hosts.
bool is_loopback(const std::string& address);

/// The way into a process for its peers. Takes connections, demands TLS 1.3 and a certificate of a
/// peer that is expected, then relays to the process behind, on loopback, what is fit for CAF.
///
///   accepted ──handshake──► proven ──upstream──► relayed ──► ended
///       └──────────┴───────────┴── refused: counted, and logged (core/log_limit.hpp)
class inlet {
public:
  /// Opens the port. `already_exists` when somebody else has it, `invalid_argument` for an address
  /// off loopback without TLS or for credentials that make no sense.
  static core::outcome<std::unique_ptr<inlet>> open(io_thread& thread, inlet_options options);
  /// Closes every connection. Not on the io thread.
  ~inlet();

  std::uint16_t port() const;
  const link_counters& counters() const;

  /// Reads the credentials anew if their files have changed, and cuts connections whose certificate
  /// is not good any more. Also happens by itself, at most once a second, when a connection comes.
  void reload();
  /// Ends the connection that reaches the process behind from this port of loopback: too much
  /// waits for the peer to read. Safe to call from any thread until the inlet is gone; does not
  /// block.
  void end_unread(std::uint16_t inner_port);
  /// Takes no new connections; those that are open stay.
  void stop_accepting();

private:
  inlet(io_thread& thread, std::shared_ptr<inlet_state> s)
      : thread_(thread), state_(std::move(s)) {}

  io_thread& thread_;
  std::shared_ptr<inlet_state> state_;
};

} // namespace holdfast::link
