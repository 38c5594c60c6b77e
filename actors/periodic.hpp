#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"
#include "actors/reads.hpp"

#include <caf/event_based_actor.hpp>

#include <string>
#include <utility>

namespace holdfast::actors {

/// Periodic upkeep of one actor: one look at a time, and one timer, whose message is `upkeep_tick`.
///
///   resting ── tick, or sooner ──► looking ── end, fail ──► resting, for `interval`
///
/// A look that fails is made good by the next, after the same interval. The failure is logged
/// once, and then not before a look has succeeded: not ten times a second while the database is
/// away. The actor's end is the end of its upkeep.
class periodic {
public:
  periodic() = default;
  /// `failed` is the event of the log line.
  periodic(context_ptr context, core::duration interval, std::string failed = {})
      : context_(std::move(context)), interval_(interval), failed_(std::move(failed)) {}

  /// Sets the timer, unless it is set.
  void rest(caf::event_based_actor* self) {
    if (!std::exchange(timer_set_, true))
      self->delayed_send(self, interval_, upkeep_tick{});
  }
  /// The tick has come.
  void rang() { timer_set_ = false; }
  /// Begins a look. False while one is under way, whose end sets the timer. Needed only where looks
  /// have other causes than the tick.
  bool begin() { return !std::exchange(looking_, true); }

  /// The look succeeded, and no timer is to begin the next.
  void stop() { looking_ = failing_ = false; }
  /// The look succeeded.
  void end(caf::event_based_actor* self) {
    stop();
    rest(self);
  }
  void fail(caf::event_based_actor* self, const core::failure& why) {
    looking_ = false;
    if (!std::exchange(failing_, true))
      context_->log(log_level::warning, failed_, {{"reason", why.detail}});
    rest(self);
  }

  /// Reads what the look needs (`read`). `found` gets it, and asks on or ends the look; a failure
  /// fails it.
  template <class Question, class Found>
  void ask(caf::event_based_actor* self, const caf::actor& reader, Question question, Found found) {
    read(self, reader, std::move(question))
        .then(std::move(found), [this, self](const core::failure& why) { fail(self, why); });
  }

  bool looking() const { return looking_; }
  bool resting() const { return timer_set_; } ///< The timer is set.

private:
  context_ptr context_;
  core::duration interval_{};
  std::string failed_;
  bool timer_set_ = false;
  bool looking_ = false;
  bool failing_ = false; ///< The last look failed.
};

} // namespace holdfast::actors
