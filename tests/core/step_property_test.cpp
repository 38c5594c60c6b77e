// Whatever happens to a step, in whatever order: its counts, its status and its revision tell the
// same story, and so does what it writes.

#include "core/step.hpp"

#include "core/invariant.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/random_source.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

using namespace holdfast;
using namespace holdfast::test;
using core::errc;
using core::step_status;

namespace {

core::source_item item(std::uint64_t n) {
  return {"key " + std::to_string(n),
          R"({"n":)" + std::to_string(n) + "}",
          static_cast<std::uint32_t>(1 + n % 3),
          {},
          {},
          {}};
}

/// One step under a random sequence of commands.
class step_trial {
public:
  explicit step_trial(std::uint64_t seed) : random_(seed), ids_(seed) {
    step_.row.id = {ids_.next(beginning)};
  }

  void go_on() {
    const auto before = step_;
    const auto finished = finished_;
    const auto [refusal, changes] = any_command();
    const auto& row = step_.row;
    now_ += core::duration{1};

    if (refusal != errc::none) {
      BOOST_TEST(refusal == errc::wrong_state);
      BOOST_TEST(describe(step_) == describe(before));
      BOOST_TEST(changes.empty());
      return;
    }
    // I-6
    BOOST_TEST(row.total_units == arrived_);
    BOOST_TEST(row.completed_units == finished_);
    BOOST_TEST(step_.next_ordinal == arrived_ + 1);
    if (row.status == step_status::completed) {
      BOOST_TEST(row.sealed);
      BOOST_TEST(row.completed_units == row.total_units);
    } else if (row.status == step_status::open) {
      BOOST_TEST(!(row.sealed && row.completed_units == row.total_units));
    }
    const bool canceled_before = before.row.status == step_status::canceled;
    BOOST_TEST((!canceled_before || row.status == step_status::canceled));

    // The revision tells of every change of status and seal, and of nothing else.
    const bool changed = row.status != before.row.status || row.sealed != before.row.sealed;
    BOOST_TEST(row.revision == before.row.revision + (changed ? 1 : 0));
    std::size_t published = 0;
    for (const auto& e : changes.events)
      published += e.type == core::event_type::job_step_updated ? 1 : 0;
    BOOST_TEST(published == (changed ? 1U : 0U));

    // The last row written is the row, and one is written when anything changed.
    const core::step_row* written = nullptr;
    for (const auto& w : changes.writes)
      if (const auto* update = std::get_if<core::update_step>(&w))
        written = &update->row;
    const bool counts = arrived_ != before.row.total_units || finished_ != finished;
    BOOST_TEST((written != nullptr) == (changed || counts));
    if (written != nullptr)
      BOOST_TEST(describe(*written) == describe(row));
  }

  step_status status() const { return step_.row.status; }

private:
  template <class Answer>
  std::pair<errc, core::change> told(core::decision<Answer> d) {
    return {d.refusal, std::move(d.changes)};
  }

  std::pair<errc, core::change> any_command() {
    const auto unfinished = arrived_ - finished_;
    switch (random_.below(10)) {
    case 0:
    case 1:
      return add(random_.below(4));
    case 2:
    case 3:
    case 4:
      if (unfinished > 0) {
        const auto count = 1 + random_.below(unfinished);
        finished_ += count;
        return told(units_finished(step_, count, now_));
      }
      return told(seal(step_, now_));
    case 5:
    case 6:
      return told(seal(step_, now_));
    case 7:
      return told(unseal(step_, now_));
    default:
      return told(decide(step_,
                         random_.one_in(40)  ? core::unit_verb::cancel
                         : random_.one_in(2) ? core::unit_verb::pause
                                             : core::unit_verb::resume,
                         now_));
    }
  }

