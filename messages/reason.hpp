#pragma once

#include "messages/inspect.hpp"

#include <string>

namespace holdfast::msg {

/// One of the things that keep somebody or something from going on.
struct reason {
  std::string code; ///< For programs: docs/API.md lists them.
  std::string text; ///< For people.
};
HOLDFAST_WIRE(reason, x.code, x.text)

} // namespace holdfast::msg
