#include "actors/unit.hpp"

#include "actors/actor_guard.hpp"
#include "actors/held_promise.hpp"
#include "actors/payloads.hpp"
#include "core/clock_steps.hpp"
#include "core/object_ref.hpp"
#include "core/unit_tasks.hpp"
#include "core/unit_undo.hpp"
#include "documents/input_values.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<unit_state>*;

core::instant time(self_ptr self) { return now(self, self->state.shared->node); }

/// Tells the step what it must know after a decision. At once and not after the commit: the step
/// acts on it only through further decisions, which reach the writer behind this one.
void report(self_ptr self, std::vector<lease_end_report> ended, bool unreserve = false,
            std::optional<judged_report> judged = {},
            std::optional<core::contributor_id> unsaid = {}) {
  const auto& unit = self->state.unit;
  self->send(self->state.shared->step,
             unit_report{unit.id, unit.state, core::free_slots(unit), unreserve, std::move(ended),
                         core::next_expiry(unit.leases), std::move(judged), std::move(unsaid)});
}

/// The leases that `changes` ends.
std::vector<lease_end_report> ended_by(const core::unit& unit, const core::change& changes,
                                       core::instant at) {
  std::vector<lease_end_report> ended;
  for (const auto& write : changes.writes) {
    if (const auto* judged = std::get_if<core::insert_judgment>(&write))
      ended.push_back({judged->owner, true, core::instant::max()});
    // Not as answered: the expiry had opened the unit to them again.
    if (const auto* late = std::get_if<core::insert_late_judgment>(&write))
      ended.push_back({late->judgment.owner, false, core::instant::max()});
    if (const auto* over = std::get_if<core::end_lease_row>(&write)) {
      lease_end_report end{over->owner, false, at};
      for (const auto& bar : unit.bars)
        if (bar.contributor == over->owner)
          end.barred_until = bar.until;
      ended.push_back(std::move(end));
    }
  }
  return ended;
}

/// Carries out one decision: memory now (done by `decide`), disk next, the outside world last.
/// `once_durable` runs after the commit and before the answer.
template <class Answer, class Reply>
void carry_out(self_ptr self, caf::response_promise promise, core::decision<Answer> decided,
               Reply make_reply, std::function<void()> once_durable = {}) {
  auto& st = self->state;
  if (decided.refusal != core::errc::none) {
    st.pending.answer(
        self, st.shared->node, st.shared->from.shard,
        reply_refusal(std::move(promise), {decided.refusal, std::move(decided.detail)}));
    return;
  }
  auto effect = reply(std::move(promise), make_reply(decided.answer));
  if (decided.changes.empty()) {
    st.pending.answer(self, st.shared->node, st.shared->from.shard, std::move(effect));
    return;
  }
  if (once_durable)
    effect = [first = std::move(once_durable), then = std::move(effect)](const core::failure& why) {
      if (why.code == core::errc::none)
        first();
      then(why);
    };
  st.pending.write(self, st.shared->node, st.shared->writer, st.shared->from,
                   std::move(decided.changes), std::move(effect));
}

/// The contributor's grant or judgment is not stored: everybody goes on from the state before it.
void undo(self_ptr self, const core::contributor_id& contributor,
          const core::contributor_part& before, bool offered) {
  auto& st = self->state;
  part_undone undone{st.unit.id, contributor};
  undone.judged = core::find_lease(st.unit.leases, contributor) == nullptr;
  undone.offered = offered;
  if (before.lease && !core::is_task_judge(contributor)) // of whose leases the step keeps no list
    undone.held = before.lease->id;
  core::put_back(st.unit, contributor, before);
  self->send(st.shared->step, std::move(undone));
  report(self, {});
}

/// Writes what rests on an id that may be in use elsewhere, which only the database knows; until
/// then, what would rest on this waits (`must_wait`). `effect` gets `already_exists` when the id is
/// in use, and what the contributor did is taken back by then.
void write_unsure(self_ptr self, const core::contributor_id& contributor,
                  core::contributor_part before, core::change changes, bool offered,
                  std::function<void(const core::failure&)> effect) {
  auto& st = self->state;
  if (!st.unsure)
    st.unsure = std::make_unique<unsure_part>();
  st.unsure->contributors.push_back(contributor);
  st.pending.write_alone(
      self, st.shared->node, st.shared->writer, st.shared->from, std::move(changes),
      [=, then = std::move(effect), before = std::move(before)](const core::failure& why) {
        const bool taken = why.code == core::errc::already_exists;
        if (why.code == core::errc::none || taken) { // else the actor ends
          auto& unsure = self->state.unsure->contributors;
          unsure.erase(std::find(unsure.begin(), unsure.end(), contributor));
        }
        if (taken)
          undo(self, contributor, before, offered);
        then(why);
      });
}

