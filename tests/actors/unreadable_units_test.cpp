// Units that the database does not give back, for a while or for ever: the step and everybody
// else's work in it go on.

#include "actors/internal_messages.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <string_view>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

const std::string two_in_a_row =
    workflow_json("chain", {step_json("first", 1, {"second"}), step_json("second", 1, {})});

struct step_with_rows : node_fixture {
  step_with_rows() {
    start();
    step = create();
  }
  core::step_id step;

  /// So many reads of units fail.
  void fail_reads_of_units(int times) {
    failing = times;
    database->set_read_faults(
        [this](std::string_view read) { return read == "load_units" && failing-- > 0; });
  }
  int failing = 0;

  /// The step cannot be read when it is started again.
  void damage_definition_of(const core::step_id& victim) {
    const auto shard = core::shard_of(victim, node->settings.shards);
    const auto workflow = database->tables().steps.at(victim).row.workflow;
    bool written = false;
    const auto vandal = system->spawn([&](caf::event_based_actor* self) {
      core::change damage;
      damage.writes.push_back(core::insert_workflow_version{workflow, 2, "{}", now()});
      self->send(the_actor("writer"), actors::write_request{{shard, {}, 1}, 1, damage});
      return caf::behavior{[&, self](const actors::write_done& done) {
        written = done.failure.code == core::errc::none;
        self->quit();
      }};
    });
    settle();
    BOOST_REQUIRE(written);
  }

  auto logged(const std::string& event) const {
    return std::count_if(node->log.begin(), node->log.end(),
                         [&](const auto& line) { return line.find(event) == 0; });
  }
  bool counts(const core::unit_id& unit, const std::string& who) const {
    const auto& rows = database->tables().judgments;
    return std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
      return row.second.made.unit == unit && row.second.made.owner == who && !row.second.tainted_at;
    });
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(unreadable_units, step_with_rows)

