// What the store keeps of units whose parents' results were taken back.

#include "tests/core/describe.hpp"
#include "tests/persistence/conformance.hpp"

#include <algorithm>

namespace holdfast::test {

namespace {

constexpr auto x_result = R"({"answer":"x"})";

template <class World>
class withdrawal_fixture : public store_fixture<World> {
public:
  core::insert_unit child_of(core::unit_id parent, std::uint64_t ordinal,
                             std::uint32_t parent_reopened = 0, std::uint32_t part = 0) {
    auto child = this->new_unit(next.id, ordinal);
    child.parent = child.root = parent;
    child.parent_reopened = parent_reopened;
    child.part = part;
    return child;
  }

  /// Writes such a child and returns its id.
  core::unit_id given_child(core::unit_id parent, std::uint64_t ordinal,
                            std::uint32_t parent_reopened = 0, std::uint32_t part = 0) {
    const auto child = child_of(parent, ordinal, parent_reopened, part);
    BOOST_TEST(is(this->write({child}), committed));
    return child.id;
  }

  commit_result finalize(core::unit_id unit, std::int16_t route = 1) {
    return this->write({core::finalize_unit{unit, x_result, 0.5, at(30), route, "why"}});
  }

  commit_result withdraw(core::unit_id unit, core::instant when = at(40)) {
    return this->write({core::withdraw_unit{unit, when}});
  }

  std::vector<core::unit_id> made_from(const std::vector<core::taken_back>& results) {
    return value_of(this->db->made_from(next.id, results));
  }

