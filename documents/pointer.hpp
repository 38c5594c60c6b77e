#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// A JSON pointer (RFC 6901), read once and followed often. Unlike the library's own it never
/// throws, whatever the text and whatever the value.
class json_pointer {
public:
  /// Empty when `text` is not a pointer: it must be empty or begin with `/`, and every `~` must be
  /// followed by 0 or 1.
  static std::optional<json_pointer> parse(std::string_view text);

  /// The value at this place of `document`, or null.
  const nlohmann::json* find(const nlohmann::json& document) const;

  /// The same of valid JSON text: the value as it is written there.
  std::optional<std::string_view> find_text(std::string_view document) const;

  /// The names of members and the indexes on the way, unescaped.
  const std::vector<std::string>& tokens() const { return tokens_; }

private:
  std::vector<std::string> tokens_;
};

/// Appends `/token`, escaped, to a pointer.
void append_token(std::string& pointer, std::string_view token);

/// `what` with its place in front, in the form of all our messages: `/steps/0/key: must be …`. The
/// whole document has no pointer and gives `what` alone.
std::string at_place(std::string_view pointer, std::string_view what);

} // namespace holdfast::documents
