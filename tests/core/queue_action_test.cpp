// Bulk actions: which tasks one is about, what becomes of each, and that its counts and its
// bookmark go with the tasks of a chunk.

#include "core/queue_action.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

using namespace holdfast;
using namespace holdfast::core;
using namespace std::chrono_literals;
using holdfast::test::beginning;

namespace {

struct queue_with_action {
  queue_with_action() {
    q.name = "mail";
    q.revision = 1;
  }

  task_id added(const std::string& type = "send", const std::string& key = {},
                const std::string& unique_key = {}) {
    now += 1ms;
    new_task made;
    made.spec.id = {ids.next(now)};
    made.spec.type = type;
    made.spec.version = "1.0";
    made.spec.body = "{}";
    made.spec.key = key;
    made.spec.unique_key = unique_key;
    const auto outcomes = decide(q, enqueue{{made}}, now).answer;
    BOOST_REQUIRE((outcomes.at(0).refusal == errc::none));
    return outcomes.at(0).task;
  }
  void lease_next(const std::string& worker) {
    claim one;
    one.worker = worker;
    one.id = {ids.next(now)};
    BOOST_REQUIRE_EQUAL(decide(q, one, now).answer.size(), 1U);
  }
  queue_action_row action(queue_action_kind kind, queue_action_filter filter = {}) {
    now += 1ms;
    queue_action_row row;
    row.queue = "mail";
    row.id = {ids.next(now)};
    row.kind = kind;
    row.filter = std::move(filter);
    row.asked_at = row.changed_at = now;
    return row;
  }
  static act_on_live chunk_of(std::vector<task_id> found, bool more = false) {
    act_on_live chunk;
    chunk.searched = {found.empty() ? task_id{} : found.back(), more};
    chunk.found = std::move(found);
    return chunk;
  }
  ended_task ended(task_ending ending = task_ending::dead, const std::string& unique_key = {}) {
    ended_task made;
    made.spec.id = {ids.next(now)};
    made.spec.type = "send";
    made.spec.unique_key = unique_key;
    made.spec.created_at = now;
    made.ending = ending;
    made.error = {"GONE", "no such mailbox"};
    made.finished_at = now;
    made.last_token = 4;
    return made;
  }
  act_on_ended redrive_of(std::vector<ended_task> found) {
    act_on_ended chunk;
    chunk.searched.last = found.back().spec.id;
    chunk.found = std::move(found);
    return chunk;
  }
  /// The row of the action that the change makes durable.
  static const queue_action_row& stored(const change& changes) {
    const queue_action_row* row = nullptr;
    for (const auto& write : changes.writes)
      if (const auto* put = std::get_if<put_queue_action>(&write)) {
        BOOST_REQUIRE(row == nullptr);
        row = &put->row;
      }
    BOOST_REQUIRE(row != nullptr);
    return *row;
  }

