// Spans, compared pairs and rankings, and the scales of a step.

#include "core/fields/rankings.hpp"
#include "core/fields/scales.hpp"
#include "core/fields/spans.hpp"
#include "tests/core/field_values.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace holdfast;
using namespace core::fields;
using namespace test;

BOOST_AUTO_TEST_SUITE(fields_scales)

// The figures were made by Newton's method on the logarithms of strengths, in Python: another
// algorithm for the same greatest likelihood.
BOOST_AUTO_TEST_CASE(strengths_are_the_likeliest) {
  const std::vector<comparison> given{{0, 1, 0, 1},   {0, 1, 1, 1},   {1, 0, 2, 1}, {1, 2, 0, 1},
                                      {1, 2, 1, 2},   {2, 1, 2, 0.5}, {2, 3, 0, 1}, {3, 2, 1, 1},
                                      {0, 3, 2, 1.5}, {0, 2, 0, 1}};
  const double expected[] = {0.635671729846, 0.281453686229, 0.042728008040, 0.040146575884};
  auto scaled = given;
  for (auto& one : scaled)
    one.weight *= 40;
  std::reverse(scaled.begin(), scaled.end());
  for (const auto& found : {bradley_terry(4, given), bradley_terry(4, scaled)})
    for (std::size_t i = 0; i < 4; ++i)
      BOOST_TEST(within_1e9(found.strengths[i], expected[i]));
  // Never beaten, and still finite.
  const auto unbeaten = bradley_terry(2, {{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}});
  BOOST_TEST(within_1e9(unbeaten.strengths[0], 0.984464113510));
}

// Made by Newton's method on the marginal likelihood, in Python.
BOOST_AUTO_TEST_CASE(reliabilities_tell_who_sees_the_order_reversed) {
  std::vector<comparison> given;
  for (std::uint32_t i = 0; i < 4; ++i)
    for (std::uint32_t j = i + 1; j < 4; ++j) {
      given.insert(given.end(), {{i, j, 0}, {i, j, 1}, {j, i, 3}});
      given.push_back((i + j) % 2 == 1 ? comparison{i, j, 2} : comparison{j, i, 2});
    }
  const auto found = noisy_bradley_terry(4, 4, given);
  const double strengths[] = {0.960141784190, 0.037366244148, 0.002398623419, 0.000093348243};
  const double reliable[] = {0.830862030183, 0.830862030183, 0.661569684659, 0.339481069743};
  for (std::size_t i = 0; i < 4; ++i) {
    BOOST_TEST(within_1e9(found.strengths[i], strengths[i]));
    BOOST_TEST(within_1e9(found.contributors[i], reliable[i]));
  }
}

BOOST_AUTO_TEST_CASE(scale_of_a_step_decides_its_pairs) {
  auto rule = rule_of(field_kind::pairwise, field_method::bradley_terry);
  rule.labels = {"left", "right"};
  const std::vector<compared_pair> pairs{{"a", "b"}, {"c", "b"}};
  const std::vector<step_value> given{{0, 0, std::string{"left"}, 1, 1},
                                      {0, 1, std::string{"left"}, 1, 2},
                                      {1, 0, std::string{"right"}, 1, 3}};
  const auto found = combine_pairs_step(rule, 2, 2, given, pairs);
  BOOST_REQUIRE(found.scale.size() == 3U);
  BOOST_TEST(found.scale[0].item == "a");
  BOOST_TEST(found.scale[2].item == "c");
  BOOST_TEST(answer_of<std::string>(found.units[0]) == "left");
  BOOST_TEST(answer_of<std::string>(found.units[1]) == "right");
  BOOST_TEST(within_1e9(found.units[0].confidence,
                        found.scale[0].score / (found.scale[0].score + found.scale[1].score)));
}

BOOST_AUTO_TEST_CASE(borda_orders_by_mean_points) {
  const auto rule = rule_of(field_kind::ranking, field_method::borda);
  // By hand: a is before b in 2 of 3, before c in 3 of 3, b before c in 3 of 3.
  const auto found = combine_rankings(
      rule, said_by_all<named_items>({{"a", "b", "c"}, {"a", "b", "c"}, {"b", "a"}}));
  BOOST_TEST(answer_of<named_items>(found) == (named_items{"a", "b", "c"}),
             boost::test_tools::per_element());
  BOOST_TEST(within_1e9(found.confidence, (2.0 / 3 + 1 + 1) / 3));
  BOOST_TEST(within_1e9(
      likeness_of_rankings(rule, named_items{"a", "b", "c"}, named_items{"c", "b", "a"}), 0));
  BOOST_TEST(within_1e9(
      likeness_of_rankings(rule, named_items{"a", "b", "c"}, named_items{"b", "a", "c"}), 2.0 / 3));
  BOOST_TEST(degenerate_rankings(rule, named_items{"a", "a"}) == "has the item \"a\" twice");
}

BOOST_AUTO_TEST_CASE(adjacent_spans_of_one_label_do_not_melt) {
  const auto rule = rule_of(field_kind::spans, field_method::tokens);
  const drawn_spans two{{0, 5, "PER"}, {5, 9, "PER"}};
  const auto found = combine_spans(rule, said_by_all<drawn_spans>({two, two, {{0, 9, "PER"}}, {}}));
  const auto& answer = answer_of<drawn_spans>(found);
  BOOST_REQUIRE(answer.size() == 2U);
  BOOST_TEST(answer[0].end == 5U);
  BOOST_TEST(found.support[0].share == 0.75);
  BOOST_TEST(found.support[0].votes == 3U);
  BOOST_TEST(within_1e9(found.confidence, 2.0 / 3)); // that there is a boundary
}

BOOST_AUTO_TEST_CASE(characters_are_voted_on_one_by_one) {
  const auto rule = rule_of(field_kind::spans, field_method::tokens);
  const auto found = combine_spans(
      rule, said_by_all<drawn_spans>(
                {{{0, 4, "PER"}}, {{0, 5, "PER"}}, {{1, 5, "ORG"}}, {{2, 5, "PER"}}}));
  const auto& answer = answer_of<drawn_spans>(found);
  BOOST_REQUIRE(answer.size() == 1U);
  BOOST_TEST(answer[0].start == 1U);
  BOOST_TEST(answer[0].end == 5U);
  BOOST_TEST(answer[0].label == "PER");
  BOOST_TEST(found.support[0].share == 0.5); // where most labelled, and two of four say PER
}

BOOST_AUTO_TEST_SUITE_END()
