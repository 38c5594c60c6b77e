// The part of `postgres_store` that is about the audit log.

#include "persistence/postgres_audit_batch.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"
#include "persistence/read_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace holdfast::persistence {

namespace {

// Entries that are written together get their numbers in the order of the arrays.
constexpr statement add_audit{"add_audit", R"sql(
  INSERT INTO holdfast.audit_log (at, who, operation, item, outcome)
  SELECT at, who, operation, item, outcome
    FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[])
      WITH ORDINALITY AS t(at, who, operation, item, outcome, place)
   ORDER BY place)sql"};

#define ENTRIES_WANTED                                                                             \
  "  FROM holdfast.audit_log\n"                                                                    \
  " WHERE audit_id < $1::bigint AND at >= $2::timestamptz\n"                                       \
  "   AND ($3::text = '' OR who = $3::text) AND ($4::text = '' OR operation = $4::text)\n"         \
  "   AND ($5::text = '' OR item = $5::text)\n"                                                    \
  " ORDER BY audit_id DESC LIMIT $6::integer"

constexpr statement list_audit_log{
    "list_audit_log", "SELECT audit_id, at, who, operation, item, outcome\n" ENTRIES_WANTED};

// Of entries that cannot be read together: their numbers, and some of them.

constexpr statement audit_numbers{"audit_numbers", "SELECT audit_id\n" ENTRIES_WANTED};

constexpr statement audit_entries{"audit_entries", R"sql(
  SELECT audit_id, at, who, operation, item, outcome FROM holdfast.audit_log
   WHERE audit_id = ANY ($1::bigint[]) ORDER BY audit_id DESC)sql"};

#undef ENTRIES_WANTED

void add_entries(const query_result& rows, std::vector<audit_entry>& entries) {
  for (std::size_t row = 0; row < rows.rows(); ++row)
    entries.push_back({reads::u64(rows, row, 0),
                       {rows.get<core::instant>(row, 1), rows.get<std::string>(row, 2),
                        rows.get<std::string>(row, 3), rows.get<std::string>(row, 4),
                        rows.get<std::string>(row, 5)}});
}

// By the index `audit_log_by_time`: as many rows are looked at as go.
constexpr statement prune_audit_log{"prune_audit_log", R"sql(
  WITH old AS MATERIALIZED (
    SELECT audit_id FROM holdfast.audit_log WHERE at < $3::timestamptz
     ORDER BY at LIMIT $4::integer),
  gone AS (
    DELETE FROM holdfast.audit_log WHERE audit_id = ANY (ARRAY(SELECT audit_id FROM old))
    RETURNING 1)
  SELECT (SELECT count(*) FROM gone)::integer
         / (EXISTS (SELECT FROM holdfast.shard_leases
                     WHERE shard = $1::integer AND host = $2::uuid))::integer)sql"};

} // namespace

namespace batch {

void audit_writes::operator()(const core::insert_audit& w) {
  entries_.add(w.at, text{w.who}, text{w.operation}, text{w.item}, text{w.outcome});
}

void audit_writes::append_to(std::vector<call>& calls) { entries_.append_to(calls, add_audit); }

} // namespace batch

core::outcome<listed_audit> postgres_store::list_audit(const audit_filter& filter) {
  constexpr std::uint64_t newest = std::numeric_limits<std::int64_t>::max();
  const auto before = filter.before == 0 ? newest : std::min(filter.before, newest);
  // One more than asked for tells whether there are others.
  const std::vector<std::string> wanted{wire::scalar(static_cast<std::int64_t>(before)),
                                        wire::scalar(filter.since),
                                        filter.who,
                                        filter.operation,
                                        filter.item,
                                        reads::limit_parameter(filter.limit + 1)};
  const auto answer = run({{&list_audit_log, wanted}});
  if (!answer)
    return answer.error();
  listed_audit listed;
  if (!answer->failed)
    add_entries(answer->results.front(), listed.entries);
  else if (!may_be_of_a_row(answer->failure))
    return error_of(answer->failure);
  else if (auto failed = list_audit_apart(wanted, listed.entries))
    return *failed;
  listed.more = listed.entries.size() > filter.limit;
  if (listed.more)
    listed.entries.resize(filter.limit);
  return listed;
}

std::optional<core::failure>
postgres_store::list_audit_apart(const std::vector<std::string>& wanted,
                                 std::vector<audit_entry>& entries) {
  const auto found = ask({{&audit_numbers, wanted}});
  if (!found)
    return found.error();
  std::vector<std::int64_t> numbers;
  for (std::size_t row = 0; row < found->front().rows(); ++row)
    numbers.push_back(found->front().get<std::int64_t>(row, 0));
  const apart_reader<std::int64_t> rows{
      [&](const auto& some) {
        wire::array_of<std::int64_t> list;
        for (const auto number : some)
          list.add(number);
        return end_of(run({{&audit_entries, {list.take()}}}),
                      [&](const auto& results) { add_entries(results.front(), entries); });
      },
      [&](const auto& number, const auto& why) {
        entries.push_back(unreadable_entry(static_cast<std::uint64_t>(number), why.text()));
      }};
  return read_apart(numbers, rows);
}

core::outcome<std::uint32_t> postgres_store::prune_audit(core::shard_id shard,
                                                         core::incarnation_id incarnation,
                                                         core::instant made_before,
                                                         std::uint32_t rows) {
  return pruned(
      run({{&prune_audit_log,
            {wire::scalar(static_cast<std::int32_t>(shard)), wire::scalar(incarnation.value),
             wire::scalar(made_before), wire::scalar(static_cast<std::int32_t>(rows))}}}));
}

} // namespace holdfast::persistence
