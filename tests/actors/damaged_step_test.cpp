// Steps of which a row that quality control goes by cannot be read: the step works, and nobody gets
// a clean slate by the damage, or loses by it.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

using unreadable_row = core::step_history::unreadable;

const std::string with_test_questions = R"({"name": "colours", "steps": [{"key": "label",
    "judgments_per_unit": 3, "test_questions": {"quiz": 2, "quiz_pass": 0.5, "every": 3}}]})";

struct step_with_damage : node_fixture {
  step_with_damage() { start(); }

  /// The standing of the contributor cannot be read from the next start of the node on.
  void damage_standing_of(const std::string& who) {
    database->set_damaged_history([who](const unreadable_row& row) {
      return row.what == unreadable_row::row::standing && row.contributor == who;
    });
    restart();
  }
  void mend() {
    database->set_damaged_history({});
    restart();
  }

  void ask_about(const core::step_id& step, int questions) {
    msg::add_test_questions request{step, {}};
    for (int i = 0; i < questions; ++i)
      request.rows.push_back({"test-" + std::to_string(i), R"({"n":)" + std::to_string(i) + "}",
                              R"({"answer":"red"})"});
    BOOST_REQUIRE(call(std::move(request)).value);
  }

  msg::contributor_view contributor(const core::step_id& step, const std::string& who) {
    const auto page = call(msg::list_contributors{step, "", 100});
    BOOST_REQUIRE(page.value);
    for (const auto& one : page.value->contributors)
      if (one.contributor == who)
        return one;
    BOOST_ERROR(who << " is not listed");
    return {};
  }

  bool is_repaired(const core::step_id& step, const core::repair_id& repair,
                   const std::string& who) {
    const auto told = call(msg::repair_contributor{step, repair, who, false});
    return told.value && told.value->done;
  }

