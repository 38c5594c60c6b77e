#pragma once

#include <string_view>

/// Small questions about text that the standard library answers from C++20 on.
namespace holdfast::core {

inline bool begins_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

} // namespace holdfast::core
