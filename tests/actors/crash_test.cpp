// Every actor may crash at any time: its supervisor starts it again and work goes on.

#include "actors/internal_messages.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct crashing_node : node_fixture {
  crashing_node() {
    start();
    step = create();
    feed(step, 6);
  }
  core::step_id step;

  /// Everybody judges everything; the step is sealed and completes with the right counts.
  void finish_all_work() {
    for (const auto* who : {"ana", "bob"})
      for (;;) {
        const auto lease = assign(step, who);
        if (!lease.value)
          break;
        BOOST_REQUIRE(submit(*lease.value, who).value);
      }
    seal(step);
    advance(2s);
    const auto counts = statistics(step);
    BOOST_TEST(counts.finalized == 6u);
    BOOST_TEST(counts.step.completed_units == 6u);
    BOOST_TEST(counts.step.status == core::step_status::completed);
    BOOST_TEST(broken_invariants(*database) == "");
  }
};

/// An answer to a write that was never made: the invariant that it breaks ends the actor by an
/// exception, as a bug would.
void make_throw(const caf::actor& victim) { caf::anon_send(victim, actors::write_done{4711, {}}); }

const char* const all_actors[] = {"unit",   "step",       "shard_host", "shards", "writer",
                                  "relay",  "membership", "owner",      "owners", "consumer",
                                  "reader", "readers",    "gateway",    "pruner", "refitter"};

} // namespace

BOOST_FIXTURE_TEST_SUITE(crashes, crashing_node)

BOOST_AUTO_TEST_CASE(work_goes_on_after_a_crash_of_any_actor) {
  for (const auto* name : all_actors) {
    BOOST_TEST_CONTEXT("crash of " << name) {
      const auto lease = assigned(step, std::string{"w-"} + name);
      const auto before = actors_named(name);
      BOOST_REQUIRE(!before.empty());
      crash(before.front());
      advance(61s); // and out of the restart intensity's window
      BOOST_REQUIRE(!node->ended());
      BOOST_REQUIRE(node->gateway);
      BOOST_TEST(statistics(step).active_leases == 0u); // the lease ran out in time all the same
    }
  }
  finish_all_work();
}

// The second crash comes while the tree still ends what depends on the first.
BOOST_AUTO_TEST_CASE(work_goes_on_after_two_crashes_at_once) {
  const char* const children[] = {"reader", "readers", "writer",   "membership", "shards",
                                  "owners", "relay",   "consumer", "gateway"};
  for (const auto* first : children)
    for (const auto* second : children) {
      BOOST_TEST_CONTEXT("crash of " << first << " and " << second) {
        const auto one = actors_named(first);
        const auto two = actors_named(second);
        BOOST_REQUIRE(!one.empty());
        BOOST_REQUIRE(!two.empty());
        crash(one.front());
        crash(two.back()); // of readers and consumers, another one
        advance(61s);
        BOOST_REQUIRE(!node->ended());
        BOOST_REQUIRE(assign(step, "ana").arrived());
      }
    }
  advance(120s);
  finish_all_work();
}

BOOST_AUTO_TEST_CASE(a_lease_survives_the_crash_of_any_actor) {
  for (const auto* name : all_actors) {
    BOOST_TEST_CONTEXT("crash of " << name) {
      const auto who = std::string{"w-"} + name;
      const auto lease = assigned(step, who);
      crash(actors_named(name).front());
      advance(1s);
      BOOST_TEST(extend(lease, who).value.has_value());
      BOOST_REQUIRE(release(lease, who).value);
      advance(61s);
    }
  }
  finish_all_work();
}

