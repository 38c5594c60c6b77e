// Boxes, points and polygons: what counts as the same object, and what several people's marks
// become.

#include "core/fields/geometry.hpp"
#include "core/fields/marks.hpp"
#include "tests/core/field_values.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace holdfast;
using namespace core::fields;
using namespace test;

namespace {

field_rule rule_for_boxes() { return rule_of(field_kind::boxes, field_method::clusters); }

/// Corners of a figure of unit squares: columns of these heights beside each other on one ground.
std::vector<point> skyline(const std::vector<int>& heights, double x, double ground) {
  std::vector<point> corners{{x, ground}};
  for (const auto height : heights) {
    corners.push_back({x, ground - height});
    corners.push_back({++x, ground - height});
  }
  corners.push_back({x, ground});
  return corners;
}

/// The least difference between the answers of two sets of judgments: by place, share and label.
void must_be_alike(const found_value& a, const found_value& b, double factor, double shift) {
  const auto& first = answer_of<drawn_marks>(a);
  const auto& second = answer_of<drawn_marks>(b);
  BOOST_REQUIRE(first.size() == second.size());
  BOOST_TEST(within_1e9(a.confidence, b.confidence));
  for (std::size_t i = 0; i < first.size(); ++i) {
    BOOST_TEST(std::abs(first[i].box.left * factor + shift - second[i].box.left) < 1e-6);
    BOOST_TEST(std::abs(first[i].box.bottom * factor + shift - second[i].box.bottom) < 1e-6);
    BOOST_TEST(within_1e9(a.support[i].share, b.support[i].share));
    BOOST_TEST(first[i].label == second[i].label);
  }
}

/// Five people's marks of a made-up picture; some missing, some of nothing, all a little off.
std::vector<given_value> drawn_by_five(random_source& random) {
  std::vector<rectangle> objects;
  for (auto left = 3 + random.below(5); left > 0; --left) {
    const auto x = static_cast<double>(random.below(300));
    const auto y = static_cast<double>(random.below(200));
    objects.push_back({x, y, x + 20 + static_cast<double>(random.below(60)),
                       y + 20 + static_cast<double>(random.below(60))});
  }
  std::vector<drawn_marks> all(5);
  const auto off = [&] { return static_cast<double>(random.below(700)) / 100 - 3.5; };
  for (auto& marks : all)
    for (const auto& o : objects) {
      if (!random.one_in(5))
        marks.push_back(box(o.left + off(), o.top + off(), o.right + off(), o.bottom + off(),
                            random.one_in(4) ? "bicycle" : "person"));
      if (random.one_in(12))
        marks.push_back(box(o.left + 90, o.top, o.right + 90, o.bottom, "person"));
    }
  auto given = said_by_all(all);
  for (auto& one : given)
    one.weight = 0.5 + static_cast<double>(random.below(100)) / 100;
  return given;
}

} // namespace

BOOST_AUTO_TEST_SUITE(fields_marks)

BOOST_AUTO_TEST_CASE(object_is_the_median_of_the_marks_of_those_who_drew_it) {
  // By hand: of three lefts the middle one; the stray box of the third person has a share of 1/3.
  const auto given = said_by_all<drawn_marks>(
      {{box(10, 10, 50, 90)}, {box(12, 8, 52, 92)}, {box(11, 9, 49, 95), box(200, 200, 220, 220)}});
  const auto found = combine_marks(rule_for_boxes(), given);
  const auto& answer = answer_of<drawn_marks>(found);
  BOOST_REQUIRE(answer.size() == 1U);
  BOOST_TEST(answer[0].box.left == 11);
  BOOST_TEST(answer[0].box.top == 9);
  BOOST_TEST(answer[0].box.right == 50);
  BOOST_TEST(answer[0].box.bottom == 92);
  BOOST_TEST(found.support[0].share == 1);
  BOOST_TEST(found.support[0].votes == 3U);
  BOOST_TEST(within_1e9(found.confidence, 2.0 / 3)); // that the stray box is no object
  BOOST_TEST(found.votes == 3U);
}

