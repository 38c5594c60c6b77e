#include "core/fields/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace holdfast::core::fields {

namespace {

/// The edges of up to two polygons, which a horizontal line sweeps from top to bottom.
struct swept_edge {
  const polygon_edge* edge = nullptr;
  bool second = false;
};

/// The height at which two edges cross, if they do within both.
bool crossing_height(const polygon_edge& a, const polygon_edge& b, double& height) {
  const auto top = std::max(a.upper.y, b.upper.y);
  const auto bottom = std::min(a.lower.y, b.lower.y);
  if (top >= bottom || a.right < b.left || b.right < a.left)
    return false;
  const auto at_top = a.x_at(top) - b.x_at(top);
  const auto at_bottom = a.x_at(bottom) - b.x_at(bottom);
  if ((at_top > 0) == (at_bottom > 0) || at_top == 0 || at_bottom == 0)
    return false; // edges that only touch do so at a corner, where there is a cut anyway
  height = top + (bottom - top) * (at_top / (at_top - at_bottom));
  return true;
}

/// How long the parts of a line are that lie in each of two sets of intervals, both by their sorted
/// ends.
double common_length(const std::vector<double>& a, const std::vector<double>& b) {
  double length = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i + 1 < a.size() && j + 1 < b.size()) {
    const auto left = std::max(a[i], b[j]);
    const auto right = std::min(a[i + 1], b[j + 1]);
    if (left < right)
      length += right - left;
    if (a[i + 1] < b[j + 1])
      i += 2;
    else
      j += 2;
  }
  return length;
}

/// The edges of `p` that a sweep from `top` to `bottom` meets.
void add_edges(const polygon& p, bool second, double top, double bottom,
               std::vector<swept_edge>& swept) {
  for (const auto& edge : p.edges)
    if (edge.lower.y > top && edge.upper.y < bottom)
      swept.push_back({&edge, second});
}

/// The area that both have in common by the even-odd rule; of one alone with itself its own.
double swept_area(const polygon& a, const polygon& b) {
  const auto alone = &a == &b;
  const auto top = std::max(a.bounds.top, b.bounds.top);
  const auto bottom = std::min(a.bounds.bottom, b.bounds.bottom);
  std::vector<swept_edge> swept;
  add_edges(a, false, top, bottom, swept);
  if (!alone)
    add_edges(b, true, top, bottom, swept);
  std::sort(swept.begin(), swept.end(), [](const swept_edge& one, const swept_edge& other) {
    return one.edge->upper.y < other.edge->upper.y;
  });
  std::vector<double> cuts{top, bottom};
  for (std::size_t i = 0; i < swept.size(); ++i) {
    const auto& edge = *swept[i].edge;
    for (const auto end : {edge.upper.y, edge.lower.y})
      if (end > top && end < bottom)
        cuts.push_back(end);
    double height = 0;
    for (auto j = i + 1; j < swept.size() && swept[j].edge->upper.y < edge.lower.y; ++j)
      if (crossing_height(edge, *swept[j].edge, height) && height > top && height < bottom)
        cuts.push_back(height);
  }
  std::sort(cuts.begin(), cuts.end());

  double area = 0;
  std::vector<swept_edge> active;
  std::vector<double> of_a;
  std::vector<double> of_b;
  std::size_t next = 0;
  for (std::size_t cut = 1; cut < cuts.size(); ++cut) {
    const auto height = cuts[cut] - cuts[cut - 1];
    if (height <= 0)
      continue;
    const auto middle = cuts[cut - 1] + height / 2;
    while (next < swept.size() && swept[next].edge->upper.y < middle)
      active.push_back(swept[next++]);
    active.erase(std::remove_if(active.begin(), active.end(),
                                [&](const swept_edge& one) { return one.edge->lower.y <= middle; }),
                 active.end());
    of_a.clear();
    of_b.clear();
    for (const auto& one : active)
      (one.second ? of_b : of_a).push_back(one.edge->x_at(middle));
    std::sort(of_a.begin(), of_a.end());
    std::sort(of_b.begin(), of_b.end());
    area += height * common_length(of_a, alone ? of_a : of_b);
  }
  return area;
}

