// Which ends of tasks are events, and what these say.

#include "core/queue.hpp"
#include "core/task_events.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

using namespace holdfast::core;
using namespace std::chrono_literals;
using holdfast::test::beginning;

namespace {

constexpr std::string_view task_trace = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr std::string_view task_span = "00f067aa0ba902b7";

/// A queue that tells of every end, with one task.
struct told_queue {
  told_queue() {
    q.name = "mail";
    q.policy.events = {task_ending::completed, task_ending::failed, task_ending::dead,
                       task_ending::canceled};
    q.policy.retry.max_attempts = 2;
    q.policy.retry.crashes_max = 2;
    q.policy.retry.pauses_max = 1;
    q.policy.retry.releases_max = 2;
    q.policy.lease.ttl = 60s;
    q.policy.lease.total_max = 60s;
  }

  task_id made(std::string key = {}) {
    new_task item;
    item.spec.id = {ids.next(now)};
    item.spec.type = "letter";
    item.spec.version = "1.0";
    item.spec.key = std::move(key);
    decide(q, enqueue{{item}}, now);
    return item.spec.id;
  }
  held_task claimed() {
    now += 1h;
    claim c;
    c.worker = "w";
    c.id = {ids.next(now)};
    const auto granted = decide(q, c, now).answer;
    BOOST_REQUIRE_EQUAL(granted.size(), 1U);
    return {granted.front(), q.tasks.at(granted.front()).leases.last_token};
  }
  change failed(failure_kind kind) {
    return decide(q, fail_task{"w", claimed(), kind, {"E_SMTP", "421 of host 10.0.0.7"}, {}, {}},
                  now)
        .changes;
  }

  queue q;
  uuid_source ids{1};
  instant now = beginning;
};

/// The names of the events; of a change that ends a task, which is then part of the same change.
std::string told_by(const change& c) {
  std::string names;
  std::size_t ended = 0;
  for (const auto& w : c.writes)
    ended += std::holds_alternative<finish_task>(w) ? 1 : 0;
  for (const auto& e : c.events) {
    names += (names.empty() ? "" : " ") + std::string{to_string(e.type)};
    BOOST_TEST(e.queue == "mail");
    BOOST_TEST(!e.step);
  }
  BOOST_TEST(ended >= c.events.size());
  return names;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(events_of_tasks, told_queue) // A168

BOOST_AUTO_TEST_CASE(each_ending_has_its_event_and_its_status) {
  for (const auto& [ending, name, status] :
       {std::tuple{task_ending::completed, "TaskCompleted", "COMPLETED"},
        std::tuple{task_ending::failed, "TaskFailed", "FAILURE"},
        std::tuple{task_ending::dead, "TaskDead", "ERROR"},
        std::tuple{task_ending::canceled, "TaskCanceled", "CANCELED"}}) {
    BOOST_TEST(to_string(event_type_of(ending)) == name);
    BOOST_TEST((ending_told_by(event_type_of(ending)) == ending));
    BOOST_TEST((ending_told_by(std::string_view{name}) == ending));
    BOOST_TEST(status_word(ending) == status);
  }
  for (const auto* name : {"UnitTaskEnded", "EventUnreadable", "taskdead", "Dead", ""})
    BOOST_TEST(!ending_told_by(std::string_view{name}), name);
  BOOST_TEST(!ending_told_by(event_type::unit_task_ended));
}

BOOST_AUTO_TEST_CASE(a_completion_is_told_with_the_change_that_ends_the_task) {
  const auto task = made("gold");
  const auto done = decide(q, complete_tasks{"w", {{claimed(), R"({"secret":1})"}}}, now).changes;
  BOOST_TEST(told_by(done) == "TaskCompleted");
  const auto& e = done.events.front();
  BOOST_TEST((e.task == task));
  BOOST_TEST((e.at == now));
  BOOST_TEST(to_json(e)
             == R"({"type":"TaskCompleted","queue":"mail","task_id":")" + to_string(task)
                    + R"(","at":)" + std::to_string(to_micros(now))
                    + R"(,"details":{"task_type":"letter","version":"1.0","key":"gold",)"
                      R"("state":"new","status":"COMPLETED","failed_attempts":0,)"
                      R"("lost_attempts":0}})");
}

