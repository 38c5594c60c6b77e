// A planned stop: what was accepted becomes durable, new requests are refused, the node ends.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct draining_node : node_fixture {
  explicit draining_node(std::uint64_t seed = 0) : node_fixture(seed) {
    start();
    step = create();
    feed(step, 8);
  }
  void drain() { caf::anon_send(node->root, actors::drain{}); }

  core::step_id step;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(draining, draining_node)

BOOST_AUTO_TEST_CASE(an_idle_node_ends_and_gives_its_shards_free) {
  drain();
  settle();
  BOOST_REQUIRE(node->ended());
  BOOST_TEST((node->end_reason() == caf::exit_reason::user_shutdown));
  for (const auto& shard : database->tables().shards)
    BOOST_TEST(!shard.host);
  restart(); // and may start again at once
  work(step, "ana");
}

BOOST_AUTO_TEST_CASE(a_draining_node_finishes_what_it_accepted_and_refuses_the_rest) {
  const auto ana = assigned(step, "ana");
  database->set_reachable(false);
  const auto accepted = send_to_node(judgment(ana, "ana"));
  settle();
  drain();
  settle();
  const auto refused = send_to_node(msg::ask_assignment{step, "bob", fresh<core::assignment_id>()});
  const auto read = send_to_node(msg::list_steps{{}, 10});
  const auto state = send_to_node(msg::get_node_status{});
  settle();
  BOOST_TEST(refused->code() == core::errc::unavailable);
  BOOST_TEST(refused->error->detail.find("shutting down") != std::string::npos);
  BOOST_TEST(read->code() == core::errc::unavailable);
  BOOST_REQUIRE(state->value);
  BOOST_TEST(state->value->draining);
  advance(10s);
  BOOST_TEST(!accepted->arrived());
  BOOST_TEST(!node->ended());
  database->set_reachable(true);
  advance(5s);
  BOOST_TEST(accepted->value.has_value());
  BOOST_TEST(node->ended());
  BOOST_TEST(database->tables().judgments.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_database_that_stays_away_does_not_hold_the_stop_up_for_ever) {
  const auto ana = assigned(step, "ana");
  database->set_reachable(false);
  const auto accepted = send_to_node(judgment(ana, "ana"));
  settle();
  drain();
  advance(120s);
  BOOST_TEST(node->ended());
  BOOST_REQUIRE(accepted->arrived());
  BOOST_TEST(!accepted->value.has_value()); // it was never promised
}

BOOST_AUTO_TEST_CASE(a_drain_told_twice_is_one_drain) {
  drain();
  drain();
  settle();
  BOOST_TEST(node->ended());
}

// I-12 under every interleaving: an answer given during the stop is true.
BOOST_AUTO_TEST_CASE(every_request_that_meets_a_stop_is_answered_truthfully) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    draining_node world{seed};
    std::vector<msg::submit_judgment> requests;
    std::vector<awaited_answer<msg::submit_judgment>> answers;
    for (int i = 0; i < 8; ++i) {
      const auto who = "w" + std::to_string(i);
      requests.push_back(world.judgment(world.assigned(world.step, who), who));
    }
    for (const auto& request : requests) {
      answers.push_back(world.send_to_node(request));
      for (auto left = world.random() % 10; left > 0 && world.virtual_world::step(); --left) {
      }
    }
    world.drain();
    world.advance(5s);
    BOOST_TEST_CONTEXT("seed " << seed) {
      BOOST_TEST(world.node->ended());
      for (std::size_t i = 0; i < answers.size(); ++i) {
        BOOST_REQUIRE(answers[i]->arrived());
        const bool stored = world.database->tables().judgment_ids.count(requests[i].judgment) == 1;
        if (answers[i]->value)
          BOOST_TEST(stored);
      }
      BOOST_TEST(broken_invariants(*world.database) == "");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
