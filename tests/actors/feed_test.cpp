// Subscribers outside: what they read is the outbox, from any node, whoever hosts it now.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// Events of a shard as they are published: number and JSON.
using told_events = std::vector<std::pair<core::event_seq, std::string>>;

told_events outbox_of(const persistence::memory_database& database, core::shard_id shard,
                      core::event_seq after = 0) {
  told_events events;
  const auto rows = database.tables().outbox.find(shard);
  if (rows == database.tables().outbox.end())
    return events;
  for (const auto& row : rows->second)
    for (std::size_t i = 0; i < row.events.size(); ++i)
      if (row.first_seq + i > after)
        events.emplace_back(row.first_seq + i, core::to_json(row.events[i]));
  return events;
}

told_events events_of(const msg::event_page& page) {
  told_events events;
  for (const auto& e : page.events)
    events.emplace_back(e.seq, e.event);
  return events;
}

struct read_node : node_fixture {
  read_node() { prepare(); }

  void start_with_units(std::size_t units) {
    start();
    step = create();
    shard = core::shard_of(step, node->settings.shards);
    feed(step, units);
  }
  msg::read_events behind(core::event_seq position, core::duration wait = 0s) {
    msg::read_events request;
    request.shard = shard;
    request.after = position;
    request.wait = wait;
    return request;
  }
  msg::event_page read(const msg::read_events& request) {
    const auto page = call(request);
    BOOST_REQUIRE_MESSAGE(page.value, page.code());
    return *page.value;
  }
  core::event_seq newest() const { return database->tables().shards[shard].event_seq; }

