#include "documents/json_slices.hpp"

#include "core/invariant.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace holdfast::documents {

namespace {

constexpr std::string_view blanks = " \t\r\n";

/// The offset behind the string literal that begins at `at`.
std::size_t after_string(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at)
    if (json[at] == '\\')
      ++at;
  return at + 1;
}

/// The offset behind the value that begins at `at`.
std::size_t after_value(std::string_view json, std::size_t at) {
  std::size_t depth = 0;
  while (at < json.size()) {
    const char c = json[at];
    if (depth == 0 && (c == ',' || c == '}' || c == ']'))
      return at;
    if (c == '"') {
      at = after_string(json, at);
      continue;
    }
    if (c == '{' || c == '[')
      ++depth;
    else if (c == '}' || c == ']')
      --depth;
    ++at;
  }
  return at;
}

/// From `begin` to `end` without the blanks before `end`.
std::string_view trimmed(std::string_view json, std::size_t begin, std::size_t end) {
  const auto text = json.substr(begin, end - begin);
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// The offset of what an object or array begins with.
std::size_t inside(std::string_view json, char opening) {
  const auto at = json.find_first_not_of(blanks);
  HOLDFAST_INVARIANT(at != std::string_view::npos && json[at] == opening,
                     "parts are looked for where they can be: inputs and results are objects");
  return at + 1;
}

/// Whether the string literal, quotes included, is `name`.
bool spells(std::string_view literal, std::string_view name) {
  if (literal.find('\\') == std::string_view::npos)
    return literal.substr(1, literal.size() - 2) == name;
  return nlohmann::json::parse(literal).get_ref<const std::string&>() == name;
}

} // namespace

std::optional<std::string_view> member_text(std::string_view object, std::string_view name) {
  for (auto at = inside(object, '{');;) {
    const auto key = object.find('"', at);
    if (key == std::string_view::npos)
      return std::nullopt;
    const auto key_end = after_string(object, key);
    const auto value = object.find_first_not_of(blanks, object.find(':', key_end) + 1);
    const auto value_end = after_value(object, value);
    if (spells(object.substr(key, key_end - key), name))
      return trimmed(object, value, value_end);
    at = value_end;
  }
}

std::optional<std::string_view> element_text(std::string_view array, std::size_t index) {
  auto at = array.find_first_not_of(blanks, inside(array, '['));
  if (array[at] == ']')
    return std::nullopt;
  for (;; --index) {
    const auto end = after_value(array, at);
    if (index == 0)
      return trimmed(array, at, end);
    if (array[end] == ']')
      return std::nullopt;
    at = array.find_first_not_of(blanks, end + 1);
  }
}

} // namespace holdfast::documents
