#include "http/connection.hpp"

#include "http/refusal_answers.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::http {

namespace {

namespace asio = boost::asio;

/// One read from the socket. Bodies of a known size are read in larger pieces; all else in pieces
/// that also bound the pipelined requests which a connection holds.
constexpr std::size_t large_read_bytes = 64UL * 1024;
constexpr std::size_t read_bytes = 16UL * 1024;

constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

} // namespace

std::vector<char>& connection::scratch() {
  static thread_local std::vector<char> bytes(large_read_bytes);
  return bytes;
}

bool connection::is_not_yet(const error_code& error) {
  return error == asio::error::would_block || error == asio::error::try_again;
}

void connection::release(std::string& text) { std::string{}.swap(text); }

connection::connection(server_core& core, socket of, std::string peer)
    : core_(core),
      socket_(std::move(of)),
      deadline_(socket_.get_executor()),
      peer_(std::move(peer)) {
  error_code ignored; // a socket that is broken already fails at its first read
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);
}

connection::~connection() { close(); }

void connection::start() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (self->phase_ != phase::idle)
      return; // closed by `drain`
    self->arm(self->core_.limits().header_deadline);
    self->await_input();
  });
}

// ── reading ──────────────────────────────────────────────────────────────────────────────────────

bool connection::wants_input() const {
  return phase_ == phase::idle || phase_ == phase::header || phase_ == phase::body;
}

void connection::await_input() {
  if (std::exchange(is_awaiting_, true))
    return;
  socket_.async_wait(asio::socket_base::wait_read,
                     [self = shared_from_this()](const error_code& error) {
                       self->is_awaiting_ = false;
                       self->on_input(error);
                     });
}

void connection::on_input(const error_code& error) {
  if (phase_ == phase::closed)
    return;
  if (error)
    return close();
  if (wants_input())
    read();
  else if (phase_ == phase::serving || phase_ == phase::streaming)
    look_for_hangup();
  else if (phase_ == phase::lingering)
    discard();
  // Otherwise this wait is left over from `serving`; the next phase that reads waits again.
}

void connection::read() {
  for (int i = 0; i < reads_per_turn && wants_input(); ++i) {
    error_code error;
    const auto bytes = socket_.read_some(asio::buffer(scratch().data(), read_size()), error);
    if (is_not_yet(error))
      break;
    if (error)
      return on_input_end();
    take({scratch().data(), bytes});
  }
  if (wants_input())
    await_input();
}

std::size_t connection::read_size() const {
  if (phase_ != phase::body)
    return read_bytes;
  const auto missing = parser_->body_bytes_missing();
  if (!missing)
    return read_bytes;
  constexpr std::uint64_t most = large_read_bytes;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(*missing, 1, most));
}

void connection::on_input_end() {
  if (phase_ != phase::idle)
    ++core_.counters().incomplete;
  close();
}

void connection::take(std::string_view bytes) {
  const bool begins = phase_ == phase::idle;
  if (begins) {
    // A client may send empty lines in front of a request (RFC 9112, 2.2).
    while (bytes.substr(0, 2) == "\r\n")
      bytes.remove_prefix(2);
    if (bytes.empty())
      return;
    phase_ = phase::header;
    core_.begin_request();
    parser_.emplace(core_.limits(), core_.room());
  }
  if (input_.empty()) {
    input_.assign(bytes.substr(parser_->read(bytes)));
  } else {
    input_.append(bytes);
    input_.erase(0, parser_->read(input_));
  }
  if (const auto why = parser_->refused())
    refuse(*why, std::string{parser_->objection()});
  else if (parser_->is_done())
    serve();
  else
    on_partial_request(begins);
}

void connection::on_partial_request(bool began) {
  if (!parser_->has_header()) {
    if (began)
      arm(core_.limits().header_deadline);
  } else if (phase_ == phase::header) {
    phase_ = phase::body;
    progress_ = parser_->body_bytes();
    arm(core_.limits().body_deadline);
    if (parser_->awaits_continue() && input_.empty())
      send_continue();
  } else if (parser_->body_bytes() - progress_ >= progress_step) {
    progress_ = parser_->body_bytes();
    arm(core_.limits().body_deadline);
  }
}

void connection::send_continue() {
  phase_ = phase::continuing;
  asio::async_write(socket_, asio::buffer(continue_line.data(), continue_line.size()),
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      self->on_continue_sent(error);
                    });
}

void connection::on_continue_sent(const error_code& error) {
  if (phase_ != phase::continuing)
    return;
  if (error)
    return close();
  phase_ = phase::body;
  if (core_.draining())
    on_drain();
  else
    await_input();
}

// ── serving ──────────────────────────────────────────────────────────────────────────────────────

void connection::serve() {
  ++core_.counters().requests;
  asked_at_ = std::chrono::steady_clock::now();
  if (core_.draining())
    return refuse(server_refusal::draining, "the node takes no new requests");
  is_head_ = parser_->is_head();
  has_chunks_ = parser_->takes_chunks();
  keep_alive_ = parser_->keeps_connection();
  const auto number = ++exchange_number_;
  exchange_ =
      std::make_shared<exchange>([weak = weak_from_this(), number](std::optional<outgoing> with) {
        auto self = weak.lock();
        if (!self)
          return;
        // A copy: the connection may be gone before `post` returns.
        const auto strand = self->socket_.get_executor();
        asio::post(strand, [held = std::move(self), number, with = std::move(with)]() mutable {
          held->on_answer(number, std::move(with));
        });
      });
  auto asked = parser_->take_request();
  asked.peer = peer_;
  auto made = std::make_shared<open_call>(exchange_, std::move(asked), parser_->take_share(),
                                          core_.limits());
  parser_.reset();
  phase_ = phase::serving;
  arm(core_.limits().answer_deadline);
  if (input_.empty()) {
    release(input_);
    await_input();
  }
  core_.serve(std::move(made));
}

void connection::look_for_hangup() {
  char next = 0;
  error_code error;
  socket_.receive(asio::buffer(&next, 1), asio::socket_base::message_peek, error);
  if (is_not_yet(error))
    return await_input();
  if (!error)
    return; // The next request is there. Waiting again would report it again and again.
  ++core_.counters().abandoned;
  has_gone_ = true;
  keep_alive_ = false;
  if (error != asio::error::eof || phase_ == phase::streaming)
    return close();
  // The client may have closed its side alone and still read: it gets its answer, unless this has
  // no end of its own.
  const auto gone = exchange_;
  gone->abandon();
}

void connection::on_answer(std::uint64_t number, std::optional<outgoing> with) {
  if (phase_ != phase::serving || number != exchange_number_)
    return; // too late
  if (!with) {
    const std::string detail = "the request ended without an answer";
    core_.report(server_refusal::unanswered, peer_, detail);
    with = outgoing{answer_to(server_refusal::unanswered, detail), nullptr};
  }
  if (const auto& served = core_.options().served)
    served({exchange_->route(), with->head.status, std::chrono::steady_clock::now() - asked_at_});
  if (with->pipe)
    stream(std::move(*with));
  else
    write(std::move(with->head));
}

void connection::refuse(server_refusal why, const std::string& detail) {
  core_.report(why, peer_, detail);
  is_head_ = parser_ && parser_->is_head();
  keep_alive_ = false;
  parser_.reset();
  release(input_);
  write(answer_to(why, detail));
}

} // namespace holdfast::http
