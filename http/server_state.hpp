#pragma once

// For the files of the server alone: a source that includes it pays for all of Boost.Asio.

#include "core/errors.hpp"
#include "http/connection.hpp"
#include "http/server_core.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::http {

/// All of a server: its port, its threads and its connections.
class server_state {
public:
  server_state(server_options options, std::function<void(call_ptr)> serve);
  /// Not on a thread of the server.
  ~server_state();
  server_state(const server_state&) = delete;
  server_state& operator=(const server_state&) = delete;

  /// Opens the port and starts the threads; `none` when that went well.
  core::failure listen();
  /// Closes the port; then as `server_core::drain`.
  void drain();

  std::uint16_t port() const { return port_; }
  server_core& core() { return core_; }

private:
  using tcp = boost::asio::ip::tcp;
  using clock = std::chrono::steady_clock;
  using error_code = boost::system::error_code;

  void run();
  void accept();
  void on_accept(const error_code& error, connection::socket socket);
  /// Takes a connection, or turns it away. False: take no more for a moment.
  bool take(connection::socket socket);
  void turn_away(connection::socket socket, server_refusal why);
  bool may_turn_away(clock::time_point now);
  void pause_accepting();
  void stop_accepting();

  server_core core_; // first, because it outlives the connections, which end with `io_` at last
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;

  std::mutex accept_mutex_; ///< Of the two below: `drain` comes from other threads.
  tcp::acceptor acceptor_;
  boost::asio::steady_timer accept_pause_;

  // Of the handler of `acceptor_` alone, of which there is one at a time.
  clock::time_point window_begin_{};
  unsigned turned_away_ = 0; ///< In the present window.

  std::uint16_t port_ = 0;
  std::vector<std::thread> threads_;
};

} // namespace holdfast::http
