#include "http/server_state.hpp"

#include "http/refusal_answers.hpp"
#include "http/response_head.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/strand.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <utility>

namespace holdfast::http {

namespace {

namespace asio = boost::asio;

/// Connections that may wait in the system's queue.
constexpr int backlog = 1024;

/// After a failure to accept, because no descriptor is free or the like, and where too many
/// connections come that are to be turned away: they wait in the system's queue meanwhile.
constexpr auto accept_pause = std::chrono::milliseconds{100};

/// Connections that get an answer before they are closed, in each `accept_pause`.
constexpr unsigned turned_away_max = 50;

std::string detail_of(server_refusal why) {
  return why == server_refusal::address_full ? "too many connections from this address"
                                             : "too many connections";
}

} // namespace

server_state::server_state(server_options options, std::function<void(call_ptr)> serve)
    : core_(std::move(options), std::move(serve)),
      io_(static_cast<int>(std::max<std::size_t>(core_.options().threads, 1))),
      work_(io_.get_executor()),
      acceptor_(io_),
      accept_pause_(io_) {}

server_state::~server_state() {
  stop_accepting();
  io_.stop();
  for (auto& one : threads_)
    one.join();
  // Calls that are still held hear that nobody waits for them, and reach `io_` no more.
  core_.end_all();
}

core::failure server_state::listen() {
  const auto& options = core_.options();
  error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error)
    return {core::errc::invalid_argument, options.address + " is not an IP address"};
  const tcp::endpoint where{address, options.port};
  acceptor_.open(where.protocol(), error);
  if (!error)
    acceptor_.set_option(tcp::acceptor::reuse_address{true}, error);
  if (!error)
    acceptor_.bind(where, error);
  if (!error)
    acceptor_.listen(backlog, error);
  if (!error)
    port_ = acceptor_.local_endpoint(error).port();
  if (error)
    return {error == asio::error::address_in_use ? core::errc::already_exists
                                                 : core::errc::invalid_argument,
            "cannot listen on " + options.address + ':' + std::to_string(options.port) + ": "
                + error.message()};
  accept();
  for (std::size_t i = 0; i < std::max<std::size_t>(options.threads, 1); ++i)
    threads_.emplace_back([this] { run(); });
  return {};
}

void server_state::run() {
  for (;;) {
    try {
      io_.run();
      return;
    } catch (const std::exception& why) {
      // Memory is short: the connection it happened to ends at its deadline, the others go on.
      core_.report_failure(why.what());
    }
  }
}

void server_state::drain() {
  stop_accepting();
  core_.drain();
}

// ── taking connections ───────────────────────────────────────────────────────────────────────────

void server_state::accept() {
  const std::lock_guard lock{accept_mutex_};
  if (!acceptor_.is_open())
    return;
  acceptor_.async_accept(asio::make_strand(io_),
                         [this](const error_code& error, connection::socket socket) {
                           on_accept(error, std::move(socket));
                         });
}

void server_state::on_accept(const error_code& error, connection::socket socket) {
  if (error == asio::error::operation_aborted)
    return;
  if (error && error != asio::error::connection_aborted) {
    core_.report_accept_pause(error.message());
    return pause_accepting();
  }
  if (error || take(std::move(socket)))
    accept();
  else
    pause_accepting();
}

bool server_state::take(connection::socket socket) {
  ++core_.counters().accepted;
  error_code error;
  const auto from = socket.remote_endpoint(error);
  if (error)
    return true; // gone already
  auto peer = from.address().to_string();
  if (const auto why = core_.objection_to(peer)) {
    core_.report(*why, peer, detail_of(*why));
    if (may_turn_away(clock::now()))
      turn_away(std::move(socket), *why);
    else if (*why == server_refusal::connections_full)
      return false; // nobody else would be taken either
    return true;
  }
  const auto one = std::make_shared<connection>(core_, std::move(socket), peer);
  core_.add(one, peer);
  one->start();
  return true;
}

void server_state::turn_away(connection::socket socket, server_refusal why) {
  const auto answer = answer_to(why, detail_of(why));
  const auto text = head_of(answer, false) + answer.body;
  error_code ignored;
  socket.non_blocking(true, ignored);
  std::array<char, 4096> unread{}; // what is left unread would make a reset of the close below
  socket.read_some(asio::buffer(unread), ignored);
  socket.write_some(asio::buffer(text), ignored);
  socket.shutdown(asio::socket_base::shutdown_send, ignored);
  socket.close(ignored);
}

bool server_state::may_turn_away(clock::time_point now) {
  if (now - window_begin_ >= accept_pause) {
    window_begin_ = now;
    turned_away_ = 0;
  }
  return ++turned_away_ <= turned_away_max;
}

void server_state::pause_accepting() {
  const std::lock_guard lock{accept_mutex_};
  if (!acceptor_.is_open())
    return;
  accept_pause_.expires_after(accept_pause);
  accept_pause_.async_wait([this](const error_code& error) {
    if (!error)
      accept();
  });
}

void server_state::stop_accepting() {
  const std::lock_guard lock{accept_mutex_};
  error_code ignored;
  acceptor_.close(ignored);
  accept_pause_.cancel();
}

} // namespace holdfast::http