BOOST_AUTO_TEST_CASE(every_request_is_answered_when_an_actor_crashes_under_it) {
  for (const auto* name : all_actors) {
    BOOST_TEST_CONTEXT("crash of " << name) {
      const auto who = std::string{"w-"} + name;
      const auto lease = assigned(step, who);
      const auto victim = actors_named(name).front();
      // The requests wait for the database, each in another actor.
      database->set_reachable(false);
      const auto asked =
          send_to_node(msg::ask_assignment{step, who + "-2", fresh<core::assignment_id>()});
      const auto submitted = send_to_node(judgment(lease, who));
      const auto added = send_to_node(msg::add_source_data{step, {{who, "{}", 0}}});
      const auto late = send_to_node(msg::change_unit{step, lease.unit, 1});
      advance(100ms);
      crash(victim);
      advance(100ms);
      database->set_reachable(true);
      advance(5s);
      BOOST_TEST(asked->arrived());
      BOOST_TEST(submitted->arrived());
      BOOST_TEST(added->arrived());
      BOOST_TEST(late->arrived());
      // I-12
      const auto view = unit(step, lease.unit);
      if (submitted->value)
        BOOST_TEST(view.judgment_count >= 1u);
      if (asked->value)
        BOOST_TEST(release(*asked->value, who + "-2").value.has_value());
      BOOST_TEST(call(msg::change_unit{step, lease.unit, 2}).arrived()); // or it is finalized
      advance(90s);
      BOOST_TEST(broken_invariants(*database) == "");
    }
  }
}

BOOST_AUTO_TEST_CASE(an_exception_ends_one_unit_and_its_state_is_read_again) {
  const auto lease = assigned(step, "ana");
  make_throw(actors_named("unit").front());
  settle();
  BOOST_TEST(logged("actor_crashed"));
  BOOST_TEST(submit(lease, "ana").value.has_value());
  finish_all_work();
}

// A164: what is ready to be worked on goes with the step, and is read again from the database
BOOST_AUTO_TEST_CASE(an_exception_ends_the_step_and_its_units_and_work_goes_on) {
  const auto lease = assigned(step, "ana");
  const auto units = actors_named("unit");
  BOOST_REQUIRE(!units.empty());
  make_throw(the_actor("step"));
  settle();
  BOOST_TEST(logged("item_down"));
  BOOST_TEST(status().live_units == 0u);
  BOOST_TEST(submit(lease, "ana").value.has_value());
  finish_all_work();
}

// A poison pill: three crashes, then it is paused and its siblings go on.
BOOST_AUTO_TEST_CASE(a_unit_that_keeps_crashing_is_paused_and_its_siblings_go_on) {
  const auto poison = assigned(step, "ana");
  database->set_refusals([](const core::change& c) {
    for (const auto& write : c.writes)
      if (const auto* judgment = std::get_if<core::insert_judgment>(&write))
        return judgment->owner == "ana";
    return false;
  });
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(unit(step, poison.unit).state == core::unit_state::judgable);
    BOOST_TEST(submit(poison, "ana").code() == core::errc::refused_by_store);
    settle();
  }
  BOOST_TEST(unit(step, poison.unit).state == core::unit_state::paused);
  BOOST_TEST(logged("unit_parked"));
  for (int i = 0; i < 5; ++i)
    work(step, "bob");
  BOOST_TEST(assign(step, "bob").code() == core::errc::no_unit_available);
  // Once the cause is gone a person resumes it.
  database->set_refusals(nullptr);
  BOOST_TEST(change(poison, core::unit_verb::resume).value.has_value());
  work(step, "bob");
  BOOST_TEST(submit(poison, "ana").value.has_value());
  finish_all_work();
}

// Restarting does not help: the whole node ends, with the reason.
BOOST_AUTO_TEST_CASE(crashes_beyond_the_restart_intensity_end_the_node_with_the_reason) {
  int crashed = 0;
  for (; !node->ended() && crashed < 20; ++crashed) {
    const auto relays = actors_named("relay");
    if (relays.empty())
      break;
    crash(relays.front());
    settle();
  }
  BOOST_REQUIRE(node->ended());
  BOOST_TEST(crashed == 6); // five restarts in a minute are tried
  BOOST_TEST(msg::failure_of(node->end_reason()).detail == "the test crashes this actor");
  BOOST_TEST(actors_named("step").empty());
  restart();
  finish_all_work();
}

BOOST_AUTO_TEST_CASE(crashes_that_are_far_apart_never_end_the_node) {
  for (int i = 0; i < 20; ++i) {
    crash(the_actor("relay"));
    advance(13s);
    BOOST_REQUIRE(!node->ended());
  }
  finish_all_work();
}

