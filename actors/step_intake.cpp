#include "actors/payload_bytes.hpp"
#include "actors/step_state.hpp"

#include "core/unit_tasks.hpp"
#include "core/workflow.hpp"
#include "documents/answer_matcher.hpp"
#include "documents/json.hpp"
#include "documents/truth_checker.hpp"
#include "documents/unit_input.hpp"

#include <algorithm>

namespace holdfast::actors {

namespace {

/// Requests that may wait for their turn to add; each holds its rows in memory.
constexpr std::size_t adding_max = 256;
/// Of these, decided and not committed yet.
constexpr std::size_t on_their_way_max = 8;

void next_intake(step_ptr self);

/// The first in line is decided: the next one need not wait for its commit.
void leave_line(step_ptr self) {
  auto& st = self->state;
  st.adding.erase(st.adding.begin());
  st.looks_for_keys = false;
  next_intake(self);
}

void refuse(step_ptr self, const intake& in, const core::failure& why) {
  in.done(why, 0, 0);
  leave_line(self);
}

/// The new unit is durable.
void offer_from_now_on(step_ptr self, const core::unit_record& unit) {
  auto& st = self->state;
  if (unit.state == core::unit_state::gathered)
    return note_waiting(self, unit);
  if (!core::is_test_question(unit))
    return enter_unit(self, summary_of(unit));
  st.board->add_question(unit.id, unit.ordinal);
  st.ready.add_apart(unit.id);
  note_vacancy(self);
  if (!st.model)
    return;
  if (const auto truth =
          documents::single_right_answer(unit.truth, definition_of(st).aggregation.labels))
    st.model->hold(unit.id, *truth);
}

void add_missing(step_ptr self, std::shared_ptr<intake> in,
                 const std::vector<std::string>& known_keys) {
  auto& st = self->state;
  if (in->parents_read_at && *in->parents_read_at != st.results_taken_back)
    return refuse(self, *in,
                  {core::errc::unavailable, "results were taken back since they were read"});
  const std::unordered_set<std::string> known{known_keys.begin(), known_keys.end()};
  auto& items = in->items;
  const auto before = items.size();
  items.erase(std::remove_if(items.begin(), items.end(),
                             [&](const core::source_item& i) {
                               return known.count(i.key) != 0
                                      || st.keys_on_their_way.count(i.key) != 0;
                             }),
              items.end());
  const auto fresh = static_cast<std::uint32_t>(items.size());
  const auto there = static_cast<std::uint32_t>(before - items.size());
  if (items.empty()) {
    st.pending.answer(self, st.context, st.identity.shard, [=](const core::failure& why) {
      in->done(why, 0, why.code == core::errc::none ? there : 0);
    });
    return leave_line(self);
  }
  std::vector<std::string> keys;
  for (const auto& item : items)
    keys.push_back(item.key);
  auto decided = core::add_units(st.step, std::move(items), st.ids, now(self, st.context),
                                 judging_tasks(self));
  if (decided.refusal != core::errc::none)
    return refuse(self, *in, {decided.refusal, decided.detail});
  st.keys_on_their_way.insert(keys.begin(), keys.end());
  ++st.intakes_on_their_way;
  // Only of what is new: the message of an item that is there already came in with it.
  for (const auto& unit : decided.answer.units)
    if (const auto message = in->inbox.extract(unit.parent))
      decided.changes.writes.push_back(std::move(message.mapped()));
  // Offered only once they are durable: whoever is offered a unit has it loaded from the database.
  // A write that failed ends the step, whose state may be going already.
  write(self, noted(std::move(decided.changes), in->note),
        [=, keys = std::move(keys),
         units = std::move(decided.answer.units)](const core::failure& why) {
          if (why.code != core::errc::none)
            return in->done(why, 0, 0);
          auto& after = self->state;
          --after.intakes_on_their_way;
          for (const auto& key : keys)
            after.keys_on_their_way.erase(key);
          for (const auto& unit : units)
            offer_from_now_on(self, unit);
          in->done(why, fresh, there);
          next_intake(self);
          gather_when_due(self);
        });
  leave_line(self);
}

/// Counts what would be new.
void count_missing(step_ptr self, const intake& in, std::size_t known) {
  const auto& row = self->state.step.row;
  if (row.status == core::step_status::canceled || row.job == core::job_status::canceled)
    return refuse(self, in, {core::errc::wrong_state, "the step is canceled"});
  in.done({}, static_cast<std::uint32_t>(in.items.size() - known),
          static_cast<std::uint32_t>(known));
  leave_line(self);
}

/// The same as looking for keys, for a request that also compares inputs. The input of what is on
/// its way cannot be read yet: with such a key it waits until that is durable, which starts the
/// line again.
void compare_known(step_ptr self, std::shared_ptr<intake> in, std::vector<std::string> keys,
                   bool some_are_coming) {
  auto& st = self->state;
  if (some_are_coming) {
    st.looks_for_keys = false;
    return;
  }
  read(self, st.links.loader,
       [step = st.identity.step(), keys = std::move(keys)](persistence::store& db) {
         return db.find_source_units(step, keys);
       })
      .then(
          [=](const std::vector<persistence::source_unit>& found) {
            in->compares(*in, found);
            if (in->dry_run)
              return count_missing(self, *in, found.size());
            std::vector<std::string> there;
            for (const auto& one : found)
              there.push_back(one.key);
            add_missing(self, in, there);
          },
          [=](const core::failure& why) { refuse(self, *in, why); });
}

void start_intake(step_ptr self, std::shared_ptr<intake> in) {
  auto& st = self->state;
  std::vector<std::string> keys;
  // Their commit may come between the look and its answer: they are found by neither then.
  std::vector<std::string> coming;
  for (const auto& item : in->items) {
    keys.push_back(item.key);
    if (st.keys_on_their_way.count(item.key) != 0)
      coming.push_back(item.key);
  }
  if (keys.empty())
    return add_missing(self, std::move(in), {});
  if (in->compares)
    return compare_known(self, std::move(in), std::move(keys), !coming.empty());
  read(self, st.links.loader,
       [step = st.identity.step(), keys](persistence::store& db) {
         return db.find_source_keys(step, keys);
       })
      .then(
          [=](const std::vector<std::pair<std::string, core::unit_id>>& found) {
            auto there = coming;
            for (const auto& [key, unit] : found)
              there.push_back(key);
            add_missing(self, in, there);
          },
          [=](const core::failure& why) { refuse(self, *in, why); });
}

void next_intake(step_ptr self) {
  auto& st = self->state;
  if (st.adding.empty() || st.looks_for_keys || st.intakes_on_their_way >= on_their_way_max)
    return;
  st.looks_for_keys = true;
  const auto start = st.adding.front(); // a copy: an intake that ends at once removes itself
  start();
}

} // namespace

std::vector<core::contributor_id> judging_tasks(step_ptr self) {
  const auto& st = self->state;
  if (!st.step.executor)
    return {};
  auto judges = st.board->remaining(core::task_judges(*st.step.executor));
  judges.erase(std::remove_if(judges.begin(), judges.end(),
                              [&](const auto& judge) { return removal_of(self, judge); }),
               judges.end());
  return judges;
}

std::vector<large_text> large_in(step_ptr self, intake& in) {
  std::vector<large_text> found;
  for (auto& item : in.items)
    if (is_large(self->state.context->settings, item.input))
      found.push_back({&item.input, &item.input});
  return found;
}

bool enqueue(step_ptr self, intake in) {
  auto& adding = self->state.adding;
  if (adding.size() >= adding_max)
    return false;
  auto shared = std::make_shared<intake>(std::move(in));
  adding.push_back([self, shared] { start_intake(self, shared); });
  next_intake(self);
  return true;
}

namespace {

/// The checker of rows of type `Row`.
template <class Row>
struct row_checker;

template <>
struct row_checker<msg::source_row> {
  explicit row_checker(const core::step_definition& definition) : step(definition) {}
  const core::step_definition& step;
};

template <>
struct row_checker<msg::test_question> {
  explicit row_checker(const core::step_definition& definition) : truths(definition) {}
  documents::truth_checker truths;
};

// What is wrong with one row; `none` if nothing.

core::failure check_row(const msg::source_row& row, const row_checker<msg::source_row>& by) {
  if (auto why = documents::check_text(row.key, "key", core::source_key_bytes_max);
      why.code != core::errc::none)
    return why;
  if (row.judgments > core::judgments_per_unit_max)
    return {core::errc::invalid_argument,
            "judgments must be at most " + std::to_string(core::judgments_per_unit_max)};
  if (row.judgments > 0 && by.step.aggregation.stopping)
    return {core::errc::invalid_argument,
            "judgments must be 0: the step's stopping rule says how many there will be"};
  return {};
}

core::failure check_row(const msg::test_question& row, const row_checker<msg::test_question>& by) {
  if (auto why = documents::check_text(row.key, "key", core::source_key_bytes_max);
      why.code != core::errc::none)
    return why;
  if (auto why = documents::check_text(row.truth, "truth", core::truth_bytes_max);
      why.code != core::errc::none)
    return why;
  return by.truths.problem_with(row.truth);
}

/// Checks the row and puts its input into the spelling that the inputs of all units have: a test
/// question must not be told from them by the program that wrote its file.
template <class Row>
core::failure accept_row(Row& row, const row_checker<Row>& by,
                         const documents::json_limits& limits) {
  if (auto why = check_row(row, by); why.code != core::errc::none)
    return why;
  auto input = documents::unit_input(row.input, limits);
  if (!input)
    return input.error();
  row.input = std::move(*input);
  return {};
}

core::source_item item_of(msg::source_row& row, const core::step_definition& step) {
  core::source_item item;
  item.key = std::move(row.key);
  item.input = std::move(row.input);
  item.slots = row.judgments > 0 ? row.judgments : core::first_slots(step);
  return item;
}

core::source_item item_of(msg::test_question& row, const core::step_definition&) {
  core::source_item item;
  item.key = std::move(row.key);
  item.input = std::move(row.input);
  item.truth = std::move(row.truth);
  return item;
}

/// Takes the rows that are well-formed as items, and tells what is wrong with the others.
template <class Row>
accepted_rows accept_rows(step_ptr self, std::vector<Row>& rows) {
  auto& st = self->state;
  const auto version = st.workflow.newest(st.step.row.position);
  const auto& mine = definition_of(st);
  accepted_rows accepted;
  std::unordered_set<std::string> keys;
  const row_checker<Row> checker{mine};
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    auto& row = rows[i];
    if (auto why = accept_row(row, checker, st.context->settings.json);
        why.code != core::errc::none) {
      accepted.problems.push_back({i, static_cast<std::uint8_t>(why.code), std::move(why.detail)});
      continue;
    }
    if (!keys.insert(row.key).second) {
      accepted.problems.push_back({i, static_cast<std::uint8_t>(core::errc::already_exists),
                                   "the key appears twice in this request"});
      continue;
    }
    accepted.items.push_back(item_of(row, mine));
    accepted.items.back().version = version;
    accepted.rows.push_back(i);
  }
  return accepted;
}

/// Takes in those rows that are well-formed and new; answers what became of all.
template <class Row>
void take_in(step_ptr self, const held_promise& promise, const caf::actor& caller,
             std::vector<Row>& rows) {
  auto accepted = accept_rows(self, rows);
  intake in;
  in.items = std::move(accepted.items);
  in.note = promise.take_note();
  in.done = [promise, problems = std::move(accepted.problems)](
                const core::failure& why, std::uint32_t fresh, std::uint32_t known) mutable {
    if (why.code != core::errc::none)
      promise.deliver(msg::to_error(why));
    else
      promise.deliver(msg::source_data_added{fresh, known, std::move(problems)});
  };
  store_and_enqueue(self, promise, caller, std::move(in));
}

/// `take_in`, behind the caller's earlier requests.
template <class Row>
void take_in_turn(step_ptr self, std::vector<Row>& rows) {
  const auto bytes = payload_bytes(rows);
  const auto kept = std::make_shared<std::vector<Row>>(std::move(rows));
  in_adding_turn(self, bytes, [=](const held_promise& promise, const caf::actor& caller) {
    take_in(self, promise, caller, *kept);
  });
}

} // namespace

