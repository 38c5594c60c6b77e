#pragma once

#include "core/object_ref.hpp"

#include <cstddef>
#include <string>

/// Documents that are kept in the object store, because they are larger than
/// `objects.inline_bytes`.
namespace holdfast::test {

inline constexpr std::size_t large_bytes = 100'000;

/// A document of about `large_bytes`, another one for each mark.
inline std::string large(char mark) {
  return R"({"text":")" + std::string(large_bytes, mark) + "\"}";
}

/// Whether the text names a document that is kept elsewhere.
inline bool is_ref(const std::string& text) { return core::parse_object_ref(text).has_value(); }

} // namespace holdfast::test
