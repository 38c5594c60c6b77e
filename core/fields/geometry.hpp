#pragma once

#include "core/fields/value.hpp"

#include <vector>

/// Shapes on images. Coordinates are finite; `y` grows downwards.
namespace holdfast::core::fields {

double area_of(const rectangle& r);

/// Intersection over union: 1 for the same rectangle, 0 for ones that do not overlap or have no
/// area. Source: P. Jaccard, "Étude comparative de la distribution florale", 1901.
double overlap_of(const rectangle& a, const rectangle& b);

/// The least rectangle around points; at least one.
rectangle bounds_of(const std::vector<point>& points);

double distance_of(const point& a, const point& b);

/// The line from one corner of a polygon to the next, from the upper end to the lower one.
struct polygon_edge {
  point upper;
  point lower;
  double left = 0;
  double right = 0;

  double x_at(double y) const {
    return upper.x + (lower.x - upper.x) * ((y - upper.y) / (lower.y - upper.y));
  }
};

/// A polygon made ready for comparisons. A point belongs to it by the even-odd rule, so that any
/// list of corners is a polygon, one that crosses itself too.
struct polygon {
  std::vector<point> corners; ///< Without those that repeat the one before.
  std::vector<polygon_edge>
      edges; ///< By upper end; horizontal ones bound no area and are left out.
  rectangle bounds{};
  double area = 0;
};

polygon polygon_of(const std::vector<point>& corners);

/// Whether two edges that are no neighbours meet, or two neighbours lie on each other.
bool crosses_itself(const polygon& p);

/// Intersection over union of the areas, whatever the shapes: 0 where they share no area. Cuts both
/// at the height of each corner and crossing; between two cuts no edge crosses another, so that the
/// common width at half height, times the height, is the common area without error.
double overlap_of(const polygon& a, const polygon& b);

} // namespace holdfast::core::fields