BOOST_AUTO_TEST_CASE(a_completion_that_is_refused_tells_nothing) {
  made();
  const auto hold = claimed();
  decide(q, complete_tasks{"w", {{hold, "1"}}}, now);
  BOOST_TEST(told_by(decide(q, complete_tasks{"w", {{hold, "1"}}}, now).changes) == "");
  made();
  const auto other = claimed();
  const auto stolen = decide(q, complete_tasks{"thief", {{other, "1"}}}, now);
  BOOST_TEST((stolen.answer.front().refusal == errc::lease_not_held));
  BOOST_TEST(told_by(stolen.changes) == "");
}

// C32
BOOST_AUTO_TEST_CASE(attempts_that_fail_tell_nothing_until_the_task_is_over) {
  made();
  BOOST_TEST(told_by(failed(failure_kind::transient)) == "");
  const auto dead = failed(failure_kind::transient);
  BOOST_TEST(told_by(dead) == "TaskDead");
  const auto& told = dead.events.front().details;
  BOOST_TEST(told.find(R"("status":"ERROR","failed_attempts":2,"lost_attempts":0)")
             != std::string::npos);
  made();
  BOOST_TEST(told_by(failed(failure_kind::permanent)) == "TaskFailed");
  // It was told to come back once too often.
  made();
  BOOST_TEST(told_by(failed(failure_kind::rate_limited)) == "TaskDead");
}

