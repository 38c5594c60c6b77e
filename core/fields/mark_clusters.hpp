#pragma once

#include "core/fields/placed_marks.hpp"
#include "core/fields/rule.hpp"

#include <cstddef>
#include <vector>

namespace holdfast::core::fields {

/// An object, by the marks of those who drew it.
struct marked_object {
  cluster members;
  mark standing; ///< `standing_mark` of the members.
};

/// Groups marks, sorted as `placed_marks` does it, into objects, in an order by their first
/// members.
///
/// First the pairs of marks of different people, the most alike first: the groups of the two become
/// one where the two may be the same object and nobody is in both groups. Such chains may hold a
/// mark that is far from the middle, or somebody's second choice. So each object then gets a mark
/// that stands for it, and everybody's marks go, the most alike first and one to one, to the
/// objects whose standing marks they are close to; what is close to none is grouped anew. Where
/// labels differ, likeness counts `other_label` times as much.
///
/// Rejected: cliques, and the mean over pairs. Two sloppy marks of a small object overlap less with
/// each other than each does with the middle, so that both ways split objects that nearly everybody
/// drew (figures: docs/FIELDS.md).
///
/// Each mark is compared with those whose extent meets its own from left to right, and of each
/// other person only the `rivals_max` most alike go on: at most `rivals_max` x people pairs a mark.
std::vector<marked_object> cluster_marks(const field_rule& rule,
                                         const std::vector<placed_mark>& marks);

/// So that two objects in one place find their like by label, while one wrong label does not make
/// two objects of one.
inline constexpr double other_label = 0.8;

/// A person who draws more marks than this over one mark of another draws anything.
inline constexpr std::size_t rivals_max = 8;

} // namespace holdfast::core::fields
