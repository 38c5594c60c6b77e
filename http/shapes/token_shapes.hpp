#pragma once

#include "http/fields.hpp"
#include "messages/token_messages.hpp"

/// JSON of API tokens. Their secrets are in no message.
namespace holdfast::http {

template <class Fields>
void describe(Fields& f, msg::token_view& x) {
  f.required("id", x.token, "The id of the token, which is the middle part of its text.");
  f.required("role", x.role, "The role of its holder.");
  f.optional("name", x.name, "The contributor or worker that the token is bound to.");
  f.required("queues", x.queues, "The beginnings of the names of the queues that it reaches.");
  f.required("workflows", x.workflows,
             "The workflows that it reaches. Without any and without queues: all of both.");
  f.required("state", x.state,
             "`good`, `expired`, `revoked` or `damaged`: nobody gets in with that one, and "
             "`created_by` says why.");
  f.optional("created_by", x.created_by, "The credential that made it, for people.");
  f.required("created_at", x.created_at, "The time at which it was made.");
  f.optional("expires_at", x.expires_at, "The time from which it is no longer good.");
  f.optional("revoked_at", x.revoked_at, "The time at which it was revoked.");
  f.optional("last_used_at", x.last_used_at, "The time of its last use, to a minute or so.");
}

template <class Fields>
void describe(Fields& f, msg::list_tokens& x) {
  f.optional("after", x.after,
             "The `id` of the last token of the answer before. Left out: from the first.");
  f.optional("limit", bounded{x.limit, 1, 1000}, "How many tokens at most, 100 by default.");
}

template <class Fields>
void describe(Fields& f, msg::token_page& x) {
  f.required("tokens", x.tokens, "The tokens in order of their ids.");
  f.required("more", x.more, "Whether there are others behind them.");
}

template <class Fields>
void describe(Fields& f, msg::revoke_token& x) {
  f.required("id", x.token, "The id of the token.");
}

} // namespace holdfast::http
