// More work than the node can do, for minutes: what it takes in goes on as fast as before, and the
// rest is told at once to come again.

#include "tests/support/queue_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// The outcomes of requests that came one after the other.
struct offered_load {
  std::size_t accepted = 0; ///< Answered with success before the end.
  std::size_t refused = 0;  ///< As `overloaded`, in the moment in which they came.
  std::size_t other = 0;    ///< With any other error, or with a refusal that came late.
  core::duration slowest{}; ///< Of the accepted ones, also of those answered after the end.
};

/// Its database takes a batch of 20 rows every 100 ms.
struct slow_node : node_with_queue {
  slow_node() {
    auto& batching = prepare().settings.batching;
    batching.batch_max = 20;
    batching.high_water = 100;
    start();
    advance(2s); // no id is older than the queue
    database->set_commit_faults([this](const persistence::write_batch&) {
      if (now() < free_at)
        return persistence::commit_fault::unavailable;
      free_at = now() + 100ms;
      return persistence::commit_fault::none;
    });
  }

  struct waiting_request {
    core::instant since;
    awaited_answer<msg::enqueue_tasks> answered;
  };

  void collect(offered_load& load, bool in_time) {
    const auto over = [&](const waiting_request& each) {
      if (!each.answered->arrived())
        return false;
      if (each.answered->value) {
        BOOST_TEST((each.answered->value->outcomes.front().refusal == core::errc::none));
        load.accepted += in_time ? 1 : 0;
        ++made;
        load.slowest = std::max(load.slowest, now() - each.since);
      } else if (each.answered->code() == core::errc::overloaded && each.since == now())
        ++load.refused;
      else
        ++load.other;
      return true;
    };
    waiting.erase(std::remove_if(waiting.begin(), waiting.end(), over), waiting.end());
  }

  /// For three seconds; `how_many` says with every 10 ms how many requests come, of how many that
  /// have no answer.
  offered_load offer(const std::function<std::size_t(std::size_t waiting)>& how_many) {
    offered_load load;
    for (int tick = 0; tick < 300; ++tick) {
      for (auto left = how_many(waiting.size()); left > 0; --left)
        waiting.push_back({now(), send_to_node(msg::enqueue_tasks{"mail", {request()}})});
      settle();
      collect(load, true);
      advance(10ms);
      collect(load, true);
    }
    for (int tick = 0; tick < 1000 && !waiting.empty(); ++tick) {
      advance(10ms);
      collect(load, false);
    }
    BOOST_TEST(waiting.empty());
    return load;
  }

  core::instant free_at{};
  std::vector<waiting_request> waiting;
  std::size_t made = 0;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(overload, slow_node)

// F39
BOOST_AUTO_TEST_CASE(three_times_the_load_that_can_be_done_leaves_as_much_done) {
  // As fast as it goes: as many wait as may.
  const auto capacity = offer([](std::size_t waiting) { return waiting < 20 ? 20 - waiting : 0; });
  BOOST_REQUIRE(capacity.accepted >= 50U);
  BOOST_TEST(capacity.other == 0U);

  const auto each_tick = (capacity.accepted * 3 + 299) / 300;
  const auto three_times = offer([&](std::size_t) { return each_tick; });
  BOOST_TEST(three_times.accepted * 10 >= capacity.accepted * 8);
  BOOST_TEST(three_times.refused > capacity.accepted);
  BOOST_TEST(three_times.other == 0U);
  // A hundred rows wait at most, which are five batches, each with the pauses between its tries.
  BOOST_TEST((three_times.slowest <= 3s));
  // Nothing that was accepted is lost, and nothing that was refused is there.
  BOOST_TEST(counts().live == made);

  // Afterwards it is as before.
  const auto after = offer([](std::size_t waiting) { return waiting < 20 ? 20 - waiting : 0; });
  BOOST_TEST(after.accepted * 10 >= capacity.accepted * 8);
  BOOST_TEST(after.other == 0U);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(retry_storm, node_with_queue)

// F50
BOOST_AUTO_TEST_CASE(
    handler_that_always_fails_costs_each_task_its_attempts_and_no_other_queue_time) {
  BOOST_REQUIRE(call(msg::put_queue{"other", "{}"}).value);
  constexpr std::size_t tasks = 50;
  for (std::size_t i = 0; i < tasks; ++i)
    enqueued(request());
  std::size_t failures = 0;
  std::size_t first_seconds = 0;
  for (int second = 0; second < 300; ++second) {
    for (const auto& task : claimed(claim("w1", 100))) {
      BOOST_TEST((fail("w1", task, core::failure_kind::transient) == core::errc::none));
      ++failures;
    }
    // Beside it, another queue is served at once.
    const auto mine = request();
    BOOST_REQUIRE(call(msg::enqueue_tasks{"other", {mine}}).value);
    auto wanted = claim("w2");
    wanted.queue = "other";
    const auto given = claimed(wanted);
    BOOST_REQUIRE_EQUAL(given.size(), 1U);
    BOOST_TEST((given.front().task == mine.task));
    const auto done = call(
        msg::complete_tasks{"other", "w2", {{{given.front().task, given.front().token}, "{}"}}});
    BOOST_REQUIRE(done.value);
    advance(1s);
    if (second == 1)
      first_seconds = failures;
  }
  // Three attempts each, with pauses: the storm is no denser than the work was.
  BOOST_TEST(failures == 3 * tasks);
  BOOST_TEST(first_seconds < 3 * tasks);
  BOOST_TEST(counts().dead == tasks);
  BOOST_TEST(counts().live == 0U);

  // The dead letters come back in pages, and are done when the handler is well.
  const msg::redrive_tasks page{"mail", "", "", {}, 20};
  std::size_t redriven = 0;
  for (int round = 0; round < 3; ++round) {
    const auto answered = call(page);
    BOOST_REQUIRE(answered.value);
    BOOST_TEST(answered.value->redriven <= 20U);
    redriven += answered.value->redriven;
    for (const auto& task : claimed(claim("w1", 100)))
      BOOST_TEST((complete("w1", task) == core::errc::none));
  }
  BOOST_TEST(redriven == tasks);
  BOOST_TEST(counts().completed == tasks);
  BOOST_TEST(counts().dead == 0U);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
