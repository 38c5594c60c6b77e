#include "core/uuid.hpp"

namespace holdfast::core {

namespace {

constexpr char hex_digits[] = "0123456789abcdef";

int hex_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

constexpr bool hyphen_before(std::size_t byte) {
  return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

std::uint64_t millis_of(instant at) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count());
}

uuid version_7(std::uint64_t millis, std::uint16_t counter, std::uint64_t tail) {
  uuid id;
  for (std::size_t i = 0; i < 6; ++i)
    id.bytes[i] = static_cast<std::uint8_t>(millis >> (40 - 8 * i));
  id.bytes[6] = static_cast<std::uint8_t>(0x70 | counter >> 8);
  id.bytes[7] = static_cast<std::uint8_t>(counter);
  for (std::size_t i = 0; i < 8; ++i)
    id.bytes[8 + i] = static_cast<std::uint8_t>(tail >> (56 - 8 * i));
  id.bytes[8] = static_cast<std::uint8_t>(0x80 | (id.bytes[8] & 0x3f));
  return id;
}

} // namespace

std::string to_string(const uuid& id) {
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    if (hyphen_before(i))
      text += '-';
    text += hex_digits[id.bytes[i] >> 4];
    text += hex_digits[id.bytes[i] & 0x0f];
  }
  return text;
}

std::optional<uuid> parse_uuid(std::string_view text) {
  if (text.size() != 36)
    return std::nullopt;
  uuid id;
  std::size_t at = 0;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    if (hyphen_before(i) && text[at++] != '-')
      return std::nullopt;
    const int high = hex_value(text[at]);
    const int low = hex_value(text[at + 1]);
    if (high < 0 || low < 0)
      return std::nullopt;
    id.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
    at += 2;
  }
  return id;
}

uuid uuid_source::next(instant now) {
  const auto millis = millis_of(now);
  if (millis > last_millis_) {
    last_millis_ = millis;
    counter_ = 0;
  } else if (++counter_ == 0x1000) {
    // The 12-bit counter is full, or the clock stood still: borrow the next millisecond (RFC
    // 9562, 6.2).
    ++last_millis_;
    counter_ = 0;
  }
  return version_7(last_millis_, counter_, random());
}

uuid uuid_source::scattered(instant at) {
  const auto counter = static_cast<std::uint16_t>(random() & 0xfff);
  return version_7(millis_of(at), counter, random());
}

instant time_of(const uuid& id) {
  std::int64_t millis = 0;
  for (std::size_t i = 0; i < 6; ++i)
    millis = millis << 8 | id.bytes[i];
  return instant{std::chrono::milliseconds{millis}};
}

std::uint8_t version_of(const uuid& id) { return id.bytes[6] >> 4U; }

// SplitMix64 (Steele, Lea, Flood 2014): enough for ids that need to be distinct, not secret.
std::uint64_t uuid_source::random() {
  state_ += 0x9e3779b97f4a7c15ULL;
  auto z = state_;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

} // namespace holdfast::core
