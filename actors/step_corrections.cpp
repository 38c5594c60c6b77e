#include "actors/step_state.hpp"

#include "core/object_ref.hpp"
#include "core/unit_corrections.hpp"
#include "documents/input_values.hpp"
#include "documents/override_document.hpp"
#include "documents/result_document.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace holdfast::actors {

namespace {

/// Corrections of one step that wait for their turn.
constexpr std::size_t corrections_waiting_max = 64;

/// How often one is put off because its unit is just being finished, loaded or repaired.
constexpr std::uint32_t correction_tries_max = 12;

/// Corrections of judgments that one step has under way at once.
constexpr std::size_t judgment_corrections_at_once = 64;

/// What is stored of the unit.
struct correction_material {
  std::vector<core::correction_row> earlier;
  std::vector<core::unit_record> units;
};

using correction_ptr = std::shared_ptr<correction_in_hand>;

void begin_correction(step_ptr self, const correction_ptr& c);

void next_correction(step_ptr self) {
  auto& line = self->state.corrections;
  line.pop_front();
  if (!line.empty())
    begin_correction(self, line.front());
}

void fail_correction(step_ptr self, const correction_ptr& c, const core::failure& why) {
  c->promise.deliver(msg::to_error(why));
  next_correction(self);
}

msg::unit_corrected view_of(const core::correction_row& row, bool changed) {
  return {row.unit,    row.id, std::string{to_string(row.kind)}, row.wanted, row.took_back,
          row.is_open, changed};
}

void end_correction(step_ptr self, const correction_ptr& c, const core::correction_row& row,
                    bool changed) {
  c->promise.deliver(view_of(row, changed));
  next_correction(self);
}

/// The unit is coming or going, or has changed since it was looked at.
void correct_later(step_ptr self, const correction_ptr& c) {
  if (++c->tries > correction_tries_max)
    return fail_correction(self, c,
                           {core::errc::unavailable, "the unit is busy; send the request again"});
  again_later(self, c->tries, [=] { begin_correction(self, c); });
}

core::correction_kind kind_of(const correction_in_hand& c) {
  return static_cast<core::correction_kind>(c.command.what.index() + 1);
}

/// Whether the row is of this very request. The answer of an override has been read by then.
bool is_repetition(const core::correction_row& row, const correction_in_hand& c) {
  const auto* asked = std::get_if<core::reopen_finished>(&c.command.what);
  const auto* said = std::get_if<core::override_result>(&c.command.what);
  return row.kind == kind_of(c) && row.judgment == core::judgment_of(c.command)
         && row.reason == c.command.author.reason
         && (asked == nullptr || row.wanted == asked->judgments)
         && (said == nullptr || row.answer == said->answer);
}

core::correction_rules rules_of(const step_context& shared) {
  return {shared.lease, shared.aggregation, shared.ways, shared.repair};
}

const core::judgment_mark* judgment_in(const core::unit& unit, const core::judgment_id& id) {
  for (const auto& j : unit.judgments)
    if (j.id == id)
      return &j;
  return nullptr;
}

/// What the model makes of the unit when the judgment counts no more, or again.
std::optional<core::model_opinion> opinion_after(const step_state& st, const core::unit& unit,
                                                 const correction_in_hand& c) {
  const auto* judged = judgment_in(unit, core::judgment_of(c.command));
  if (!st.model || judged == nullptr)
    return std::nullopt;
  auto model = *st.model; // what is not corrected after all must leave it as it is
  if (kind_of(c) == core::correction_kind::tainted)
    model.withdraw(unit.id, judged->contributor);
  else
    model.add(unit.id, judged->contributor, judged->answer);
  return model.opinion_of(unit.id);
}

/// The model learns of it. An open unit tells of its judgments itself.
void teach(step_state& st, const core::correction_row& row, const core::unit* finished) {
  if (row.took_back)
    ++st.withdrawals;
  if (!st.model)
    return;
  const auto* judged = finished == nullptr ? nullptr : judgment_in(*finished, row.judgment);
  switch (row.kind) {
  case core::correction_kind::reopened:
    return st.model->let_go(row.unit);
  case core::correction_kind::overridden:
    return st.model->hold(row.unit, row.answer);
  case core::correction_kind::tainted:
    if (judged != nullptr)
      st.model->withdraw(row.unit, judged->contributor);
    return;
  case core::correction_kind::reinstated:
    if (judged != nullptr)
      st.model->add(row.unit, judged->contributor, judged->answer);
    return;
  }
}

/// Nothing but the step decides about the unit, which is finished.
void decide_about_finished(step_ptr self, const correction_ptr& c, core::unit_record unit) {
  auto& st = self->state;
  const auto& shared = *context_of(st, unit.version);
  core::finished_result was;
  was.standing = documents::read_result(unit.result);
  if (was.standing.overridden)
    was.before_override = documents::before_override(unit.result);
  else
    was.opinion = opinion_after(st, unit, *c);
  auto decided =
      core::correct_finished(unit, rules_of(shared), c->command, was, now(self, st.context));
  if (decided.refusal != core::errc::none) {
    let_go(self, {unit.id});
    return fail_correction(self, c, {decided.refusal, std::move(decided.detail)});
  }
  if (decided.changes.empty()) {
    let_go(self, {unit.id});
    return end_correction(self, c, decided.answer, false);
  }
  teach(st, decided.answer, &unit);
  write(self, noted(std::move(decided.changes), c->note),
        [=, row = decided.answer, unit = std::move(unit)](const core::failure& why) {
          if (why.code != core::errc::none) // it ends the step
            return c->promise.deliver(msg::to_error(why));
          release_units(self, {unit});
          end_correction(self, c, row, true);
        });
}

void correct_finished_unit(step_ptr self, const correction_ptr& c) {
  if (!hold_units(self, {c->unit}))
    return correct_later(self, c);
  read_units(self, {c->unit})
      .then(
          [=](std::vector<core::unit_record>& units) {
            if (!units.empty() && units.front().state == core::unit_state::finalized)
              return decide_about_finished(self, c, std::move(units.front()));
            let_go(self, {c->unit});
            correct_later(self, c);
          },
          [=](const core::failure& why) {
            let_go(self, {c->unit});
            fail_correction(self, c, why);
          });
}

/// The unit decides, which alone knows its leases.
void correct_open_unit(step_ptr self, const correction_ptr& c) {
  with_unit(self, c->unit, [=](const caf::actor& actor, const core::failure& why) {
    if (!actor)
      return fail_correction(self, c, why);
    heed_cancellation(self, actor);
    self->request(actor, caf::infinite, unit_command{correct_unit{c->command}, c->note})
        .then(
            [=](const unit_correction_done& done) {
              if (done.changed)
                teach(self->state, done.row, nullptr);
              end_correction(self, c, done.row, done.changed);
            },
            [=](const caf::error& error) {
              const auto failed = msg::failure_of(error);
              if (failed.code == core::errc::unavailable) // finished just now, or crashed
                return correct_later(self, c);
              fail_correction(self, c, failed);
            });
  });
}

void decide_correction(step_ptr self, const correction_ptr& c, const core::unit_record& unit) {
  if (unit.state == core::unit_state::finalized)
    return correct_finished_unit(self, c);
  if (core::is_open(unit.state) && !core::is_test_question(unit))
    return correct_open_unit(self, c);
  auto seen = unit;
  const auto refused =
      core::correct(seen, rules_of(*context_of(self->state, unit)), c->command, {});
  fail_correction(self, c, {refused.refusal, refused.detail});
}

/// What routes ask of the input of an overridden unit is read before.
void with_input(step_ptr self, const correction_ptr& c, const core::unit_record& unit) {
  auto* said = std::get_if<core::override_result>(&c->command.what);
  const auto shared = context_of(self->state, unit);
  if (said == nullptr || shared->asked_of_input.empty())
    return decide_correction(self, c, unit);
  const auto input = std::make_shared<std::string>(unit.input);
  get_payloads(self, self->state.links.objects, {input.get()}, internal_timeout,
               [=](const std::vector<core::failure>& outcomes) {
                 if (const auto& why = outcomes.front(); why.code != core::errc::none)
                   return fail_correction(
                       self, c,
                       {is_lost(why) ? core::errc::damaged : core::errc::unavailable,
                        "the unit's input cannot be read: " + why.detail});
                 auto& given = std::get<core::override_result>(c->command.what);
                 given.input = documents::read_input_values(*input, shared->asked_of_input);
                 decide_correction(self, c, unit);
               });
}

/// Reads the answer of an override by the definition of the unit.
core::failure read_answer(step_ptr self, correction_in_hand& c, const core::unit_record& unit) {
  auto* said = std::get_if<core::override_result>(&c.command.what);
  if (said == nullptr || core::is_test_question(unit))
    return {};
  const auto& st = self->state;
  const auto* step = st.workflow.find(unit.version, st.step.row.position);
  const auto given =
      documents::read_given_answer(step == nullptr ? definition_of(st) : *step, c.answer,
                                   c.corrected_to, st.context->settings.json);
  if (!given)
    return given.error();
  said->answer = given->answer;
  said->correction = given->correction;
  return {};
}

void on_material(step_ptr self, const correction_ptr& c, const correction_material& stored) {
  const auto& st = self->state;
  if (stored.units.empty() || stored.units.front().step != st.identity.step())
    return fail_correction(self, c,
                           {core::errc::not_found, "the step has no unit " + to_string(c->unit)});
  const auto& unit = stored.units.front();
  if (const auto why = read_answer(self, *c, unit); why.code != core::errc::none)
    return fail_correction(self, c, why);
  for (const auto& row : stored.earlier) {
    if (row.id != c->command.author.id)
      continue;
    if (is_repetition(row, *c))
      return end_correction(self, c, row, true);
    return fail_correction(self, c,
                           {core::errc::already_exists,
                            "a correction of this id was asked for with other members; send a new "
                            "one with a new id"});
  }
  if (st.step.row.status == core::step_status::canceled)
    return fail_correction(
        self, c, {core::errc::wrong_state, "the step is canceled; its results stay as they are"});
  if (stored.earlier.size() >= core::corrections_max)
    return fail_correction(self, c,
                           {core::errc::limit_reached, "the unit was corrected "
                                                           + std::to_string(core::corrections_max)
                                                           + " times, which is the most"});
  c->command.author.number = static_cast<std::uint32_t>(stored.earlier.size()) + 1;
  const auto* judged = judgment_in(unit, core::judgment_of(c->command));
  if (auto* again = std::get_if<core::reinstate_one>(&c->command.what);
      again != nullptr && judged != nullptr) {
    if (const auto why = st.board->held(judged->contributor); why.code != core::errc::none)
      return fail_correction(self, c, why);
    again->removed = st.board->removed(judged->contributor);
  }
  with_input(self, c, unit);
}

/// One after the other, and each behind a barrier: what an earlier one has written, or a unit that
/// has crashed since, is in the database then, so that their numbers follow each other.
void begin_correction(step_ptr self, const correction_ptr& c) {
  write(self, {}, [=](const core::failure& settled) {
    if (settled.code != core::errc::none) // it ends the step
      return c->promise.deliver(msg::to_error(settled));
    auto& st = self->state;
    read(self, st.links.loader,
         [step = st.identity.step(), unit = c->unit,
          leases = leases_of(st)](persistence::store& db) -> core::outcome<correction_material> {
           auto earlier = db.load_corrections(step, unit);
           if (!earlier)
             return earlier.error();
           auto units = db.load_units({unit}, leases);
           if (!units)
             return units.error();
           return correction_material{std::move(*earlier), std::move(*units)};
         })
        .then([=](const correction_material& stored) { on_material(self, c, stored); },
              [=](const core::failure& why) { fail_correction(self, c, why); });
  });
}

/// The common part of all requests.
template <class Request>
void take_correction(step_ptr self, const Request& m, decltype(core::correction_command::what) what,
                     std::string answer = {}, std::string corrected_to = {}) {
  auto& line = self->state.corrections;
  const held_promise promise{self->make_response_promise()};
  if (line.size() >= corrections_waiting_max)
    return promise.deliver(
        msg::to_error(core::errc::overloaded, "other corrections in the step wait for their turn"));
  auto by = promise.asked_by();
  auto note = promise.take_note();
  line.push_back(std::make_shared<correction_in_hand>(
      correction_in_hand{promise,
                         std::move(note),
                         m.unit,
                         {{m.correction, 1, std::move(by), m.reason}, std::move(what)},
                         std::move(answer),
                         std::move(corrected_to)}));
  if (line.size() == 1)
    begin_correction(self, line.front());
}

// --- by the authors of judgments ---

using part_ptr = std::shared_ptr<correct_judgment_part>;

/// Whatever comes of it, judgments of the unit may be aggregated again.
void end_part(step_ptr self, const core::unit_id& unit) {
  auto& under_way = self->state.judgments_corrected;
  const auto found = under_way.find(unit);
  if (found != under_way.end() && --found->second == 0)
    under_way.erase(found);
}

/// Asks the unit, as a trial or in earnest; `then` runs with its answer.
template <class Answer, class Then>
void ask_of_judgment(step_ptr self, const part_ptr& part, const held_promise& promise, Then then) {
  const auto unit = part->request.unit;
  with_unit(self, unit, [=](const caf::actor& actor, const core::failure& why) {
    if (!actor) {
      end_part(self, unit);
      return promise.deliver(msg::to_error(why));
    }
    heed_cancellation(self, actor);
    self->request(actor, caf::infinite, unit_command{*part})
        .then([=](const Answer& answer) { then(answer); },
              [=](const caf::error& error) {
                end_part(self, unit);
                promise.deliver(error);
              });
  });
}

void hand_in_correction(step_ptr self, const part_ptr& part, const held_promise& promise) {
  ask_of_judgment<msg::judgment_corrected>(self, part, promise,
                                           [=](const msg::judgment_corrected& answer) {
                                             end_part(self, part->request.unit);
                                             promise.deliver(answer);
                                           });
}

} // namespace

