#pragma once

#include "actors/backpressure.hpp"
#include "actors/context.hpp"
#include "actors/internal_messages.hpp"
#include "core/batching.hpp"
#include "messages/errors.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>

#include <cstdint>
#include <forward_list>
#include <functional>
#include <memory>
#include <utility>

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

  bool empty() const { return waiting_.empty(); }

  /// Hands `changes` to the writer; `effect` runs after their commit, with no error, or when they
  /// fail, with one.
  template <class Self>
  void write(Self* self, const context_ptr& context, const caf::actor& writer, const decider& from,
             core::change changes, std::function<void(const core::failure&)> effect) {
    const bool joined = joins(changes);
    const auto ticket = empty() ? 1 : last_->ticket + (joined ? 0 : 1);
    put({ticket, std::move(effect), {context, core::weight(changes)}, fate::of_write});
    if (joined) {
      core::append(gathering_->changes, std::move(changes));
    } else if (gathering_) {
      part(self, writer, from);
      gathering_->ticket = ticket;
      gathering_->changes = std::move(changes);
    } else {
      self->send(writer, write_request{from, ticket, std::move(changes)});
    }
  }

  /// As `write`, for what rests on an id that a caller has chosen: when that is in use, `effect`
  /// gets `already_exists`, takes back what was decided, and all else goes on. Nothing that is
  /// decided before may rest on it, but what waits behind it without a write of its own: that is
  /// told that all is durable.
  template <class Self>
  void write_alone(Self* self, const context_ptr& context, const caf::actor& writer,
                   const decider& from, core::change changes,
                   std::function<void(const core::failure&)> effect) {
    HOLDFAST_INVARIANT(!gathering_, "what is written alone is part of no other change");
    const auto ticket = empty() ? 1 : last_->ticket + 1;
    put({ticket, std::move(effect), {context, core::weight(changes)}, fate::of_write_alone});
    self->send(writer, write_request{from, ticket, std::move(changes), true});
  }

  /// What `decide` writes becomes durable as one change, answered once: for decisions that follow
  /// from one request, so that who is given something by it need not wait for another commit. What
  /// touches a row once more is a change of its own.
  template <class Self, class Decide>
  void write_as_one(Self* self, const caf::actor& writer, const decider& from, Decide decide) {
    if (gathering_)
      return decide();
    gathering_ = std::make_unique<gathered>();
    decide();
    part(self, writer, from);
    gathering_.reset();
  }

  /// What is written next does not share the fate of what was written before, within
  /// `write_as_one`.
  template <class Self>
  void part(Self* self, const caf::actor& writer, const decider& from) {
    if (!gathering_ || gathering_->ticket == 0)
      return;
    auto gone = std::exchange(*gathering_, {});
    self->send(writer, write_request{from, gone.ticket, std::move(gone.changes)});
  }

  /// `effect` runs when everything decided so far is durable: at once when nothing is pending.
  void after_all(std::function<void(const core::failure&)> effect) {
    if (empty())
      effect({});
    else
      put({last_->ticket, std::move(effect), {}, fate::behind});
  }

  /// The same for an answer from memory for which nothing is written. While nothing is pending, no
  /// commit shows that the memory is the shard's: so it is answered only by a node that hosts the
  /// shard and whose lease runs. One that was frozen does not speak for the next host.
  template <class Self>
  void answer(Self* self, const context_ptr& context, core::shard_id shard,
              std::function<void(const core::failure&)> effect) {
    if (!empty() || context->hosting.here(shard, self->clock().now()))
      return after_all(std::move(effect));
    effect({core::errc::unavailable, "this node may not host the shard any more; ask again"});
  }

  /// The writer's answer. False when the write was refused: then everything that waits has been
  /// failed, and the actor, whose memory is ahead of the database, must end.
  bool settle(const write_done& done) {
    // A refusal may overtake what was decided before: a writer that is full gives it at once.
    if (done.failure.code == core::errc::already_exists && !empty()
        && waiting_.front().ticket == done.ticket
        && waiting_.front().shares == fate::of_write_alone) {
      run_effects(done.ticket, done.failure);
      return true;
    }
    if (done.failure.code != core::errc::none) {
      fail_all(done.failure, done.ticket);
      return false;
    }
    for (auto ticket = done.first(); ticket <= done.ticket; ++ticket)
      run_effects(ticket, {});
    return true;
  }

private:
  enum class fate : std::uint8_t {
    of_write,       ///< Its own write's.
    of_write_alone, ///< The same, of `write_alone`.
    behind,         ///< It has no write of its own, and waits for that of an entry before it.
  };
  struct entry {
    std::uint64_t ticket; ///< Of the write it waits for.
    std::function<void(const core::failure&)> effect;
    rows_under_way rows;
    fate shares = fate::of_write;
  };

  /// A change that still gathers; none yet while its ticket is zero.
  struct gathered {
    std::uint64_t ticket = 0;
    core::change changes;
    core::batch_footprint rows; ///< Of `changes`, once there was a second to compare with.
  };

  /// Whether `more` may become part of what gathers: not what touches a row once more.
  bool joins(const core::change& more) {
    if (!gathering_ || gathering_->ticket == 0)
      return false;
    auto& [ticket, changes, rows] = *gathering_;
    return (!rows.empty() || rows.admit(changes)) && rows.admit(more);
  }

  void put(entry waiting) {
    last_ = waiting_.insert_after(empty() ? waiting_.before_begin() : last_, std::move(waiting));
  }

  /// `of_write`: what has become of the write; what waits behind it is not concerned.
  void run_effects(std::uint64_t ticket, const core::failure& of_write) {
    HOLDFAST_INVARIANT(!empty() && waiting_.front().ticket == ticket,
                       "the writer tells of commits in the order of the requests");
    while (!empty() && waiting_.front().ticket == ticket) {
      // It stays in the queue while it runs, so that what it decides gets a later ticket.
      const auto effect = std::exchange(waiting_.front().effect, nullptr);
      effect(waiting_.front().shares == fate::of_write_alone ? of_write : core::failure{});
      waiting_.pop_front();
    }
  }

  /// `ticket`: the write that was refused, if it was one; nobody else has to do with its ids.
  void fail_all(const core::failure& why, std::uint64_t ticket = 0) {
    const core::failure because_of_it{core::errc::unavailable,
                                      "the actor ended, as the id of another request was in use"};
    const bool is_their_own = why.code == core::errc::already_exists;
    const auto failed = std::exchange(waiting_, {});
    for (const auto& each : failed) {
      const bool is_of_it = each.ticket == ticket && each.shares != fate::behind;
      if (each.effect) // else it was running when the actor ended
        each.effect(is_their_own && !is_of_it ? because_of_it : why);
    }
  }

  /// A queue that costs an idle unit next to nothing.
  std::forward_list<entry> waiting_;
  std::forward_list<entry>::iterator last_; ///< Valid unless empty.
  std::unique_ptr<gathered> gathering_;     ///< Within `write_as_one`.
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
  return [promise = std::move(promise),
          refusal = std::move(refusal)](const core::failure& why) mutable {
    promise.deliver(msg::to_error(why.code == core::errc::none ? refusal : why));
  };
}

} // namespace holdfast::actors
