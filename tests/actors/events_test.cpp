// The outbox and what consumers make of it: every event once in the table, every effect once.

#include "actors/consumer.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct prepared_node : node_fixture {
  prepared_node() { prepare(); }

  void start_with_units(std::size_t units) {
    start();
    step = create();
    feed(step, units);
  }
  void judge_everything() {
    for (const auto* who : {"ana", "bob"})
      for (;;) {
        const auto lease = assign(step, who);
        if (!lease.value)
          break;
        BOOST_REQUIRE(submit(*lease.value, who).value);
      }
  }
  core::event_seq newest(core::shard_id shard) const {
    return database->tables().shards[shard].event_seq;
  }
  /// Every consumer has a cursor at the newest event of every shard that has any.
  bool all_consumed() const {
    for (const auto& spec : actors::node_consumers())
      for (core::shard_id shard = 0; shard < database->tables().shards.size(); ++shard) {
        const auto cursor = database->tables().cursors.find({spec.name, shard});
        const auto seq = cursor == database->tables().cursors.end() ? 0 : cursor->second;
        if (seq != newest(shard))
          return false;
      }
    return true;
  }
  /// What consumers have noted of messages.
  std::size_t noted() const {
    std::size_t messages = 0;
    for (const auto& [consumer, of_it] : database->tables().inbox)
      messages += of_it.size();
    return messages;
  }
  void everything_is_finished(std::size_t units) {
    const auto counts = statistics(step);
    BOOST_TEST(counts.finalized == units);
    BOOST_TEST(counts.step.completed_units == units); // I-6
    BOOST_TEST(events(core::event_type::judgment_received).size() == 2 * units);
    BOOST_TEST(events(core::event_type::unit_finalized).size() == units);
    BOOST_TEST(events(core::event_type::unit_ready_for_assignment).size() == units);
    BOOST_TEST(broken_invariants(*database) == "");
  }

  core::step_id step;
};

