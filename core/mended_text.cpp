#include "core/mended_text.hpp"

#include <algorithm>
#include <cstdint>

namespace holdfast::core {

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<std::uint8_t>(text[at + i]) : std::uint8_t{0};
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const auto first = byte(0);
  if (first < 0x80)
    return 1;
  if (first >= 0xc2 && first <= 0xdf)
    return tail(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) > 0x9f;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && byte(1) < 0x90;
    const bool beyond = first == 0xf4 && byte(1) > 0x8f;
    return tail(1) && tail(2) && tail(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

std::string mended_text(std::string_view text, std::size_t bytes_max) {
  constexpr std::string_view replacement = "\xef\xbf\xbd";
  std::string mended;
  mended.reserve(std::min(text.size(), bytes_max));
  for (std::size_t at = 0; at < text.size();) {
    const auto length = text[at] == '\0' ? 0 : utf8_length(text, at);
    const auto next = length == 0 ? replacement : text.substr(at, length);
    if (mended.size() + next.size() > bytes_max)
      break;
    mended += next;
    at += std::max<std::size_t>(length, 1);
  }
  return mended;
}

} // namespace holdfast::core
