// The job that a workflow is to a lifecycle system, and what steps do about it. A36

#include "core/job_status.hpp"

#include "core/workflow_update.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/random_source.hpp"
#include "tests/core/workflow_builders.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace holdfast::core;
using holdfast::test::beginning;
using holdfast::test::describe;
using holdfast::test::step_named;
using holdfast::test::text_of;
using holdfast::test::workflow_of;

namespace {

constexpr job_status all_statuses[] = {job_status::launched, job_status::paused,
                                       job_status::finished, job_status::canceled};

struct one_step {
  uuid_source ids{7};
  step s;

  explicit one_step(std::uint32_t position = 0) {
    s.row.id = {ids.next(beginning)};
    s.row.position = position;
  }
  static one_step waiting() {
    one_step made;
    begin_under(made.s.row, job_at_first(job_start::when_launched), 0);
    return made;
  }
  decision<job_noted> told(std::uint64_t revision, job_status status) {
    return note_job_status(s, {revision, status}, beginning);
  }
  decision<added> add(const std::string& key, unit_id parent = {}) {
    source_item item;
    item.key = key;
    item.input = "{}";
    item.parent = parent;
    return add_units(s, {std::move(item)}, ids, beginning);
  }
  /// All its units are finished, and no more are expected.
  void complete() {
    add("a");
    seal(s, beginning);
    units_finished(s, 1, beginning);
    BOOST_REQUIRE((s.row.status == step_status::completed));
  }
};

/// The step as it is after the changes, which must be the step as it is.
void check_written(const one_step& with, const decision<job_noted>& d) {
  const step_row* last = nullptr;
  for (const auto& write : d.changes.writes)
    if (const auto* update = std::get_if<update_step>(&write))
      last = &update->row;
  BOOST_REQUIRE(last != nullptr);
  BOOST_TEST(describe(*last) == describe(with.s.row));
}

} // namespace

BOOST_AUTO_TEST_SUITE(job_statuses)

BOOST_AUTO_TEST_CASE(they_have_names) {
  for (const auto status : all_statuses)
    BOOST_TEST((job_status_named(to_string(status)) == status));
  BOOST_TEST(!job_status_named("Launched").has_value());
  for (const auto starts : {job_start::at_once, job_start::when_launched})
    BOOST_TEST((job_start_named(to_string(starts)) == starts));
  BOOST_TEST(!job_start_named("").has_value());
}

BOOST_AUTO_TEST_CASE(a_step_that_waits_for_the_launch_takes_units_and_is_paused) {
  auto w = one_step::waiting();
  BOOST_TEST((w.s.row.status == step_status::paused));
  BOOST_TEST((w.add("a").refusal == errc::none));
  BOOST_TEST((w.s.row.status == step_status::paused));
  const auto launched = w.told(1, job_status::launched);
  BOOST_TEST(launched.answer.applied);
  BOOST_TEST(launched.answer.revision == 1U);
  BOOST_TEST((w.s.row.status == step_status::open));
  BOOST_TEST(w.s.row.revision == 2U);
  BOOST_TEST(launched.changes.events.size() == 1U);
  check_written(w, launched);
}

// ADR 0031: a step that heard of a pause of the job in between ends as one that did not.
BOOST_AUTO_TEST_CASE(a_launched_job_resumes_what_was_paused_by_hand) {
  for (const bool paused_between : {false, true}) {
    one_step w;
    decide(w.s, unit_verb::pause, beginning);
    BOOST_REQUIRE((w.s.row.status == step_status::paused));
    if (paused_between)
      w.told(1, job_status::paused);
    check_written(w, w.told(2, job_status::launched));
    BOOST_TEST((w.s.row.status == step_status::open));
  }
}

BOOST_AUTO_TEST_CASE(without_a_word_about_it_a_job_is_launched) {
  one_step w;
  begin_under(w.s.row, job_at_first(job_start::at_once), 0);
  BOOST_TEST((w.s.row.status == step_status::open));
  // That is noted all the same: what is older must not come after it.
  const auto launched = w.told(5, job_status::launched);
  BOOST_TEST(launched.answer.applied);
  BOOST_TEST(launched.changes.events.empty());
  check_written(w, launched);
  BOOST_TEST(!w.told(4, job_status::paused).answer.applied);
  BOOST_TEST((w.s.row.status == step_status::open));
}

BOOST_AUTO_TEST_CASE(message_that_is_not_newer_changes_nothing) {
  one_step w;
  w.told(7, job_status::paused);
  for (const auto status : all_statuses)
    for (const std::uint64_t revision : {1U, 6U, 7U}) {
      const auto before = describe(w.s.row);
      const auto again = w.told(revision, status);
      BOOST_TEST((again.refusal == errc::none));
      BOOST_TEST(!again.answer.applied);
      BOOST_TEST(again.answer.revision == 7U);
      BOOST_TEST(again.changes.empty());
      BOOST_TEST(describe(w.s.row) == before);
      BOOST_TEST(w.s.row.job_revision == 7U);
    }
}

