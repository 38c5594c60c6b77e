// Which node is to host which shard: I-7.

#include "core/placement.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <map>

namespace holdfast::core {

namespace {

constexpr shard_id shard_count = 64;

incarnation_id process(std::uint8_t number) {
  incarnation_id id;
  id.value.bytes[15] = number;
  return id;
}

/// A cluster that only the tests' own model of the database changes.
struct cluster {
  cluster_view view;

  cluster() {
    for (shard_id shard = 0; shard < shard_count; ++shard)
      view.shards.push_back({shard, {}, 0});
  }
  void start(std::uint8_t number, const std::string& name) {
    view.nodes.push_back({process(number), name, "", {}});
  }
  void end(std::uint8_t number) {
    auto& nodes = view.nodes;
    nodes.erase(
        std::remove_if(nodes.begin(), nodes.end(),
                       [&](const auto& node) { return node.incarnation == process(number); }),
        nodes.end());
  }
  /// Every node does what its plan says, one after the other, until no plan says anything.
  void settle() {
    for (bool moved = true; moved;) {
      moved = false;
      for (const auto& node : view.nodes) {
        const auto plan = plan_hosting(view, node.incarnation, {});
        for (const auto shard : plan.hand_over)
          view.shards[shard].host = {};
        for (const auto shard : plan.take)
          view.shards[shard].host = node.incarnation;
        moved = moved || !plan.hand_over.empty() || !plan.take.empty();
      }
    }
  }
  std::vector<incarnation_id> hosts() const {
    std::vector<incarnation_id> all;
    for (const auto& shard : view.shards)
      all.push_back(shard.host);
    return all;
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(placement)

BOOST_AUTO_TEST_CASE(one_node_takes_everything) {
  cluster c;
  c.start(1, "a");
  BOOST_TEST(plan_hosting(c.view, process(1), {}).take.size() == shard_count);
  BOOST_TEST(!is_complete(c.view, {}));
  c.settle();
  BOOST_TEST(is_complete(c.view, {}));
}

BOOST_AUTO_TEST_CASE(a_node_that_is_not_seen_does_nothing) {
  cluster c;
  c.start(1, "a");
  c.settle();
  const auto plan = plan_hosting(c.view, process(2), {});
  BOOST_TEST(plan.take.empty());
  BOOST_TEST(plan.hand_over.empty());
  BOOST_TEST(!plan.superseded);
}

BOOST_AUTO_TEST_CASE(only_what_must_move_moves) {
  cluster c;
  for (std::uint8_t number = 1; number <= 5; ++number)
    c.start(number, "node-" + std::to_string(number));
  c.settle();
  const auto before = c.hosts();
  c.start(6, "node-6");
  c.settle();
  auto after = c.hosts();
  for (shard_id shard = 0; shard < shard_count; ++shard)
    if (after[shard] != before[shard])
      BOOST_TEST(to_string(after[shard]) == to_string(process(6)));
  c.end(6);
  c.settle();
  BOOST_TEST((c.hosts() == before));
}

BOOST_AUTO_TEST_CASE(shares_are_about_equal) {
  cluster c;
  for (std::uint8_t number = 1; number <= 4; ++number)
    c.start(number, "node-" + std::to_string(number));
  c.settle();
  std::map<incarnation_id, int> shares;
  for (const auto& host : c.hosts())
    ++shares[host];
  BOOST_TEST(shares.size() == 4U);
  for (const auto& [host, share] : shares) {
    BOOST_TEST(share >= 8); // 16 each on average
    BOOST_TEST(share <= 26);
  }
}

BOOST_AUTO_TEST_CASE(shard_of_a_living_node_is_not_taken) { // I-7
  cluster c;
  c.start(1, "a");
  c.settle();
  c.start(2, "b");
  BOOST_TEST(plan_hosting(c.view, process(2), {}).take.empty());
  BOOST_TEST(!plan_hosting(c.view, process(1), {}).hand_over.empty());
  BOOST_TEST(is_complete(c.view, {}));
}

BOOST_AUTO_TEST_CASE(shard_of_a_dead_node_is_taken_at_once) {
  cluster c;
  c.start(1, "a");
  c.start(2, "b");
  c.settle();
  BOOST_TEST(!is_complete(c.view, {process(1)}));
  const auto taken = plan_hosting(c.view, process(2), {process(1)}).take;
  const auto hosts = c.hosts();
  BOOST_TEST(taken.size()
             == static_cast<std::size_t>(std::count(hosts.begin(), hosts.end(), process(1))));
}

BOOST_AUTO_TEST_CASE(a_later_process_of_the_same_name_replaces_the_earlier_one) { // F48
  cluster c;
  c.start(1, "a");
  c.settle();
  c.start(2, "a");
  BOOST_TEST(plan_hosting(c.view, process(1), {}).superseded);
  BOOST_TEST(plan_hosting(c.view, process(2), {}).take.size() == shard_count);
  BOOST_TEST(!is_complete(c.view, {}));
  // Unless that one is dead again.
  BOOST_TEST(!plan_hosting(c.view, process(1), {process(2)}).superseded);
}

// B35: whose work is over
BOOST_AUTO_TEST_CASE(those_live_that_are_seen_and_neither_dead_nor_replaced) {
  cluster c;
  c.start(1, "a");
  c.start(2, "b");
  c.start(3, "a");
  c.start(4, "c");
  const auto seen = living(c.view, {process(4)});
  BOOST_TEST((seen.alive == std::set<incarnation_id>{process(2), process(3)}));
  BOOST_TEST((seen.seen_at == c.view.now));
}

BOOST_AUTO_TEST_CASE(evidence_of_death_is_dropped_when_the_process_renews_its_lease) {
  cluster c;
  c.start(1, "a");
  c.start(2, "b");
  auto& lease = c.view.nodes[1].expires_at;
  lease = from_micros(5);
  believed_dead dead;
  dead.look(c.view);
  lease = from_micros(6); // before the evidence came: it says nothing about it
  dead.add(process(2));
  dead.look(c.view);
  dead.look(c.view);
  BOOST_TEST(dead.all().size() == 1U);
  lease = from_micros(7);
  dead.look(c.view);
  BOOST_TEST(dead.all().empty());
  dead.add(process(2)); // nobody is fooled twice
  dead.look(c.view);
  BOOST_TEST(dead.all().empty());
}

BOOST_AUTO_TEST_CASE(the_dead_are_forgotten_with_their_leases) {
  cluster c;
  c.start(1, "a");
  c.start(2, "b");
  believed_dead dead;
  dead.add(process(2));
  dead.look(c.view);
  BOOST_TEST(dead.all().size() == 1U);
  c.end(2);
  dead.look(c.view);
  BOOST_TEST(dead.all().empty());
}

// A frozen node is replaced when its lease is over, and not one look later.
BOOST_AUTO_TEST_CASE(the_next_look_comes_with_the_end_of_the_first_lease_of_another) {
  using namespace std::chrono_literals;
  cluster c;
  for (const auto* name : {"a", "b", "c"})
    c.start(static_cast<std::uint8_t>(name[0] - 'a' + 1), name);
  c.view.now = from_micros(1'000'000);
  const auto lease_left = [&](std::size_t node, duration left) {
    c.view.nodes[node].expires_at = c.view.now + left;
  };
  lease_left(0, 5s);
  lease_left(1, 4s);
  lease_left(2, 5s);
  BOOST_TEST((next_look(c.view, process(1), 1500ms) == 1500ms));
  lease_left(2, 1s);
  const auto wait = next_look(c.view, process(1), 1500ms);
  BOOST_TEST((wait > 1s)); // a look before the end is for nothing
  BOOST_TEST((wait <= 1010ms));
  BOOST_TEST((next_look(c.view, process(3), 1500ms) == 1500ms)); // its own
  lease_left(2, -1s);
  BOOST_TEST((next_look(c.view, process(1), 1500ms) > 0ms)); // it never spins
}

BOOST_AUTO_TEST_CASE(node_that_lapsed_with_the_others_lets_them_come_back_first) {
  using namespace std::chrono_literals;
  cluster c;
  for (const auto* name : {"a", "b", "c"})
    c.start(static_cast<std::uint8_t>(name[0] - 'a' + 1), name);
  c.settle();
  auto& view = c.view;
  own_lease lease;
  const auto renewed_at = [&](duration at) {
    view.now = instant{at};
    view.nodes.front().expires_at = view.now + 5s;
    lease.look(view, process(1), 1500ms);
    return plan_hosting(view, process(1), {}, lease.waits_for_others(view.now)).take.size();
  };
  BOOST_TEST(renewed_at(100s) == 0U);
  BOOST_TEST(renewed_at(104s) == 0U);
  c.end(2);
  const auto of_b = renewed_at(105s); // it alone has lapsed: as ever
  BOOST_TEST(of_b > 0U);
  c.end(3);
  BOOST_TEST(renewed_at(110s) == 0U); // the lease was over at 110 s: all may have lapsed
  BOOST_TEST(renewed_at(111s) == 0U);
  BOOST_TEST(renewed_at(111s + 499ms) == 0U);
  BOOST_TEST(renewed_at(111s + 500ms) > of_b); // who has not come by now is gone
}

BOOST_AUTO_TEST_CASE(only_who_may_come_back_is_spared) {
  cluster c;
  c.start(1, "a");
  c.start(2, "b");
  c.settle();
  c.end(2);
  const auto hosts = c.hosts();
  const auto of_b = static_cast<std::size_t>(std::count(hosts.begin(), hosts.end(), process(2)));
  BOOST_REQUIRE(of_b > 1U);
  const auto taken = [&](const std::set<incarnation_id>& dead) {
    return plan_hosting(c.view, process(1), dead, true).take.size();
  };
  BOOST_TEST(taken({}) == 0U);
  BOOST_TEST(taken({process(2)}) == of_b); // there is evidence of its end
  const auto one = std::find(hosts.begin(), hosts.end(), process(2)) - hosts.begin();
  c.view.shards[static_cast<std::size_t>(one)].host = {};
  BOOST_TEST(taken({}) == 1U); // what nobody hosts is free
  c.start(3, "b");             // the same for whoever has its name
  BOOST_TEST(plan_hosting(c.view, process(3), {}, true).take.size() == 1U);
}

BOOST_AUTO_TEST_CASE(every_history_settles_with_a_host_for_each_shard) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    test::random_source random{seed};
    cluster c;
    std::uint8_t started = 0;
    for (int turn = 0; turn < 30; ++turn) {
      if (c.view.nodes.empty() || random.below(3) != 0)
        c.start(++started, "node-" + std::to_string(random.below(6)));
      else
        c.view.nodes.erase(c.view.nodes.begin()
                           + static_cast<std::ptrdiff_t>(random.below(c.view.nodes.size())));
      if (c.view.nodes.empty())
        continue;
      c.settle();
      BOOST_REQUIRE(is_complete(c.view, {}));
    }
  }
}

// finding R4
BOOST_AUTO_TEST_CASE(a_node_that_sees_the_clock_go_back_lets_the_others_renew_first) {
  using namespace std::chrono_literals;
  const instant noon{1'700'000'000s};
  cluster c;
  c.start(1, "a");
  own_lease lease;
  const auto look = [&](instant now) {
    c.view.now = now;
    c.view.nodes[0].expires_at = now + 5s;
    lease.look(c.view, process(1), 1500ms);
    return lease.waits_for_others(now);
  };
  BOOST_TEST(!look(noon));
  BOOST_TEST(!look(noon + 1s));
  BOOST_TEST(!look(noon - 2s)); // by less than makes a lease count as over
  BOOST_TEST(look(noon - 1h));
  BOOST_TEST(look(noon - 1h + 1s));
  BOOST_TEST(!look(noon - 1h + 2s));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::core
