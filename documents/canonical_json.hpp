#pragma once

#include <string>
#include <string_view>

namespace holdfast::documents {

/// `text` in the one spelling that its value has: no blanks, the members of each object in the
/// order of their names' bytes, characters as themselves where JSON lets them be, and numbers in
/// the one text of the very same value (`core::decimal::text`; `1.50` and `15e-1` are `1.5`, `-0`
/// is `0`): all of their digits are kept, also those that no double holds. `text` is JSON that
/// `parse_json` has accepted. Equal values have equal texts, and only they.
std::string canonical_json(std::string_view text);

} // namespace holdfast::documents
