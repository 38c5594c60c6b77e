// Bulk actions: one change to all tasks of a queue that a filter matches, a chunk at a time, with
// other requests in between, across crashes, and each task once.

#include "tests/support/queue_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

constexpr auto running = static_cast<std::uint8_t>(core::queue_action_status::running);
constexpr auto done = static_cast<std::uint8_t>(core::queue_action_status::done);
constexpr auto stopped = static_cast<std::uint8_t>(core::queue_action_status::stopped);

/// A node whose actions change two tasks at once.
struct node_with_actions : node_with_queue {
  node_with_actions() { next_process(); }

  /// SIGKILL, and a new process.
  void next_process() {
    auto& settings = prepare().settings;
    settings.action_chunk = 2;
    settings.actions_running_max = 2;
    settings.actions_kept = 2;
    start();
  }

  std::vector<core::task_id> enqueued_many(int count) {
    std::vector<core::task_id> made;
    for (int i = 0; i < count; ++i)
      made.push_back(enqueued(request()));
    advance(1s); // what comes next is made later
    return made;
  }
  std::vector<core::task_id> failed_many(int count) {
    auto made = enqueued_many(count);
    for (int i = 0; i < count; ++i)
      BOOST_TEST((fail("w1", one("w1"), core::failure_kind::permanent) == core::errc::none));
    advance(1s);
    return made;
  }

  msg::start_queue_action asking(core::queue_action_kind kind, msg::queue_action_filter filter = {},
                                 bool dry_run = false) {
    return {"mail", fresh<core::queue_action_id>(), static_cast<std::uint8_t>(kind),
            std::move(filter), dry_run};
  }
  msg::queue_action_view begun(const msg::start_queue_action& request) {
    const auto answered = call(request);
    BOOST_REQUIRE_MESSAGE(answered.value,
                          (answered.error ? answered.error->detail : std::string{"no answer"}));
    return *answered.value;
  }
  msg::queue_action_view state_of(const core::queue_action_id& action) {
    const auto answered = call(msg::get_queue_action{"mail", action});
    BOOST_REQUIRE(answered.value);
    return *answered.value;
  }

  /// Searches for tasks fail from the `nth` on, from 1.
  void fail_searches_from(int nth) {
    searches_ = 0;
    database->set_read_faults(
        [this, nth](std::string_view name) { return name == "list_tasks" && ++searches_ >= nth; });
  }
  void mend() {
    database->set_read_faults(nullptr);
    database->set_commit_faults(nullptr);
    advance(10s);
  }
  std::size_t live() const { return database->tables().tasks.size(); }

private:
  int searches_ = 0;
};

using kind = core::queue_action_kind;

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_actions, node_with_actions)

BOOST_AUTO_TEST_CASE(action_goes_through_all_tasks_of_its_queue) {
  const auto tasks = enqueued_many(5);
  BOOST_REQUIRE(call(msg::put_queue{"other", mail_policy}).value);
  auto elsewhere = request();
  BOOST_REQUIRE(call(msg::enqueue_tasks{"other", {elsewhere}}).value);
  const auto request = asking(kind::cancel);
  const auto begin = begun(request);
  BOOST_TEST(begin.status == running);
  BOOST_TEST(begin.matched == 0U);
  const auto end = state_of(request.action);
  BOOST_TEST(end.status == done);
  BOOST_TEST(end.changed == 5U);
  BOOST_TEST(end.matched == 5U);
  BOOST_TEST(end.refusals.empty());
  for (const auto& task : tasks)
    BOOST_TEST(view(task).status == "CANCELED");
  BOOST_TEST(view(elsewhere.task).status == "QUEUED");
}

BOOST_AUTO_TEST_CASE(paused_tasks_are_resumed_by_another_action) {
  const auto tasks = enqueued_many(3);
  begun(asking(kind::pause));
  BOOST_TEST(claimed(claim("w1", 10)).empty());
  const auto again = asking(kind::pause);
  begun(again);
  BOOST_TEST(state_of(again.action).unchanged == 3U);
  begun(asking(kind::resume));
  BOOST_TEST(claimed(claim("w1", 10)).size() == 3U);
}

