// What the store tells of many items at once: the units of each, and what is long in them.

#include "tests/persistence/conformance.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace holdfast::test {

namespace {

const std::string chain_result = R"({"answer":"x"})";

/// Two items of the first step: of `root` others were made, the last of them in the first step
/// again; `other` was canceled. Between them is a test question.
template <class World>
class item_chains_fixture : public store_fixture<World> {
public:
  item_chains_fixture() {
    root.version = 2;
    child = child_of(root, second.id, 1);
    child.loops = 1;
    child.part = 2;
    back = child_of(child, first.id, 4);
    question.truth = "\"x\"";
    for (const auto& unit : {root, question, other})
      BOOST_TEST(is(this->write({unit}), committed));
    finalize(root, 30);
    BOOST_TEST(is(this->write({child}), committed));
    finalize(child, 40);
    BOOST_TEST(is(this->write({back}), committed));
    BOOST_TEST(is(this->write({core::set_unit_state{other.id, core::unit_state::canceled, at(50)}}),
                  committed));
  }

  core::insert_unit child_of(const core::insert_unit& parent, core::step_id in,
                             std::uint64_t ordinal) {
    auto unit = this->new_unit(in, ordinal);
    unit.parent = parent.id;
    unit.root = parent.root;
    unit.input = R"({"data":1})";
    return unit;
  }
  void finalize(const core::insert_unit& unit, std::int64_t when) {
    BOOST_TEST(
        is(this->write({core::finalize_unit{unit.id, chain_result, 0.5, at(when), 0, "because"}}),
           committed));
  }
  void judge(const core::insert_unit& unit, const std::string& who, core::token token) {
    this->given_lease(unit.id, who, token);
    BOOST_TEST(is(this->write({this->judgment(unit.id, who, token)}), committed));
  }

  persistence::chain_page page(const core::result_place& after, std::uint32_t ordinals = 100,
                               std::uint32_t units = 100) {
    return value_of(this->db->list_chains(first.id, after, ordinals, units));
  }
  core::chain_unit chain_unit_of(const core::insert_unit& unit) {
    const auto found = value_of(this->db->load_chain_units({unit.id}));
    BOOST_REQUIRE_EQUAL(found.size(), 1U);
    return found.front();
  }

  /// In the order in which they are listed.
  std::vector<core::unit_id> in_order(std::vector<std::pair<std::uint64_t, core::unit_id>> all) {
    std::sort(all.begin(), all.end());
    std::vector<core::unit_id> units;
    for (const auto& [ordinal, unit] : all)
      units.push_back(unit);
    return units;
  }
  std::vector<core::unit_id> all_units() {
    return in_order({{1, root.id}, {1, child.id}, {1, back.id}, {3, other.id}});
  }

