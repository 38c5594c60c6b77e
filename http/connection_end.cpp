// The second half of a connection: its answers, its deadlines and its end.

#include "http/connection.hpp"

#include "http/refusal_answers.hpp"
#include "http/response_head.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace holdfast::http {

namespace {

namespace asio = boost::asio;

/// Bytes that a client may send after its last answer before it is cut.
constexpr std::size_t linger_bytes_max = 64UL * 1024 * 1024;

} // namespace

// ── writing ──────────────────────────────────────────────────────────────────────────────────────

void connection::write(response with) {
  phase_ = phase::writing;
  keep_alive_ = keep_alive_ && !core_.draining();
  head_ = head_of(with, keep_alive_);
  if (has_body(with.status) && !is_head_)
    body_ = std::move(with.body);
  sent_ = 0;
  progress_ = 0;
  arm(core_.limits().write_deadline);
  write_some();
}

void connection::write_some() {
  const auto of_head = std::min(sent_, head_.size());
  const auto of_body = sent_ - of_head;
  const std::array<asio::const_buffer, 2> rest{
      asio::buffer(head_.data() + of_head, head_.size() - of_head),
      asio::buffer(body_.data() + of_body, body_.size() - of_body)};
  socket_.async_write_some(rest,
                           [self = shared_from_this()](const error_code& error, std::size_t bytes) {
                             self->on_written(error, bytes);
                           });
}

void connection::on_written(const error_code& error, std::size_t bytes) {
  if (phase_ != phase::writing && phase_ != phase::streaming)
    return;
  if (error)
    return close();
  sent_ += bytes;
  if (sent_ == head_.size() + body_.size())
    return phase_ == phase::streaming ? on_pieces_sent() : on_answer_sent();
  if (sent_ - progress_ >= progress_step) {
    progress_ = sent_;
    arm(core_.limits().write_deadline);
  }
  write_some();
}

void connection::on_answer_sent() {
  ++core_.counters().answers;
  release(head_);
  release(body_);
  if (const auto answered = std::exchange(exchange_, nullptr))
    answered->detach();
  if (!keep_alive_ || core_.draining())
    linger();
  else
    next_request();
  core_.end_request(); // after a pipelined request has begun: there is no idle moment in between
}

void connection::next_request() {
  phase_ = phase::idle;
  arm(core_.limits().idle_deadline);
  std::string pipelined;
  pipelined.swap(input_);
  if (!pipelined.empty())
    take(pipelined);
  if (wants_input())
    await_input();
}

// ── the end ──────────────────────────────────────────────────────────────────────────────────────

void connection::arm(core::duration span) {
  const auto number = ++deadline_number_;
  deadline_.expires_after(span);
  deadline_.async_wait([self = shared_from_this(), number](const error_code& error) {
    // A deadline that was armed anew when this one had passed already is the one in force.
    if (!error && number == self->deadline_number_)
      self->on_deadline();
  });
}

void connection::on_deadline() {
  switch (phase_) {
  case phase::idle:
  case phase::lingering:
    return close();
  case phase::header:
    return refuse(server_refusal::header_timeout, "the header did not arrive in time");
  case phase::body:
    return refuse(server_refusal::body_timeout, "the body did not arrive in time");
  case phase::continuing: // the client does not even read the invitation
    core_.report(server_refusal::body_timeout, peer_, "the client does not read");
    return reset();
  case phase::serving: {
    const std::string detail = "no answer in time: the outcome of the request is unknown";
    core_.report(server_refusal::answer_timeout, peer_, detail);
    const auto late = std::exchange(exchange_, nullptr);
    write(answer_to(server_refusal::answer_timeout, detail));
    late->abandon(); // last: it runs code of the handler
    return late->detach();
  }
  case phase::streaming:
    if (!is_sending_) {
      core_.report(server_refusal::answer_timeout, peer_, "the next piece is not there in time");
      return cut();
    }
    [[fallthrough]];
  case phase::writing:
    core_.report(server_refusal::unread, peer_, "the client does not read its answer");
    return reset();
  case phase::closed:
    return;
  }
}

void connection::drain() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->on_drain(); });
}

void connection::on_drain() {
  if (phase_ == phase::idle)
    close();
  else if (phase_ == phase::header || phase_ == phase::body)
    refuse(server_refusal::draining, "the node takes no new requests");
  else if (phase_ == phase::streaming)
    pipe_->drain(); // last: it runs code of the handler
  // The later phases end in `on_continue_sent` and `on_answer_sent`, which look for themselves.
}

void connection::linger() {
  // Closing a socket with unread bytes resets the connection, and a reset may overtake the answer:
  // the client hangs up first, or has a moment to.
  phase_ = phase::lingering;
  release(input_);
  error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_send, ignored);
  if (has_gone_)
    return close();
  progress_ = 0;
  arm(core_.limits().linger_deadline);
  discard();
}

void connection::discard() {
  for (int i = 0; i < reads_per_turn; ++i) {
    error_code error;
    progress_ += socket_.read_some(asio::buffer(scratch()), error);
    if (is_not_yet(error))
      break;
    if (error || progress_ > linger_bytes_max)
      return close();
  }
  await_input();
}

void connection::reset() {
  error_code ignored;
  // The system would go on to offer the client what it does not read.
  socket_.set_option(asio::socket_base::linger{true, 0}, ignored);
  close();
}

void connection::end() { close(); }

void connection::close() {
  const auto before = std::exchange(phase_, phase::closed);
  if (before == phase::closed)
    return;
  error_code ignored;
  deadline_.cancel();
  socket_.close(ignored);
  parser_.reset();
  release(input_);
  release(head_);
  release(body_);
  pipe_.reset();
  core_.remove(this, peer_);
  if (before != phase::idle && before != phase::lingering)
    core_.end_request();
  if (const auto late = std::exchange(exchange_, nullptr)) {
    late->abandon(); // last: it runs code of the handler
    late->detach();
  }
}

} // namespace holdfast::http