// A poison step: it is left alone for a while, and nobody else notices.
BOOST_AUTO_TEST_CASE(a_step_that_keeps_crashing_is_set_aside_and_tried_again) {
  const auto lease = assigned(step, "ana");
  for (int crashed = 0; crashed < 6; ++crashed) { // five restarts in a minute are tried
    BOOST_TEST(!logged("item_set_aside"));
    crash(the_actor("step"));
    settle();
  }
  BOOST_TEST(logged("item_set_aside"));
  BOOST_TEST(actors_named("step").empty());
  const auto refused = submit(lease, "ana");
  BOOST_TEST(refused.code() == core::errc::unavailable);
  BOOST_REQUIRE(refused.error);
  BOOST_TEST(refused.error->detail.find("keeps crashing") != std::string::npos);
  const auto other = create();
  feed(other, 1);
  work(other, "ana");
  // Its own timers run again, too, without anybody asking for it.
  advance(61s);
  BOOST_TEST(active_leases() == 0u);
  advance(30s); // ana may have it again
  finish_all_work();
}

// Step after step: then it is not the steps.
BOOST_AUTO_TEST_CASE(a_shard_whose_steps_are_set_aside_one_after_the_other_starts_again) {
  const auto shard = [&](const core::step_id& id) {
    return core::shard_of(id, node->settings.shards);
  };
  std::vector<core::step_id> same_shard{step};
  while (same_shard.size() < 6)
    if (const auto next = create(); shard(next) == shard(step))
      same_shard.push_back(next);
  const auto crash_all = [&] {
    for (const auto& victim : actors_named("step"))
      crash(victim);
    settle();
  };
  for (int crashed = 0; crashed < 6; ++crashed) {
    for (const auto& id : same_shard)
      seal(id); // brings it into memory
    BOOST_TEST(!logged("shard_down"));
    crash_all();
  }
  BOOST_TEST(logged("shard_down"));
  BOOST_TEST(!node->ended());
  finish_all_work();
}

// What the actors of an earlier life of a step still send must not be mixed with what the new life
// has read.
BOOST_AUTO_TEST_CASE(writes_of_an_earlier_life_of_a_step_are_refused) {
  const auto lease = assigned(step, "ana");
  const auto shard = core::shard_of(step, node->settings.shards);
  make_throw(the_actor("step"));
  settle();
  BOOST_REQUIRE(submit(lease, "ana").value); // the new life has written
  std::vector<actors::write_done> answers;
  const auto survivor = system->spawn([&](caf::event_based_actor* self) {
    core::change late;
    late.writes.push_back(core::set_unit_state{lease.unit, core::unit_state::canceled, now()});
    self->send(the_actor("writer"), actors::write_request{{shard, step, 1}, 1, late});
    return caf::behavior{[&, self](const actors::write_done& done) {
      answers.push_back(done);
      self->quit();
    }};
  });
  settle();
  BOOST_REQUIRE(answers.size() == 1);
  BOOST_TEST(answers.front().failure.code == core::errc::unavailable);
  BOOST_TEST(unit(step, lease.unit).state == core::unit_state::judgable);
}

// I-8, I-6: crash a consumer or the relay between a delivery and its acknowledgement.
BOOST_AUTO_TEST_CASE(crashes_of_consumers_in_the_middle_of_deliveries_count_nothing_twice) {
  node->settings.restarts = {};
  for (const auto* who : {"ana", "bob"})
    for (int i = 0; i < 6; ++i) {
      const auto lease = assigned(step, who);
      const auto answer = send_to_node(judgment(lease, who));
      // Somewhere on the way of the events that follow.
      for (int steps = 0; steps < 12 + i && virtual_world::step(); ++steps) {
      }
      for (const auto& consumer : actors_named(i % 2 == 0 ? "consumer" : "relay")) {
        crash(consumer);
        break;
      }
      advance(61s);
      BOOST_REQUIRE(answer->value);
    }
  finish_all_work();
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
