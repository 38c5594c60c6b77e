#include "documents/json_slices.hpp"

#include "core/invariant.hpp"

#include <nlohmann/json.hpp>

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
  return unquoted(literal) == name;
}

/// Tells `visit` the literal of each name and the text of its value, until it returns true.
template <class Visit>
void each_member(std::string_view object, Visit visit) {
  for (auto at = inside(object, '{');;) {
    const auto key = object.find('"', at);
    if (key == std::string_view::npos)
      return;
    const auto key_end = after_string(object, key);
    const auto value = object.find_first_not_of(blanks, object.find(':', key_end) + 1);
    const auto value_end = after_value(object, value);
    if (visit(object.substr(key, key_end - key), trimmed(object, value, value_end)))
      return;
    at = value_end;
  }
}

/// Tells `visit` the text of each element, until it returns true.
template <class Visit>
void each_element(std::string_view array, Visit visit) {
  auto at = array.find_first_not_of(blanks, inside(array, '['));
  if (array[at] == ']')
    return;
  for (;;) {
    const auto end = after_value(array, at);
    if (visit(trimmed(array, at, end)) || array[end] == ']')
      return;
    at = array.find_first_not_of(blanks, end + 1);
  }
}

} // namespace

std::optional<std::string_view> member_text(std::string_view object, std::string_view name) {
  std::optional<std::string_view> found;
  each_member(object, [&](std::string_view literal, std::string_view value) {
    if (!spells(literal, name))
      return false;
    found = value;
    return true;
  });
  return found;
}

std::optional<std::string_view> element_text(std::string_view array, std::size_t index) {
  std::optional<std::string_view> found;
  each_element(array, [&](std::string_view element) {
    if (index-- != 0)
      return false;
    found = element;
    return true;
  });
  return found;
}

std::vector<member_slice> members_of(std::string_view object) {
  std::vector<member_slice> members;
  each_member(object, [&](std::string_view literal, std::string_view value) {
    members.push_back({unquoted(literal), value});
    return false;
  });
  return members;
}

std::vector<std::string_view> elements_of(std::string_view array) {
  std::vector<std::string_view> elements;
  each_element(array, [&](std::string_view element) {
    elements.push_back(element);
    return false;
  });
  return elements;
}

std::string unquoted(std::string_view literal) {
  if (literal.find('\\') == std::string_view::npos)
    return std::string{literal.substr(1, literal.size() - 2)};
  return nlohmann::json::parse(literal).get<std::string>();
}

} // namespace holdfast::documents
