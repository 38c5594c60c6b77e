#include "http/server_core.hpp"

#include "core/invariant.hpp"

#include <chrono>
#include <utility>

namespace holdfast::http {

server_core::server_core(server_options options, std::function<void(call_ptr)> serve)
    : options_(std::move(options)),
      serve_(std::move(serve)),
      room_(std::make_shared<body_room>(options_.limits.bodies_bytes_max)) {}

void server_core::serve(call_ptr call) {
  const auto peer = call->asked().peer;
  try {
    serve_(std::move(call));
  } catch (const core::broken_invariant& why) {
    ++counters_.failures;
    log("http_handler_failed", {}, peer, why.what());
  } catch (...) {
    // The text of another exception may hold a part of the request.
    ++counters_.failures;
    log("http_handler_failed", {}, peer, "an exception");
  }
}

void server_core::report(server_refusal why, const std::string& peer, const std::string& detail) {
  ++counters_.refused[static_cast<std::size_t>(why)];
  log("http_refused", to_string(why), peer, detail);
}

void server_core::report_accept_pause(const std::string& detail) {
  ++counters_.accept_pauses;
  log("http_accept_paused", {}, {}, detail);
}

void server_core::report_failure(const std::string& detail) {
  ++counters_.failures;
  log("http_failed", {}, {}, detail);
}

void server_core::log(std::string_view name, std::string_view reason, const std::string& peer,
                      const std::string& detail) {
  if (!options_.log)
    return;
  std::string key{name};
  key += ' ';
  key += reason;
  key += ' ';
  key += peer;
  const auto left_out = lines_.admit(key, std::chrono::steady_clock::now());
  if (left_out)
    options_.log({name, reason, peer, detail, *left_out});
}

// ── connections ──────────────────────────────────────────────────────────────────────────────────

std::optional<server_refusal> server_core::objection_to(const std::string& peer) const {
  const std::lock_guard lock{connections_mutex_};
  if (connections_.size() >= options_.limits.connections_max)
    return server_refusal::connections_full;
  const auto known = by_address_.find(peer);
  if (known != by_address_.end() && known->second >= options_.limits.connections_per_address_max)
    return server_refusal::address_full;
  return std::nullopt;
}

void server_core::add(const std::shared_ptr<served_connection>& one, const std::string& peer) {
  {
    const std::lock_guard lock{connections_mutex_};
    connections_.emplace(one.get(), one);
    ++by_address_[peer];
    ++counters_.open;
  }
  // A connection that came while `drain` went over the others.
  if (draining_)
    one->drain();
}

void server_core::remove(const served_connection* one, const std::string& peer) {
  const std::lock_guard lock{connections_mutex_};
  if (connections_.erase(one) == 0)
    return;
  const auto known = by_address_.find(peer);
  if (known != by_address_.end() && --known->second == 0)
    by_address_.erase(known);
  --counters_.open;
}

std::vector<std::shared_ptr<served_connection>> server_core::connections() const {
  std::vector<std::shared_ptr<served_connection>> all;
  const std::lock_guard lock{connections_mutex_};
  all.reserve(connections_.size());
  for (const auto& [key, one] : connections_)
    if (auto held = one.lock())
      all.push_back(std::move(held));
  return all; // the last owner of a connection, if it is this list, lets go without the mutex
}

void server_core::end_all() {
  for (const auto& one : connections())
    one->end();
}

// ── requests ─────────────────────────────────────────────────────────────────────────────────────

void server_core::begin_request() {
  const std::lock_guard lock{requests_mutex_};
  ++requests_;
}

void server_core::end_request() {
  const std::lock_guard lock{requests_mutex_};
  if (--requests_ == 0)
    idle_.notify_all();
}

bool server_core::wait_until_idle(core::duration most) const {
  std::unique_lock lock{requests_mutex_};
  return idle_.wait_for(lock, most, [this] { return requests_ == 0; });
}

void server_core::drain() {
  draining_ = true;
  for (const auto& one : connections())
    one->drain();
}

} // namespace holdfast::http
