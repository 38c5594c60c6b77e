// What becomes of tasks that producers stage in the database themselves.

#include "core/intake.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace holdfast::core;
using holdfast::test::beginning;

namespace {

struct staging {
  staging() {
    q.name = "mail";
    q.revision = 1;
    q.policy.types["kyc"].transitions = {{"NEW", {"DONE"}}, {"DONE", {}}};
    q.policy.types["kyc"].first_state = "NEW";
  }

  staged_task staged(const std::string& unique_key = {}) {
    staged_task made;
    made.id = ++last;
    made.task.spec.id.value.bytes[15] = static_cast<std::uint8_t>(last);
    made.task.spec.type = "send";
    made.task.spec.unique_key = unique_key;
    return made;
  }

  decision<intake_outcome> take(std::vector<staged_task> tasks) {
    return decide(q, take_in{std::move(tasks)}, beginning);
  }

  template <class Op>
  static std::vector<Op> writes(const decision<intake_outcome>& taken) {
    std::vector<Op> found;
    for (const auto& write : taken.changes.writes)
      if (const auto* op = std::get_if<Op>(&write))
        found.push_back(*op);
    return found;
  }

  static std::vector<staging_id> ids_taken(const decision<intake_outcome>& taken) {
    const auto ops = writes<take_staged>(taken);
    return ops.empty() ? std::vector<staging_id>{} : ops.front().staged;
  }

  queue q;
  staging_id last = 0;
};

using ids = std::vector<staging_id>;

} // namespace

BOOST_FIXTURE_TEST_SUITE(intake, staging)

// C25, I-13
BOOST_AUTO_TEST_CASE(staged_rows_become_tasks_and_leave_the_stage_in_one_change) {
  const auto at_once = staged();
  auto later = staged();
  later.task.run_at = beginning + std::chrono::seconds{60};
  const auto taken = take({at_once, later});
  BOOST_TEST(taken.answer.taken == 2U);
  BOOST_TEST(ids_taken(taken) == (ids{1, 2}), boost::test_tools::per_element());
  const auto made = writes<insert_task>(taken);
  BOOST_REQUIRE_EQUAL(made.size(), 2U);
  BOOST_TEST(made[0].queue == "mail");
  BOOST_TEST((made[1].spec.created_at == beginning));
  BOOST_TEST((made[1].progress.next_action == later.task.run_at));
  BOOST_TEST(q.tasks.size() == 2U);
}

// C22, I-13
BOOST_AUTO_TEST_CASE(a_repetition_makes_nothing_and_leaves_the_stage) {
  const auto first = staged();
  take({first});
  auto again = first;
  again.id = 7;
  auto ended = staged();
  ended.known_in = "mail";
  const auto taken = take({again, ended});
  BOOST_TEST(taken.answer.taken == 2U);
  BOOST_TEST(ids_taken(taken) == (ids{ended.id, 7}), boost::test_tools::per_element());
  BOOST_TEST(writes<insert_task>(taken).empty());
  // Twice in one page, too.
  const auto twice = staged();
  auto other = twice;
  other.id = 9;
  BOOST_TEST(writes<insert_task>(take({twice, other})).size() == 1U);
}

// finding B10: its producer was told an id that no task has; nobody may believe that it is done.
BOOST_AUTO_TEST_CASE(staged_task_whose_unique_key_is_taken_is_refused_with_who_has_it) {
  const auto first = staged("k");
  const auto second = staged("k");
  const auto taken = take({first, second});
  BOOST_TEST(taken.answer.taken == 1U);
  BOOST_TEST(taken.answer.refused == 1U);
  BOOST_TEST(writes<insert_task>(taken).size() == 1U);
  const auto refusals = writes<refuse_staged>(taken);
  BOOST_REQUIRE_EQUAL(refusals.size(), 1U);
  BOOST_TEST(refusals[0].staged == second.id);
  BOOST_TEST((refusals[0].code == errc::already_exists));
  BOOST_TEST(refusals[0].detail.find(to_string(first.task.spec.id)) != std::string::npos);
}

// C24
BOOST_AUTO_TEST_CASE(refused_row_is_set_aside_and_harms_no_other) {
  auto of_no_state = staged();
  of_no_state.task.spec.type = "kyc";
  of_no_state.task.state = "LOST";
  auto elsewhere = staged();
  elsewhere.known_in = "other";
  auto too_large = staged();
  too_large.problem = {errc::too_large, "body: too large"};
  auto duplicate = staged("k");
  duplicate.task.conflict = on_conflict::reject;
  const auto good = staged("k");
  const auto taken = take({of_no_state, elsewhere, too_large, good, duplicate});
  BOOST_TEST(taken.answer.taken == 1U);
  BOOST_TEST(taken.answer.refused == 4U);
  BOOST_TEST(ids_taken(taken) == (ids{good.id}), boost::test_tools::per_element());
  std::string text;
  for (const auto& refusal : writes<refuse_staged>(taken)) {
    text += std::to_string(refusal.staged) + ' ' + std::string{to_string(refusal.code)} + '\n';
    BOOST_TEST(!refusal.detail.empty());
    BOOST_TEST((refusal.at == beginning));
  }
  BOOST_TEST(text == "2 already_exists\n3 too_large\n1 wrong_state\n4 already_exists\n");
}

BOOST_AUTO_TEST_CASE(a_full_queue_leaves_what_is_staged_where_it_is) {
  q.policy.depth_max = 2;
  BOOST_TEST(room_of(q) == 2U);
  const auto taken = take({staged(), staged(), staged()});
  BOOST_TEST(taken.answer.taken == 2U);
  BOOST_TEST(taken.answer.left == 1U);
  BOOST_TEST(taken.answer.refused == 0U);
  BOOST_TEST(room_of(q) == 0U);
  q.policy.depth_max = 1;
  BOOST_TEST(room_of(q) == 0U);
  const auto full = take({staged()});
  BOOST_TEST(full.answer.left == 1U);
  BOOST_TEST(full.changes.empty());
}

BOOST_AUTO_TEST_SUITE_END()
