#pragma once

#include "actors/node_settings.hpp"
#include "actors/request_checks.hpp"
#include "core/api_token.hpp"
#include "core/outcome.hpp"
#include "messages/token_messages.hpp"
#include "persistence/store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

/// The checks of requests about API tokens, and the answers of those that the database answers,
/// which a reader makes.
namespace holdfast::actors {

inline constexpr std::uint32_t tokens_page_max = 1000;

// --- between messages and tokens ---

inline core::api_token token_in(const msg::create_token& m, core::instant now) {
  core::api_token made;
  made.id = m.token;
  made.secret_hash = m.secret_hash;
  made.as = core::role_named(m.role).value_or(core::role::auditor); // checked before
  made.name = m.name;
  made.scope = {m.queues, m.workflows};
  made.created_by = m.created_by;
  made.created_at = now;
  if (m.lifetime > core::duration::zero())
    made.expires_at = now + m.lifetime;
  return made;
}

inline msg::token_view view_of(const core::api_token& token, core::instant now) {
  msg::token_view view;
  view.token = token.id;
  if (!token.unreadable.empty()) { // no field may be added for the reason
    view.state = "damaged";
    view.created_by = token.unreadable;
    return view;
  }
  view.role = to_string(token.as);
  view.name = token.name;
  view.queues = token.scope.queues;
  view.workflows = token.scope.workflows;
  view.state = to_string(core::state_of(token, now));
  view.created_by = token.created_by;
  view.created_at = token.created_at;
  view.expires_at = token.expires_at.value_or(core::instant{});
  view.revoked_at = token.revoked_at.value_or(core::instant{});
  view.last_used_at = token.last_used_at.value_or(core::instant{});
  return view;
}

// --- checks ---

inline core::failure check_secret_hash(const std::string& hash) {
  return core::is_sha256_text(hash)
             ? core::failure{}
             : invalid("secret_hash must be 64 hexadecimal digits in lower case");
}

/// The rest is `core::problems_of`.
inline core::failure check(const msg::create_token& m) {
  const bool has_lifetime =
      m.lifetime >= core::duration::zero() && m.lifetime <= core::token_lifetime_max;
  return first_of(
      {check_id(m.token, "token"), check_secret_hash(m.secret_hash),
       core::role_named(m.role) ? core::failure{} : invalid("role is none that there is"),
       m.name.empty() ? core::failure{} : check_contributor(m.name),
       m.created_by.empty()
           ? core::failure{}
           : documents::check_text(m.created_by, "created_by", core::token_creator_bytes_max),
       has_lifetime ? core::failure{} : invalid("lifetime must be between 0 and 10 years")});
}
inline core::failure check(const msg::revoke_token& m) { return check_id(m.token, "token"); }
inline core::failure check(const msg::note_token_use& m) { return check_id(m.token, "token"); }

// --- answers ---

inline core::failure check(const msg::list_tokens& m) {
  return check_limit(m.limit, tokens_page_max);
}
inline core::outcome<msg::token_page> answer(const node_settings&, persistence::store& db,
                                             const msg::list_tokens& m) {
  const auto now = db.now();
  if (!now)
    return now.error();
  const auto found = db.list_api_tokens(m.after, m.limit + 1);
  if (!found)
    return found.error();
  msg::token_page page;
  page.more = found->size() > m.limit;
  for (const auto& one : *found)
    if (page.tokens.size() < m.limit)
      page.tokens.push_back(view_of(one, *now));
  return page;
}

inline core::failure check(const msg::check_token& m) {
  return first_of({check_id(m.token, "token"), check_secret_hash(m.secret_hash)});
}
inline core::outcome<msg::token_identity> answer(const node_settings&, persistence::store& db,
                                                 const msg::check_token& m) {
  const auto stored = db.load_api_token(m.token);
  if (!stored)
    return stored.error();
  const auto now = db.now();
  if (!now)
    return now.error();
  const auto verdict = core::verdict_on(*stored, m.secret_hash, *now);
  msg::token_identity identity;
  identity.verdict = static_cast<std::uint8_t>(verdict);
  if (verdict != core::token_verdict::good)
    return identity;
  const auto& token = **stored;
  identity.role = to_string(token.as);
  identity.name = token.name;
  identity.queues = token.scope.queues;
  identity.workflows = token.scope.workflows;
  identity.expires_at = token.expires_at.value_or(core::instant{});
  return identity;
}

} // namespace holdfast::actors