  std::pair<errc, core::change> add(std::uint64_t count) {
    std::vector<core::source_item> items;
    for (std::uint64_t i = 0; i < count; ++i)
      items.push_back(item(arrived_ + i + 1));
    auto d = add_units(step_, std::move(items), ids_, now_);
    if (d.refusal != errc::none)
      return {d.refusal, std::move(d.changes)};
    BOOST_TEST(d.answer.units.size() == count);
    std::size_t announced = 0;
    for (const auto& e : d.changes.events)
      announced += e.type == core::event_type::unit_ready_for_assignment ? 1 : 0;
    BOOST_TEST(announced == count);
    auto stored = d.changes.writes.begin();
    for (const auto& u : d.answer.units) {
      const auto wanted = item(++arrived_);
      BOOST_TEST(u.ordinal == arrived_);
      BOOST_TEST(u.source_key == wanted.key);
      BOOST_TEST(u.input == wanted.input);
      BOOST_TEST(u.slots == wanted.slots);
      BOOST_TEST(to_string(u.root) == to_string(u.id));
      BOOST_TEST(to_string(u.step) == to_string(step_.row.id));
      BOOST_TEST((u.created_at == now_));
      BOOST_TEST(known_.insert(to_string(u.id)).second);
      const core::insert_unit row{u.id,         u.step,  u.root,  u.parent,    u.ordinal,
                                  u.source_key, u.input, u.slots, u.created_at};
      BOOST_TEST(write_text{}(std::get<core::insert_unit>(*stored++)) == write_text{}(row));
    }
    return {errc::none, std::move(d.changes)};
  }

