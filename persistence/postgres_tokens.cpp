// The part of `postgres_store` that is about API tokens.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"
#include "persistence/read_parts.hpp"

namespace holdfast::persistence {

namespace {

// As many rows for each token as the longer of its lists has elements, one at least.
#define COLUMNS_OF_TOKEN                                                                           \
  "SELECT k.token_id, k.secret_hash, k.role, k.bound_name, k.created_by, k.created_at,\n"          \
  "       k.expires_at, k.revoked_at, k.last_used_at, t.queue, t.workflow,\n"                      \
  "       cardinality(k.queues), cardinality(k.workflows)\n"
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

// Of tokens that cannot be read together: their ids, and some of them.

constexpr statement api_token_ids_after{"api_token_ids_after", R"sql(
  SELECT token_id FROM holdfast.api_tokens WHERE token_id > $1
   ORDER BY token_id LIMIT $2::integer)sql"};

constexpr statement api_tokens_among{"api_tokens_among", COLUMNS_OF_TOKEN
                                     "  FROM (SELECT * FROM holdfast.api_tokens WHERE token_id = "
                                     "ANY ($1::uuid[])) k\n" LISTS_OF_TOKEN};

#undef COLUMNS_OF_TOKEN
#undef LISTS_OF_TOKEN

std::optional<core::instant> instant_at(const query_result& rows, std::size_t row, int column) {
  if (rows.is_null(row, column))
    return std::nullopt;
  return rows.get<core::instant>(row, column);
}

core::api_token unreadable_token(core::api_token_id id, std::string why) {
  core::api_token token;
  token.id = id;
  token.unreadable = std::move(why);
  return token;
}

/// A token with what its first row says, but for its scope.
core::api_token read_token(const query_result& rows, std::size_t row) {
  const core::api_token_id id{rows.get<core::uuid>(row, 0)};
  const auto role = core::role_named(rows.get<std::string>(row, 2));
  if (!role) // of a newer program
    return unreadable_token(id, "token " + to_string(id) + " has a role that is not known here");
  core::api_token token;
  token.id = id;
  token.secret_hash = rows.get<std::string>(row, 1);
  token.as = *role;
  token.name = rows.get<std::string>(row, 3);
  token.created_by = rows.get<std::string>(row, 4);
  token.created_at = rows.get<core::instant>(row, 5);
  token.expires_at = instant_at(rows, row, 6);
  token.revoked_at = instant_at(rows, row, 7);
  token.last_used_at = instant_at(rows, row, 8);
  return token;
}

void add_tokens(const query_result& rows, std::vector<core::api_token>& found) {
  for (std::size_t row = 0; row < rows.rows();) {
    auto token = read_token(rows, row);
    const auto queues = static_cast<std::size_t>(rows.get<reads::int4>(row, 11));
    const auto workflows = static_cast<std::size_t>(rows.get<reads::int4>(row, 12));
    for (; row < rows.rows() && rows.get<core::uuid>(row, 0) == token.id.value; ++row) {
      if (!rows.is_null(row, 9))
        token.scope.queues.push_back(rows.get<std::string>(row, 9));
      if (!rows.is_null(row, 10))
        token.scope.workflows.push_back({rows.get<core::uuid>(row, 10)});
    }
    // Without any it would reach all there is.
    if (token.scope.queues.size() != queues || token.scope.workflows.size() != workflows)
      token = unreadable_token(token.id, "token " + to_string(token.id)
                                             + " has a queue or workflow that is null");
    if (!token.unreadable.empty())
      token.scope = {};
    found.push_back(std::move(token));
  }
}

} // namespace

core::outcome<std::optional<core::api_token>>
postgres_store::load_api_token(core::api_token_id token) {
  const auto answer = ask_for_row({{&api_token_by_id, {wire::scalar(token.value)}}});
  if (!answer)
    return answer.error();
  std::vector<core::api_token> found;
  add_tokens(answer->front(), found);
  if (found.empty())
    return std::optional<core::api_token>{};
  if (!found.front().unreadable.empty())
    return core::failure{core::errc::damaged, found.front().unreadable};
  return std::optional{std::move(found.front())};
}

core::outcome<std::vector<core::api_token>>
postgres_store::list_api_tokens(core::api_token_id after, std::uint32_t limit) {
  const std::vector<std::string> page{wire::scalar(after.value), reads::limit_parameter(limit)};
  const auto answer = run({{&api_tokens_after, page}});
  if (!answer)
    return answer.error();
  std::vector<core::api_token> found;
  if (!answer->failed) {
    add_tokens(answer->results.front(), found);
    return found;
  }
  if (!may_be_of_a_row(answer->failure))
    return error_of(answer->failure);
  const auto keys = ask({{&api_token_ids_after, page}});
  if (!keys)
    return keys.error();
  std::vector<core::api_token_id> ids;
  for (std::size_t row = 0; row < keys->front().rows(); ++row)
    ids.push_back({keys->front().get<core::uuid>(row, 0)});
  const apart_reader<core::api_token_id> rows{
      [&](const auto& some) {
        wire::array_of<core::uuid> wanted;
        for (const auto& id : some)
          wanted.add(id.value);
        return end_of(run({{&api_tokens_among, {wanted.take()}}}),
                      [&](const auto& results) { add_tokens(results.front(), found); });
      },
      [&](const auto& id, const auto& why) { found.push_back(unreadable_token(id, why.text())); }};
  if (auto failed = read_apart(ids, rows))
    return *failed;
  return found;
}

} // namespace holdfast::persistence
