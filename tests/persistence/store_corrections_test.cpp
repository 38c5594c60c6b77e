// What the store keeps of corrections of units, and of judgments by their authors.

#include "tests/core/describe.hpp"
#include "tests/persistence/conformance.hpp"

namespace holdfast::test {

namespace {

template <class World>
class correction_fixture : public store_fixture<World> {
public:
  core::correction_row row_of(core::unit_id unit, std::uint32_t number,
                              core::correction_kind kind) {
    core::correction_row row;
    row.id = {this->ids.next(at(0))};
    row.number = number;
    row.step = step.id;
    row.unit = unit;
    row.kind = kind;
    row.by = "token rita";
    row.reason = "it is wr\xc3\xb6ng";
    row.at = at(40);
    if (kind == core::correction_kind::overridden)
      row.answer = "x";
    return row;
  }

  core::unit_id given_judged(std::uint64_t ordinal, const std::vector<std::string>& who) {
    const auto unit = this->given_unit(step.id, ordinal);
    core::token token = 0;
    for (const auto& name : who) {
      this->given_lease(unit, name, ++token);
      BOOST_TEST(is(this->write({this->judgment(unit, name, token)}), committed));
    }
    return unit;
  }

  commit_result override_as(core::unit_id unit, core::overridden_state found) {
    return this->write({core::override_unit{unit, R"({"answer":"x"})", at(40), 1, "why", found}});
  }

