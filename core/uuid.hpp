#pragma once

#include "core/time.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::core {

/// 128-bit identifier (RFC 9562). All zeroes is the nil id and means "none".
struct uuid {
  std::array<std::uint8_t, 16> bytes{};

  explicit operator bool() const { return *this != uuid{}; }
  friend bool operator==(const uuid& a, const uuid& b) { return a.bytes == b.bytes; }
  friend bool operator!=(const uuid& a, const uuid& b) { return !(a == b); }
  friend bool operator<(const uuid& a, const uuid& b) { return a.bytes < b.bytes; }
};

/// Lower-case text with hyphens, e.g. `018f2c5e-7c1a-7000-8000-000000000001`.
std::string to_string(const uuid& id);

/// Reads what `to_string` writes, in either case. Empty for anything else.
std::optional<uuid> parse_uuid(std::string_view text);

/// Makes version 7 ids: 48 bits of milliseconds first, so that rows made together lie together on
/// disk (random keys cost six to twelve times the write load at ten million rows). Ids of one
/// source strictly grow. Deterministic: the same seed and instants give the same ids. Not
/// thread-safe; every actor owns one.
class uuid_source {
public:
  explicit uuid_source(std::uint64_t seed) : state_(seed) {}

  uuid next(instant now);

  /// An id that says `at` and nothing else, in no order with others of that time.
  uuid scattered(instant at);

  /// 64 random bits, of which no id says anything.
  std::uint64_t random();

private:
  std::uint64_t state_;
  std::uint64_t last_millis_ = 0;
  std::uint16_t counter_ = 0;
};

/// The time that a version 7 id begins with, to the millisecond.
instant time_of(const uuid& id);

/// The version of RFC 9562, 0 to 15.
std::uint8_t version_of(const uuid& id);

/// An id that cannot be mistaken for the id of something else.
template <class Tag>
struct strong_id {
  uuid value;

  explicit operator bool() const { return static_cast<bool>(value); }
  friend bool operator==(const strong_id& a, const strong_id& b) { return a.value == b.value; }
  friend bool operator!=(const strong_id& a, const strong_id& b) { return a.value != b.value; }
  friend bool operator<(const strong_id& a, const strong_id& b) { return a.value < b.value; }
};

template <class Tag>
std::string to_string(const strong_id<Tag>& id) {
  return to_string(id.value);
}

} // namespace holdfast::core

template <>
struct std::hash<holdfast::core::uuid> {
  std::size_t operator()(const holdfast::core::uuid& id) const noexcept {
    // The tail of a v7 id is random and the head is time: fold both.
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    for (int i = 0; i < 8; ++i) {
      high = high << 8 | id.bytes[static_cast<std::size_t>(i)];
      low = low << 8 | id.bytes[static_cast<std::size_t>(i + 8)];
    }
    return static_cast<std::size_t>((high ^ low) * 0x9e3779b97f4a7c15ULL);
  }
};

template <class Tag>
struct std::hash<holdfast::core::strong_id<Tag>> {
  std::size_t operator()(const holdfast::core::strong_id<Tag>& id) const noexcept {
    return std::hash<holdfast::core::uuid>{}(id.value);
  }
};
