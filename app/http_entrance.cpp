#include "app/http_entrance.hpp"

#include "app/admin_token.hpp"
#include "app/jwt_check.hpp"
#include "app/metrics_service.hpp"
#include "app/version.hpp"
#include "client/id_source.hpp"
#include "client/node_clock.hpp"
#include "connectors/issuer_keys.hpp"
#include "core/api_token.hpp"
#include "core/log_limit.hpp"
#include "http/door.hpp"
#include "http/gateway_client.hpp"
#include "http/server.hpp"
#include "http/service.hpp"
#include "http/token_gate.hpp"
#include "objects/sha256.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace holdfast::app {

namespace {

using std::chrono::steady_clock;

constexpr std::size_t mebibyte = 1024U * 1024U;

http::server_options options_of(const config::settings& settings, const log_stream& log) {
  http::server_options options;
  options.address = settings.http.listen_address;
  options.port = static_cast<std::uint16_t>(settings.http.port);
  auto& limits = options.limits;
  limits.connections_max = settings.http.connections_max;
  limits.connections_per_address_max = settings.http.connections_per_address_max;
  limits.body_bytes_max = settings.http.body_mb * mebibyte;
  limits.bodies_bytes_max = settings.http.bodies_mb * mebibyte;
  limits.header_deadline = settings.http.header_deadline;
  limits.body_deadline = settings.http.body_deadline;
  limits.write_deadline = settings.http.write_deadline;
  limits.idle_deadline = settings.http.idle_deadline;
  options.log = [log](const http::server_event& event) {
    actors::log_fields fields{{"reason", std::string{event.reason}}, {"peer", event.peer}};
    if (!event.detail.empty())
      fields.emplace_back("what", event.detail);
    if (event.left_out > 0)
      fields.emplace_back("not_logged_before", std::to_string(event.left_out));
    log.write(actors::log_level::warning, std::string{event.name}, fields);
  };
  return options;
}

/// The token of the administrator, as read last.
class known_tokens {
public:
  core::outcome<bool> read(const std::filesystem::path& data_dir) {
    auto token = admin_token_in(data_dir);
    if (!token)
      return token.error();
    const std::lock_guard lock{mutex_};
    admin_token_ = std::move(*token);
    return true;
  }

  std::shared_ptr<const core::principal> who_has(std::string_view token) const {
    const std::lock_guard lock{mutex_};
    return core::equal_secrets(token, admin_token_) ? admin_ : nullptr;
  }

private:
  static std::shared_ptr<const core::principal> make_admin() {
    auto who = std::make_shared<core::principal>();
    who->grants.push_back({core::role::admin, {}});
    who->label = "admin";
    return who;
  }

  mutable std::mutex mutex_;
  std::string admin_token_;
  const std::shared_ptr<const core::principal> admin_ = make_admin();
};

/// The clock of the cluster, from what the gateway of this node says.
class cluster_clock {
public:
  explicit cluster_clock(http::gateway_client gateway) : gateway_(std::move(gateway)) {}

  std::optional<core::instant> now() {
    const auto here = steady_clock::now();
    if (clock_->wants_to_ask(here) && !asking_->exchange(true))
      ask([] {});
    return clock_->at(here);
  }

  /// Asks for the time, and runs `then` when it has been told, or is not told.
  void ask(std::function<void()> then) {
    *asking_ = true;
    gateway_.ask<msg::node_status>(
        msg::get_node_status{},
        [clock = clock_, asking = asking_, asked = steady_clock::now(),
         then](msg::node_status& status) {
          clock->note(asked, steady_clock::now(), status.now);
          *asking = false;
          then();
        },
        [asking = asking_, then](const core::failure&) {
          *asking = false;
          then();
        });
  }

private:
  http::gateway_client gateway_;
  std::shared_ptr<client::node_clock> clock_ = std::make_shared<client::node_clock>();
  std::shared_ptr<std::atomic<bool>> asking_ = std::make_shared<std::atomic<bool>>(false);
};

/// New ids, from any thread.
class shared_ids {
public:
  core::uuid next() {
    const std::lock_guard lock{mutex_};
    return ids_.next();
  }

private:
  std::mutex mutex_;
  client::id_source ids_;
};

/// The keys of the issuer that the configuration names.
core::outcome<std::unique_ptr<connectors::issuer_keys>>
open_issuer_keys(const config::settings& settings, const log_stream& log) {
  connectors::issuer_keys_options options;
  options.source = settings.jwt.keys;
  options.user_agent = std::string{"Holdfast/"} + version;
  options.report = [log](const connectors::keys_report& report) {
    actors::log_fields fields{{"keys", std::to_string(report.keys)}};
    if (!report.detail.empty())
      fields.emplace_back(report.good ? "left_out" : "what", report.detail);
    log.write(report.good ? actors::log_level::info : actors::log_level::warning,
              report.good ? "jwt_keys_read" : "jwt_keys_not_read", fields);
  };
  return connectors::issuer_keys::open(std::move(options));
}

std::string sha256_text(std::string_view bytes) { return core::to_string(objects::sha256(bytes)); }

} // namespace

namespace {

/// Logs a problem under the trace id that its client was told: each kind once a second.
void log_problem(const log_stream& log, core::log_limit& limit, const http::told_problem& told) {
  constexpr unsigned server_errors = 500;
  const auto left_out = limit.admit(told.code, steady_clock::now());
  if (!left_out)
    return;
  actors::log_fields fields{{"trace_id", told.trace_id},
                            {"status", std::to_string(told.status)},
                            {"code", told.code},
                            {"method", told.method},
                            {"path", told.path}};
  if (*left_out > 0)
    fields.emplace_back("not_logged_before", std::to_string(*left_out));
  log.write(told.status < server_errors ? actors::log_level::info : actors::log_level::warning,
            "http_problem", fields);
}

} // namespace

