#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::connectors {

/// The bytes of base64url without padding (RFC 7515, section 2). Empty for anything that an encoder
/// does not write: padding, blanks, other letters, bits behind the last byte.
std::optional<std::string> from_base64url(std::string_view text);

} // namespace holdfast::connectors
