#include "connectors/base64url.hpp"

#include <cstdint>
#include <utility>

namespace holdfast::connectors {

namespace {

/// The six bits of a letter; negative when it has none.
int sextet_of(char letter) {
  if (letter >= 'A' && letter <= 'Z')
    return letter - 'A';
  if (letter >= 'a' && letter <= 'z')
    return letter - 'a' + 26;
  if (letter >= '0' && letter <= '9')
    return letter - '0' + 52;
  if (letter == '-')
    return 62;
  return letter == '_' ? 63 : -1;
}

} // namespace

std::optional<std::string> from_base64url(std::string_view text) {
  if (text.size() % 4 == 1)
    return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char letter : text) {
    const auto six = sextet_of(letter);
    if (six < 0)
      return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(six);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>((bits >> count) & 0xff);
      bits &= (1U << count) - 1;
    }
  }
  return bits == 0 ? std::optional{std::move(bytes)} : std::nullopt;
}

} // namespace holdfast::connectors
