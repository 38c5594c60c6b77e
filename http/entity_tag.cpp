#include "http/entity_tag.hpp"

#include <cstddef>
#include <cstdint>

namespace holdfast::http {

namespace {

/// FNV-1a (Fowler, Noll, Vo) of 64 bits: two answers of one address that differ have the same hash
/// once in 2^64.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

std::string hexadecimal(std::uint64_t number) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4)
    text += digits[static_cast<std::size_t>(number >> shift & 15)];
  return text;
}

/// A tag without the mark of a weak one: `If-None-Match` compares so.
std::string_view opaque_part(std::string_view tag) {
  return tag.substr(0, 2) == "W/" ? tag.substr(2) : tag;
}

} // namespace

std::string entity_tag_of(std::string_view body, const std::string& version) {
  const auto hash = hexadecimal(hash_of(body));
  return version.empty() ? "W/\"" + hash + '"' : '"' + version + '-' + hash + '"';
}

bool names_tag(std::string_view if_none_match, std::string_view tag) {
  constexpr std::string_view between = " \t,";
  for (auto rest = if_none_match;;) {
    const auto begin = rest.find_first_not_of(between);
    if (begin == std::string_view::npos)
      return false;
    rest.remove_prefix(begin);
    if (rest.front() == '*')
      return true;
    // The text of a tag may have commas.
    const auto opening = rest.find('"');
    const auto closing = opening == std::string_view::npos ? opening : rest.find('"', opening + 1);
    if (closing == std::string_view::npos)
      return false;
    if (opaque_part(rest.substr(0, closing + 1)) == opaque_part(tag))
      return true;
    rest.remove_prefix(closing + 1);
  }
}

} // namespace holdfast::http
