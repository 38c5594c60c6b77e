#include "core/object_ref.hpp"

#include "core/json_text.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <charconv>

namespace holdfast::core {

namespace {

constexpr std::string_view ref_opening = R"({"$holdfast.object":)";
constexpr std::string_view before_digest = R"({"$holdfast.object":"sha256:)";
constexpr std::string_view before_bytes = R"(","bytes":)";
constexpr std::size_t digest_digits = 64;

std::optional<std::uint8_t> digit_of(char c) {
  if (c >= '0' && c <= '9')
    return static_cast<std::uint8_t>(c - '0');
  if (c >= 'a' && c <= 'f')
    return static_cast<std::uint8_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F')
    return static_cast<std::uint8_t>(c - 'A' + 10);
  return std::nullopt;
}

} // namespace

std::string to_string(const digest& content) {
  std::string text;
  text.reserve(digest_digits);
  for (const auto byte : content.bytes) {
    text += "0123456789abcdef"[byte >> 4U];
    text += "0123456789abcdef"[byte & 0x0fU];
  }
  return text;
}

std::optional<digest> parse_digest(std::string_view text) {
  if (text.size() != digest_digits)
    return std::nullopt;
  digest content;
  for (std::size_t i = 0; i < content.bytes.size(); ++i) {
    const auto high = digit_of(text[2 * i]);
    const auto low = digit_of(text[2 * i + 1]);
    if (!high || !low)
      return std::nullopt;
    content.bytes[i] = static_cast<std::uint8_t>(*high << 4U | *low);
  }
  return content;
}

std::string to_json(const object_ref& ref) {
  return json_object{}
      .text("$holdfast.object", "sha256:" + to_string(ref.content))
      .raw("bytes", std::to_string(ref.bytes))
      .str();
}

std::optional<object_ref> parse_object_ref(std::string_view json) {
  if (!begins_with(json, before_digest))
    return std::nullopt;
  auto rest = json.substr(before_digest.size());
  const auto content = parse_digest(rest.substr(0, digest_digits));
  rest.remove_prefix(std::min(digest_digits, rest.size()));
  if (!content || !begins_with(rest, before_bytes))
    return std::nullopt;
  rest.remove_prefix(before_bytes.size());
  object_ref ref{*content, 0};
  if (std::from_chars(rest.data(), rest.data() + rest.size(), ref.bytes).ec != std::errc{})
    return std::nullopt;
  // Other spellings of the same are not ours: 007, capital letters, blanks.
  return to_json(ref) == json ? std::optional{ref} : std::nullopt;
}

bool begins_like_object_ref(std::string_view json) { return begins_with(json, ref_opening); }

std::size_t payload_bytes(std::string_view text) {
  const auto ref = parse_object_ref(text);
  return ref ? static_cast<std::size_t>(ref->bytes) : text.size();
}

} // namespace holdfast::core
