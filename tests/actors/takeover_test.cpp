// Two nodes on one database, the second of which wants to be host of nothing while the first one
// lives: only the database says who hosts a shard. Nodes that share are in cluster_test.cpp.

#include "core/placement.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// The name of a node to which no shard belongs while one called `first` is there.
std::string modest_name(const std::string& first, std::uint32_t shards) {
  for (int number = 2;; ++number) {
    const auto name = "n" + std::to_string(number);
    bool is_modest = true;
    for (core::shard_id shard = 0; shard < shards; ++shard)
      is_modest = is_modest && core::suitability(name, shard) < core::suitability(first, shard);
    if (is_modest)
      return name;
  }
}

struct rival_nodes : node_fixture {
  rival_nodes() {
    start();
    step = create();
    feed(step, 4);
    second.start();
    advance(3s);
    BOOST_REQUIRE(hosts_nothing(second));
  }
  ~rival_nodes() { other.disconnect(); }

  /// Asks the second node.
  template <class Request>
  answer<msg::answer_to<Request>> call_second(Request request) {
    const auto answered = other.send(second.gateway, std::move(request));
    settle();
    return *answered;
  }
  /// Lets the first node's lease run out unnoticed; the second one hosts afterwards.
  void let_second_take_over() {
    node->stop_renewals(true);
    advance(10s);
    BOOST_REQUIRE(hosts_all(second));
  }
  std::size_t hosted_by(const virtual_node& one) const {
    std::size_t count = 0;
    for (const auto& shard : database->tables().shards)
      count += shard.host == one.settings.incarnation ? 1 : 0;
    return count;
  }
  bool hosts_nothing(const virtual_node& one) const { return hosted_by(one) == 0; }
  bool hosts_all(const virtual_node& one) const {
    return hosted_by(one) == database->tables().shards.size();
  }
  /// I-7: no row of an earlier epoch follows one of a later epoch.
  void epochs_never_go_back() const {
    for (const auto& [shard, rows] : database->tables().outbox)
      for (std::size_t i = 1; i < rows.size(); ++i)
        BOOST_TEST(rows[i - 1].epoch <= rows[i].epoch);
  }

