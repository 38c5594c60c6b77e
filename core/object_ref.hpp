#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::core {

/// The SHA-256 of an object's bytes: its address in the object store. Who has the address can tell
/// whether what they were given is what was stored.
struct digest {
  std::array<std::uint8_t, 32> bytes{};

  friend bool operator==(const digest& a, const digest& b) { return a.bytes == b.bytes; }
  friend bool operator!=(const digest& a, const digest& b) { return !(a == b); }
  friend bool operator<(const digest& a, const digest& b) { return a.bytes < b.bytes; }
};

/// 64 hexadecimal digits in lower case.
std::string to_string(const digest& content);

/// Reads what `to_string` writes, in either case. Empty for anything else.
std::optional<digest> parse_digest(std::string_view text);

/// What stands for a payload that is kept in the object store.
struct object_ref {
  digest content;
  std::uint64_t bytes = 0; ///< So that whoever reads it knows beforehand how much that is.

  friend bool operator==(const object_ref& a, const object_ref& b) {
    return a.content == b.content && a.bytes == b.bytes;
  }
};

/// `{"$holdfast.object":"sha256:<64 digits>","bytes":<number>}`: JSON, so that it can stand in a
/// row or a report where the payload would.
std::string to_json(const object_ref& ref);

/// Reads what `to_json` writes, to the letter. Empty for anything else.
std::optional<object_ref> parse_object_ref(std::string_view json);

/// Whether the text begins as only references may: a payload from outside that does would be taken
/// for one, and is to be refused.
bool begins_like_object_ref(std::string_view json);

/// How many bytes the payload has: those of the text itself, or of the object that it refers to.
std::size_t payload_bytes(std::string_view text);

} // namespace holdfast::core
