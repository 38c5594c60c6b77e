#include "core/look_alike.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace holdfast::core {

namespace {

/// The code points of `text`; a byte that begins no character stands for itself.
std::vector<char32_t> characters_of(std::string_view text) {
  std::vector<char32_t> characters;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xc2 && first < 0xe0 ? 2
                               : (first & 0xf0) == 0xe0        ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 1;
    char32_t read = length == 1 ? first : first & (0xffU >> (length + 1));
    bool whole = i + length <= text.size();
    for (std::size_t k = 1; whole && k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      whole = (next & 0xc0) == 0x80;
      read = (read << 6) | (next & 0x3fU);
    }
    characters.push_back(whole ? read : first);
    i += whole ? length : 1;
  }
  return characters;
}

bool is_unseen(char32_t c) {
  const bool blank = c == ' ' || (c >= 0x09 && c <= 0x0d) || c == 0xa0 || c == 0x1680
                     || (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x205f || c == 0x3000;
  const bool invisible = c == 0xad || (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e)
                         || (c >= 0x2060 && c <= 0x2064) || c == 0xfeff;
  return blank || invisible;
}

bool is_dot(char32_t c) { return c == '.' || c == 0x2026 || c == 0x3002; }

/// Small letters of Latin, Greek and Cyrillic, and plain forms of the wide ones. Other alphabets
/// have no case, or are rare in labels.
char32_t in_small(char32_t c) {
  if (c >= 0xff01 && c <= 0xff5e)
    c = c - 0xff01 + '!';
  if (c >= 'A' && c <= 'Z')
    return c + ('a' - 'A');
  if (c >= 0xc0 && c <= 0xde && c != 0xd7)
    return c + 0x20;
  if (c >= 0x100 && c <= 0x137)
    return c | 1U;
  if (c >= 0x14a && c <= 0x177)
    return c | 1U;
  if (c >= 0x391 && c <= 0x3a9)
    return c + 0x20;
  if (c >= 0x410 && c <= 0x42f)
    return c + 0x20;
  if (c >= 0x400 && c <= 0x40f)
    return c + 0x50;
  return c;
}

/// Of characters that have the same shape in most fonts, one for all. By letter: capitals of one
/// alphabet may look like small letters of another. From the confusable characters of Unicode
/// (UTS 39), those of Latin, Greek, Cyrillic and the digits.
constexpr std::array<std::pair<char32_t, char32_t>, 62> shapes{{
    {'0', 'o'},     {'O', 'o'},     {'1', 'l'},    {'I', 'l'},    {'|', 'l'},    {0x410, 'a'},
    {0x430, 'a'},   {0x412, 'b'},   {0x421, 'c'},  {0x441, 'c'},  {0x415, 'e'},  {0x435, 'e'},
    {0x41d, 'h'},   {0x406, 'l'},   {0x456, 'i'},  {0x408, 'j'},  {0x458, 'j'},  {0x41a, 'k'},
    {0x43a, 'k'},   {0x41c, 'm'},   {0x41e, 'o'},  {0x43e, 'o'},  {0x420, 'p'},  {0x440, 'p'},
    {0x405, 's'},   {0x455, 's'},   {0x422, 't'},  {0x425, 'x'},  {0x445, 'x'},  {0x423, 'y'},
    {0x443, 'y'},   {0x417, '3'},   {0x437, '3'},  {0x391, 'a'},  {0x3b1, 'a'},  {0x392, 'b'},
    {0x395, 'e'},   {0x396, 'z'},   {0x397, 'h'},  {0x399, 'l'},  {0x3b9, 'i'},  {0x39a, 'k'},
    {0x3ba, 'k'},   {0x39c, 'm'},   {0x39d, 'n'},  {0x3bd, 'v'},  {0x39f, 'o'},  {0x3bf, 'o'},
    {0x3a1, 'p'},   {0x3c1, 'p'},   {0x3a4, 't'},  {0x3a5, 'y'},  {0x3a7, 'x'},  {0x2010, '-'},
    {0x2011, '-'},  {0x2012, '-'},  {0x2013, '-'}, {0x2014, '-'}, {0x2212, '-'}, {0x2018, '\''},
    {0x2019, '\''}, {0x2032, '\''},
}};

char32_t shape_of(char32_t c) {
  const auto wide = c >= 0xff01 && c <= 0xff5e ? c - 0xff01 + '!' : c;
  const auto* found = std::find_if(shapes.begin(), shapes.end(),
                                   [&](const auto& one) { return one.first == wide; });
  return found == shapes.end() ? in_small(wide) : found->second;
}

/// The seen characters of `label`, each as `as` has it, without dots at the end. Each takes four
/// bytes, which keeps different characters apart; a label of dots alone keeps them.
template <class As>
std::string reduced(std::string_view label, As as) {
  auto seen = characters_of(label);
  seen.erase(std::remove_if(seen.begin(), seen.end(), is_unseen), seen.end());
  auto end = seen.size();
  while (end > 0 && is_dot(seen[end - 1]))
    --end;
  if (end > 0)
    seen.resize(end);
  std::string text;
  for (const auto c : seen) {
    const auto made = as(c);
    for (int shift = 24; shift >= 0; shift -= 8)
      text += static_cast<char>(made >> shift & 0xff);
  }
  return text;
}

} // namespace

std::string folded(std::string_view label) { return reduced(label, in_small); }

std::string outline(std::string_view label) { return reduced(label, shape_of); }

likeness likeness_of(std::string_view one, std::string_view other) {
  if (one == other)
    return likeness::none;
  if (folded(one) == folded(other))
    return likeness::letters;
  return outline(one) == outline(other) ? likeness::shapes : likeness::none;
}

} // namespace holdfast::core