BOOST_AUTO_TEST_CASE(half_of_the_weight_is_not_enough_for_an_object) {
  const auto half = said_by_all<drawn_marks>({{box(0, 0, 10, 10)}, {}});
  const auto found = combine_marks(rule_for_boxes(), half);
  BOOST_TEST(answer_of<drawn_marks>(found).empty());
  BOOST_TEST(found.confidence == 0.5);
  auto rule = rule_for_boxes();
  rule.share = 0.49;
  BOOST_TEST(answer_of<drawn_marks>(combine_marks(rule, half)).size() == 1U);
  // Above one half just the share is enough.
  rule.share = 2.0 / 3;
  const auto two_of_three =
      said_by_all<drawn_marks>({{box(0, 0, 10, 10)}, {box(0, 0, 10, 10)}, {}});
  BOOST_TEST(answer_of<drawn_marks>(combine_marks(rule, two_of_three)).size() == 1U);
}

BOOST_AUTO_TEST_CASE(empty_answer_is_as_sure_as_the_share_that_drew_nothing) {
  const auto found = combine_marks(
      rule_for_boxes(),
      said_by_all<drawn_marks>({{}, {}, {}, {box(0, 0, 9, 9)}, {box(50, 50, 60, 60)}}));
  BOOST_TEST(answer_of<drawn_marks>(found).empty());
  BOOST_TEST(within_1e9(found.confidence, 0.6));
  const auto all = combine_marks(rule_for_boxes(), said_by_all<drawn_marks>({{}, {}}));
  BOOST_TEST(all.confidence == 1);
}

BOOST_AUTO_TEST_CASE(weight_decides_and_not_the_number_of_people) {
  auto given = said_by_all<drawn_marks>({{box(0, 0, 10, 10)}, {}, {}});
  given[0].weight = 3;
  const auto found = combine_marks(rule_for_boxes(), given);
  BOOST_REQUIRE(answer_of<drawn_marks>(found).size() == 1U);
  BOOST_TEST(within_1e9(found.support[0].share, 0.6));
  BOOST_TEST(found.support[0].votes == 1U);
}

BOOST_AUTO_TEST_CASE(one_person_has_one_mark_on_an_object) {
  const auto twice = said_by_all<drawn_marks>(
      {{box(0, 0, 100, 100), box(2, 0, 100, 100)}, {box(0, 0, 100, 100)}, {box(1, 0, 100, 100)}});
  const auto found = combine_marks(rule_for_boxes(), twice);
  BOOST_REQUIRE(answer_of<drawn_marks>(found).size() == 1U);
  BOOST_TEST(found.support[0].votes == 3U);
  BOOST_TEST(within_1e9(found.confidence, 2.0 / 3));
}

BOOST_AUTO_TEST_CASE(neighbours_that_overlap_stay_two_objects) {
  // The two overlap by more than half of their union; each person drew both.
  const drawn_marks both{box(0, 0, 100, 100), box(25, 0, 125, 100)};
  const auto found = combine_marks(rule_for_boxes(), said_by_all<drawn_marks>({both, both, both}));
  const auto& answer = answer_of<drawn_marks>(found);
  BOOST_REQUIRE(answer.size() == 2U);
  BOOST_TEST(answer[0].box.left == 0);
  BOOST_TEST(answer[1].box.left == 25);
  BOOST_TEST(found.confidence == 1);
}

BOOST_AUTO_TEST_CASE(label_is_voted_on_within_the_object) {
  const auto given = said_by_all<drawn_marks>(
      {{box(0, 0, 10, 10, "cat")}, {box(0, 0, 10, 10, "dog")}, {box(0, 0, 10, 10, "dog")}, {}});
  const auto found = combine_marks(rule_for_boxes(), given);
  BOOST_TEST(answer_of<drawn_marks>(found).at(0).label == "dog");
  BOOST_TEST(within_1e9(found.support[0].share, 0.75));
  BOOST_TEST(within_1e9(found.support[0].label_share, 2.0 / 3));
  BOOST_TEST(within_1e9(found.confidence, 2.0 / 3));
}