/// Which side of the line from `a` to `b` the point is on: 0 on it.
double side_of(const point& a, const point& b, const point& p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

bool lies_between(const point& a, const point& b, const point& p) {
  return std::min(a.x, b.x) <= p.x && p.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= p.y
         && p.y <= std::max(a.y, b.y);
}

/// Whether the lines from `a` to `b` and from `c` to `d` have a point in common.
bool lines_meet(const point& a, const point& b, const point& c, const point& d) {
  const auto c_side = side_of(a, b, c);
  const auto d_side = side_of(a, b, d);
  const auto a_side = side_of(c, d, a);
  const auto b_side = side_of(c, d, b);
  if (((c_side > 0 && d_side < 0) || (c_side < 0 && d_side > 0))
      && ((a_side > 0 && b_side < 0) || (a_side < 0 && b_side > 0)))
    return true;
  return (c_side == 0 && lies_between(a, b, c)) || (d_side == 0 && lies_between(a, b, d))
         || (a_side == 0 && lies_between(c, d, a)) || (b_side == 0 && lies_between(c, d, b));
}

/// 0 where there is nothing to share, or the areas of absurd shapes are no numbers any more.
double share_of(double common, double either) {
  const auto share = common / either;
  return share > 0 ? std::min(share, 1.0) : 0;
}

bool same_place(const point& a, const point& b) { return a.x == b.x && a.y == b.y; }

} // namespace

double area_of(const rectangle& r) { return (r.right - r.left) * (r.bottom - r.top); }

double overlap_of(const rectangle& a, const rectangle& b) {
  const auto width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const auto height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (width <= 0 || height <= 0)
    return 0;
  const auto common = width * height;
  return share_of(common, area_of(a) + area_of(b) - common);
}

rectangle bounds_of(const std::vector<point>& points) {
  const auto& first = points.front();
  rectangle bounds{first.x, first.y, first.x, first.y};
  for (const auto& p : points)
    bounds = {std::min(bounds.left, p.x), std::min(bounds.top, p.y), std::max(bounds.right, p.x),
              std::max(bounds.bottom, p.y)};
  return bounds;
}

double distance_of(const point& a, const point& b) { return std::hypot(a.x - b.x, a.y - b.y); }

polygon polygon_of(const std::vector<point>& corners) {
  polygon p;
  p.corners.reserve(corners.size());
  for (const auto& corner : corners)
    if (p.corners.empty() || !same_place(corner, p.corners.back()))
      p.corners.push_back(corner);
  while (p.corners.size() > 1 && same_place(p.corners.front(), p.corners.back()))
    p.corners.pop_back();
  if (p.corners.empty())
    return p;
  p.bounds = bounds_of(p.corners);
  for (std::size_t i = 0; i < p.corners.size(); ++i) {
    const auto& from = p.corners[i];
    const auto& to = p.corners[(i + 1) % p.corners.size()];
    if (from.y == to.y)
      continue;
    const auto& upper = from.y < to.y ? from : to;
    const auto& lower = from.y < to.y ? to : from;
    p.edges.push_back({upper, lower, std::min(from.x, to.x), std::max(from.x, to.x)});
  }
  std::sort(p.edges.begin(), p.edges.end(),
            [](const polygon_edge& a, const polygon_edge& b) { return a.upper.y < b.upper.y; });
  p.area = swept_area(p, p);
  return p;
}

bool crosses_itself(const polygon& p) {
  const auto& c = p.corners;
  const auto count = c.size();
  if (count < 3)
    return true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& a = c[i];
    const auto& b = c[(i + 1) % count];
    // The next edge begins at `b`: it lies on this one where it turns back.
    const auto& next = c[(i + 2) % count];
    if (side_of(a, b, next) == 0 && (next.x - b.x) * (a.x - b.x) + (next.y - b.y) * (a.y - b.y) > 0)
      return true;
    for (auto j = i + 2; j < count; ++j) {
      if (i == 0 && j == count - 1)
        continue; // neighbours across the first corner
      if (lines_meet(a, b, c[j], c[(j + 1) % count]))
        return true;
    }
  }
  return false;
}

double overlap_of(const polygon& a, const polygon& b) {
  if (overlap_of(a.bounds, b.bounds) <= 0)
    return 0;
  const auto common = swept_area(a, b);
  return share_of(common, a.area + b.area - common);
}

} // namespace holdfast::core::fields