  bool is_tainted(const core::unit_id& unit, const std::string& who) const {
    return database->tables().judgments.at({unit, who}).tainted_at.has_value();
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(damaged_steps, step_with_damage)

// finding Q4
BOOST_AUTO_TEST_CASE(contributor_with_an_unreadable_standing_is_refused_and_nobody_else) {
  const auto step = create();
  feed(step, 1);
  const auto judged = assigned(step, "eve");
  BOOST_REQUIRE(submit(judged, "eve").value);
  BOOST_REQUIRE(call(msg::remove_contributor{step, "eve"}).value);
  advance(1s);
  BOOST_REQUIRE(is_tainted(judged.unit, "eve"));
  damage_standing_of("eve");

  const auto refused = assign(step, "eve");
  BOOST_TEST((refused.code() == core::errc::damaged));
  BOOST_REQUIRE(refused.error);
  BOOST_TEST(refused.error->detail.find("the standing of eve in holdfast.contributor_standings")
                 != std::string::npos,
             refused.error->detail);
  BOOST_TEST((submit(judged, "eve").code() == core::errc::damaged));
  const auto lease = assigned(step, "ana");
  // The unit is read anew, and finds a judgment that does not count of somebody who is not known to
  // be removed.
  crash(the_actor("unit"));
  advance(1s);
  BOOST_TEST(is_tainted(judged.unit, "eve"));
  BOOST_TEST(submit(lease, "ana").value.has_value());

  // Nothing is written over the row.
  const auto before = database->tables().standings.size();
  BOOST_TEST((call(msg::remove_contributor{step, "eve"}).code() == core::errc::damaged));
  BOOST_TEST((call(msg::repair_contributor{step, fresh<core::repair_id>(), "ana", true}).code()
              == core::errc::damaged));
  BOOST_TEST(database->tables().standings.size() == before);

  BOOST_TEST((contributor(step, "eve").flags == std::vector<std::string>{"damaged"}));
  const auto explained = call(msg::explain_contributor{step, "eve"});
  BOOST_REQUIRE(explained.value);
  BOOST_REQUIRE_EQUAL(explained.value->reasons.size(), 1U);
  BOOST_TEST(explained.value->reasons[0].code == "standing_unreadable");
  const auto quality = call(msg::get_step_quality{step});
  BOOST_REQUIRE(quality.value);
  BOOST_REQUIRE_EQUAL(quality.value->concerns.size(), 1U);
  BOOST_TEST(quality.value->concerns[0].contributor == "eve");
  BOOST_TEST(quality.value->concerns[0].monitor == "damaged");
  BOOST_TEST(count_logged("step_rows_unreadable") == 1U);

  mend();
  BOOST_TEST((assign(step, "eve").code() == core::errc::not_qualified));
  BOOST_TEST(count_logged("step_rows_unreadable") == 0U); // of the new process
  BOOST_TEST(broken_invariants(*database) == "");
}

// finding B3
BOOST_AUTO_TEST_CASE(unit_with_a_damaged_lease_or_judgment_keeps_no_other_from_being_judged) {
  const auto step = create();
  feed(step, 2);
  const auto first = assigned(step, "ana");
  const auto second = assigned(step, "ana");
  database->set_damaged_parts([=](const core::unit_id& unit) { return unit == first.unit; });
  restart();
  BOOST_TEST((submit(first, "ana").code() == core::errc::damaged));
  BOOST_TEST(submit(second, "ana").value.has_value());
  for (const auto* who : {"bob", "cid"}) // nobody is offered it
    if (const auto given = assign(step, who); given.value)
      BOOST_TEST((given.value->unit == second.unit));
  BOOST_TEST(count_logged("unit_unreadable") == 1U);
  BOOST_TEST(logged(to_string(first.unit)));
  BOOST_TEST(count_logged("step_load_failed") == 0U);

  database->set_damaged_parts({});
  BOOST_TEST(submit(first, "ana").value.has_value());
  BOOST_TEST(broken_invariants(*database) == "");
}

// finding B3
BOOST_AUTO_TEST_CASE(repair_that_cannot_be_read_stops_neither_its_step_nor_other_repairs) {
  const auto step = create();
  feed(step, 2);
  for (const auto* who : {"ana", "eve", "mal"})
    work(step, who);
  advance(1s);
  for (const auto* who : {"eve", "mal"})
    BOOST_REQUIRE(call(msg::remove_contributor{step, who}).value);
  advance(1s);
  // Neither gets anywhere in this life.
  database->set_read_faults([](std::string_view read) { return read == "find_judged"; });
  const auto lost = fresh<core::repair_id>();
  const auto other = fresh<core::repair_id>();
  BOOST_REQUIRE(call(msg::repair_contributor{step, lost, "eve", false}).value);
  BOOST_REQUIRE(call(msg::repair_contributor{step, other, "mal", false}).value);
  database->set_damaged_repairs([=](const core::repair_id& repair) { return repair == lost; });
  restart();
  database->set_read_faults(nullptr);

  advance(10s); // nobody asks for the step
  BOOST_TEST(count_logged("repair_unreadable") == 1U);
  BOOST_TEST(logged(to_string(lost)));
  BOOST_TEST(count_logged("step_load_failed") == 0U);
  BOOST_TEST(assign(step, "dan").value.has_value());
  BOOST_TEST(is_repaired(step, other, "mal"));
  const auto refused = call(msg::repair_contributor{step, lost, "eve", false});
  BOOST_TEST((refused.code() == core::errc::damaged));
  BOOST_TEST(!database->tables().repairs.at(lost).done());

  // Another one is begun and done in its place.
  const auto again = fresh<core::repair_id>();
  BOOST_REQUIRE(call(msg::repair_contributor{step, again, "eve", false}).value);
  advance(10s);
  BOOST_TEST(is_repaired(step, again, "eve"));

  database->set_damaged_repairs({});
  restart();
  advance(10s);
  BOOST_TEST(is_repaired(step, lost, "eve"));
  BOOST_TEST(count_logged("repair_unreadable") == 0U); // of the new process
  BOOST_TEST(broken_invariants(*database) == "");
}

// finding B3
BOOST_AUTO_TEST_CASE(step_with_an_unreadable_row_keeps_no_other_from_starting) {
  const auto damaged = create();
  const auto other = create();
  feed(damaged, 1);
  feed(other, 1);
  const auto lease = assigned(other, "ana");
  database->set_damaged_steps([=](const core::step_id& step) { return step == damaged; });
  restart();

  const auto listed = call(msg::list_steps{{}, 10});
  BOOST_REQUIRE(listed.value);
  BOOST_REQUIRE_EQUAL(listed.value->steps.size(), 2U);
  for (const auto& view : listed.value->steps) {
    BOOST_TEST((view.workflow == core::workflow_id{}) == (view.step == damaged));
    BOOST_TEST(view.key.empty() == (view.step == damaged));
  }
  const auto offered = call(msg::find_steps{"bob", 10, 0, {}});
  BOOST_REQUIRE(offered.value);
  BOOST_REQUIRE_EQUAL(offered.value->steps.size(), 1U);
  BOOST_TEST((offered.value->steps[0].step == other));
  BOOST_TEST(!assign(damaged, "bob").value.has_value());

  // The lease in the other step runs out although nobody asks for that step.
  advance(60s);
  BOOST_TEST((database->tables().ended_leases.count({lease.unit, lease.token}) == 1U));
}

// finding Q4
BOOST_AUTO_TEST_CASE(question_that_cannot_be_read_is_offered_to_nobody_and_stops_no_other) {
  const auto step = create(with_test_questions);
  feed(step, 4);
  ask_about(step, 3);
  const auto first = assigned(step, "ana");
  BOOST_REQUIRE(submit(first, "ana").value);
  const auto second = assigned(step, "ana");
  BOOST_REQUIRE(submit(second, "ana").value);
  BOOST_TEST(contributor(step, "ana").tests == 2U);
  database->set_damaged_history([lost = first.unit](const unreadable_row& row) {
    return row.what == unreadable_row::row::question && row.unit == lost;
  });
  restart();

  for (int i = 0; i < 2; ++i) { // the quiz of somebody new
    const auto lease = assigned(step, "bob");
    BOOST_TEST((lease.unit != first.unit));
    BOOST_TEST(submit(lease, "bob").value.has_value());
  }
  BOOST_TEST(assign(step, "ana").value.has_value());
  BOOST_TEST(contributor(step, "ana").tests == 1U);
  BOOST_TEST((contributor(step, "ana").standing == core::contributor_standing::working));
  const auto refused = call(msg::forgive_question{step, second.unit, false});
  BOOST_TEST((refused.code() == core::errc::damaged));
  BOOST_REQUIRE(refused.error);
  BOOST_TEST(refused.error->detail.find(to_string(first.unit)) != std::string::npos,
             refused.error->detail);
  BOOST_TEST(count_logged("step_rows_unreadable") == 1U);

  mend();
  BOOST_TEST(contributor(step, "ana").tests == 2U);
  BOOST_TEST(call(msg::forgive_question{step, second.unit, false}).value.has_value());
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
