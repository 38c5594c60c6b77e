#pragma once

// For the files of this folder alone: whoever includes it pays for all of Boost.Asio.

#include "core/log_limit.hpp"
#include "link/inlet_options.hpp"
#include "link/io_parts.hpp"
#include "link/payload_room.hpp"
#include "link/relay.hpp"
#include "link/token_bucket.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace holdfast::link {

/// One connection from outside, from its first byte to its last.
struct inlet_session {
  explicit inlet_session(boost::asio::io_context& io) : deadline(io) {}

  std::string address;
  std::unique_ptr<wire> outer; ///< Until the relay has it.
  std::unique_ptr<wire> inner;
  boost::asio::steady_timer deadline;
  std::vector<std::string> names; ///< Of the peer's certificate, once that has proved good.
  std::string claims;             ///< The names in a certificate that was refused; for the log.
  core::principal who;            ///< By the peer's certificate.
  std::shared_ptr<relay> relayed;
  node_key key;
  std::uint16_t inner_port = 0; ///< Ours, of the connection to the process behind.
  bool handshaking = false;
  bool over = false;
};

/// All of an inlet. Lives on the io thread; what is under way there keeps it alive.
class inlet_state : public std::enable_shared_from_this<inlet_state> {
public:
  inlet_state(boost::asio::io_context& io, inlet_options options,
              std::optional<live_credentials> live);

  /// Opens the port; `none` when that went well.
  core::failure listen();
  void reload();
  void end_unread(std::uint16_t inner_port);
  void stop_accepting();
  void close();

  std::uint16_t port() const { return port_; }
  const link_counters& counters() const { return counters_; }

private:
  using tcp = boost::asio::ip::tcp;
  using session = std::shared_ptr<inlet_session>;
  using clock = std::chrono::steady_clock;

  void accept_when_due();
  void pause_accepting(clock::duration span);
  void accept();
  void take(tcp::socket socket);
  std::optional<refusal> objection_to_newcomer(const std::string& address) const;

  void handshake(const session& one);
  void end_handshake(const session& one);
  void on_handshake(const session& one, const boost::system::error_code& error);
  void reach_node(const session& one);
  void start_relay(const session& one);

  /// A process that two peers claim to be is the one's whose connection is older.
  bool claim(const session& one, const node_key& key);
  /// What the peer may send; of one that nobody knows, null.
  std::shared_ptr<peer_rate> rate_of(const session& one);
  void note_slowed(const session& one, std::string_view why);
  void finish(const session& one);
  void refuse(const session& one, refusal why, frame_fault fault = frame_fault::none,
              const std::string& detail = {});
  /// `peer` is empty for one that has not proven a name.
  void report(refusal why, const std::string& peer, log_fields fields);
  /// For what others can cause at will: one line a second for each `key` of the event.
  void log_limited(severity level, const std::string& event, const std::string& key,
                   log_fields fields);
  void log(severity level, const std::string& event, const log_fields& fields) const;

  void refresh(bool now);
  void cut_what_is_not_good_any_more();

  boost::asio::io_context& io_;
  const inlet_options options_;
  std::optional<live_credentials> live_;
  tcp::acceptor acceptor_;
  boost::asio::steady_timer accept_pause_;
  token_bucket accepts_;
  std::uint16_t port_ = 0;
  std::vector<session> sessions_;
  struct of_address {
    std::uint32_t connections = 0;
    std::uint32_t handshakes = 0; ///< Of these, under way.
  };
  std::map<std::string, of_address> by_address_;
  std::uint32_t handshakes_ = 0;

  struct process_owner {
    std::string name; ///< The first of its certificate; roles may come and go with a new one.
    std::uint32_t connections = 0;
  };
  std::map<std::array<char, node_key::size>, process_owner> processes_;

  std::map<std::string, std::weak_ptr<peer_rate>> rates_; ///< By name, of those connected.
  std::shared_ptr<payload_room> room_;
  std::shared_ptr<waiting_requests> waiting_;

  link_counters counters_;
  core::log_limit lines_;
  bool closed_ = false;
};

} // namespace holdfast::link