BOOST_AUTO_TEST_CASE(tie_of_labels_goes_to_the_least_lot_whatever_labels_are_called) {
  for (const std::string first : {"a", "z"}) {
    auto given = said_by_all<drawn_marks>({{box(0, 0, 10, 10, first)}, {box(0, 0, 10, 10, "m")}});
    given[0].lot = 7;
    given[1].lot = 5;
    const auto found = combine_marks(rule_for_boxes(), given);
    BOOST_TEST(answer_of<drawn_marks>(found).at(0).label == "m");
    BOOST_TEST(found.tied == 2U);
  }
}

BOOST_AUTO_TEST_CASE(points_are_one_object_within_the_distance) {
  auto rule = rule_of(field_kind::points, field_method::clusters);
  rule.distance = 5;
  const auto found = combine_marks(
      rule, said_by_all<drawn_marks>({{dot(100, 100)}, {dot(103, 104)}, {dot(101, 99)}}));
  const auto& answer = answer_of<drawn_marks>(found);
  BOOST_REQUIRE(answer.size() == 1U);
  BOOST_TEST(answer[0].corners[0].x == 101);
  BOOST_TEST(answer[0].corners[0].y == 100);
  BOOST_TEST(marks_agree(rule, drawn_marks{dot(0, 0)}, drawn_marks{dot(3, 4)}));
  BOOST_TEST(!marks_agree(rule, drawn_marks{dot(0, 0)}, drawn_marks{dot(3, 4.01)}));
  rule.distance = 0;
  BOOST_TEST(marks_agree(rule, drawn_marks{dot(1, 1)}, drawn_marks{dot(1, 1)}));
}

BOOST_AUTO_TEST_CASE(polygon_is_the_one_most_like_the_others) {
  const auto rule = rule_of(field_kind::polygons, field_method::clusters);
  const auto square = [](double side) {
    return outline({{0, 0}, {side, 0}, {side, side}, {0, side}});
  };
  const auto found =
      combine_marks(rule, said_by_all<drawn_marks>({{square(9)}, {square(10)}, {square(11.5)}}));
  BOOST_REQUIRE(answer_of<drawn_marks>(found).size() == 1U);
  BOOST_TEST(answer_of<drawn_marks>(found)[0].corners[2].x == 10);
}

BOOST_AUTO_TEST_CASE(likeness_is_the_f1_of_matches) {
  const auto rule = rule_for_boxes();
  const drawn_marks two{box(0, 0, 10, 10), box(50, 50, 60, 60)};
  const drawn_marks three{box(1, 0, 10, 10), box(80, 80, 90, 90), box(100, 0, 110, 10)};
  BOOST_TEST(within_1e9(likeness_of_marks(rule, two, three), 2.0 * 1 / 5));
  BOOST_TEST(likeness_of_marks(rule, two, two) == 1);
  BOOST_TEST(likeness_of_marks(rule, drawn_marks{}, drawn_marks{}) == 1);
  BOOST_TEST(likeness_of_marks(rule, two, drawn_marks{}) == 0);
  BOOST_TEST(marks_agree(rule, two, two));
  BOOST_TEST(!marks_agree(rule, two, three));
  BOOST_TEST(
      !marks_agree(rule, drawn_marks{box(0, 0, 9, 9, "a")}, drawn_marks{box(0, 0, 9, 9, "b")}));
  // Both of the first match the left one of the second, and only one of them the right one: the
  // greatest matching finds two pairs, whichever is looked at first.
  const drawn_marks crossed{box(0, 0, 100, 10), box(30, 0, 130, 10)};
  const drawn_marks shifted{box(30, 0, 130, 10), box(60, 0, 160, 10)};
  BOOST_TEST(likeness_of_marks(rule, crossed, shifted) == 1);
}

