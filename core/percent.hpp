#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::core {

/// The value of a hexadecimal digit of either case; none for another character.
std::optional<unsigned> hex_digit(char c);

/// Replaces each `%` and its two hexadecimal digits by their byte (RFC 3986, 2.1). Empty where a
/// `%` has no two digits behind it.
std::optional<std::string> percent_decoded(std::string_view text);

} // namespace holdfast::core
