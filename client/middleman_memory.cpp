#include "client/middleman_memory.hpp"

#include <caf/io/basp_broker.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/stream.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>

namespace holdfast::client {

namespace {

/// The buffers of a connection stay with it up to this size.
constexpr std::size_t buffer_bytes_kept = 64U * 1024;

/// See `bound_unread`. One for the process, as are the functions below.
struct unread_bound {
  std::atomic<std::size_t> bytes_max{std::numeric_limits<std::size_t>::max()};
  std::mutex mutex;
  std::function<void(std::uint16_t)> on_close;
};

unread_bound& unread() {
  static unread_bound bound;
  return bound;
}

std::uint16_t port_of_other_end(int socket) {
  sockaddr_storage other{};
  socklen_t bytes = sizeof other;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&other), &bytes) != 0)
    return 0;
  if (other.ss_family == AF_INET)
    return ntohs(reinterpret_cast<const sockaddr_in*>(&other)->sin_port);
  if (other.ss_family == AF_INET6)
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&other)->sin6_port);
  return 0;
}

/// CAF finds the connection closed at its next look, and frees what waits.
void close_unread(caf::io::connection_handle connection) {
  const auto socket = static_cast<int>(connection.id()); // as CAF makes the handle
  {
    const std::lock_guard lock{unread().mutex};
    if (unread().on_close)
      unread().on_close(port_of_other_end(socket));
  }
  ::shutdown(socket, SHUT_RDWR);
}

} // namespace

} // namespace holdfast::client

namespace caf {
namespace io {

/// What is to be done about a process of which this one has not heard before: nothing.
__attribute__((visibility("default"), used)) void basp_broker::learned_new_node(const node_id&) {}

/// Where to write what is to go to `connection`. For one that is closed, or that has too much
/// waiting, that is nowhere: an empty buffer that is good for one frame.
__attribute__((visibility("default"), used)) std::vector<char>&
abstract_broker::wr_buf(connection_handle connection) {
  if (auto open = by_id(connection)) {
    auto& waiting = open->wr_buf();
    if (waiting.size() <= holdfast::client::unread().bytes_max.load(std::memory_order_relaxed))
      return waiting;
    holdfast::client::close_unread(connection);
  }
  dummy_wr_buf_ = {};
  return dummy_wr_buf_;
}

namespace network {

/// Makes the buffer as large as the next read needs it, and gives a large one back that it does not
/// need.
__attribute__((visibility("default"), used)) void stream::prepare_next_read() {
  collected_ = 0;
  const auto policy = static_cast<receive_policy_flag>(state_.rd_flag);
  auto wanted = max_;
  if (policy == receive_policy_flag::at_least) // CAF lets a tenth more come, or a hundred bytes
    wanted += std::max<std::size_t>(100, max_ / 10);
  if (rd_buf_.capacity() > std::max(wanted, holdfast::client::buffer_bytes_kept))
    buffer_type{}.swap(rd_buf_);
  rd_buf_.resize(wanted);
  read_threshold_ = policy == receive_policy_flag::at_most ? 1 : max_;
}

/// Goes on to what has been said meanwhile, or stops; gives a large buffer back.
__attribute__((visibility("default"), used)) void stream::prepare_next_write() {
  written_ = 0;
  wr_buf_.clear();
  if (wr_buf_.capacity() > holdfast::client::buffer_bytes_kept)
    buffer_type{}.swap(wr_buf_);
  if (!wr_offline_buf_.empty())
    return wr_buf_.swap(wr_offline_buf_);
  state_.writing = false;
  backend().del(operation::write, fd(), this);
  if (state_.shutting_down)
    send_fin();
}

} // namespace network
} // namespace io
} // namespace caf

namespace holdfast::client {

void keep_middleman_memory() {}

void bound_unread(std::size_t bytes_max, std::function<void(std::uint16_t)> on_close) {
  auto& bound = unread();
  const std::lock_guard lock{bound.mutex};
  bound.on_close = std::move(on_close);
  bound.bytes_max = bytes_max;
}

} // namespace holdfast::client
