#include "persistence/postgres_webhook_batch.hpp"

namespace holdfast::persistence::batch {

namespace {

// The rules for statements are those of postgres_batch.cpp. A webhook may be removed on one shard
// while another one still delivers it, so what is written of it then finds nothing, and need not.

constexpr statement add_webhooks{"add_webhooks", R"sql(
  INSERT INTO holdfast.webhooks (webhook_id, name, definition, paused, revision, created_at,
                                 changed_at)
  SELECT t.*, t.at
    FROM unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[], $5::bigint[], $6::timestamptz[])
      AS t(webhook_id, name, definition, paused, revision, at))sql"};

// Events that are committed after the snapshot of this statement come behind the position, also
// those of batches of other shards that are under way beside it.
constexpr statement start_webhooks{"start_webhooks", R"sql(
  INSERT INTO holdfast.webhook_positions (webhook_id, shard, seq, changed_at)
  SELECT t.webhook_id, s.shard, CASE WHEN t.oldest THEN s.pruned_seq ELSE s.event_seq END, now()
    FROM unnest($1::uuid[], $2::boolean[]) AS t(webhook_id, oldest)
   CROSS JOIN holdfast.shard_leases s)sql"};

constexpr statement change_webhooks{"change_webhooks", R"sql(
  WITH changed AS (
    UPDATE holdfast.webhooks w
       SET definition = t.definition, paused = t.paused, revision = t.revision, changed_at = t.at
      FROM unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[], $5::bigint[],
                  $6::timestamptz[])
        AS t(webhook_id, name, definition, paused, revision, at)
     WHERE w.webhook_id = t.webhook_id AND w.name = t.name
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement delete_webhooks{"delete_webhooks", R"sql(
  DELETE FROM holdfast.webhooks w USING unnest($1::uuid[]) AS t(webhook_id)
   WHERE w.webhook_id = t.webhook_id)sql"};

// The webhooks are held first, in order: whoever removes one waits there, and not amid its
// positions, which are written and removed in no common order.
constexpr statement move_webhooks{"move_webhooks", R"sql(
  WITH held AS MATERIALIZED (
    SELECT webhook_id FROM holdfast.webhooks WHERE webhook_id = ANY ($1::uuid[])
     ORDER BY webhook_id FOR KEY SHARE)
  UPDATE holdfast.webhook_positions p
     SET seq = t.seq, stopped_revision = t.stopped_revision, reason = nullif(t.reason, ''),
         changed_at = t.at
    FROM unnest($1::uuid[], $2::integer[], $3::bigint[], $4::bigint[], $5::text[],
                $6::timestamptz[])
      AS t(webhook_id, shard, seq, stopped_revision, reason, at)
    JOIN held ON held.webhook_id = t.webhook_id
   WHERE p.webhook_id = t.webhook_id AND p.shard = t.shard)sql"};

constexpr statement put_dead_letters{"put_dead_letters", R"sql(
  INSERT INTO holdfast.dead_letters AS d (webhook_id, shard, seq, event, status, reason, died_at)
  SELECT t.*
    FROM unnest($1::uuid[], $2::integer[], $3::bigint[], $4::text[], $5::integer[], $6::text[],
                $7::timestamptz[])
      AS t(webhook_id, shard, seq, event, status, reason, died_at)
   WHERE EXISTS (SELECT FROM holdfast.webhook_positions p
                  WHERE p.webhook_id = t.webhook_id AND p.shard = t.shard)
  ON CONFLICT (webhook_id, shard, seq) DO UPDATE
     SET event = excluded.event, status = excluded.status, reason = excluded.reason,
         died_at = excluded.died_at, replayed = false)sql"};

constexpr statement replay_dead_letters{"replay_dead_letters", R"sql(
  UPDATE holdfast.dead_letters d SET replayed = true
    FROM unnest($1::uuid[], $2::integer[], $3::bigint[]) AS t(webhook_id, shard, seq)
   WHERE d.webhook_id = t.webhook_id AND d.shard = t.shard AND d.seq = t.seq)sql"};

constexpr statement delete_dead_letters{"delete_dead_letters", R"sql(
  DELETE FROM holdfast.dead_letters d
   USING unnest($1::uuid[], $2::integer[], $3::bigint[]) AS t(webhook_id, shard, seq)
   WHERE d.webhook_id = t.webhook_id AND d.shard = t.shard AND d.seq = t.seq)sql"};

} // namespace

void webhook_writes::operator()(const core::put_webhook& w) {
  const bool is_new = w.revision == 1;
  (is_new ? added_ : changed_)
      .add(w.id.value, text{w.name}, text{w.definition}, w.paused, big(w.revision), w.at);
  if (is_new)
    starts_.add(w.id.value, w.start == core::event_start::oldest);
}

void webhook_writes::operator()(const core::delete_webhook& w) { deleted_.add(w.id.value); }

void webhook_writes::append_to(std::vector<call>& calls) {
  added_.append_to(calls, add_webhooks);
  starts_.append_to(calls, start_webhooks);
  changed_.append_to(calls, change_webhooks);
  columns<core::uuid, int4, int8, int8, text, core::instant> positions;
  for (const auto& [key, w] : positions_)
    positions.add(w->webhook.value, plain(w->shard), big(w->seq), big(w->stopped_revision),
                  text{w->reason}, w->at);
  positions.append_to(calls, move_webhooks);
  columns<core::uuid, int4, int8, text, int4, text, core::instant> letters;
  for (const auto& [key, w] : letters_)
    letters.add(w->webhook.value, plain(w->event.shard), big(w->event.seq), text{w->json},
                plain(w->status), text{w->reason}, w->at);
  letters.append_to(calls, put_dead_letters);
  for (const auto& [which, what] :
       {std::pair{&replayed_, &replay_dead_letters}, std::pair{&gone_, &delete_dead_letters}}) {
    columns<core::uuid, int4, int8> keys;
    for (const auto& [webhook, event] : *which)
      keys.add(webhook.value, plain(event.shard), big(event.seq));
    keys.append_to(calls, *what);
  }
  deleted_.append_to(calls, delete_webhooks);
}

} // namespace holdfast::persistence::batch
