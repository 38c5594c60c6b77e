#include "actors/step_state.hpp"

#include "documents/answer_matcher.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace holdfast::actors {

namespace {

// What there is to tell some time after a command could not be told: perhaps nothing.

std::optional<disregard_contributor> as_it_is_now(step_ptr self, disregard_contributor command) {
  const bool still = command.keeps_judgments ? may_not_work(self, command.contributor)
                                             : self->state.board->removed(command.contributor);
  return still ? std::optional{std::move(command)} : std::nullopt;
}

std::optional<reinstate_contributor> as_it_is_now(step_ptr self, reinstate_contributor command) {
  const auto& board = *self->state.board;
  if (board.removed(command.contributor) || board.is_held(command.contributor))
    return std::nullopt;
  return command;
}

std::optional<core::trust_anew> as_it_is_now(step_ptr self, const core::trust_anew& command) {
  const auto& contributor = command.contributor;
  return core::trust_anew{contributor, self->state.board->course_of(contributor)};
}

/// What a unit must know of a contributor. One that cannot be read learns it when it can.
template <class Command>
void tell_unit(step_ptr self, const core::unit_id& unit, Command command,
               std::uint32_t attempt = 1) {
  with_unit(self, unit, [=](const caf::actor& actor, const core::failure& why) {
    if (actor)
      self->send(actor, unit_command{command});
    else if (core::describe(why.code).retryable)
      again_later(self, attempt, [=] {
        if (auto what = as_it_is_now(self, command))
          tell_unit(self, unit, std::move(*what), attempt + 1);
      });
  });
}

/// Nothing that they did in these units counts any more.
void disregard(step_ptr self, const core::contributor_id& contributor,
               const std::vector<core::unit_id>& units) {
  for (const auto& unit : units)
    tell_unit(self, unit, disregard_contributor{contributor, false});
}

msg::contributor_view view_of(const core::contributor_report& report) {
  msg::contributor_view view{report.contributor,  report.standing,    report.reason,
                             report.assignments,  report.tests.asked, report.tests.right,
                             report.trust.mean(), low(report.trust),  {}};
  for (const auto raised : report.flags)
    view.flags.emplace_back(to_string(raised));
  return view;
}

/// Each life of the step tells it once for each kind of row.
void log_damage(step_ptr self) {
  using row = core::step_history::unreadable;
  const auto& st = self->state;
  std::map<row::row, std::vector<const row*>> by_kind;
  for (const auto& one : st.board->damage())
    by_kind[one.what].push_back(&one);
  for (const auto& [kind, rows] : by_kind)
    st.context->log(log_level::error, "step_rows_unreadable",
                    {{"step", to_string(st.identity.step())},
                     {"rows", std::to_string(rows.size())},
                     {"first", text_of(*rows.front())}});
}

} // namespace

void carry_out_removal(step_ptr self, const core::contributor_id& contributor) {
  auto& st = self->state;
  st.context->log(log_level::info, "contributor_removed",
                  {{"step", to_string(st.identity.step())}, {"contributor", contributor}});
  ++st.withdrawals;
  if (st.model)
    st.model->withdraw(contributor);
  const auto touched = st.ready.touched_by(contributor);
  std::set<core::unit_id> units{touched.begin(), touched.end()};
  if (const auto held = st.held.find(contributor); held != st.held.end())
    for (const auto& lease : held->second)
      units.insert(lease.unit);
  disregard(self, contributor, {units.begin(), units.end()});
}

void end_leases_of(step_ptr self, const core::contributor_id& contributor) {
  const auto& st = self->state;
  const auto held = st.held.find(contributor);
  if (held == st.held.end())
    return;
  const auto leases = held->second; // which end meanwhile
  for (const auto& lease : leases)
    tell_unit(self, lease.unit, disregard_contributor{contributor, true});
}

bool refused_as_held(step_ptr self, const held_promise& promise,
                     const core::contributor_id& contributor) {
  auto why = self->state.board->held(contributor);
  if (why.code == core::errc::none)
    return false;
  refuse(self, promise, std::move(why));
  return true;
}

// Not of somebody who is held: they may have been removed.
void reinstate(step_ptr self, const core::contributor_id& contributor,
               const std::vector<core::unit_id>& units) {
  if (self->state.board->is_held(contributor))
    return;
  for (const auto& unit : units)
    tell_unit(self, unit, reinstate_contributor{contributor});
}

void trust_anew(step_ptr self, const core::contributor_id& contributor,
                const std::vector<core::unit_id>& units) {
  if (!definition_of(self->state).trust_from.step)
    return; // it does not rest on the questions here
  const core::trust_anew command{contributor, self->state.board->course_of(contributor)};
  for (const auto& unit : units)
    tell_unit(self, unit, command);
}

core::answer_model model_of(step_ptr self, const core::step_history& history) {
  const auto& st = self->state;
  const auto& policy = definition_of(st).aggregation;
  core::answer_model model{policy.labels, policy.method};
  for (const auto& question : history.questions)
    if (const auto truth = documents::single_right_answer(question.truth, policy.labels);
        truth && !st.board->is_forgiven(question.unit))
      model.hold(question.unit, *truth);
  for (const auto& said : history.overridden)
    model.hold(said.unit, said.answer);
  for (const auto& vote : history.votes)
    if (!st.board->removed(vote.contributor))
      model.add(vote.unit, vote.contributor, vote.answer);
  return model;
}

