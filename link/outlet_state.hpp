#pragma once

// For the files of this folder alone: whoever includes it pays for all of Boost.Asio.

#include "core/log_limit.hpp"
#include "link/io_parts.hpp"
#include "link/outlet_options.hpp"
#include "link/relay.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace holdfast::link {

/// A connection that is dialed, and the one that local CAF has made: before, or in time.
struct outlet_session {
  explicit outlet_session(boost::asio::io_context& io) : resolver(io), deadline(io) {}

  std::unique_ptr<wire> local; ///< Null while nobody has come for what was prepared.
  std::unique_ptr<wire> remote;
  boost::asio::ip::tcp::resolver resolver;
  boost::asio::steady_timer deadline;
  std::array<char, relay::piece_bytes> first_words{};
  std::size_t first_bytes = 0;
  std::function<void(const std::string&)> prepared; ///< Told once: empty, or what has failed.
  std::shared_ptr<relay> relayed;
  bool over = false;
};

/// All of an outlet. Lives on the io thread; what is under way there keeps it alive.
class outlet_state : public std::enable_shared_from_this<outlet_state> {
public:
  outlet_state(boost::asio::io_context& io, outlet_options options, live_credentials live);

  /// Opens the port; `none` when that went well.
  core::failure listen();
  void close();
  /// `done` is told nothing, or why it did not come about.
  void prepare(std::function<void(const std::string&)> done);
  void reload();

  std::uint16_t port() const { return port_; }
  const link_counters& counters() const { return counters_; }
  std::string last_failure() const;

private:
  using tcp = boost::asio::ip::tcp;
  using session = std::shared_ptr<outlet_session>;

  void accept();
  void take(tcp::socket socket);
  void refuse_stranger();
  void dial(const session& one);
  void handshake(const session& one);
  void await_first_words(const session& one);
  void on_proven(const session& one);
  void start_relay(const session& one);
  void finish(const session& one);
  void fail(const session& one, refusal why, const std::string& what);
  void remember(const std::string& failure);
  void log(severity level, const std::string& event, const log_fields& fields) const;

  boost::asio::io_context& io_;
  const outlet_options options_;
  const std::string where_; ///< Host and port, for messages.
  live_credentials live_;
  tcp::acceptor acceptor_;
  boost::asio::steady_timer accept_pause_;
  std::uint16_t port_ = 0;
  std::vector<session> sessions_;
  session ready_; ///< Proven, and nobody has come for it yet.
  link_counters counters_;
  core::log_limit refused_lines_;
  mutable std::mutex mutex_; ///< Guards the failure, which other threads read.
  std::string last_failure_;
  bool closed_ = false;
};

} // namespace holdfast::link
