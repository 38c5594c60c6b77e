#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::core {

/// Bytes of the code point that begins at `at`; 0 when there is none (RFC 3629, section 4: no
/// overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text, std::size_t at);

/// `text` as it can be stored and sent: valid UTF-8 without NUL, of at most `bytes_max` bytes, cut
/// between two characters. Each byte that cannot stay becomes U+FFFD. For what is said to people: a
/// decision must not be refused for the words that come with it.
std::string mended_text(std::string_view text, std::size_t bytes_max);

} // namespace holdfast::core
