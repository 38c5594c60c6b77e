#pragma once

#include "core/access.hpp"
#include "core/definition_problem.hpp"
#include "core/errors.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// API tokens: the credential of a client of the HTTP API. A token reads `hf_<id>_<secret>`. Only
/// the SHA-256 of its secret is stored, so a copy of the database opens no door.
namespace holdfast::core {

inline constexpr std::size_t token_secret_bytes = 32;
inline constexpr std::size_t token_creator_bytes_max = 256;
inline constexpr std::size_t token_scopes_max = 100; ///< Queue prefixes; workflows likewise.
inline constexpr duration token_lifetime_max = std::chrono::hours{24 * 3650};

/// The two parts of a token's text.
struct api_token_text {
  api_token_id id;
  std::string secret; ///< 64 hexadecimal digits in lower case.
};

/// `hf_<id>_<secret>`.
std::string to_string(const api_token_text& parts);
/// Reads what `to_string` writes. Empty for anything else.
std::optional<api_token_text> parse_api_token(std::string_view text);
/// The secret that these random bytes, `token_secret_bytes` of them, make.
std::string token_secret_of(std::string_view random_bytes);

/// A token as it is stored.
struct api_token {
  api_token_id id;
  std::string secret_hash; ///< SHA-256 of the secret, 64 hexadecimal digits in lower case.
  role as = role::worker;
  std::string name; ///< Of the contributor or worker it is bound to; empty: any.
  access_scope scope{};
  std::string created_by; ///< For people.
  instant created_at{};
  std::optional<instant> expires_at{};
  std::optional<instant> revoked_at{};
  std::optional<instant> last_used_at{}; ///< To a minute or so.
  /// In a list: why the database does not give it back, or what of it is not known here. It has its
  /// id alone then, and nobody gets in with it. Empty: it does.
  std::string unreadable{};

  /// Its holder, with role, name and scopes.
  principal holder() const;
};

/// Everything that is wrong with the scopes of a credential.
std::vector<definition_problem> problems_of(const access_scope& scope);
/// Everything that is wrong with a token that is to be made.
std::vector<definition_problem> problems_of(const api_token& wanted);

/// Whether a credential counts.
enum class token_verdict : std::uint8_t {
  good = 1,
  unknown = 2, ///< There is no such token, or the secret is another one.
  expired = 3,
  revoked = 4,
};

/// `good`, `expired` or `revoked`, whatever the secret.
token_verdict state_of(const api_token& known, instant now);

/// The verdict on a secret with this hash. Only the right secret learns that its token has expired
/// or was revoked.
token_verdict verdict_on(const std::optional<api_token>& stored, std::string_view secret_hash,
                         instant now);

/// The effect of a request on a token: its row, and whether that is to be written.
struct token_decision {
  errc refusal = errc::none;
  std::string detail;
  api_token token;
  bool writes = false;
};

/// The same request again, with the same secret, changes nothing. Another secret is refused: nobody
/// can be shown the first one any more.
token_decision decide_create(const std::optional<api_token>& known, const api_token& wanted);
/// For good; the same again changes nothing.
token_decision decide_revoke(const std::optional<api_token>& known, api_token_id id, instant now);
/// Notes a use, unless one was noted in the last minute. A token that is not there is left alone.
token_decision decide_use(const std::optional<api_token>& known, instant now);

inline constexpr duration token_use_interval = std::chrono::minutes{1};

/// `good`, `unknown`, `expired` or `revoked`.
std::string_view to_string(token_verdict value);

/// Whether two secrets, or hashes of secrets, are equal, in a time that does not depend on where
/// they differ.
bool equal_secrets(std::string_view a, std::string_view b);

/// Whether `text` is a SHA-256 in hexadecimal digits of lower case.
bool is_sha256_text(std::string_view text);

} // namespace holdfast::core