  core::step_id step;
  core::shard_id shard = 0;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(event_feeds, read_node)

// A174, A175
BOOST_AUTO_TEST_CASE(feed_reads_the_outbox) {
  start_with_units(5);
  work(step, "ana");
  work(step, "bob");
  const auto page = read(behind(0));
  BOOST_TEST((events_of(page) == outbox_of(*database, shard)));
  BOOST_TEST(page.position == newest());
  BOOST_TEST(page.newest == newest());
  BOOST_TEST(page.shard == shard);
  // The same again, and the rest of it.
  BOOST_TEST((events_of(read(behind(0))) == outbox_of(*database, shard)));
  BOOST_TEST((events_of(read(behind(4))) == outbox_of(*database, shard, 4)));
}

BOOST_AUTO_TEST_CASE(pages_follow_each_other_without_gap) {
  node->settings.events_batch_max = 3;
  start_with_units(10);
  told_events all;
  auto request = behind(0);
  request.limit = 2;
  do {
    const auto page = read(request);
    BOOST_TEST(page.events.size() <= 2U);
    request.after = page.position;
    const auto part = events_of(page);
    all.insert(all.end(), part.begin(), part.end());
  } while (request.after < newest());
  BOOST_TEST((all == outbox_of(*database, shard)));
}

BOOST_AUTO_TEST_CASE(a_read_that_waits_is_answered_with_the_commit) {
  start_with_units(1);
  const auto position = newest();
  const auto waiting = send_to_node(behind(position, 60s));
  const auto looking_elsewhere = send_to_node(behind(position, 60s));
  advance(10s);
  BOOST_TEST(!waiting->arrived());
  seal(step);
  BOOST_REQUIRE(waiting->value); // no time has passed
  BOOST_REQUIRE(looking_elsewhere->value);
  BOOST_TEST((events_of(*waiting->value) == outbox_of(*database, shard, position)));
  BOOST_TEST((events_of(*looking_elsewhere->value) == outbox_of(*database, shard, position)));
}

BOOST_AUTO_TEST_CASE(a_read_waits_as_long_as_it_said) {
  start_with_units(1);
  const auto waiting = send_to_node(behind(newest(), 20s));
  advance(19s + 999ms);
  BOOST_TEST(!waiting->arrived());
  advance(20ms);
  BOOST_REQUIRE(waiting->value);
  BOOST_TEST(waiting->value->events.empty());
  BOOST_TEST(waiting->value->position == newest());
}

BOOST_AUTO_TEST_CASE(reading_begins_where_it_is_told_to) {
  start_with_units(2);
  auto request = behind(0);
  request.from = 3;
  BOOST_TEST(read(request).position == newest());
  BOOST_TEST(read(request).events.empty());
  request.from = 2;
  BOOST_TEST((events_of(read(request)) == outbox_of(*database, shard)));
}

BOOST_AUTO_TEST_CASE(a_subscriber_may_want_some_events_only) {
  start_with_units(2);
  work(step, "ana");
  auto request = behind(0, 60s);
  request.types = {"JudgmentReceived"};
  auto page = read(request);
  BOOST_TEST(page.events.size() == 1U);
  BOOST_TEST(page.position == newest());
  request.types.clear();
  request.step = fresh<core::step_id>();
  const auto waiting = send_to_node(request);
  work(step, "ana");
  BOOST_TEST(!waiting->arrived());
  advance(61s);
  BOOST_REQUIRE(waiting->value);
  BOOST_TEST(waiting->value->events.empty());
  BOOST_TEST(waiting->value->position == newest());
}

BOOST_AUTO_TEST_CASE(a_shard_that_was_not_read_for_long_is_read_anew) {
  start_with_units(1);
  const auto before = read(behind(0)).position;
  advance(10min);
  feed(step, 1, 5);
  BOOST_TEST((events_of(read(behind(before))) == outbox_of(*database, shard, before)));
  const auto waiting = send_to_node(behind(newest(), 60s));
  advance(59s);
  feed(step, 1, 6);
  BOOST_REQUIRE(waiting->value);
  BOOST_TEST(waiting->value->events.size() == 1U);
}

// A170: what is pruned is named, and what is kept can be read.
BOOST_AUTO_TEST_CASE(a_position_that_is_too_old_is_told_what_is_left) {
  node->settings.events_retention = 1h;
  node->settings.events_prune_interval = 1min;
  start_with_units(3);
  advance(2h);
  feed(step, 1, 3);
  advance(5min);
  const auto kept = outbox_of(*database, shard);
  BOOST_REQUIRE(!kept.empty());
  BOOST_REQUIRE(kept.front().first > 1U);
  const auto refused = call(behind(0));
  BOOST_TEST(refused.code() == core::errc::events_gone);
  BOOST_TEST(
      refused.error->detail.find("the first that is there is " + std::to_string(kept.front().first))
      != std::string::npos);
  BOOST_TEST((events_of(read(behind(kept.front().first - 1))) == kept));
  auto oldest = behind(0);
  oldest.from = 2;
  BOOST_TEST((events_of(read(oldest)) == kept));
}

BOOST_AUTO_TEST_CASE(positions_outlive_a_restart) {
  start_with_units(2);
  const auto position = read(behind(0)).position;
  work(step, "ana");
  restart();
  BOOST_TEST((events_of(read(behind(position))) == outbox_of(*database, shard, position)));
}

// finding Q4
BOOST_AUTO_TEST_CASE(event_that_cannot_be_read_is_told_in_its_place_to_every_reader) {
  start_with_units(2);
  work(step, "ana");
  const auto all = outbox_of(*database, shard);
  BOOST_REQUIRE(database->tables().outbox.at(shard).size() > 1U);
  const auto& row = database->tables().outbox.at(shard)[1];
  const auto first = row.first_seq;
  const auto last = first + row.events.size() - 1;
  database->set_damaged_events([=](const core::message_id& id) {
    return id == core::message_id{shard, first};
  });
  auto told = events_of(read(behind(0)));
  BOOST_REQUIRE_EQUAL(told.size(), all.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    BOOST_TEST(told[i].first == all[i].first);
    if (told[i].first < first || told[i].first > last)
      BOOST_TEST(told[i].second == all[i].second);
    else
      BOOST_TEST(told[i].second.find(R"({"type":"EventUnreadable")") == 0U);
  }
  // Also to those who want other events: it may be one of theirs.
  auto of_type = behind(0);
  of_type.types = {"UnitWithdrawn"};
  BOOST_TEST(read(of_type).events.size() == last - first + 1);
  BOOST_TEST(count_logged("events_unreadable") == 1U);
}

BOOST_AUTO_TEST_CASE(a_crash_of_the_feed_or_of_the_relay_loses_no_event) {
  start_with_units(2);
  auto position = read(behind(0)).position;
  for (const auto* name : {"feed", "relay"}) {
    crash(the_actor(name));
    advance(1s);
    work(step, name);
    BOOST_TEST((events_of(read(behind(position))) == outbox_of(*database, shard, position)), name);
    position = newest();
    const auto waiting = send_to_node(behind(position, 60s));
    advance(1s);
    feed(step, 1, position);
    BOOST_REQUIRE(waiting->value);
    BOOST_TEST((events_of(*waiting->value) == outbox_of(*database, shard, position)));
    position = newest();
  }
}

BOOST_AUTO_TEST_CASE(while_the_database_is_away_only_what_is_in_memory_can_be_read) {
  node->settings.lease_time = 24h; // the node stays
  start_with_units(1);
  const auto position = read(behind(0)).position;
  work(step, "ana");
  database->set_reachable(false);
  BOOST_TEST((events_of(read(behind(position))) == outbox_of(*database, shard, position)));
  BOOST_TEST(call(behind(0)).code() == core::errc::unavailable);
  database->set_reachable(true);
  BOOST_TEST((events_of(read(behind(0))) == outbox_of(*database, shard)));
}

BOOST_AUTO_TEST_CASE(reads_that_wait_are_bounded) {
  node->settings.events_reads_max = 2;
  start_with_units(1);
  const auto first = send_to_node(behind(newest(), 10s));
  const auto second = send_to_node(behind(newest(), 20s));
  settle();
  BOOST_TEST(call(behind(0)).code() == core::errc::overloaded);
  advance(11s);
  BOOST_TEST(first->arrived());
  BOOST_TEST(read(behind(0)).position == newest());
  BOOST_TEST(!second->arrived());
}

BOOST_AUTO_TEST_CASE(bad_requests_are_told_what_is_wrong_with_them) {
  start_with_units(1);
  const auto refusal = [&](auto change) {
    auto request = behind(0);
    change(request);
    const auto refused = call(request);
    BOOST_TEST(refused.code() == core::errc::invalid_argument);
    return refused.error ? refused.error->detail : "";
  };
  const auto shards = node->settings.shards;
  BOOST_TEST(refusal([&](auto& m) { m.shard = shards; })
             == "shard must be below " + std::to_string(shards));
  BOOST_TEST(refusal([](auto& m) { m.from = 0; })
             == "from must be 1 (after), 2 (oldest) or 3 (newest)");
  refusal([](auto& m) { m.from = 4; });
  BOOST_TEST(refusal([](auto& m) { m.limit = 0; }) == "limit must be between 1 and 1000");
  refusal([](auto& m) { m.limit = 1001; });
  BOOST_TEST(refusal([](auto& m) { m.wait = 61s; }) == "wait must be between 0 and 60 seconds");
  refusal([](auto& m) { m.wait = -1us; });
  BOOST_TEST(refusal([](auto& m) { m.types = {"UnitFinalised"}; })
             == "types: there are no events of the type UnitFinalised");
  refusal([](auto& m) { m.types.assign(101, "UnitFinalized"); });
  BOOST_TEST(refusal([](auto& m) { m.after = 1000; }).find("ahead of the newest event")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_node_that_is_stopped_keeps_nobody_waiting) {
  start_with_units(1);
  const auto waiting = send_to_node(behind(newest(), 60s));
  settle();
  caf::anon_send(node->root, actors::drain{});
  advance(1s);
  BOOST_TEST(waiting->arrived());
  BOOST_TEST(waiting->code() == core::errc::unavailable);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

struct two_nodes : virtual_world {
  ~two_nodes() {
    me.disconnect();
    nodes.clear();
  }
  virtual_node& start(const std::string& name) {
    nodes.push_back(std::make_unique<virtual_node>(*this, name, 1000 * (nodes.size() + 1)));
    nodes.back()->settings.shards = 8;
    nodes.back()->start();
    advance(4s);
    BOOST_REQUIRE(nodes.back()->gateway);
    return *nodes.back();
  }
  virtual_node& host_of(core::shard_id shard) {
    const auto& tables = database->tables();
    const auto name = tables.nodes.at(tables.shards[shard].host).name;
    for (const auto& node : nodes)
      if (node->settings.name == name)
        return *node;
    throw std::logic_error("nobody hosts it");
  }

  std::vector<std::unique_ptr<virtual_node>> nodes;
  client me{*this};
  core::uuid_source ids{99};
};

} // namespace

// A175: any node will do, and a subscriber need not know who hosts what.
BOOST_FIXTURE_TEST_CASE(reads_go_on_at_the_next_host_of_the_shard, two_nodes) {
  start("a");
  start("b");
  const auto created =
      me.send(nodes[0]->gateway, msg::create_workflow{{ids.next(now())}, one_step});
  advance(100ms);
  BOOST_REQUIRE(created->value);
  const auto step = created->value->steps.front().step;
  const auto shard = core::shard_of(step, 8);
  auto& host = host_of(shard);
  auto& other = &host == nodes[0].get() ? *nodes[1] : *nodes[0];

  msg::read_events request;
  request.shard = shard;
  request.wait = 30s;
  const auto first = me.send(other.gateway, request);
  advance(100ms);
  BOOST_REQUIRE(first->value);
  BOOST_TEST((events_of(*first->value) == outbox_of(*database, shard)));

  request.after = first->value->position;
  const auto waiting = me.send(other.gateway, request);
  advance(1s);
  BOOST_TEST(!waiting->arrived());
  host.kill();
  advance(5s);
  BOOST_TEST((&host_of(shard) == &other));
  BOOST_TEST(!waiting->arrived());
  const auto sealed = me.send(other.gateway, msg::seal_step{step});
  advance(100ms);
  BOOST_REQUIRE(sealed->value);
  BOOST_REQUIRE(waiting->value);
  BOOST_TEST((events_of(*waiting->value) == outbox_of(*database, shard, request.after)));
}

} // namespace holdfast::test
