#include "actors/step_state.hpp"
#include "core/relearning.hpp"

#include <algorithm>
#include <set>

namespace holdfast::actors {

namespace {

/// But for test questions: what is said to these was never left out, and its trust weighs nothing.
std::vector<core::unit_id> open_units_of(const step_state& st,
                                         const core::contributor_id& contributor) {
  auto units = st.ready.touched_by(contributor);
  units.erase(std::remove_if(units.begin(), units.end(),
                             [&](const auto& unit) { return st.board->is_question(unit); }),
              units.end());
  return units;
}

using decided_forgiveness = core::decision<core::contributor_board::forgiveness>;

decided_forgiveness decide(step_ptr self, const msg::forgive_question& request) {
  auto& st = self->state;
  return st.board->forgive(request.unit, !request.count_again, now(self, st.context));
}

/// What the board has decided goes its way.
void carry_out(step_ptr self, const msg::forgive_question& request, const held_promise& promise,
               decided_forgiveness decided) {
  auto& st = self->state;
  const auto& [reinstated, removed, concerned] = decided.answer;
  const msg::question_forgiven answer{request.step, request.unit, !request.count_again, reinstated,
                                      removed};
  auto effect = [promise, answer](const core::failure& why) {
    if (why.code == core::errc::none)
      promise.deliver(answer);
    else
      promise.deliver(msg::to_error(why));
  };
  if (decided.changes.empty())
    return st.pending.answer(self, st.context, st.identity.shard, std::move(effect));
  write(self, promise.noted(std::move(decided.changes)), std::move(effect));
  // Before anything counts again: a unit that is full then has its result by the trust of now.
  for (const auto& contributor : concerned)
    trust_anew(self, contributor, open_units_of(st, contributor));
  for (const auto& contributor : reinstated) {
    st.context->log(log_level::info, "contributor_reinstated",
                    {{"step", to_string(st.identity.step())}, {"contributor", contributor}});
    reinstate(self, contributor, open_units_of(st, contributor));
  }
  for (const auto& contributor : removed)
    carry_out_removal(self, contributor);
  for (const auto& contributor : reinstated) // whom a removal from elsewhere may still keep out
    follow_removal(self, contributor, true);
}

/// The model becomes what the next life of the step would make of the history. Whether what those
/// who are back at work said of open units counts is known there alone: until now, the model has
/// heard it from them.
void learn_anew(step_ptr self, core::step_history history) {
  auto& st = self->state;
  std::set<core::contributor_id> back;
  for (const auto& standing : history.standings)
    if (!st.board->removed(standing.contributor))
      back.insert(standing.contributor);
  history.votes =
      core::votes_to_relearn(std::move(history.votes), st.model->counted(), [&](const auto& vote) {
        return back.count(vote.contributor) > 0 && st.ready.contains(vote.unit)
               && !st.board->is_question(vote.unit);
      });
  take_model(self, model_of(self, history));
}

void forgive_with_model(step_ptr self, const msg::forgive_question& request,
                        const held_promise& promise);

void on_history(step_ptr self, const msg::forgive_question& request, const held_promise& promise,
                std::uint64_t withdrawals, step_loaded& stored) {
  if (self->state.withdrawals != withdrawals)
    return forgive_with_model(self, request, promise);
  auto decided = decide(self, request);
  if (!decided.changes.empty())
    learn_anew(self, std::move(stored.history));
  carry_out(self, request, promise, std::move(decided));
}

/// What a model has learned of a question cannot be taken out of it: it learns anew, from what is
/// stored. Board and model change at once, so that nobody finds them at odds.
void forgive_with_model(step_ptr self, const msg::forgive_question& request,
                        const held_promise& promise) {
  // What this step has decided before is in what is read.
  write(self, {}, [=, withdrawals = self->state.withdrawals](const core::failure& settled) {
    if (settled.code != core::errc::none)
      return promise.deliver(msg::to_error(settled));
    read(self, self->state.links.loader,
         [step = request.step](persistence::store& db) { return load_step(db, step); })
        .then([=](step_loaded& stored) { on_history(self, request, promise, withdrawals, stored); },
              [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
  });
}

/// Tells a unit that is no test question from one that is not there.
void tell_why_no_question(step_ptr self, const core::unit_id& unit, const held_promise& promise) {
  read_units(self, {unit})
      .then(
          [=](const std::vector<core::unit_record>& units) {
            if (units.empty() || units[0].step != self->state.identity.step())
              promise.deliver(
                  msg::to_error(core::errc::not_found, "the step has no unit " + to_string(unit)));
            else
              promise.deliver(
                  msg::to_error(core::errc::wrong_state, "the unit is no test question"));
          },
          [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

} // namespace

bool refused_as_no_question(step_ptr self, const core::unit_id& unit) {
  const auto& st = self->state;
  const bool tested = definition_of(st).test_questions.has_value();
  if (tested && st.board->is_question(unit))
    return false;
  const held_promise promise{self->make_response_promise()};
  if (tested)
    tell_why_no_question(self, unit, promise);
  else
    refuse(self, promise, {core::errc::wrong_state, "the step has no test questions"});
  return true;
}

void on_forgive_question(step_ptr self, const msg::forgive_question& request) {
  if (refused_as_no_question(self, request.unit))
    return;
  const auto& st = self->state;
  const held_promise promise{self->make_response_promise()};
  if (auto why = st.board->reconsidering_obstacle(); why.code != core::errc::none)
    return refuse(self, promise, std::move(why));
  const bool news = st.board->is_forgiven(request.unit) == request.count_again;
  if (st.model && news)
    forgive_with_model(self, request, promise);
  else
    carry_out(self, request, promise, decide(self, request));
}

} // namespace holdfast::actors