BOOST_AUTO_TEST_CASE(areas_of_polygons_are_exact) {
  // Closed forms: a square and the same turned by 45 degrees about its middle share an octagon of
  // 8 (sqrt(2) - 1) for a side of 2.
  const auto r = std::sqrt(2.0);
  const auto square = polygon_of({{-1, -1}, {1, -1}, {1, 1}, {-1, 1}});
  const auto turned = polygon_of({{-r, 0}, {0, -r}, {r, 0}, {0, r}});
  const auto octagon = 8 * (r - 1);
  BOOST_TEST(within_1e9(overlap_of(square, turned), octagon / (8 - octagon)));
  // A five-pointed star crosses itself; by the even-odd rule its middle is outside.
  const auto star = polygon_of({{0, 0}, {10, 0}, {2, 7}, {5, -4}, {8, 7}});
  BOOST_TEST(crosses_itself(star));
  BOOST_TEST(within_1e9(overlap_of(star, star), 1));
  BOOST_TEST(!crosses_itself(square));
  // An arrow head, not convex, and the triangle around it: areas 2 and 4 by the shoelace formula.
  const auto arrow = polygon_of({{0, 0}, {2, 4}, {4, 0}, {2, 2}});
  const auto around = polygon_of({{0, 0}, {2, 4}, {4, 0}});
  BOOST_TEST(within_1e9(arrow.area, 4));
  BOOST_TEST(within_1e9(overlap_of(arrow, around), 0.5));
}

BOOST_AUTO_TEST_CASE(areas_of_stepped_polygons_are_their_counted_squares) {
  random_source random{5};
  for (int round = 0; round < 300; ++round) {
    std::vector<int> a(2 + random.below(8));
    std::vector<int> b(2 + random.below(8));
    for (auto* heights : {&a, &b})
      for (auto& height : *heights)
        height = 1 + static_cast<int>(random.below(9));
    const auto x = static_cast<int>(random.below(4));
    const auto y = static_cast<int>(random.below(4));
    int common = 0;
    int all_a = 0;
    int all_b = 0;
    for (const auto height : a)
      all_a += height;
    for (const auto height : b)
      all_b += height;
    for (int column = 0; column < static_cast<int>(b.size()); ++column)
      if (const auto at = static_cast<std::size_t>(column + x); at < a.size())
        common += std::max(0, std::min(a[at], b[static_cast<std::size_t>(column)] - y));
    const auto found = overlap_of(polygon_of(skyline(a, 0, 0)), polygon_of(skyline(b, x, y)));
    BOOST_TEST(within_1e9(found, static_cast<double>(common) / (all_a + all_b - common)));
  }
}

BOOST_AUTO_TEST_CASE(order_of_arrival_does_not_matter) {
  random_source random{11};
  for (int round = 0; round < 50; ++round) {
    auto given = drawn_by_five(random);
    const auto before = combine_marks(rule_for_boxes(), given);
    std::reverse(given.begin(), given.end());
    std::rotate(given.begin(), given.begin() + 2, given.end());
    must_be_alike(before, combine_marks(rule_for_boxes(), given), 1, 0);
  }
}

BOOST_AUTO_TEST_CASE(size_and_place_of_the_picture_do_not_matter) {
  random_source random{12};
  for (int round = 0; round < 50; ++round) {
    const auto given = drawn_by_five(random);
    auto moved = given;
    for (auto& one : moved)
      for (auto& m : std::get<drawn_marks>(one.said))
        m.box = {m.box.left * 3 + 1000, m.box.top * 3 + 1000, m.box.right * 3 + 1000,
                 m.box.bottom * 3 + 1000};
    must_be_alike(combine_marks(rule_for_boxes(), given), combine_marks(rule_for_boxes(), moved), 3,
                  1000);
  }
}

