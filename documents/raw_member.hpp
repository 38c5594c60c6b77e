#pragma once

#include <string>
#include <string_view>

namespace holdfast::documents {

/// The value of a member of `object` as it is written there; empty when there is none. `object` is
/// the text of a JSON object that `parse_json` has accepted.
///
/// What is only passed on is not written anew from a parsed value: a number that no double holds
/// would come out as another one.
std::string_view raw_member(std::string_view object, std::string_view name);

/// The text that `object` would have if nobody had written the member: all else is as it was, to
/// the blank. Where it is written more than once, none of it is left.
std::string without_member(std::string_view object, std::string_view name);

} // namespace holdfast::documents
