#include "core/trust_course.hpp"

#include <algorithm>
#include <iterator>

namespace holdfast::core {

trust_mark trust_course::at(const judgment_moment& when) const {
  const auto later = std::partition_point(turns.begin(), turns.end(),
                                          [&](const turn& one) { return one.after < when; });
  return later == turns.begin() ? at_first : std::prev(later)->trust;
}

} // namespace holdfast::core
