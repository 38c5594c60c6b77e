// Memory now, disk next, outside world last: what a node says stands in the database.

#include "actors/internal_messages.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <caf/send.hpp>

#include <map>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

using persistence::commit_fault;

struct durable_node : node_fixture {
  durable_node() {
    start();
    step = create();
    feed(step, 8);
  }
  core::step_id step;
};

bool inserts_judgment_of(const core::change& change, const std::string& who) {
  for (const auto& write : change.writes)
    if (const auto* judgment = std::get_if<core::insert_judgment>(&write))
      if (judgment->owner == who)
        return true;
  return false;
}

/// Counts the answers that are there, by success.
template <class Answers>
std::size_t successes(const Answers& answers) {
  std::size_t count = 0;
  for (const auto& a : answers)
    count += a->value ? 1 : 0;
  return count;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(durability, durable_node)

// I-12, A162
BOOST_AUTO_TEST_CASE(
    nothing_is_answered_while_the_database_is_away_and_everything_once_it_is_back) {
  const auto ana = assigned(step, "ana");
  const auto bob = assigned(step, "bob");
  const auto eve = assigned(step, "eve");
  advance(1s);
  database->set_reachable(false);
  const auto asked = send_to_node(msg::ask_assignment{step, "kim", fresh<core::assignment_id>()});
  const auto submitted = send_to_node(judgment(ana, "ana"));
  const auto released =
      send_to_node(msg::release_assignment{step, bob.unit, "bob", bob.token, false});
  const auto extended = send_to_node(msg::extend_assignment{step, eve.unit, "eve", eve.token});
  const auto sealed = send_to_node(msg::seal_step{step});
  advance(20s);
  BOOST_TEST(!asked->arrived());
  BOOST_TEST(!submitted->arrived());
  BOOST_TEST(!released->arrived());
  BOOST_TEST(!extended->arrived());
  BOOST_TEST(!sealed->arrived());
  database->set_reachable(true);
  advance(3s);
  BOOST_TEST(asked->value.has_value());
  BOOST_TEST(submitted->value.has_value());
  BOOST_TEST(released->value.has_value());
  BOOST_TEST(extended->value.has_value());
  BOOST_TEST(sealed->value.has_value());
  BOOST_TEST(events(core::event_type::judgment_received).size() == 1u);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(a_refusal_that_stands_on_an_uncommitted_decision_waits_for_it) {
  const auto ana = assigned(step, "ana");
  database->set_reachable(false);
  const auto first = send_to_node(judgment(ana, "ana"));
  const auto second = send_to_node(judgment(ana, "ana")); // another id: a second judgment
  advance(2s);
  BOOST_TEST(!second->arrived());
  database->set_reachable(true);
  advance(3s);
  BOOST_TEST(first->value.has_value());
  BOOST_TEST(second->code() == core::errc::already_judged);
}

// I-12: what is on its way into the database is known, though no look finds it there.
BOOST_AUTO_TEST_CASE(source_data_behind_an_uncommitted_request_is_added_once) {
  const auto add = [&](const std::vector<std::string>& keys) {
    msg::add_source_data request{step, {}};
    for (const auto& key : keys)
      request.rows.push_back({key, "{}", 0});
    auto answer = send_to_node(std::move(request));
    settle();
    return answer;
  };
  const auto units = statistics(step).step.total_units;
  bool away = true;
  database->set_commit_faults([&](const persistence::write_batch&) {
    return away ? commit_fault::unavailable : commit_fault::none;
  });
  const auto first = add({"a", "b"});
  const auto second = add({"b", "c"});
  const auto third = add({"a"});
  std::vector<decltype(add({}))> others;
  for (int i = 0; i < 20; ++i) // more than may be on their way at once
    others.push_back(add({"other-" + std::to_string(i % 15)}));
  BOOST_TEST((!first->arrived() && !second->arrived() && !third->arrived()));
  away = false;
  advance(3s);
  const auto is = [](const auto& answer, std::uint32_t added, std::uint32_t there) {
    return answer->value && answer->value->added == added && answer->value->already_there == there;
  };
  BOOST_TEST(is(first, 2, 0));
  BOOST_TEST(is(second, 1, 1));
  BOOST_TEST(is(third, 0, 1));
  for (std::uint32_t i = 0; i < others.size(); ++i)
    BOOST_TEST(is(others[i], i < 15 ? 1 : 0, i < 15 ? 0 : 1));
  BOOST_TEST(statistics(step).step.total_units == units + 18);
  BOOST_TEST(broken_invariants(*database) == "");
  // Once it is there, the look finds it.
  BOOST_TEST(is(add({"a", "d"}), 1, 1));
}

// I-12: whichever way the lost COMMIT went, the answer tells the truth and nothing is doubled.
BOOST_AUTO_TEST_CASE(a_commit_of_unknown_outcome_is_resolved_before_anybody_is_answered) {
  for (const auto fault : {commit_fault::in_doubt_applied, commit_fault::in_doubt_lost}) {
    const auto lease = assigned(step, "ana");
    int doubts = 3;
    database->set_commit_faults(
        [&](const persistence::write_batch&) { return doubts-- > 0 ? fault : commit_fault::none; });
    const auto submitted = send_to_node(judgment(lease, "ana"));
    settle();
    BOOST_TEST(!submitted->arrived());
    advance(10s);
    BOOST_REQUIRE(submitted->value);
    BOOST_TEST(!submitted->value->repeated);
    BOOST_TEST(unit(step, lease.unit).judgment_count == 1u);
    database->set_commit_faults(nullptr);
  }
  const auto guards = call(msg::get_guard_status{});
  BOOST_REQUIRE(guards.value);
  BOOST_TEST(guards.value->in_doubt == 2u);
  BOOST_TEST(guards.value->found_committed == 1u);
  BOOST_TEST(guards.value->found_not_committed == 1u);
  BOOST_TEST(guards.value->never_found == 0u);
  BOOST_TEST(events(core::event_type::judgment_received).size() == 2u);
  BOOST_TEST(broken_invariants(*database) == "");
}

// Found by the simulator with seed 1496: what must wait for the next commit was overtaken by what
// the same actor had said later about another shard.
BOOST_AUTO_TEST_CASE(an_actor_with_changes_in_several_shards_hears_of_them_in_their_order) {
  const auto shards = node->settings.shards;
  BOOST_REQUIRE(shards > 1U);
  const auto somebody_of = [&](bool shard_of_step) {
    for (int number = 0;; ++number) {
      const auto name = "p" + std::to_string(number);
      if ((core::shard_of(name, shards) == core::shard_of(step, shards)) == shard_of_step)
        return name;
    }
  };
  const auto put = [&](const std::string& who) {
    msg::put_profile profile;
    profile.contributor = who;
    return send_to_node(profile);
  };
  const auto lease = assigned(step, "ana");
  database->set_reachable(false);
  const auto first = send_to_node(msg::ask_assignment{step, "kim", fresh<core::assignment_id>()});
  settle(); // its commit is tried again and again
  // Two changes of one row are never in one commit, so the second keeps its shard waiting.
  const auto paused = send_to_node(
      msg::change_unit{step, lease.unit, static_cast<std::uint8_t>(core::unit_verb::pause)});
  settle();
  const auto resumed = send_to_node(
      msg::change_unit{step, lease.unit, static_cast<std::uint8_t>(core::unit_verb::resume)});
  settle();
  const auto waiting = put(somebody_of(true));
  settle();
  const auto overtaking = put(somebody_of(false));
  settle();
  database->set_reachable(true);
  advance(3s);
  BOOST_TEST(paused->value.has_value());
  BOOST_TEST(resumed->value.has_value());
  BOOST_TEST(waiting->value.has_value(), (waiting->error ? waiting->error->detail : "late"));
  BOOST_TEST(overtaking->value.has_value(),
             (overtaking->error ? overtaking->error->detail : "late"));
}

BOOST_AUTO_TEST_CASE(requests_that_gather_during_an_outage_share_commits) {
  std::vector<msg::assignment> leases;
  for (int i = 0; i < 8; ++i)
    leases.push_back(assigned(step, "w" + std::to_string(i)));
  database->set_reachable(false);
  std::vector<awaited_answer<msg::submit_judgment>> answers;
  for (std::size_t i = 0; i < leases.size(); ++i)
    answers.push_back(send_to_node(judgment(leases[i], "w" + std::to_string(i))));
  advance(1s);
  std::size_t commits = 0;
  database->set_commit_faults([&](const persistence::write_batch&) {
    ++commits;
    return commit_fault::none;
  });
  database->set_reachable(true);
  // Aggregation follows at once, so only what is there when the answers are is counted.
  while (successes(answers) < answers.size() && advance_to_next_timer(now() + 10s)) {
    while (successes(answers) < answers.size() && virtual_world::step()) {
    }
  }
  BOOST_TEST(successes(answers) == 8u);
  BOOST_TEST(commits <= 2u);
}

// One message for many: a queue has a change for each task that its callers speak of.
BOOST_AUTO_TEST_CASE(changes_of_one_actor_in_one_commit_are_answered_together) {
  const auto shard = core::shard_of(step, node->settings.shards);
  std::map<std::string, std::vector<std::uint64_t>> told; // in order, by who asked
  std::size_t answers = 0;
  const auto asker = [&](const std::string& who) {
    return system->spawn([&, who](caf::event_based_actor*) {
      return caf::behavior{[&, who](const actors::write_done& done) {
        BOOST_TEST(done.failure.code == core::errc::none);
        ++answers;
        for (auto ticket = done.first(); ticket <= done.ticket; ++ticket)
          told[who].push_back(ticket);
      }};
    });
  };
  const auto queue = asker("queue");
  const auto other = asker("other");
  const auto write = [&](const caf::actor& from, std::uint64_t ticket) {
    caf::send_as(from, the_actor("writer"), actors::write_request{{shard, {}, 1}, ticket, {}});
  };
  database->set_reachable(false);
  settle();
  for (const auto ticket : {1, 2, 3})
    write(queue, ticket);
  write(other, 1);
  write(queue, 4);
  write(queue, 6); // the one between went to another writer
  settle();
  BOOST_TEST(answers == 0U);
  database->set_reachable(true);
  advance(3s);
  BOOST_TEST((told["queue"] == std::vector<std::uint64_t>{1, 2, 3, 4, 6}));
  BOOST_TEST((told["other"] == std::vector<std::uint64_t>{1}));
  BOOST_TEST(answers == 3U); // 1 to 4, 6, and the other's
  caf::anon_send_exit(queue, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(other, caf::exit_reason::user_shutdown);
}

// A123: one bad operation costs that operation only.
BOOST_AUTO_TEST_CASE(a_change_that_the_database_refuses_costs_only_that_change) {
  std::vector<msg::assignment> leases;
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i) {
    names.push_back("w" + std::to_string(i));
    leases.push_back(assigned(step, names.back()));
  }
  // Two per unit: w4 and w5 share a unit, so the refusal of w4 also ends the actor that serves w5.
  BOOST_REQUIRE((leases[4].unit == leases[5].unit));
  database->set_refusals([](const core::change& c) { return inserts_judgment_of(c, "w4"); });
  database->set_reachable(false); // all of them in one batch
  std::vector<awaited_answer<msg::submit_judgment>> answers;
  std::vector<msg::submit_judgment> requests;
  for (std::size_t i = 0; i < leases.size(); ++i) {
    requests.push_back(judgment(leases[i], names[i]));
    answers.push_back(send_to_node(requests.back()));
  }
  advance(1s);
  database->set_reachable(true);
  advance(5s);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    BOOST_REQUIRE(answers[i]->arrived());
    if (i == 4)
      BOOST_TEST(answers[i]->code() == core::errc::refused_by_store);
    else if (i == 5) // decided after the refused one by the same actor
      BOOST_TEST(!answers[i]->value.has_value());
    else
      BOOST_TEST(answers[i]->value.has_value());
  }
  BOOST_TEST(database->tables().judgments.size() == 6u);
  BOOST_TEST(status().refused == 1u);
  // The unit is loaded again from the database; its leases are what they were.
  database->set_refusals(nullptr);
  for (const std::size_t i : {4, 5}) {
    const auto again = call(requests[i]);
    BOOST_REQUIRE(again.value);
    BOOST_TEST(!again.value->repeated);
  }
  advance(1s);
  BOOST_TEST(statistics(step).finalized == 4u);
  BOOST_TEST(broken_invariants(*database) == "");
}

// What an actor decided after a refused decision stood on it, even when it waits for another batch.
BOOST_AUTO_TEST_CASE(decisions_that_stand_on_a_refused_one_are_void) {
  const auto lease = assigned(step, "ana");
  database->set_refusals([&](const core::change& c) {
    for (const auto& write : c.writes)
      if (const auto* set = std::get_if<core::set_unit_state>(&write))
        return set->state == core::unit_state::paused;
    return false;
  });
  database->set_reachable(false);
  const auto verb = [&](core::unit_verb v) {
    return send_to_node(msg::change_unit{step, lease.unit, static_cast<std::uint8_t>(v)});
  };
  // Both touch the unit's row, so they cannot share a batch.
  const auto paused = verb(core::unit_verb::pause);
  const auto canceled = verb(core::unit_verb::cancel);
  advance(1s);
  database->set_reachable(true);
  advance(5s);
  BOOST_TEST(paused->code() == core::errc::refused_by_store);
  BOOST_REQUIRE(canceled->arrived());
  BOOST_TEST(!canceled->value.has_value());
  BOOST_TEST(unit(step, lease.unit).state == core::unit_state::judgable);
  BOOST_TEST(submit(lease, "ana").value.has_value());
}

BOOST_AUTO_TEST_CASE(an_outage_in_the_middle_of_work_loses_and_doubles_nothing) {
  std::size_t call_number = 0;
  database->set_commit_faults([&](const persistence::write_batch&) {
    switch (++call_number % 5) {
    case 1:
      return commit_fault::unavailable;
    case 2:
      return commit_fault::in_doubt_applied;
    case 4:
      return commit_fault::in_doubt_lost;
    default:
      return commit_fault::none;
    }
  });
  for (const auto* who : {"ana", "bob"})
    for (int i = 0; i < 8; ++i) {
      const auto asked = send_to_node(msg::ask_assignment{step, who, fresh<core::assignment_id>()});
      advance(5s);
      BOOST_REQUIRE(asked->value);
      const auto submitted = send_to_node(judgment(*asked->value, who));
      advance(5s);
      BOOST_REQUIRE(submitted->value);
      BOOST_TEST(!submitted->value->repeated);
    }
  database->set_commit_faults(nullptr);
  advance(30s);
  BOOST_TEST(statistics(step).finalized == 8u);
  BOOST_TEST(statistics(step).step.completed_units == 8u); // I-6
  BOOST_TEST(events(core::event_type::judgment_received).size() == 16u);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
