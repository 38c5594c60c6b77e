#pragma once

// For the files of this folder alone: whoever includes it pays for all of Boost.Asio.

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <memory>
#include <utility>

namespace holdfast::link {

/// A connection, plain or under TLS.
class wire {
public:
  using socket = boost::asio::ip::tcp::socket;
  using tls_stream = boost::asio::ssl::stream<socket&>;

  explicit wire(socket plain) : socket_(std::move(plain)) {}
  wire(const wire&) = delete; // the stream refers to the socket
  wire& operator=(const wire&) = delete;

  socket& plain() { return socket_; }
  /// Null before `secure`.
  tls_stream* tls() { return tls_.get(); }
  void secure(boost::asio::ssl::context& context) {
    tls_ = std::make_unique<tls_stream>(socket_, context);
  }

  template <class Buffer, class Handler>
  void read_some(const Buffer& into, Handler&& handler) {
    if (tls_)
      tls_->async_read_some(into, std::forward<Handler>(handler));
    else
      socket_.async_read_some(into, std::forward<Handler>(handler));
  }

  template <class Buffer, class Handler>
  void write(const Buffer& from, Handler&& handler) {
    if (tls_)
      boost::asio::async_write(*tls_, from, std::forward<Handler>(handler));
    else
      boost::asio::async_write(socket_, from, std::forward<Handler>(handler));
  }

  /// Small messages must not wait for each other.
  void send_at_once() {
    boost::system::error_code ignored;
    socket_.set_option(boost::asio::ip::tcp::no_delay{true}, ignored);
  }

  /// What is under way ends with an error.
  void close() {
    boost::system::error_code ignored;
    socket_.shutdown(socket::shutdown_send, ignored); // what was written still arrives
    socket_.close(ignored);
  }

private:
  socket socket_;
  std::unique_ptr<tls_stream> tls_;
};

} // namespace holdfast::link
