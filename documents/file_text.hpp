#pragma once

#include "core/outcome.hpp"

#include <string_view>

namespace holdfast::documents {

/// The text of a text file: `text` without a byte order mark of UTF-8. Fails with
/// `invalid_argument` where its first bytes show another encoding, UTF-16 or UTF-32, as
/// spreadsheets and Windows programs write it. Four bytes are enough to tell.
core::outcome<std::string_view> text_of_file(std::string_view text);

} // namespace holdfast::documents
