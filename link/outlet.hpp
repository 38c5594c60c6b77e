#pragma once

#include "core/outcome.hpp"
#include "link/io_thread.hpp"
#include "link/outlet_options.hpp"
#include "link/report.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace holdfast::link {

class outlet_state;

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
  outlet(io_thread& thread, std::shared_ptr<outlet_state> s)
      : thread_(thread), state_(std::move(s)) {}

  io_thread& thread_;
  std::shared_ptr<outlet_state> state_;
};

} // namespace holdfast::link
