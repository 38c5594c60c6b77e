// Slots that tasks fill: their names, their leases, and what becomes of their results.

#include "core/step.hpp"
#include "core/task_purpose.hpp"
#include "core/unit_tasks.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast::core;
using namespace std::chrono_literals;

namespace {

const instant start = from_micros(1'700'000'000'000'000);
const lease_policy lease_terms{15min, 1h, 1min};

/// A step whose units have three slots, two of them for tasks.
struct world {
  world() {
    s.row.id = {ids.next(start)};
    s.executor = task_executor{"models", "label", 2, 24h};
    judges = task_judges(*s.executor);
  }

  uuid_source ids{7};
  step s;
  std::vector<contributor_id> judges; ///< Who are not removed.
  change written;

  unit_record make(source_item item) {
    auto made = add_units(s, {std::move(item)}, ids, start, judges);
    written = std::move(made.changes);
    BOOST_REQUIRE_EQUAL(made.answer.units.size(), 1U);
    return made.answer.units.front();
  }
  unit_record make(std::uint32_t slots = 3) { return make({"k", "{\"n\":1}", slots, {}, {}}); }

  template <class Op>
  std::vector<Op> all() const {
    std::vector<Op> found;
    for (const auto& w : written.writes)
      if (const auto* op = std::get_if<Op>(&w))
        found.push_back(*op);
    return found;
  }
};

take_result result_of(const lease& held, std::string answer = "red") {
  return {{held.id.value}, task_ending::completed, "{}", std::move(answer), {0.75, 6}};
}

} // namespace

BOOST_AUTO_TEST_SUITE(unit_tasks)

// A11
BOOST_AUTO_TEST_CASE(each_slot_has_a_judge_of_its_own_the_same_in_all_units) {
  BOOST_TEST(task_judges({"q", "t", 3, 1h})
                 == (std::vector<std::string>{"task:q/t", "task:q/t#2", "task:q/t#3"}),
             boost::test_tools::per_element());
  for (const auto& judge : task_judges({"q", "t", 3, 1h}))
    BOOST_TEST(is_task_judge(judge));
  BOOST_TEST(!is_task_judge("tasks:q/t"));
  BOOST_TEST(!is_task_judge(""));
}

BOOST_AUTO_TEST_CASE(purpose_of_a_task_is_read_back_and_nothing_else_is_taken_for_one) {
  uuid_source ids{3};
  const task_purpose purpose{{ids.next(start)}, {ids.next(start)}};
  const auto text = owner_of(purpose);
  const auto read = purpose_in(text);
  BOOST_REQUIRE(read);
  BOOST_TEST((read->step == purpose.step && read->unit == purpose.unit));
  for (const auto& other :
       {std::string{}, std::string{"unit/"}, text + "0", text.substr(1),
        "unit/" + to_string(purpose.step), std::string(text.size(), 'x'), "task/" + text.substr(5)})
    BOOST_TEST(!purpose_in(other), other);
}

// I-1, I-3
BOOST_AUTO_TEST_CASE(new_unit_leases_slots_to_its_tasks_and_stages_them) {
  world w;
  const auto u = w.make();
  BOOST_REQUIRE_EQUAL(u.leases.active.size(), 2U);
  BOOST_TEST(free_slots(u) == 1U);
  const auto leases = w.all<insert_lease>();
  const auto staged = w.all<stage_task>();
  BOOST_REQUIRE_EQUAL(leases.size(), 2U);
  BOOST_REQUIRE_EQUAL(staged.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    BOOST_TEST((leases[i].lease.id.value == staged[i].task.spec.id.value));
    BOOST_TEST(leases[i].lease.owner == w.judges[i]);
    BOOST_TEST(leases[i].lease.token == i + 1);
    BOOST_TEST((leases[i].lease.expires_at == start + 24h));
    BOOST_TEST(staged[i].queue == "models");
    BOOST_TEST(staged[i].task.spec.type == "label");
    BOOST_TEST(staged[i].task.spec.body == u.input);
    BOOST_TEST(staged[i].task.spec.owner_id == owner_of({u.step, u.id}));
  }
}

BOOST_AUTO_TEST_CASE(tasks_take_no_more_slots_than_there_are) {
  world w;
  const auto u = w.make(1);
  BOOST_TEST(u.leases.active.size() == 1U);
  BOOST_TEST(free_slots(u) == 0U);
  BOOST_TEST(w.all<stage_task>().size() == 1U);
}

// A22: who judged a unit of the chain before does not judge this one, be it a person or a task
BOOST_AUTO_TEST_CASE(excluded_and_removed_judges_get_no_task) {
  world w;
  source_item again{"k", "{}", 3, {}, {}};
  again.excluded = {"task:models/label"};
  const auto u = w.make(again);
  BOOST_REQUIRE_EQUAL(u.leases.active.size(), 1U);
  BOOST_TEST(u.leases.active[0].owner == "task:models/label#2");
  w.judges.clear();
  BOOST_TEST(w.make(again).leases.active.empty());
  BOOST_TEST(w.all<stage_task>().empty());
}

// A14: a test question is asked of those whom it is to test
BOOST_AUTO_TEST_CASE(test_questions_are_no_tasks) {
  world w;
  source_item question{"q", "{}", 1, {}, {}};
  question.truth = "\"red\"";
  BOOST_TEST(w.make(question).leases.active.empty());
  BOOST_TEST(w.all<stage_task>().empty());
}

// I-4: once
BOOST_AUTO_TEST_CASE(result_becomes_a_judgment_once) {
  world w;
  auto u = w.make();
  const auto held = u.leases.active[1];
  auto taken = decide(u, lease_terms, result_of(held), start + 1min);
  BOOST_TEST(taken.answer == "task:models/label#2");
  BOOST_REQUIRE_EQUAL(taken.changes.writes.size(), 1U);
  const auto& judged = std::get<insert_judgment>(taken.changes.writes[0]);
  BOOST_TEST((judged.id.value == held.id.value));
  BOOST_TEST(judged.token == held.token);
  BOOST_TEST(judged.answer == "red");
  BOOST_TEST(judged.trust_snapshot == 0.75);
  BOOST_TEST((judged.trust_questions == 6U));
  BOOST_TEST(counted_judgments(u) == 1U);
  const auto again = decide(u, lease_terms, result_of(held, "green"), start + 2min);
  BOOST_TEST(again.answer.empty());
  BOOST_TEST(again.changes.empty());
  BOOST_TEST(u.judgments.size() == 1U);
}

BOOST_AUTO_TEST_CASE(slot_of_a_task_that_came_to_nothing_is_free_for_others) {
  world w;
  auto u = w.make();
  const auto held = u.leases.active[0];
  const auto lost = decide(u, lease_terms, take_result{{held.id.value}}, start + 1min);
  BOOST_TEST(lost.answer == held.owner);
  BOOST_TEST(free_slots(u) == 2U);
  BOOST_TEST((barred_until(u, held.owner, start + 1h) == instant::max()));
  BOOST_TEST(
      (decide(u, lease_terms, ask{"ana", {w.ids.next(start)}}, start + 1h).refusal == errc::none));
  // Too late.
  BOOST_TEST(decide(u, lease_terms, result_of(held), start + 2min).changes.empty());
}

// C7: what failed is a dead letter, which may be redriven
BOOST_AUTO_TEST_CASE(slot_of_a_task_that_failed_waits_and_of_a_canceled_one_does_not) {
  world w;
  auto u = w.make();
  const auto first = u.leases.active[0];
  const auto second = u.leases.active[1];
  for (const auto ending : {task_ending::failed, task_ending::dead}) {
    const auto failed = decide(u, lease_terms, take_result{{first.id.value}, ending}, start + 1min);
    BOOST_TEST(failed.answer.empty());
    BOOST_TEST(failed.changes.empty());
  }
  BOOST_TEST(free_slots(u) == 1U);
  // What a worker left before somebody canceled its task is no result.
  const take_result canceled{{second.id.value}, task_ending::canceled, "{}", "red"};
  BOOST_TEST(decide(u, lease_terms, canceled, start + 1min).answer == second.owner);
  BOOST_TEST(u.judgments.empty());
  BOOST_TEST(free_slots(u) == 2U);
  BOOST_TEST(decide(u, lease_terms, result_of(first), start + 2min).answer == first.owner);
}

// review
BOOST_AUTO_TEST_CASE(result_is_refused_under_the_id_of_another_judgment_and_taken_under_a_new_one) {
  world w;
  auto u = w.make();
  const auto held = u.leases.active[0];
  const auto hers = decide(u, lease_terms, ask{"ana", {w.ids.next(start)}}, start);
  BOOST_REQUIRE((hers.refusal == errc::none));
  BOOST_REQUIRE((decide(u, lease_terms,
                        submit{"ana", hers.answer.token, {held.id.value}, "{}", "green"}, start)
                     .refusal
                 == errc::none));
  auto command = result_of(held);
  const auto refused = decide(u, lease_terms, command, start + 1min);
  BOOST_TEST((refused.refusal == errc::already_exists));
  BOOST_TEST(refused.changes.empty());
  BOOST_TEST(judge_of(u, command.task) == held.owner);
  command.judgment = {w.ids.next(start)};
  BOOST_TEST(decide(u, lease_terms, command, start + 1min).answer == held.owner);
  BOOST_TEST((u.judgments.back().id == command.judgment));
}

BOOST_AUTO_TEST_CASE(result_after_the_units_patience_changes_nothing) {
  world w;
  auto u = w.make();
  const auto held = u.leases.active[0];
  BOOST_TEST(decide(u, lease_terms, result_of(held), start + 24h).changes.empty());
  BOOST_TEST(decide(u, lease_terms, expire{}, start + 24h).answer == 2U);
  BOOST_TEST(free_slots(u) == 3U);
  BOOST_TEST(decide(u, lease_terms, result_of(held), start + 25h).changes.empty());
}

BOOST_AUTO_TEST_CASE(lease_of_a_person_is_nothing_to_a_task_of_the_same_id) {
  world w;
  w.s.executor.reset();
  auto u = w.make();
  const assignment_id id{w.ids.next(start)};
  BOOST_REQUIRE((decide(u, lease_terms, ask{"ana", id}, start).refusal == errc::none));
  BOOST_TEST(judge_of(u, {id.value}).empty());
  BOOST_TEST(decide(u, lease_terms, take_result{{id.value}}, start).changes.empty());
  BOOST_TEST(u.leases.active.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
