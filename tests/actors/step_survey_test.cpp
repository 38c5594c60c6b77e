// Monitors in live steps: what they find is flagged once, and nobody is removed by it.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <utility>
#include <variant>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// `more` are further members of the only step.
std::string surveyed_step_with(const std::string& more) {
  return R"({"name": "colours", "steps": [{"key": "label", "judgments_per_unit": 3,
             "lease": {"ttl_seconds": 60, "total_max_seconds": 120, "regrant_after_seconds": 30},
             )"
         + more + "}]}";
}

struct surveyed_node : node_fixture {
  surveyed_node() { start(); }

  /// Ana and bob agree about all units, and eve says the same to each.
  void judge(const core::step_id& step, std::size_t units, std::size_t first = 0) {
    feed(step, units, first);
    for (std::size_t i = first; i < first + units; ++i) {
      const auto* answer = i / 2 % 2 == 0 ? "red" : "blue";
      work(step, "ana", answer);
      work(step, "bob", answer);
      work(step, "eve", "green");
    }
    advance(1s);
  }

  msg::step_quality quality(const core::step_id& step) {
    const auto told = call(msg::get_step_quality{step});
    BOOST_REQUIRE_MESSAGE(told.value, (told.error ? told.error->detail : "no answer"));
    return *told.value;
  }

  std::string concerns(const core::step_id& step) {
    std::string text;
    for (const auto& one : quality(step).concerns)
      text += (text.empty() ? "" : " ") + one.contributor + ":" + one.monitor;
    return text;
  }