  core::step_row first = this->given_step();
  core::step_row second = this->given_step();
  core::insert_unit root = this->new_unit(first.id, 1);
  core::insert_unit question = this->new_unit(first.id, 2);
  core::insert_unit other = this->new_unit(first.id, 3);
  core::insert_unit child;
  core::insert_unit back;
};

std::vector<core::unit_id> chain_ids_of(const std::vector<core::chain_unit>& units) {
  std::vector<core::unit_id> ids;
  for (const auto& unit : units)
    ids.push_back(unit.id);
  return ids;
}

const core::unit_id no_such_chain_unit{core::uuid{{0x77}}};

BOOST_AUTO_TEST_SUITE(item_chains_in_the_store)

BOOST_AUTO_TEST_CASE_TEMPLATE(units_of_items_come_in_the_order_of_the_items, World, worlds) {
  item_chains_fixture<World> f;
  const auto all = f.page({});
  BOOST_TEST((chain_ids_of(all.units) == f.all_units()));
  for (const auto& unit : all.units)
    BOOST_TEST(unit.ordinal == (unit.id == f.other.id ? 3U : 1U));
  BOOST_TEST(core::to_string(all.last) == "4");
  BOOST_TEST(!all.more);
  // The second step has no items of its own.
  BOOST_TEST(value_of(f.db->list_chains(f.second.id, {}, 100, 100)).units.empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_unit_of_a_chain_is_read_as_written, World, worlds) {
  item_chains_fixture<World> f;
  const auto all = f.page({});
  const auto found = [&](const core::insert_unit& unit) {
    const auto at = std::find_if(all.units.begin(), all.units.end(),
                                 [&](const auto& one) { return one.id == unit.id; });
    BOOST_REQUIRE(at != all.units.end());
    return *at;
  };
  const auto root = found(f.root);
  BOOST_TEST((!root.parent && root.root == f.root.id && root.step == f.first.id));
  BOOST_TEST((root.state == core::unit_state::finalized));
  BOOST_TEST(root.version == 2U);
  BOOST_TEST(root.slots == 3U);
  BOOST_TEST(root.route == 0);
  BOOST_TEST(root.confidence == 0.5);
  BOOST_TEST((root.created_at == f.root.created_at));
  BOOST_TEST((root.changed_at == at(30)));
  BOOST_TEST(root.input_bytes == f.root.input.size());
  BOOST_TEST(root.result_bytes == chain_result.size());
  BOOST_TEST((!root.batch && !root.batch_root));
  const auto child = found(f.child);
  BOOST_TEST((child.parent == f.root.id && child.root == f.root.id && child.step == f.second.id));
  BOOST_TEST(child.loops == 1U);
  BOOST_TEST(child.part == 2U);
  const auto back = found(f.back);
  BOOST_TEST((back.parent == f.child.id && back.root == f.root.id));
  BOOST_TEST((back.state == core::unit_state::judgable));
  BOOST_TEST(back.route == core::no_route);
  BOOST_TEST(back.result_bytes == 0U);
  BOOST_TEST(!back.changed_at.has_value());
  const auto other = found(f.other);
  BOOST_TEST((other.state == core::unit_state::canceled));
  BOOST_TEST((other.changed_at == at(50)));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_page_of_chains_goes_on_within_an_item, World, worlds) {
  item_chains_fixture<World> f;
  const auto all = f.all_units();
  for (const std::uint32_t units : {1U, 2U, 3U, 4U}) {
    std::vector<core::unit_id> seen;
    persistence::chain_page page;
    do {
      page = f.page(page.last, 100, units);
      BOOST_REQUIRE(page.units.size() <= units);
      for (const auto& id : chain_ids_of(page.units))
        seen.push_back(id);
      BOOST_REQUIRE(seen.size() <= all.size());
      BOOST_TEST((!page.more || core::to_string(page.last) != ""));
    } while (page.more);
    BOOST_TEST((seen == all), units << " units a page");
    BOOST_TEST(core::to_string(page.last) == "4");
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_page_of_chains_looks_at_so_many_ordinals, World, worlds) {
  item_chains_fixture<World> f;
  const auto one = f.page({}, 1);
  BOOST_TEST(one.units.size() == 3U);
  BOOST_TEST(core::to_string(one.last) == "1");
  BOOST_TEST(one.more);
  const auto question = f.page(one.last, 1);
  BOOST_TEST(question.units.empty());
  BOOST_TEST(core::to_string(question.last) == "2");
  BOOST_TEST(question.more);
  const auto rest = f.page(question.last, 100);
  BOOST_TEST((chain_ids_of(rest.units) == std::vector{f.other.id}));
  BOOST_TEST(!rest.more);
  // Behind the end it stays where it is, and finds what comes later.
  const auto end = f.page(rest.last);
  BOOST_TEST(end.units.empty());
  BOOST_TEST(core::to_string(end.last) == "4");
  BOOST_TEST(!end.more);
  const auto late = f.given_unit(f.first.id, 5);
  BOOST_TEST((chain_ids_of(f.page(end.last).units) == std::vector{late}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(units_of_chains_are_loaded_by_their_ids, World, worlds) {
  item_chains_fixture<World> f;
  const auto found = value_of(f.db->load_chain_units({f.child.id, no_such_chain_unit, f.other.id}));
  const auto ids = chain_ids_of(found);
  BOOST_TEST((std::set<core::unit_id>{ids.begin(), ids.end()}
              == std::set<core::unit_id>{f.child.id, f.other.id}));
  for (const auto& unit : found)
    BOOST_TEST(unit.ordinal == 0U);
  BOOST_TEST((f.chain_unit_of(f.child).parent == f.root.id));
  BOOST_TEST(value_of(f.db->load_chain_units({})).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(parents_are_those_of_whose_present_results_others_were_made, World,
                              worlds) {
  item_chains_fixture<World> f;
  const auto parents = [&] {
    return value_of(
        f.db->find_parents_in({f.root.id, f.child.id, f.back.id, f.other.id, no_such_chain_unit}));
  };
  BOOST_TEST((parents() == std::set<core::unit_id>{f.root.id, f.child.id}));
  // What was made of a result that was taken back counts no more.
  BOOST_TEST(is(f.write({core::reopen_unit{f.child.id, 4, at(60)}}), committed));
  BOOST_TEST((parents() == std::set<core::unit_id>{f.root.id}));
  const auto reopened = f.chain_unit_of(f.child);
  BOOST_TEST((reopened.state == core::unit_state::judgable));
  BOOST_TEST(reopened.reopened == 1U);
  BOOST_TEST(reopened.slots == 4U);
  f.finalize(f.child, 70);
  BOOST_TEST((parents() == std::set<core::unit_id>{f.root.id}));
  auto again = f.child_of(f.child, f.first.id, 6);
  again.parent_reopened = 1;
  BOOST_TEST(is(f.write({again}), committed));
  BOOST_TEST((parents() == std::set<core::unit_id>{f.root.id, f.child.id}));
  BOOST_TEST(f.chain_unit_of(again).parent_reopened == 1U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(texts_come_with_the_inputs_that_are_asked_for, World, worlds) {
  item_chains_fixture<World> f;
  const auto texts = value_of(
      f.db->load_chain_texts({f.root.id, f.back.id, no_such_chain_unit}, {f.back.id, f.child.id}));
  BOOST_REQUIRE_EQUAL(texts.size(), 2U);
  const auto& root = texts.at(f.root.id);
  BOOST_TEST(root.source_key == f.root.source_key);
  BOOST_TEST(root.result == chain_result);
  BOOST_TEST(root.input == "");
  BOOST_TEST(root.unreadable == "");
  const auto& back = texts.at(f.back.id);
  BOOST_TEST(back.result == "");
  BOOST_TEST(back.input == f.back.input);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(judges_are_those_whose_judgments_count, World, worlds) {
  item_chains_fixture<World> f;
  f.judge(f.back, "bob", 1);
  f.judge(f.back, "ana", 2);
  f.judge(f.back, "eve", 3);
  const auto judges = [&] {
    return value_of(f.db->load_chain_judges({f.root.id, f.back.id, no_such_chain_unit}));
  };
  const auto before = judges();
  BOOST_REQUIRE_EQUAL(before.size(), 1U);
  BOOST_TEST(before.at(f.back.id).contributors == (std::vector<std::string>{"ana", "bob", "eve"}),
             boost::test_tools::per_element());
  BOOST_TEST(before.at(f.back.id).unreadable == "");
  BOOST_TEST(is(f.write({core::taint_judgment{f.back.id, "bob", at(90)}}), committed));
  BOOST_TEST(judges().at(f.back.id).contributors == (std::vector<std::string>{"ana", "eve"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_gathered_unit_tells_its_batch_and_the_item_of_that, World, worlds) {
  item_chains_fixture<World> f;
  auto member = f.new_unit(f.first.id, 7);
  member.gathered = true;
  BOOST_TEST(is(f.write({member}), committed));
  const auto waits = f.chain_unit_of(member);
  BOOST_TEST((waits.state == core::unit_state::gathered));
  BOOST_TEST((!waits.batch && !waits.batch_root));
  const auto batch = f.child_of(f.root, f.first.id, 8);
  BOOST_TEST(is(f.write({batch, core::gather_units{batch.id, {member.id}}}), committed));
  const auto gathered = f.chain_unit_of(member);
  BOOST_TEST((gathered.batch == batch.id));
  BOOST_TEST((gathered.batch_root == f.root.id));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