  core::step_row step = this->given_step();
};

std::string text_of(const core::correction_row& row) {
  return write_text{}(core::insert_correction{row}) + " step " + to_string(row.step) + " id "
         + to_string(row.id) + " judgment " + to_string(row.judgment);
}

BOOST_AUTO_TEST_SUITE(store_corrections)

// A35, I-5
BOOST_AUTO_TEST_CASE_TEMPLATE(an_override_finalizes_an_open_unit, World, worlds) {
  using core::overridden_state;
  correction_fixture<World> f;
  const auto unit = f.given_judged(1, {"ana"});
  BOOST_TEST(is(f.override_as(unit, overridden_state::taken_back), refused));
  BOOST_TEST(is(f.override_as(unit, overridden_state::stands), refused));
  BOOST_TEST(is(f.override_as(unit, overridden_state::open), committed));
  const auto done = f.load(unit);
  BOOST_TEST((done.state == core::unit_state::finalized));
  BOOST_TEST(done.overridden);
  BOOST_TEST(done.result == R"({"answer":"x"})");
  BOOST_TEST(done.confidence == 1.0);
  BOOST_TEST(done.route == 1);
  BOOST_TEST(done.reopened == 0U);
  BOOST_TEST(is(f.override_as(unit, overridden_state::open), refused));
  BOOST_TEST(is(f.override_as(unit, overridden_state::stands), committed));
  BOOST_TEST(f.load(unit).reopened == 0U);
  BOOST_TEST(is(f.override_as(unit, overridden_state::taken_back), committed));
  BOOST_TEST(f.load(unit).reopened == 1U);
  BOOST_TEST(is(f.write({core::reopen_unit{unit, 2, at(50)}}), committed));
  BOOST_TEST(!f.load(unit).overridden);
  BOOST_TEST(is(f.write({core::finalize_unit{unit, "{}", 1, at(60)}}), committed));
  BOOST_TEST(!f.load(unit).overridden);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(only_finalized_units_are_recounted, World, worlds) {
  correction_fixture<World> f;
  const auto unit = f.given_judged(1, {"ana"});
  BOOST_TEST(is(f.write({core::recount_unit{unit, 5}}), refused));
  BOOST_TEST(is(f.write({core::finalize_unit{unit, "{}", 1, at(30)}}), committed));
  BOOST_TEST(is(f.write({core::recount_unit{unit, 5}}), committed));
  BOOST_TEST(f.load(unit).slots == 5U);
  BOOST_TEST(is(f.write({core::recount_unit{unit, 0}}), refused));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(corrections_are_read_in_order, World, worlds) {
  using core::correction_kind;
  correction_fixture<World> f;
  const auto unit = f.given_judged(1, {"ana"});
  const auto judged = f.load(unit).judgments.front();
  const auto first = f.row_of(unit, 1, correction_kind::overridden);
  auto second = f.row_of(unit, 2, correction_kind::tainted);
  second.judgment = judged.id;
  second.contributor = "ana";
  second.wanted = 1;
  second.took_back = second.is_open = true;
  second.by.clear();
  BOOST_TEST(is(f.write({core::insert_correction{second}}), committed));
  BOOST_TEST(is(f.write({core::insert_correction{first}}), committed));
  std::vector<std::string> texts;
  for (const auto& row : value_of(f.db->load_corrections(f.step.id, unit)))
    texts.push_back(text_of(row));
  BOOST_TEST(texts == (std::vector{text_of(first), text_of(second)}),
             boost::test_tools::per_element());
  const auto other = f.given_step();
  BOOST_TEST(value_of(f.db->load_corrections(other.id, unit)).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_correction_is_written_once, World, worlds) {
  using core::correction_kind;
  correction_fixture<World> f;
  const auto unit = f.given_judged(1, {"ana"});
  const auto first = f.row_of(unit, 1, correction_kind::reopened);
  BOOST_TEST(is(f.write({core::insert_correction{first}}), committed));
  auto same_id = first;
  same_id.number = 2;
  BOOST_TEST(is(f.write({core::insert_correction{same_id}}), refused));
  auto same_number = f.row_of(unit, 1, correction_kind::reopened);
  BOOST_TEST(is(f.write({core::insert_correction{same_number}}), refused));
  BOOST_TEST(is(f.write({core::insert_correction{f.row_of(unit, 101, correction_kind::reopened)}}),
                refused));
  auto without_reason = f.row_of(unit, 2, correction_kind::reopened);
  without_reason.reason.clear();
  BOOST_TEST(is(f.write({core::insert_correction{without_reason}}), refused));
  BOOST_TEST(
      is(f.write({core::insert_correction{f.row_of(unit, 2, correction_kind::tainted)}}), refused));
}

// A27
BOOST_AUTO_TEST_CASE_TEMPLATE(a_taint_by_request_is_kept_with_the_judgment, World, worlds) {
  correction_fixture<World> f;
  const auto unit = f.given_judged(1, {"ana", "bob"});
  BOOST_TEST(is(f.write({core::taint_judgment{unit, "ana", at(30)},
                         core::set_taint_requested{unit, "ana", true}}),
                committed));
  const auto marked = f.load(unit).judgments;
  BOOST_TEST(marked[0].taint_requested);
  BOOST_TEST(!marked[1].taint_requested);
  BOOST_TEST(is(f.write({core::set_taint_requested{unit, "ana", true}}), refused));
  BOOST_TEST(is(
      f.write({core::restore_judgment{unit, "ana"}, core::set_taint_requested{unit, "ana", false}}),
      committed));
  const auto counting = f.load(unit).judgments;
  BOOST_TEST(!counting[0].tainted);
  BOOST_TEST(!counting[0].taint_requested);
}

// A27, I-4
BOOST_AUTO_TEST_CASE_TEMPLATE(corrections_of_a_judgment_keep_what_was_handed_in, World, worlds) {
  correction_fixture<World> f;
  const auto unit = f.given_judged(1, {"ana"});
  const auto id = f.load(unit).judgments.front().id;
  const auto correct = [&](std::uint32_t number, const std::string& answer, bool applied) {
    return f.write({core::insert_judgment_correction{id, unit, "ana", number,
                                                     R"({"answer":")" + answer + "\"}", answer,
                                                     at(40 + number), applied}});
  };
  BOOST_TEST(is(correct(2, "dog", true), refused));
  BOOST_TEST(is(correct(1, "dog", true), committed));
  BOOST_TEST(is(correct(1, "dog", true), refused));
  BOOST_TEST(is(correct(2, "owl", false), committed));
  const auto judged = f.load(unit).judgments.front();
  BOOST_TEST(judged.answer == "dog");
  BOOST_TEST(judged.corrected == 2);
  const auto kept = value_of(f.db->load_judgment_corrections(unit));
  BOOST_REQUIRE_EQUAL(kept.size(), 3U);
  BOOST_TEST(kept[0].number == 0U);
  BOOST_TEST(kept[0].applied);
  BOOST_TEST(kept[1].answer == "dog");
  BOOST_TEST(kept[1].payload == R"({"answer":"dog"})");
  BOOST_TEST((kept[1].at == at(41)));
  BOOST_TEST(kept[2].answer == "owl");
  BOOST_TEST(!kept[2].applied);
  BOOST_TEST((kept[2].judgment == id));
}

// The model of a step goes on from what requesters have said.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_history_has_the_units_that_were_overridden, World, worlds) {
  using core::correction_kind;
  correction_fixture<World> f;
  const auto unit = f.given_judged(1, {"ana"});
  const auto reopened = f.given_judged(2, {"ana"});
  for (const auto& one : {unit, reopened}) {
    auto again = f.row_of(one, 2, correction_kind::overridden);
    again.answer = "y";
    BOOST_TEST(is(f.write({core::insert_correction{f.row_of(one, 1, correction_kind::overridden)},
                           core::insert_correction{again}, core::override_unit{one, "{}", at(40)}}),
                  committed));
  }
  BOOST_TEST(is(f.write({core::reopen_unit{reopened, 2, at(50)}}), committed));
  core::history_scope votes;
  votes.votes = true;
  for (const auto& history : {value_of(f.db->load_step_history(f.step.id, votes)),
                              value_of(f.db->load_readable_step_history(f.step.id, votes))}) {
    BOOST_REQUIRE_EQUAL(history.overridden.size(), 1U);
    BOOST_TEST((history.overridden[0].unit == unit));
    BOOST_TEST(history.overridden[0].answer == "y");
  }
  BOOST_TEST(value_of(f.db->load_step_history(f.step.id, {})).overridden.empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
