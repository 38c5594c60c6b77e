#include "actors/fan_in.hpp"
#include "actors/repeated_request.hpp"
#include "actors/step_state.hpp"

#include "core/repair.hpp"
#include "documents/result_document.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>

namespace holdfast::actors {

namespace {

/// Repairs of one step that are not done: one is worked on, the others wait.
constexpr std::size_t repairs_max = 16;

/// How often a chunk is put off because an open unit of it still counts what a removed contributor
/// said. That is a matter of the next commit, or of a unit that crashes again and again.
constexpr std::uint32_t unsettled_tries_max = 10;

void work_on(step_ptr self);

msg::repair_progress view_of(const core::repair_row& row) {
  const auto& f = row.figures;
  return {row.step,    row.id,       row.contributor, row.dry_run, row.done(),
          row.through, row.bookmark, f.found,         f.unchanged, f.changed,
          f.reopened,  f.went_on,    f.disregarded,   f.reissued};
}

/// Whether the request is the one that began this repair; if not, it gets its refusal.
core::failure mismatch(const core::repair_row& row, const msg::repair_contributor& request) {
  if (row.step == request.step && row.contributor == request.contributor
      && row.dry_run == request.dry_run)
    return {};
  return {core::errc::already_exists,
          "a repair of this id was asked for with other members; ask for a new one with a new id"};
}

const core::repair_row* open_repair(const step_state& st, const core::repair_id& id) {
  const auto found = std::find_if(st.repairs.begin(), st.repairs.end(),
                                  [&](const core::repair_row& row) { return row.id == id; });
  return found == st.repairs.end() ? nullptr : &*found;
}

/// Why the step does not begin this repair; `none` if it does.
core::failure obstacle(const step_state& st) {
  if (st.step.row.status == core::step_status::canceled)
    return {core::errc::wrong_state, "the step is canceled; its results stay as they are"};
  if (st.repairs.size() + st.beginning_repairs.size() >= repairs_max)
    return {core::errc::overloaded, "other repairs of the step wait for their turn"};
  return st.board->reconsidering_obstacle();
}

/// A repair is one of the step's, and worked on, once it is durable: another step may have begun
/// one under this id since that was looked up, and then it never was.
void begin(step_ptr self, const msg::repair_contributor& request, const held_promise& promise) {
  auto& st = self->state;
  if (const auto why = obstacle(st); why.code != core::errc::none)
    return promise.deliver(msg::to_error(why));
  core::repair_row row;
  row.id = request.repair;
  row.step = request.step;
  row.contributor = request.contributor;
  row.dry_run = request.dry_run;
  row.through = st.step.next_ordinal - 1;
  row.asked_at = row.changed_at = now(self, st.context);
  const auto repair =
      std::make_shared<step_state::beginning_repair>(step_state::beginning_repair{row, {promise}});
  st.beginning_repairs.push_back(repair);
  st.pending.write_alone(
      self, st.context, st.links.writer, st.identity, promise.noted({{core::put_repair{row}}, {}}),
      [=](const core::failure& why) {
        const bool begun = why.code == core::errc::none;
        if (begun || why.code == core::errc::already_exists) { // else the step ends
          auto& beginning = self->state.beginning_repairs;
          beginning.erase(std::find(beginning.begin(), beginning.end(), repair));
        }
        if (begun && !repair->row.done())
          self->state.repairs.push_back(repair->row);
        for (const auto& waiting : repair->waiting)
          if (begun)
            waiting.deliver(view_of(repair->row));
          else
            waiting.deliver(msg::to_error(why));
        if (begun)
          work_on(self);
      });
}

/// Lets a request have the answer of the one that has just begun the repair. False when there is
/// none.
bool join_beginning(step_ptr self, const msg::repair_contributor& request,
                    const held_promise& promise) {
  auto& beginning = self->state.beginning_repairs;
  const auto found = std::find_if(beginning.begin(), beginning.end(), [&](const auto& repair) {
    return repair->row.id == request.repair;
  });
  if (found == beginning.end())
    return false;
  if (auto why = mismatch((*found)->row, request); why.code != core::errc::none)
    refuse(self, promise, std::move(why));
  else
    add_repetition((*found)->waiting, promise);
  return true;
}

/// Answers from memory, as soon as that is durable. False when the repair is not under way.
bool answer_open(step_ptr self, const msg::repair_contributor& request,
                 const held_promise& promise) {
  auto& st = self->state;
  if (join_beginning(self, request, promise))
    return true;
  const auto* row = open_repair(st, request.repair);
  if (row == nullptr)
    return false;
  st.pending.answer(
      self, st.context, st.identity.shard,
      [promise, refusal = mismatch(*row, request), view = view_of(*row)](const core::failure& why) {
        if (why.code != core::errc::none)
          promise.deliver(msg::to_error(why));
        else if (refusal.code != core::errc::none)
          promise.deliver(msg::to_error(refusal));
        else
          promise.deliver(view);
      });
  return true;
}

/// Goes on with the same chunk in a while.
void try_later(step_ptr self, const std::string& why) {
  auto& st = self->state;
  st.context->log(log_level::info, "repair_waits",
                  {{"step", to_string(st.identity.step())}, {"reason", why}});
  st.repairing = false;
  self->delayed_send(self, retry_pause(st.context, ++st.repair_tries), repair_tick{});
}

/// Where nobody is tested all are trusted alike, from the beginning.
core::trust_course trust_today(const step_state& st, const core::contributor_id& contributor) {
  if (definition_of(st).test_questions)
    return st.board->course_of(contributor);
  return {st.board->trust_in(contributor), {}};
}

/// Whose units a repair looks at.
std::vector<core::contributor_id> concerned_by(const step_state& st,
                                               const core::repair_row& repair) {
  const auto question = core::question_named(repair.contributor);
  if (question && st.board->is_question(*question))
    return st.board->who_answered(*question);
  return {repair.contributor};
}

/// What a repair holds of the unit: all who are removed, not only the one it is about, because a
/// unit that is opened again must not count any of them. Where that one is at work, all others are
/// taken as they are today, too.
core::disregard_finished without_removed(const step_state& st, const core::repair_row& repair,
                                         const core::unit_record& unit) {
  core::disregard_finished command;
  const bool at_work = !st.board->removed(repair.contributor);
  for (const auto& judgment : unit.judgments)
    if (st.board->removed(judgment.contributor))
      command.contributors.insert(judgment.contributor);
    else if (at_work)
      command.at_work.emplace(judgment.contributor, trust_today(st, judgment.contributor));
  command.result = documents::read_result(unit.result);
  command.policy = context_of(st, unit.version)->repair;
  return command;
}

/// The model learns what counts again in the unit.
void learn(core::answer_model& model, const core::unit_id& unit,
           const std::vector<core::judgment_mark>& again) {
  for (const auto& judgment : again)
    model.add(unit, judgment.contributor, judgment.answer);
}

/// What comes of the units of a chunk, and counts them. The model goes on with what counts again
/// where a result is taken back.
core::change repair_units(step_state& st, std::vector<core::unit_record>& units, core::instant at) {
  auto& row = st.repairs.front();
  std::vector<core::disregard_finished> commands;
  std::optional<core::answer_model> with_all; // a result that stands must leave the model as it is
  for (const auto& unit : units) {
    commands.push_back(without_removed(st, row, unit));
    const auto again = core::counting_again(unit, commands.back());
    if (!st.model || again.empty())
      continue;
    if (!with_all)
      with_all = *st.model;
    learn(*with_all, unit.id, again);
  }
  core::change changes;
  for (std::size_t i = 0; i < units.size(); ++i) {
    auto& unit = units[i];
    if (st.model)
      commands[i].opinion = (with_all ? *with_all : *st.model).opinion_of(unit.id);
    const auto again = core::counting_again(unit, commands[i]);
    const auto& shared = *context_of(st, unit.version);
    auto decided = core::repair(unit, shared.aggregation, shared.ways, commands[i], at);
    if (st.model && !row.dry_run && unit.state == core::unit_state::judgable)
      learn(*st.model, unit.id, again);
    core::tally(row.figures, decided.answer);
    core::append(changes, std::move(decided.changes));
  }
  return changes;
}

/// The chunk up to `bookmark` is decided: one change makes its units and the bookmark durable.
void commit_chunk(step_ptr self, std::uint64_t bookmark, std::vector<core::unit_record> units) {
  auto& st = self->state;
  auto& row = st.repairs.front();
  const auto at = now(self, st.context);
  auto changes = repair_units(st, units, at);
  if (row.dry_run)
    changes = {};
  row.bookmark = bookmark;
  row.changed_at = at;
  changes.writes.push_back(core::put_repair{row});
  const bool held = !row.dry_run;
  st.withdrawals += held ? 1 : 0;
  if (row.done())
    st.repairs.erase(st.repairs.begin());
  st.repair_tries = st.repair_unsettled = 0;
  // Offered only once they are durable, like new ones.
  write(self, std::move(changes), [=, units = std::move(units)](const core::failure& why) {
    if (why.code != core::errc::none)
      return;
    if (held)
      release_units(self, units);
    self->state.repairing = false;
    work_on(self);
  });
}

/// The units of a chunk as they are read, and those that cannot be.
struct chunk_units {
  std::vector<core::unit_record> read;
  std::vector<core::unit_id> damaged;
};
using chunk_user = std::function<void(const core::failure&, chunk_units&)>;

/// One of them is damaged: reads each by itself, and leaves out those that are.
void read_one_by_one(step_ptr self, const std::vector<core::unit_id>& ids, const chunk_user& use) {
  const auto units = std::make_shared<chunk_units>();
  const auto whole = std::make_shared<fan_in>([=](const core::failure& why) { use(why, *units); });
  for (const auto& id : ids) {
    whole->begin_part();
    read_units(self, {id})
        .then(
            [=](std::vector<core::unit_record>& read) {
              std::move(read.begin(), read.end(), std::back_inserter(units->read));
              whole->end_part();
            },
            [=](const core::failure& why) {
              if (core::describe(why.code).retryable)
                return whole->end_part(why);
              units->damaged.push_back(id);
              self->state.context->log(log_level::error, "repair_leaves_out",
                                       {{"step", to_string(self->state.identity.step())},
                                        {"unit", to_string(id)},
                                        {"reason", why.detail}});
              whole->end_part();
            });
  }
  whole->end_part();
}

void read_chunk(step_ptr self, const std::vector<core::unit_id>& ids, const chunk_user& use) {
  read_units(self, ids).then(
      [=](std::vector<core::unit_record>& read) {
        chunk_units units{std::move(read), {}};
        use({}, units);
      },
      [=](const core::failure& why) {
        if (!core::describe(why.code).retryable)
          return read_one_by_one(self, ids, use);
        chunk_units none;
        use(why, none);
      });
}

/// The finished units of the chunk are known.
void on_judged(step_ptr self, std::uint64_t bookmark, const persistence::judged_units& judged) {
  auto& st = self->state;
  // What somebody says who is at work may count in open units for as long as these are open.
  const bool unsettled = judged.unsettled && st.board->removed(st.repairs.front().contributor);
  if (unsettled && st.repair_unsettled < unsettled_tries_max) {
    ++st.repair_unsettled;
    return try_later(self, "a unit is just being finished");
  }
  const auto& ids = judged.finalized;
  if (ids.empty())
    return commit_chunk(self, bookmark, {});
  const bool hold = !st.repairs.front().dry_run;
  if (hold && !hold_units(self, ids))
    return try_later(self, "somebody asks about a finished unit");
  read_chunk(self, ids, [=](const core::failure& why, chunk_units& units) {
    if (hold)
      let_go(self, why.code == core::errc::none ? units.damaged : ids);
    if (why.code == core::errc::none)
      commit_chunk(self, bookmark, std::move(units.read));
    else
      try_later(self, why.detail);
  });
}

void work_on(step_ptr self) {
  auto& st = self->state;
  if (st.repairing || st.repairs.empty()
      || st.board->reconsidering_obstacle().code != core::errc::none)
    return;
  st.repairing = true;
  const auto& row = st.repairs.front();
  // Nobody is asked anything in a canceled step any more.
  if (st.step.row.status == core::step_status::canceled)
    return commit_chunk(self, row.through, {});
  const auto bookmark = core::next_bookmark(row);
  read(self, st.links.loader,
       [step = row.step, contributors = concerned_by(st, row), after = row.bookmark, bookmark](
           persistence::store& db) { return db.find_judged(step, contributors, after, bookmark); })
      .then([=](const persistence::judged_units& judged) { on_judged(self, bookmark, judged); },
            [=](const core::failure& why) { try_later(self, why.detail); });
}

} // namespace

void on_repair_contributor(step_ptr self, const msg::repair_contributor& request) {
  const held_promise promise{self->make_response_promise()};
  follow_removal(self, request.contributor, true);
  if (answer_open(self, request, promise))
    return;
  read(self, self->state.links.loader,
       [repair = request.repair](persistence::store& db) { return db.find_repair(repair); })
      .then(
          [=](const core::repair_row& row) {
            const auto why = mismatch(row, request);
            if (why.code == core::errc::none)
              promise.deliver(view_of(row));
            else
              promise.deliver(msg::to_error(why));
          },
          [=](const core::failure& why) {
            if (why.code != core::errc::not_found)
              return promise.deliver(msg::to_error(why));
            // The same request may have come twice at once.
            if (!answer_open(self, request, promise))
              begin(self, request, promise);
          });
}

// As a repair of all who answered: they are taken as they are known today, as somebody at work is.
void on_repair_question(step_ptr self, const msg::repair_question& request) {
  if (!refused_as_no_question(self, request.unit))
    on_repair_contributor(
        self, {request.step, request.repair, core::answerers_of(request.unit), request.dry_run});
}

void restore_repairs(step_ptr self, persistence::stored_repairs& repairs) {
  auto& st = self->state;
  for (const auto& lost : repairs.unreadable)
    st.context->log(log_level::error, "repair_unreadable",
                    {{"step", to_string(st.identity.step())},
                     {"repair", to_string(lost.id)},
                     {"reason", lost.why}});
  st.repairs = std::move(repairs.open);
  work_on(self);
}

void go_on_with_repairs(step_ptr self) { work_on(self); }

} // namespace holdfast::actors
