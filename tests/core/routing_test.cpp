// Which route takes a finished unit, and what its children are called. tests/scenarios/workflow_*
// tell the rest.

#include "core/invariant.hpp"
#include "core/json_text.hpp"
#include "core/review.hpp"
#include "core/routing.hpp"
#include "core/uuid.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <set>
#include <string>
#include <vector>

using namespace holdfast::core;

namespace {

unit_id unit_numbered(std::uint32_t n) {
  unit_id id;
  for (std::size_t i = 0; i < 4; ++i)
    id.value.bytes[15 - i] = static_cast<std::uint8_t>(n >> 8 * i);
  return id;
}

way to(std::string key, route_condition when = {}) {
  route rule;
  rule.when = std::move(when);
  rule.to = {std::move(key)};
  return {rule, {{1, false}}};
}

finding found(std::string answer) {
  finding f;
  f.unit = unit_numbered(7);
  f.answer = std::move(answer);
  f.confidence = 1;
  f.agreement = 1;
  return f;
}

/// Index and reason.
std::string chosen(const std::vector<way>& ways, const finding& what) {
  const auto choice = choose_route(ways, what);
  return std::to_string(choice.rule) + " " + choice.because;
}

} // namespace

BOOST_AUTO_TEST_SUITE(routes)

// finding C10
BOOST_AUTO_TEST_CASE(nobody_reviews_their_own_work_nor_gets_it_back_unless_the_route_says_so) {
  const auto by = [](std::optional<bool> said, bool from_review, bool back, bool to_review) {
    route rule;
    rule.exclude_judges = said;
    return exclusion_by(rule, from_review, back, to_review);
  };
  BOOST_TEST((by({}, false, false, true) == exclusion::authors));
  BOOST_TEST((by({}, true, true, true) == exclusion::authors));
  BOOST_TEST((by({}, true, true, false) == exclusion::who_was_asked));
  BOOST_TEST((by({}, true, false, false) == exclusion::nobody));
  BOOST_TEST((by({}, false, true, false) == exclusion::nobody));
  BOOST_TEST((by({}, false, false, false) == exclusion::nobody));
  for (const bool review : {false, true}) {
    BOOST_TEST((by(true, review, review, !review) == exclusion::chain));
    BOOST_TEST((by(false, review, review, !review) == exclusion::nobody));
  }
}

// A20: what the reviewers reject again is for others
BOOST_AUTO_TEST_CASE(chains_that_were_sent_back_may_have_a_route_of_their_own) {
  route_condition again;
  again.sent_back = 2;
  const std::vector<way> ways{to("experts", again), to("review")};
  auto what = found("cat");
  BOOST_TEST(choose_route(ways, what).rule == 1);
  what.loops = 1;
  BOOST_TEST(choose_route(ways, what).rule == 1);
  what.loops = 2;
  BOOST_TEST(chosen(ways, what) == "0 it was sent back 2 times");
  what.loops = 3;
  BOOST_TEST(choose_route(ways, what).rule == 0);
  BOOST_TEST(!takes_every_unit(ways[0].rule));
}

// A22: the work of newcomers is for others to look at
BOOST_AUTO_TEST_CASE(units_that_newcomers_judged_may_have_a_route_of_their_own) {
  route_condition newcomers;
  newcomers.judged_fewer = 3;
  const std::vector<way> ways{to("review", newcomers), to("publish")};
  auto what = found("cat");
  BOOST_TEST(chosen(ways, what) == "1 every unit"); // nobody has counted
  what.judged_least = 3;
  BOOST_TEST(chosen(ways, what) == "1 every unit");
  what.judged_least = 2;
  BOOST_TEST(chosen(ways, what) == "0 a contributor had judged 2 units of the step, fewer than 3");
  what.judged_least = 0;
  BOOST_TEST(choose_route(ways, what).rule == 0);
  BOOST_TEST(!takes_every_unit(ways[0].rule));
}

