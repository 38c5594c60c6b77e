#pragma once

#include "core/log_limit.hpp"
#include "core/time.hpp"
#include "http/body_room.hpp"
#include "http/call.hpp"
#include "http/server_options.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace holdfast::http {

/// A connection as the rest of the server knows it.
class served_connection {
public:
  virtual ~served_connection() = default;

  /// Takes no further requests, and closes when none is under way. From any thread.
  virtual void drain() = 0;
  /// Closes at once. Only while no thread of the server runs.
  virtual void end() = 0;
};

/// The part of a server that its connections share, without sockets and threads. Safe to use from
/// several threads. It outlives the connections.
class server_core {
public:
  server_core(server_options options, std::function<void(call_ptr)> serve);

  const server_options& options() const { return options_; }
  const server_limits& limits() const { return options_.limits; }
  server_counters& counters() { return counters_; }
  const std::shared_ptr<body_room>& room() const { return room_; }

  /// Hands a request to the handler. An exception of the handler is counted; the end of the call
  /// answers the client.
  void serve(call_ptr call);

  /// Counts a refusal, and logs it within the limit.
  void report(server_refusal why, const std::string& peer, const std::string& detail);
  void report_accept_pause(const std::string& detail);
  void report_failure(const std::string& detail);

  // --- connections ---

  /// Why one more connection from this address may not be; none when it may.
  std::optional<server_refusal> objection_to(const std::string& peer) const;
  void add(const std::shared_ptr<served_connection>& one, const std::string& peer);
  void remove(const served_connection* one, const std::string& peer);
  /// Ends all connections. Only while no thread of the server runs.
  void end_all();

  // --- requests: from their first byte until their answer is sent or cannot be ---

  void begin_request();
  void end_request();
  /// False when requests are still under way after `most`.
  bool wait_until_idle(core::duration most) const;

  /// Connections take no further requests.
  void drain();
  bool draining() const { return draining_; }

private:
  std::vector<std::shared_ptr<served_connection>> connections() const;
  void log(std::string_view name, std::string_view reason, const std::string& peer,
           const std::string& detail);

  const server_options options_;
  const std::function<void(call_ptr)> serve_;
  const std::shared_ptr<body_room> room_;
  server_counters counters_;
  core::log_limit lines_;

  mutable std::mutex connections_mutex_;
  std::unordered_map<const served_connection*, std::weak_ptr<served_connection>> connections_;
  std::unordered_map<std::string, std::size_t> by_address_;
  std::atomic<bool> draining_{false};

  mutable std::mutex requests_mutex_;
  mutable std::condition_variable idle_;
  std::uint64_t requests_ = 0; ///< Under way.
};

} // namespace holdfast::http