  virtual_node second{*this, modest_name("n1", 2), 777};
  client other{*this};
  core::step_id step;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(takeover, rival_nodes)

BOOST_AUTO_TEST_CASE(the_second_node_takes_over_when_the_first_ones_lease_has_run_out) {
  const auto shards = database->tables().shards;
  node->stop_renewals(true);
  advance(2s);
  BOOST_TEST(hosts_nothing(second));
  advance(8s); // lease time 5 s, a look every 1.5 s
  for (std::size_t i = 0; i < shards.size(); ++i) {
    BOOST_TEST(database->tables().shards[i].epoch == shards[i].epoch + 1);
    BOOST_TEST((database->tables().shards[i].host == second.settings.incarnation));
  }
}

BOOST_AUTO_TEST_CASE(leases_of_contributors_survive_a_takeover_with_their_tokens) {
  const auto ana = assigned(step, "ana");
  const auto bob = assigned(step, "bob");
  node.reset(); // SIGKILL
  advance(1s);
  BOOST_REQUIRE(hosts_all(second));
  BOOST_TEST(call_second(judgment(ana, "ana")).value.has_value());
  const auto extended = call_second(msg::extend_assignment{step, bob.unit, "bob", bob.token});
  BOOST_TEST(extended.value.has_value());
  advance(1s);
  BOOST_TEST(call_second(judgment(bob, "bob")).value.has_value());
  BOOST_TEST(broken_invariants(*database) == "");
}

// I-7
BOOST_AUTO_TEST_CASE(nothing_that_the_first_node_decides_after_the_takeover_is_committed) {
  const auto ana = assigned(step, "ana");
  let_second_take_over();
  const auto request = judgment(ana, "ana");
  const auto late = send_to_node(request);
  const auto asked = send_to_node(msg::ask_assignment{step, "eve", fresh<core::assignment_id>()});
  advance(4s); // it looks for the host for three seconds
  BOOST_REQUIRE(late->arrived());
  BOOST_REQUIRE(asked->arrived());
  BOOST_TEST(!late->value.has_value());
  BOOST_TEST(!asked->value.has_value());
  BOOST_TEST(database->tables().judgments.empty());
  BOOST_TEST(active_leases() == 1u);
  // The same request to the new host is as good as new.
  const auto again = call_second(request);
  BOOST_REQUIRE(again.value);
  BOOST_TEST(!again.value->repeated);
  epochs_never_go_back();
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(a_decision_on_its_way_to_the_database_is_fenced_by_a_takeover) {
  const auto ana = assigned(step, "ana");
  node->cut_off(true);
  const auto late = send_to_node(judgment(ana, "ana"));
  advance(10s);
  BOOST_REQUIRE(hosts_all(second));
  BOOST_TEST(!late->arrived());
  const auto theirs = call_second(judgment(ana, "ana", "blue"));
  BOOST_REQUIRE(theirs.value);
  node->cut_off(false);
  advance(5s);
  BOOST_REQUIRE(late->arrived());
  BOOST_TEST(!late->value.has_value());
  BOOST_TEST(database->tables().judgments.size() == 1u);
  BOOST_TEST((database->tables().judgments.begin()->second.made.id == theirs.value->judgment));
  epochs_never_go_back();
}

// A node that has lost its shards goes on without them, and gets them back when it can be relied
// on.
BOOST_AUTO_TEST_CASE(a_fenced_node_steps_back_and_is_host_again_when_it_has_recovered) {
  let_second_take_over();
  node->stop_renewals(false);
  advance(5s); // its next renewal tells it; then the other one hands over
  BOOST_TEST(!node->ended());
  BOOST_TEST(hosts_all(*node));
  BOOST_REQUIRE(call_second(msg::ask_assignment{step, "ana", fresh<core::assignment_id>()}).value);
  second.kill();
  advance(1s);
  BOOST_TEST(active_leases() == 1u);
  work(step, "bob");
}

BOOST_AUTO_TEST_CASE(a_busy_fenced_node_loses_its_shards_and_nothing_else) {
  const auto ana = assigned(step, "ana");
  node->cut_off(true);
  const auto late = send_to_node(judgment(ana, "ana")); // decided while it still could be
  advance(10s);
  BOOST_REQUIRE(hosts_all(second));
  node->stop_renewals(true);
  node->cut_off(false);
  advance(5s); // the writer hears of it before any renewal does
  BOOST_TEST(late->arrived());
  BOOST_TEST(!node->ended());
  BOOST_TEST(call_second(judgment(ana, "ana")).value.has_value());
  BOOST_TEST(database->tables().judgments.size() == 1u);
}

// What the first host committed and could not deliver any more is delivered by the second.
BOOST_AUTO_TEST_CASE(events_that_the_first_node_left_are_applied_once_by_the_second) {
  advance(30s); // the second node has been waiting for long
  for (const auto* who : {"ana", "bob"})
    for (int i = 0; i < 4; ++i) {
      const auto lease = assigned(step, who);
      if (who == std::string{"bob"} && i == 3) {
        const auto last = send_to_node(judgment(lease, who));
        while (!last->arrived() && virtual_world::step()) {
        }
        node.reset();
        advance(1s);
      } else {
        BOOST_REQUIRE(submit(lease, who).value);
      }
    }
  advance(10s);
  BOOST_REQUIRE(hosts_all(second));
  const auto counts = call_second(msg::get_step_statistics{step});
  BOOST_REQUIRE(counts.value);
  BOOST_TEST(counts.value->finalized == 4u);
  BOOST_TEST(counts.value->step.completed_units == 4u);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(a_planned_stop_hands_the_shards_over_without_waiting_for_a_lease) {
  const auto ana = assigned(step, "ana");
  caf::anon_send(node->root, actors::drain{});
  advance(1s);
  BOOST_TEST(node->ended());
  BOOST_REQUIRE(hosts_all(second));
  BOOST_TEST(call_second(judgment(ana, "ana")).value.has_value());
}

// finding R7, I-7: no write shows that the memory it comes from is the shard's.
BOOST_AUTO_TEST_CASE(a_node_that_was_frozen_does_not_refuse_in_the_name_of_the_next_host) {
  const auto ana = assigned(step, "ana");
  held_back = "unit";
  auto wrong = judgment(ana, "ana");
  wrong.token += 1;
  const auto refused = send_to_node(wrong);
  const auto extended = send_to_node(msg::extend_assignment{step, ana.unit, "eve", ana.token});
  node->stop_renewals(true);
  advance(10s);
  held_back.clear();
  settle();
  advance(4s);
  BOOST_REQUIRE(refused->arrived());
  BOOST_REQUIRE(extended->arrived());
  for (const auto code : {refused->code(), extended->code()})
    BOOST_TEST((code == core::errc::unavailable || code == core::errc::fenced),
               core::to_string(code));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
