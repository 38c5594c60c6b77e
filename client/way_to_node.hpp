#pragma once

#include "client/endpoint.hpp"
#include "core/outcome.hpp"
#include "messages/interfaces.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/io/middleman.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace holdfast::link {
class io_thread;
class outlet;
} // namespace holdfast::link

namespace holdfast::client {

/// The way from this process to one node. Through TLS, CAF dials a port of loopback behind which
/// the node is waiting already. Belongs to one thread at a time; must outlive what was reached
/// through it.
class way_to_node {
public:
  explicit way_to_node(endpoint where);
  ~way_to_node();

  way_to_node(const way_to_node&) = delete;
  way_to_node& operator=(const way_to_node&) = delete;

  /// `host:port`, for messages.
  std::string address() const;

  /// Reads the credentials anew, and cuts the way if the node's certificate is not good any more.
  void reload();

  /// Reaches the gateway that the node publishes, of whatever version it is, and makes sure that
  /// the two programs understand each other. Blocks; `unavailable` with the reason, `wrong_state`
  /// when they do not. `Actor` is what the caller sends to it; a request that the node's version
  /// does not have is answered `invalid_argument`.
  template <class Actor>
  core::outcome<Actor> dial(caf::actor_system& system) {
    const auto near = prepare();
    if (!near)
      return near.error();
    auto found = system.middleman().remote_actor<msg::any_gateway_actor>(near->host, near->port);
    if (!found)
      return failed(system.render(found.error()));
    const auto gateway = caf::actor_cast<caf::actor>(*found);
    if (const auto same_language = compare_protocols(system, gateway); !same_language)
      return same_language.error();
    return caf::actor_cast<Actor>(gateway);
  }

  /// The newest protocol that the node understands which was dialed last.
  std::uint32_t newest_protocol() const { return newest_protocol_; }

private:
  struct near_end {
    std::string host;
    std::uint16_t port = 0;
  };

  core::outcome<near_end> prepare();
  core::outcome<bool> compare_protocols(caf::actor_system& system, const caf::actor& gateway);
  core::failure failed(const std::string& by_caf) const;

  const endpoint where_;
  std::unique_ptr<link::io_thread> thread_; ///< Null without TLS; before what lives on it.
  std::unique_ptr<link::outlet> outlet_;
  std::uint32_t newest_protocol_ = 1;
};

} // namespace holdfast::client
