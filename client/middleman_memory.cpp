#include "client/middleman_memory.hpp"

#include <caf/io/basp_broker.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/stream.hpp>

#include <algorithm>
#include <cstddef>

namespace holdfast::client {

namespace {

/// The buffers of a connection stay with it up to this size.
constexpr std::size_t buffer_bytes_kept = 64U * 1024;

} // namespace

} // namespace holdfast::client

namespace caf {
namespace io {

/// What is to be done about a process of which this one has not heard before: nothing.
__attribute__((visibility("default"), used)) void basp_broker::learned_new_node(const node_id&) {}

/// Where to write what is to go to `connection`. For one that is closed that is nowhere: an empty
/// buffer that is good for one frame.
__attribute__((visibility("default"), used)) std::vector<char>&
abstract_broker::wr_buf(connection_handle connection) {
  if (auto open = by_id(connection))
    return open->wr_buf();
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

} // namespace holdfast::client
