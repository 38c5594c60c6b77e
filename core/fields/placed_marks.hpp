#pragma once

#include "core/fields/found_value.hpp"
#include "core/fields/geometry.hpp"
#include "core/fields/rule.hpp"

#include <cstdint>
#include <vector>

namespace holdfast::core::fields {

/// A mark made ready for comparisons. Of a box `bounds` is all there is, of a point the place at
/// `bounds.left` and `bounds.top`; `shape` is of polygons only.
struct placed_mark {
  std::uint32_t person = 0; ///< Place in the list of those who judged.
  double weight = 1;        ///< Of the person, as is the lot.
  std::uint64_t lot = 0;
  const mark* drawn = nullptr;
  rectangle bounds{};
  polygon shape;
};

/// Whether it has what a mark of the kind needs: a point a corner, a polygon an area. One that has
/// not is no mark of any object.
bool can_be_placed(field_kind kind, const mark& drawn);

/// From left to right, then from top to bottom.
bool stands_before(field_kind kind, const mark& a, const mark& b);

placed_mark placed(field_kind kind, const mark& drawn);

/// The marks of all who judged, by place, then lot: an order that depends neither on labels nor on
/// when the marks arrived.
std::vector<placed_mark> placed_marks(field_kind kind, const std::vector<given_value>& given);

/// How like two marks are, 0 to 1, and whether they may be the same object, whatever their labels:
/// boxes and polygons by intersection over union, which must be at least `rule.overlap`; points by
/// 1 minus the distance over `rule.distance`, which the distance must not exceed. Equal shapes are
/// the same object even without area.
struct closeness {
  double like = 0;
  bool same = false;
};

closeness closeness_of(const field_rule& rule, const placed_mark& a, const placed_mark& b);

/// The marks that are one object, at most one of each person: places in the list of marks, sorted.
using cluster = std::vector<std::uint32_t>;

/// The mark that stands for an object: of boxes the weighted median of each side, of points of each
/// coordinate, of polygons the one with the greatest summed intersection over union with the
/// others, each by its weight (of several the one of the least lot). Without a label.
mark standing_mark(const field_rule& rule, const std::vector<placed_mark>& marks,
                   const cluster& members);

} // namespace holdfast::core::fields