void on_reopen_unit(step_ptr self, const msg::reopen_unit& m) {
  take_correction(self, m, core::reopen_finished{m.judgments});
}

void on_override_result(step_ptr self, const msg::override_result& m) {
  take_correction(self, m, core::override_result{}, m.answer, m.corrected_to);
}

void on_taint_judgment(step_ptr self, const msg::taint_judgment& m) {
  take_correction(self, m, core::taint_one{m.judgment});
}

void on_reinstate_judgment(step_ptr self, const msg::reinstate_judgment& m) {
  take_correction(self, m, core::reinstate_one{m.judgment});
}

void on_correct_judgment(step_ptr self, const msg::correct_judgment& m) {
  auto& st = self->state;
  const held_promise promise{self->make_response_promise()};
  if (refused_as_held(self, promise, m.contributor))
    return;
  if (st.judgments_corrected.size() >= judgment_corrections_at_once)
    return promise.deliver(msg::to_error(
        core::errc::overloaded, "other corrections of judgments in the step are under way"));
  // By the newest definition, whatever that of the unit is: nobody is to tell test questions, which
  // follow it, from other units.
  const auto& step = definition_of(st);
  const auto part = std::make_shared<correct_judgment_part>(
      correct_judgment_part{m,
                            {},
                            st.board->removed(m.contributor),
                            {step.correct_within, step.test_questions.has_value()},
                            false});
  ++st.judgments_corrected[m.unit];
  if (!is_large(st.context->settings, m.payload))
    return hand_in_correction(self, part, promise);
  part->trial = true; // what the unit would refuse fills no disk
  ask_of_judgment<judgment_checked>(self, part, promise, [=](judgment_checked) {
    part->trial = false;
    put_payloads(self, self->state.links.objects, {{&part->request.payload, &part->ref}},
                 [=](const std::vector<core::failure>& outcomes) {
                   const auto why = first_failure(outcomes);
                   if (why.code == core::errc::none)
                     return hand_in_correction(self, part, promise);
                   end_part(self, part->request.unit);
                   promise.deliver(msg::to_error(why));
                 });
  });
}

} // namespace holdfast::actors
