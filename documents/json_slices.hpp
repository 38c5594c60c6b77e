#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

/// Parts of valid JSON as they are written there. The text and not the value, because a number may
/// have more digits than any type of ours: the database keeps them all, so must we.
namespace holdfast::documents {

/// The text of member `name` of an object.
std::optional<std::string_view> member_text(std::string_view object, std::string_view name);

/// The text of the element at `index` of an array.
std::optional<std::string_view> element_text(std::string_view array, std::size_t index);

} // namespace holdfast::documents
