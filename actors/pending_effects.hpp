#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"
#include "messages/errors.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace holdfast::actors {

/// "Durable before visible" for one actor: what it wants to say waits here until the writes it
/// follows from are committed. Everything leaves in the order in which it was decided; a refusal or
/// a repeated answer waits, too, for the decisions it may have seen.
///
/// When the actor ends before that, every waiting request is answered `unavailable`: nobody is left
/// hanging.
class pending_effects {
public:
  pending_effects() = default;
  pending_effects(const pending_effects&) = delete;
  pending_effects& operator=(const pending_effects&) = delete;
  ~pending_effects() {
    fail_all({core::errc::unavailable, "the actor ended before its decision was durable"});
  }

  bool empty() const { return next_ == waiting_.size(); }

  /// Hands `changes` to the writer; `effect` runs after their commit, with no error, or when they
  /// fail, with one.
  template <class Self>
  void write(Self* self, const caf::actor& writer, const decider& from, core::change changes,
             std::function<void(const core::failure&)> effect) {
    const auto ticket = ++last_ticket_;
    waiting_.push_back({ticket, std::move(effect)});
    self->send(writer, write_request{from, ticket, std::move(changes)});
  }

  /// `effect` runs when everything decided so far is durable: at once when nothing is pending.
  void after_all(std::function<void(const core::failure&)> effect) {
    if (empty())
      effect({});
    else
      waiting_.push_back({0, std::move(effect)});
  }

  /// The writer's answer. False when the write was refused: then everything that waits has been
  /// failed, and the actor, whose memory is ahead of the database, must end.
  bool settle(const write_done& done) {
    HOLDFAST_INVARIANT(!empty() && front().ticket == done.ticket,
                       "the writer answers in the order of the requests");
    if (done.failure.code != core::errc::none) {
      fail_all(done.failure);
      return false;
    }
    do
      take_front()({});
    while (!empty() && front().ticket == 0);
    return true;
  }

private:
  struct entry {
    std::uint64_t ticket; ///< 0: needs no write of its own.
    std::function<void(const core::failure&)> effect;
  };

  const entry& front() const { return waiting_[next_]; }

  std::function<void(const core::failure&)> take_front() {
    auto effect = std::move(waiting_[next_].effect);
    if (++next_ == waiting_.size()) {
      waiting_.clear();
      next_ = 0;
    } else if (2 * next_ >= waiting_.size() && next_ >= 64) {
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(next_));
      next_ = 0;
    }
    return effect;
  }

  void fail_all(const core::failure& why) {
    const auto failed = std::exchange(waiting_, {});
    for (auto i = std::exchange(next_, 0); i < failed.size(); ++i)
      failed[i].effect(why);
  }

  /// A queue: what lies before `next_` is done. A std::deque would cost each of many idle units
  /// half a kilobyte.
  std::vector<entry> waiting_;
  std::size_t next_ = 0;
  std::uint64_t last_ticket_ = 0;
};

/// An effect that delivers `value`, or the failure, to whoever asked.
template <class Value>
std::function<void(const core::failure&)> reply(caf::response_promise promise, Value value) {
  return
      [promise = std::move(promise), value = std::move(value)](const core::failure& why) mutable {
        if (why.code == core::errc::none)
          promise.deliver(std::move(value));
        else
          promise.deliver(msg::to_error(why));
      };
}

/// An effect that delivers a refusal.
inline std::function<void(const core::failure&)> reply_refusal(caf::response_promise promise,
                                                               core::failure refusal) {
  return [promise = std::move(promise), refusal = std::move(refusal)](
             const core::failure&) mutable { promise.deliver(msg::to_error(refusal)); };
}

} // namespace holdfast::actors