  uuid_source ids{7};
  instant now = beginning;
  queue q;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_action, queue_with_action)

// I-14
BOOST_AUTO_TEST_CASE(tasks_counts_and_bookmark_of_a_chunk_are_one_change) {
  const auto first = added();
  const auto second = added();
  const auto third = added();
  auto cancels = action(queue_action_kind::cancel);
  const auto chunk = decide(q, cancels, chunk_of({first, second}, true), now);
  BOOST_TEST(q.tasks.count(first) + q.tasks.count(second) == 0U);
  BOOST_TEST(q.tasks.count(third) == 1U);
  BOOST_TEST(chunk.changes.writes.size() == 3U);
  const auto& row = stored(chunk.changes);
  BOOST_TEST((row.bookmark == second));
  BOOST_TEST(row.counts.changed == 2U);
  BOOST_TEST((row.status == queue_action_status::running));
  BOOST_TEST((row.changed_at == now));
  const auto last = decide(q, cancels, chunk_of({third}), now + 1s);
  BOOST_TEST((stored(last.changes).bookmark == third));
  BOOST_TEST(stored(last.changes).counts.matched() == 3U);
  BOOST_TEST((cancels.status == queue_action_status::done));
}

BOOST_AUTO_TEST_CASE(search_that_finds_nothing_moves_the_bookmark_and_ends_the_action) {
  auto pauses = action(queue_action_kind::pause);
  act_on_live nothing;
  nothing.searched = {{ids.next(now)}, true};
  decide(q, pauses, nothing, now);
  BOOST_TEST((pauses.bookmark == nothing.searched.last));
  BOOST_TEST((pauses.status == queue_action_status::running));
  nothing.searched = {pauses.bookmark, false};
  decide(q, pauses, nothing, now);
  BOOST_TEST((pauses.status == queue_action_status::done));
  BOOST_TEST(pauses.counts.matched() == 0U);
}

BOOST_AUTO_TEST_CASE(task_that_is_so_already_is_counted_as_unchanged) {
  const auto task = added();
  decide(q, task_verb::pause, task, now);
  auto pauses = action(queue_action_kind::pause);
  const auto chunk = decide(q, pauses, chunk_of({task}), now);
  BOOST_TEST(pauses.counts.unchanged == 1U);
  BOOST_TEST(pauses.counts.changed == 0U);
  BOOST_TEST(chunk.changes.writes.size() == 1U); // its own row
  auto resumes = action(queue_action_kind::resume);
  decide(q, resumes, chunk_of({task}), now);
  BOOST_TEST(resumes.counts.changed == 1U);
  BOOST_TEST(!q.tasks.at(task).progress.paused);
}

BOOST_AUTO_TEST_CASE(retry_makes_tasks_due_at_once) {
  const auto task = added();
  lease_next("w1");
  release_task back;
  back.worker = "w1";
  back.task = {task, q.tasks.at(task).held()->token};
  back.next_action = now + 1h;
  BOOST_REQUIRE((decide(q, back, now).answer.refusal == errc::none));
  auto retries = action(queue_action_kind::retry);
  decide(q, retries, chunk_of({task}), now);
  BOOST_TEST(retries.counts.changed == 1U);
  BOOST_TEST((q.tasks.at(task).progress.next_action == now));
}

BOOST_AUTO_TEST_CASE(canceled_leases_are_told_as_lost) {
  const auto task = added();
  lease_next("w1");
  auto cancels = action(queue_action_kind::cancel);
  const auto chunk = decide(q, cancels, chunk_of({task}), now);
  BOOST_REQUIRE_EQUAL(chunk.answer.size(), 1U);
  BOOST_TEST(chunk.answer.front().worker == "w1");
  BOOST_TEST((chunk.answer.front().task == task));
}

BOOST_AUTO_TEST_CASE(task_that_does_not_match_any_more_is_passed_over) {
  const auto leased = added();
  lease_next("w1");
  const auto over = added();
  decide(q, task_verb::cancel, over, now);
  const auto waiting = added();
  queue_action_filter filter;
  filter.scope = queue_action_scope::waiting;
  auto cancels = action(queue_action_kind::cancel, filter);
  decide(q, cancels, chunk_of({leased, over, waiting}), now);
  BOOST_TEST(q.tasks.count(leased) == 1U);
  BOOST_TEST(q.tasks.count(waiting) == 0U);
  BOOST_TEST(cancels.counts.matched() == 1U);
  BOOST_TEST((cancels.bookmark == waiting));
}

BOOST_AUTO_TEST_CASE(filters_hold_for_live_tasks) {
  const auto& task = q.tasks.at(added("send", "gold"));
  const auto made = task.spec.created_at;
  const auto matched = [&](auto change) {
    queue_action_filter filter;
    change(filter);
    return matches(action(queue_action_kind::pause, filter), task);
  };
  BOOST_TEST(matched([](auto&) {}));
  BOOST_TEST(matched([](auto& f) { f.type = "send"; }));
  BOOST_TEST(!matched([](auto& f) { f.type = "read"; }));
  BOOST_TEST(matched([](auto& f) { f.key = "gold"; }));
  BOOST_TEST(!matched([](auto& f) { f.key = "silver"; }));
  BOOST_TEST(matched([](auto& f) { f.scope = queue_action_scope::waiting; }));
  BOOST_TEST(!matched([](auto& f) { f.scope = queue_action_scope::leased; }));
  BOOST_TEST(matched([&](auto& f) { f.created_from = made; }));
  BOOST_TEST(!matched([&](auto& f) { f.created_from = made + 1us; }));
  BOOST_TEST(matched([&](auto& f) { f.created_before = made + 1us; }));
  BOOST_TEST(!matched([&](auto& f) { f.created_before = made; }));
}

BOOST_AUTO_TEST_CASE(tasks_that_arrive_after_the_request_are_left_alone) {
  auto cancels = action(queue_action_kind::cancel);
  task arrived;
  arrived.spec.created_at = cancels.asked_at;
  BOOST_TEST(matches(cancels, arrived));
  arrived.spec.created_at = cancels.asked_at + 1us;
  BOOST_TEST(!matches(cancels, arrived));
  // A filter cannot reach them either.
  cancels.filter.created_before = cancels.asked_at + 1h;
  BOOST_TEST(!matches(cancels, arrived));
}

BOOST_AUTO_TEST_CASE(redrive_counts_refusals_by_their_reasons) {
  added("send", {}, "daily");
  auto redrives = action(queue_action_kind::redrive);
  now = redrives.asked_at;
  const auto free = ended();
  auto chunk = redrive_of({free, ended(task_ending::failed, "daily")});
  chunk.unreadable = 2;
  const auto decided = decide(q, redrives, std::move(chunk), now);
  BOOST_TEST(q.tasks.count(free.spec.id) == 1U);
  BOOST_TEST(q.tasks.at(free.spec.id).leases.last_token == 4U);
  BOOST_TEST(redrives.counts.changed == 1U);
  BOOST_TEST(to_text(redrives.counts.refusals) == "already_exists 1,damaged 2");
  BOOST_TEST(redrives.counts.matched() == 4U);
  BOOST_TEST(stored(decided.changes).counts.refused() == 3U);
}

BOOST_AUTO_TEST_CASE(redrive_is_about_what_had_ended_when_it_was_asked_for) {
  auto redrives = action(queue_action_kind::redrive);
  now = redrives.asked_at;
  auto task = ended();
  BOOST_TEST(matches(redrives, task));
  task.finished_at += 1us;
  BOOST_TEST(!matches(redrives, task));
  for (const auto ending : {task_ending::completed, task_ending::canceled})
    BOOST_TEST(!matches(redrives, ended(ending)));
  BOOST_TEST(matches(redrives, ended(task_ending::failed)));
  redrives.filter.scope = queue_action_scope::dead;
  BOOST_TEST(!matches(redrives, ended(task_ending::failed)));
  BOOST_TEST(matches(redrives, ended()));
  redrives.filter.scope = queue_action_scope::failed;
  BOOST_TEST(matches(redrives, ended(task_ending::failed)));
  BOOST_TEST(!matches(redrives, ended()));
  redrives.filter.scope = queue_action_scope::all;
  redrives.filter.error_code = "GONE";
  BOOST_TEST(matches(redrives, ended()));
  redrives.filter.error_code = "BUSY";
  BOOST_TEST(!matches(redrives, ended()));
}

BOOST_AUTO_TEST_CASE(unreadable_live_task_is_refused_as_damaged) {
  const task_id lost{ids.next(now)};
  auto chunk = chunk_of({lost});
  chunk.is_unreadable = [&](const task_id& id) { return id == lost; };
  auto cancels = action(queue_action_kind::cancel);
  decide(q, cancels, chunk, now);
  BOOST_TEST(to_text(cancels.counts.refusals) == "damaged 1");
}

BOOST_AUTO_TEST_CASE(action_that_has_ended_stays_as_it_is) {
  auto pauses = action(queue_action_kind::pause);
  const auto stopped = end_action(pauses, queue_action_status::stopped, {}, now + 1s);
  BOOST_TEST((stored(stopped).status == queue_action_status::stopped));
  BOOST_TEST((stored(stopped).changed_at == now + 1s));
  BOOST_TEST(end_action(pauses, queue_action_status::failed, "why", now + 2s).empty());
  BOOST_TEST((pauses.status == queue_action_status::stopped));
  BOOST_TEST(pauses.problem.empty());
}

BOOST_AUTO_TEST_CASE(filter_must_fit_the_action) {
  const auto code = [](queue_action_kind kind, auto change) {
    queue_action_filter filter;
    change(filter);
    return check_filter(kind, filter).code;
  };
  using kind = queue_action_kind;
  using scope = queue_action_scope;
  for (const auto one : {kind::pause, kind::resume, kind::cancel, kind::retry}) {
    BOOST_TEST((code(one, [](auto& f) { f.scope = scope::waiting; }) == errc::none));
    BOOST_TEST((code(one, [](auto& f) { f.scope = scope::leased; }) == errc::none));
    BOOST_TEST((code(one, [](auto& f) { f.scope = scope::dead; }) == errc::invalid_argument));
    BOOST_TEST((code(one, [](auto& f) { f.error_code = "E"; }) == errc::invalid_argument));
  }
  BOOST_TEST((code(kind::redrive, [](auto& f) { f.error_code = "E"; }) == errc::none));
  BOOST_TEST((code(kind::redrive, [](auto& f) { f.scope = scope::failed; }) == errc::none));
  BOOST_TEST(
      (code(kind::redrive, [](auto& f) { f.scope = scope::waiting; }) == errc::invalid_argument));
  const auto within = [&](duration span) {
    return code(kind::pause, [&](auto& f) {
      f.created_from = beginning;
      f.created_before = beginning + span;
    });
  };
  BOOST_TEST((within(1us) == errc::none));
  BOOST_TEST((within(0us) == errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(refusals_are_read_as_they_are_written) {
  const std::map<errc, std::uint64_t> some{{errc::already_exists, 3}, {errc::damaged, 12}};
  BOOST_TEST(to_text({}).empty());
  BOOST_TEST((refusals_of("") == std::map<errc, std::uint64_t>{}));
  BOOST_TEST((refusals_of(to_text(some)) == some));
  for (const auto* wrong : {"damaged", "damaged x", "damaged 1x", "nothing 1", "damaged 1,", ",",
                            "damaged 1,damaged 2", "damaged -1"})
    BOOST_TEST(!refusals_of(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_SUITE_END()
