#include "client/worker_agent.hpp"

#include "core/occurrence.hpp"
#include "messages/errors.hpp"
#include "messages/registry.hpp"
#include "tests/client/inbox.hpp"
#include "tests/client/testing_system.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace client = holdfast::client;
namespace core = holdfast::core;
namespace msg = holdfast::msg;
using namespace std::chrono_literals;

using holdfast::test::errand;
using holdfast::test::inbox;

namespace {

constexpr auto ttl = 30s;

struct worker_fixture {
  using started =
      std::pair<std::shared_ptr<const msg::leased_task>, std::shared_ptr<client::lease_watch>>;

  worker_fixture() {
    sched.clock().current_time += 1h; // timers of CAF take zero for "none"
    gateway = system.spawn([this](caf::event_based_actor* self) -> caf::behavior {
      return {claims.keep_in(self),      extensions.keep_in(self), completions.keep_in(self),
              releases.keep_in(self),    failures.keep_in(self),   follows.keep_in(self),
              [](errand& e) { e.run(); }};
    });
  }

  ~worker_fixture() {
    caf::anon_send_exit(gateway, caf::exit_reason::kill);
    settle();
    agent = nullptr;
    claims.clear();
    extensions.clear();
    completions.clear();
    releases.clear();
    failures.clear();
    follows.clear();
    gateway = nullptr;
    settle();
  }

  void start(std::uint32_t capacity) {
    client::worker_agent_deps deps;
    deps.gateway = caf::actor_cast<msg::gateway_actor>(gateway);
    deps.request_timeout = 1h; // the gateway of the test answers when the test wants
    deps.queue = "images";
    deps.name = "w";
    deps.types = {"crop", "resize"};
    deps.capacity = capacity;
    deps.claim_wait = 2s;
    deps.grace = 10s;
    deps.cancel_grace = 2s;
    deps.now = [this] { return now() + wall_clock_is_off; };
    deps.clock = clock;
    deps.run = [this](auto task, auto watch) { running.emplace_back(task, watch); };
    deps.on_problem = [this](const client::worker_problem& problem) {
      problems.push_back(problem.what);
    };
    deps.counters = counters;
    agent = system.spawn(client::worker_agent, std::move(deps));
    settle();
  }

  core::instant now() {
    return core::instant{
        std::chrono::duration_cast<core::duration>(sched.clock().now().time_since_epoch())};
  }

  void settle() {
    while (sched.try_run_once()) {
    }
  }

  void advance(std::chrono::milliseconds span) {
    settle();
    for (auto passed = 0ms; passed < span; passed += 100ms) {
      sched.advance_time(100ms);
      settle();
    }
  }

  msg::leased_task task(const std::string& type = "resize") {
    msg::leased_task made;
    made.task.value = ids.next(now());
    made.token = 1;
    made.type = type;
    made.expires_at = now() + ttl;
    return made;
  }

  /// Answers the claim that waits with this many tasks.
  void give(std::size_t tasks) {
    msg::leased_tasks given;
    for (std::size_t i = 0; i < tasks; ++i)
      given.tasks.push_back(task());
    claims.answer(given);
    settle();
  }

  /// The handler of the task that was started as the `index`-th returns.
  void end(std::size_t index, client::outcome how) {
    const auto& leased = *running.at(index).first;
    caf::anon_send(agent, client::task_ended{{leased.task, leased.token},
                                             std::make_shared<const client::outcome>(how)});
    settle();
  }

  bool canceled(std::size_t index) const { return running.at(index).second->over; }

  /// The answer that takes all of a request.
  template <class Request>
  static msg::task_outcomes all_of(const Request& request, core::errc refusal = core::errc::none) {
    msg::task_outcomes answer;
    for (std::size_t i = 0; i < request.tasks.size(); ++i) {
      answer.outcomes.emplace_back();
      answer.outcomes.back().refusal = refusal;
    }
    return answer;
  }

  void complete_all(core::errc refusal = core::errc::none) {
    completions.answer(all_of(completions.first(), refusal));
    settle();
  }

  bool agent_ended() {
    bool down = false;
    const auto watcher = system.spawn([&](caf::event_based_actor* self) -> caf::behavior {
      self->set_down_handler([&down](const caf::down_msg&) { down = true; });
      self->monitor(agent); // of an actor that has ended CAF tells at once
      return {[](int) {}};
    });
    settle();
    caf::anon_send_exit(watcher, caf::exit_reason::kill);
    settle();
    return down;
  }