accepted_rows accept_source_rows(step_ptr self, std::vector<msg::source_row>& rows) {
  return accept_rows(self, rows);
}

void store_and_enqueue(step_ptr self, const held_promise& promise, const caf::actor& caller,
                       intake in) {
  auto& st = self->state;
  const auto kept = std::make_shared<intake>(std::move(in));
  const auto go_on = [=] {
    if (!enqueue(self, std::move(*kept)))
      promise.deliver(
          msg::to_error(core::errc::overloaded, "too many requests to add data to this step wait"));
  };
  const auto large = kept->dry_run ? std::vector<large_text>{} : large_in(self, *kept);
  // What a canceled step refuses, as it does all that is new, fills no disk.
  if (large.empty() || st.step.row.status == core::step_status::canceled)
    return go_on();
  if (caller)
    st.adding_lines.hold(caller);
  put_payloads(self, st.links.objects, large, [=](const std::vector<core::failure>& outcomes) {
    if (const auto why = first_failure(outcomes); why.code != core::errc::none)
      promise.deliver(msg::to_error(why));
    else
      go_on();
    self->state.adding_lines.go_on(caller);
  });
}

void in_adding_turn(step_ptr self, std::size_t bytes,
                    std::function<void(const held_promise&, const caf::actor&)> take) {
  auto& st = self->state;
  // In this order: the promise takes the sender with it.
  const auto caller = caf::actor_cast<caf::actor>(self->current_sender());
  const held_promise promise{self->make_response_promise()};
  if (!st.adding_lines.must_wait(caller))
    return take(promise, caller);
  if (!st.adding_lines.wait(caller, {adding_max, st.context->settings.object_bytes_most}, bytes,
                            [=] { take(promise, caller); }))
    promise.deliver(
        msg::to_error(core::errc::overloaded, "too many requests wait for data that is stored"));
}

bool takes_source_data(step_ptr self) {
  if (self->state.step.row.position == 0)
    return true;
  self->make_response_promise().deliver(
      msg::to_error(core::errc::wrong_state,
                    "source data enters at the first step of a workflow; this step gets its units "
                    "from the one before it"));
  return false;
}

void on_add_source_data(step_ptr self, msg::add_source_data& request) {
  if (takes_source_data(self))
    take_in_turn(self, request.rows);
}

void on_add_test_questions(step_ptr self, msg::add_test_questions& request) {
  const auto& st = self->state;
  if (definition_of(st).test_questions)
    return take_in_turn(self, request.rows);
  self->make_response_promise().deliver(
      msg::to_error(core::errc::wrong_state,
                    "the definition of this step has no test_questions: it would never ask them"));
}

} // namespace holdfast::actors