// A27, I-1: nobody's work in the step is thrown away because one unit cannot be told
BOOST_AUTO_TEST_CASE(a_removal_reaches_units_that_could_not_be_read_at_once) {
  feed(step, 1);
  const auto judged = assigned(step, "eve");
  BOOST_REQUIRE(submit(judged, "eve").value);
  advance(1s);
  crash(the_actor("step")); // the next life has no unit in memory
  advance(1s);
  const auto life = the_actor("step");
  fail_reads_of_units(5);
  BOOST_REQUIRE(call(msg::remove_contributor{step, "eve"}).value);
  advance(50ms);
  BOOST_TEST(counts(judged.unit, "eve"));
  advance(10s);
  BOOST_TEST(failing < 0);
  BOOST_TEST(!counts(judged.unit, "eve"));
  BOOST_TEST((the_actor("step") == life));
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(a_unit_that_crashed_is_read_again_until_that_succeeds) {
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  const auto life = the_actor("step");
  fail_reads_of_units(5);
  crash(the_actor("unit"));
  settle();
  BOOST_TEST(failing == 4);
  // What the step believes of the unit is not to be relied on.
  BOOST_TEST(assign(step, "bob").code() == core::errc::no_unit_available);
  advance(50ms);
  BOOST_TEST(failing == 4);
  advance(10s);
  BOOST_TEST(failing < 0);
  BOOST_TEST((the_actor("step") == life));
  BOOST_TEST(submit(lease, "ana").value.has_value());
  work(step, "bob");
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(a_unit_whose_row_is_damaged_is_offered_to_nobody_until_it_is_mended) {
  feed(step, 3);
  const auto lost = database->tables().units_by_ordinal.begin()->second;
  database->set_damaged_units([=](const core::unit_id& unit) { return unit == lost; });
  const auto life = the_actor("step");
  for (const auto* who : {"ana", "bob"}) {
    for (int i = 0; i < 2; ++i) {
      const auto lease = assigned(step, who);
      BOOST_TEST((lease.unit != lost));
      BOOST_REQUIRE(submit(lease, who).value);
    }
    BOOST_TEST(assign(step, who).code() == core::errc::no_unit_available);
  }
  BOOST_TEST(logged("unit_unreadable") == 1);
  BOOST_TEST((the_actor("step") == life));
  const msg::change_unit resume{step, lost, static_cast<std::uint8_t>(core::unit_verb::resume)};
  BOOST_TEST(call(resume).code() == core::errc::refused_by_store);
  BOOST_TEST(logged("unit_unreadable") == 1);
  database->set_damaged_units(nullptr);
  BOOST_TEST(call(resume).value.has_value());
  for (const auto* who : {"ana", "bob"})
    work(step, who);
  seal(step);
  advance(2s);
  BOOST_TEST(statistics(step).finalized == 3U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A crash of its actor, which has the row read again, changes nothing about that.
BOOST_AUTO_TEST_CASE(a_unit_whose_row_is_damaged_when_it_crashes_ends_nobody) {
  feed(step, 2);
  const auto lease = assigned(step, "ana");
  database->set_damaged_units([=](const core::unit_id& unit) { return unit == lease.unit; });
  const auto life = the_actor("step");
  for (const auto& unit : actors_named("unit"))
    crash(unit);
  advance(10s);
  BOOST_TEST((the_actor("step") == life));
  BOOST_TEST(logged("unit_unreadable") == 1);
  BOOST_TEST((assigned(step, "bob").unit != lease.unit));
  BOOST_TEST(assign(step, "bob").code() == core::errc::no_unit_available);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A poison pill is paused as soon as it can be read.
BOOST_AUTO_TEST_CASE(a_unit_that_cannot_be_read_after_its_last_crash_is_paused_later) {
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  for (int crashed = 1; crashed <= 3; ++crashed) {
    if (crashed == 3)
      database->set_damaged_units([=](const core::unit_id& unit) { return unit == lease.unit; });
    crash(the_actor("unit"));
    advance(1s);
  }
  BOOST_TEST(logged("unit_unreadable") == 1);
  BOOST_TEST(logged("unit_parked") == 0);
  database->set_damaged_units(nullptr);
  BOOST_TEST(extend(lease, "ana").arrived());
  advance(1s);
  BOOST_TEST(logged("unit_parked") == 1);
  BOOST_TEST((database->tables().units.at(lease.unit).state == core::unit_state::paused));
  BOOST_TEST(broken_invariants(*database) == "");
}

// I-9: the lease of a damaged unit cannot end. The step is not ended for it again and again, and
// the lease ends soon after the row is mended.
BOOST_AUTO_TEST_CASE(a_damaged_unit_whose_lease_is_over_is_reported_more_and_more_seldom) {
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  database->set_damaged_units([=](const core::unit_id& unit) { return unit == lease.unit; });
  crash(the_actor("step")); // the next life has no unit in memory
  advance(60s + 2 * node->settings.sweep_interval);
  const auto looks = [&](int count) { advance(count * node->settings.sweep_interval); };
  looks(21);
  BOOST_TEST(logged("item_overdue") == 1);
  const auto stuck = logged("item_stuck");
  BOOST_TEST((stuck == 2 || stuck == 3));
  const auto life = the_actor("step");
  looks(6);
  BOOST_TEST((the_actor("step") == life));
  database->set_damaged_units(nullptr);
  advance(61s);
  BOOST_TEST(active_leases() == 0U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// I-5: what a damaged unit is told keeps nothing behind it waiting, and it is told again when
// somebody resumes it, in whatever life of the step.
BOOST_AUTO_TEST_CASE(a_damaged_unit_keeps_no_other_one_from_its_result) {
  const auto single = create(workflow_json("w", {step_json("label", 1, {})}));
  feed(single, 2);
  const auto first = assigned(single, "ana");
  const auto second = assigned(single, "ana");
  held_back = "consumer";
  BOOST_REQUIRE(submit(first, "ana").value);
  database->set_damaged_units([=](const core::unit_id& unit) { return unit == first.unit; });
  for (const auto& step_life : actors_named("step"))
    crash(step_life); // the next life has no unit in memory
  settle();
  held_back.clear();
  advance(1s);
  BOOST_TEST(logged("unit_unreadable") == 1);
  BOOST_REQUIRE(submit(second, "ana").value);
  advance(1s);
  BOOST_TEST(statistics(single).finalized == 1U);
  BOOST_TEST(logged("delivery_failed") == 0);
  for (const auto& step_life : actors_named("step"))
    crash(step_life);
  advance(1s);
  database->set_damaged_units(nullptr);
  const msg::change_unit resume{single, first.unit,
                                static_cast<std::uint8_t>(core::unit_verb::resume)};
  BOOST_REQUIRE(call(resume).value);
  advance(1s);
  BOOST_TEST(statistics(single).finalized == 2U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// I-5, A170: nor does it matter how late that is
BOOST_AUTO_TEST_CASE(a_damaged_unit_gets_its_result_although_its_events_are_forgotten) {
  prepare().settings.events_retention = 1h;
  start();
  const auto single = create(workflow_json("w", {step_json("label", 1, {})}));
  feed(single, 1);
  const auto lease = assigned(single, "ana");
  held_back = "consumer";
  BOOST_REQUIRE(submit(lease, "ana").value);
  database->set_damaged_units([=](const core::unit_id& unit) { return unit == lease.unit; });
  for (const auto& step_life : actors_named("step"))
    crash(step_life); // the next life has no unit in memory
  settle();
  held_back.clear();
  advance(2h);
  feed(single, 1, 1); // something happens: the pruner looks
  advance(2min);
  for (const auto& row :
       database->tables().outbox.at(core::shard_of(single, node->settings.shards)))
    for (const auto& event : row.events)
      BOOST_REQUIRE((event.unit != lease.unit));
  database->set_damaged_units(nullptr);
  const msg::change_unit resume{single, lease.unit,
                                static_cast<std::uint8_t>(core::unit_verb::resume)};
  BOOST_REQUIRE(call(resume).value);
  advance(1s);
  BOOST_TEST(statistics(single).finalized == 1U);
  BOOST_TEST(events(core::event_type::unit_finalized).size() == 1U);
}

// A88, A103, A106, I-5: only what is made from a damaged unit waits; nobody waits to hear of
// others, or of the step itself.
BOOST_AUTO_TEST_CASE(a_damaged_unit_keeps_no_other_one_from_going_on) {
  const auto steps = create_steps(two_in_a_row);
  feed(steps[0], 2);
  const auto first = assigned(steps[0], "ana");
  const auto second = assigned(steps[0], "ana");
  database->set_damaged_units([=](const core::unit_id& unit) { return unit == first.unit; });
  BOOST_REQUIRE(submit(first, "ana").value);
  BOOST_REQUIRE(submit(second, "ana").value);
  advance(2s);
  BOOST_TEST(statistics(steps[0]).finalized == 2U);
  BOOST_TEST(statistics(steps[1]).step.total_units == 1U);
  BOOST_TEST(logged("event_set_aside") == 1);
  BOOST_TEST(logged("delivery_failed") == 0);
  const auto found = [&] {
    advance(1s);
    const auto offers = call(msg::find_steps{"bob", 20, 0, {}});
    BOOST_REQUIRE(offers.value);
    return std::count_if(offers.value->steps.begin(), offers.value->steps.end(),
                         [&](const auto& offer) { return offer.step == steps[0]; });
  };
  BOOST_TEST(found() == 1);
  change(steps[0], core::unit_verb::pause);
  BOOST_TEST(found() == 0);
  change(steps[0], core::unit_verb::resume);
  BOOST_TEST(found() == 1);
  seal(steps[0]);
  advance(10min);
  BOOST_TEST((statistics(steps[0]).step.status == core::step_status::completed));
  BOOST_TEST(!statistics(steps[1]).step.sealed);
  BOOST_TEST(logged("event_set_aside") == 1);
  database->set_damaged_units(nullptr);
  advance(61s);
  BOOST_TEST(statistics(steps[1]).step.total_units == 2U);
  BOOST_TEST(statistics(steps[1]).step.sealed);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A170, I-5: the event is there until it is applied, for whoever comes to deliver it.
BOOST_AUTO_TEST_CASE(judgments_set_aside_are_not_forgotten) {
  const auto begin = [&] {
    prepare().settings.events_retention = 1h;
    start();
  };
  begin();
  const auto steps = create_steps(two_in_a_row);
  feed(steps[0], 2);
  const auto damaged = assigned(steps[0], "ana");
  database->set_damaged_units([=](const core::unit_id& unit) { return unit == damaged.unit; });
  BOOST_REQUIRE(submit(damaged, "ana").value);
  work(steps[0], "ana");
  std::size_t key = 2;
  for (const auto* end : {"consumer", "relay"}) {
    advance(2h);
    feed(steps[0], 1, key++); // something happens: the pruner looks
    advance(2min);
    for (const auto& actor : actors_named(end))
      crash(actor);
  }
  begin();
  advance(2min);
  BOOST_TEST(statistics(steps[1]).step.total_units == 1U);
  database->set_damaged_units(nullptr);
  advance(61s);
  BOOST_TEST(statistics(steps[1]).step.total_units == 2U);
  // Then it is past for good.
  advance(2h);
  feed(steps[0], 1, key);
  advance(2min);
  const auto shard = core::shard_of(steps[0], node->settings.shards);
  for (const auto& row : database->tables().outbox.at(shard))
    for (const auto& event : row.events)
      BOOST_TEST((event.unit != damaged.unit));
}

// A27, I-5: what was made from a result that is gone is withdrawn although one of that is damaged.
BOOST_AUTO_TEST_CASE(a_damaged_unit_keeps_no_other_one_from_being_withdrawn) {
  const auto steps = create_steps(two_in_a_row);
  feed(steps[0], 3);
  for (int i = 0; i < 3; ++i)
    work(steps[0], "eve");
  advance(2s);
  std::vector<core::unit_id> children;
  for (const auto& [key, id] : database->tables().units_by_ordinal)
    if (key.first == steps[1])
      children.push_back(id);
  BOOST_REQUIRE(children.size() == 3U);
  database->set_damaged_units([=](const core::unit_id& unit) { return unit == children[1]; });
  BOOST_REQUIRE(call(msg::remove_contributor{steps[0], "eve"}).value);
  msg::repair_contributor repair;
  repair.step = steps[0];
  repair.repair = fresh<core::repair_id>();
  repair.contributor = "eve";
  BOOST_REQUIRE(call(repair).value);
  advance(30s);
  const auto canceled = [&] {
    return std::count_if(children.begin(), children.end(), [&](const auto& child) {
      return database->tables().units.at(child).state == core::unit_state::canceled;
    });
  };
  BOOST_TEST(canceled() == 2);
  BOOST_TEST(logged("event_set_aside") == 1);
  database->set_damaged_units(nullptr);
  advance(61s);
  BOOST_TEST(canceled() == 3);
  for (int i = 0; i < 3; ++i)
    work(steps[0], "bob");
  advance(2s);
  BOOST_TEST(statistics(steps[1]).step.total_units == 6U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A27: a repair ends although one of its units is damaged
BOOST_AUTO_TEST_CASE(a_repair_leaves_out_what_is_damaged) {
  const auto single = create(workflow_json("w", {step_json("label", 1, {})}));
  feed(single, 2);
  const auto damaged = assigned(single, "eve");
  BOOST_REQUIRE(submit(damaged, "eve").value);
  const auto mended = assigned(single, "eve");
  BOOST_REQUIRE(submit(mended, "eve").value);
  advance(2s);
  BOOST_REQUIRE(statistics(single).finalized == 2U);
  BOOST_REQUIRE(call(msg::remove_contributor{single, "eve"}).value);
  advance(1s);
  database->set_damaged_units([=](const core::unit_id& unit) { return unit == damaged.unit; });
  msg::repair_contributor repair;
  repair.step = single;
  repair.repair = fresh<core::repair_id>();
  repair.contributor = "eve";
  BOOST_REQUIRE(call(repair).value);
  advance(30s);
  const auto told = call(repair);
  BOOST_REQUIRE(told.value);
  BOOST_TEST(told.value->done);
  BOOST_TEST(told.value->reopened == 1U);
  BOOST_TEST(logged("repair_leaves_out") == 1);
  // Nobody is kept from the unit by it.
  database->set_damaged_units(nullptr);
  const msg::change_unit resume{single, damaged.unit,
                                static_cast<std::uint8_t>(core::unit_verb::resume)};
  BOOST_TEST((call(resume).code() == core::errc::wrong_state));
  BOOST_TEST((assigned(single, "bob").unit == mended.unit));
}

// Nobody waits for what somebody has to mend first.
BOOST_AUTO_TEST_CASE(requests_to_a_step_whose_definition_is_damaged_are_refused_with_the_reason) {
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  damage_definition_of(step);
  crash(the_actor("step"));
  settle();
  const auto refused = send_to_node(judgment(lease, "ana"));
  advance(3s);
  BOOST_REQUIRE(refused->arrived());
  BOOST_TEST(refused->code() == core::errc::damaged);
  BOOST_TEST(refused->error->detail.find(core::to_string(step)) != std::string::npos);
  BOOST_TEST(refused->error->detail.find("definition") != std::string::npos);
}

// A160: what has happened in it is not brought to it any more, and all else goes on.
BOOST_AUTO_TEST_CASE(a_step_whose_definition_is_damaged_keeps_no_event_of_others_waiting) {
  feed(step, 1);
  std::vector<core::step_id> others;
  do
    others = create_steps(two_in_a_row);
  while (core::shard_of(others[0], node->settings.shards)
         != core::shard_of(step, node->settings.shards));
  feed(others[0], 1);
  const auto lease = assigned(step, "ana");
  held_back = "consumer";
  BOOST_REQUIRE(submit(lease, "ana").value);
  work(others[0], "ana");
  damage_definition_of(step);
  for (const auto& life : actors_named("step"))
    crash(life);
  settle();
  held_back.clear();
  advance(10s);
  BOOST_TEST(logged("event_set_aside") == 1);
  BOOST_TEST(statistics(others[0]).finalized == 1U);
  BOOST_TEST(statistics(others[1]).step.total_units == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
