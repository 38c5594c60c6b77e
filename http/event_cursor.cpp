#include "http/event_cursor.hpp"

#include <array>
#include <cstdint>

namespace holdfast::http {

namespace {

/// In front of the positions. Another layout gets another one.
constexpr std::uint8_t cursor_layout = 1;

/// RFC 4648, 5: safe in URLs and in headers.
constexpr std::string_view cursor_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr unsigned cursor_digit_bits = 6;
constexpr unsigned cursor_byte_bits = 8;
constexpr unsigned varint_bits = 7;
constexpr std::uint8_t varint_goes_on = 0x80;

std::string base64url(const std::string& bytes) {
  std::string text;
  text.reserve((bytes.size() * cursor_byte_bits + cursor_digit_bits - 1) / cursor_digit_bits);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : bytes) {
    bits = bits << cursor_byte_bits | static_cast<std::uint8_t>(c);
    for (count += cursor_byte_bits; count >= cursor_digit_bits; count -= cursor_digit_bits)
      text += cursor_digits[bits >> (count - cursor_digit_bits) & 0x3f];
  }
  if (count > 0)
    text += cursor_digits[bits << (cursor_digit_bits - count) & 0x3f];
  return text;
}

std::optional<std::string> cursor_bytes_of(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const auto digit = cursor_digits.find(c);
    if (digit == std::string_view::npos)
      return std::nullopt;
    bits = bits << cursor_digit_bits | static_cast<std::uint32_t>(digit);
    count += cursor_digit_bits;
    if (count < cursor_byte_bits)
      continue;
    count -= cursor_byte_bits;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

void append_varint(std::string& out, std::uint64_t number) {
  for (; number >= varint_goes_on; number >>= varint_bits)
    out += static_cast<char>((number & 0x7f) | varint_goes_on);
  out += static_cast<char>(number);
}

std::optional<std::uint64_t> take_varint(std::string_view& from) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !from.empty(); shift += varint_bits) {
    const auto byte = static_cast<std::uint8_t>(from.front());
    from.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & varint_goes_on) == 0)
      return number;
  }
  return std::nullopt;
}

} // namespace

std::string cursor_of(const event_positions& positions) {
  std::string bytes;
  bytes += static_cast<char>(cursor_layout);
  for (const auto position : positions)
    append_varint(bytes, static_cast<std::uint64_t>(position));
  return base64url(bytes);
}

std::optional<event_positions> positions_of(std::string_view cursor, std::size_t shards) {
  const auto bytes = cursor_bytes_of(cursor);
  if (!bytes || bytes->empty() || static_cast<std::uint8_t>(bytes->front()) != cursor_layout)
    return std::nullopt;
  std::string_view rest{*bytes};
  rest.remove_prefix(1);
  event_positions positions;
  while (!rest.empty() && positions.size() < shards) {
    const auto position = take_varint(rest);
    // The numbers of the database end at 2^63 - 1.
    if (!position || *position > std::uint64_t{INT64_MAX})
      return std::nullopt;
    positions.push_back(static_cast<core::event_seq>(*position));
  }
  if (!rest.empty() || positions.size() != shards)
    return std::nullopt;
  return positions;
}

} // namespace holdfast::http
