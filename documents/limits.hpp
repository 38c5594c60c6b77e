#pragma once

#include <cstddef>

namespace holdfast::documents {

/// Bounds on JSON from outside, checked before and while parsing.
struct json_limits {
  std::size_t bytes_max = 256 * 1024;
  std::size_t depth_max =
      64; ///< Deeper nesting is an attack on somebody's stack, PostgreSQL's included.
};

} // namespace holdfast::documents