// C7: dead letters are sent again by one request.
BOOST_AUTO_TEST_CASE(failed_tasks_are_redriven_by_their_error) {
  const auto tasks = failed_many(5);
  const auto others = asking(kind::redrive, {"", "", "", "OTHER", {}, {}});
  begun(others);
  BOOST_TEST(state_of(others.action).matched == 0U);
  const auto request = asking(kind::redrive, {"send", "", "FAILURE", "SMTP_BUSY", {}, {}});
  begun(request);
  BOOST_TEST(state_of(request.action).changed == 5U);
  BOOST_TEST(claimed(claim("w2", 10)).size() == 5U);
}

BOOST_AUTO_TEST_CASE(redriven_task_that_fails_again_is_not_redriven_again) {
  failed_many(3);
  fail_searches_from(2);
  const auto request = asking(kind::redrive);
  begun(request);
  for (int i = 0; i < 2; ++i)
    BOOST_TEST((fail("w1", one("w1"), core::failure_kind::permanent) == core::errc::none));
  mend();
  BOOST_TEST(state_of(request.action).status == done);
  BOOST_TEST(state_of(request.action).changed == 3U);
  BOOST_TEST(counts().failed == 2U);
}

BOOST_AUTO_TEST_CASE(taken_unique_keys_are_told_as_refusals) {
  auto first = request();
  first.unique_key = "daily";
  enqueued(first);
  BOOST_TEST((fail("w1", one("w1"), core::failure_kind::permanent) == core::errc::none));
  auto second = request();
  second.unique_key = "daily";
  enqueued(second);
  advance(1s);
  const auto redrives = asking(kind::redrive);
  begun(redrives);
  const auto end = state_of(redrives.action);
  BOOST_TEST(end.matched == 1U);
  BOOST_REQUIRE_EQUAL(end.refusals.size(), 1U);
  BOOST_TEST((end.refusals.front().code == core::errc::already_exists));
  BOOST_TEST(end.refusals.front().tasks == 1U);
}

BOOST_AUTO_TEST_CASE(claims_are_served_between_two_chunks) {
  enqueued_many(6);
  fail_searches_from(2);
  const auto request = asking(kind::cancel, {"", "", "QUEUED", "", {}, {}});
  begun(request);
  BOOST_TEST(state_of(request.action).changed == 2U);
  const auto held = one("w1"); // it does not match any more when its chunk comes
  mend();
  BOOST_TEST(state_of(request.action).status == done);
  BOOST_TEST(state_of(request.action).changed == 5U);
  BOOST_TEST((complete("w1", held) == core::errc::none));
}

BOOST_AUTO_TEST_CASE(tasks_that_arrive_later_are_left_alone) {
  enqueued_many(4);
  fail_searches_from(2);
  const auto cancels = asking(kind::cancel);
  begun(cancels);
  advance(1ms);
  const auto late = enqueued(request());
  mend();
  BOOST_TEST(state_of(cancels.action).changed == 4U);
  BOOST_TEST(view(late).status == "QUEUED");
}

// I-14
BOOST_AUTO_TEST_CASE(crash_in_the_middle_repeats_no_task_and_leaves_none_out) {
  enqueued_many(7);
  // The second chunk does not get through before the crash.
  database->set_commit_faults([](const persistence::write_batch& batch) {
    for (const auto& part : batch.shards)
      for (const auto& change : part.changes)
        for (const auto& write : change.writes)
          if (const auto* put = std::get_if<core::put_queue_action>(&write);
              put != nullptr && put->row.counts.changed > 2)
            return persistence::commit_fault::unavailable;
    return persistence::commit_fault::none;
  });
  const auto request = asking(kind::cancel);
  begun(request);
  BOOST_TEST(live() == 5U);
  database->set_commit_faults(nullptr);
  next_process();
  advance(10s);
  const auto end = state_of(request.action);
  BOOST_TEST(end.status == done);
  BOOST_TEST(end.changed == 7U);
  BOOST_TEST(end.unchanged == 0U);
  BOOST_TEST(live() == 0U);
}

