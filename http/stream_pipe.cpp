#include "http/stream_pipe.hpp"

#include <algorithm>

namespace holdfast::http {

write_result stream_pipe::admit(std::function<void()>& room_again) {
  const std::lock_guard lock{mutex_};
  if (state_ != state::open)
    return write_result::ended;
  if (bytes_ < bytes_max_)
    return write_result::taken;
  kept_.room_again.swap(room_again);
  return write_result::full;
}

write_result stream_pipe::put(std::string bytes, std::function<void()>& room_again) {
  const std::lock_guard lock{mutex_};
  if (state_ != state::open)
    return write_result::ended;
  bytes_ += bytes.size();
  if (waiting_.empty())
    waiting_ = std::move(bytes);
  else
    waiting_ += bytes;
  kept_.room_again.swap(room_again);
  wake();
  return write_result::taken;
}

void stream_pipe::finish(std::string last) {
  functions unused; // destroyed without the mutex
  const std::lock_guard lock{mutex_};
  if (state_ != state::open)
    return;
  unused = leave_open(state::finished);
  bytes_ += last.size();
  waiting_ += last;
  wake();
}

void stream_pipe::abort() {
  functions unused; // destroyed without the mutex
  const std::lock_guard lock{mutex_};
  if (state_ != state::open)
    return;
  unused = leave_open(state::aborted);
  wake();
}

void stream_pipe::on_end(std::function<void()> then) {
  {
    const std::lock_guard lock{mutex_};
    if (state_ == state::open)
      kept_.end.swap(then);
    if (state_ != state::ended)
      return; // the argument, with the function that it has now, is destroyed without the mutex
  }
  if (then)
    then();
}

void stream_pipe::on_drain(std::function<void()> then) {
  {
    const std::lock_guard lock{mutex_};
    if (state_ != state::open)
      return;
    if (!is_drained_) {
      kept_.drain.swap(then);
      return;
    }
  }
  if (then)
    then();
}

void stream_pipe::attach(std::function<void()> notify) {
  const std::lock_guard lock{mutex_};
  notify_ = std::move(notify);
  is_woken_ = false;
}

stream_pipe::taken stream_pipe::take() {
  const std::lock_guard lock{mutex_};
  is_woken_ = false;
  return {std::exchange(waiting_, {}), state_};
}

void stream_pipe::sent(std::size_t bytes) {
  const std::lock_guard lock{mutex_};
  bytes_ -= std::min(bytes, bytes_);
}

void stream_pipe::offer_room() {
  std::function<void()> then;
  {
    const std::lock_guard lock{mutex_};
    if (state_ == state::open && bytes_ < bytes_max_)
      then.swap(kept_.room_again);
  }
  if (then)
    then();
}

void stream_pipe::drain() {
  std::function<void()> then;
  {
    const std::lock_guard lock{mutex_};
    is_drained_ = true;
    then.swap(kept_.drain);
  }
  if (then)
    then();
}

void stream_pipe::end() {
  functions last;
  std::function<void()> unused; // destroyed without the mutex
  {
    const std::lock_guard lock{mutex_};
    unused.swap(notify_);
    if (state_ != state::open)
      return;
    last = leave_open(state::ended);
    std::string{}.swap(waiting_);
    bytes_ = 0;
  }
  if (last.end)
    last.end();
}

void stream_pipe::wake() {
  if (notify_ && !std::exchange(is_woken_, true))
    notify_();
}

stream_pipe::functions stream_pipe::leave_open(state next) {
  state_ = next;
  return std::exchange(kept_, {});
}

} // namespace holdfast::http
