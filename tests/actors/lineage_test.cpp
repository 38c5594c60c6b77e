// What became of an item, as its requester is told.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct traced_node : node_fixture {
  traced_node() { start(); }

  msg::unit_lineage lineage(const core::unit_id& unit, const core::unit_id& after = {},
                            std::uint32_t limit = 100) {
    auto told = call(msg::get_lineage{unit, after, limit});
    BOOST_REQUIRE_MESSAGE(told.value, (told.error ? told.error->detail : "no answer"));
    return *told.value;
  }

  static std::string leases_of(const msg::lineage_unit& unit) {
    std::string text;
    for (const auto& lease : unit.leases)
      text += lease.contributor + ' ' + lease.status + ", ";
    return text;
  }
};

const std::string reviewed = R"({"name":"reviewed","steps":[
  {"key":"label","judgments_per_unit":2,"routes":[{"to":["review"],"exclude_judges":true}]},
  {"key":"review","judgments_per_unit":1}]})";

} // namespace

BOOST_FIXTURE_TEST_SUITE(lineage_of_items, traced_node)

// A42, A57-A61, A88: every lease, judgment, verdict, decision and its reason, through all steps.
BOOST_AUTO_TEST_CASE(all_units_of_an_item_tell_what_happened_to_them) {
  const auto steps = create_steps(reviewed);
  feed(steps[0], 2);
  advance(1s);
  const auto given = assigned(steps[0], "ana");
  BOOST_REQUIRE(submit(given, "ana", "cat").value);
  const auto declined = assigned(steps[0], "eve");
  BOOST_TEST((declined.unit == given.unit));
  BOOST_REQUIRE(release(declined, "eve", true).value);
  const auto second = assigned(steps[0], "bob");
  BOOST_TEST((second.unit == given.unit));
  BOOST_REQUIRE(submit(second, "bob", "cat").value);
  advance(1s);
  const auto review = assigned(steps[1], "cid");

  const auto item = lineage(review.unit);
  BOOST_TEST((item.root == given.unit));
  BOOST_TEST(!item.more);
  BOOST_REQUIRE_EQUAL(item.units.size(), 2U);
  const auto& first = item.units[0];
  BOOST_TEST((first.unit == given.unit && first.step == steps[0] && !first.parent));
  BOOST_TEST(first.source_key == "row-0");
  BOOST_TEST((first.state == core::unit_state::finalized));
  BOOST_TEST(first.judgments_per_unit == 2U);
  BOOST_TEST(leases_of(first) == "ana Submitted, eve Declined, bob Submitted, ");
  BOOST_REQUIRE_EQUAL(first.judgments.size(), 2U);
  BOOST_TEST(first.judgments[0].contributor == "ana");
  BOOST_TEST(first.judgments[0].answer.find("cat") != std::string::npos);
  BOOST_TEST(first.judgments[0].counts);
  BOOST_TEST(first.judgments[0].trust_low == 0); // nobody is tested
  BOOST_TEST(first.result.find("cat") != std::string::npos);
  BOOST_TEST(first.confidence == 1.0);
  BOOST_TEST(first.route == 0);
  BOOST_TEST(!first.route_reason.empty());
  BOOST_TEST((first.changed_at > first.created_at));
  const auto& after = item.units[1];
  BOOST_TEST((after.unit == review.unit && after.step == steps[1] && after.parent == given.unit));
  BOOST_TEST(leases_of(after) == "cid Active, ");
  BOOST_TEST((after.leases[0].expires_at == review.expires_at));
  BOOST_TEST((after.leases[0].ended_at == core::instant{}));
  BOOST_TEST(after.excluded == (std::vector<std::string>{"ana", "bob"}),
             boost::test_tools::per_element());
  BOOST_TEST(after.result.empty());

  const auto page = lineage(review.unit, {}, 1);
  BOOST_TEST(page.units.size() == 1U);
  BOOST_TEST(page.more);
  const auto rest = lineage(review.unit, page.units[0].unit, 1);
  BOOST_REQUIRE_EQUAL(rest.units.size(), 1U);
  BOOST_TEST((rest.units[0].unit == review.unit));
  BOOST_TEST(!rest.more);
}

