#pragma once

#include "config/settings.hpp"
#include "core/access.hpp"
#include "http/call.hpp"
#include "http/door.hpp"
#include "http/server_options.hpp"
#include "metrics/page.hpp"
#include "metrics/registry.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace holdfast::app {

/// `GET /metrics`: the metrics of this node for Prometheus, with those of its process and of its
/// HTTP server. Safe to use from several threads.
class metrics_service {
public:
  using token_check = std::function<void(const http::shown_token& shown, http::identified then)>;

  /// `identify` gives `then` the identity behind a token, as `http::door_settings::identify` does.
  metrics_service(const config::settings& settings, std::shared_ptr<metrics::registry> registry,
                  token_check identify);

  /// Counts an answer of the HTTP server.
  void count(const http::served_request& served) const;
  /// Adds the counters of the server to each page, for as long as the service lives. They must live
  /// as long.
  void report(const http::server_counters& counters);

  /// Answers a request for the page. False for any other request.
  bool serve(const http::call_ptr& call);

private:
  void give_page(const http::call_ptr& call);

  const bool open_on_loopback_;
  const std::shared_ptr<metrics::registry> registry_;
  const token_check identify_;
  metrics::page page_;
  std::vector<metrics::registration> reported_;
};

} // namespace holdfast::app