/// `carry_out` for what rests on an id that the contributor has chosen: they are refused when it is
/// in use elsewhere.
template <class Answer, class Reply>
void carry_out_alone(self_ptr self, caf::response_promise promise,
                     const core::contributor_id& contributor, core::contributor_part before,
                     core::decision<Answer> decided, Reply make_reply, bool offered = false,
                     std::function<void()> once_durable = {}) {
  if (decided.refusal != core::errc::none || decided.changes.empty())
    return carry_out(self, std::move(promise), std::move(decided), std::move(make_reply));
  auto effect = reply(std::move(promise), make_reply(decided.answer));
  write_unsure(
      self, contributor, std::move(before), std::move(decided.changes), offered,
      [then = std::move(effect), first = std::move(once_durable)](const core::failure& why) {
        if (why.code == core::errc::none && first)
          first();
        then(why);
      });
}

void on(self_ptr self, caf::response_promise promise, owned_ask& ask) {
  auto& st = self->state;
  const auto& request = ask.request;
  // Fetched before anything is granted: no lease may run, or be taken back, for a payload that is
  // slow or lost. By the step, which knows what happens meanwhile and keeps its order.
  if (ask.input_of != st.unit.input) // replaced while it was fetched
    ask.input.clear();
  if (ask.input.empty() && core::begins_like_object_ref(st.unit.input)) {
    promise.delegate(st.shared->step, input_wanted{st.unit.id, std::move(ask), st.unit.input});
    return;
  }
  const auto at = time(self);
  auto before = core::part_of(st.unit, request.contributor);
  auto decided = core::decide(st.unit, st.shared->lease,
                              core::ask{request.contributor, request.assignment,
                                        std::max(st.shared->hides_counts ? core::token_of(at) : 0,
                                                 st.shared->node->tokens_above + 1)},
                              at);
  if (ask.reserved || !decided.changes.empty())
    report(self, {}, ask.reserved);
  // The step offered what is not open to this contributor: it did not know all that the unit knows.
  const bool passed_on = decided.refusal == core::errc::no_unit_available
                         || decided.refusal == core::errc::already_judged
                         || decided.refusal == core::errc::already_exists
                         || decided.refusal == core::errc::wrong_state;
  if (passed_on) {
    const auto until = core::barred_until(st.unit, request.contributor, at);
    ask.input.clear(); // the next unit has another one
    promise.delegate(st.shared->step, offer_refused{st.unit.id, std::move(ask), until});
    return;
  }
  carry_out_alone(
      self, std::move(promise), request.contributor, std::move(before), std::move(decided),
      [&](const core::lease& lease) {
        return msg::assignment{
            lease.id,    st.unit.step,     st.unit.id,
            lease.token, lease.expires_at, ask.input.empty() ? st.unit.input : ask.input,
            ask.ui};
      },
      ask.reserved);
}

void on(self_ptr self, caf::response_promise promise, const owned_release& release) {
  auto& st = self->state;
  const auto at = time(self);
  const auto& request = release.request;
  auto decided =
      core::decide(st.unit, st.shared->lease,
                   core::give_back{request.contributor, request.token, request.decline}, at);
  if (!decided.changes.empty())
    report(self, ended_by(st.unit, decided.changes, at));
  carry_out(self, std::move(promise), std::move(decided),
            [&](bool) { return msg::assignment_released{st.unit.id}; });
}

void on(self_ptr self, caf::response_promise promise, const owned_extend& extend) {
  auto& st = self->state;
  const auto& request = extend.request;
  auto decided = core::decide(st.unit, st.shared->lease,
                              core::extend{request.contributor, request.token}, time(self));
  if (!decided.changes.empty())
    report(self, {});
  carry_out(self, std::move(promise), std::move(decided), [&](const core::lease& lease) {
    return msg::assignment_extended{st.unit.id, lease.expires_at};
  });
}