  random_source random_;
  core::uuid_source ids_;
  core::step step_;
  core::instant now_ = beginning;
  std::uint64_t arrived_ = 0;
  std::uint64_t finished_ = 0;
  std::set<std::string> known_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(step_properties)

// I-6, A127, A128, G-8
BOOST_AUTO_TEST_CASE(counts_status_and_revision_agree_under_any_sequence_of_commands) {
  std::size_t completions = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    step_trial trial{seed};
    for (int step = 0; step < 100; ++step) {
      BOOST_TEST_CONTEXT("seed " << seed << ", step " << step) { trial.go_on(); }
      completions += trial.status() == step_status::completed ? 1 : 0;
    }
  }
  BOOST_TEST(completions > 500U);
}

// A74, A128, G-8: several steps lead to one
BOOST_AUTO_TEST_CASE(a_step_is_sealed_while_all_that_lead_to_it_are_complete) {
  core::step s;
  const std::uint64_t upstreams = 0b1010;
  const auto note = [&](std::uint32_t position, bool completed) {
    return note_upstream(s, position, completed, upstreams, beginning);
  };
  const auto first = note(1, true);
  BOOST_TEST(!s.row.sealed);
  BOOST_TEST(first.changes.writes.size() == 1U);
  BOOST_TEST(first.changes.events.empty());
  BOOST_TEST(note(1, true).changes.empty());
  const auto last = note(3, true);
  BOOST_TEST(s.row.sealed);
  BOOST_TEST(test::describe(s.row)
             == "Completed, sealed, 0 of 0, revision 2, upstreams completed 10");
  BOOST_TEST(last.changes.events.size() == 1U);
  BOOST_TEST(note(3, true).changes.empty());
  BOOST_TEST(note(1, false).changes.events.size() == 1U);
  BOOST_TEST(test::describe(s.row) == "Open, 0 of 0, revision 3, upstreams completed 8");
  BOOST_TEST(note(3, false).changes.writes.size() == 1U);
  BOOST_TEST(!s.row.sealed);
}

BOOST_AUTO_TEST_CASE(a_canceled_step_only_remembers_what_the_others_do) {
  core::step s;
  decide(s, core::unit_verb::cancel, beginning);
  note_upstream(s, 0, true, 1, beginning);
  BOOST_TEST(test::describe(s.row) == "Canceled, 0 of 0, revision 2, upstreams completed 1");
}

// A20: what is sent back reopens the step, which goes on being sealed
BOOST_AUTO_TEST_CASE(units_of_chains_reopen_a_step_and_leave_its_seal) {
  core::step s;
  core::uuid_source ids{1};
  seal(s, beginning);
  BOOST_REQUIRE((s.row.status == step_status::completed));
  core::source_item child;
  child.key = "k";
  child.parent = {ids.next(beginning)};
  child.root = child.parent;
  child.loops = 2;
  child.part = 4;
  child.excluded = {"ana", "bob"};
  const auto d = add_units(s, {child}, ids, beginning);
  BOOST_TEST(test::describe(s.row) == "Open, sealed, 0 of 1, revision 3");
  BOOST_TEST(d.changes.events.size() == 2U);
  const auto& stored = std::get<core::insert_unit>(d.changes.writes[0]);
  BOOST_TEST(stored.loops == 2U);
  BOOST_TEST(stored.part == 4U);
  BOOST_TEST(stored.excluded == child.excluded, boost::test_tools::per_element());
  BOOST_REQUIRE(d.answer.units.size() == 1U);
  const auto& unit = d.answer.units[0];
  BOOST_TEST(unit.loops == 2U);
  BOOST_TEST((barred_until(unit, "bob", beginning) == core::instant::max()));
  units_finished(s, 1, beginning);
  BOOST_TEST((s.row.status == step_status::completed));
}

BOOST_AUTO_TEST_CASE(a_child_unit_belongs_to_the_chain_of_its_parent) {
  core::step s;
  core::uuid_source ids{1};
  const core::unit_id parent{ids.next(beginning)};
  const core::unit_id root{ids.next(beginning)};
  const auto d =
      add_units(s, {{"k", "{}", 3, parent, root, {}}, {"l", "{}", 3, {}, {}, {}}}, ids, beginning);
  BOOST_REQUIRE(d.answer.units.size() == 2U);
  const auto& child = d.answer.units[0];
  BOOST_TEST(to_string(child.parent) == to_string(parent));
  BOOST_TEST(to_string(child.root) == to_string(root));
  const auto& first = d.answer.units[1];
  BOOST_TEST(!first.parent);
  BOOST_TEST(to_string(first.root) == to_string(first.id));
  // The same goes for what is stored.
  const auto& stored = std::get<core::insert_unit>(d.changes.writes[0]);
  BOOST_TEST(to_string(stored.id) == to_string(child.id));
  BOOST_TEST(to_string(stored.parent) == to_string(parent));
  BOOST_TEST(to_string(stored.root) == to_string(root));
  BOOST_TEST(stored.ordinal == 1U);
  BOOST_TEST(stored.slots == 3U);
}

BOOST_AUTO_TEST_CASE(a_step_is_listed_as_it_stands_and_so_say_its_events) {
  core::step s;
  s.listing.key = "label";
  s.listing.priority = 4;
  s.listing.version = 2;
  const auto paused = decide(s, core::unit_verb::pause, beginning);
  const auto now = listed(s);
  BOOST_TEST(now.key == "label");
  BOOST_TEST(now.priority == 4);
  BOOST_TEST((now.status == step_status::paused));
  BOOST_TEST(now.revision == 2U);
  BOOST_REQUIRE(paused.changes.events.size() == 1U);
  BOOST_TEST(paused.changes.events[0].details == step_details(s.row, s.listing));
  BOOST_TEST(paused.changes.events[0].details.find(R"("version":2,"key":"label")")
             != std::string::npos);
}

// G-1: what is asked to test people is no work to be done
BOOST_AUTO_TEST_CASE(test_questions_neither_count_nor_reopen_a_step) {
  core::step s;
  core::uuid_source ids{1};
  s.row.id = {ids.next(beginning)};
  s.hides_origin = true;
  add_units(s, {item(1)}, ids, beginning);
  seal(s, beginning);
  units_finished(s, 1, beginning);
  BOOST_TEST((s.row.status == step_status::completed));

  auto question = item(2);
  question.truth = R"({"answer":1})";
  const auto d = add_units(s, {question}, ids, beginning + std::chrono::hours{1});
  BOOST_REQUIRE(d.answer.units.size() == 1U);
  BOOST_TEST(is_test_question(d.answer.units[0]));
  BOOST_TEST(d.changes.writes.size() == 1U);
  BOOST_TEST(d.changes.events.empty());
  BOOST_TEST(s.row.total_units == 1U);
  BOOST_TEST((s.row.status == step_status::completed));
  // Its id begins as that of every other unit of the step, however late it came.
  BOOST_TEST((time_of(d.answer.units[0].id.value) == time_of(s.row.id.value)));
}

BOOST_AUTO_TEST_CASE(more_units_finishing_than_there_are_is_a_bug_of_ours) {
  core::step s;
  core::uuid_source ids{1};
  add_units(s, {item(1), item(2)}, ids, beginning);
  units_finished(s, 2, beginning);
  BOOST_CHECK_THROW(units_finished(s, 1, beginning), core::broken_invariant);
}

BOOST_AUTO_TEST_CASE(a_refusal_names_the_state) {
  core::step s;
  decide(s, core::unit_verb::cancel, beginning);
  BOOST_TEST(seal(s, beginning).detail == "the step is canceled");
  BOOST_TEST(decide(s, core::unit_verb::pause, beginning).detail == "the step is Canceled");
}

BOOST_AUTO_TEST_SUITE_END()
