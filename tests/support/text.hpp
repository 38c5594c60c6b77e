#pragma once

#include <string>

/// What tests ask of texts.
namespace holdfast::test {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace holdfast::test