void restore_quality(step_ptr self, const core::step_history& history) {
  auto& st = self->state;
  const auto& mine = definition_of(st);
  st.board.emplace(st.identity.step(), mine.test_questions);
  st.board->restore(history);
  log_damage(self);
  if (core::asks_model(mine.aggregation.method))
    take_model(self, model_of(self, history));
  for (const auto& left : history.unsettled_units)
    disregard(self, left.contributor, {left.unit});
  for (const auto& left : st.board->wrongly_trusted(history.trusted_judgments))
    trust_anew(self, left.contributor, {left.unit});
  for (const auto& left : history.reinstatable_units)
    reinstate(self, left.contributor, {left.unit});
  auto overdue = st.board->settle(now(self, st.context));
  if (overdue.answer.empty())
    return;
  write(self, std::move(overdue.changes), [](const core::failure&) {});
  for (const auto& contributor : overdue.answer)
    carry_out_removal(self, contributor);
}

void note_for_quality(step_ptr self, const unit_report& report) {
  auto& st = self->state;
  const bool is_question = st.board->is_question(report.unit);
  if (is_question)
    st.board->set_open(report.unit, report.state == core::unit_state::judgable);
  for (const auto& end : report.ended)
    if (!end.answered)
      st.board->unanswered(end.contributor, report.unit);
  if (report.unsaid) {
    ++st.withdrawals;
    if (st.model)
      st.model->withdraw(report.unit, *report.unsaid);
  }
  if (!report.judged)
    return;
  // A late judgment may have been under way to a unit of which this step did not know that they had
  // to do with it, when they were removed.
  if (st.board->removed(report.judged->contributor))
    disregard(self, report.judged->contributor, {report.unit});
  else if (st.model) {
    st.model->add(report.unit, report.judged->contributor, report.judged->answer);
    refit_when_due(self);
  }
  if (!is_question)
    survey_when_due(self);
}

void conclude(step_ptr self, const test_answered& answer) {
  auto& st = self->state;
  auto decided = st.board->answered(answer.contributor, answer.unit, answer.correct, answer.when,
                                    now(self, st.context));
  if (!decided.answer)
    return;
  write(self, std::move(decided.changes), [](const core::failure&) {});
  carry_out_removal(self, answer.contributor);
}

void disregard_removed(step_ptr self, const core::unit_id& unit) {
  for (const auto& known : self->state.board->report())
    if (known.standing == core::contributor_standing::removed)
      disregard(self, known.contributor, {unit});
}

void on_remove_contributor(step_ptr self, const msg::remove_contributor& request) {
  auto& st = self->state;
  const held_promise promise{self->make_response_promise()};
  if (refused_as_held(self, promise, request.contributor))
    return;
  auto decided = st.board->remove(request.contributor, now(self, st.context));
  decided.changes = promise.noted(std::move(decided.changes));
  auto effect =
      reply(promise.take(), msg::contributor_removed{st.identity.step(), request.contributor});
  if (!decided.answer) {
    st.pending.answer(self, st.context, st.identity.shard, std::move(effect));
    return;
  }
  write(self, std::move(decided.changes), std::move(effect));
  carry_out_removal(self, request.contributor);
}

// What the board knows of answers is durable, and the unit has told of one before its contributor
// hears that it is accepted.
void on_get_feedback(step_ptr self, const msg::get_feedback& request) {
  const auto told = self->state.board->feedback(request.contributor, request.unit);
  const held_promise promise{self->make_response_promise()};
  if (!told)
    return refuse(self, promise, told.error());
  auto& st = self->state;
  st.pending.answer(
      self, st.context, st.identity.shard,
      [promise, unit = request.unit, told = *told](const core::failure& lost) {
        if (lost.code != core::errc::none)
          return promise.deliver(msg::to_error(lost));
        promise.deliver(msg::judgment_feedback{unit, told.test_question, told.right, told.counts});
      });
}

void on_list_contributors(step_ptr self, const msg::list_contributors& request) {
  const held_promise promise{self->make_response_promise()};
  // One more than wanted, which says whether there are more.
  read(self, self->state.links.reader,
       [request](persistence::store& db) {
         return db.load_grants(request.step, request.after, request.limit + 1);
       })
      .then(
          [=](const std::vector<core::step_history::worked>& granted) {
            auto& st = self->state;
            msg::contributor_page page;
            for (const auto& report : st.board->report(granted, request.after)) {
              page.more = page.contributors.size() == request.limit;
              if (page.more)
                break;
              page.contributors.push_back(view_of(report));
              if (st.board->is_held(report.contributor))
                page.contributors.back().flags.emplace_back("damaged");
            }
            st.pending.answer(self, st.context, st.identity.shard,
                              [promise, page = std::move(page)](const core::failure& lost) {
                                if (lost.code == core::errc::none)
                                  promise.deliver(page);
                                else
                                  promise.deliver(msg::to_error(lost));
                              });
          },
          [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

} // namespace holdfast::actors
