#include "core/token_claims.hpp"

#include "core/api_token.hpp"
#include "core/uuid.hpp"
#include "core/workflow.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace holdfast::core {

namespace {

/// The first objection to issuer, audience and times; empty when there is none.
std::string objection_to_envelope(const token_claims& claims, const issuer_rules& rules,
                                  instant now) {
  if (claims.issuer != rules.issuer)
    return "the token is of another issuer";
  if (std::find(claims.audiences.begin(), claims.audiences.end(), rules.audience)
      == claims.audiences.end())
    return "the token is for another audience";
  if (!claims.expires_at)
    return "the token has no exp";
  if (now >= *claims.expires_at + rules.clock_skew)
    return "the token has expired";
  if (claims.not_before && now + rules.clock_skew < *claims.not_before)
    return "the token is not good yet";
  if (claims.issued_at && now + rules.clock_skew < *claims.issued_at)
    return "the token was issued in the future";
  return {};
}

/// Names go into logs and into text columns of PostgreSQL, which take no NUL.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= contributor_id_bytes_max
         && std::none_of(text.begin(), text.end(),
                         [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// The scope that the claims name; none when they are wrong. A scope without entries reaches
/// everything, so an empty list in a token is refused: its issuer meant the opposite.
std::optional<access_scope> scope_of(const token_claims& claims) {
  access_scope scope;
  if ((claims.queues && claims.queues->empty()) || (claims.workflows && claims.workflows->empty()))
    return std::nullopt;
  if (claims.queues)
    scope.queues = *claims.queues;
  if (claims.workflows)
    for (const auto& text : *claims.workflows) {
      const auto id = parse_uuid(text);
      if (!id)
        return std::nullopt;
      scope.workflows.push_back({*id});
    }
  return problems_of(scope).empty() ? std::optional{std::move(scope)} : std::nullopt;
}

} // namespace

claims_decision decide_claims(const token_claims& claims, const issuer_rules& rules, instant now) {
  const auto refused = [](std::string why) { return claims_decision{{}, std::move(why), {}}; };
  if (auto why = objection_to_envelope(claims, rules, now); !why.empty())
    return refused(std::move(why));
  if (!is_name(claims.name))
    return refused("the token names nobody, or in a way that cannot be used");
  if (claims.roles.size() > claimed_roles_max)
    return refused("the token has too many roles");
  auto scope = scope_of(claims);
  if (!scope)
    return refused("the token has queues or workflows that cannot be read, or an empty list");
  principal who;
  for (const auto& text : claims.roles)
    if (const auto role = role_named(text))
      who.grants.push_back({*role, is_bindable(*role) ? claims.name : std::string{}});
  if (who.grants.empty())
    return refused("the token has no role of this cluster");
  who.scope = std::move(*scope);
  who.label = "jwt " + claims.name;
  return {std::move(who), {}, *claims.expires_at + rules.clock_skew};
}

} // namespace holdfast::core
