#include "persistence/memory_token_changes.hpp"

namespace holdfast::persistence::memory {

void token_changes::operator()(const core::put_api_token& w) {
  const auto& row = w.row;
  require_text(row.name);
  require_text(row.created_by);
  for (const auto& prefix : row.scope.queues)
    require_text(prefix);
  require_instant(row.created_at);
  for (const auto& at : {row.expires_at, row.revoked_at, row.last_used_at})
    require_instant(at.value_or(row.created_at));
  require(core::is_sha256_text(row.secret_hash), "23514: a hash is 64 hexadecimal digits");
  require(row.name.size() <= 128 && (row.name.empty() || core::is_bindable(row.as)),
          "23514: only contributors and workers have names, of at most 128 bytes");
  require(row.created_by.size() <= 256, "23514: a creator has at most 256 bytes");
  if (t_.api_tokens.count(row.id) == 0)
    return insert(t_.api_tokens, row.id, row);
  auto& known = change(t_.api_tokens, row.id);
  known.last_used_at = row.last_used_at;
  if (!known.revoked_at)
    known.revoked_at = row.revoked_at;
}

} // namespace holdfast::persistence::memory
