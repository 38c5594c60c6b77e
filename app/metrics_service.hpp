#pragma once

#include "config/settings.hpp"
#include "core/access.hpp"
#include "http/call.hpp"
#include "http/server_options.hpp"
#include "metrics/page.hpp"
#include "metrics/registry.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace holdfast::app {

/// `GET /metrics`: the metrics of this node for Prometheus, with those of its process and of its
/// HTTP server. Safe to use from several threads.
class metrics_service {
public:
  using token_check = std::function<std::shared_ptr<const core::principal>(std::string_view token)>;

  /// `who_has` knows the principal of a token, or null.
  metrics_service(const config::settings& settings, std::shared_ptr<metrics::registry> registry,
                  token_check who_has);

  /// Counts an answer of the HTTP server.
  void count(const http::served_request& served) const;
  /// Adds the counters of the server to each page, for as long as the service lives. They must live
  /// as long.
  void report(const http::server_counters& counters);

  /// Answers a request for the page. False for any other request.
  bool serve(const http::call_ptr& call);

private:
  /// Why the caller may not read the page; none when they may.
  std::optional<http::response> objection_to(const http::request& from) const;

  const bool open_on_loopback_;
  const std::shared_ptr<metrics::registry> registry_;
  const token_check who_has_;
  metrics::page page_;
  std::vector<metrics::registration> reported_;
};

} // namespace holdfast::app
