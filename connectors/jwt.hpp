#pragma once

#include "core/outcome.hpp"
#include "core/token_claims.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// JSON Web Tokens as text (RFC 7515, RFC 7519), before and after their signature is checked.
namespace holdfast::connectors {

inline constexpr std::size_t jwt_bytes_max = 8 * 1024;

/// The algorithms that a token may name. There is no `none`, and no HMAC: with a public key as its
/// secret, anybody can sign.
enum class jwt_algorithm : std::uint8_t { rs256, es256, eddsa };

/// `RS256`, `ES256` or `EdDSA`.
std::optional<jwt_algorithm> jwt_algorithm_named(std::string_view name);

/// A token taken apart. Nothing of it is proven.
struct jwt {
  jwt_algorithm algorithm = jwt_algorithm::rs256;
  std::optional<std::string> key_id{}; ///< `kid`
  std::string signed_part;             ///< The first two parts, as sent.
  std::string payload;
  std::string signature;
};

/// Whether a bearer token has the three parts of a JSON Web Token.
bool has_form_of_jwt(std::string_view text);

/// `invalid_argument` with the reason, for a client to read.
core::outcome<jwt> parse_jwt(std::string_view text);

/// The names of the claims that the configuration chooses.
struct claim_names {
  std::string role;
  std::string name;
  std::string queues;    ///< Empty: tokens have no scope of queues.
  std::string workflows; ///< Empty: likewise.
};

/// Reads the payload of a token whose signature is good. `invalid_argument` as above.
core::outcome<core::token_claims> parse_claims(std::string_view payload, const claim_names& names);

} // namespace holdfast::connectors
