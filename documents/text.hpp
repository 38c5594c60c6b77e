#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// The offset of the first byte that is not UTF-8 (RFC 3629: no overlong forms, no surrogates,
/// nothing above U+10FFFF); `npos` when all of it is.
std::size_t first_invalid_utf8(std::string_view text);

/// Number of code points of valid UTF-8.
std::size_t code_points(std::string_view text);

/// `text` as it may stand in a message to a person: valid UTF-8 without control characters, and cut
/// with an ellipsis after `bytes_max` bytes.
std::string printable(std::string_view text, std::size_t bytes_max);

/// The name among `known` that `unknown` most likely was meant to be; empty when none is near.
std::string_view nearest(std::string_view unknown, const std::vector<std::string_view>& known);

/// "; did you mean 'x'?", or nothing.
std::string suggestion(std::string_view unknown, const std::vector<std::string_view>& known);

} // namespace holdfast::documents
