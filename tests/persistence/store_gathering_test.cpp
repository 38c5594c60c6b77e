// What is stored of units that wait to become one, and of what they become.

#include "tests/persistence/conformance.hpp"

namespace holdfast::test {

namespace {

template <class World>
class gathering_fixture : public store_fixture<World> {
public:
  core::insert_unit new_waiting(std::uint64_t ordinal) {
    auto unit = this->new_unit(step.id, ordinal);
    unit.gathered = true;
    return unit;
  }

  core::unit_id given_waiting(std::uint64_t ordinal) {
    const auto unit = new_waiting(ordinal);
    BOOST_TEST(is(this->write({unit}), committed));
    return unit.id;
  }

  /// A unit that goes on from `parent`.
  core::insert_unit child_of(const core::insert_unit& parent, core::step_id in,
                             std::uint64_t ordinal) {
    auto unit = this->new_unit(in, ordinal);
    unit.parent = parent.id;
    unit.root = parent.root;
    return unit;
  }

  /// Of the units that wait, in the order in which the step has them.
  std::vector<core::unit_id> waiting() {
    std::vector<core::unit_id> units;
    for (const auto& unit : this->load_step(step.id).waiting)
      units.push_back(unit.unit);
    return units;
  }

  void judge(core::unit_id unit, const std::string& who) {
    this->given_lease(unit, who, 1);
    BOOST_TEST(is(this->write({this->judgment(unit, who, 1)}), committed));
  }

