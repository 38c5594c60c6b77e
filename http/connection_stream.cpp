// Streamed answers of a connection.

#include "http/connection.hpp"

#include "http/response_head.hpp"

#include <boost/asio/post.hpp>

#include <array>
#include <charconv>
#include <utility>

namespace holdfast::http {

namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view last_chunk = "0\r\n\r\n";

/// The bytes as one chunk.
std::string chunk_of(std::string bytes) {
  std::array<char, 16> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), bytes.size(), 16).ptr;
  std::string chunk;
  chunk.reserve(bytes.size() + digits.size() + 2 * line_end.size() + last_chunk.size());
  chunk.assign(digits.data(), end);
  chunk += line_end;
  chunk += bytes;
  chunk += line_end;
  return chunk;
}

} // namespace

void connection::stream(outgoing with) {
  if (has_gone_) // its stream has ended
    return close();
  keep_alive_ = keep_alive_ && has_chunks_ && !core_.draining();
  head_ =
      head_of(with.head, keep_alive_, has_chunks_ ? body_framing::chunks : body_framing::closing);
  sent_ = 0;
  progress_ = 0;
  if (is_head_ || !has_body(with.head.status)) {
    phase_ = phase::writing;
    arm(core_.limits().write_deadline);
    write_some();
    return with.pipe->end(); // last: it runs code of the handler
  }
  phase_ = phase::streaming;
  pipe_ = std::move(with.pipe);
  pipe_->attach([weak = weak_from_this(), number = exchange_number_] {
    auto self = weak.lock();
    if (!self)
      return;
    // A copy: the connection may be gone before `post` returns.
    const auto strand = self->socket_.get_executor();
    boost::asio::post(strand, [held = std::move(self), number] { held->on_stream_woken(number); });
  });
  const auto held = pipe_;
  send_pieces();
  if (core_.draining())
    held->drain(); // last: it runs code of the handler
}

void connection::on_stream_woken(std::uint64_t number) {
  if (phase_ == phase::streaming && number == exchange_number_ && !is_sending_)
    send_pieces();
}

void connection::send_pieces() {
  const auto pipe = pipe_; // stays while code of the handler runs
  auto next = pipe->take();
  after_pieces_ = next.then;
  in_flight_ = next.bytes.size();
  if (!has_chunks_) {
    body_ = std::move(next.bytes);
  } else {
    if (!next.bytes.empty())
      body_ = chunk_of(std::move(next.bytes));
    if (after_pieces_ == stream_pipe::state::finished)
      body_ += last_chunk;
  }
  if (!head_.empty() || !body_.empty()) {
    is_sending_ = true;
    progress_ = 0;
    arm(core_.limits().write_deadline);
    write_some();
  } else if (after_pieces_ != stream_pipe::state::open) {
    return on_stream_over();
  } else {
    arm(core_.limits().answer_deadline);
  }
  pipe->offer_room();
}

void connection::on_pieces_sent() {
  is_sending_ = false;
  release(head_);
  release(body_);
  sent_ = 0;
  pipe_->sent(std::exchange(in_flight_, 0));
  if (after_pieces_ != stream_pipe::state::open)
    on_stream_over();
  else
    send_pieces();
}

void connection::on_stream_over() {
  pipe_.reset();
  if (after_pieces_ == stream_pipe::state::finished)
    on_answer_sent();
  else
    cut();
}

void connection::cut() {
  if (has_chunks_)
    close(); // the last chunk is missing
  else
    reset();
}

} // namespace holdfast::http
