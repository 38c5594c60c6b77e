// Subscribers as programs link them: a follower behind a courier, and a real node that comes and
// goes.

#include "client/courier.hpp"
#include "client/event_follower.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

namespace peers = holdfast::client; // `client` is a program here

using told = std::vector<std::pair<core::event_seq, std::string>>;

struct subscribed_node : node_fixture {
  subscribed_node() {
    prepare();
    node->settings.shards = 4;
  }
  ~subscribed_node() {
    stop_following();
    caf::anon_send_exit(courier, caf::exit_reason::user_shutdown);
    courier = nullptr;
    settle();
  }

  void start_node() {
    node->settings.shards = 4;
    start();
    if (!courier) {
      peers::courier_deps deps;
      deps.retry.deadline = 1h;
      deps.on_lost = [](peers::way_number) {};
      courier = system->spawn(peers::courier, std::move(deps));
    }
    caf::anon_send(courier, peers::gateway_found{node->gateway});
    settle();
  }
  void restart_node() {
    prepare();
    start_node();
  }

  void subscribe(peers::subscription_settings what = {}) {
    stop_following();
    follower = system->spawn(
        peers::event_follower,
        peers::event_follower_deps{caf::actor_cast<msg::gateway_actor>(courier), 2h, 2s, what});
    settle();
  }
  void stop_following() {
    if (follower)
      caf::anon_send_exit(follower, caf::exit_reason::user_shutdown);
    follower = nullptr;
    settle();
  }

  std::shared_ptr<answer<peers::event_delivery>> ask_next(core::duration wait = 0s) {
    auto asked = send<peers::event_delivery>(follower, peers::next_events{wait});
    settle();
    return asked;
  }
  /// Takes what is there, and keeps it.
  std::size_t take() {
    const auto next = ask_next();
    advance(1ms);
    BOOST_REQUIRE_MESSAGE(next->value, next->code());
    for (const auto& page : next->value->pages) {
      positions[page.shard] = page.position;
      for (const auto& e : page.events)
        got[page.shard].emplace_back(e.seq, e.event);
    }
    return next->value->pages.size();
  }
  void take_all() {
    while (take() > 0) {
    }
  }

  /// Everything that was ever committed.
  std::map<core::shard_id, told> outbox() const {
    std::map<core::shard_id, told> all;
    for (const auto& [shard, rows] : database->tables().outbox)
      for (const auto& row : rows)
        for (std::size_t i = 0; i < row.events.size(); ++i)
          all[shard].emplace_back(row.first_seq + i, core::to_json(row.events[i]));
    return all;
  }
  void everything_was_got_once() const { BOOST_TEST((got == outbox())); }

