#pragma once

#include "core/fields/rule.hpp"
#include "core/fields/value.hpp"

#include <string>
#include <string_view>

namespace holdfast::documents {

/// A text as a field compares it, with its words. `text` is valid UTF-8. Letters are composed (NFC)
/// and folded by the tables of Unicode; blanks and punctuation are those of Unicode, too.
core::fields::phrase phrase_of(std::string_view text, const core::fields::text_normalisation& how);

} // namespace holdfast::documents