/// Whether an accepted answer is right; of a unit that is no test question that means nothing.
bool is_right(self_ptr self, const std::string& payload) {
  auto& st = self->state;
  if (!st.matcher) {
    const bool asks = core::is_test_question(st.unit);
    auto matcher = documents::read_answer_matcher(
        asks ? st.unit.truth : R"({"match":"exact","answer":""})", st.shared->checker.labels());
    HOLDFAST_INVARIANT(matcher, "the step took in only questions whose truth can be read");
    st.matcher = std::make_unique<const documents::answer_matcher>(std::move(*matcher));
  }
  return (*st.matcher)(st.shared->checker.answer_value_of(payload));
}

/// What a judgment means to the unit, computed from its whole payload; or why it means nothing.
core::outcome<core::submit> command_of(self_ptr self, const trusted_submit& submit) {
  auto& st = self->state;
  const auto& request = submit.submit.request;
  auto answer = st.shared->checker.answer_of(request.payload);
  if (!answer)
    return answer.error();
  std::optional<bool> correct;
  // All answers of the step are looked at alike, or the time that it takes would tell which are of
  // test questions.
  const bool asks = core::is_test_question(st.unit);
  if (asks || st.shared->hides_counts)
    if (const bool right = is_right(self, request.payload); asks)
      correct = right;
  return core::submit{request.contributor, request.token, request.judgment, submit.ref,
                      std::move(*answer),  submit.trust,  correct,          submit.removed,
                      submit.judged_before};
}

void on(self_ptr self, caf::response_promise promise, const check_judgment& asked) {
  auto& st = self->state;
  const auto command = command_of(self, *asked.judgment);
  core::failure why = command ? core::failure{} : command.error();
  if (command) {
    auto trial = st.unit;
    auto decided = core::decide(trial, st.shared->lease, *command, time(self));
    why = {decided.refusal, std::move(decided.detail)};
  }
  if (why.code == core::errc::none)
    promise.deliver(judgment_checked{});
  else
    st.pending.answer(self, st.shared->node, st.shared->from.shard,
                      reply_refusal(std::move(promise), std::move(why)));
}

void on(self_ptr self, caf::response_promise promise, trusted_submit& submit) {
  auto& st = self->state;
  auto& request = submit.submit.request;
  const auto at = time(self);
  auto command = command_of(self, submit);
  if (!command) {
    st.pending.answer(self, st.shared->node, st.shared->from.shard,
                      reply_refusal(std::move(promise), command.error()));
    return;
  }
  if (command->payload.empty())
    command->payload = std::move(request.payload);
  const auto correct = command->test_correct;
  const judged_report judged{request.contributor, command->answer};
  const core::judgment_moment when{at, request.judgment};
  auto before = core::part_of(st.unit, command->contributor);
  auto decided = core::decide(st.unit, st.shared->lease, *command, at);
  const bool surplus = decided.answer.surplus;
  if (!decided.changes.empty())
    report(self, ended_by(st.unit, decided.changes, at), false,
           surplus ? std::nullopt : std::optional{judged});
  // The step may remove a contributor for it, or let others say that this came before them, which
  // is written apart: so not before this is durable.
  std::function<void()> tell_step;
  if (correct && !surplus)
    tell_step = [self, told = test_answered{st.unit.id, judged.contributor, *correct, when}] {
      self->send(self->state.shared->step, told);
    };
  else if ((submit.judged_before || st.shared->hides_counts) && !surplus)
    tell_step = [self, told = judgment_kept{judged.contributor, submit.judged_before.has_value()}] {
      self->send(self->state.shared->step, told);
    };
  carry_out_alone(
      self, std::move(promise), judged.contributor, std::move(before), std::move(decided),
      // A test question has a slot for everybody, so that none of its late answers is surplus.
      [hidden = st.shared->hides_counts](const core::submitted& s) {
        return msg::judgment_accepted{s.judgment, s.repeated, hidden ? s.late : s.surplus};
      },
      false, std::move(tell_step));
}

