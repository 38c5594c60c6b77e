// What the store tells of an item: every unit that was made from it, and what happened to each.

#include "tests/core/describe.hpp"
#include "tests/persistence/conformance.hpp"

namespace holdfast::test {

namespace {

template <class World>
class lineage_fixture : public store_fixture<World> {
public:
  core::insert_unit child_of(const core::insert_unit& parent, std::uint64_t ordinal,
                             std::uint32_t part = 0) {
    auto unit = this->new_unit(second.id, ordinal);
    unit.parent = parent.id;
    unit.root = parent.root;
    unit.part = part;
    unit.loops = 1;
    unit.created_at = at(static_cast<std::int64_t>(40 + ordinal));
    return unit;
  }

  persistence::item_history lineage(core::unit_id unit, core::unit_id after = {},
                                    std::uint32_t limit = 100) {
    return value_of(this->db->load_lineage(unit, after, limit));
  }

  core::step_row first = this->given_step();
  core::step_row second = this->given_step();
};

std::vector<core::unit_id> ids_of(const persistence::item_history& item) {
  std::vector<core::unit_id> ids;
  for (const auto& unit : item.units)
    ids.push_back(unit.id);
  return ids;
}

std::string text_of(const persistence::lease_history& l) {
  return l.lease.owner + ' ' + std::to_string(l.lease.token) + ' '
         + (l.ending     ? std::string{core::to_string(*l.ending)}
            : l.ended_at ? "judged"
                         : "active")
         + ' ' + (l.ended_at ? describe(*l.ended_at) : "-");
}

BOOST_AUTO_TEST_SUITE(store_lineage)

// A57-A61
BOOST_AUTO_TEST_CASE_TEMPLATE(every_lease_and_judgment_of_a_unit_is_told, World, worlds) {
  lineage_fixture<World> f;
  auto made = f.new_unit(f.first.id, 1);
  made.excluded = {"zed", "eva"};
  BOOST_TEST(is(f.write({made}), committed));
  const auto gone = f.given_lease(made.id, "ana", 1);
  BOOST_TEST(is(f.write({core::end_lease_row{made.id, "ana", 1, core::lease_end::expired, at(71)}}),
                committed));
  const auto judged = f.given_lease(made.id, "bob", 2);
  auto judgment = f.judgment(made.id, "bob", 2);
  judgment.trust_questions = 3;
  BOOST_TEST(is(f.write({judgment}), committed));
  BOOST_TEST(is(f.write({core::taint_judgment{made.id, "bob", at(90)}}), committed));
  const auto held = f.given_lease(made.id, "cid", 3);

  const auto item = f.lineage(made.id);
  BOOST_TEST((item.root == made.id));
  BOOST_REQUIRE_EQUAL(item.units.size(), 1U);
  const auto& unit = item.units.front();
  BOOST_TEST((unit.id == made.id && unit.step == f.first.id && !unit.parent));
  BOOST_TEST(unit.source_key == made.source_key);
  BOOST_TEST(unit.input == made.input);
  BOOST_TEST((unit.created_at == made.created_at));
  BOOST_TEST(!unit.changed_at);
  BOOST_TEST(!unit.test_question);
  BOOST_TEST(unit.excluded == (std::vector<std::string>{"eva", "zed"}),
             boost::test_tools::per_element());
  BOOST_REQUIRE_EQUAL(unit.leases.size(), 3U);
  BOOST_TEST(text_of(unit.leases[0]) == "ana 1 Expired " + describe(at(71)));
  BOOST_TEST(text_of(unit.leases[1]) == "bob 2 judged " + describe(judgment.submitted_at));
  BOOST_TEST(text_of(unit.leases[2]) == "cid 3 active -");
  BOOST_TEST((unit.leases[0].lease.id == gone.id && unit.leases[1].lease.id == judged.id
              && unit.leases[2].lease.id == held.id));
  BOOST_TEST((unit.leases[2].lease.granted_at == held.granted_at
              && unit.leases[2].lease.expires_at == held.expires_at));
  BOOST_REQUIRE_EQUAL(unit.judgments.size(), 1U);
  const auto& told = unit.judgments.front();
  BOOST_TEST((told.id == judgment.id));
  BOOST_TEST(told.contributor == "bob");
  BOOST_TEST(told.payload == judgment.payload);
  BOOST_TEST(told.answer == judgment.answer);
  BOOST_TEST(told.trust == 1.0);
  BOOST_TEST((told.trust_questions == 3U));
  BOOST_TEST((told.submitted_at == judgment.submitted_at));
  BOOST_TEST((told.tainted_at == at(90)));
  BOOST_TEST(!told.test_correct.has_value());
}

// A42, I-5
BOOST_AUTO_TEST_CASE_TEMPLATE(all_units_of_an_item_come_in_order_of_creation, World, worlds) {
  lineage_fixture<World> f;
  const auto root = f.new_unit(f.first.id, 1);
  const auto other = f.new_unit(f.first.id, 2);
  BOOST_TEST(is(f.write({root}), committed));
  BOOST_TEST(is(f.write({other}), committed));
  BOOST_TEST(
      is(f.write({core::finalize_unit{root.id, R"({"answer":"x"})", 0.5, at(30), 1, "because"}}),
         committed));
  const auto late = f.child_of(root, 3, 0);
  const auto early = f.child_of(root, 2, 1);
  const auto last = f.child_of(early, 9);
  for (const auto& unit : {late, early, last})
    BOOST_TEST(is(f.write({unit}), committed));

  const std::vector all{root.id, early.id, late.id, last.id};
  for (const auto& unit : all) {
    const auto item = f.lineage(unit);
    BOOST_TEST((item.root == root.id));
    BOOST_TEST((ids_of(item) == all));
  }
  BOOST_TEST((ids_of(f.lineage(other.id)) == std::vector{other.id}));
  const auto whole = f.lineage(last.id);
  BOOST_TEST(whole.units[0].result == R"({"answer":"x"})");
  BOOST_TEST(whole.units[0].confidence == 0.5);
  BOOST_TEST(whole.units[0].route == 1);
  BOOST_TEST(whole.units[0].route_reason == "because");
  BOOST_TEST((whole.units[0].changed_at == at(30)));
  BOOST_TEST((whole.units[1].parent == root.id && whole.units[3].parent == early.id));
  BOOST_TEST((whole.units[1].part == 1U && whole.units[1].loops == 1U));

  // Page by page.
  BOOST_TEST((ids_of(f.lineage(last.id, {}, 2)) == std::vector{root.id, early.id}));
  BOOST_TEST((ids_of(f.lineage(last.id, early.id, 1)) == std::vector{late.id}));
  BOOST_TEST((ids_of(f.lineage(last.id, late.id, 9)) == std::vector{last.id}));
  BOOST_TEST(f.lineage(root.id, last.id).units.empty());
}

// A repair takes a result back; a test question says so.
BOOST_AUTO_TEST_CASE_TEMPLATE(what_changed_last_is_told, World, worlds) {
  lineage_fixture<World> f;
  const auto unit = f.given_unit(f.first.id, 1);
  BOOST_TEST(is(f.write({core::set_unit_state{unit, core::unit_state::paused, at(5)}}), committed));
  BOOST_TEST((f.lineage(unit).units.front().changed_at == at(5)));
  BOOST_TEST(is(f.write({core::finalize_unit{unit, "{}", 1, at(6)}}), committed));
  BOOST_TEST(is(f.write({core::reopen_unit{unit, 4, at(7)}}), committed));
  const auto reopened = f.lineage(unit).units.front();
  BOOST_TEST((reopened.changed_at == at(7)));
  BOOST_TEST((reopened.state == core::unit_state::judgable));
  BOOST_TEST(reopened.slots == 4U);
  BOOST_TEST(reopened.reopened == 1U);
  BOOST_TEST(reopened.result.empty());
  BOOST_TEST(reopened.route == core::no_route);

  auto question = f.new_unit(f.first.id, 2, core::test_question_slots);
  question.truth = R"({"answer":"x"})";
  BOOST_TEST(is(f.write({question}), committed));
  f.given_lease(question.id, "ana", 1);
  auto answer = f.judgment(question.id, "ana", 1);
  answer.test_correct = false;
  BOOST_TEST(is(f.write({answer}), committed));
  const auto asked = f.lineage(question.id).units.front();
  BOOST_TEST(asked.test_question);
  BOOST_TEST((asked.judgments.at(0).test_correct == std::optional{false}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(what_is_not_there_is_not_found, World, worlds) {
  lineage_fixture<World> f;
  const auto unit = f.given_unit(f.first.id, 1);
  const auto other = f.given_unit(f.first.id, 2);
  const core::unit_id nobody{f.ids.next(at(0))};
  BOOST_TEST(fails_with(f.db->load_lineage(nobody, {}, 10), core::errc::not_found));
  BOOST_TEST(fails_with(f.db->load_lineage(unit, nobody, 10), core::errc::not_found));
  BOOST_TEST(fails_with(f.db->load_lineage(unit, other, 10), core::errc::not_found));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