  core::step_row step = this->given_step();
};

std::vector<core::unit_id> units_of(const persistence::unit_chain& chain) {
  std::vector<core::unit_id> units;
  for (const auto& link : chain.links)
    units.push_back(link.unit);
  return units;
}
/// The first of each link; empty: nobody.
std::vector<std::string> judges_of(const persistence::unit_chain& chain) {
  std::vector<std::string> judges;
  for (const auto& link : chain.links)
    judges.push_back(link.judges.empty() ? "" : link.judges.front());
  return judges;
}

BOOST_AUTO_TEST_SUITE(gathering_in_the_store)

// A88, I-5
BOOST_AUTO_TEST_CASE_TEMPLATE(the_place_in_a_list_is_read_as_written, World, worlds) {
  gathering_fixture<World> f;
  const auto parent = f.new_unit(f.step.id, 1);
  BOOST_TEST(is(f.write({parent}), committed));
  auto item = f.child_of(parent, f.step.id, 2);
  item.list = {parent.id, 3, 2};
  BOOST_TEST(is(f.write({item}), committed));
  const auto loaded = f.load(item.id).list;
  BOOST_TEST((loaded.of == parent.id));
  BOOST_TEST(loaded.size == 3U);
  BOOST_TEST(loaded.part == 2U);
  const auto of_none = f.load(parent.id).list;
  BOOST_TEST(!of_none.of);
  BOOST_TEST(of_none.size == 0U);

  auto other = f.new_unit(f.step.id, 3);
  other.list = {parent.id, 3, 3}; // behind the last
  BOOST_TEST(is(f.write({other}), refused));
  other.list = {parent.id, 0, 0};
  BOOST_TEST(is(f.write({other}), refused));
  other.list = {parent.id, 0x80000000U, 0};
  BOOST_TEST(is(f.write({other}), refused));
  other.list = {parent.id, 0x7fffffffU, 0x7ffffffeU};
  BOOST_TEST(is(f.write({other}), committed));
  BOOST_TEST(f.load(other.id).list.part == 0x7ffffffeU);
}

// A88, I-5
BOOST_AUTO_TEST_CASE_TEMPLATE(a_gathered_unit_waits_in_its_step, World, worlds) {
  gathering_fixture<World> f;
  const auto parent = f.given_unit(f.step.id, 1);
  auto second = f.new_waiting(7);
  second.input = "\"\xc3\xa4\"";
  second.version = 2;
  second.list = {parent, 4, 1};
  second.excluded = {"ana"};
  const auto first = f.given_waiting(5);
  BOOST_TEST(is(f.write({second}), committed));

  const auto step = f.load_step(f.step.id);
  BOOST_TEST(step.next_ordinal == 8U);
  BOOST_REQUIRE_EQUAL(step.open_units.size(), 1U);
  BOOST_TEST((step.open_units[0].id == parent));
  BOOST_REQUIRE_EQUAL(step.waiting.size(), 2U);
  BOOST_TEST((step.waiting[0].unit == first));
  BOOST_TEST(step.waiting[0].ordinal == 5U);
  BOOST_TEST(step.waiting[0].version == 1U);
  BOOST_TEST(!step.waiting[0].list.of);
  BOOST_TEST((step.waiting[1].unit == second.id));
  BOOST_TEST(step.waiting[1].ordinal == 7U);
  BOOST_TEST(step.waiting[1].version == 2U);
  BOOST_TEST((step.waiting[1].list.of == parent));
  BOOST_TEST(step.waiting[1].list.size == 4U);
  BOOST_TEST(step.waiting[1].list.part == 1U);
  BOOST_TEST(step.waiting[1].bytes == 4U); // not characters

  const auto loaded = f.load(second.id);
  BOOST_TEST((loaded.state == core::unit_state::gathered));
  BOOST_TEST(!loaded.batch);
  BOOST_REQUIRE_EQUAL(loaded.bars.size(), 1U);
  BOOST_TEST(loaded.bars[0].contributor == "ana");
  BOOST_TEST((loaded.bars[0].until == core::instant::max()));
}

// A88, I-1
BOOST_AUTO_TEST_CASE_TEMPLATE(a_gathered_unit_is_not_worked_on, World, worlds) {
  gathering_fixture<World> f;
  const auto unit = f.given_waiting(1);
  const auto other = f.given_unit(f.step.id, 2);
  using core::unit_state;
  for (const auto state : {unit_state::judgable, unit_state::paused, unit_state::finalized,
                           unit_state::canceled, unit_state::gathered})
    BOOST_TEST(is(f.write({core::set_unit_state{unit, state, at(5)}}), refused));
  BOOST_TEST(is(f.write({core::set_unit_slots{unit, 2}}), refused));
  BOOST_TEST(is(f.write({core::finalize_unit{unit, "{}", 1, at(5)}}), refused));
  BOOST_TEST(is(f.write({core::reopen_unit{unit, 2, at(5)}}), refused));
  BOOST_TEST(is(f.write({core::insert_lease{unit, f.new_lease("ana", 1)}}), refused));
  // Nor does a unit become gathered later, or one whose answer is known.
  BOOST_TEST(is(f.write({core::set_unit_state{other, unit_state::gathered, at(5)}}), refused));
  auto question = f.new_waiting(3);
  question.truth = "\"x\"";
  BOOST_TEST(is(f.write({question}), refused));
}

// A88, I-5
BOOST_AUTO_TEST_CASE_TEMPLATE(a_batch_takes_what_waits, World, worlds) {
  gathering_fixture<World> f;
  const auto first = f.new_waiting(1);
  BOOST_TEST(is(f.write({first}), committed));
  const auto second = f.given_waiting(2);
  const auto third = f.given_waiting(3);
  const auto batch = f.child_of(first, f.step.id, 4);
  // By one change, wherever in it.
  BOOST_TEST(is(f.write({core::gather_units{batch.id, {third, first.id}}, batch}), committed));
  BOOST_TEST((f.waiting() == std::vector{second}));
  const auto step = f.load_step(f.step.id);
  BOOST_REQUIRE_EQUAL(step.open_units.size(), 1U);
  BOOST_TEST((step.open_units[0].id == batch.id));
  for (const auto& member : {first.id, third}) {
    const auto loaded = f.load(member);
    BOOST_TEST((loaded.state == core::unit_state::gathered));
    BOOST_TEST((loaded.batch == batch.id));
  }
  BOOST_TEST(!f.load(second).batch);
  BOOST_TEST(!f.load(batch.id).batch);

  const auto counted = value_of(f.db->statistics(f.step.id));
  BOOST_TEST(counted.judgable == 1U);
  BOOST_TEST(counted.paused + counted.finalized + counted.canceled == 0U);
  const auto results = value_of(f.db->list_results(f.step.id, 0, 10)).first;
  BOOST_REQUIRE_EQUAL(results.size(), 4U);
  BOOST_TEST((results[0].state == core::unit_state::gathered));
  BOOST_TEST((results[3].state == core::unit_state::judgable));
  // The batch is in the item of the unit that it goes on from.
  const auto item = value_of(f.db->load_lineage(batch.id, {}, 10));
  BOOST_TEST((item.root == first.id));
  BOOST_REQUIRE_EQUAL(item.units.size(), 2U);
  BOOST_TEST((item.units[0].id == first.id && item.units[0].batch == batch.id));
  BOOST_TEST((item.units[0].state == core::unit_state::gathered));
  BOOST_TEST(!item.units[0].changed_at);
  BOOST_TEST((item.units[1].id == batch.id && !item.units[1].batch));
  BOOST_TEST((item.units[1].parent == first.id));
}

// A88, I-5
BOOST_AUTO_TEST_CASE_TEMPLATE(a_batch_of_what_does_not_wait_for_it_is_refused, World, worlds) {
  gathering_fixture<World> f;
  const auto elsewhere = f.given_step();
  const auto batch = f.given_unit(f.step.id, 1);
  const auto first = f.given_waiting(2);
  const auto second = f.given_waiting(3);
  const auto open = f.given_unit(f.step.id, 4);
  auto far = f.new_waiting(1);
  far.step = elsewhere.id;
  BOOST_TEST(is(f.write({far}), committed));
  const auto closed = f.given_unit(f.step.id, 5);
  BOOST_TEST(
      is(f.write({core::set_unit_state{closed, core::unit_state::canceled, at(5)}}), committed));
  const core::unit_id nobody{f.ids.next(at(0))};

  const std::vector<core::gather_units> wrong{
      {batch, {first, open}},          // which is worked on
      {batch, {first, far.id}},        // of another step
      {batch, {first, nobody}},        // which is not there
      {batch, {first, second, first}}, // twice
      {nobody, {first, second}},       // into a batch that is not there
      {second, {first}},               // into one that waits
      {closed, {first}},               // into one that is over
  };
  for (const auto& w : wrong) {
    // All of the change, or nothing.
    const auto unit = f.new_unit(f.step.id, 9);
    BOOST_TEST(is(f.write({unit, w}), refused));
    BOOST_TEST((f.waiting() == std::vector{first, second}));
    BOOST_TEST(value_of(f.db->load_units({unit.id}, f.policy)).empty());
  }
  BOOST_TEST(is(f.write({core::gather_units{batch, {first}}}), committed));
  BOOST_TEST(is(f.write({core::gather_units{open, {second, first}}}), refused)); // is part of one
  BOOST_TEST((f.load(first).batch == batch));
  BOOST_TEST((f.waiting() == std::vector{second}));
}

// A27, A88, I-5
BOOST_AUTO_TEST_CASE_TEMPLATE(what_is_taken_out_of_a_batch_waits_again, World, worlds) {
  gathering_fixture<World> f;
  const auto first = f.new_waiting(1);
  BOOST_TEST(is(f.write({first}), committed));
  const auto second = f.given_waiting(2);
  const auto third = f.given_waiting(3);
  const auto alone = f.given_waiting(4);
  const auto batch = f.child_of(first, f.step.id, 5);
  BOOST_TEST(
      is(f.write({batch, core::gather_units{batch.id, {first.id, second, third}}}), committed));
  BOOST_TEST(is(f.write({core::finalize_unit{batch.id, "{}", 1, at(5)}}), committed));
  BOOST_TEST(is(f.write({core::withdraw_unit{batch.id, at(6)}}), committed));
  BOOST_TEST((f.waiting() == std::vector{alone}));

  // By one change: out of it, and who is withdrawn canceled.
  BOOST_TEST(is(f.write({core::withdraw_unit{second, at(7)},
                         core::ungather_units{batch.id, {third, first.id, second}}}),
                committed));
  BOOST_TEST((f.waiting() == std::vector{first.id, third, alone}));
  for (const auto& unit : {first.id, third}) {
    const auto loaded = f.load(unit);
    BOOST_TEST((loaded.state == core::unit_state::gathered));
    BOOST_TEST(!loaded.batch);
    BOOST_TEST(loaded.ungathered == 1U);
  }
  const auto gone = f.load(second);
  BOOST_TEST((gone.state == core::unit_state::canceled));
  BOOST_TEST(!gone.batch);
  BOOST_TEST(gone.result.empty());
  BOOST_TEST(gone.ungathered == 1U);
  BOOST_TEST(f.load(alone).ungathered == 0U);
  BOOST_TEST(f.load(batch.id).result == "{}");
  // Nothing comes from them through it any more.
  const auto chain = value_of(f.db->load_chains({batch.id})).at(0);
  BOOST_TEST((units_of(chain) == std::vector{batch.id, first.id}));

  auto next = f.child_of(first, f.step.id, 6);
  BOOST_TEST(is(f.write({next, core::gather_units{next.id, {first.id, third}}}), refused));
  next.parent_reopened = 1;
  BOOST_TEST(is(f.write({next, core::gather_units{next.id, {first.id, third}}}), committed));
  BOOST_TEST((f.load(third).batch == next.id));
  BOOST_TEST(f.load(third).ungathered == 1U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(only_units_of_a_canceled_batch_are_taken_out, World, worlds) {
  gathering_fixture<World> f;
  const auto first = f.given_waiting(1);
  const auto second = f.given_waiting(2);
  const auto third = f.given_waiting(3);
  const auto batch = f.given_unit(f.step.id, 4);
  const auto other = f.given_unit(f.step.id, 5);
  BOOST_TEST(
      is(f.write({core::gather_units{batch, {first, second}}, core::gather_units{other, {third}}}),
         committed));
  const auto canceled = core::unit_state::canceled;
  BOOST_TEST(is(f.write({core::ungather_units{batch, {first, second}}}), refused)); // open
  BOOST_TEST(is(f.write({core::finalize_unit{other, "{}", 1, at(5)}}), committed));
  BOOST_TEST(is(f.write({core::ungather_units{other, {third}}}), refused)); // finished
  BOOST_TEST(is(f.write({core::set_unit_state{batch, canceled, at(5)}}), committed));
  const core::unit_id nobody{f.ids.next(at(0))};
  const std::vector<core::ungather_units> wrong{
      {batch, {first, third}},  // of another one
      {batch, {first, nobody}}, // which is not there
      {batch, {first, first}},  // twice
      {batch, {batch}},         // not gathered
      {nobody, {first}},        // out of a batch that is not there
      {other, {first}},         // out of another one
  };
  for (const auto& w : wrong) {
    BOOST_TEST(is(f.write({w}), refused));
    BOOST_TEST((f.load(first).batch == batch));
    BOOST_TEST(f.load(first).ungathered == 0U);
  }
  BOOST_TEST(is(f.write({core::withdraw_unit{first, at(6)}}), refused)); // part of a batch
  BOOST_TEST(is(f.write({core::ungather_units{batch, {first, second}}}), committed));
  BOOST_TEST(is(f.write({core::ungather_units{batch, {first}}}), refused)); // out of it already
  BOOST_TEST(is(f.write({core::withdraw_unit{first, at(6)}}), committed));
  BOOST_TEST(is(f.write({core::withdraw_unit{first, at(6)}}), refused));
  BOOST_TEST((f.waiting() == std::vector{second}));
}

// A27
BOOST_AUTO_TEST_CASE_TEMPLATE(who_is_gathered_is_found_with_the_others_of_the_batch, World,
                              worlds) {
  gathering_fixture<World> f;
  auto first = f.new_waiting(1);
  first.input = "\"\xc3\xa4\"";
  first.version = 2;
  BOOST_TEST(is(f.write({first}), committed));
  auto second = f.new_waiting(2);
  second.list = {first.id, 4, 1};
  BOOST_TEST(is(f.write({second}), committed));
  const auto third = f.given_waiting(3);
  const auto alone = f.given_waiting(4);
  f.given_waiting(5);
  const auto batch = f.given_unit(f.step.id, 6);
  const auto other = f.given_unit(f.step.id, 7);
  BOOST_TEST(is(f.write({core::gather_units{batch, {second.id, first.id}},
                         core::gather_units{other, {third}}}),
                committed));
  const auto found = [&](const std::vector<core::unit_id>& units) {
    std::vector<core::unit_id> together;
    for (const auto& one : value_of(f.db->gathered_with(units)))
      together.push_back(one.unit.unit);
    return together;
  };
  BOOST_TEST((found({second.id}) == std::vector{first.id, second.id}));
  BOOST_TEST((found({alone, second.id, first.id}) == std::vector{first.id, second.id, alone}));
  BOOST_TEST((found({third, alone}) == std::vector{third, alone}));
  BOOST_TEST(found({}).empty());
  // What is not gathered is not, whoever is part of it.
  BOOST_TEST(found({batch, {f.ids.next(at(0))}}).empty());
  const auto whole = value_of(f.db->gathered_with({second.id, alone}));
  BOOST_REQUIRE(whole.size() == 3U);
  BOOST_TEST((whole[0].batch == batch && whole[1].batch == batch && !whole[2].batch));
  BOOST_TEST(whole[0].unit.ordinal == 1U);
  BOOST_TEST(whole[0].unit.version == 2U);
  BOOST_TEST(whole[0].unit.bytes == 4U); // not characters
  BOOST_TEST(!whole[0].unit.list.of);
  BOOST_TEST((whole[1].unit.list.of == first.id));
  BOOST_TEST(whole[1].unit.list.size == 4U);
  BOOST_TEST(whole[1].unit.list.part == 1U);
}

// A20, A42, A88
BOOST_AUTO_TEST_CASE_TEMPLATE(a_batch_comes_from_all_that_its_units_come_from, World, worlds) {
  gathering_fixture<World> f;
  const auto source = f.given_step();
  const auto after = f.given_step();
  // Two items of one list, and a unit of its own chain.
  const auto list = f.new_unit(source.id, 1);
  const auto alone = f.new_unit(source.id, 2);
  auto item = f.child_of(list, f.step.id, 1);
  auto other = f.child_of(list, f.step.id, 2);
  other.part = 1;
  auto single = f.child_of(alone, f.step.id, 3);
  for (auto* unit : {&item, &other, &single}) {
    unit->gathered = true;
    unit->input = std::to_string(unit->ordinal);
  }
  const auto batch = f.child_of(single, f.step.id, 4);
  const auto last = f.child_of(batch, after.id, 1);
  BOOST_TEST(is(f.write({list, alone}), committed));
  f.judge(list.id, "cid");
  f.judge(alone.id, "ana");
  BOOST_TEST(is(f.write({item, other, single}), committed));
  BOOST_TEST(is(f.write({batch, core::gather_units{batch.id, {single.id, item.id, other.id}}}),
                committed));
  f.judge(batch.id, "bob");
  BOOST_TEST(is(f.write({last}), committed));

  const auto chains = value_of(f.db->load_chains({last.id, other.id}));
  BOOST_REQUIRE_EQUAL(chains.size(), 2U);
  // Ids ascend in the order in which they were made. A unit that waited comes from its own chain
  // alone, whatever it has become.
  BOOST_TEST((chains[0].last == other.id && chains[1].last == last.id));
  BOOST_TEST((units_of(chains[0]) == std::vector{other.id, list.id}));
  BOOST_TEST(judges_of(chains[0]) == (std::vector<std::string>{"", "cid"}),
             boost::test_tools::per_element());
  BOOST_TEST((units_of(chains[1])
              == std::vector{last.id, batch.id, item.id, other.id, single.id, list.id, alone.id}));
  BOOST_TEST(judges_of(chains[1])
                 == (std::vector<std::string>{"", "bob", "", "", "", "cid", "ana"}),
             boost::test_tools::per_element());
  BOOST_TEST(chains[1].links[3].input == "2");
  BOOST_TEST((chains[1].links[3].step == f.step.id && chains[1].links[5].step == source.id));
}

// A20, A88: a batch of batches, one unit of which has come a longer way.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_chain_names_a_unit_once_and_as_near_as_it_comes, World, worlds) {
  gathering_fixture<World> f;
  const auto source = f.given_step();
  const auto first = f.new_unit(source.id, 1);
  auto inner_part = f.child_of(first, f.step.id, 1);
  inner_part.gathered = true;
  const auto inner = f.child_of(inner_part, f.step.id, 2);
  auto direct = f.child_of(first, f.step.id, 3);
  direct.part = 1;
  direct.gathered = true;
  auto long_way = f.child_of(inner, f.step.id, 4);
  long_way.gathered = true;
  const auto outer = f.child_of(direct, f.step.id, 5);
  BOOST_TEST(is(f.write({first, inner_part, inner, direct, long_way, outer,
                         core::gather_units{inner.id, {inner_part.id}},
                         core::gather_units{outer.id, {direct.id, long_way.id}}}),
                committed));
  const auto chains = value_of(f.db->load_chains({outer.id}));
  BOOST_REQUIRE_EQUAL(chains.size(), 1U);
  BOOST_TEST((units_of(chains[0])
              == std::vector{outer.id, direct.id, long_way.id, first.id, inner.id, inner_part.id}));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