void on(self_ptr self, const caf::response_promise&, const expire_leases& command) {
  auto& st = self->state;
  const auto at = time(self);
  const bool shortened = core::heed_clock(st.unit.leases, command.longest, at);
  auto decided = core::decide(st.unit, st.shared->lease, core::expire{}, at);
  if (shortened) // the unit may leave the memory before they end
    for (const auto& lease : st.unit.leases.active)
      decided.changes.writes.push_back(
          core::extend_lease_row{st.unit.id, lease.owner, lease.token, lease.expires_at});
  report(self, ended_by(st.unit, decided.changes, at));
  if (!decided.changes.empty())
    st.pending.write(self, st.shared->node, st.shared->writer, st.shared->from,
                     std::move(decided.changes), [](const core::failure&) {});
}

/// `input`: what routes ask about, of the whole input.
void aggregate(self_ptr self, caf::response_promise promise, const judgment_seen& seen,
               core::input_values input) {
  auto& st = self->state;
  auto decided = core::decide(
      st.unit, st.shared->aggregation, st.shared->ways,
      core::aggregate_if_ready{seen.consumer, seen.message, seen.opinion, std::move(input)},
      time(self));
  if (!decided.changes.empty())
    report(self, {});
  std::function<void()> tell_of_none;
  if (decided.answer.without_result)
    tell_of_none = [self] {
      const auto& unit = self->state.unit;
      self->state.shared->node->log(log_level::warning, "item_without_result",
                                    {{"step", to_string(unit.step)},
                                     {"unit", to_string(unit.id)},
                                     {"item", to_string(unit.root)},
                                     {"sent_back", std::to_string(unit.loops)}});
    };
  carry_out(
      self, std::move(promise), std::move(decided),
      [](const core::aggregated&) { return events_applied{}; }, std::move(tell_of_none));
}

/// Fetches the input, and then aggregates. One that is lost is asked for again and again, as for
/// units that go on: none may silently go where it does not belong. Others do not wait for it.
void aggregate_with_input(self_ptr self, caf::response_promise asked, const judgment_seen& seen) {
  const auto& shared = self->state.shared;
  const held_promise promise{std::move(asked)};
  const auto input = std::make_shared<std::string>(self->state.unit.input);
  get_payloads(
      self, shared->objects, {input.get()}, internal_timeout,
      [=](const std::vector<core::failure>& outcomes) {
        const auto& st = self->state;
        const auto& why = outcomes.front();
        if (why.code == core::errc::none)
          return aggregate(self, promise.take(), seen,
                           documents::read_input_values(*input, st.shared->asked_of_input));
        const bool lost = is_lost(why);
        if (lost && core::ready_to_aggregate(st.unit))
          st.shared->node->log(log_level::error, "payload_unreadable",
                               {{"step", to_string(st.unit.step)},
                                {"unit", to_string(st.unit.id)},
                                {"reason", why.detail}});
        promise.deliver(msg::to_error(lost ? core::errc::damaged : core::errc::unavailable,
                                      "the unit's input cannot be read: " + why.detail));
      },
      when_busy::wait);
}

void on(self_ptr self, caf::response_promise promise, const judgment_seen& seen) {
  const auto& st = self->state;
  const auto& asked = st.shared->asked_of_input;
  // It is looked at once for each unit, and not with each judgment.
  if (asked.empty() || !core::ready_to_aggregate(st.unit))
    return aggregate(self, std::move(promise), seen, {});
  if (core::begins_like_object_ref(st.unit.input))
    return aggregate_with_input(self, std::move(promise), seen);
  aggregate(self, std::move(promise), seen, documents::read_input_values(st.unit.input, asked));
}

/// Decides about the end of a task, and carries that out. Its judgment has the id of the task,
/// which is no secret: where a contributor has used it for a judgment of theirs, it gets another
/// one.
void take_task_result(self_ptr self, caf::response_promise promise,
                      const core::take_result& command, core::instant at) {
  auto& st = self->state;
  // At the same moment: the result came in time, however long the database took.
  const auto under_another_id = [=] {
    auto other = command;
    core::uuid_source ids{self->state.shared->node->take_seed()};
    other.judgment = {ids.next(at)};
    take_task_result(self, promise, other, at);
  };
  auto before = core::part_of(st.unit, core::judge_of(st.unit, command.task));
  auto decided = core::decide(st.unit, st.shared->lease, command, at);
  if (decided.refusal == core::errc::already_exists) // in this unit
    return under_another_id();
  const auto done = [](const core::contributor_id&) { return events_applied{}; };
  if (decided.changes.empty())
    return carry_out(self, std::move(promise), std::move(decided), done);
  std::optional<judged_report> judged;
  if (!command.payload.empty())
    judged = judged_report{decided.answer, command.answer};
  report(self, ended_by(st.unit, decided.changes, at), false, std::move(judged));
  write_unsure(self, decided.answer, std::move(before), std::move(decided.changes), false,
               [=, then = reply(promise, events_applied{})](const core::failure& why) {
                 if (why.code == core::errc::already_exists)
                   under_another_id();
                 else
                   then(why);
               });
}

