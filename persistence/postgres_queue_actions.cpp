// The part of `postgres_store` that is about bulk actions of queues.

#include "persistence/postgres_queue_action_batch.hpp"
#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_parts.hpp"

#include <map>
#include <string>

namespace holdfast::persistence {

namespace {

// What was asked for never changes.
constexpr statement put_queue_actions{"put_queue_actions", R"sql(
  INSERT INTO holdfast.queue_actions (queue, action_id, asked_at, changed_at, created_from,
                                      created_before, changed, unchanged, refused, kind, status,
                                      scope, bookmark, type, key, error_code, asked_by, refusals,
                                      problem)
  SELECT * FROM unnest($1::text[], $2::uuid[], $3::timestamptz[], $4::timestamptz[],
                       $5::timestamptz[], $6::timestamptz[], $7::bigint[], $8::bigint[],
                       $9::bigint[], $10::smallint[], $11::smallint[], $12::smallint[],
                       $13::uuid[], $14::text[], $15::text[], $16::text[], $17::text[],
                       $18::text[], $19::text[])
  ON CONFLICT (queue, action_id) DO UPDATE
     SET status = excluded.status, bookmark = excluded.bookmark, changed = excluded.changed,
         unchanged = excluded.unchanged, refused = excluded.refused, refusals = excluded.refusals,
         changed_at = excluded.changed_at, problem = excluded.problem)sql"};

constexpr statement forget_actions{"forget_queue_actions", R"sql(
  WITH old AS MATERIALIZED (
    SELECT o.queue, o.action_id
      FROM unnest($1::text[], $2::integer[]) AS t(queue, keep)
     CROSS JOIN LATERAL (SELECT a.queue, a.action_id FROM holdfast.queue_actions a
                          WHERE a.queue = t.queue AND a.status <> 1
                          ORDER BY a.asked_at DESC, a.action_id DESC OFFSET t.keep) o)
  DELETE FROM holdfast.queue_actions a USING old
   WHERE a.queue = old.queue AND a.action_id = old.action_id)sql"};

#define QUEUE_ACTION_COLUMNS                                                                       \
  "SELECT queue, action_id, asked_at, changed_at, created_from, created_before, changed,\n"        \
  "       unchanged, kind, status, scope, bookmark, type, key, error_code, asked_by, refusals,\n"  \
  "       problem FROM holdfast.queue_actions\n"

constexpr statement queue_action_by_id{"queue_action_by_id", QUEUE_ACTION_COLUMNS
                                       " WHERE queue = $1::text AND action_id = $2::uuid"};

constexpr statement running_actions{"running_queue_actions",
                                    QUEUE_ACTION_COLUMNS " WHERE queue = $1::text AND status = 1\n"
                                                         " ORDER BY asked_at, action_id"};

constexpr statement latest_actions{"latest_queue_actions", QUEUE_ACTION_COLUMNS
                                   " WHERE queue = $1::text\n"
                                   " ORDER BY asked_at DESC, action_id DESC LIMIT $2::integer"};

constexpr statement earlier_actions{
    "earlier_queue_actions",
    QUEUE_ACTION_COLUMNS " WHERE queue = $1::text\n"
                         "   AND (asked_at, action_id)\n"
                         "       < (SELECT l.asked_at, l.action_id FROM holdfast.queue_actions l\n"
                         "           WHERE l.queue = $1::text AND l.action_id = $3::uuid)\n"
                         " ORDER BY asked_at DESC, action_id DESC LIMIT $2::integer"};

#undef QUEUE_ACTION_COLUMNS

core::queue_action_row read_queue_action(const query_result& r, std::size_t row) {
  core::queue_action_row action;
  action.queue = r.get<std::string>(row, 0);
  action.id = {r.get<core::uuid>(row, 1)};
  action.asked_at = r.get<core::instant>(row, 2);
  action.changed_at = r.get<core::instant>(row, 3);
  action.filter.created_from = r.get<core::instant>(row, 4);
  action.filter.created_before = r.get<core::instant>(row, 5);
  action.counts.changed = reads::u64(r, row, 6);
  action.counts.unchanged = reads::u64(r, row, 7);
  action.kind = static_cast<core::queue_action_kind>(r.get<reads::int2>(row, 8));
  action.status = static_cast<core::queue_action_status>(r.get<reads::int2>(row, 9));
  action.filter.scope = static_cast<core::queue_action_scope>(r.get<reads::int2>(row, 10));
  action.bookmark = {r.get<core::uuid>(row, 11)};
  action.filter.type = r.get<std::string>(row, 12);
  action.filter.key = r.get<std::string>(row, 13);
  action.filter.error_code = r.get<std::string>(row, 14);
  action.asked_by = r.get<std::string>(row, 15);
  // A program of a later version may know further codes.
  if (auto refusals = core::refusals_of(r.get<std::string>(row, 16)))
    action.counts.refusals = std::move(*refusals);
  action.problem = r.get<std::string>(row, 17);
  return action;
}

std::vector<core::queue_action_row> read_queue_actions(const query_result& rows) {
  std::vector<core::queue_action_row> actions;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    actions.push_back(read_queue_action(rows, row));
  return actions;
}

} // namespace

namespace batch {

void queue_action_writes::append_to(std::vector<call>& calls) {
  columns<text, core::uuid, core::instant, core::instant, core::instant, core::instant, int8, int8,
          int8, int2, int2, int2, core::uuid, text, text, text, text, text, text>
      actions;
  for (const auto& [place, row] : actions_) {
    const auto refusals = core::to_text(row->counts.refusals);
    actions.add(text{row->queue}, row->id.value, row->asked_at, row->changed_at,
                row->filter.created_from, row->filter.created_before, big(row->counts.changed),
                big(row->counts.unchanged), big(row->counts.refused()), small(row->kind),
                small(row->status), small(row->filter.scope), row->bookmark.value,
                text{row->filter.type}, text{row->filter.key}, text{row->filter.error_code},
                text{row->asked_by}, text{refusals}, text{row->problem});
  }
  actions.append_to(calls, put_queue_actions);
  columns<text, int4> forgotten;
  for (const auto& [queue, keep] : forgotten_)
    forgotten.add(text{queue}, plain(keep));
  forgotten.append_to(calls, forget_actions);
}

} // namespace batch

core::outcome<core::queue_action_row>
postgres_store::find_queue_action(const core::queue_name& queue, core::queue_action_id action) {
  const auto answer =
      ask(reads::short_read({{&queue_action_by_id, {queue, wire::scalar(action.value)}}}));
  if (!answer)
    return answer.error();
  const auto& rows = (*answer)[reads::preamble_short];
  if (rows.rows() == 0)
    return core::failure{core::errc::not_found, "no such action"};
  return read_queue_action(rows, 0);
}

core::outcome<std::vector<core::queue_action_row>>
postgres_store::running_queue_actions(const core::queue_name& queue) {
  const auto answer = ask(reads::short_read({{&running_actions, {queue}}}));
  if (!answer)
    return answer.error();
  return read_queue_actions((*answer)[reads::preamble_short]);
}

core::outcome<std::vector<core::queue_action_row>>
postgres_store::list_queue_actions(const core::queue_name& queue, core::queue_action_id after,
                                   std::uint32_t limit) {
  auto calls =
      after ? std::vector<call>{{&earlier_actions,
                                 {queue, reads::limit_parameter(limit), wire::scalar(after.value)}}}
            : std::vector<call>{{&latest_actions, {queue, reads::limit_parameter(limit)}}};
  const auto answer = ask(reads::short_read(std::move(calls)));
  if (!answer)
    return answer.error();
  return read_queue_actions((*answer)[reads::preamble_short]);
}

} // namespace holdfast::persistence
