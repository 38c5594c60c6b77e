// What the store keeps of workflows, units, leases and judgments, and which writes it refuses.

#include "core/sha256.hpp"
#include "tests/core/describe.hpp"
#include "tests/persistence/conformance.hpp"

#include <limits>

namespace holdfast::test {

namespace {

BOOST_AUTO_TEST_SUITE(store_work)

BOOST_AUTO_TEST_CASE_TEMPLATE(workflow_and_its_steps_are_read_as_written, World, worlds) {
  store_fixture<World> f;
  const core::workflow_id workflow{f.ids.next(at(0))};
  const auto second = f.new_step(workflow, 1);
  auto first = f.new_step(workflow, 0);
  first.sealed = true;
  BOOST_TEST(is(f.write({core::insert_workflow{workflow, "näme", R"({"a":1})", at(0)},
                         core::insert_step{second, at(0)}, core::insert_step{first, at(0)}}),
                committed));

  const auto loaded = value_of(f.db->load_workflow(workflow));
  BOOST_TEST(loaded.name == "näme");
  BOOST_TEST(loaded.definitions == (std::vector<std::string>{R"({"a":1})"}),
             boost::test_tools::per_element());
  BOOST_REQUIRE_EQUAL(loaded.steps.size(), 2U);
  BOOST_TEST((loaded.steps[0].id == first.id && loaded.steps[1].id == second.id));
  BOOST_TEST(loaded.steps[0].key == "step-0");
  BOOST_TEST(loaded.steps[0].sealed);
  BOOST_TEST(loaded.steps[0].revision == 1U);
  BOOST_TEST(fails_with(f.db->load_workflow({f.ids.next(at(0))}), core::errc::not_found));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(workflow_rows_that_contradict_each_other_are_refused, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  // the same id twice
  BOOST_TEST(is(f.write({core::insert_workflow{step.workflow, "w", "{}", at(0)}}), refused));
  // a step of no workflow
  BOOST_TEST(is(f.write({core::insert_step{f.new_step({f.ids.next(at(0))}, 0), at(0)}}), refused));
  // the same position, the same key, no key
  auto twin = f.new_step(step.workflow, 0);
  twin.key = "other";
  BOOST_TEST(is(f.write({core::insert_step{twin, at(0)}}), refused));
  twin.position = 1;
  twin.key = step.key;
  BOOST_TEST(is(f.write({core::insert_step{twin, at(0)}}), refused));
  twin.key.clear();
  BOOST_TEST(is(f.write({core::insert_step{twin, at(0)}}), refused));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(steps_are_listed_in_order_of_creation, World, worlds) {
  store_fixture<World> f;
  const core::workflow_id workflow{f.ids.next(at(0))};
  std::vector<core::step_id> order;
  std::vector<core::write_op> writes{core::insert_workflow{workflow, "w", "{}", at(0)}};
  for (std::uint32_t i = 0; i < 5; ++i) {
    const auto step = f.new_step(workflow, i);
    // The later created first in the batch; two of one instant follow their ids.
    writes.push_back(core::insert_step{step, at(i < 2 ? 50 : 10 + i)});
    order.push_back(step.id);
  }
  BOOST_TEST(is(f.write(writes), committed));
  std::rotate(order.begin(), order.begin() + 2, order.end());

  std::vector<core::step_id> seen;
  core::step_id after;
  for (auto page = value_of(f.db->list_steps(after, 2)); !page.empty();
       page = value_of(f.db->list_steps(after, 2))) {
    BOOST_TEST(page.size() <= 2U);
    for (const auto& step : page)
      seen.push_back(step.id);
    after = seen.back();
  }
  BOOST_TEST((seen == order));
  BOOST_TEST(fails_with(f.db->list_steps({f.ids.next(at(0))}, 2), core::errc::not_found));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(open_and_paused_steps_are_listed_in_order_of_id, World, worlds) {
  store_fixture<World> f;
  const core::workflow_id workflow{f.ids.next(at(0))};
  std::vector<core::step_row> steps;
  std::vector<core::write_op> writes{core::insert_workflow{workflow, "w", "{}", at(0)}};
  for (std::uint32_t i = 0; i < 8; ++i) {
    auto step = f.new_step(workflow, i);
    step.sealed = true;
    step.status = static_cast<core::step_status>(1 + i % 4);
    // The id decides, and not when it was made.
    writes.insert(writes.begin() + 1, core::insert_step{step, at(50 - i)});
    steps.push_back(step);
  }
  BOOST_TEST(value_of(f.db->open_steps({}, 10)).empty());
  BOOST_TEST(is(f.write(writes), committed));
  const auto listed = [&](std::uint32_t limit) {
    std::vector<core::step_row> seen;
    core::step_id after;
    for (auto page = value_of(f.db->open_steps(after, limit)); !page.empty();
         page = value_of(f.db->open_steps(after, limit))) {
      BOOST_TEST(page.size() <= limit);
      seen.insert(seen.end(), page.begin(), page.end());
      after = seen.back().id;
    }
    return seen;
  };
  const auto ids_of = [](const std::vector<core::step_row>& rows) {
    std::string ids;
    for (const auto& row : rows)
      ids += to_string(row.id) + ' ';
    return ids;
  };
  BOOST_TEST(ids_of(listed(3)) == ids_of({steps[0], steps[1], steps[4], steps[5]}));
  BOOST_TEST(ids_of(value_of(f.db->open_steps(steps[1].id, 1))) == ids_of({steps[4]}));
  // Behind one that is not among them, too, and behind none at all.
  BOOST_TEST(ids_of(value_of(f.db->open_steps(steps[2].id, 9))) == ids_of({steps[4], steps[5]}));
  BOOST_TEST(value_of(f.db->open_steps({f.ids.next(at(0))}, 9)).empty());

  // One is complete, and another is reopened for more units.
  steps[0].status = core::step_status::completed;
  steps[6].status = core::step_status::open;
  steps[6].sealed = false;
  steps[6].total_units = 2;
  steps[6].completed_units = 1;
  steps[6].revision = 3;
  steps[6].upstreams_completed = 5;
  steps[6].job_revision = 8;
  steps[6].job = core::job_status::finished;
  BOOST_TEST(is(f.write({core::update_step{steps[0]}, core::update_step{steps[6]}}), committed));
  const auto open = listed(100);
  BOOST_TEST(ids_of(open) == ids_of({steps[1], steps[4], steps[5], steps[6]}));
  BOOST_TEST(describe(open.back()) == describe(steps[6]));
  BOOST_TEST((open.back().workflow == workflow));
  BOOST_TEST(open.back().upstreams_completed == 5U);
}

// A41-A52
BOOST_AUTO_TEST_CASE_TEMPLATE(unit_is_read_as_written, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto root = f.new_unit(step.id, 1, 5);
  auto child = f.new_unit(step.id, 2);
  child.parent = root.id;
  child.root = root.id;
  child.created_at = at(1, 1); // to the microsecond
  BOOST_TEST(is(f.write({root}), committed));
  BOOST_TEST(is(f.write({child}), committed));

  const core::unit_id unknown{f.ids.next(at(0))};
  const auto units = value_of(f.db->load_units({child.id, unknown, root.id, child.id}, f.policy));
  BOOST_REQUIRE_EQUAL(units.size(), 2U);
  BOOST_TEST((units[0].id == child.id && units[1].id == root.id));
  BOOST_TEST((units[0].parent == root.id && units[0].root == root.id));
  BOOST_TEST(!units[1].parent);
  BOOST_TEST((units[0].step == step.id));
  BOOST_TEST(units[0].ordinal == 2U);
  BOOST_TEST(units[0].source_key == "key-2");
  BOOST_TEST(units[0].input == child.input);
  BOOST_TEST(units[1].slots == 5U);
  BOOST_TEST((units[0].created_at == at(1, 1)));
  BOOST_TEST((units[0].state == core::unit_state::judgable));
  BOOST_TEST(units[0].result.empty());
  BOOST_TEST(units[0].leases.last_token == 0U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(units_that_contradict_others_are_refused, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.new_unit(step.id, 1);
  BOOST_TEST(is(f.write({unit}), committed));
  const auto refuses = [&](void (*change)(core::insert_unit&, const core::insert_unit&)) {
    auto other = f.new_unit(step.id, 2);
    change(other, unit);
    BOOST_TEST(is(f.write({other}), refused));
  };
  refuses([](auto& o, const auto& u) { o.id = o.root = u.id; });
  refuses([](auto& o, const auto& u) { o.source_key = u.source_key; });
  refuses([](auto& o, const auto& u) { o.ordinal = u.ordinal; });
  refuses([](auto& o, const auto&) { o.ordinal = 0; });
  refuses([](auto& o, const auto&) { o.slots = 0; });
  refuses([](auto& o, const auto&) { o.step.value.bytes[3] ^= 1; }); // no such step
  refuses([](auto& o, const auto& u) { o.root = u.id; });            // a root but no parent
  refuses([](auto& o, const auto& u) { o.parent = u.id; });          // a parent but its own root
  refuses([](auto& o, const auto&) { o.parent.value.bytes[0] = 9, o.root = o.parent; });
  // I-5: a parent has one child in a step
  auto child = f.new_unit(step.id, 2);
  child.parent = child.root = unit.id;
  BOOST_TEST(is(f.write({child}), committed));
  auto twin = f.new_unit(step.id, 3);
  twin.parent = twin.root = unit.id;
  BOOST_TEST(is(f.write({twin}), refused));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(known_source_keys_are_found, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto other_step = f.given_step();
  const auto one = f.given_unit(step.id, 1);
  const auto two = f.given_unit(step.id, 2);
  f.given_unit(other_step.id, 3);
  auto found = value_of(f.db->find_source_keys(step.id, {"key-2", "key-3", "", "key-1"}));
  std::sort(found.begin(), found.end());
  BOOST_REQUIRE_EQUAL(found.size(), 2U);
  BOOST_TEST((found[0] == std::pair{std::string{"key-1"}, one}));
  BOOST_TEST((found[1] == std::pair{std::string{"key-2"}, two}));
  BOOST_TEST(value_of(f.db->find_source_keys(step.id, {})).empty());
}

// A3
BOOST_AUTO_TEST_CASE_TEMPLATE(known_source_keys_are_found_with_the_digests_of_inputs, World,
                              worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto other_step = f.given_step();
  const auto one = f.given_unit(step.id, 1);
  f.given_unit(other_step.id, 3);
  const auto input = value_of(f.db->load_units({one}, {})).at(0).input;
  auto found = value_of(f.db->find_source_units(step.id, {"key-1", "key-3", ""}));
  BOOST_REQUIRE_EQUAL(found.size(), 1U);
  BOOST_TEST(found[0].key == "key-1");
  BOOST_TEST((found[0].unit == one));
  BOOST_TEST((found[0].input == core::sha256_of(input)));
  BOOST_TEST(value_of(f.db->find_source_units(step.id, {})).empty());

  const std::string other = "{\"b\":\"\xc3\xa4\"}";
  BOOST_TEST(is(f.write({core::set_unit_input{one, other}}), committed));
  BOOST_TEST(value_of(f.db->load_units({one}, {})).at(0).input == other);
  found = value_of(f.db->find_source_units(step.id, {"key-1"}));
  BOOST_TEST((found.at(0).input == core::sha256_of(other)));
}

// A3
BOOST_AUTO_TEST_CASE_TEMPLATE(input_is_replaced_of_open_units_from_source_data_alone, World,
                              worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.given_unit(step.id);
  BOOST_TEST(is(f.write({core::set_unit_state{unit, core::unit_state::paused, at(5)}}), committed));
  BOOST_TEST(is(f.write({core::set_unit_input{unit, "[1]"}}), committed));
  auto child = f.new_unit(f.given_step().id, 2);
  child.parent = child.root = unit;
  BOOST_TEST(is(f.write({child}), committed));
  BOOST_TEST(is(f.write({core::set_unit_input{child.id, "[1]"}}), refused));
  auto question = f.new_unit(step.id, 3);
  question.truth = "{}";
  BOOST_TEST(is(f.write({question}), committed));
  BOOST_TEST(is(f.write({core::set_unit_input{question.id, "[1]"}}), refused));
  BOOST_TEST(
      is(f.write({core::set_unit_state{unit, core::unit_state::canceled, at(6)}}), committed));
  BOOST_TEST(is(f.write({core::set_unit_input{unit, "[2]"}}), refused));
  BOOST_TEST(value_of(f.db->load_units({unit}, {})).at(0).input == "[1]");
  BOOST_TEST(is(f.write({core::set_unit_input{{f.ids.next(at(0))}, "[1]"}}), refused));
}

// A62-A67, I-2
BOOST_AUTO_TEST_CASE_TEMPLATE(lease_is_read_back_and_counts_against_its_step, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.given_unit(step.id);
  const auto anas = f.given_lease(unit, "ana", 1);
  auto bobs = f.new_lease("bob", 2);
  bobs.expires_at = at(40);
  BOOST_TEST(is(f.write({core::insert_lease{unit, bobs}}), committed));

  const auto loaded = f.load(unit);
  BOOST_REQUIRE_EQUAL(loaded.leases.active.size(), 2U);
  BOOST_TEST(loaded.leases.last_token == 2U);
  const auto& first = loaded.leases.active[0];
  BOOST_TEST((first.id == anas.id && first.owner == "ana" && first.token == 1));
  BOOST_TEST((first.granted_at == anas.granted_at && first.expires_at == anas.expires_at));

  const auto stored = f.load_step(step.id);
  BOOST_REQUIRE_EQUAL(stored.open_units.size(), 1U);
  const auto& open = stored.open_units[0];
  BOOST_REQUIRE_EQUAL(open.holders.size(), 2U);
  BOOST_TEST(open.holders[0].contributor == "ana");
  BOOST_TEST((open.holders[1].assignment == bobs.id));
  BOOST_TEST((open.next_expiry == at(40)));
  BOOST_REQUIRE_EQUAL(open.touched.size(), 2U);
  BOOST_TEST((open.touched[0].until == core::instant::max()));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(impossible_leases_are_refused, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.given_unit(step.id);
  f.given_lease(unit, "ana", 1);
  const auto refuses = [&](core::unit_id on, const core::lease& lease) {
    BOOST_TEST(is(f.write({core::insert_lease{on, lease}}), refused));
  };
  refuses(unit, f.new_lease("ana", 2));                // I-2: holds one already
  refuses({f.ids.next(at(0))}, f.new_lease("ana", 1)); // no such unit
  refuses(unit, f.new_lease("", 2));                   // contributor ids have 1 to 128 bytes
  refuses(unit, f.new_lease(std::string(129, 'a'), 2));
  refuses(unit, f.new_lease("bob", 0));
  auto over_before_it_begins = f.new_lease("bob", 2);
  over_before_it_begins.expires_at = over_before_it_begins.granted_at;
  refuses(unit, over_before_it_begins);
  BOOST_TEST(
      is(f.write({core::insert_lease{unit, f.new_lease(std::string(128, 'a'), 2)}}), committed));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(lease_is_extended_under_its_token_only, World, worlds) { // I-3
  store_fixture<World> f;
  const auto unit = f.given_unit(f.given_step().id);
  f.given_lease(unit, "ana", 5);
  for (const core::token stale : {4, 6})
    BOOST_TEST(is(f.write({core::extend_lease_row{unit, "ana", stale, at(99)}}), refused));
  BOOST_TEST(is(f.write({core::extend_lease_row{unit, "bob", 5, at(99)}}), refused));
  BOOST_TEST((f.load(unit).leases.active[0].expires_at == at(70)));
  BOOST_TEST(is(f.write({core::extend_lease_row{unit, "ana", 5, at(99)}}), committed));
  BOOST_TEST((f.load(unit).leases.active[0].expires_at == at(99)));
  // The clock was set back since it was granted: finding R4.
  BOOST_TEST(is(f.write({core::extend_lease_row{unit, "ana", 5, at(5)}}), committed));
  BOOST_TEST((f.load(unit).leases.active[0].expires_at == at(5)));
  BOOST_TEST((f.load(unit).leases.active[0].granted_at == at(5) - 1us));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(lease_ends_under_its_token_only, World, worlds) { // I-3
  store_fixture<World> f;
  const auto unit = f.given_unit(f.given_step().id);
  f.given_lease(unit, "ana", 5);
  const auto end = [&](const std::string& owner, core::token token) {
    return f.write({core::end_lease_row{unit, owner, token, core::lease_end::released, at(20)}});
  };
  BOOST_TEST(is(end("ana", 4), refused));
  BOOST_TEST(is(end("bob", 5), refused));
  BOOST_TEST(f.load(unit).leases.active.size() == 1U);
  BOOST_TEST(is(end("ana", 5), committed));
  BOOST_TEST(is(end("ana", 5), refused));
  const auto loaded = f.load(unit);
  BOOST_TEST(loaded.leases.active.empty());
  // The counter lives on in the history: the next grant must not repeat a token.
  BOOST_TEST(loaded.leases.last_token == 5U);
}

// I-1, I-12, A109: the lease becomes Submitted, and the judgment counts
BOOST_AUTO_TEST_CASE_TEMPLATE(late_judgment_takes_its_lease_out_of_the_history, World, worlds) {
  store_fixture<World> f;
  f.policy.late_submit = core::late_submit::accept_if_free;
  const auto unit = f.given_unit(f.given_step().id);
  const auto lease = f.given_lease(unit, "ana", 5);
  const auto late = f.judgment(unit, "ana", 5);
  const auto write = [&](const core::insert_judgment& judgment) {
    return f.write({core::insert_late_judgment{judgment}});
  };
  BOOST_TEST(is(write(late), refused)); // its lease is held
  BOOST_TEST(is(f.write({core::end_lease_row{unit, "ana", 5, core::lease_end::expired, at(70)}}),
                committed));
  BOOST_TEST(f.load(unit).lapsed.size() == 1U);
  BOOST_TEST(is(write(f.judgment(unit, "ana", 4)), refused));
  BOOST_TEST(is(write(f.judgment(unit, "bob", 5)), refused));
  BOOST_TEST(is(write(late), committed));
  BOOST_TEST(is(write(late), refused));

  const auto loaded = f.load(unit);
  BOOST_TEST(loaded.lapsed.empty());
  BOOST_TEST(loaded.leases.last_token == 5U);
  BOOST_REQUIRE_EQUAL(loaded.judgments.size(), 1U);
  BOOST_TEST((loaded.judgments[0].id == late.id && loaded.judgments[0].token == 5U));
  BOOST_TEST(value_of(f.db->statistics(loaded.step)).expired_leases == 0U);
  const auto history = value_of(f.db->load_lineage(unit, {}, 1)).units.at(0);
  BOOST_REQUIRE_EQUAL(history.leases.size(), 1U);
  BOOST_TEST((history.leases[0].lease.id == lease.id && !history.leases[0].ending));
  BOOST_REQUIRE_EQUAL(history.judgments.size(), 1U);
  BOOST_TEST(history.judgments[0].late);
  BOOST_TEST(!history.judgments[0].surplus);
}

// I-1, I-12, A109: it is there and in nothing that counts
BOOST_AUTO_TEST_CASE_TEMPLATE(surplus_is_kept_apart, World, worlds) {
  store_fixture<World> f;
  const auto unit = f.given_unit(f.given_step().id);
  f.given_lease(unit, "ana", 1);
  f.given_lease(unit, "bob", 2);
  const auto end = [&](const std::string& who, core::token token, core::lease_end how) {
    BOOST_TEST(is(f.write({core::end_lease_row{unit, who, token, how, at(70)}}), committed));
  };
  auto kept = f.judgment(unit, "ana", 1);
  kept.submitted_at = at(80);
  const auto write = [&](const core::insert_judgment& judgment) {
    return f.write({core::insert_surplus_judgment{judgment}});
  };
  BOOST_TEST(is(write(kept), refused)); // its lease is held
  end("ana", 1, core::lease_end::expired);
  end("bob", 2, core::lease_end::released);
  BOOST_TEST(is(write(f.judgment(unit, "bob", 2)), refused));
  BOOST_TEST(is(write(f.judgment(unit, "bob", 1)), refused));
  BOOST_TEST(is(write(kept), committed));
  BOOST_TEST(is(write(f.judgment(unit, "ana", 1)), refused)); // one for each lease

  for (const auto policy : {core::late_submit::accept_if_free, core::late_submit::surplus}) {
    f.policy.late_submit = policy;
    const auto loaded = f.load(unit);
    BOOST_TEST(loaded.judgments.empty());
    BOOST_REQUIRE_EQUAL(loaded.lapsed.size(), 1U);
    BOOST_TEST(loaded.lapsed[0].contributor == "ana");
    BOOST_TEST(loaded.lapsed[0].token == 1U);
    BOOST_TEST((loaded.lapsed[0].surplus == kept.id));
  }
  f.policy.late_submit = core::late_submit::reject;
  const auto strict = f.load(unit);
  BOOST_TEST(strict.lapsed.empty());
  const auto counted = value_of(f.db->statistics(strict.step));
  BOOST_TEST(counted.judgments == 0U);
  BOOST_TEST(counted.expired_leases == 1U);
  BOOST_TEST(f.load_step(strict.step).open_units.at(0).judged == 0U);
  const auto history = value_of(f.db->load_lineage(unit, {}, 1)).units.at(0);
  BOOST_REQUIRE_EQUAL(history.judgments.size(), 1U);
  const auto& told = history.judgments[0];
  BOOST_TEST((told.id == kept.id && told.contributor == "ana" && told.payload == kept.payload));
  BOOST_TEST((told.answer == kept.answer && told.submitted_at == at(80)));
  BOOST_TEST((told.late && told.surplus && !told.tainted_at && !told.test_correct));
  BOOST_TEST((history.leases.at(0).ending == std::optional{core::lease_end::expired}));
}

// I-3: whatever has become of it, an assignment that is over is known by its id
BOOST_AUTO_TEST_CASE_TEMPLATE(assignments_that_are_over_are_found_by_the_time_of_their_end, World,
                              worlds) {
  store_fixture<World> f;
  const auto unit = f.given_unit(f.given_step().id, 1, 9);
  const auto held = f.given_lease(unit, "holds", 1).id;
  const auto judged = f.given_lease(unit, "judges", 2).id;
  BOOST_TEST(is(f.write({f.judgment(unit, "judges", 2)}), committed));
  const auto released = f.given_lease(unit, "releases", 3).id;
  BOOST_TEST(
      is(f.write({core::end_lease_row{unit, "releases", 3, core::lease_end::released, at(70)}}),
         committed));
  const core::assignment_id unknown{*core::parse_uuid("018f2c5e-7c1a-7000-8000-00000000ffff")};
  const auto over = [&](core::instant since) {
    auto found = value_of(f.db->find_over({held, judged, released, unknown}, since));
    std::sort(found.begin(), found.end());
    return found;
  };
  std::vector<core::assignment_id> both{judged, released};
  std::sort(both.begin(), both.end());
  BOOST_TEST((over(at(0)) == both));
  BOOST_TEST((over(at(70)) == std::vector{released}));
  BOOST_TEST(over(at(1000)).empty());
  BOOST_TEST(value_of(f.db->find_over({}, at(0))).empty());
}

// G-5: the unit knows which expired leases were the last of their contributors
BOOST_AUTO_TEST_CASE_TEMPLATE(only_the_last_lease_of_a_contributor_has_lapsed, World, worlds) {
  store_fixture<World> f;
  f.policy.late_submit = core::late_submit::accept_if_free;
  const auto unit = f.given_unit(f.given_step().id, 1, 9);
  core::token token = 0;
  const auto end = [&](const std::string& who, core::lease_end how) {
    f.given_lease(unit, who, ++token);
    BOOST_TEST(is(f.write({core::end_lease_row{unit, who, token, how, at(70)}}), committed));
  };
  end("twice", core::lease_end::expired);
  end("twice", core::lease_end::expired);
  end("released", core::lease_end::expired);
  end("released", core::lease_end::released);
  end("holds", core::lease_end::expired);
  f.given_lease(unit, "holds", ++token);
  end("judged", core::lease_end::expired);
  f.given_lease(unit, "judged", ++token);
  BOOST_TEST(is(f.write({f.judgment(unit, "judged", token)}), committed));
  // An ending and what comes late after it may be one change.
  f.given_lease(unit, "late", ++token);
  BOOST_TEST(is(f.write({core::end_lease_row{unit, "late", token, core::lease_end::expired, at(70)},
                         core::insert_late_judgment{f.judgment(unit, "late", token)}}),
                committed));

  const auto loaded = f.load(unit);
  BOOST_REQUIRE_EQUAL(loaded.lapsed.size(), 1U);
  BOOST_TEST(loaded.lapsed[0].contributor == "twice");
  BOOST_TEST(loaded.lapsed[0].token == 2U);
  BOOST_TEST(!loaded.lapsed[0].surplus);
  BOOST_TEST(loaded.judgments.size() == 2U);
  for (const auto& judged : loaded.judgments)
    BOOST_TEST(judged.late == (judged.contributor == "late"), judged.contributor);
}

// G-5
BOOST_AUTO_TEST_CASE_TEMPLATE(ended_leases_bar_by_the_policy, World, worlds) {
  store_fixture<World> f;
  f.policy.regrant_after = 30s;
  const auto step = f.given_step();
  const auto unit = f.given_unit(step.id);
  core::token token = 0;
  const auto end = [&](const std::string& owner, core::lease_end how, core::instant when) {
    f.given_lease(unit, owner, ++token);
    BOOST_TEST(is(f.write({core::end_lease_row{unit, owner, token, how, when}}), committed));
  };
  end("expired", core::lease_end::expired, at(20));
  end("expired", core::lease_end::expired, at(50)); // the later one counts
  end("released", core::lease_end::released, at(21));
  end("declined", core::lease_end::declined, at(22));
  end("ejected", core::lease_end::ejected, at(23));

  const auto check = [](std::vector<core::bar> bars) {
    BOOST_REQUIRE_EQUAL(bars.size(), 3U);
    std::sort(bars.begin(), bars.end(),
              [](const auto& a, const auto& b) { return a.contributor < b.contributor; });
    BOOST_TEST((bars[0].contributor == "declined" && bars[0].until == core::instant::max()));
    BOOST_TEST((bars[1].contributor == "ejected" && bars[1].until == core::instant::max()));
    BOOST_TEST((bars[2].contributor == "expired" && bars[2].until == at(80)));
  };
  check(f.load(unit).bars); // a release bars for no time
  auto touched = f.load_step(step.id).open_units.at(0).touched;
  const auto released = std::find_if(touched.begin(), touched.end(),
                                     [](const auto& bar) { return bar.contributor == "released"; });
  BOOST_REQUIRE((released != touched.end()));
  BOOST_TEST((released->until == at(21)));
  touched.erase(released);
  check(touched);
  BOOST_TEST(value_of(f.db->statistics(step.id)).expired_leases == 2U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(policies_are_asked_for_the_stored_definition, World, worlds) {
  store_fixture<World> f;
  const core::workflow_id workflow{f.ids.next(at(0))};
  const auto step = f.new_step(workflow, 3);
  BOOST_TEST(is(f.write({core::insert_workflow{workflow, "w", R"({"a":1})", at(0)},
                         core::insert_step{step, at(0)}}),
                committed));
  const auto policies_of = [](const std::vector<std::string>& definitions, const std::string& key) {
    BOOST_TEST(definitions == (std::vector<std::string>{R"({"a":1})"}),
               boost::test_tools::per_element());
    BOOST_TEST(key == "step-3");
    return core::lease_policies{};
  };
  const auto loaded = value_of(f.db->load_step(step.id, policies_of));
  BOOST_TEST(loaded.next_ordinal == 1U);
  BOOST_TEST(loaded.open_units.empty());
  BOOST_TEST(fails_with(f.db->load_step({f.ids.next(at(0))}, policies_of), core::errc::not_found));
}

// A53-A58, G-6
BOOST_AUTO_TEST_CASE_TEMPLATE(judgment_takes_the_place_of_its_lease, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.given_unit(step.id);
  f.given_lease(unit, "ana", 3);
  const auto answer = f.judgment(unit, "ana", 3);
  BOOST_TEST(is(f.write({answer}), committed));

  const auto loaded = f.load(unit);
  BOOST_TEST(loaded.leases.active.empty());
  BOOST_TEST(loaded.leases.last_token == 3U);
  BOOST_REQUIRE_EQUAL(loaded.judgments.size(), 1U);
  const auto& mark = loaded.judgments[0];
  BOOST_TEST((mark.id == answer.id && mark.contributor == "ana" && mark.token == 3));
  BOOST_TEST(mark.answer == "x");
  const auto open = f.load_step(step.id).open_units.at(0);
  BOOST_TEST(open.judged == 1U);
  BOOST_TEST(open.holders.empty());
  BOOST_TEST((open.next_expiry == core::instant::max()));
  BOOST_REQUIRE_EQUAL(open.touched.size(), 1U);
  BOOST_TEST((open.touched[0].until == core::instant::max()));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(judgments_without_their_lease_are_refused, World,
                              worlds) { // I-2, I-3
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.given_unit(step.id);
  f.given_lease(unit, "ana", 3);
  BOOST_TEST(is(f.write({f.judgment(unit, "ana", 2)}), refused));
  BOOST_TEST(is(f.write({f.judgment(unit, "bob", 3)}), refused));
  auto distrusted = f.judgment(unit, "ana", 3);
  distrusted.trust_snapshot = 1.5;
  BOOST_TEST(is(f.write({distrusted}), refused));
  const auto first = f.judgment(unit, "ana", 3);
  BOOST_TEST(is(f.write({first}), committed));
  // a second time: the lease is used up
  BOOST_TEST(is(f.write({first}), refused));
  // even under a new lease: one judgment per contributor
  f.given_lease(unit, "ana", 4);
  BOOST_TEST(is(f.write({f.judgment(unit, "ana", 4)}), refused));
  // ids are unique over all units
  const auto other = f.given_unit(step.id, 2);
  f.given_lease(other, "ana", 1);
  auto twin = f.judgment(other, "ana", 1);
  twin.id = first.id;
  BOOST_TEST(is(f.write({twin}), refused));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(judgments_come_back_in_order_of_arrival, World, worlds) {
  store_fixture<World> f;
  const auto unit = f.given_unit(f.given_step().id);
  for (const auto* who : {"c", "a", "b"})
    f.given_lease(unit, who, who[0] == 'c' ? 1 : who[0] == 'a' ? 2 : 3);
  auto late = f.judgment(unit, "c", 1);
  late.submitted_at = at(40);
  BOOST_TEST(is(f.write({late, f.judgment(unit, "b", 3), f.judgment(unit, "a", 2)}), committed));
  const auto judgments = f.load(unit).judgments;
  BOOST_REQUIRE_EQUAL(judgments.size(), 3U);
  BOOST_TEST(judgments[0].contributor == "a");
  BOOST_TEST(judgments[1].contributor == "b");
  BOOST_TEST(judgments[2].contributor == "c");
}

// A46, A50, A51
BOOST_AUTO_TEST_CASE_TEMPLATE(unit_moves_between_its_states, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.given_unit(step.id);
  const auto set = [&](core::unit_state state) {
    return f.write({core::set_unit_state{unit, state, at(5)}});
  };
  BOOST_TEST(is(set(core::unit_state::paused), committed));
  BOOST_TEST((f.load_step(step.id).open_units.at(0).state == core::unit_state::paused));
  BOOST_TEST(is(set(core::unit_state::judgable), committed));
  BOOST_TEST(is(set(core::unit_state::finalized), refused)); // has no result
  BOOST_TEST(is(f.write({core::finalize_unit{unit, "{}", 1.01, at(6)}}), refused));
  BOOST_TEST(is(
      f.write({core::finalize_unit{unit, "{}", std::numeric_limits<double>::quiet_NaN(), at(6)}}),
      refused));
  BOOST_TEST(is(f.write({core::finalize_unit{unit, R"({"answer":"x"})", 0.75, at(6)}}), committed));
  const auto loaded = f.load(unit);
  BOOST_TEST((loaded.state == core::unit_state::finalized));
  BOOST_TEST(loaded.result == R"({"answer":"x"})");
  BOOST_TEST(loaded.confidence == 0.75);
  BOOST_TEST(f.load_step(step.id).open_units.empty());
  // final is final
  BOOST_TEST(is(f.write({core::finalize_unit{unit, "{}", 1, at(7)}}), refused));
  BOOST_TEST(is(set(core::unit_state::judgable), refused));
  BOOST_TEST(is(f.write({core::insert_lease{unit, f.new_lease("ana", 1)}}), refused));
  // and so is canceled
  const auto other = f.given_unit(step.id, 2);
  BOOST_TEST(
      is(f.write({core::set_unit_state{other, core::unit_state::canceled, at(8)}}), committed));
  BOOST_TEST(
      is(f.write({core::set_unit_state{other, core::unit_state::judgable, at(9)}}), refused));
  BOOST_TEST(
      is(f.write({core::set_unit_state{{f.ids.next(at(0))}, core::unit_state::paused, at(9)}}),
         refused));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(paused_unit_is_resumed_and_leased_in_one_batch, World, worlds) {
  store_fixture<World> f;
  const auto unit = f.given_unit(f.given_step().id);
  BOOST_TEST(is(f.write({core::set_unit_state{unit, core::unit_state::paused, at(5)}}), committed));
  BOOST_TEST(is(f.write({core::set_unit_state{unit, core::unit_state::judgable, at(6)},
                         core::insert_lease{unit, f.new_lease("ana", 1)}}),
                committed));
}

// A127
BOOST_AUTO_TEST_CASE_TEMPLATE(of_several_updates_of_a_step_the_last_counts, World, worlds) {
  store_fixture<World> f;
  auto step = f.given_step();
  step.total_units = 2;
  core::change first{{core::update_step{step}}, {}};
  step.total_units = 7;
  step.completed_units = 7;
  step.sealed = true;
  step.revision = 4;
  step.status = core::step_status::completed;
  core::change second{{core::update_step{step}}, {}};
  BOOST_TEST(is(f.commit({{f.part(0, {first, second})}}), committed));
  const auto row = f.load_step(step.id).row;
  BOOST_TEST(row.total_units == 7U);
  BOOST_TEST(row.completed_units == 7U);
  BOOST_TEST(row.sealed);
  BOOST_TEST(row.revision == 4U);
  BOOST_TEST((row.status == core::step_status::completed));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(impossible_step_rows_are_refused, World, worlds) { // I-6, G-8
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto refuses = [&](void (*change)(core::step_row&)) {
    auto row = step;
    row.total_units = 2;
    change(row);
    BOOST_TEST(is(f.write({core::update_step{row}}), refused));
  };
  refuses([](auto& row) { row.completed_units = 3; });
  refuses([](auto& row) { row.revision = 0; });
  refuses([](auto& row) { row.job_revision = std::uint64_t{1} << 63; });
  refuses([](auto& row) { row.id.value.bytes[9] ^= 1; });
  refuses([](auto& row) { row.status = core::step_status::completed, row.completed_units = 2; });
  refuses([](auto& row) { row.status = core::step_status::completed, row.sealed = true; });
  BOOST_TEST(f.load_step(step.id).row.total_units == 0U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(next_ordinal_counts_units_that_have_ended, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  f.given_unit(step.id, 4);
  const auto last = f.given_unit(step.id, 9);
  f.given_unit(step.id, 2);
  BOOST_TEST(
      is(f.write({core::set_unit_state{last, core::unit_state::canceled, at(5)}}), committed));
  const auto loaded = f.load_step(step.id);
  BOOST_TEST(loaded.next_ordinal == 10U);
  BOOST_REQUIRE_EQUAL(loaded.open_units.size(), 2U);
  BOOST_TEST(loaded.open_units[0].ordinal == 2U);
  BOOST_TEST(loaded.open_units[1].ordinal == 4U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(results_and_statistics_cover_the_whole_step, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto done = f.given_unit(step.id, 1, 1);
  const auto open = f.given_unit(step.id, 2);
  const auto paused = f.given_unit(step.id, 3);
  const auto canceled = f.given_unit(step.id, 4);
  f.given_unit(f.given_step().id, 1); // of another step
  f.given_lease(done, "ana", 1);
  f.given_lease(open, "ana", 1);
  BOOST_TEST(is(f.write({f.judgment(done, "ana", 1)}), committed));
  BOOST_TEST(is(f.write({core::finalize_unit{done, "{}", 1, at(9)},
                         core::set_unit_state{paused, core::unit_state::paused, at(9)},
                         core::set_unit_state{canceled, core::unit_state::canceled, at(9)}}),
                committed));

  BOOST_TEST(fails_with(f.db->statistics({f.ids.next(at(0))}), core::errc::not_found));
  const auto counted = value_of(f.db->statistics(step.id));
  BOOST_TEST((counted.step.id == step.id && counted.step.key == step.key));
  BOOST_TEST(counted.judgable == 1U);
  BOOST_TEST(counted.paused == 1U);
  BOOST_TEST(counted.finalized == 1U);
  BOOST_TEST(counted.canceled == 1U);
  BOOST_TEST(counted.judgments == 1U);
  BOOST_TEST(counted.active_leases == 1U);
  BOOST_TEST(counted.expired_leases == 0U);

  auto [page, last] = value_of(f.db->list_results(step.id, 0, 3));
  BOOST_REQUIRE_EQUAL(page.size(), 3U);
  BOOST_TEST(last == 3U);
  BOOST_TEST((page[0].unit == done && page[0].result == "{}" && page[0].confidence == 1));
  BOOST_TEST(page[0].judgments == 1U);
  BOOST_TEST(page[0].source_key == "key-1");
  BOOST_TEST((page[1].unit == open && page[1].result.empty()));
  std::tie(page, last) = value_of(f.db->list_results(step.id, last, 3));
  BOOST_REQUIRE_EQUAL(page.size(), 1U);
  BOOST_TEST((page[0].state == core::unit_state::canceled));
  std::tie(page, last) = value_of(f.db->list_results(step.id, last, 3));
  BOOST_TEST(page.empty());
  BOOST_TEST(last == 4U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(text_that_is_not_utf8_without_nul_is_refused, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const std::vector<std::string> bad{std::string("a\0b", 3), "\xff",   "\xc0\xaf", "\xed\xa0\x80",
                                     "\xf4\x90\x80\x80",     "caf\xc3"};
  for (const auto& text : bad) {
    auto unit = f.new_unit(step.id, 1);
    unit.input = text;
    BOOST_TEST(is(f.write({unit}), refused));
  }
  auto unit = f.new_unit(step.id, 1);
  unit.input = "\"\xf0\x9f\x99\x82 \xe2\x82\xac \xc3\xa9 \x7f\x01 '\\\"";
  BOOST_TEST(is(f.write({unit}), committed));
  BOOST_TEST(f.load(unit.id).input == unit.input);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(large_payloads_and_batches_come_back_whole, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  std::vector<core::change> changes;
  std::vector<core::unit_id> ids;
  for (std::uint64_t i = 1; i <= 1500; ++i) {
    auto unit = f.new_unit(step.id, i);
    if (i == 700)
      unit.input = '"' + std::string(3'000'000, 'x') + '"';
    ids.push_back(unit.id);
    changes.push_back(
        {{unit}, {event_about(unit.id, core::event_type::unit_ready_for_assignment)}});
  }
  BOOST_TEST(is(f.commit({{f.part(0, changes)}}), committed));
  const auto loaded = value_of(f.db->load_units(ids, f.policy));
  BOOST_REQUIRE_EQUAL(loaded.size(), 1500U);
  BOOST_TEST(loaded[699].input.size() == 3'000'002U);
  BOOST_TEST(f.load_step(step.id).open_units.size() == 1500U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