void on(self_ptr self, caf::response_promise promise, task_over& over) {
  auto& st = self->state;
  const auto at = time(self);
  core::take_result command{over.task, over.ending, std::move(over.result), {}, over.trust, {}};
  if (!command.payload.empty() && !core::judge_of(st.unit, over.task).empty()) {
    if (auto answer = st.shared->checker.answer_of(command.payload)) {
      command.answer = std::move(*answer);
    } else {
      st.shared->node->log(log_level::warning, "task_result_unusable",
                           {{"unit", to_string(st.unit.id)},
                            {"task", to_string(over.task)},
                            {"reason", answer.error().detail}});
      command.payload.clear();
    }
  }
  if (!command.payload.empty() && !over.ref.empty())
    command.payload = std::move(over.ref);
  take_task_result(self, std::move(promise), command, at);
}

void on(self_ptr self, const caf::response_promise&, const disregard_contributor& command) {
  auto& st = self->state;
  const auto at = time(self);
  auto decided = core::decide(st.unit, st.shared->lease,
                              core::disregard{command.contributor, command.keeps_judgments}, at);
  if (decided.changes.empty())
    return;
  report(self, ended_by(st.unit, decided.changes, at));
  st.pending.write(self, st.shared->node, st.shared->writer, st.shared->from,
                   std::move(decided.changes), [](const core::failure&) {});
}

void on(self_ptr self, caf::response_promise promise, const core::withdraw& command) {
  auto& st = self->state;
  const auto at = time(self);
  auto decided = core::decide(st.unit, st.shared->lease, st.shared->ways, command, at);
  if (!decided.changes.empty())
    report(self, ended_by(st.unit, decided.changes, at));
  carry_out(self, std::move(promise), std::move(decided), [](bool) { return events_applied{}; });
}

void on(self_ptr self, caf::response_promise promise, const core::replace_input& command) {
  auto decided = core::decide(self->state.unit, command);
  decided.changes = noted(std::move(decided.changes), note_in_hand::get());
  carry_out(self, std::move(promise), std::move(decided),
            [](bool changed) { return input_replaced{changed}; });
}

void on(self_ptr self, const caf::response_promise&, const reinstate_contributor& command) {
  auto& st = self->state;
  auto decided = core::decide(st.unit, core::reinstate{command.contributor}, time(self));
  if (const auto* judged = core::counted_judgment(st.unit, command.contributor))
    report(self, {}, false, judged_report{judged->contributor, judged->answer});
  if (!decided.changes.empty())
    st.pending.write(self, st.shared->node, st.shared->writer, st.shared->from,
                     std::move(decided.changes), [](const core::failure&) {});
}

void on(self_ptr self, const caf::response_promise&, const core::trust_anew& command) {
  auto& st = self->state;
  auto decided = core::decide(st.unit, command);
  if (!decided.changes.empty())
    st.pending.write(self, st.shared->node, st.shared->writer, st.shared->from,
                     std::move(decided.changes), [](const core::failure&) {});
}

void on(self_ptr self, caf::response_promise promise, const msg::change_unit& request) {
  auto& st = self->state;
  const auto at = time(self);
  auto decided =
      core::decide(st.unit, st.shared->lease, static_cast<core::unit_verb>(request.verb), at);
  if (!decided.changes.empty())
    report(self, ended_by(st.unit, decided.changes, at));
  decided.changes = noted(std::move(decided.changes), note_in_hand::get());
  carry_out(self, std::move(promise), std::move(decided), [&](core::unit_state state) {
    return msg::unit_changed{st.unit.id, state};
  });
}

