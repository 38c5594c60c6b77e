#include "core/fields/marks.hpp"

#include "core/fields/mark_clusters.hpp"
#include "core/fields/matching.hpp"
#include "core/fields/shares.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>

namespace holdfast::core::fields {

namespace {

const std::vector<mark>& marks_in(const value& v) {
  static const std::vector<mark> none;
  const auto* marks = std::get_if<std::vector<mark>>(&v);
  return marks == nullptr ? none : *marks;
}

/// One object, and what speaks for it.
struct judged_object {
  mark drawn;
  part_support support;
  std::uint32_t tied = 1; ///< Labels.
};

judged_object judged(const std::vector<placed_mark>& marks, marked_object object, double all) {
  std::vector<label_claim> claims;
  double weight = 0;
  for (const auto one : object.members) {
    const auto& by = marks[one];
    add_vote(claims, by.drawn->label, by.weight, by.lot);
    weight += by.weight;
  }
  judged_object found;
  const auto& leader = claims[leading_claim(claims, found.tied)];
  found.drawn = std::move(object.standing);
  found.drawn.label = leader.label;
  found.support.share = std::min(weight / all, 1.0);
  found.support.votes = static_cast<std::uint32_t>(object.members.size());
  found.support.label_share = leader.weight / weight;
  return found;
}

/// What `more` things to choose from make of as many answers.
std::uint32_t times(std::uint32_t answers, std::uint32_t more) {
  const auto product = std::uint64_t{answers} * more;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(product, std::numeric_limits<std::uint32_t>::max()));
}

bool are_finite(const mark& one) {
  return std::isfinite(one.box.left) && std::isfinite(one.box.top) && std::isfinite(one.box.right)
         && std::isfinite(one.box.bottom)
         && std::all_of(one.corners.begin(), one.corners.end(),
                        [](const point& p) { return std::isfinite(p.x) && std::isfinite(p.y); });
}

std::string problem_of_shape(field_kind kind, const mark& one) {
  if (!are_finite(one))
    return "has a coordinate that is not a number";
  if (kind == field_kind::points)
    return one.corners.size() == 1 ? "" : "has a point without a place";
  if (kind == field_kind::boxes)
    return area_of(one.box) > 0 ? "" : "has a box without area";
  const auto shape = polygon_of(one.corners);
  if (shape.corners.size() < 3)
    return "has a polygon with fewer than three corners";
  if (crosses_itself(shape))
    return "has a polygon whose edges cross or touch each other";
  return shape.area > 0 ? "" : "has a polygon without area";
}

bool same_shape(const mark& a, const mark& b) {
  const auto same = [](const point& p, const point& q) { return p.x == q.x && p.y == q.y; };
  return a.box.left == b.box.left && a.box.top == b.box.top && a.box.right == b.box.right
         && a.box.bottom == b.box.bottom
         && std::equal(a.corners.begin(), a.corners.end(), b.corners.begin(), b.corners.end(),
                       same);
}

/// How many marks of the two lists are one to one the same object with the same label.
std::size_t matching_marks(const field_rule& rule, const std::vector<mark>& a,
                           const std::vector<mark>& b) {
  const auto place_all = [&](const std::vector<mark>& marks) {
    std::vector<placed_mark> all;
    for (const auto& one : marks)
      if (can_be_placed(rule.kind, one))
        all.push_back(placed(rule.kind, one));
    return all;
  };
  const auto first = place_all(a);
  const auto second = place_all(b);
  std::vector<std::vector<std::uint32_t>> partners(first.size());
  for (std::size_t i = 0; i < first.size(); ++i)
    for (std::uint32_t j = 0; j < second.size(); ++j)
      if (first[i].drawn->label == second[j].drawn->label
          && closeness_of(rule, first[i], second[j]).same)
        partners[i].push_back(j);
  return greatest_matching(partners, second.size());
}

} // namespace

found_value combine_marks(const field_rule& rule, const std::vector<given_value>& given) {
  const auto order = in_order_of_lots(given);
  const auto all = weight_of(given, order);
  double drew_nothing = 0;
  for (const auto who : order)
    if (marks_in(given[who].said).empty())
      drew_nothing += given[who].weight;

  const auto marks = placed_marks(rule.kind, given);
  std::vector<judged_object> objects;
  found_value found;
  found.votes = static_cast<std::uint32_t>(given.size());
  found.confidence = 1;
  for (auto& object : cluster_marks(rule, marks)) {
    auto one = judged(marks, std::move(object), all);
    found.confidence =
        std::min(found.confidence, std::max(one.support.share, 1 - one.support.share));
    if (!is_enough(one.support.share, rule.share))
      continue;
    found.confidence = std::min(found.confidence, one.support.label_share);
    found.tied = times(found.tied, one.tied);
    objects.push_back(std::move(one));
  }
  std::stable_sort(objects.begin(), objects.end(),
                   [&](const judged_object& a, const judged_object& b) {
                     return stands_before(rule.kind, a.drawn, b.drawn);
                   });
  std::vector<mark> answer;
  for (auto& one : objects) {
    answer.push_back(std::move(one.drawn));
    found.support.push_back(std::move(one.support));
  }
  if (answer.empty())
    found.confidence = drew_nothing / all;
  found.answer = std::move(answer);
  return found;
}

double likeness_of_marks(const field_rule& rule, const value& a, const value& b) {
  const auto& first = marks_in(a);
  const auto& second = marks_in(b);
  return f1_of(matching_marks(rule, first, second), first.size(), second.size());
}

bool marks_agree(const field_rule& rule, const value& a, const value& b) {
  const auto& first = marks_in(a);
  const auto& second = marks_in(b);
  return first.size() == second.size() && matching_marks(rule, first, second) == first.size();
}

std::string degenerate_marks(const field_rule& rule, const value& truth) {
  const auto* marks = std::get_if<std::vector<mark>>(&truth);
  if (marks == nullptr)
    return "is not a list of marks";
  for (std::size_t i = 0; i < marks->size(); ++i) {
    const auto& one = (*marks)[i];
    if (auto problem = problem_of_shape(rule.kind, one); !problem.empty())
      return problem;
    if (auto problem = problem_of_label(rule.labels, one.label); !problem.empty())
      return problem;
    for (std::size_t j = 0; j < i; ++j)
      if (one.label == (*marks)[j].label && same_shape(one, (*marks)[j]))
        return "has the same mark twice";
  }
  return {};
}

} // namespace holdfast::core::fields