// The detail is for operators only, and whoever gets events need not be one.
BOOST_AUTO_TEST_CASE(the_code_of_an_error_is_told_and_its_detail_is_not) {
  made();
  const auto told = failed(failure_kind::permanent).events.front().details;
  BOOST_TEST(told.find(R"("error_code":"E_SMTP")") != std::string::npos);
  BOOST_TEST(told.find("10.0.0.7") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(workers_that_are_lost_or_idle_end_a_task_with_an_event) {
  made();
  claimed();
  BOOST_TEST(told_by(decide(q, lose_worker{"w"}, now).changes) == "");
  claimed();
  const auto lost = decide(q, lose_worker{"w"}, now).changes;
  BOOST_TEST(told_by(lost) == "TaskDead");
  BOOST_TEST(lost.events.front().details.find(R"("lost_attempts":2,"error_code":"WORKER_LOST")")
             != std::string::npos);
  made();
  claimed();
  now += 60s;
  BOOST_TEST(told_by(decide(q, expire_tasks{}, now).changes) == "");
  claimed();
  now += 60s;
  BOOST_TEST(told_by(decide(q, expire_tasks{}, now).changes) == "TaskDead");
  made();
  for (const auto* told : {"", "TaskDead"})
    BOOST_TEST(told_by(decide(q, release_task{"w", claimed(), {}, {}}, now).changes) == told);
}

BOOST_AUTO_TEST_CASE(a_timeout_is_an_attempt_and_the_last_of_them_an_event) {
  q.policy.types["letter"].timeout = 60s;
  made();
  for (const auto* told : {"", "TaskDead"}) {
    claimed();
    now += 60s;
    BOOST_TEST(told_by(decide(q, expire_tasks{}, now).changes) == told);
  }
}

BOOST_AUTO_TEST_CASE(a_canceled_task_is_told_leased_or_not_and_an_ejected_one_is_not) {
  const auto waiting = made();
  BOOST_TEST(told_by(decide(q, task_verb::pause, waiting, now).changes) == "");
  BOOST_TEST(told_by(decide(q, task_verb::cancel, waiting, now).changes) == "TaskCanceled");
  const auto leased = made();
  claimed();
  eject_task ejection;
  ejection.task = leased;
  BOOST_TEST(told_by(decide(q, ejection, now).changes) == "");
  claimed();
  BOOST_TEST(told_by(decide(q, task_verb::cancel, leased, now).changes) == "TaskCanceled");
  BOOST_TEST(told_by(decide(q, task_verb::cancel, leased, now).changes) == "");
}

BOOST_AUTO_TEST_CASE(the_task_that_is_followed_is_told_and_the_next_is_not) {
  const auto first = made();
  follow_task follow;
  follow.worker = "w";
  follow.done = {claimed(), "1"};
  follow.next.spec.id = {ids.next(now)};
  follow.next.spec.type = "letter";
  follow.claim = {ids.next(now)};
  const auto both = decide(q, follow, now).changes;
  BOOST_TEST(told_by(both) == "TaskCompleted");
  BOOST_TEST((both.events.front().task == first));
}

BOOST_AUTO_TEST_CASE(a_payload_that_is_lost_ends_its_task_with_an_event) {
  made();
  const auto gone =
      decide(q, withhold_task{"w", claimed(), {errc::not_found, "no object"}, now + 1s}, now);
  BOOST_TEST(told_by(gone.changes) == "TaskFailed");
  BOOST_TEST(gone.changes.events.front().details.find(R"("error_code":"PAYLOAD_MISSING")")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(tasks_that_end_together_have_one_event_each_in_their_order) {
  complete_tasks command;
  command.worker = "w";
  std::vector<task_id> tasks;
  for (int i = 0; i < 3; ++i)
    tasks.push_back(made());
  now += 1h;
  claim c;
  c.worker = "w";
  c.id = {ids.next(now)};
  c.most = 3;
  for (const auto& task : decide(q, c, now).answer)
    command.tasks.push_back({{task, q.tasks.at(task).leases.last_token}, "1"});
  const auto done = decide(q, command, now).changes;
  BOOST_TEST(told_by(done) == "TaskCompleted TaskCompleted TaskCompleted");
  for (std::size_t i = 0; i < tasks.size(); ++i)
    BOOST_TEST((done.events.at(i).task == tasks[i]));
}

BOOST_AUTO_TEST_CASE(a_queue_tells_only_of_the_ends_that_its_policy_names) {
  q.policy.events = {task_ending::dead};
  made();
  BOOST_TEST(told_by(failed(failure_kind::permanent)) == "");
  made();
  failed(failure_kind::transient);
  BOOST_TEST(told_by(failed(failure_kind::transient)) == "TaskDead");
}

// Who wants no events pays nothing: the change is the one that it always was.
BOOST_AUTO_TEST_CASE(a_queue_that_names_no_end_writes_what_it_wrote_and_no_event) {
  q.policy.events.clear();
  made();
  const auto silent = decide(q, complete_tasks{"w", {{claimed(), "1"}}}, now).changes;
  BOOST_TEST(silent.events.empty());
  BOOST_TEST(silent.writes.size() == 1U);
  made();
  failed(failure_kind::transient);
  BOOST_TEST(failed(failure_kind::transient).events.empty());
  BOOST_TEST(decide(q, task_verb::cancel, made(), now).changes.events.empty());
}

BOOST_AUTO_TEST_CASE(the_trace_of_a_task_is_told_when_it_is_one) {
  task t;
  t.spec.trace_id = task_trace;
  t.spec.span_id = task_span;
  const auto traceparent =
      R"("traceparent":"00-)" + std::string{task_trace} + '-' + std::string{task_span} + R"(-01")";
  const auto details = [&] { return task_ended("mail", t, task_ending::dead, {}, now).details; };
  BOOST_TEST(details().find(traceparent) != std::string::npos);
  BOOST_TEST(details().find("error_code") == std::string::npos);
  t.spec.span_id = "of my own";
  BOOST_TEST(details().find("traceparent") == std::string::npos);
}

// Words of users stay within their quotes.
BOOST_AUTO_TEST_CASE(words_of_a_task_are_escaped) {
  task t;
  t.spec.type = "a\"b";
  t.spec.key = "c\\d\n";
  const auto details = task_ended("mail", t, task_ending::dead, {"\"E\"", ""}, now).details;
  BOOST_TEST(details.find(R"("task_type":"a\"b")") != std::string::npos);
  BOOST_TEST(details.find(R"("key":"c\\d\n")") != std::string::npos);
  BOOST_TEST(details.find(R"("error_code":"\"E\"")") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
