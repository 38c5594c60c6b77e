#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::core {

/// Writes one JSON object, for events and results that core composes itself. Writing needs no
/// parser, so core stays free of libraries; whatever must be read is read in documents/.
class json_object {
public:
  /// Appends a string member; `value` is escaped.
  json_object& text(std::string_view key, std::string_view value);
  json_object& number(std::string_view key, std::int64_t value);
  /// Finite values only, with up to six significant decimals.
  json_object& number(std::string_view key, double value);
  json_object& boolean(std::string_view key, bool value);
  /// Appends a list of strings, each escaped.
  json_object& texts(std::string_view key, const std::vector<std::string>& values);
  /// Appends a member whose value is JSON text already; an empty text is written as null.
  json_object& raw(std::string_view key, std::string_view json);

  /// The closed object.
  std::string str() const { return body_ + '}'; }

private:
  void key(std::string_view name);

  std::string body_ = "{";
};

/// A finite number with up to six significant decimals.
std::string json_number(double value);

/// `text` as a JSON string literal, quotes included. Bytes above 0x7f pass through: the caller has
/// UTF-8.
std::string json_quoted(std::string_view text);

} // namespace holdfast::core