BOOST_AUTO_TEST_CASE(unit_of_weights_and_names_of_labels_do_not_matter) {
  random_source random{13};
  for (int round = 0; round < 50; ++round) {
    const auto given = drawn_by_five(random);
    auto other = given;
    for (auto& one : other) {
      one.weight *= 17;
      for (auto& m : std::get<drawn_marks>(one.said))
        m.label = m.label == "person" ? "a" : "z";
    }
    auto found = combine_marks(rule_for_boxes(), other);
    for (auto& m : std::get<drawn_marks>(found.answer))
      m.label = m.label == "a" ? "person" : "bicycle";
    must_be_alike(combine_marks(rule_for_boxes(), given), found, 1, 0);
  }
}

BOOST_AUTO_TEST_CASE(many_marks_by_twenty_people_in_one_place_have_a_bound) {
  // All overlap all: of the others' marks each keeps the eight most alike of each person.
  std::vector<drawn_marks> all(20);
  for (std::size_t person = 0; person < all.size(); ++person)
    for (int i = 0; i < 100; ++i)
      all[person].push_back(box(i * 0.01, 0, 100 + i * 0.01, 100));
  const auto found = combine_marks(rule_for_boxes(), said_by_all(all));
  BOOST_TEST(answer_of<drawn_marks>(found).size() <= 100U);
  BOOST_TEST(!answer_of<drawn_marks>(found).empty());
}

BOOST_AUTO_TEST_CASE(degenerate_truths_are_named) {
  auto rule = rule_for_boxes();
  rule.labels = {"cat"};
  BOOST_TEST(degenerate_marks(rule, drawn_marks{box(0, 0, 1, 1, "cat")}).empty());
  BOOST_TEST(degenerate_marks(rule, drawn_marks{}).empty());
  BOOST_TEST(degenerate_marks(rule, drawn_marks{box(0, 0, 0, 1, "cat")})
             == "has a box without area");
  BOOST_TEST(degenerate_marks(rule, drawn_marks{box(0, 0, 1, 1, "cow")})
             == "has the label \"cow\", which the field does not have");
  BOOST_TEST(degenerate_marks(rule, drawn_marks{box(0, 0, 1, 1, "cat"), box(0, 0, 1, 1, "cat")})
             == "has the same mark twice");
  BOOST_TEST(
      degenerate_marks(rule, drawn_marks{box(0, 0, std::numeric_limits<double>::infinity(), 1)})
      == "has a coordinate that is not a number");
  BOOST_TEST(degenerate_marks(rule, std::string{"cat"}) == "is not a list of marks");
  const auto polygons = rule_of(field_kind::polygons, field_method::clusters);
  BOOST_TEST(degenerate_marks(polygons, drawn_marks{outline({{0, 0}, {4, 4}, {4, 0}, {0, 4}})})
             == "has a polygon whose edges cross or touch each other");
  BOOST_TEST(degenerate_marks(polygons, drawn_marks{outline({{0, 0}, {4, 4}, {4, 4}, {0, 0}})})
             == "has a polygon with fewer than three corners");
  BOOST_TEST(
      degenerate_marks(polygons, drawn_marks{outline({{0, 0}, {4, 0}, {4, 4}, {4, 4}, {0, 0}})})
          .empty());
}

BOOST_AUTO_TEST_CASE(polygon_that_crosses_itself_is_an_answer_like_others) {
  const auto rule = rule_of(field_kind::polygons, field_method::clusters);
  const auto bow = outline({{0, 0}, {4, 4}, {4, 0}, {0, 4}});
  const auto found = combine_marks(rule, said_by_all<drawn_marks>({{bow}, {bow}, {}}));
  BOOST_TEST(answer_of<drawn_marks>(found).size() == 1U);
  BOOST_TEST(marks_agree(rule, drawn_marks{bow}, drawn_marks{bow}));
}

BOOST_AUTO_TEST_SUITE_END()