  holdfast::test::testing_system config;
  caf::actor_system system{config};
  caf::scheduler::test_coordinator& sched =
      dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  core::uuid_source ids{7};
  inbox<msg::claim_tasks, msg::leased_tasks> claims;
  inbox<msg::extend_tasks, msg::task_outcomes> extensions;
  inbox<msg::complete_tasks, msg::task_outcomes> completions;
  inbox<msg::release_task, msg::task_outcome> releases;
  inbox<msg::fail_task, msg::task_outcome> failures;
  inbox<msg::follow_task, msg::leased_tasks> follows;
  caf::actor gateway;
  client::worker_agent_actor agent;
  core::duration wall_clock_is_off{0};       ///< That of the worker's machine.
  std::shared_ptr<client::node_clock> clock; ///< Null: leases are counted by the wall clock.
  std::vector<started> running;
  std::vector<std::string> problems;
  std::shared_ptr<client::worker_counters> counters = std::make_shared<client::worker_counters>();
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(worker, worker_fixture)

// B13, B48, B51, B54: what no thread is free for stays in its queue
BOOST_AUTO_TEST_CASE(one_claim_waits_for_as_many_tasks_as_there_are_free_threads) {
  start(3);
  BOOST_TEST(claims.size() == 1U);
  BOOST_TEST(claims.first().most == 3U);
  BOOST_TEST(claims.first().tied);
  BOOST_TEST((claims.first().wait == 2s));
  BOOST_TEST((claims.first().types == std::vector<std::string>{"crop", "resize"}));
  const auto first = claims.first().claim;
  give(2);
  BOOST_TEST(running.size() == 2U);
  BOOST_TEST(claims.size() == 1U);
  BOOST_TEST(claims.first().most == 1U);
  BOOST_TEST((claims.first().claim != first));
  give(1);
  BOOST_TEST(running.size() == 3U);
  BOOST_TEST(claims.size() == 0U);
  end(0, client::done{});
  BOOST_TEST(claims.size() == 1U);
  BOOST_TEST(claims.first().most == 1U);
  BOOST_TEST(counters->claimed == 3U);
}

// B12
BOOST_AUTO_TEST_CASE(empty_answer_is_followed_by_the_next_claim) {
  start(1);
  give(0);
  BOOST_TEST(claims.size() == 1U);
}

BOOST_AUTO_TEST_CASE(claim_that_failed_is_repeated_under_its_id_after_a_pause) {
  start(1);
  const auto id = claims.first().claim;
  claims.answer(msg::to_error(core::errc::not_found, "no such queue"));
  settle();
  BOOST_TEST(claims.size() == 0U);
  advance(1s);
  BOOST_REQUIRE(claims.size() == 1U);
  BOOST_TEST((claims.first().claim == id));
  BOOST_TEST(problems.size() == 1U);
}

BOOST_AUTO_TEST_CASE(completions_that_end_meanwhile_go_together) {
  start(5);
  give(5);
  end(0, client::done{"{}"});
  BOOST_TEST(completions.first().tasks.size() == 1U);
  for (std::size_t i = 1; i < 5; ++i)
    end(i, client::done{std::to_string(i)});
  BOOST_TEST(completions.size() == 1U);
  complete_all();
  BOOST_REQUIRE(completions.size() == 1U);
  BOOST_REQUIRE(completions.first().tasks.size() == 4U);
  BOOST_TEST(completions.first().tasks.back().result == "4");
  complete_all();
  BOOST_TEST(completions.size() == 0U);
  BOOST_TEST(counters->completed == 5U);
}

BOOST_AUTO_TEST_CASE(completion_of_unknown_outcome_is_repeated_while_the_lease_lives) {
  start(1);
  give(1);
  end(0, client::done{});
  completions.answer(msg::to_error(core::errc::unavailable, ""));
  advance(200ms);
  BOOST_TEST(completions.size() == 1U);
  advance(ttl);
  completions.answer(msg::to_error(core::errc::unavailable, ""));
  settle();
  BOOST_TEST(completions.size() == 0U);
  BOOST_TEST(counters->lost == 1U);
}

// The node is well, and cannot take a result now: e.g. its object store is away.
BOOST_AUTO_TEST_CASE(completion_that_cannot_be_taken_now_is_repeated_after_growing_pauses) {
  start(2);
  give(2);
  end(0, client::done{"0"});
  for (int tries = 1; tries <= 6; ++tries) {
    complete_all(core::errc::unavailable);
    BOOST_TEST(completions.size() == 0U); // not at once
    if (tries == 1) {                     // others do not wait with it
      end(1, client::done{"1"});
      BOOST_TEST(completions.first().tasks.front().result == "1");
      complete_all();
    }
    std::size_t pauses = 0;
    for (; completions.size() == 0 && pauses < 60; ++pauses)
      advance(100ms);
    BOOST_TEST(pauses <= (2U << tries), "try " << tries << ": " << pauses);
    BOOST_REQUIRE(completions.size() == 1U);
  }
  complete_all();
  BOOST_TEST(counters->completed == 2U);
  BOOST_TEST(counters->lost == 0U);
}

BOOST_AUTO_TEST_CASE(failure_and_wait_that_cannot_be_taken_now_are_repeated_after_a_pause) {
  start(2);
  give(2);
  end(0, client::failed{"X"});
  end(1, client::wait_until{});
  msg::task_outcome away;
  away.refusal = core::errc::overloaded;
  failures.answer(away);
  releases.answer(away);
  settle();
  BOOST_TEST(failures.size() == 0U);
  BOOST_TEST(releases.size() == 0U);
  advance(200ms);
  failures.answer(msg::task_outcome{});
  releases.answer(msg::task_outcome{});
  settle();
  BOOST_TEST(counters->failed == 1U);
  BOOST_TEST(counters->released == 1U);
}

BOOST_AUTO_TEST_CASE(result_that_is_refused_becomes_a_failure) {
  start(2);
  give(2);
  end(0, client::done{"{"});
  complete_all(core::errc::payload_invalid);
  BOOST_REQUIRE(failures.size() == 1U);
  BOOST_TEST(failures.first().error_code == "OUTCOME_REFUSED");
  failures.answer(msg::task_outcome{});
  settle();
  BOOST_TEST(counters->failed == 1U);
  // One that cannot even be said to have failed is left alone.
  end(1, client::failed{});
  failures.answer(msg::to_error(core::errc::invalid_argument, "error_code"));
  settle();
  failures.answer(msg::to_error(core::errc::invalid_argument, "whatever"));
  settle();
  BOOST_TEST(failures.size() == 0U);
  BOOST_TEST(counters->lost == 1U);
}

BOOST_AUTO_TEST_CASE(failures_and_waits_say_what_the_handler_said) {
  start(2);
  give(2);
  end(0, client::failed{"BUSY", "421", core::failure_kind::rate_limited, 20s});
  BOOST_TEST(failures.first().error_code == "BUSY");
  BOOST_TEST(failures.first().kind == 3U);
  BOOST_TEST((failures.first().retry_after == 20s));
  client::wait_until wait{now() + 1min};
  wait.update.state = "POLLED";
  end(1, wait);
  BOOST_TEST(releases.first().update.state == "POLLED");
  BOOST_TEST((releases.first().next_action == now() + 1min));
  failures.answer(msg::task_outcome{});
  releases.answer(msg::task_outcome{});
  settle();
  BOOST_TEST(counters->failed == 1U);
  BOOST_TEST(counters->released == 1U);
}

BOOST_AUTO_TEST_CASE(all_leases_are_extended_by_one_request_at_a_third_of_their_ttl) {
  start(3);
  give(2);
  advance(5s);
  give(1);
  advance(4900ms);
  BOOST_TEST(extensions.size() == 0U);
  advance(100ms);
  BOOST_REQUIRE(extensions.size() == 1U);
  BOOST_TEST(extensions.first().tasks.size() == 3U);
  const auto asked_at = sched.clock().now();
  advance(1s);
  extensions.answer(all_of(extensions.first()));
  settle();
  BOOST_TEST((running[0].second->ends.load() == asked_at + ttl));
  advance(8900ms);
  BOOST_TEST(extensions.size() == 0U);
  advance(100ms);
  BOOST_TEST(extensions.size() == 1U);
}

BOOST_AUTO_TEST_CASE(lease_that_cannot_be_extended_because_it_is_over_is_lost) {
  start(2);
  give(2);
  advance(10s);
  auto answer = all_of(extensions.first());
  answer.outcomes[0].refusal = core::errc::lease_not_held;
  const auto gone = extensions.first().tasks[0].task;
  extensions.answer(answer);
  settle();
  const std::size_t lost = running[0].first->task == gone ? 0 : 1;
  BOOST_TEST(canceled(lost));
  BOOST_TEST(!canceled(1 - lost));
  BOOST_TEST(counters->lost == 1U);
  // Its result is sent all the same, to be recorded, and its refusal is not counted again.
  end(lost, client::done{});
  complete_all(core::errc::lease_not_held);
  BOOST_TEST(counters->lost == 1U);
  advance(10s);
  BOOST_TEST(extensions.first().tasks.size() == 1U);
}

BOOST_AUTO_TEST_CASE(lease_without_further_extension_is_worked_on_to_its_end) {
  start(1);
  give(1);
  advance(10s);
  extensions.answer(all_of(extensions.first(), core::errc::not_extendable));
  advance(15s);
  BOOST_TEST(extensions.size() == 0U);
  BOOST_TEST(!canceled(0));
  BOOST_TEST((running[0].second->ends.load() == sched.clock().now() + 5s));
}

BOOST_AUTO_TEST_CASE(lost_lease_that_the_node_reports_cancels_its_handler) {
  start(2);
  give(2);
  const auto& first = *running[0].first;
  caf::anon_send(agent, msg::tasks_lost{"other", {{first.task, first.token}}});
  caf::anon_send(agent, msg::tasks_lost{"images", {{first.task, first.token + 1}}});
  settle();
  BOOST_TEST(!canceled(0));
  caf::anon_send(agent, msg::tasks_lost{"images", {{first.task, first.token}}});
  settle();
  BOOST_TEST(canceled(0));
  BOOST_TEST(!canceled(1));
  BOOST_TEST(problems.size() == 1U);
  // It still has its thread.
  BOOST_TEST(claims.size() == 0U);
  // What it says is refused, but recorded.
  end(0, client::failed{"X"});
  BOOST_TEST(claims.size() == 1U);
  msg::task_outcome over;
  over.refusal = core::errc::lease_not_held;
  failures.answer(over);
  settle();
  BOOST_TEST(failures.size() == 0U);
  BOOST_TEST(counters->lost == 1U);
  BOOST_TEST(counters->failed == 0U);
}

// D29
BOOST_AUTO_TEST_CASE(result_of_a_lost_lease_is_sent_also_when_another_task_was_to_follow) {
  start(2);
  give(2);
  for (const auto& [leased, watch] : running)
    caf::anon_send(agent, msg::tasks_lost{"images", {{leased->task, leased->token}}});
  settle();
  client::next then;
  then.task.type = "crop";
  then.result = "7";
  end(0, then);
  BOOST_TEST(follows.first().done.result == "7");
  follows.answer(msg::to_error(core::errc::lease_not_held, ""));
  settle();
  BOOST_TEST(follows.size() == 0U);
  end(1, client::wait_until{}); // says nothing
  BOOST_TEST(releases.size() == 0U);
  BOOST_TEST(counters->lost == 2U);
  BOOST_TEST(claims.size() == 1U);
}

// B56
BOOST_AUTO_TEST_CASE(task_that_was_lost_and_comes_again_is_another_lease) {
  start(2);
  give(1);
  auto again = *running[0].first;
  caf::anon_send(agent, msg::tasks_lost{"images", {{again.task, again.token}}});
  settle();
  again.token = 2;
  claims.answer(msg::leased_tasks{{again}});
  settle();
  BOOST_REQUIRE(running.size() == 2U);
  end(0, client::failed{"X"}); // of the first lease
  end(1, client::done{});
  BOOST_TEST(completions.first().tasks.front().task.token == 2U);
  complete_all();
  BOOST_TEST(counters->completed == 1U);
  BOOST_TEST(counters->lost == 1U);
}

BOOST_AUTO_TEST_CASE(following_task_runs_at_once_on_the_thread_that_was_kept_for_it) {
  start(1);
  give(1);
  client::next then;
  then.task.type = "crop";
  end(0, then);
  BOOST_TEST(claims.size() == 0U);
  BOOST_TEST(static_cast<bool>(follows.first().next.task));
  BOOST_TEST(static_cast<bool>(follows.first().claim));
  follows.answer(msg::leased_tasks{{task("crop")}});
  settle();
  BOOST_TEST(running.size() == 2U);
  BOOST_TEST(running[1].first->type == "crop");
  BOOST_TEST(claims.size() == 0U);
  BOOST_TEST(counters->completed == 1U);
  end(1, client::done{});
  BOOST_TEST(claims.size() == 1U);
}

BOOST_AUTO_TEST_CASE(following_task_is_repeated_with_the_same_ids) {
  start(1);
  give(1);
  end(0, client::next{});
  const auto first = follows.first();
  follows.answer(msg::to_error(core::errc::unavailable, ""));
  advance(200ms);
  BOOST_TEST((follows.first().next.task == first.next.task));
  BOOST_TEST((follows.first().claim == first.claim));
}

BOOST_AUTO_TEST_CASE(following_task_of_a_type_without_handler_is_given_back) {
  start(1);
  give(1);
  end(0, client::next{});
  follows.answer(msg::leased_tasks{{task("upload")}});
  settle();
  BOOST_TEST(running.size() == 1U);
  BOOST_TEST(releases.size() == 1U);
  BOOST_TEST(claims.size() == 1U);
}

BOOST_AUTO_TEST_CASE(stop_calls_off_the_claim_and_waits_for_what_runs) {
  start(2);
  give(1);
  const auto id = claims.first().claim;
  caf::anon_send(agent, client::stop_working{});
  settle();
  BOOST_REQUIRE(claims.size() == 2U);
  BOOST_TEST((claims.last().claim == id));
  BOOST_TEST((claims.last().wait == 0s));
  // What was granted meanwhile goes back at once, although both answers bring it.
  const msg::leased_tasks granted{{task()}};
  claims.answer(granted);
  claims.answer(granted);
  settle();
  BOOST_TEST(running.size() == 1U);
  BOOST_TEST(releases.size() == 1U);
  releases.answer(msg::task_outcome{});
  advance(9s);
  BOOST_TEST(!canceled(0));
  end(0, client::done{});
  BOOST_TEST(!agent_ended());
  complete_all();
  BOOST_TEST(agent_ended());
  BOOST_TEST(claims.size() == 0U);
  BOOST_TEST(counters->completed == 1U);
  BOOST_TEST(counters->released == 1U);
}

BOOST_AUTO_TEST_CASE(stop_cancels_after_its_grace_and_then_gives_back) {
  start(2);
  give(2);
  caf::anon_send(agent, client::stop_working{});
  advance(9900ms);
  BOOST_TEST(!canceled(0));
  advance(200ms);
  BOOST_TEST(canceled(0));
  end(0, client::done{});
  complete_all();
  BOOST_TEST(releases.size() == 0U);
  advance(2s);
  BOOST_REQUIRE(releases.size() == 1U);
  BOOST_TEST((releases.first().task.task == running[1].first->task));
  releases.answer(msg::task_outcome{});
  BOOST_TEST(agent_ended());
  BOOST_TEST(counters->completed == 1U);
  BOOST_TEST(counters->released == 1U);
}

BOOST_AUTO_TEST_CASE(stop_asks_once_more_about_a_claim_of_unknown_outcome) {
  start(1);
  const auto id = claims.first().claim;
  claims.answer(msg::to_error(core::errc::unavailable, ""));
  settle();
  caf::anon_send(agent, client::stop_working{});
  settle();
  BOOST_REQUIRE(claims.size() == 1U);
  BOOST_TEST((claims.first().claim == id));
  give(1); // it had been granted
  BOOST_TEST(running.empty());
  BOOST_TEST(releases.size() == 1U);
  releases.answer(msg::task_outcome{});
  BOOST_TEST(agent_ended());
}

BOOST_AUTO_TEST_CASE(stop_does_not_wait_for_ever_for_a_node_that_is_not_there) {
  start(2);
  give(1);
  caf::anon_send(agent, client::stop_working{}); // no claim is ever answered
  advance(9s);
  end(0, client::done{});
  completions.answer(msg::to_error(core::errc::unavailable, ""));
  advance(4s);
  BOOST_TEST(!agent_ended());
  completions.answer(msg::to_error(core::errc::unavailable, ""));
  settle();
  BOOST_TEST(completions.size() == 0U);
  BOOST_TEST(agent_ended());
  BOOST_TEST(counters->lost == 1U);
}

BOOST_AUTO_TEST_CASE(worker_without_a_connection_ends_and_holds_nothing) {
  start(2);
  give(2);
  caf::anon_send_exit(gateway, caf::exit_reason::user_shutdown);
  settle();
  BOOST_TEST(canceled(0));
  BOOST_TEST(canceled(1));
  BOOST_TEST(agent_ended());
  BOOST_TEST(counters->lost == 2U);
}

// finding R5
BOOST_AUTO_TEST_CASE(leases_are_counted_by_the_clock_of_the_nodes_however_wrong_the_own_one_is) {
  clock = std::make_shared<client::node_clock>();
  clock->note(sched.clock().now(), sched.clock().now(), now());
  for (const auto off : {core::duration{6h}, core::duration{-12s}}) {
    wall_clock_is_off = off;
    running.clear();
    start(1);
    give(1);
    BOOST_REQUIRE(running.size() == 1U);
    const auto ends = running[0].second->ends.load();
    BOOST_TEST((ends <= sched.clock().now() + ttl));
    BOOST_TEST(
        (ends > sched.clock().now() + ttl - 2us)); // the clocks count other parts of a second
    BOOST_TEST(releases.size() == 0U);
    advance(9900ms);
    BOOST_TEST(extensions.size() == 0U);
    advance(100ms);
    BOOST_REQUIRE(extensions.size() == 1U);
    extensions.answer(all_of(extensions.first()));
    settle();
    end(0, client::done{});
    complete_all();
    claims.clear();
    caf::anon_send_exit(agent, caf::exit_reason::kill);
    settle();
  }
}

// finding R5: what has taken too long is not begun
BOOST_AUTO_TEST_CASE(lease_that_is_over_when_it_comes_is_given_back_and_reported) {
  clock = std::make_shared<client::node_clock>();
  clock->note(sched.clock().now(), sched.clock().now(), now());
  start(1);
  msg::leased_tasks late;
  late.tasks.push_back(task());
  late.tasks.front().expires_at = now();
  claims.answer(late);
  settle();
  BOOST_TEST(running.empty());
  BOOST_TEST(releases.size() == 1U);
  BOOST_TEST(problems.size() == 1U);
}

// finding B9: the last extension is as much as there still was
BOOST_AUTO_TEST_CASE(handler_is_told_to_stop_before_a_lease_that_is_extended_no_more_may_end) {
  start(1);
  give(1);
  advance(10s);
  extensions.answer(all_of(extensions.first()));
  advance(10s);
  const auto extended_at = sched.clock().now() - 10s;
  BOOST_TEST((running[0].second->ends.load() == extended_at + ttl));
  extensions.answer(all_of(extensions.first(), core::errc::not_extendable));
  settle();
  BOOST_TEST((running[0].second->ends.load() == extended_at - 10s + ttl));
}

// finding B9: and its end is repeated for as long as the lease may last
BOOST_AUTO_TEST_CASE(end_of_a_task_is_repeated_until_its_lease_is_over_for_sure) {
  start(1);
  give(1);
  advance(10s);
  extensions.answer(all_of(extensions.first()));
  advance(10s);
  extensions.answer(all_of(extensions.first(), core::errc::not_extendable));
  advance(11s); // it lasts for 30 s to 40 s
  BOOST_TEST((running[0].second->ends.load() < sched.clock().now()));
  end(0, client::done{});
  complete_all(core::errc::unavailable);
  advance(5s);
  BOOST_REQUIRE(completions.size() > 0U);
  complete_all();
  BOOST_TEST(problems.empty());
  BOOST_TEST(counters->lost == 0U);
  BOOST_TEST(counters->completed == 1U);
}

// finding B7
BOOST_AUTO_TEST_CASE(pauses_after_an_end_that_is_not_taken_are_short_where_leases_are) {
  start(1);
  msg::leased_tasks quick;
  quick.tasks.push_back(task());
  quick.tasks.front().expires_at = now() + 600ms;
  claims.answer(quick);
  settle();
  end(0, client::done{});
  int tries = 0;
  for (auto passed = 0ms; passed < 600ms; passed += 100ms) {
    if (completions.size() > 0) {
      ++tries;
      complete_all(core::errc::unavailable);
    }
    advance(100ms);
  }
  BOOST_TEST(tries >= 3);
}

// finding Q7
BOOST_AUTO_TEST_CASE(failure_whose_particulars_are_refused_keeps_what_was_decided) {
  start(2);
  give(2);
  client::failed for_good{"BAD_INPUT", "no such page", core::failure_kind::permanent};
  for_good.update.state = "UNKNOWN";
  end(0, for_good);
  failures.answer(msg::to_error(core::errc::wrong_state, "no such state"));
  settle();
  BOOST_REQUIRE(failures.size() == 1U);
  BOOST_TEST(failures.first().error_code == "OUTCOME_REFUSED");
  BOOST_TEST(failures.first().kind == 2U);
  BOOST_TEST(failures.first().detail.find("BAD_INPUT: no such page") != std::string::npos);
  BOOST_TEST(failures.first().update.state == "");
  failures.answer(msg::task_outcome{});
  settle();
  end(1, client::failed{"BUSY", "429", core::failure_kind::rate_limited, 30h});
  BOOST_TEST((failures.first().retry_after == 24h)); // as long as a node takes it
  failures.answer(msg::to_error(core::errc::invalid_argument, "whatever"));
  settle();
  BOOST_TEST(failures.first().kind == 3U);
  BOOST_TEST((failures.first().retry_after == 24h));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(task_context)

BOOST_AUTO_TEST_CASE(envelope_has_header_body_and_tracing) {
  msg::leased_task task;
  task.task.value = *core::parse_uuid("018f2c5e-7c1a-7000-8000-000000000001");
  task.type = "entity.match";
  task.version = "1.0";
  task.body = R"({"project_id":7})";
  task.attempt = 2;
  task.max_attempts = 10;
  task.created_at = core::from_micros(1'700'000'000'000'042);
  task.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  task.span_id = "00f067aa0ba902b7";
  const client::task_context context{
      std::make_shared<const msg::leased_task>(task), std::make_shared<client::lease_watch>(),
      [](const msg::task_update&) { return true; }, [] { return core::from_micros(7); }};
  BOOST_TEST(context.envelope()
             == R"({"header":{"job_id":"018f2c5e-7c1a-7000-8000-000000000001",)"
                R"("type":"entity.match","version":"1.0",)"
                R"("created_at":"2023-11-14T22:13:20.000042Z","attempt":2,"max_attempts":10},)"
                R"("body":{"project_id":7},)"
                R"("tracing":{"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736",)"
                R"("span_id":"00f067aa0ba902b7"}})");
  BOOST_TEST(!context.canceled());
  BOOST_TEST((context.now() == core::from_micros(7)));
}

BOOST_AUTO_TEST_CASE(occurrence_of_a_scheduled_task_is_told) {
  const auto occurrence_in = [](const core::task_id& id) {
    msg::leased_task task;
    task.task = id;
    const client::task_context context{
        std::make_shared<const msg::leased_task>(task), std::make_shared<client::lease_watch>(),
        [](const msg::task_update&) { return true; }, [] { return core::instant{}; }};
    return context.occurrence();
  };
  const auto midnight = core::from_micros(1'700'006'400'000'000);
  const auto id = core::occurrence_id({"reports", "nightly", core::from_micros(7)}, midnight);
  BOOST_TEST((occurrence_in(id) == midnight));
  BOOST_TEST(!occurrence_in(core::task_id{}).has_value());
}

BOOST_AUTO_TEST_CASE(node_is_told_apart_from_none) {
  const client::task_context alone{
      std::make_shared<const msg::leased_task>(), std::make_shared<client::lease_watch>(),
      [](const msg::task_update&) { return true; }, [] { return core::instant{}; }};
  BOOST_CHECK_THROW(alone.node(), std::logic_error);
}

BOOST_AUTO_TEST_CASE(lease_that_has_run_out_is_canceled) {
  const auto lease = std::make_shared<client::lease_watch>();
  const client::task_context context{std::make_shared<const msg::leased_task>(), lease,
                                     [](const msg::task_update&) { return false; },
                                     [] { return core::from_micros(7); }};
  BOOST_TEST((context.time_left() > 24h));
  lease->ends = client::lease_watch::clock::now();
  BOOST_TEST((context.time_left() == 0s));
  BOOST_TEST(context.canceled());
}

BOOST_AUTO_TEST_SUITE_END()