// A88, G-4: by what was asked, and by what was found before
BOOST_AUTO_TEST_CASE(units_with_some_input_may_have_a_route_of_their_own) {
  route_condition german;
  german.input = {{"/data/language", {R"("de")", R"("at")"}, {}, {}}};
  route_condition unsure;
  unsure.input = {{"/data/score", {}, 0.25, 0.75}, {"/result/answer", {"null"}, {}, {}}};
  const std::vector<way> ways{to("german", german), to("people", unsure), to("publish")};
  BOOST_TEST(!takes_every_unit(ways[0].rule));
  BOOST_TEST(pointers_asked(ways)
                 == (std::vector<std::string>{"/data/language", "/data/score", "/result/answer"}),
             boost::test_tools::per_element());
  BOOST_TEST(pointers_asked({to("publish")}).empty());
  auto what = found("cat");
  BOOST_TEST(chosen(ways, what) == "2 every unit"); // nothing is there
  what.input["/data/language"] = {R"("at")", {}};
  BOOST_TEST(chosen(ways, what) == R"(0 /data/language is "at")");
  what.input["/data/language"] = {R"("fr")", {}};
  BOOST_TEST(chosen(ways, what) == "2 every unit");
  const auto scored = [&](double score) {
    what.input["/data/score"] = {json_number(score), score};
    return choose_route(ways, what).rule;
  };
  BOOST_TEST(scored(0.25) == 1);
  BOOST_TEST(
      chosen(ways, what)
      == "1 /data/score is at least 0.25, /data/score is below 0.75, /result/answer is null");
  BOOST_TEST(scored(0.74) == 1);
  BOOST_TEST(scored(0.75) == 2);
  BOOST_TEST(scored(0.24) == 2);
  BOOST_TEST(scored(0.5) == 1);
  what.input["/result/answer"] = {R"("cat")", {}};
  BOOST_TEST(scored(0.5) == 2);
  what.input["/result/answer"] = {"", {}}; // an object is no scalar
  BOOST_TEST(scored(0.5) == 2);
  what.input.erase("/result/answer");
  what.input["/data/score"] = {R"("0.5")", {}}; // and a text no number
  BOOST_TEST(choose_route(ways, what).rule == 2);
}

