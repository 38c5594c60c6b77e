#pragma once

#include "connectors/jwk_set.hpp"
#include "connectors/jwt.hpp"
#include "core/time.hpp"
#include "core/token_claims.hpp"
#include "http/recent_map.hpp"
#include "http/token_gate.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::app {

/// A token that was good is taken without a check for so long, and one that was not is refused: a
/// key that the issuer gives up counts for so long once the node has the new ones.
inline constexpr std::chrono::steady_clock::duration jwt_fresh_for = std::chrono::seconds{5};
/// Good tokens that a node remembers; as many of the others.
inline constexpr std::size_t jwts_remembered = 4096;

struct jwt_check_settings {
  core::issuer_rules rules;
  connectors::claim_names names;
  /// The keys of the issuer; null while there are none.
  std::function<std::shared_ptr<const connectors::jwk_set>()> keys;
  /// Asks for newer ones; true while they are on their way.
  std::function<bool()> ask_for_newer_keys;
  std::function<std::string(std::string_view)> hash;
  /// The time of the cluster; none while it is not known.
  std::function<std::optional<core::instant>()> now;
  std::function<std::chrono::steady_clock::time_point()> steady_now =
      std::chrono::steady_clock::now;
};

/// Checks the JSON Web Tokens of the issuer that the configuration names. For any thread.
class jwt_check {
public:
  explicit jwt_check(jwt_check_settings settings) : settings_(std::move(settings)) {}

  /// The principal of a token that was found good just now; else null.
  std::shared_ptr<const core::principal> known(std::string_view token);
  http::other_token_answer check(std::string_view token);

private:
  struct good_token {
    std::shared_ptr<const core::principal> who;
    core::instant good_until{};
    std::chrono::steady_clock::time_point checked_at{};
  };
  struct bad_token {
    std::string why;
    std::chrono::steady_clock::time_point checked_at{};
  };

  http::other_token_answer refuse(const std::string& hash, std::string why, bool is_guess);

  const jwt_check_settings settings_;
  /// By hash, so that no token that could be used lies in memory for longer than its request.
  http::recent_map<std::string, good_token> good_{jwts_remembered};
  http::recent_map<std::string, bad_token> bad_{jwts_remembered};
};

} // namespace holdfast::app
