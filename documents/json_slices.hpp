#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Parts of valid JSON as they are written there. The text and not the value, because a number may
/// have more digits than any type of ours: the database keeps them all, so must we.
namespace holdfast::documents {

/// The text of member `name` of an object.
std::optional<std::string_view> member_text(std::string_view object, std::string_view name);

/// The text of the element at `index` of an array.
std::optional<std::string_view> element_text(std::string_view array, std::size_t index);

struct member_slice {
  std::string name; ///< Unescaped.
  std::string_view value;
};

/// The members of an object in their order, those of one name each.
std::vector<member_slice> members_of(std::string_view object);

/// The elements of an array.
std::vector<std::string_view> elements_of(std::string_view array);

/// The text that a string literal spells, quotes included.
std::string unquoted(std::string_view literal);

} // namespace holdfast::documents
