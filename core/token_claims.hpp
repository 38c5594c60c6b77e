#pragma once

#include "core/access.hpp"
#include "core/time.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// The claims of a JSON Web Token (RFC 7519), and the principal that they make.
namespace holdfast::core {

inline constexpr std::size_t claimed_roles_max = 32;

/// The claims that a node reads. The signature of the token has been checked before.
struct token_claims {
  std::string issuer;
  std::vector<std::string> audiences;
  std::optional<instant> expires_at{};
  std::optional<instant> not_before{};
  std::optional<instant> issued_at{};
  std::vector<std::string> roles;
  std::string name; ///< Of the contributor or worker; for other roles a label.
  std::optional<std::vector<std::string>> queues{};
  std::optional<std::vector<std::string>> workflows{};
};

/// The issuer that a node trusts.
struct issuer_rules {
  std::string issuer;
  std::string audience;
  duration clock_skew{}; ///< Between the clock of the issuer and that of the cluster.
};

/// The effect of claims: a principal, or the reason why there is none.
struct claims_decision {
  std::optional<principal> who{};
  std::string why;
  instant good_until{}; ///< With a principal: the end of the token, with the skew.
};

claims_decision decide_claims(const token_claims& claims, const issuer_rules& rules, instant now);

} // namespace holdfast::core
