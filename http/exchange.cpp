#include "http/exchange.hpp"

#include "http/problem.hpp"

#include <utility>

namespace holdfast::http {

void exchange::answer(response with) { deliver(outgoing{std::move(with), nullptr}); }

void exchange::give_up() { deliver(std::nullopt); }

std::shared_ptr<stream_pipe> exchange::begin_stream(response head, std::size_t bytes_max) {
  auto pipe = std::make_shared<stream_pipe>(bytes_max);
  if (!deliver(outgoing{std::move(head), pipe}))
    pipe->end();
  return pipe;
}

bool exchange::deliver(std::optional<outgoing> with) {
  delivery used; // destroyed without the mutex
  const std::lock_guard lock{mutex_};
  if (!deliver_)
    return false;
  used.swap(deliver_);
  if (with)
    pipe_ = with->pipe;
  used(std::move(with));
  return true;
}

void exchange::on_abandoned(std::function<void()> then) {
  {
    const std::lock_guard lock{mutex_};
    if (!abandoned_) {
      if (!detached_)
        then_.swap(then);
      return; // the argument, with the function that it has now, is destroyed without the mutex
    }
  }
  if (then)
    then();
}

void exchange::note_route(std::string_view name) {
  const std::lock_guard lock{mutex_};
  route_ = name;
}

std::string_view exchange::route() {
  const std::lock_guard lock{mutex_};
  return route_;
}

void exchange::abandon() {
  std::function<void()> then;
  std::shared_ptr<stream_pipe> pipe;
  {
    const std::lock_guard lock{mutex_};
    if (detached_)
      return;
    abandoned_ = true;
    then.swap(then_);
    pipe = pipe_;
  }
  if (then)
    then();
  if (pipe)
    pipe->end();
}

void exchange::detach() {
  std::function<void()> then;
  delivery unused;
  std::shared_ptr<stream_pipe> pipe;
  {
    const std::lock_guard lock{mutex_};
    detached_ = true;
    then.swap(then_);
    unused.swap(deliver_);
    pipe.swap(pipe_);
  }
  if (pipe)
    pipe->end();
}

// ── the stream and the call ──────────────────────────────────────────────────────────────────────

write_result open_stream::write(std::string&& piece, std::function<void()> room_again) {
  const std::lock_guard lock{mutex_};
  // A function that is replaced comes back in `room_again`, and is destroyed without the mutex.
  if (const auto fate = pipe_->admit(room_again); fate != write_result::taken)
    return fate;
  if (!encoder_ || piece.empty())
    return pipe_->put(std::exchange(piece, {}), room_again);
  auto packed = encoder_->next(piece);
  // Before `put`, behind which another thread may write the next piece from the same place.
  piece.clear();
  return pipe_->put(std::move(packed), room_again);
}

void open_stream::finish() {
  const std::lock_guard lock{mutex_};
  pipe_->finish(encoder_ ? encoder_->last() : std::string{});
}

open_call::open_call(std::shared_ptr<exchange> of, request from, body_share share,
                     const server_limits& limits)
    : exchange_(std::move(of)),
      share_(std::move(share)),
      asked_(std::move(from)),
      coding_(coding_for(asked_)),
      body_bytes_max_(limits.body_bytes_max),
      stream_bytes_max_(limits.stream_bytes_max) {}

std::optional<response> open_call::unpack_body() {
  const auto how = coding_of(asked_);
  if (!how) {
    auto refused =
        problem_of(refusal::unsupported_media_type,
                   "the coding of the body must be one of " + std::string{known_codings});
    refused.headers.push_back({"Accept-Encoding", std::string{known_codings}});
    return refused;
  }
  if (*how == content_coding::identity || asked_.body.empty())
    return std::nullopt;
  auto unpacked = decoded(asked_.body, *how, body_bytes_max_,
                          [this](std::size_t bytes) { return share_.take(bytes); });
  if (unpacked) {
    asked_.body = std::move(*unpacked);
    return std::nullopt;
  }
  switch (unpacked.error().code) {
  case core::errc::too_large:
    return problem_of(refusal::body_too_large, unpacked.error().detail);
  case core::errc::overloaded:
    return problem_of(unpacked.error());
  default:
    return problem_of(refusal::request_malformed, unpacked.error().detail);
  }
}

void open_call::answer(response with) { exchange_->answer(encoded(std::move(with), coding_)); }

answer_stream_ptr open_call::begin_stream(stream_head head) {
  response begun;
  begun.status = head.status;
  begun.content_type = std::move(head.content_type);
  begun.headers = std::move(head.headers);
  const auto how = has_coding(begun.headers) ? content_coding::identity : coding_;
  if (!has_coding(begun.headers))
    mark_encoded(begun.headers, how);
  return std::make_shared<open_stream>(exchange_->begin_stream(std::move(begun), stream_bytes_max_),
                                       how);
}

} // namespace holdfast::http
