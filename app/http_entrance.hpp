#pragma once

#include "app/logging.hpp"
#include "config/settings.hpp"
#include "core/outcome.hpp"
#include "core/tracer.hpp"
#include "messages/interfaces.hpp"
#include "metrics/registry.hpp"

#include <caf/fwd.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace holdfast::app {

/// Whether a node with this configuration listens for HTTP.
bool has_http(const config::settings& settings);

/// The HTTP API of a node: the server, the door behind it, and the tokens that it knows.
class http_entrance {
public:
  /// Listens. `already_exists` when the port is taken, `invalid_argument` for an address, a token
  /// file or a file of an issuer's keys that cannot be used. Answers 503 until it has reached a
  /// gateway.
  /// `registry` has what `/metrics` shows; `tracer` takes the spans of requests, and may be null.
  static core::outcome<std::unique_ptr<http_entrance>>
  open(const config::settings& settings, const log_stream& log, caf::actor_system& system,
       std::shared_ptr<metrics::registry> registry, core::tracer_ptr tracer);
  ~http_entrance();

  std::uint16_t port() const;
  /// Requests from now on go to this gateway. Runs `then`, on any thread, once the gateway has told
  /// the time of the cluster, without which no request is served.
  void reach(const msg::gateway_actor& gateway, std::function<void()> then);
  /// Reads the token of the administrator and the keys of the issuer anew.
  void reload();
  /// Takes no new requests, and lets those that run be answered, for `patience` at most.
  void drain(core::duration patience);

private:
  struct parts;
  explicit http_entrance(std::unique_ptr<parts> all);

  std::unique_ptr<parts> parts_;
};

} // namespace holdfast::app
