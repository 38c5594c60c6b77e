// The part of `postgres_store` that is about API tokens.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_parts.hpp"

namespace holdfast::persistence {

namespace {

// As many rows for each token as the longer of its lists has elements, one at least.
#define COLUMNS_OF_TOKEN                                                                           \
  "SELECT k.token_id, k.secret_hash, k.role, k.bound_name, k.created_by, k.created_at,\n"          \
  "       k.expires_at, k.revoked_at, k.last_used_at, t.queue, t.workflow\n"
#define LISTS_OF_TOKEN                                                                             \
  "  LEFT JOIN LATERAL unnest(k.queues, k.workflows) WITH ORDINALITY\n"                            \
  "                    AS t(queue, workflow, place) ON true\n"                                     \
  " ORDER BY k.token_id, t.place"

constexpr statement api_token_by_id{
    "api_token_by_id", COLUMNS_OF_TOKEN
    "  FROM (SELECT * FROM holdfast.api_tokens WHERE token_id = $1) k\n" LISTS_OF_TOKEN};

constexpr statement api_tokens_after{
    "api_tokens_after",
    COLUMNS_OF_TOKEN "  FROM (SELECT * FROM holdfast.api_tokens WHERE token_id > $1\n"
                     "         ORDER BY token_id LIMIT $2::integer) k\n" LISTS_OF_TOKEN};

#undef COLUMNS_OF_TOKEN
#undef LISTS_OF_TOKEN

std::optional<core::instant> instant_at(const query_result& rows, std::size_t row, int column) {
  if (rows.is_null(row, column))
    return std::nullopt;
  return rows.get<core::instant>(row, column);
}

core::outcome<std::vector<core::api_token>> tokens_in(const query_result& rows) {
  std::vector<core::api_token> found;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const core::api_token_id id{rows.get<core::uuid>(row, 0)};
    if (found.empty() || found.back().id != id) {
      auto& one = found.emplace_back();
      one.id = id;
      one.secret_hash = rows.get<std::string>(row, 1);
      const auto role = core::role_named(rows.get<std::string>(row, 2));
      if (!role) // of a newer program
        return core::failure{core::errc::damaged,
                             "token " + to_string(id) + " has a role that is not known here"};
      one.as = *role;
      one.name = rows.get<std::string>(row, 3);
      one.created_by = rows.get<std::string>(row, 4);
      one.created_at = rows.get<core::instant>(row, 5);
      one.expires_at = instant_at(rows, row, 6);
      one.revoked_at = instant_at(rows, row, 7);
      one.last_used_at = instant_at(rows, row, 8);
    }
    auto& scope = found.back().scope;
    if (!rows.is_null(row, 9))
      scope.queues.push_back(rows.get<std::string>(row, 9));
    if (!rows.is_null(row, 10))
      scope.workflows.push_back({rows.get<core::uuid>(row, 10)});
  }
  return found;
}

} // namespace

core::outcome<std::optional<core::api_token>>
postgres_store::load_api_token(core::api_token_id token) {
  const auto answer = ask_for_row({{&api_token_by_id, {wire::scalar(token.value)}}});
  if (!answer)
    return answer.error();
  auto found = tokens_in((*answer)[0]);
  if (!found)
    return found.error();
  if (found->empty())
    return std::optional<core::api_token>{};
  return std::optional{std::move(found->front())};
}

core::outcome<std::vector<core::api_token>>
postgres_store::list_api_tokens(core::api_token_id after, std::uint32_t limit) {
  const auto answer =
      ask({{&api_tokens_after, {wire::scalar(after.value), reads::limit_parameter(limit)}}});
  if (!answer)
    return answer.error();
  return tokens_in((*answer)[0]);
}

} // namespace holdfast::persistence
