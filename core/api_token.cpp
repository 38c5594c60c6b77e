#include "core/api_token.hpp"

#include "core/queue_policy.hpp"
#include "core/workflow.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::core {

namespace {

constexpr std::string_view token_prefix = "hf_";
constexpr std::size_t uuid_text_size = 36;
constexpr std::size_t secret_text_size = 2 * token_secret_bytes;

bool is_hex_in_lower_case(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_queue_prefix(std::string_view text) {
  return !text.empty() && text.size() <= queue_name_bytes_max
         && std::all_of(text.begin(), text.end(), [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.'
                     || c == '-';
            });
}

} // namespace

std::string to_string(const api_token_text& parts) {
  return std::string{token_prefix} + to_string(parts.id) + '_' + parts.secret;
}

std::optional<api_token_text> parse_api_token(std::string_view text) {
  constexpr auto size = token_prefix.size() + uuid_text_size + 1 + secret_text_size;
  if (text.size() != size || text.substr(0, token_prefix.size()) != token_prefix)
    return std::nullopt;
  text.remove_prefix(token_prefix.size());
  const auto id = parse_uuid(text.substr(0, uuid_text_size));
  const auto secret = text.substr(uuid_text_size + 1);
  if (!id || text[uuid_text_size] != '_' || !is_hex_in_lower_case(secret))
    return std::nullopt;
  return api_token_text{{*id}, std::string{secret}};
}

std::string token_secret_of(std::string_view random_bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : random_bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

principal api_token::holder() const {
  principal who;
  who.grants.push_back({as, name});
  who.scope = scope;
  who.label = "token:" + to_string(id);
  return who;
}

std::vector<definition_problem> problems_of(const access_scope& scope) {
  std::vector<definition_problem> problems;
  const auto blame = [&](std::string place, std::string what) {
    problems.push_back({std::move(place), std::move(what)});
  };
  if (scope.queues.size() > token_scopes_max)
    blame("/queues", "names at most " + std::to_string(token_scopes_max));
  if (scope.workflows.size() > token_scopes_max)
    blame("/workflows", "names at most " + std::to_string(token_scopes_max));
  for (std::size_t i = 0; i < scope.queues.size() && i < token_scopes_max; ++i)
    if (!is_queue_prefix(scope.queues[i]))
      blame("/queues/" + std::to_string(i), "must be 1 to 64 of a-z 0-9 _ . -");
  for (std::size_t i = 0; i < scope.workflows.size() && i < token_scopes_max; ++i)
    if (!scope.workflows[i])
      blame("/workflows/" + std::to_string(i), "must not be nil");
  return problems;
}

std::vector<definition_problem> problems_of(const api_token& wanted) {
  std::vector<definition_problem> problems;
  const auto blame = [&](std::string place, std::string what) {
    problems.push_back({std::move(place), std::move(what)});
  };
  if (!is_sha256_text(wanted.secret_hash))
    blame("/secret_hash", "must be 64 hexadecimal digits in lower case");
  if (!wanted.name.empty() && !is_bindable(wanted.as))
    blame("/name", "is for the roles contributor and worker alone");
  if (wanted.name.size() > contributor_id_bytes_max)
    blame("/name", "has at most " + std::to_string(contributor_id_bytes_max) + " bytes");
  if (wanted.created_by.size() > token_creator_bytes_max)
    blame("/created_by", "has at most " + std::to_string(token_creator_bytes_max) + " bytes");
  for (auto& one : problems_of(wanted.scope))
    problems.push_back(std::move(one));
  if (wanted.expires_at
      && (*wanted.expires_at <= wanted.created_at
          || *wanted.expires_at > wanted.created_at + token_lifetime_max))
    blame("/lifetime", "must be between 1 second and 10 years");
  return problems;
}

token_verdict state_of(const api_token& known, instant now) {
  if (known.revoked_at)
    return token_verdict::revoked;
  return known.expires_at && *known.expires_at <= now ? token_verdict::expired
                                                      : token_verdict::good;
}

token_verdict verdict_on(const std::optional<api_token>& stored, std::string_view secret_hash,
                         instant now) {
  if (!stored || !equal_secrets(stored->secret_hash, secret_hash))
    return token_verdict::unknown;
  return state_of(*stored, now);
}

token_decision decide_create(const std::optional<api_token>& known, const api_token& wanted) {
  if (!known)
    return {errc::none, {}, wanted, true};
  if (equal_secrets(known->secret_hash, wanted.secret_hash))
    return {errc::none, {}, *known, false};
  return {errc::already_exists,
          "there is a token of this id, whose secret cannot be shown again: revoke it, and make "
          "another one",
          {},
          false};
}

token_decision decide_revoke(const std::optional<api_token>& known, api_token_id id, instant now) {
  if (!known)
    return {errc::not_found, "there is no token " + to_string(id), {}, false};
  token_decision made{errc::none, {}, *known, !known->revoked_at};
  if (made.writes)
    made.token.revoked_at = now;
  return made;
}

token_decision decide_use(const std::optional<api_token>& known, instant now) {
  if (!known || (known->last_used_at && now < *known->last_used_at + token_use_interval))
    return {};
  token_decision made{errc::none, {}, *known, true};
  made.token.last_used_at = now;
  return made;
}

std::string_view to_string(token_verdict value) {
  switch (value) {
  case token_verdict::good:
    return "good";
  case token_verdict::expired:
    return "expired";
  case token_verdict::revoked:
    return "revoked";
  case token_verdict::unknown:
    break;
  }
  return "unknown";
}

bool equal_secrets(std::string_view a, std::string_view b) {
  if (a.size() != b.size())
    return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  return difference == 0;
}

bool is_sha256_text(std::string_view text) {
  return text.size() == secret_text_size && is_hex_in_lower_case(text);
}

} // namespace holdfast::core