bool has_http(const config::settings& settings) { return settings.http.port != 0; }

struct http_entrance::parts {
  parts(const config::settings& settings, log_stream stream, caf::actor_system& system)
      : data_dir(settings.node.data_dir),
        log(std::move(stream)),
        gateway(system),
        clock(gateway),
        jwts(settings.jwt.issuer.empty() ? nullptr : make_jwt_check(settings)),
        gate(gate_settings(), gateway) {}

  http::token_gate_settings gate_settings() {
    http::token_gate_settings made;
    made.known = [this](std::string_view token) {
      auto who = tokens.who_has(token);
      return who || !jwts ? who : jwts->known(token);
    };
    if (jwts) {
      made.is_other_kind = connectors::has_form_of_jwt;
      made.check_other_kind = [this](std::string_view token) { return jwts->check(token); };
    }
    made.hash = sha256_text;
    made.now = [this] { return clock.now(); };
    made.on_slowed = [this](const std::string& address) {
      const auto left_out = slowed_lines.admit({}, steady_clock::now());
      if (!left_out)
        return;
      log.write(actors::log_level::warning, "http_token_guesses_slowed",
                {{"peer", address}, {"not_logged_before", std::to_string(*left_out)}});
    };
    return made;
  }

  /// None of its functions is called before `issuer_keys` is there.
  std::unique_ptr<jwt_check> make_jwt_check(const config::settings& settings) {
    jwt_check_settings made;
    made.rules = {settings.jwt.issuer, settings.jwt.audience, settings.jwt.clock_skew};
    made.names = {settings.jwt.role_claim, settings.jwt.name_claim, settings.jwt.queues_claim,
                  settings.jwt.workflows_claim};
    made.keys = [this] { return issuer_keys->keys(); };
    made.ask_for_newer_keys = [this] { return issuer_keys->ask_for_newer(); };
    made.hash = sha256_text;
    made.now = [this] { return clock.now(); };
    return std::make_unique<jwt_check>(std::move(made));
  }

  const std::filesystem::path data_dir;
  const log_stream log;
  core::log_limit problem_limit;
  known_tokens tokens;
  shared_ids ids;
  http::gateway_client gateway;
  cluster_clock clock;
  core::log_limit slowed_lines;
  std::unique_ptr<connectors::issuer_keys> issuer_keys; ///< Null without an issuer.
  std::unique_ptr<jwt_check> jwts;                      ///< The same.
  http::token_gate gate;
  std::optional<http::door> door;
  std::optional<metrics_service> metrics;
  std::unique_ptr<http::server> server; // last: its thread uses all of the others
};

http_entrance::http_entrance(std::unique_ptr<parts> all) : parts_(std::move(all)) {}

http_entrance::~http_entrance() {
  parts_->server.reset();
  parts_->gateway.stop();
}

core::outcome<std::unique_ptr<http_entrance>>
http_entrance::open(const config::settings& settings, const log_stream& log,
                    caf::actor_system& system, std::shared_ptr<metrics::registry> registry,
                    core::tracer_ptr tracer) {
  auto all = std::make_unique<parts>(settings, log, system);
  if (const auto read = all->tokens.read(all->data_dir); !read)
    return read.error();
  if (all->jwts) {
    auto keys = open_issuer_keys(settings, log);
    if (!keys)
      return keys.error();
    all->issuer_keys = std::move(*keys);
  }
  auto* inside = all.get();
  http::door_settings door;
  door.identify = [inside](const http::shown_token& shown, http::identified then) {
    inside->gate.identify(shown, std::move(then));
  };
  door.make_secret = new_token_secret;
  door.hash = sha256_text;
  door.now = [inside] { return inside->clock.now(); };
  door.make_id = [inside] { return inside->ids.next(); };
  door.media_origins = settings.http.media_origins;
  door.events_source = settings.events.source;
  door.body_bytes_max = settings.http.body_mb * mebibyte;
  door.tracer = std::move(tracer);
  door.on_problem = [inside](const http::told_problem& told) {
    log_problem(inside->log, inside->problem_limit, told);
  };
  all->door.emplace(std::move(door), all->gateway);
  all->metrics.emplace(settings, std::move(registry),
                       [inside](const http::shown_token& shown, http::identified then) {
                         inside->gate.identify(shown, std::move(then));
                       });
  auto options = options_of(settings, log);
  options.served = [inside](const http::served_request& served) { inside->metrics->count(served); };
  auto opened = http::server::open(std::move(options), [inside](http::call_ptr call) {
    if (!inside->metrics->serve(call))
      http::serve(*inside->door, std::move(call));
  });
  if (!opened)
    return opened.error();
  all->server = std::move(*opened);
  all->metrics->report(all->server->counters());
  return std::unique_ptr<http_entrance>{new http_entrance{std::move(all)}};
}

std::uint16_t http_entrance::port() const { return parts_->server->port(); }

void http_entrance::reach(const msg::gateway_actor& gateway, std::function<void()> then) {
  parts_->gateway.reach(gateway);
  parts_->clock.ask(std::move(then));
}

void http_entrance::reload() {
  if (const auto read = parts_->tokens.read(parts_->data_dir); !read)
    parts_->log.error("admin_token_refused", {{"what", read.error().detail}});
  if (parts_->issuer_keys)
    parts_->issuer_keys->reload();
}

void http_entrance::drain(core::duration patience) {
  parts_->server->drain();
  // Behind it: a request that is let in now is not told to wait.
  parts_->door->drain();
  parts_->server->wait_until_idle(patience);
}

} // namespace holdfast::app