  core::step_row step = this->given_step();
  core::step_row next = this->given_step();
};

BOOST_AUTO_TEST_SUITE(store_withdrawals)

// A27, I-5
BOOST_AUTO_TEST_CASE_TEMPLATE(a_withdrawn_unit_is_canceled_and_keeps_its_result, World, worlds) {
  withdrawal_fixture<World> f;
  const auto parent = f.given_unit(f.step.id, 1);
  const auto unit = f.given_child(parent, 1);
  f.given_lease(unit, "ana", 1);
  BOOST_TEST(is(f.write({f.judgment(unit, "ana", 1)}), committed));
  BOOST_TEST(is(f.finalize(unit), committed));
  BOOST_TEST(is(f.withdraw(unit), committed));

  const auto loaded = f.load(unit);
  BOOST_TEST((loaded.state == core::unit_state::canceled));
  BOOST_TEST(loaded.result == x_result);
  BOOST_TEST(loaded.confidence == 0.5);
  BOOST_TEST(loaded.route == 1);
  BOOST_TEST(loaded.reopened == 0U);
  BOOST_TEST(loaded.judgments.size() == 1U);
  BOOST_TEST(f.load_step(f.next.id).open_units.empty());

  const auto page = value_of(f.db->list_results(f.next.id, 0, 10)).first;
  BOOST_REQUIRE_EQUAL(page.size(), 1U);
  BOOST_TEST((page[0].state == core::unit_state::canceled));
  BOOST_TEST(page[0].result == ""); // it is nobody's result any more

  const auto item = value_of(f.db->load_lineage(unit, {}, 10));
  BOOST_REQUIRE_EQUAL(item.units.size(), 2U);
  const auto told = std::find_if(item.units.begin(), item.units.end(),
                                 [&](const auto& one) { return one.id == unit; });
  BOOST_REQUIRE(told != item.units.end());
  BOOST_TEST((told->state == core::unit_state::canceled));
  BOOST_TEST(told->result == x_result);
  BOOST_TEST(told->route == 1);
  BOOST_TEST(told->route_reason == "why");
  BOOST_TEST((told->changed_at == at(40)));

  const auto counted = value_of(f.db->statistics(f.next.id));
  BOOST_TEST(counted.finalized == 0U);
  BOOST_TEST(counted.canceled == 1U);
}

// A27: one whose chain ended there, or that was finalized more than once
BOOST_AUTO_TEST_CASE_TEMPLATE(any_finalized_unit_can_be_withdrawn_once, World, worlds) {
  withdrawal_fixture<World> f;
  const auto ended = f.given_unit(f.step.id, 1);
  BOOST_TEST(is(f.finalize(ended, core::no_route), committed));
  BOOST_TEST(is(f.withdraw(ended), committed));
  BOOST_TEST(f.load(ended).route == core::no_route);
  const auto again = f.given_unit(f.step.id, 2);
  BOOST_TEST(is(f.finalize(again), committed));
  BOOST_TEST(is(f.write({core::reopen_unit{again, 2, at(35)}}), committed));
  BOOST_TEST(is(f.finalize(again), committed));
  BOOST_TEST(is(f.withdraw(again), committed));
  BOOST_TEST(f.load(again).reopened == 1U);
  for (const auto& unit : {ended, again}) {
    BOOST_TEST(is(f.withdraw(unit), refused));
    BOOST_TEST(is(f.write({core::reopen_unit{unit, 2, at(50)}}), refused));
    BOOST_TEST(is(f.finalize(unit), refused));
    BOOST_TEST(
        is(f.write({core::set_unit_state{unit, core::unit_state::judgable, at(50)}}), refused));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(what_is_open_is_not_withdrawn_so, World, worlds) {
  withdrawal_fixture<World> f;
  const auto unit = f.given_unit(f.step.id, 1);
  BOOST_TEST(is(f.withdraw(unit), refused));
  BOOST_TEST(is(f.write({core::set_unit_state{unit, core::unit_state::paused, at(5)}}), committed));
  BOOST_TEST(is(f.withdraw(unit), refused));
  BOOST_TEST(
      is(f.write({core::set_unit_state{unit, core::unit_state::canceled, at(6)}}), committed));
  BOOST_TEST(is(f.withdraw(unit), refused));
  BOOST_TEST(f.load(unit).result.empty());
  BOOST_TEST(is(f.withdraw({f.ids.next(at(0))}), refused));
  // One that cannot be withdrawn keeps the others.
  const auto done = f.given_unit(f.step.id, 3);
  BOOST_TEST(is(f.finalize(done), committed));
  BOOST_TEST(
      is(f.write({core::withdraw_unit{done, at(40)}, core::withdraw_unit{unit, at(40)}}), refused));
  BOOST_TEST((f.load(done).state == core::unit_state::finalized));
}

// I-5: each result of a parent has one child for each place in a step.
BOOST_AUTO_TEST_CASE_TEMPLATE(each_result_of_a_parent_has_children_of_its_own, World, worlds) {
  withdrawal_fixture<World> f;
  const auto parent = f.given_unit(f.step.id, 1);
  f.given_child(parent, 1);
  f.given_child(parent, 2, 1);
  f.given_child(parent, 3, 2);
  f.given_child(parent, 4, 1, 5);
  BOOST_TEST(is(f.write({f.child_of(parent, 5)}), refused));
  BOOST_TEST(is(f.write({f.child_of(parent, 5, 1)}), refused));
  BOOST_TEST(is(f.write({f.child_of(parent, 5, 1, 5)}), refused));
  auto orphan = f.new_unit(f.next.id, 5);
  orphan.parent_reopened = 1; // of nothing
  BOOST_TEST(is(f.write({orphan}), refused));
  f.given_child(parent, 5, 0, 5);
}

// A27
BOOST_AUTO_TEST_CASE_TEMPLATE(what_was_made_from_results_is_found, World, worlds) {
  withdrawal_fixture<World> f;
  const auto parent = f.given_unit(f.step.id, 1);
  const auto other = f.given_unit(f.step.id, 2);
  const auto third = f.given_unit(f.step.id, 3);
  // Not in the order of their parents, results or parts.
  const auto of_second = f.given_child(parent, 1, 1);
  const auto item = f.given_child(parent, 2, 0, 1);
  const auto of_other = f.given_child(other, 3);
  const auto first_item = f.given_child(parent, 4);
  f.given_child(third, 5);
  auto elsewhere = f.new_unit(f.step.id, 4);
  elsewhere.parent = elsewhere.root = parent;
  BOOST_TEST(is(f.write({elsewhere}), committed));

  BOOST_TEST((f.made_from({{parent, 1}}) == std::vector{item, first_item}));
  BOOST_TEST((f.made_from({{parent, 2}}) == std::vector{of_second, item, first_item}));
  BOOST_TEST((f.made_from({{parent, 0}}).empty()));
  BOOST_TEST((f.made_from({{other, 1}, {parent, 1}}) == std::vector{item, of_other, first_item}));
  // Told of several results of one unit it names each child once.
  BOOST_TEST((f.made_from({{parent, 1}, {parent, 2}}) == std::vector{of_second, item, first_item}));
  BOOST_TEST(f.made_from({}).empty());
  BOOST_TEST(f.made_from({{{f.ids.next(at(0))}, 9}}).empty());
  BOOST_TEST((value_of(f.db->made_from(f.step.id, {{parent, 1}})) == std::vector{elsewhere.id}));
}

// A27: what is canceled, by whomever, needs nothing more; all else does.
BOOST_AUTO_TEST_CASE_TEMPLATE(what_is_canceled_is_not_found_again, World, worlds) {
  withdrawal_fixture<World> f;
  const auto parent = f.given_unit(f.step.id, 1);
  const auto open = f.given_child(parent, 1, 0, 0);
  const auto paused = f.given_child(parent, 2, 0, 1);
  const auto finalized = f.given_child(parent, 3, 0, 2);
  BOOST_TEST(
      is(f.write({core::set_unit_state{paused, core::unit_state::paused, at(5)}}), committed));
  BOOST_TEST(is(f.finalize(finalized), committed));
  BOOST_TEST((f.made_from({{parent, 1}}) == std::vector{open, paused, finalized}));
  BOOST_TEST(
      is(f.write({core::set_unit_state{paused, core::unit_state::canceled, at(6)}}), committed));
  BOOST_TEST((f.made_from({{parent, 1}}) == std::vector{open, finalized}));
  BOOST_TEST(is(f.withdraw(finalized), committed));
  BOOST_TEST((f.made_from({{parent, 1}}) == std::vector{open}));
}

// A withdrawal and what else happens to other units go in one batch.
BOOST_AUTO_TEST_CASE_TEMPLATE(withdrawals_share_a_batch_with_other_changes, World, worlds) {
  withdrawal_fixture<World> f;
  const auto parent = f.given_unit(f.step.id, 1);
  BOOST_TEST(is(f.finalize(parent), committed));
  const auto child = f.given_child(parent, 1);
  BOOST_TEST(is(f.finalize(child), committed));
  const auto later = f.child_of(parent, 2, 1);
  BOOST_TEST(
      is(f.write({core::withdraw_unit{child, at(40)}, core::reopen_unit{parent, 2, at(40)}, later}),
         committed));
  BOOST_TEST((f.load(child).state == core::unit_state::canceled));
  BOOST_TEST((f.load(parent).state == core::unit_state::judgable));
  BOOST_TEST((f.load(later.id).state == core::unit_state::judgable));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