  peers::courier_actor courier;
  peers::event_follower_actor follower;
  std::map<core::shard_id, core::event_seq> positions;
  std::map<core::shard_id, told> got;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(subscriptions, subscribed_node)

// A174, A175
BOOST_AUTO_TEST_CASE(a_subscriber_gets_all_events_of_all_shards) {
  start_node();
  subscribe();
  take_all();
  BOOST_TEST(positions.size() == 4U); // of every shard, also of those without events
  for (int i = 0; i < 8; ++i) {
    const auto step = create();
    feed(step, 3);
    work(step, "ana");
  }
  take_all();
  BOOST_TEST(got.size() > 1U);
  everything_was_got_once();
}

BOOST_AUTO_TEST_CASE(a_question_is_answered_with_the_commit) {
  start_node();
  subscribe();
  take_all();
  const auto next = ask_next(60s);
  advance(30s);
  BOOST_TEST(!next->arrived());
  const auto step = create();
  BOOST_REQUIRE(next->value); // no time has passed
  BOOST_REQUIRE(next->value->pages.size() == 1U);
  BOOST_TEST(next->value->pages.front().shard == core::shard_of(step, 4));
  BOOST_TEST(next->value->pages.front().events.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_question_waits_as_long_as_it_said) {
  start_node();
  subscribe();
  take_all();
  const auto next = ask_next(10s);
  advance(9s);
  BOOST_TEST(!next->arrived());
  advance(1s + 1ms);
  BOOST_REQUIRE(next->value);
  BOOST_TEST(next->value->pages.empty());
}

BOOST_AUTO_TEST_CASE(of_two_questions_the_newer_counts) {
  start_node();
  subscribe();
  take_all();
  const auto older = ask_next(10s);
  const auto newer = ask_next(20s);
  BOOST_REQUIRE(older->value);
  BOOST_TEST(older->value->pages.empty());
  advance(15s);
  BOOST_TEST(!newer->arrived());
  create();
  BOOST_REQUIRE(newer->value);
  BOOST_TEST(newer->value->pages.size() == 1U);
}

// The end of a node is nothing that a subscriber sees.
BOOST_AUTO_TEST_CASE(nodes_may_die_and_come_back) {
  start_node();
  subscribe();
  auto step = create();
  for (std::size_t life = 0; life < 4; ++life) {
    feed(step, 2, 10 * life);
    if (life % 2 == 0)
      take_all();
    step = create();
    restart_node();
    advance(2s);
  }
  take_all();
  everything_was_got_once();
}

// A program stores how far it has come; its next life misses nothing and gets nothing twice.
BOOST_AUTO_TEST_CASE(a_subscriber_may_die_and_go_on_from_its_positions) {
  start_node();
  const auto step = create();
  for (std::size_t life = 0; life < 5; ++life) {
    peers::subscription_settings what;
    what.positions = positions;
    what.page_events = 2;
    subscribe(what);
    create();
    feed(step, 5, 10 * life);
    take(); // and dies with pages on their way
    advance(100ms);
  }
  peers::subscription_settings what;
  what.positions = positions;
  subscribe(what);
  take_all();
  everything_was_got_once();
}

BOOST_AUTO_TEST_CASE(subscriber_who_takes_nothing_costs_no_reads) {
  start_node();
  subscribe();
  take_all();
  const auto step = create();
  feed(step, 1, 1);
  advance(1s);
  std::size_t messages = 0;
  after_each = [&] { ++messages; };
  advance(1s);
  const auto idle = std::exchange(messages, 0);
  for (std::size_t i = 2; i < 12; ++i)
    feed(step, 1, i);
  after_each = nullptr;
  BOOST_TEST(messages > idle);
  // One page is held; the rest is read when it is taken.
  const auto next = ask_next();
  BOOST_REQUIRE(next->value);
  BOOST_REQUIRE(next->value->pages.size() == 1U);
  BOOST_TEST(next->value->pages.front().events.size() < 13U);
  const auto& first = next->value->pages.front();
  positions[first.shard] = first.position;
  for (const auto& e : first.events)
    got[first.shard].emplace_back(e.seq, e.event);
  take_all();
  everything_was_got_once();
}

BOOST_AUTO_TEST_CASE(a_subscriber_may_begin_with_what_comes_next) {
  start_node();
  const auto step = create();
  feed(step, 3);
  peers::subscription_settings what;
  what.only_new = true;
  subscribe(what);
  take_all();
  BOOST_TEST(got.empty());
  const auto before = positions.at(core::shard_of(step, 4));
  BOOST_TEST(before == 4U);
  feed(step, 2, 5);
  take_all();
  BOOST_TEST(got[core::shard_of(step, 4)].size() == 2U);
}

BOOST_AUTO_TEST_CASE(filtered_events_move_the_position) {
  start_node();
  const auto step = create();
  peers::subscription_settings what;
  what.shards = {core::shard_of(step, 4)};
  what.types = {"UnitFinalized"};
  subscribe(what);
  take_all();
  feed(step, 3);
  advance(5s); // the node says so when it has waited
  take_all();
  BOOST_TEST(got.empty());
  BOOST_TEST(positions.size() == 1U);
  BOOST_TEST(positions.begin()->second == 4U);
  work(step, "ana");
  work(step, "bob");
  advance(5s);
  take_all();
  BOOST_TEST(got.begin()->second.size() == 1U);
}

BOOST_AUTO_TEST_CASE(positions_that_are_not_kept_end_the_subscription) {
  node->settings.events_retention = 1h;
  node->settings.events_prune_interval = 1min;
  start_node();
  const auto step = create();
  feed(step, 3);
  advance(2h);
  feed(step, 1, 3);
  advance(5min);
  peers::subscription_settings what;
  what.positions = {{core::shard_of(step, 4), 1}};
  subscribe(what);
  for (int i = 0; i < 2; ++i)
    BOOST_TEST(ask_next(10s)->code() == core::errc::events_gone);
  subscribe(); // with the oldest that are kept
  take_all();
  everything_was_got_once();
}

BOOST_AUTO_TEST_CASE(settings_that_make_no_sense_end_the_subscription) {
  start_node();
  peers::subscription_settings what;
  what.positions = {{77, 1}};
  subscribe(what);
  const auto unknown = ask_next();
  BOOST_TEST(unknown->code() == core::errc::invalid_argument);
  BOOST_TEST(unknown->error->detail.find("shard 77") != std::string::npos);
  what = {};
  what.types = {"Nothing"};
  subscribe(what);
  const auto no_such_type = ask_next(1s);
  BOOST_TEST(no_such_type->code() == core::errc::invalid_argument);
}

BOOST_AUTO_TEST_CASE(the_end_of_the_connection_is_the_end_of_the_subscription) {
  start_node();
  subscribe();
  take_all();
  const auto next = ask_next(60s);
  caf::anon_send_exit(courier, caf::exit_reason::user_shutdown);
  settle();
  BOOST_TEST(next->code() == core::errc::unavailable);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
