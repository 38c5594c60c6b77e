// Source data that is compared with what is there under its keys.

#include "actors/fan_in.hpp"
#include "actors/payload_bytes.hpp"
#include "actors/step_state.hpp"

#include "core/object_ref.hpp"
#include "core/sha256.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::actors {

namespace {

/// Units that are loaded at the same time to get other inputs.
constexpr std::size_t replaced_at_once = 100;

/// A row whose key is there with another input.
struct differing_row {
  std::uint32_t row = 0;
  core::unit_id unit;
  std::string input; ///< As it is to be stored.
};

/// One request, from its rows to its answer.
struct source_load {
  explicit source_load(held_promise to) : promise(std::move(to)) {}

  held_promise promise;
  bool replace = false;
  bool dry_run = false;
  /// Of each key that is well-formed: its place among the items of the intake.
  std::unordered_map<std::string, std::size_t> places;
  std::vector<std::uint32_t> rows; ///< Of the items, by place.
  /// Of the items, by place: as texts of a row, and as references to the object store, of which the
  /// database may have either, whatever counts as large today.
  std::vector<std::pair<core::digest, core::digest>> digests;
  std::vector<differing_row> differing;
  request_note note; ///< Until a change has it.
  msg::source_data_loaded told;
};
using source_load_ptr = std::shared_ptr<source_load>;

void answer_load(const source_load_ptr& load) {
  auto& problems = load->told.problems;
  std::sort(problems.begin(), problems.end(),
            [](const auto& a, const auto& b) { return a.row < b.row; });
  load->promise.deliver(std::move(load->told));
}

void note_known(const source_load_ptr& load, const intake& in,
                const std::vector<persistence::source_unit>& found) {
  for (const auto& one : found) {
    const auto place = load->places.at(one.key);
    const auto& [as_text, as_reference] = load->digests[place];
    if (one.input == as_text || one.input == as_reference)
      ++load->told.already_there;
    else
      load->differing.push_back({load->rows[place], one.unit, in.items[place].input});
  }
  std::sort(load->differing.begin(), load->differing.end(),
            [](const auto& a, const auto& b) { return a.row < b.row; });
}

void replace_some(step_ptr self, const source_load_ptr& load, std::size_t next);

/// The outcome of the row at `place`. What passes by itself, such as an overload, is told as it is.
void note_outcome(const source_load_ptr& load, std::size_t place, const core::failure& why) {
  if (why.code == core::errc::none)
    load->told.changed[place].replaced = true;
  else
    load->told.problems.push_back(
        {load->differing[place].row, static_cast<std::uint8_t>(why.code), why.detail});
}

void replace_one(step_ptr self, const source_load_ptr& load, std::size_t place,
                 const std::shared_ptr<fan_in>& all) {
  with_unit(
      self, load->differing[place].unit, [=](const caf::actor& actor, const core::failure& why) {
        if (!actor) {
          note_outcome(load, place, why);
          return all->end_part();
        }
        self->request(actor, delivery_timeout,
                      unit_command{core::replace_input{load->differing[place].input}, load->note})
            .then(
                [=](const input_replaced& done) {
                  if (done.changed)
                    load->note = {};
                  note_outcome(load, place, {});
                  all->end_part();
                },
                [=](const caf::error& error) {
                  note_outcome(load, place, msg::failure_of(error));
                  all->end_part();
                });
      });
}

/// One at a time until a change has the note of the request, which leaves one entry in the audit
/// log; then many at once.
void replace_some(step_ptr self, const source_load_ptr& load, std::size_t next) {
  const auto count = load->differing.size();
  if (next >= count)
    return answer_load(load);
  const auto end = load->note ? next + 1 : std::min(count, next + replaced_at_once);
  const auto all =
      std::make_shared<fan_in>([=](const core::failure&) { replace_some(self, load, end); });
  for (auto place = next; place < end; ++place) {
    all->begin_part();
    replace_one(self, load, place, all);
  }
  all->end_part();
}

/// What is new is durable.
void finish_load(step_ptr self, const source_load_ptr& load, const core::failure& why,
                 std::uint32_t fresh) {
  if (why.code != core::errc::none)
    return load->promise.deliver(msg::to_error(why));
  load->told.added = fresh;
  if (fresh > 0)
    load->note = {}; // it is in the change that has added them
  for (const auto& one : load->differing)
    load->told.changed.push_back({one.row, one.unit, false});
  if (load->replace && !load->dry_run)
    replace_some(self, load, 0);
  else
    answer_load(load);
}

void load_rows(step_ptr self, const source_load_ptr& load, const caf::actor& caller,
               std::vector<msg::source_row>& rows) {
  auto accepted = accept_source_rows(self, rows);
  load->told.problems = std::move(accepted.problems);
  load->rows = std::move(accepted.rows);
  for (const auto& item : accepted.items) {
    load->places.emplace(item.key, load->places.size());
    const auto content = core::sha256_of(item.input);
    load->digests.emplace_back(
        content, core::sha256_of(core::to_json(core::object_ref{content, item.input.size()})));
  }
  load->note = load->promise.take_note();
  intake in;
  in.items = std::move(accepted.items);
  in.note = load->note;
  in.dry_run = load->dry_run;
  in.compares = [load](const intake& whole, const std::vector<persistence::source_unit>& found) {
    note_known(load, whole, found);
  };
  in.done = [=](const core::failure& why, std::uint32_t fresh, std::uint32_t) {
    finish_load(self, load, why, fresh);
  };
  store_and_enqueue(self, load->promise, caller, std::move(in));
}

} // namespace

void on_load_source_data(step_ptr self, msg::load_source_data& request) {
  if (!takes_source_data(self))
    return;
  const auto bytes = payload_bytes(request.rows);
  const auto rows = std::make_shared<std::vector<msg::source_row>>(std::move(request.rows));
  in_adding_turn(self, bytes,
                 [=, replace = request.replace, dry_run = request.dry_run](
                     const held_promise& promise, const caf::actor& caller) {
                   const auto load = std::make_shared<source_load>(promise);
                   load->replace = replace;
                   load->dry_run = dry_run;
                   load_rows(self, load, caller, *rows);
                 });
}

} // namespace holdfast::actors