bool is_applied_by(const core::change& change, const std::string& consumer) {
  for (const auto& write : change.writes)
    if (const auto* inbox = std::get_if<core::insert_inbox>(&write))
      if (inbox->consumer == consumer)
        return true;
  return false;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(events_and_consumers, prepared_node)

// A166-A171, A181-A184, I-4, I-5
BOOST_AUTO_TEST_CASE(every_event_is_in_the_outbox_once_and_in_gapless_order) {
  start_with_units(5);
  judge_everything();
  seal(step);
  advance(2s);
  everything_is_finished(5);
  const auto updates = events(core::event_type::job_step_updated);
  BOOST_REQUIRE(updates.size() == 2u); // created; sealed, which completed it
  BOOST_TEST(updates.back().details.find(R"("status":"Completed")") != std::string::npos);
  for (const auto& [shard, rows] : database->tables().outbox) {
    core::event_seq next = 1;
    for (const auto& row : rows) {
      BOOST_TEST(row.first_seq == next);
      next += row.events.size();
    }
    BOOST_TEST(newest(shard) == next - 1);
  }
  BOOST_TEST(all_consumed());
}

// A157, I-8: a consumer's effect is refused and its step ends; the delivery comes again and counts
// once.
BOOST_AUTO_TEST_CASE(an_effect_that_failed_is_applied_once_when_its_events_come_again) {
  start_with_units(2);
  for (const auto* consumer : {actors::aggregation_consumer, actors::completion_consumer}) {
    int refusals = 2;
    database->set_refusals([&, consumer](const core::change& c) {
      return is_applied_by(c, consumer) && refusals-- > 0;
    });
    work(step, "ana");
    work(step, "bob");
    advance(60s);
    BOOST_TEST(refusals < 0);
    database->set_refusals(nullptr);
  }
  everything_is_finished(2);
  BOOST_TEST(all_consumed());
}

// A157, A182: what was not committed is not acknowledged
BOOST_AUTO_TEST_CASE(consumers_that_crash_with_a_delivery_under_way_apply_it_once) {
  start_with_units(4);
  const auto one = assigned(step, "ana");
  const auto two = assigned(step, "bob");
  BOOST_REQUIRE((one.unit == two.unit));
  BOOST_REQUIRE(submit(one, "ana").value);
  // The last judgment is in; its effect waits for the database when its consumers end.
  database->set_commit_faults([](const persistence::write_batch& batch) {
    for (const auto& part : batch.shards)
      for (const auto& c : part.changes)
        if (is_applied_by(c, actors::aggregation_consumer)
            || is_applied_by(c, actors::completion_consumer))
          return persistence::commit_fault::unavailable;
    return persistence::commit_fault::none;
  });
  const auto answered = send_to_node(judgment(two, "bob"));
  settle();
  BOOST_REQUIRE(answered->value);
  for (const auto& consumer : actors_named("consumer"))
    crash(consumer);
  advance(2s);
  database->set_commit_faults(nullptr);
  advance(60s);
  judge_everything();
  advance(60s);
  everything_is_finished(4);
  BOOST_TEST(!node->ended());
  BOOST_TEST(all_consumed());
}

// More events at once than may stay in memory, in deliveries of two: the rest comes from the table.
BOOST_AUTO_TEST_CASE(events_beyond_the_memory_are_delivered_from_the_table) {
  node->settings.events_high_water = 1;
  node->settings.events_batch_max = 2;
  start_with_units(12);
  std::vector<msg::assignment> leases;
  for (int i = 0; i < 24; ++i)
    leases.push_back(assigned(step, "w" + std::to_string(i)));
  database->set_reachable(false);
  for (std::size_t i = 0; i < leases.size(); ++i)
    send_to_node(judgment(leases[i], "w" + std::to_string(i)));
  advance(1s);
  database->set_reachable(true);
  advance(10s);
  everything_is_finished(12);
  BOOST_TEST(all_consumed());
  BOOST_TEST(status().refused == 0u);
}

// A169
BOOST_AUTO_TEST_CASE(committed_event_is_delivered_after_a_restart) {
  start_with_units(3);
  for (const auto* who : {"ana", "bob"}) {
    for (int i = 0; i < 3; ++i) {
      const auto lease = assigned(step, who);
      const auto answered = send_to_node(judgment(lease, who));
      while (!answered->arrived() && virtual_world::step()) {
      }
      restart(); // the events of this judgment have gone nowhere
      BOOST_REQUIRE(answered->value);
    }
  }
  advance(5s);
  everything_is_finished(3);
  BOOST_TEST(all_consumed());
}

BOOST_AUTO_TEST_CASE(cursors_are_written_lazily_and_an_idle_node_writes_none) {
  start_with_units(1);
  advance(3s);
  BOOST_TEST(all_consumed());
  const auto commits = status().commits;
  advance(1h);
  BOOST_TEST(status().commits == commits);
}

// While the database is away every reader of it retries with one timer each.
BOOST_AUTO_TEST_CASE(an_outage_at_start_does_not_multiply_retries) {
  node->settings.shards = 16;
  start_with_units(2);
  crash(the_actor("relay"));
  database->set_reachable(false);
  std::size_t messages = 0;
  after_each = [&] { ++messages; };
  advance(120s);
  after_each = nullptr;
  BOOST_TEST(messages < 20'000u); // 3 consumers, 16 shards, a try every few seconds
  database->set_reachable(true);
  advance(20s);
  judge_everything();
  advance(2s);
  everything_is_finished(2);
}

// A170
BOOST_AUTO_TEST_CASE(old_events_are_forgotten_when_everybody_is_done_with_them) {
  node->settings.events_retention = 1h;
  node->settings.events_prune_interval = 1min;
  start_with_units(3);
  judge_everything();
  advance(59min);
  BOOST_TEST(all_consumed());
  everything_is_finished(3); // they are all still there
  const auto rows = [&] {
    return database->tables().outbox.at(core::shard_of(step, node->settings.shards)).size();
  };
  const auto before = rows();
  BOOST_TEST(before > 0U);
  advance(5min);
  BOOST_TEST(rows() == 0U); // although nothing has happened since
  BOOST_TEST(noted() == 0U);
  feed(step, 1, 3);
  advance(2min);
  BOOST_TEST(rows() == 1U); // of the new unit
  // What is left is enough to go on, also after a restart.
  restart();
  judge_everything();
  advance(5s);
  BOOST_TEST(statistics(step).step.completed_units == 4U);
}

// A170, A181: each step that units go on to notes what it has made of them
BOOST_AUTO_TEST_CASE(notes_of_the_next_steps_go_with_the_events) {
  node->settings.events_retention = 1h;
  node->settings.events_prune_interval = 1min;
  start();
  const auto steps = create_steps(
      workflow_json("two", {step_json("first", 2, {"second"}), step_json("second", 2, {})}));
  step = steps[0];
  feed(step, 3);
  judge_everything();
  advance(5s);
  const auto passed_on = [&] {
    const auto found = database->tables().inbox.find("routing/" + to_string(steps[1]));
    return found == database->tables().inbox.end() ? 0 : found->second.size();
  };
  BOOST_TEST(passed_on() == 3U);
  advance(62min);
  BOOST_TEST(passed_on() == 0U);
  feed(step, 1, 3);
  judge_everything();
  advance(2min);
  BOOST_TEST(passed_on() == 1U);
  step = steps[1];
  judge_everything();
  advance(5s);
  BOOST_TEST(statistics(steps[1]).step.completed_units == 4U);
}

// A170: who hosted a shard may be gone before its events are old
BOOST_AUTO_TEST_CASE(events_of_an_idle_step_are_forgotten_after_a_restart) {
  node->settings.events_retention = 1h;
  node->settings.events_prune_interval = 1min;
  start_with_units(3);
  judge_everything();
  advance(30min);
  everything_is_finished(3);
  prepare();
  node->settings.events_retention = 1h;
  node->settings.events_prune_interval = 1min;
  start();
  advance(65min); // it knows of them from its start on
  for (const auto& [shard, outbox] : database->tables().outbox)
    BOOST_TEST(outbox.empty());
}

BOOST_AUTO_TEST_CASE(pruning_waits_for_a_database_that_is_away) {
  node->settings.events_retention = 1min;
  node->settings.events_prune_interval = 10s;
  node->settings.lease_time = 24h; // the node stays
  start_with_units(3);
  judge_everything();
  advance(9s);
  database->set_reachable(false);
  advance(5min);
  database->set_reachable(true);
  advance(1min);
  for (const auto& [shard, outbox] : database->tables().outbox)
    BOOST_TEST(outbox.empty());
}

// finding Q4: nothing behind it waits, and nobody takes it for absent
BOOST_AUTO_TEST_CASE(event_that_cannot_be_read_is_logged_passed_and_delivered_once_it_is_mended) {
  start_with_units(2);
  for (int i = 0; i < 2; ++i)
    BOOST_REQUIRE(submit(assigned(step, "ana"), "ana").value);
  advance(3s);
  const auto shard = core::shard_of(step, node->settings.shards);
  core::event_seq lost = 0;
  for (int i = 0; i < 2; ++i) {
    const auto lease = assigned(step, "bob");
    const auto answered = send_to_node(judgment(lease, "bob"));
    while (!answered->arrived() && virtual_world::step()) {
    }
    if (i == 0) {
      lost = database->tables().outbox.at(shard).back().first_seq;
      database->set_damaged_events([=](const core::message_id& id) {
        return id == core::message_id{shard, lost};
      });
    }
    restart(); // the events of this judgment have gone nowhere
    BOOST_REQUIRE(answered->value);
  }
  advance(10s);
  BOOST_TEST(events(core::event_type::unit_finalized).size() >= 1U); // of the one behind it
  const auto consumers = actors::node_consumers();
  BOOST_TEST(count_logged("events_unreadable") == consumers.size()); // once by each
  for (const auto& spec : consumers)
    BOOST_TEST(database->tables().cursors.at({spec.name, shard}) == lost - 1, spec.name);
  database->set_damaged_events(nullptr);
  restart();
  advance(10s);
  everything_is_finished(2);
  BOOST_TEST(all_consumed());
}

// finding Q4
BOOST_AUTO_TEST_CASE(old_event_that_cannot_be_deleted_is_logged_once_and_keeps_no_other) {
  node->settings.events_retention = 1h;
  node->settings.events_prune_interval = 1min;
  start_with_units(3);
  judge_everything();
  advance(30min);
  BOOST_TEST(all_consumed());
  const auto shard = core::shard_of(step, node->settings.shards);
  const auto& rows = database->tables().outbox.at(shard);
  BOOST_REQUIRE(rows.size() > 1U);
  const core::message_id lost{shard, rows[1].first_seq};
  database->set_damaged_events([=](const core::message_id& id) { return id == lost; });
  for (int i = 0; i < 2; ++i) {
    feed(step, 1, 3 + i);
    judge_everything();
    advance(2h);
  }
  BOOST_REQUIRE_EQUAL(rows.size(), 1U);
  BOOST_TEST(rows[0].first_seq == lost.seq);
  BOOST_TEST(count_logged("old_events_unreadable") == 1U);
  BOOST_TEST(!logged("pruning_failed"));
  database->set_damaged_events(nullptr);
  feed(step, 1, 5);
  advance(2h);
  BOOST_TEST(rows.empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