BOOST_AUTO_TEST_CASE(judgment_that_counts_no_more_says_since_when) {
  const auto step = create();
  feed(step, 1);
  const auto given = assigned(step, "ana");
  BOOST_REQUIRE(submit(given, "ana").value);
  advance(1s);
  BOOST_REQUIRE(call(msg::remove_contributor{step, "ana"}).value);
  advance(1s);
  const auto judgment = lineage(given.unit).units.at(0).judgments.at(0);
  BOOST_TEST(!judgment.counts);
  BOOST_TEST(judgment.status == "Tainted");
  BOOST_TEST((judgment.tainted_at > judgment.submitted_at));
}

// finding Q4
BOOST_AUTO_TEST_CASE(judgment_that_cannot_be_read_is_told_with_its_row_and_the_reason) {
  const auto step = create();
  feed(step, 1);
  const auto given = assigned(step, "ana");
  BOOST_REQUIRE(submit(given, "ana").value);
  work(step, "bob");
  advance(1s);
  database->set_damaged_history([](const core::step_history::unreadable& row) {
    return row.what == core::step_history::unreadable::row::vote && row.contributor == "ana";
  });
  const auto judgments = lineage(given.unit).units.at(0).judgments;
  BOOST_REQUIRE_EQUAL(judgments.size(), 2U);
  BOOST_TEST(judgments[0].contributor == "ana");
  BOOST_TEST(judgments[0].status == "Unreadable");
  BOOST_TEST(judgments[0].counts);
  BOOST_TEST(judgments[0].answer.empty());
  BOOST_TEST(judgments[0].payload
             == R"({"problem":"judgment )" + to_string(judgments[0].judgment)
                    + R"( in holdfast.judgments cannot be read: its row is damaged"})");
  BOOST_TEST(judgments[1].status == "Counted");
  BOOST_TEST(judgments[1].answer == "red");
}

// finding Q4
BOOST_AUTO_TEST_CASE(unit_that_cannot_be_read_is_told_to_all_units_of_its_item) {
  const auto steps = create_steps(reviewed);
  feed(steps[0], 1);
  const auto given = assigned(steps[0], "ana");
  BOOST_REQUIRE(submit(given, "ana").value);
  work(steps[0], "bob");
  advance(1s);
  const auto review = assigned(steps[1], "cid");
  database->set_damaged_units([=](const core::unit_id& unit) { return unit == given.unit; });
  for (const auto& asked : {given.unit, review.unit}) {
    auto item = lineage(asked);
    BOOST_REQUIRE_EQUAL(item.units.size(), 2U);
    if (item.units[0].unit != given.unit) // made at one instant, they are in the order of their ids
      std::swap(item.units[0], item.units[1]);
    const auto& lost = item.units[0];
    BOOST_TEST((lost.unit == given.unit));
    BOOST_TEST((lost.state == core::unit_state::finalized));
    BOOST_TEST(lost.source_key.empty());
    BOOST_TEST(lost.result.empty());
    BOOST_TEST(lost.input
               == R"({"problem":"unit )" + to_string(given.unit)
                      + R"( in holdfast.units cannot be read: its row is damaged"})");
    BOOST_REQUIRE_EQUAL(lost.judgments.size(), 2U);
    BOOST_TEST(lost.judgments[0].status == "Counted");
    BOOST_TEST((item.units[1].unit == review.unit));
    BOOST_TEST(item.units[1].source_key == "row-0");
  }
}

BOOST_AUTO_TEST_CASE(questions_about_nothing_are_refused) {
  const auto step = create();
  feed(step, 2);
  const auto one = assigned(step, "ana").unit;
  const auto other = assigned(step, "ana").unit;
  const auto nobody = fresh<core::unit_id>();
  BOOST_TEST((call(msg::get_lineage{nobody, {}, 1}).code() == core::errc::not_found));
  BOOST_TEST((call(msg::get_lineage{one, other, 1}).code() == core::errc::not_found));
  BOOST_TEST((call(msg::get_lineage{{}, {}, 1}).code() == core::errc::invalid_argument));
  BOOST_TEST((call(msg::get_lineage{one, {}, 0}).code() == core::errc::invalid_argument));
  BOOST_TEST((call(msg::get_lineage{one, {}, 101}).code() == core::errc::invalid_argument));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
