#include "documents/text.hpp"

#include "core/mended_text.hpp"
#include "documents/terminal_text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>

namespace holdfast::documents {

namespace {

/// Edit distance in which two exchanged neighbours count once, as they do for who typed them
/// (Damerau 1964, in the form called optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_up;
  std::vector<std::size_t> above(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substituted, row[j - 1] + 1, above[j] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_up[j - 2] + 1);
    }
    two_up = std::move(above);
    above = std::move(row);
  }
  return above.back();
}

} // namespace

text_character character_at(std::string_view text, std::size_t at) {
  const auto length = core::utf8_length(text, at);
  if (length == 0)
    return {};
  const auto first = static_cast<std::uint8_t>(text[at]);
  constexpr std::uint8_t first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  char32_t code_point = first & first_bits[length];
  for (std::size_t i = 1; i < length; ++i)
    code_point = code_point << 6 | (static_cast<std::uint8_t>(text[at + i]) & 0x3fU);
  return {length, code_point};
}

bool may_be_cut_off(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  if (text.empty() || byte(0) < 0xc2 || byte(0) > 0xf4)
    return false;
  const std::size_t wanted = byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  if (text.size() >= wanted)
    return false;
  for (std::size_t i = 1; i < text.size(); ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return false;
  return true;
}

bool commands_a_terminal(char32_t code_point) {
  const auto within = [&](char32_t first, char32_t last) {
    return code_point >= first && code_point <= last;
  };
  return code_point < 0x20 || within(0x7f, 0x9f) || within(0x2028, 0x202e)
         || within(0x2066, 0x2069);
}

std::string escaped_character(char32_t code_point) {
  switch (code_point) {
  case '\n':
    return "\\n";
  case '\r':
    return "\\r";
  case '\t':
    return "\\t";
  default:
    char escape[16];
    std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(code_point));
    return escape;
  }
}

std::size_t first_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto length = core::utf8_length(text, at);
    if (length == 0)
      return at;
    at += length;
  }
  return std::string_view::npos;
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<std::uint8_t>(c) & 0xc0) != 0x80;
  }));
}

std::string printable(std::string_view text, std::size_t bytes_max) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto length = core::utf8_length(text, at);
    if (out.size() + std::max<std::size_t>(length, 1) > bytes_max)
      return out + "…";
    if (length == 0 || commands_a_terminal(character_at(text, at).code_point))
      out += '?';
    else
      out += text.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string_view nearest(std::string_view unknown, const std::vector<std::string_view>& known) {
  // Longer names are not typed by people; comparing them would only cost time.
  constexpr std::size_t compared_bytes_max = 64;
  if (unknown.size() > compared_bytes_max)
    return {};
  std::string_view best;
  // A third of the letters may differ, so that short names are not all alike.
  auto least = std::max<std::size_t>(unknown.size() / 3, 1) + 1;
  for (const auto name : known) {
    if (name.size() > compared_bytes_max)
      continue;
    if (const auto edits = distance(unknown, name); edits < least) {
      least = edits;
      best = name;
    }
  }
  return best;
}

std::string suggestion(std::string_view unknown, const std::vector<std::string_view>& known) {
  const auto name = nearest(unknown, known);
  return name.empty() ? std::string{} : "; did you mean '" + std::string{name} + "'?";
}

} // namespace holdfast::documents
