#pragma once

#include "connectors/jwt.hpp"
#include "core/outcome.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct evp_pkey_st; ///< Of OpenSSL.

namespace holdfast::connectors {

inline constexpr std::size_t jwk_set_bytes_max = 64 * 1024;
inline constexpr std::size_t jwk_set_keys_max = 64;
inline constexpr int rsa_bits_min = 2048;
/// The time of a check grows with the square of the size.
inline constexpr int rsa_bits_max = 8192;

enum class signature_verdict : std::uint8_t { good, wrong, key_unknown };

/// The public keys of an issuer (RFC 7517): RSA for RS256, P-256 for ES256, Ed25519 for EdDSA. The
/// algorithm of a key comes from the key, never from a token.
class jwk_set {
public:
  /// `invalid_argument` with the reason, when there is not one key that can be used.
  static core::outcome<jwk_set> parse(std::string_view text);

  /// By the key that the token names. A token that names none is checked where there is one key.
  /// For any thread.
  signature_verdict check(const jwt& token) const;

  std::size_t size() const { return keys_.size(); }
  /// The keys that are left out, with the reason, such as `keys/3: has another use`.
  const std::vector<std::string>& left_out() const { return left_out_; }

private:
  struct key {
    jwt_algorithm algorithm = jwt_algorithm::rs256;
    std::optional<std::string> id{};
    std::shared_ptr<evp_pkey_st> material{};
  };

  std::vector<key> keys_;
  std::vector<std::string> left_out_;
};

} // namespace holdfast::connectors
