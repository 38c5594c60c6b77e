#include "app/metrics_service.hpp"

#include "app/process_metrics.hpp"
#include "http/problem.hpp"
#include "metrics/scrape.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

namespace holdfast::app {

namespace {

using metrics::metric;

/// The route of requests that have none of the table.
constexpr const char* no_route = "other";

/// The request whose roles may read metrics: the same facts, for people.
constexpr std::string_view equal_request = "get_guard_status";

std::string_view bearer_token_of(const http::request& from) {
  constexpr std::string_view scheme = "Bearer ";
  const auto header = http::header_of(from, "authorization");
  return header.substr(0, scheme.size()) == scheme ? header.substr(scheme.size())
                                                   : std::string_view{};
}

bool is_loopback(std::string_view address) {
  return address.substr(0, 4) == "127." || address == "::1"
         || address.substr(0, 11) == "::ffff:127.";
}

} // namespace

metrics_service::metrics_service(const config::settings& settings,
                                 std::shared_ptr<metrics::registry> registry, token_check identify)
    : open_on_loopback_(settings.metrics.access == config::metrics_access::loopback
                        && settings.http.exposure == config::http_exposure::loopback),
      registry_(std::move(registry)),
      identify_(std::move(identify)),
      page_(registry_) {
  reported_.push_back(report_process(*registry_, settings.node.data_dir));
}

void metrics_service::count(const http::served_request& served) const {
  const std::string route{served.route.empty() ? no_route : served.route};
  registry_->count(metric::http_requests_total, {route, std::to_string(served.status)}).add();
  registry_->distribute(metric::http_request_seconds, {route})
      .observe(std::chrono::duration<double>(served.took).count());
}

void metrics_service::report(const http::server_counters& counters) {
  reported_.push_back(registry_->join([&counters](const metrics::scrape_ptr& into) {
    into->add(metric::http_connections, static_cast<double>(counters.open));
    into->add(metric::http_abandoned_total, static_cast<double>(counters.abandoned));
    for (std::size_t i = 0; i < http::server_refusal_count; ++i) {
      const auto why = static_cast<http::server_refusal>(i);
      into->add(metric::http_refusals_total, {std::string{http::to_string(why)}},
                static_cast<double>(counters.refused_for(why)));
    }
  }));
}

void metrics_service::give_page(const http::call_ptr& call) {
  page_.give([call](const std::string& text) {
    http::response page;
    page.content_type = metrics::page_type;
    page.body = text;
    call->answer(std::move(page));
  });
}

bool metrics_service::serve(const http::call_ptr& call) {
  const auto& asked = call->asked();
  if (asked.method != "GET" || asked.target.substr(0, asked.target.find('?')) != "/metrics")
    return false;
  if (open_on_loopback_ && is_loopback(asked.peer)) {
    give_page(call);
    return true;
  }
  identify_({bearer_token_of(asked), asked.peer}, [this, call](http::identity found) {
    if (!found.who)
      return call->answer(std::move(found.refused));
    if (!core::objection_to(*found.who, equal_request, {}).empty())
      return call->answer(http::problem_of(
          http::refusal::not_allowed, "metrics are for administrators, operators and auditors"));
    give_page(call);
  });
  return true;
}

} // namespace holdfast::app