void on(self_ptr self, caf::response_promise promise, const correct_unit& m) {
  auto& st = self->state;
  const auto& shared = *st.shared;
  const auto at = time(self);
  auto decided = core::correct(
      st.unit, {shared.lease, shared.aggregation, shared.ways, shared.repair}, m.command, at);
  const bool changed = !decided.changes.empty();
  if (changed) {
    const auto& row = decided.answer;
    const auto* judged = core::counted_judgment(st.unit, row.contributor);
    const bool again = row.kind == core::correction_kind::reinstated && judged != nullptr;
    const bool unsaid = row.kind == core::correction_kind::tainted;
    report(self, ended_by(st.unit, decided.changes, at), false,
           again ? std::optional{judged_report{row.contributor, judged->answer}} : std::nullopt,
           unsaid ? std::optional{row.contributor} : std::nullopt);
  }
  decided.changes = noted(std::move(decided.changes), note_in_hand::get());
  carry_out(self, std::move(promise), std::move(decided),
            [changed](const core::correction_row& row) {
              return unit_correction_done{row, changed};
            });
}

void on(self_ptr self, caf::response_promise promise, const correct_judgment_part& m) {
  auto& st = self->state;
  const auto& request = m.request;
  const auto refused = [&](core::failure why) {
    st.pending.answer(self, st.shared->node, st.shared->from.shard,
                      reply_refusal(std::move(promise), std::move(why)));
  };
  auto answer = st.shared->checker.answer_of(request.payload);
  if (!answer)
    return refused(answer.error());
  const core::correct_judgment command{request.contributor, request.judgment,
                                       request.number,      m.ref.empty() ? request.payload : m.ref,
                                       std::move(*answer),  m.removed};
  if (m.trial) {
    auto trial = st.unit;
    auto decided = core::decide(trial, m.rules, command, time(self));
    if (decided.refusal != core::errc::none)
      return refused({decided.refusal, std::move(decided.detail)});
    return promise.deliver(judgment_checked{});
  }
  auto decided = core::decide(st.unit, m.rules, command, time(self));
  if (decided.answer.applied)
    report(self, {}, false, judged_report{command.contributor, command.answer},
           command.contributor);
  carry_out(self, std::move(promise), std::move(decided),
            [number = request.number](const core::corrected_judgment& done) {
              return msg::judgment_corrected{done.judgment, number, done.repeated};
            });
}

void on(self_ptr self, caf::response_promise promise, const step_canceled&) {
  auto& st = self->state;
  const auto at = time(self);
  auto decided = core::decide(st.unit, st.shared->lease, core::unit_verb::cancel, at);
  if (decided.refusal != core::errc::none) // it was finished before
    decided = {};
  if (!decided.changes.empty())
    report(self, ended_by(st.unit, decided.changes, at));
  carry_out(self, std::move(promise), std::move(decided),
            [](core::unit_state) { return events_applied{}; });
}

/// Turns a request away, before anything is decided, while the writers have too much to do. What
/// the node's own actors ask for is always taken: they would only ask again. So is what the step
/// offers, which has looked for room itself and keeps a slot for it.
template <class Command>
bool turn_away(self_ptr self, caf::response_promise& promise, const Command&) {
  constexpr bool can_come_again =
      msg::is_one_of<Command, owned_release, owned_extend, trusted_submit, msg::change_unit>;
  if constexpr (!can_come_again)
    return false;
  const auto why = room_to_write(*self->state.shared->node);
  if (why.code == core::errc::none)
    return false;
  promise.deliver(msg::to_error(why));
  return true;
}

/// The step sends nothing after it.
void on(self_ptr self, const caf::response_promise&, const passivate&) {
  self->state.pending.after_all([=](const core::failure& why) {
    self->quit(why.code == core::errc::none ? caf::error{} : msg::to_error(why));
  });
}

// Whether a command may rest on what somebody did whose id may be in use.

