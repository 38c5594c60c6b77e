#include "persistence/postgres_token_batch.hpp"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::persistence::batch {

namespace {

// Lists travel as texts, because unnest would take an array of arrays apart to its elements.
// Secret, role and scopes never change after a token was made, and a revocation is for good.
constexpr statement put_api_tokens{"put_api_tokens", R"sql(
  INSERT INTO holdfast.api_tokens AS k (token_id, created_at, expires_at, revoked_at, last_used_at,
                                        secret_hash, role, bound_name, created_by, queues,
                                        workflows)
  SELECT t.token_id, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, t.secret_hash,
         t.role, t.bound_name, t.created_by, t.queues::text[], t.workflows::uuid[]
    FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[],
                $5::timestamptz[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
                $11::text[])
      AS t(token_id, created_at, expires_at, revoked_at, last_used_at, secret_hash, role,
           bound_name, created_by, queues, workflows)
  ON CONFLICT (token_id) DO UPDATE
     SET revoked_at = coalesce(k.revoked_at, excluded.revoked_at),
         last_used_at = excluded.last_used_at)sql"};

std::string text_of_ids(const std::vector<core::workflow_id>& workflows) {
  std::vector<std::string> texts;
  for (const auto& one : workflows)
    texts.push_back(to_string(one));
  return array_text(texts);
}

template <class Array>
void add_instant(Array& to, const std::optional<core::instant>& at) {
  if (at)
    to.add(*at);
  else
    to.add_null();
}

} // namespace

void token_writes::append_to(std::vector<call>& calls) {
  columns<core::uuid, core::instant, core::instant, core::instant, core::instant, text, text, text,
          text, text, text>
      tokens;
  auto& [id, created, expires, revoked, used, hash, role, name, creator, queues, workflows] =
      tokens.arrays;
  for (const auto& [key, row] : tokens_) {
    id.add(key.value);
    created.add(row->created_at);
    add_instant(expires, row->expires_at);
    add_instant(revoked, row->revoked_at);
    add_instant(used, row->last_used_at);
    hash.add(row->secret_hash);
    role.add(to_string(row->as));
    name.add(row->name);
    creator.add(row->created_by);
    queues.add(array_text(row->scope.queues));
    workflows.add(text_of_ids(row->scope.workflows));
  }
  tokens.append_to(calls, put_api_tokens);
}

} // namespace holdfast::persistence::batch