BOOST_AUTO_TEST_CASE(pausing_and_launching_go_to_and_fro) {
  one_step w;
  w.told(1, job_status::paused);
  BOOST_TEST((w.s.row.status == step_status::paused));
  w.told(2, job_status::launched);
  BOOST_TEST((w.s.row.status == step_status::open));
  // Whoever has paused it.
  decide(w.s, unit_verb::pause, beginning);
  w.told(3, job_status::launched);
  BOOST_TEST((w.s.row.status == step_status::open));
}

BOOST_AUTO_TEST_CASE(finished_seals_the_first_step_alone_and_lets_all_go_on) {
  for (const std::uint32_t position : {0U, 1U}) {
    one_step w{position};
    w.add("a");
    w.told(1, job_status::paused);
    const auto finished = w.told(2, job_status::finished);
    BOOST_TEST(finished.answer.applied);
    BOOST_TEST(w.s.row.sealed == (position == 0));
    BOOST_TEST((w.s.row.status == step_status::open));
    check_written(w, finished);
  }
  auto empty = one_step::waiting();
  empty.told(1, job_status::finished);
  BOOST_TEST((empty.s.row.status == step_status::completed));
}

BOOST_AUTO_TEST_CASE(canceled_is_final) {
  one_step w;
  BOOST_TEST(w.told(3, job_status::canceled).answer.applied);
  BOOST_TEST((w.s.row.status == step_status::canceled));
  for (const auto status : {job_status::launched, job_status::paused, job_status::finished}) {
    const auto refused = w.told(4, status);
    BOOST_TEST((refused.refusal == errc::wrong_state));
    BOOST_TEST(refused.detail.find("revision 3") != std::string::npos, refused.detail);
    BOOST_TEST(refused.changes.empty());
    BOOST_TEST(w.s.row.job_revision == 3U);
    // What was sent before the end and comes after it.
    BOOST_TEST((w.told(2, status).refusal == errc::none));
  }
  BOOST_TEST(w.told(5, job_status::canceled).answer.applied);
  BOOST_TEST(w.told(5, job_status::canceled).answer.revision == 5U);
}

BOOST_AUTO_TEST_CASE(ended_job_stays_ended) {
  for (const auto status : all_statuses) {
    one_step completed;
    completed.complete();
    const auto noted = completed.told(1, status);
    BOOST_TEST(noted.answer.applied);
    BOOST_TEST((completed.s.row.status == step_status::completed));
    check_written(completed, noted);
    one_step canceled;
    decide(canceled.s, unit_verb::cancel, beginning);
    BOOST_TEST(canceled.told(1, status).answer.applied);
    BOOST_TEST((canceled.s.row.status == step_status::canceled));
  }
}

// More to do while the job is paused: not before it goes on.
BOOST_AUTO_TEST_CASE(a_completed_step_that_has_to_do_again_is_as_the_job_has_it) {
  const auto reopened = [](job_status job, const auto& how) {
    one_step w;
    w.complete();
    w.told(1, job);
    how(w);
    return w.s.row.status;
  };
  const auto by_data = [](one_step& w) { w.add("b"); };
  const auto by_chain = [](one_step& w) { w.add("b", {w.ids.next(beginning)}); };
  const auto by_repair = [](one_step& w) { units_finished(w.s, 0, beginning, 1); };
  const auto by_upstream = [](one_step& w) { unseal(w.s, beginning); };
  BOOST_TEST((reopened(job_status::paused, by_data) == step_status::paused));
  BOOST_TEST((reopened(job_status::paused, by_chain) == step_status::paused));
  BOOST_TEST((reopened(job_status::paused, by_repair) == step_status::paused));
  BOOST_TEST((reopened(job_status::paused, by_upstream) == step_status::paused));
  BOOST_TEST((reopened(job_status::launched, by_data) == step_status::open));
  BOOST_TEST((reopened(job_status::finished, by_repair) == step_status::open));
  BOOST_TEST((reopened(job_status::canceled, by_data) == step_status::completed)); // refused
  BOOST_TEST((reopened(job_status::canceled, by_repair) == step_status::canceled));
  BOOST_TEST((reopened(job_status::canceled, by_upstream) == step_status::canceled));
}

BOOST_AUTO_TEST_CASE(a_canceled_job_takes_no_more_data_though_its_step_was_complete) {
  one_step w;
  w.complete();
  w.told(1, job_status::canceled);
  const auto refused = w.add("b");
  BOOST_TEST((refused.refusal == errc::wrong_state));
  BOOST_TEST(refused.detail == "the job is canceled");
}

