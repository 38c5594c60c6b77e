#pragma once

#include <string>

namespace holdfast::core {

/// What is wrong with something that a user has defined, and where.
struct definition_problem {
  std::string place; ///< JSON pointer, such as `/skills/3`.
  std::string what;
};

} // namespace holdfast::core
