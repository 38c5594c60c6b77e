// The part of `postgres_store` that is about removals of contributors.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_parts.hpp"

#include <string>

namespace holdfast::persistence {

namespace {

#define COLUMNS_OF_REMOVAL                                                                         \
  "SELECT contributor_id, scope, place_id, at, until, ended_at, keeps_judgments, reason,\n"        \
  "       by_whom FROM holdfast.contributor_removals\n"

// Before the rows: a transaction that was under way then may commit while they are read.
constexpr statement oldest_transaction{
    "oldest_transaction", "SELECT (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint"};

constexpr statement removals_changed_since{
    "removals_changed_since",
    COLUMNS_OF_REMOVAL " WHERE changed_in >= $1::bigint\n"
                       "   AND ($1::bigint > 0 OR scope = 1\n"
                       "        OR (ended_at IS NULL AND (until IS NULL OR until > now())))\n"
                       " ORDER BY contributor_id, scope, place_id"};

constexpr statement removals_of_contributor{"removals_of_contributor", COLUMNS_OF_REMOVAL
                                            " WHERE contributor_id = $1::text\n"
                                            " ORDER BY scope, place_id LIMIT $2::integer"};

#undef COLUMNS_OF_REMOVAL

std::vector<core::removal> removals_in(const query_result& rows) {
  const auto instant_or_none = [&](std::size_t row, int column) {
    return rows.is_null(row, column) ? std::nullopt
                                     : std::optional{rows.get<core::instant>(row, column)};
  };
  std::vector<core::removal> found;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    core::removal one;
    one.contributor = rows.get<std::string>(row, 0);
    one.place = {static_cast<core::removal_scope>(rows.get<reads::int2>(row, 1)),
                 rows.get<core::uuid>(row, 2)};
    one.at = rows.get<core::instant>(row, 3);
    one.until = instant_or_none(row, 4);
    one.ended_at = instant_or_none(row, 5);
    one.keeps_judgments = rows.get<bool>(row, 6);
    one.reason = rows.get<std::string>(row, 7);
    one.by = rows.get<std::string>(row, 8);
    found.push_back(std::move(one));
  }
  return found;
}

} // namespace

core::outcome<changed_removals> postgres_store::load_removals(std::uint64_t since) {
  const auto answer =
      ask({{&oldest_transaction, {}}, {&removals_changed_since, {std::to_string(since)}}});
  if (!answer)
    return answer.error();
  return changed_removals{removals_in((*answer)[1]), reads::u64((*answer)[0], 0, 0)};
}

core::outcome<std::vector<core::removal>>
postgres_store::list_removals(const core::contributor_id& contributor, std::uint32_t limit) {
  const auto answer =
      ask({{&removals_of_contributor, {contributor, reads::limit_parameter(limit)}}});
  if (!answer)
    return answer.error();
  return removals_in(answer->front());
}

} // namespace holdfast::persistence
