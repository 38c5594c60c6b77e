#pragma once

#include <string>

namespace holdfast::core {

/// One of the things that keep somebody or something from going on.
struct reason {
  std::string code; ///< For programs; docs/API.md lists them.
  std::string text; ///< For people.
};

} // namespace holdfast::core
