#pragma once

#include "app/logging.hpp"
#include "client/endpoint.hpp"
#include "config/settings.hpp"
#include "core/outcome.hpp"
#include "link/inlet.hpp"
#include "link/io_thread.hpp"
#include "link/loopback_user.hpp"
#include "link/peer_directory.hpp"
#include "messages/workflow_messages.hpp"

#include <caf/node_id.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::app {

/// Whether peers reach a node through TLS.
bool has_link(const config::settings& settings);

/// What a process shows to others, and whom it believes. Requires `has_link`.
link::credentials credentials_of(const config::settings& settings);

/// Has `where` reached through TLS with these credentials and deadlines, if `has_link`.
void use_link(client::endpoint& where, const config::settings& settings);

/// The first name of the process's own certificate; `invalid_argument` when it cannot be read.
core::outcome<std::string> own_name(const config::settings& settings);

/// The users of `link.local_users`, and the node's own. `invalid_argument` for one that the machine
/// does not have.
core::outcome<link::local_users> local_users_of(const config::settings& settings);

/// The number under which a process names itself in its greeting, for `link::peer_directory`.
link::peer_directory::key key_of(const caf::node_id& process);

/// The numbers of a link, for whoever asks the node.
msg::link_status status_of(const link::link_counters& counters);

/// The way into a node for peers of other machines: TLS on the node's address and port, and a
/// thread for it. The node itself takes connections on a port of loopback.
class node_link {
public:
  /// Checks the credentials without listening. `invalid_argument` when they make no sense.
  static core::outcome<bool> check(const config::settings& settings);

  /// Listens on `node.listen_address` and `port`, for the gateway at `upstream_port` of loopback.
  /// `directory` is told who is connected.
  static core::outcome<std::unique_ptr<node_link>>
  open(const config::settings& settings, const log_stream& log, std::uint16_t port,
       std::uint16_t upstream_port, std::shared_ptr<link::peer_directory> directory);

  /// See `link::inlet`.
  void reload() { inlet_->reload(); }
  void end_unread(std::uint16_t inner_port) { inlet_->end_unread(inner_port); }
  void stop_accepting() { inlet_->stop_accepting(); }
  const link::link_counters& counters() const { return inlet_->counters(); }

private:
  node_link() = default;

  link::io_thread thread_; // first: the inlet lives on it
  std::unique_ptr<link::inlet> inlet_;
};

} // namespace holdfast::app