  std::string flags(const core::step_id& step) {
    std::string text;
    const auto page = call(msg::list_contributors{step, "", 100});
    BOOST_REQUIRE(page.value);
    for (const auto& one : page.value->contributors)
      for (const auto& flag : one.flags)
        text += (text.empty() ? "" : " ") + one.contributor + ":" + flag;
    return text;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(surveys_of_steps, surveyed_node)

// A23, A24
BOOST_AUTO_TEST_CASE(a_step_without_monitors_tells_and_flags_nobody) {
  const auto step = create(surveyed_step_with(R"("title": "Which colour?")"));
  judge(step, 20);
  const auto told = quality(step);
  BOOST_TEST(told.judgments == 60U);
  BOOST_TEST(told.units == 20U);
  BOOST_TEST(told.labels == 3U);
  BOOST_TEST(told.comparable);
  BOOST_TEST(told.krippendorff_alpha < 0.5);
  BOOST_TEST(told.finished_units == 20U);
  BOOST_TEST(told.sure == 0.9);
  BOOST_TEST(told.unsure_units == 20U); // two of three
  BOOST_TEST(told.judgments_saved == 0);
  BOOST_TEST(concerns(step) == "eve:agreement eve:patterns");
  BOOST_TEST(flags(step).empty());
  BOOST_TEST(events(core::event_type::contributor_flagged).empty());
  BOOST_TEST((call(msg::get_step_quality{fresh<core::step_id>()}).code() == core::errc::not_found));
  BOOST_TEST((call(msg::get_step_quality{}).code() == core::errc::invalid_argument));
}

// A28, I-12: once, also when the step starts again
BOOST_AUTO_TEST_CASE(a_flag_is_raised_once_and_removes_nobody) {
  const auto step = create(surveyed_step_with(R"("monitors": ["agreement", "speed"])"));
  judge(step, 20);
  BOOST_TEST(concerns(step) == "eve:agreement eve:patterns");
  BOOST_TEST(flags(step) == "eve:agreement");
  const auto told = events(core::event_type::contributor_flagged);
  BOOST_REQUIRE(told.size() == 1U);
  BOOST_TEST(told[0].details.find(R"("contributor_id":"eve","standing":"Working",)"
                                  R"("reason":"agreement")")
             != std::string::npos);
  BOOST_TEST(told[0].details.find(R"("why":"agrees with the majority)") != std::string::npos);
  restart();
  BOOST_TEST(flags(step) == "eve:agreement");
  BOOST_TEST(concerns(step) == "eve:agreement eve:patterns");
  BOOST_TEST(events(core::event_type::contributor_flagged).size() == 1U);
  feed(step, 1, 20);
  work(step, "eve", "green");
  BOOST_TEST(broken_invariants(*database).empty());
}

// A26, A158: without anybody asking
BOOST_AUTO_TEST_CASE(a_step_looks_at_its_judgments_of_its_own_accord) {
  const auto step = create(surveyed_step_with(R"("monitors": ["patterns"])"));
  judge(step, 16); // 48 judgments
  BOOST_TEST(flags(step).empty());
  judge(step, 1, 16);
  BOOST_TEST(flags(step) == "eve:patterns");
  BOOST_TEST(events(core::event_type::contributor_flagged).size() == 1U);
}

// finding Q4
BOOST_AUTO_TEST_CASE(a_judgment_that_cannot_be_read_is_left_out_and_flags_nobody) {
  const auto step = create(surveyed_step_with(R"("monitors": ["patterns"])"));
  judge(step, 16); // 48 judgments
  const auto lost = database->tables().units_by_ordinal.begin()->second;
  database->set_damaged_history([=](const core::step_history::unreadable& row) {
    return row.what == core::step_history::unreadable::row::vote && row.contributor == "eve"
           && row.unit == lost;
  });
  judge(step, 4, 16);
  BOOST_TEST(count_logged("survey_leaves_out") == 1U);
  BOOST_TEST(concerns(step) == "eve:damaged eve:agreement eve:patterns");
  const auto told = quality(step);
  BOOST_TEST(told.judgments == 59U);
  BOOST_REQUIRE(!told.concerns.empty());
  BOOST_TEST(told.concerns[0].why
             == "the answer of eve to unit " + to_string(lost)
                    + " in holdfast.judgments cannot be read: its row is damaged");
  BOOST_TEST(flags(step).empty());
  BOOST_TEST(events(core::event_type::contributor_flagged).empty());
  BOOST_TEST(count_logged("survey_leaves_out") == 1U);
  BOOST_TEST(!logged("survey_failed"));

  database->set_damaged_history({});
  BOOST_TEST(concerns(step) == "eve:agreement eve:patterns");
  BOOST_TEST(flags(step) == "eve:patterns");
  BOOST_TEST(broken_invariants(*database).empty());
}

// The reader answers lists and searches, and assignments wait for the profiles that it reads.
BOOST_AUTO_TEST_CASE(nobody_who_reads_waits_while_a_survey_is_computed) {
  const auto step = create(surveyed_step_with(R"("monitors": ["patterns"])"));
  held_back = "refitter";
  judge(step, 17);
  BOOST_TEST(call(msg::list_steps{{}, 10}).value.has_value());
  BOOST_TEST(call(msg::list_results{step, 0, 10}).value.has_value());
  BOOST_TEST(flags(step).empty());
  feed(step, 1, 17);
  work(step, "ana");
  held_back.clear();
  advance(1s);
  BOOST_TEST(flags(step) == "eve:patterns");
}

// A28, I-12: the flag was not written when the step crashed
BOOST_AUTO_TEST_CASE(a_flag_that_was_lost_is_raised_by_the_next_survey) {
  const auto step = create(surveyed_step_with(R"("monitors": ["agreement"])"));
  bool refused = false;
  database->set_refusals([&refused](const core::change& c) {
    for (const auto& write : c.writes)
      if (std::holds_alternative<core::insert_flag>(write))
        return !std::exchange(refused, true);
    return false;
  });
  judge(step, 16);
  feed(step, 1, 16);
  work(step, "ana");
  work(step, "bob"); // the fiftieth judgment
  advance(1s);
  BOOST_TEST(refused);
  BOOST_TEST(events(core::event_type::contributor_flagged).empty());
  BOOST_TEST(flags(step).empty());
  BOOST_TEST(concerns(step) == "eve:agreement eve:patterns");
  BOOST_TEST(flags(step) == "eve:agreement");
  BOOST_TEST(events(core::event_type::contributor_flagged).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_stopping_rule_says_what_it_has_saved) {
  const auto step = create(R"({"name": "w", "steps": [{"key": "label",
      "stopping": {"min": 2, "max": 5, "stop_at": 0.8}}]})");
  feed(step, 4);
  for (int i = 0; i < 4; ++i) {
    work(step, "ana");
    work(step, "bob");
  }
  advance(1s);
  const auto told = quality(step);
  BOOST_TEST(told.finished_units == 4U);
  BOOST_TEST(told.sure == 0.8);
  BOOST_TEST(told.judgments_saved == 12);
  BOOST_TEST(!told.comparable); // all the same
}

// A72: what is finished goes by what was asked then
BOOST_AUTO_TEST_CASE(saved_judgments_stay_when_the_stopping_rule_changes) {
  const auto step = create(R"({"name": "w", "steps": [{"key": "label",
      "stopping": {"min": 2, "max": 5, "stop_at": 0.8}}]})");
  const auto finish = [&](std::size_t first) {
    feed(step, 4, first);
    for (int i = 0; i < 4; ++i) {
      work(step, "ana");
      work(step, "bob");
    }
    advance(1s);
  };
  finish(0);
  const std::string stricter = R"({"name": "w", "steps": [{"key": "label",
      "stopping": {"min": 1, "max": 2, "stop_at": 1}}]})";
  BOOST_REQUIRE(call(msg::update_workflow{step, 1, stricter, false}).value);
  BOOST_TEST(quality(step).judgments_saved == 12);
  const std::string fixed = R"({"name": "w", "steps": [{"key": "label",
      "judgments_per_unit": 2}]})";
  BOOST_REQUIRE(call(msg::update_workflow{step, 2, fixed, false}).value);
  finish(4);
  const auto told = quality(step);
  BOOST_TEST(told.finished_units == 8U);
  BOOST_TEST(told.judgments_saved == 12);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
