#include "core/fields/placed_marks.hpp"

#include "core/fields/shares.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <variant>

namespace holdfast::core::fields {

namespace {

bool corners_before(const mark& a, const mark& b) {
  return std::lexicographical_compare(
      a.corners.begin(), a.corners.end(), b.corners.begin(), b.corners.end(),
      [](const point& p, const point& q) { return std::tie(p.x, p.y) < std::tie(q.x, q.y); });
}

auto sides_of(const rectangle& r) { return std::tie(r.left, r.top, r.right, r.bottom); }

/// Below 0 where the first stands before the second.
int compared_by_place(const rectangle& a, const mark& drawn_a, const rectangle& b,
                      const mark& drawn_b) {
  if (sides_of(a) != sides_of(b))
    return sides_of(a) < sides_of(b) ? -1 : 1;
  if (corners_before(drawn_a, drawn_b))
    return -1;
  return corners_before(drawn_b, drawn_a) ? 1 : 0;
}

bool goes_before(const placed_mark& a, const placed_mark& b) {
  if (const auto by_place = compared_by_place(a.bounds, *a.drawn, b.bounds, *b.drawn);
      by_place != 0)
    return by_place < 0;
  return std::tie(a.lot, a.weight, a.person) < std::tie(b.lot, b.weight, b.person);
}

/// The place in `members` of the one that is most like the others.
std::size_t medoid_of(const std::vector<placed_mark>& marks, const cluster& members) {
  std::vector<double> likeness(members.size());
  double all = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    all += marks[members[i]].weight;
    for (auto j = i + 1; j < members.size(); ++j) {
      const auto& one = marks[members[i]];
      const auto& other = marks[members[j]];
      const auto like = overlap_of(one.shape, other.shape);
      likeness[i] += other.weight * like;
      likeness[j] += one.weight * like;
    }
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < members.size(); ++i) {
    const auto more = likeness[i] - likeness[best];
    if (more > all * share_grain
        || (more >= -all * share_grain && marks[members[i]].lot < marks[members[best]].lot))
      best = i;
  }
  return best;
}

} // namespace

bool can_be_placed(field_kind kind, const mark& drawn) {
  if (kind == field_kind::points)
    return !drawn.corners.empty();
  return kind == field_kind::boxes || drawn.corners.size() > 2;
}

bool stands_before(field_kind kind, const mark& a, const mark& b) {
  const auto bounds = [&](const mark& one) {
    return kind == field_kind::boxes ? one.box : bounds_of(one.corners);
  };
  return compared_by_place(bounds(a), a, bounds(b), b) < 0;
}

placed_mark placed(field_kind kind, const mark& drawn) {
  placed_mark one;
  one.drawn = &drawn;
  one.bounds = kind == field_kind::boxes ? drawn.box : bounds_of(drawn.corners);
  if (kind == field_kind::polygons)
    one.shape = polygon_of(drawn.corners);
  return one;
}

std::vector<placed_mark> placed_marks(field_kind kind, const std::vector<given_value>& given) {
  std::vector<placed_mark> marks;
  for (std::uint32_t person = 0; person < given.size(); ++person)
    if (const auto* drawn = std::get_if<std::vector<mark>>(&given[person].said))
      for (const auto& one : *drawn) {
        if (!can_be_placed(kind, one))
          continue;
        marks.push_back(placed(kind, one));
        marks.back().person = person;
        marks.back().weight = given[person].weight;
        marks.back().lot = given[person].lot;
      }
  std::stable_sort(marks.begin(), marks.end(), goes_before);
  return marks;
}

closeness closeness_of(const field_rule& rule, const placed_mark& a, const placed_mark& b) {
  if (rule.kind == field_kind::points) {
    const auto apart = distance_of({a.bounds.left, a.bounds.top}, {b.bounds.left, b.bounds.top});
    if (apart > rule.distance * (1 + share_grain))
      return {0, false};
    return {apart > 0 ? std::max(0.0, 1 - apart / rule.distance) : 1, true};
  }
  // A bound that costs nothing: the smaller of two areas over the greater.
  auto like = overlap_of(a.bounds, b.bounds);
  if (like > 0 && rule.kind == field_kind::polygons)
    like = std::min(a.shape.area, b.shape.area)
                   >= (rule.overlap - share_grain) * std::max(a.shape.area, b.shape.area)
               ? overlap_of(a.shape, b.shape)
               : 0;
  if (like == 0 && compared_by_place(a.bounds, *a.drawn, b.bounds, *b.drawn) == 0)
    like = 1;
  return {like, like > 0 && like >= rule.overlap - share_grain};
}

mark standing_mark(const field_rule& rule, const std::vector<placed_mark>& marks,
                   const cluster& members) {
  mark found;
  if (rule.kind == field_kind::polygons) {
    found.corners = marks[members[medoid_of(marks, members)]].drawn->corners;
    return found;
  }
  std::vector<weighted_number> numbers(members.size());
  const auto median = [&](double rectangle::*side) {
    std::transform(members.begin(), members.end(), numbers.begin(), [&](std::uint32_t one) {
      return weighted_number{marks[one].bounds.*side, marks[one].weight};
    });
    return weighted_median(numbers);
  };
  if (rule.kind == field_kind::points)
    found.corners = {{median(&rectangle::left), median(&rectangle::top)}};
  else
    found.box = {median(&rectangle::left), median(&rectangle::top), median(&rectangle::right),
                 median(&rectangle::bottom)};
  return found;
}

} // namespace holdfast::core::fields
