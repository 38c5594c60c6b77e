#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"
#include "messages/inspect.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// Requests about API tokens, the credentials of clients over HTTP. No message has the secret of a
/// token: the side that made it, or got it, sends its SHA-256.
namespace holdfast::msg {

/// Makes a token. Answered by `token_view`; `already_exists` when there is a token of this id,
/// whose secret nobody can be shown again: revoke it and make another one. `payload_invalid` lists
/// every problem with its place.
struct create_token {
  core::api_token_id token;
  std::string secret_hash;         ///< 64 hexadecimal digits in lower case.
  std::string role;                ///< As in docs/SECURITY.md.
  std::string name;                ///< Binds a contributor or a worker; empty: any.
  std::vector<std::string> queues; ///< Beginnings of the names that it reaches.
  std::vector<core::workflow_id> workflows;
  core::duration lifetime{0}; ///< 0: for ever.
  std::string created_by;     ///< For people.
};
HOLDFAST_WIRE(create_token, x.token, x.secret_hash, x.role, x.name, x.queues, x.workflows,
              x.lifetime, x.created_by)

/// A token without its secret. Instants of the epoch: it has not happened, or never does.
struct token_view {
  core::api_token_id token;
  std::string role;
  std::string name;
  std::vector<std::string> queues;
  std::vector<core::workflow_id> workflows;
  std::string state; ///< `good`, `expired` or `revoked`.
  std::string created_by;
  core::instant created_at;
  core::instant expires_at;
  core::instant revoked_at;
  core::instant last_used_at; ///< To a minute or so.
};
HOLDFAST_WIRE(token_view, x.token, x.role, x.name, x.queues, x.workflows, x.state, x.created_by,
              x.created_at, x.expires_at, x.revoked_at, x.last_used_at)

/// Answered by `token_page`: in order of their ids, beginning after `after`.
struct list_tokens {
  core::api_token_id after;
  std::uint32_t limit = 100; ///< 1 to 1,000.
};
HOLDFAST_WIRE(list_tokens, x.after, x.limit)

struct token_page {
  std::vector<token_view> tokens;
  bool more = false; ///< There are others behind them.
};
HOLDFAST_WIRE(token_page, x.tokens, x.more)

/// Ends a token for good; the same again changes nothing. Answered by `token_view`; `not_found` if
/// there is none.
struct revoke_token {
  core::api_token_id token;
};
HOLDFAST_WIRE(revoke_token, x.token)

/// Asks whether a credential counts now. Answered by `token_identity`.
struct check_token {
  core::api_token_id token;
  std::string secret_hash;
};
HOLDFAST_WIRE(check_token, x.token, x.secret_hash)

struct token_identity {
  std::uint8_t verdict = 2; ///< 1 good, 2 unknown, 3 expired, 4 revoked. The rest: if good.
  std::string role;
  std::string name;
  std::vector<std::string> queues;
  std::vector<core::workflow_id> workflows;
  core::instant expires_at; ///< The epoch: never.
};
HOLDFAST_WIRE(token_identity, x.verdict, x.role, x.name, x.queues, x.workflows, x.expires_at)

/// Notes that a token was used. Answered by `token_use_noted`, also if there is none.
struct note_token_use {
  core::api_token_id token;
};
HOLDFAST_WIRE(note_token_use, x.token)

struct token_use_noted {
  core::api_token_id token;
};
HOLDFAST_WIRE(token_use_noted, x.token)

} // namespace holdfast::msg