// A22: reproducible, even, and each rule draws for itself
BOOST_AUTO_TEST_CASE(a_sample_is_drawn_by_the_ids_of_the_units) {
  uuid_source ids{42};
  std::size_t drawn = 0;
  std::size_t both = 0;
  std::size_t both_seeds = 0;
  const std::size_t units = 20'000;
  for (std::size_t i = 0; i < units; ++i) {
    const unit_id unit{ids.next(from_micros(1'700'000'000'000'000 + static_cast<std::int64_t>(i)))};
    const auto at = drawn_at(unit, 0);
    BOOST_REQUIRE((at >= 0 && at < 1));
    BOOST_REQUIRE(at == drawn_at(unit, 0));
    drawn += at < 0.1 ? 1 : 0;
    both += at < 0.1 && drawn_at(unit, 1) < 0.1 ? 1 : 0;
    both_seeds += at < 0.1 && drawn_at(unit, 0, 1) < 0.1 ? 1 : 0;
  }
  // Five standard deviations of what independent draws give.
  BOOST_TEST(std::abs(static_cast<double>(drawn) - 2000) < 5 * std::sqrt(units * 0.1 * 0.9));
  for (const auto of_both : {both, both_seeds})
    BOOST_TEST(std::abs(static_cast<double>(of_both) - 200) < 5 * std::sqrt(units * 0.01 * 0.99));

  route_condition when;
  when.sample = 0.1;
  auto what = found("cat");
  std::size_t taken = 0;
  for (std::uint32_t n = 0; n < 1000; ++n) {
    what.unit = unit_numbered(n + 1);
    const bool wanted = drawn_at(what.unit, 0) < 0.1;
    BOOST_REQUIRE((choose_route({to("review", when)}, what).rule == 0) == wanted);
    taken += wanted ? 1 : 0;
  }
  BOOST_TEST((taken > 50 && taken < 150));
  when.seed = 5;
  for (std::uint32_t n = 0; n < 1000; ++n) {
    what.unit = unit_numbered(n + 1);
    BOOST_REQUIRE((choose_route({to("review", when)}, what).rule == 0)
                  == (drawn_at(what.unit, 0, 5) < 0.1));
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(names_of_children)

BOOST_AUTO_TEST_CASE(a_child_has_its_parents_name_where_that_tells_it_apart) {
  const auto parent = unit_numbered(9);
  BOOST_TEST(child_key("tweet 7", parent, true, {}) == "tweet 7");
}

// I-5: no child is taken for another one, nor for source data
BOOST_AUTO_TEST_CASE(elsewhere_it_has_the_id_of_its_parent_and_its_place) {
  const auto parent = unit_numbered(9);
  const auto id = to_string(parent);
  BOOST_TEST(child_key("k", parent, false, {}) == "k~" + id);
  BOOST_TEST(child_key("k", parent, true, 0) == "k~" + id + ".0");
  BOOST_TEST(child_key("k", parent, false, 12) == "k~" + id + ".12");
}

// I-5: what is made from the next result of a parent is not taken for what was made from the first
BOOST_AUTO_TEST_CASE(children_of_the_next_result_have_other_names) {
  const auto parent = unit_numbered(9);
  const auto id = to_string(parent);
  BOOST_TEST(child_key("k", parent, true, {}, 1) == "k~" + id + "/2");
  BOOST_TEST(child_key("k", parent, false, 12, 2) == "k~" + id + ".12/3");
  BOOST_TEST(child_key("k~" + id + ".12/3", unit_numbered(10), false, {})
             == "k~" + to_string(unit_numbered(10)));
}

// Before there were routes, `next` was not stored with the units.
BOOST_AUTO_TEST_CASE(unit_that_went_on_along_the_only_route_stores_no_route) {
  way only;
  only.targets = {{1, false}};
  way conditional = only;
  conditional.rule.when.answers = {"red"};
  const std::vector<way> ways{only, conditional};
  BOOST_TEST(way_taken(no_route, ways) == &ways[0]);
  BOOST_TEST(way_taken(1, ways) == &ways[1]);
  BOOST_TEST((way_taken(no_route, {conditional}) == nullptr));
  BOOST_TEST((way_taken(no_route, {}) == nullptr));
  BOOST_TEST((way_taken(0, {way{}}) == nullptr)); // it ends the chain
}

BOOST_AUTO_TEST_CASE(names_do_not_grow_with_each_round) {
  const auto first = unit_numbered(9);
  const auto second = unit_numbered(10);
  BOOST_TEST(child_key(child_key("k", first, false, 3), second, false, {})
             == "k~" + to_string(second));
  // What only looks like it is part of the name.
  BOOST_TEST(child_key("a~b", first, false, {}) == "a~b~" + to_string(first));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(reviews)

BOOST_AUTO_TEST_CASE(a_review_is_read_as_it_was_written) {
  const std::string list = R"(["a:b",{"c":"correct:"}])";
  for (const auto& [said, text] : std::vector<std::pair<review, std::string>>{
           {{review_verdict::approve, {}}, "approve"},
           {{review_verdict::reject, {}}, "reject"},
           {{review_verdict::correct, list}, "correct:" + list}}) {
    BOOST_TEST(to_text(said) == text);
    BOOST_TEST((review_of(text).verdict == said.verdict));
    BOOST_TEST(review_of(text).correction == said.correction);
  }
  BOOST_CHECK_THROW(review_of("approved"), broken_invariant);
  BOOST_CHECK_THROW(review_of(""), broken_invariant);
}

BOOST_AUTO_TEST_SUITE_END()
