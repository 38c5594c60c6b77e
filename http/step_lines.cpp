#include "http/step_lines.hpp"

#include "messages/work_messages.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::http {

namespace {

/// The time between two rounds without a change of the step.
constexpr core::duration recheck_interval = std::chrono::seconds{2};

/// After an answer that tells nothing of the step.
constexpr core::duration failure_pause = std::chrono::milliseconds{500};

/// Between rounds in which all were refused although the step had changed: it changes for others.
constexpr core::duration round_pause_least = std::chrono::milliseconds{5};
constexpr core::duration round_pause_most = std::chrono::milliseconds{160};

/// Requests of one round that may be refused: eight, or a sixteenth of the line, so that everybody
/// in a long line is asked for in half a minute. And how many of them ask at a time.
constexpr std::size_t refusals_least = 8;
constexpr std::size_t rounds_for_all = 16;
constexpr std::size_t asks_at_a_time = 4;

} // namespace

std::uint64_t step_lines::seen_of(core::step_id step) const {
  const auto found = lines_.find(step);
  return found == lines_.end() ? 0 : found->second.seen;
}

void step_lines::join(core::step_id step, const seeker_ptr& who, std::uint64_t seen) {
  if (who->is_over())
    return;
  auto& in = lines_[step];
  if (in.known && in.seen != seen) // the step has changed since
    return ask(step, who);
  in.seekers.push_back(who);
  if (!in.awaits && in.under_way == 0)
    await(step);
}

void step_lines::await(core::step_id step) {
  auto& in = lines_[step];
  in.awaits = true;
  const auto wait = in.known ? recheck_interval : core::duration::zero();
  const auto answered = [weak = weak_from_this(), step](const msg::units_awaited& told) {
    const auto self = weak.lock();
    if (!self)
      return;
    auto& of = self->lines_[step];
    const bool changed = of.known && of.seen != told.seen;
    of.known = true;
    of.seen = told.seen;
    self->begin_round(step, changed);
  };
  const auto failed = [weak = weak_from_this(), step](const core::failure&) {
    // A host that is on its way, or of a version before this request: the rounds go on.
    if (const auto self = weak.lock())
      self->gateway_.run(
          [weak, step] {
            if (const auto still = weak.lock())
              still->begin_round(step, false);
          },
          failure_pause);
  };
  const auto ask_step = [gateway = gateway_, request = msg::await_units{step, in.seen, wait},
                         answered,
                         failed] { gateway.ask<msg::units_awaited>(request, answered, failed); };
  if (in.pause == core::duration::zero())
    ask_step();
  else
    gateway_.run(ask_step, in.pause);
}

void step_lines::begin_round(core::step_id step, bool changed) {
  auto& in = lines_[step];
  in.awaits = false;
  auto& all = in.seekers;
  all.erase(std::remove_if(all.begin(), all.end(), [](const auto& one) { return one->is_over(); }),
            all.end());
  in.asks_left = std::max(refusals_least, all.size() / rounds_for_all);
  in.turns_left = all.size();
  in.granted = false;
  in.changed = changed;
  go_on(step);
}

void step_lines::go_on(core::step_id step) {
  auto& in = lines_[step];
  while (in.asks_left > 0 && in.turns_left > 0 && in.under_way < asks_at_a_time
         && !in.seekers.empty()) {
    const auto who = std::move(in.seekers.front());
    in.seekers.pop_front();
    --in.turns_left;
    if (who->is_over())
      continue;
    --in.asks_left;
    ask(step, who);
  }
  if (in.under_way > 0 || in.awaits)
    return;
  if (in.seekers.empty()) {
    lines_.erase(step);
    return;
  }
  if (in.changed && !in.granted)
    in.pause = std::clamp(2 * in.pause, round_pause_least, round_pause_most);
  else
    in.pause = core::duration::zero();
  await(step);
}

void step_lines::ask(core::step_id step, const seeker_ptr& who) {
  ++lines_[step].under_way;
  who->ask([weak = weak_from_this(), step, who](bool over) {
    const auto self = weak.lock();
    if (!self)
      return;
    auto& in = self->lines_[step];
    --in.under_way;
    if (over) {
      in.granted = true;
      in.asks_left = std::max(in.asks_left, refusals_least);
    } else {
      in.seekers.push_back(who);
    }
    self->go_on(step);
  });
}

} // namespace holdfast::http