BOOST_AUTO_TEST_CASE(the_first_step_decides_and_tells_each_of_the_others_once) {
  one_step w;
  const step_id second{w.ids.next(beginning)};
  const step_id third{w.ids.next(beginning)};
  const std::vector<step_id> steps{w.s.row.id, second, third};
  const auto noted = change_job_status(w.s, steps, {9, job_status::paused}, beginning);
  BOOST_TEST(noted.answer.applied);
  BOOST_REQUIRE(noted.changes.events.size() == 3U);
  BOOST_TEST((noted.changes.events[0].step == w.s.row.id));
  for (const std::size_t i : {1U, 2U}) {
    BOOST_TEST((noted.changes.events[i].type == event_type::job_step_updated));
    BOOST_TEST((noted.changes.events[i].step == steps[i]));
    BOOST_TEST(noted.changes.events[i].details == R"({"job":{"revision":9,"status":"paused"}})");
  }
  BOOST_TEST(change_job_status(w.s, steps, {9, job_status::paused}, beginning).changes.empty());
  w.told(10, job_status::canceled);
  BOOST_TEST((change_job_status(w.s, steps, {11, job_status::launched}, beginning).refusal
              == errc::wrong_state));
}

// A first step whose own status does not change still tells the others.
BOOST_AUTO_TEST_CASE(the_others_hear_of_it_though_the_first_step_stays_as_it_is) {
  one_step w;
  w.complete();
  const step_id second{w.ids.next(beginning)};
  const auto noted =
      change_job_status(w.s, {w.s.row.id, second}, {1, job_status::canceled}, beginning);
  BOOST_REQUIRE(noted.changes.events.size() == 1U);
  BOOST_TEST((noted.changes.events[0].step == second));
  check_written(w, noted);
}

// Whatever comes more than once, and in whatever order: the latest decides, so all steps end alike.
BOOST_AUTO_TEST_CASE(in_any_order_the_latest_status_decides) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    test::random_source random{seed};
    std::vector<job_news> news;
    for (std::uint64_t revision = 1; revision <= 6; ++revision)
      // It ends once, if it does: a job is not launched again after its end.
      news.push_back({revision, revision == 6 ? all_statuses[random.below(4)]
                                              : all_statuses[random.below(3)]});
    const auto last = news.back();
    auto shuffled = news;
    for (std::size_t i = 0; i < 6; ++i)
      shuffled.push_back(news[random.below(news.size())]);
    for (std::size_t i = shuffled.size(); i > 1; --i)
      std::swap(shuffled[i - 1], shuffled[random.below(i)]);
    one_step in_order{1};
    in_order.add("a");
    one_step out_of_order{1};
    out_of_order.add("a");
    for (const auto& each : news)
      in_order.told(each.revision, each.status);
    for (const auto& each : shuffled)
      out_of_order.told(each.revision, each.status);
    BOOST_TEST((in_order.s.row.status == out_of_order.s.row.status), "seed " << seed);
    BOOST_TEST((out_of_order.s.row.job == last.status));
    BOOST_TEST(out_of_order.s.row.job_revision == 6U);
  }
}

// A88
BOOST_AUTO_TEST_CASE(steps_of_a_later_version_begin_as_the_first_one_has_the_job) {
  const auto added = [](job_status status) {
    uuid_source ids{5};
    versioned_workflow w{{workflow_of({step_named("a")})}};
    one_step first;
    first.told(4, status);
    // That is of the requester, and not of the job.
    decide(first.s, unit_verb::pause, beginning);
    std::vector<step_row> rows{first.s.row};
    const auto made = add_version(w, rows, workflow_of({step_named("a", {"b"}), step_named("b")}),
                                  "text", ids, beginning);
    const auto row = std::get<insert_step>(made.writes.at(1)).row;
    BOOST_TEST(describe(row) == describe(rows.at(1)));
    BOOST_TEST(row.job_revision == 4U);
    BOOST_TEST((row.job == status));
    return row.status;
  };
  BOOST_TEST((added(job_status::launched) == step_status::open));
  BOOST_TEST((added(job_status::paused) == step_status::paused));
  BOOST_TEST((added(job_status::finished) == step_status::open));
}

BOOST_AUTO_TEST_CASE(a_canceled_job_takes_no_other_form) {
  one_step first;
  first.complete();
  BOOST_TEST((obstacle_to_update(first.s.row).code == errc::none));
  first.told(1, job_status::canceled);
  BOOST_TEST((obstacle_to_update(first.s.row).code == errc::wrong_state));
}

BOOST_AUTO_TEST_CASE(tasks_of_the_first_step_would_not_wait_for_the_launch) {
  auto w = workflow_of({step_named("a", {"b"}), step_named("b")});
  w.starts = job_start::when_launched;
  const task_executor tasks{"models", "label"};
  w.steps[1].tasks = tasks;
  BOOST_TEST(text_of(problems_of(w)) == "");
  w.steps[0].tasks = tasks;
  BOOST_TEST(text_of(problems_of(w)).find("/starts: must be at_once") == 0U);
  w.starts = job_start::at_once;
  BOOST_TEST(text_of(problems_of(w)) == "");
}

BOOST_AUTO_TEST_SUITE_END()
