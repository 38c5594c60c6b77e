// The part of `postgres_store` that is about objects which rows refer to.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_parts.hpp"

namespace holdfast::persistence {

namespace {

// Indexes wherever there are any, also where a table looks small: see the end of the next remark.
constexpr statement refs_by_index{"refs_by_index",
                                  "SELECT set_config('enable_seqscan', 'off', true)"};

// One statement sees one moment: a task that ends meanwhile is in one of the two tables. The length
// is known without unpacking a large text, and no reference is longer. Units and judgments, of
// which there are many more, have indexes of their references (migration 0022), which are used
// where the expressions are the same to the letter. A large text may be damaged, and must keep no
// object from being deleted, so it is not unpacked. By `CASE`, because the server takes the
// conditions of `AND` in an order of its own.
constexpr statement refs_among{"refs_among", R"sql(
  SELECT DISTINCT wanted.digest
    FROM (SELECT text FROM holdfast.tasks
           CROSS JOIN LATERAL (VALUES (body), (data), (execution_state)) texts (text)
          UNION ALL
          SELECT text FROM holdfast.finished_tasks
           CROSS JOIN LATERAL (VALUES (body), (data), (execution_state), (result)) texts (text)
          UNION ALL
          SELECT detail FROM holdfast.late_results) kept (text)
    JOIN unnest($1::text[]) wanted (digest) ON wanted.digest = substr(kept.text, 29, 64)
   WHERE CASE WHEN octet_length(kept.text) < 150
              THEN starts_with(kept.text, '{"$holdfast.object":"sha256:') ELSE false END
  UNION
  SELECT substr(input, 29, 64) FROM holdfast.units
   WHERE starts_with(input, '{"$holdfast.object":"sha256:')
     AND substr(input, 29, 64) = ANY ($1::text[])
  UNION
  SELECT substr(payload, 29, 64) FROM holdfast.judgments
   WHERE starts_with(payload, '{"$holdfast.object":"sha256:')
     AND substr(payload, 29, 64) = ANY ($1::text[])
  UNION
  SELECT substr(payload, 29, 64) FROM holdfast.surplus_judgments
   WHERE starts_with(payload, '{"$holdfast.object":"sha256:')
     AND substr(payload, 29, 64) = ANY ($1::text[])
  UNION
  SELECT substr(payload, 29, 64) FROM holdfast.judgment_corrections
   WHERE starts_with(payload, '{"$holdfast.object":"sha256:')
     AND substr(payload, 29, 64) = ANY ($1::text[]))sql"};

} // namespace

core::outcome<std::set<core::digest>>
postgres_store::find_object_refs(const std::vector<core::digest>& objects) {
  wire::array_of<std::string> wanted;
  for (const auto& object : objects)
    wanted.add(core::to_string(object));
  const auto answer = ask(reads::long_read({{&refs_by_index, {}}, {&refs_among, {wanted.take()}}}));
  if (!answer)
    return answer.error();
  const auto& rows = (*answer)[reads::preamble_long + 1];
  std::set<core::digest> found;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    if (const auto object = core::parse_digest(rows.get<std::string>(row, 0)))
      found.insert(*object);
  return found;
}

} // namespace holdfast::persistence