template <class Command>
bool rests_on(self_ptr, const core::contributor_id&, const Command&) {
  return true; // the whole unit
}
bool rests_on(self_ptr, const core::contributor_id& who, const owned_ask& m) {
  return m.request.contributor == who;
}
bool rests_on(self_ptr, const core::contributor_id& who, const owned_release& m) {
  return m.request.contributor == who;
}
bool rests_on(self_ptr, const core::contributor_id& who, const owned_extend& m) {
  return m.request.contributor == who;
}
bool rests_on(self_ptr, const core::contributor_id& who, const trusted_submit& m) {
  return m.submit.request.contributor == who;
}
bool rests_on(self_ptr, const core::contributor_id& who, const correct_judgment_part& m) {
  return m.request.contributor == who;
}
bool rests_on(self_ptr, const core::contributor_id& who, const check_judgment& m) {
  return m.judgment->submit.request.contributor == who;
}
bool rests_on(self_ptr self, const core::contributor_id&, const judgment_seen&) {
  return core::ready_to_aggregate(self->state.unit);
}
/// Nor may the end of a lease be written that the store may refuse to begin.
bool rests_on(self_ptr self, const core::contributor_id& who, const expire_leases&) {
  const auto* lease = core::find_lease(self->state.unit.leases, who);
  return lease != nullptr && !lease->held_at(time(self));
}
bool rests_on(self_ptr, const core::contributor_id&, const passivate&) {
  return false; // it waits for all writes anyway
}

bool must_wait(self_ptr self, const unit_command& command) {
  const auto& unsure = self->state.unsure;
  return unsure
         && std::any_of(unsure->contributors.begin(), unsure->contributors.end(),
                        [&](const core::contributor_id& who) {
                          return std::visit(
                              [&](const auto& what) { return rests_on(self, who, what); },
                              command.what);
                        });
}

/// Whether the command is answered: its sender waits for an answer, or would drop one.
bool is_answered(const unit_command& command) {
  return std::visit(
      [](const auto& what) {
        using type = std::decay_t<decltype(what)>;
        return !msg::is_one_of<type, disregard_contributor, reinstate_contributor, core::trust_anew,
                               expire_leases, passivate>;
      },
      command.what);
}

void carry_on(self_ptr self, caf::response_promise promise, unit_command& command) {
  const note_in_hand note{std::move(command.note)};
  std::visit(
      [&](auto& what) {
        if (!turn_away(self, promise, what))
          on(self, std::move(promise), what);
      },
      command.what);
}

/// Decides about a command, or keeps it for later. All that comes behind one that waits waits, too:
/// whoever sent them relies on their order.
void receive(self_ptr self, unit_command& command) {
  auto& unsure = self->state.unsure;
  auto promise = self->make_response_promise();
  if (!unsure || (unsure->waiting.empty() && !must_wait(self, command)))
    return carry_on(self, std::move(promise), command);
  std::optional<held_promise> held;
  if (is_answered(command))
    held.emplace(std::move(promise));
  unsure->waiting.push_back({std::move(held), std::move(command)});
}

/// Returns an offer that waited to the step, which knows what has happened since. A repeated
/// request is no offer: it is answered with the lease that it got.
bool pass_back(self_ptr self, caf::response_promise& promise, unit_command& command) {
  auto* ask = std::get_if<owned_ask>(&command.what);
  if (ask == nullptr || !ask->reserved)
    return false;
  promise.delegate(self->state.shared->step, offer_delayed{self->state.unit.id, std::move(*ask)});
  return true;
}

/// Some of what was unsure is known now.
void go_on(self_ptr self) {
  auto& unsure = self->state.unsure;
  while (unsure && !unsure->waiting.empty() && !must_wait(self, unsure->waiting.front().command)) {
    auto next = std::move(unsure->waiting.front());
    unsure->waiting.pop_front();
    auto promise = next.promise ? next.promise->take() : caf::response_promise{};
    if (!pass_back(self, promise, next.command))
      carry_on(self, std::move(promise), next.command);
  }
  if (unsure && unsure->waiting.empty() && unsure->contributors.empty())
    unsure.reset(); // a unit that rests has none
}

} // namespace

caf::behavior unit_actor(caf::stateful_actor<unit_state>* self, core::unit loaded,
                         step_context_ptr shared) {
  guard(self, shared->node);
  ++shared->node->gauges.live_units;
  self->state.unit = std::move(loaded);
  self->state.shared = std::move(shared);
  return {
      [=](unit_command& command) { receive(self, command); },
      [=](const write_done& done) {
        if (!self->state.pending.settle(done))
          return self->quit(msg::to_error(done.failure));
        go_on(self);
      },
  };
}

} // namespace holdfast::actors