// I-14
BOOST_AUTO_TEST_CASE(commit_in_doubt_counts_its_chunk_once) {
  enqueued_many(5);
  int doubts = 0;
  database->set_commit_faults([&](const persistence::write_batch& batch) {
    for (const auto& part : batch.shards)
      for (const auto& change : part.changes)
        for (const auto& write : change.writes)
          if (std::holds_alternative<core::put_queue_action>(write) && ++doubts <= 3)
            return persistence::commit_fault::in_doubt_applied;
    return persistence::commit_fault::none;
  });
  const auto request = asking(kind::pause);
  const auto begin = send_to_node(request);
  advance(10s);
  BOOST_REQUIRE(begin->value);
  mend();
  BOOST_TEST(doubts >= 3);
  BOOST_TEST(state_of(request.action).status == done);
  BOOST_TEST(state_of(request.action).changed == 5U);
}

BOOST_AUTO_TEST_CASE(stopped_action_changes_no_further_task) {
  enqueued_many(5);
  fail_searches_from(2);
  const auto request = asking(kind::cancel);
  begun(request);
  const auto end = call(msg::stop_queue_action{"mail", request.action});
  BOOST_REQUIRE(end.value);
  BOOST_TEST(end.value->status == stopped);
  BOOST_TEST(end.value->changed == 2U);
  mend();
  BOOST_TEST(state_of(request.action).status == stopped);
  BOOST_TEST(live() == 3U);
  BOOST_TEST(call(msg::stop_queue_action{"mail", request.action}).value->status == stopped);
  next_process();
  BOOST_TEST(live() == 3U);
  BOOST_TEST(call(msg::stop_queue_action{"mail", request.action}).value->status == stopped);
  BOOST_TEST((call(msg::stop_queue_action{"mail", fresh<core::queue_action_id>()}).code()
              == core::errc::not_found));
}

BOOST_AUTO_TEST_CASE(action_ends_with_its_queue) {
  const auto tasks = failed_many(3);
  fail_searches_from(1);
  const auto request = asking(kind::redrive);
  BOOST_TEST(begun(request).status == running);
  const auto removed = call(msg::remove_queue{"mail"});
  BOOST_REQUIRE(removed.value);
  BOOST_TEST(removed.value->removed);
  BOOST_REQUIRE(call(msg::put_queue{"mail", mail_policy}).value);
  mend();
  BOOST_TEST(live() == 0U);
  BOOST_TEST((call(msg::get_queue_action{"mail", request.action}).code() == core::errc::not_found));
}

BOOST_AUTO_TEST_CASE(same_request_again_tells_how_far_the_action_is) {
  enqueued_many(3);
  const auto request = asking(kind::cancel, {"send", "", "", "", {}, {}});
  const auto first = send_to_node(request);
  const auto second = send_to_node(request);
  settle();
  BOOST_REQUIRE((first->value && second->value));
  BOOST_TEST(state_of(request.action).changed == 3U);
  const auto third = enqueued(this->request());
  BOOST_TEST(begun(request).status == done);
  next_process();
  BOOST_TEST(begun(request).changed == 3U);
  BOOST_TEST(view(third).status == "QUEUED");
  auto other = request;
  other.filter.type = "read";
  BOOST_TEST((call(other).code() == core::errc::already_exists));
}

BOOST_AUTO_TEST_CASE(dry_run_counts_and_changes_nothing) {
  const auto tasks = enqueued_many(12);
  const auto request = asking(kind::cancel, {}, true);
  const auto told = begun(request);
  BOOST_TEST(told.status == 0U);
  BOOST_TEST(told.matched == 12U);
  BOOST_TEST(!told.at_least);
  BOOST_TEST((told.sample == std::vector<core::task_id>{tasks.begin(), tasks.begin() + 10}));
  BOOST_TEST(live() == 12U);
  BOOST_TEST((call(msg::get_queue_action{"mail", request.action}).code() == core::errc::not_found));
  BOOST_TEST(begun(asking(kind::cancel, {"read", "", "", "", {}, {}}, true)).matched == 0U);
}

