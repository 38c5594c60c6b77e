#pragma once

#include "core/outcome.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Signatures in the manner of Standard Webhooks (https://www.standardwebhooks.com), version 1.
namespace holdfast::connectors {

/// The bytes of a key. Not printed anywhere.
using webhook_key = std::string;

/// Reads the file of a secret: one or two lines of `whsec_` and the base64 of 24 to 64 bytes. With
/// two, while receivers change from one to the other, everything is signed with both. What is wrong
/// is said without quoting any of it.
core::outcome<std::vector<webhook_key>> parse_secret(std::string_view text);

/// The value of the header `webhook-signature`: for each key `v1,` and the base64 of the
/// HMAC-SHA256 of `id.timestamp.body`, separated by blanks.
std::string signature_of(const std::vector<webhook_key>& keys, std::string_view id,
                         std::int64_t timestamp, std::string_view body);

} // namespace holdfast::connectors