BOOST_AUTO_TEST_CASE(actions_of_a_queue_that_run_at_once_are_bounded) {
  enqueued_many(5);
  fail_searches_from(1);
  const auto first = asking(kind::pause);
  const auto second = asking(kind::retry);
  BOOST_TEST(begun(first).status == running);
  BOOST_TEST(begun(second).status == running);
  const auto third = asking(kind::cancel);
  const auto refused = call(third);
  BOOST_TEST((refused.code() == core::errc::overloaded));
  BOOST_REQUIRE(refused.error);
  BOOST_TEST(refused.error->detail.find("task.actions_running_max") != std::string::npos);
  mend();
  BOOST_TEST(state_of(first.action).matched == 5U);
  BOOST_TEST(state_of(second.action).matched == 5U);
  BOOST_TEST(begun(third).status == running);
}

BOOST_AUTO_TEST_CASE(few_actions_that_have_ended_are_kept) {
  std::vector<core::queue_action_id> begun_ids;
  for (int i = 0; i < 4; ++i) {
    const auto request = asking(kind::pause);
    begun(request);
    begun_ids.push_back(request.action);
    advance(1s);
  }
  const auto listed = call(msg::list_queue_actions{"mail", {}, 2});
  BOOST_REQUIRE(listed.value);
  BOOST_REQUIRE_EQUAL(listed.value->actions.size(), 2U);
  BOOST_TEST((listed.value->actions[0].action == begun_ids[3]));
  BOOST_TEST((listed.value->actions[1].action == begun_ids[2]));
  BOOST_TEST(listed.value->more); // two that had ended when the last one began
  const auto rest = call(msg::list_queue_actions{"mail", begun_ids[2], 2});
  BOOST_REQUIRE(rest.value);
  BOOST_TEST(rest.value->actions.size() == 1U);
  BOOST_TEST(!rest.value->more);
}

BOOST_AUTO_TEST_CASE(action_names_the_principal_and_leaves_one_entry_in_the_audit_log) {
  enqueued_many(5);
  const auto request = asking(kind::cancel);
  const auto begin = send<msg::queue_action_view>(
      node->gateway, caf::make_message(msg::author{"token:1"}, request));
  settle();
  BOOST_REQUIRE(begin->value);
  const auto end = state_of(request.action);
  BOOST_TEST(end.status == done);
  BOOST_TEST(end.asked_by == "token:1");
  std::vector<std::string> log;
  for (const auto& [number, made] : database->tables().audit_log)
    log.push_back(made.who + ' ' + made.operation + ' ' + made.outcome);
  BOOST_TEST(log == std::vector<std::string>{"token:1 start_queue_action cancel_all_begun"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(actions_that_make_no_sense_are_refused) {
  const auto code = [&](auto change) {
    auto request = asking(kind::cancel);
    change(request);
    return call(request).code();
  };
  using errc = core::errc;
  BOOST_TEST((code([](auto&) {}) == errc::none));
  BOOST_TEST((code([](auto& r) { r.kind = 0; }) == errc::invalid_argument));
  BOOST_TEST((code([](auto& r) { r.kind = 6; }) == errc::invalid_argument));
  BOOST_TEST((code([](auto& r) { r.action = {}; }) == errc::invalid_argument));
  BOOST_TEST((code([](auto& r) { r.queue = "No Name"; }) == errc::invalid_argument));
  BOOST_TEST((code([](auto& r) { r.queue = "none"; }) == errc::not_found));
  BOOST_TEST((code([](auto& r) { r.filter.status = "ERROR"; }) == errc::invalid_argument));
  BOOST_TEST((code([](auto& r) { r.filter.status = "COMPLETED"; }) == errc::invalid_argument));
  BOOST_TEST((code([](auto& r) { r.filter.error_code = "E"; }) == errc::invalid_argument));
  BOOST_TEST(
      (code([](auto& r) { r.filter.key = std::string(129, 'x'); }) == errc::invalid_argument));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
