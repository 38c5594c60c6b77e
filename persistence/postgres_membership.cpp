// The membership part of `postgres_store`: nodes and the shards they host. Cold statements; they
// lock rows of `shard_leases` in order of shard, as batches do, so that the two cannot deadlock.

#include "persistence/postgres_store.hpp"

#include <algorithm>

namespace holdfast::persistence {

namespace {

using int8 = std::int64_t;
using int4 = std::int32_t;

constexpr const char* lock_not_available = "55P03";
constexpr const char* no_data_found = "P0002";

constexpr statement begin_membership{"begin_membership", "BEGIN"};
constexpr statement commit_membership{"commit_membership", "COMMIT"};

constexpr statement fix_shards{"fix_shards", R"sql(
  INSERT INTO holdfast.cluster (shards) VALUES ($1::integer) ON CONFLICT DO NOTHING)sql"};

constexpr statement read_shards{"read_shards", "SELECT shards FROM holdfast.cluster"};

constexpr statement add_shards{"add_shards", R"sql(
  INSERT INTO holdfast.shard_leases (shard)
  SELECT generate_series(0, shards - 1) FROM holdfast.cluster ON CONFLICT DO NOTHING)sql"};

constexpr statement add_node{"add_node", R"sql(
  INSERT INTO holdfast.nodes (incarnation, name, address, expires_at)
  VALUES ($1::uuid, $2::text, $3::text, clock_timestamp())
  ON CONFLICT (incarnation) DO UPDATE SET address = excluded.address)sql"};

// The node's row is what its shard leases live by, so taking shards over begins with renewing it.
constexpr statement revive_node{"revive_node", R"sql(
  INSERT INTO holdfast.nodes (incarnation, name, address, expires_at, lease)
  SELECT $1::uuid, $2::text, '', clock_timestamp() + lease, lease
    FROM (SELECT $3::bigint * interval '1 microsecond' AS lease) l
  ON CONFLICT (incarnation) DO UPDATE
     SET expires_at = excluded.expires_at, lease = excluded.lease, left_at = NULL)sql"};

// Ends sessions that are in a transaction on the fences and wait for their client. The timeouts of
// the server do not: between the statements of a pipeline a session counts as active, not as idle
// in transaction. Ending a healthy one by mistake costs it one attempt.
constexpr statement evict_frozen{"evict_frozen", R"sql(
  SELECT pg_terminate_backend(a.pid)
    FROM pg_stat_activity a
   WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
     AND a.wait_event = 'ClientRead'
     AND a.xact_start < clock_timestamp() - $1::bigint * interval '1 microsecond'
     AND EXISTS (SELECT 1 FROM pg_locks l
                  WHERE l.pid = a.pid AND l.relation = 'holdfast.shard_leases'::regclass
                    AND l.mode = 'RowExclusiveLock'))sql"};

constexpr statement wait_shortly{"wait_shortly", R"sql(
  SELECT set_config('lock_timeout', $1::bigint::text || 'us', true))sql"};

// An end that is farther ahead than leases are long was reckoned by a clock that stood ahead; twice
// as long, so that a clock that is put right by little ends nobody's lease. Programs of migration
// 34 do not say how long theirs are: five minutes at most.
#define HOLDFAST_LEASE_ENDS_TOO_LATE(node)                                                         \
  node ".expires_at > clock_timestamp() + 2 * coalesce(" node ".lease, interval '5 minutes')"
#define HOLDFAST_LEASE_IS_OVER(node)                                                               \
  "(" node ".expires_at <= clock_timestamp() OR " HOLDFAST_LEASE_ENDS_TOO_LATE(node) ")"

// Waits for batches in flight, so the sequence numbers it returns are those of the last one.
constexpr statement take_shards{"take_shards", R"sql(
  WITH free AS MATERIALIZED (
    SELECT s.shard
      FROM holdfast.shard_leases s LEFT JOIN holdfast.nodes n ON n.incarnation = s.host
     WHERE s.shard = ANY ($3::integer[])
       AND (s.host = ANY ($4::uuid[]) OR s.host IS NULL OR n.name = $2::text
            OR n.left_at IS NOT NULL OR )sql" HOLDFAST_LEASE_IS_OVER("n") R"sql()
     ORDER BY s.shard FOR UPDATE OF s)
  UPDATE holdfast.shard_leases s
     SET host = $1::uuid, epoch = s.epoch + 1, taken_at = clock_timestamp()
    FROM free WHERE s.shard = free.shard
  RETURNING s.shard, s.epoch, s.batch_seq, s.event_seq)sql"};

// After the rows of the shards are locked: a generation that began before is seen.
constexpr statement read_numbers{"read_numbers", "SELECT numbers_above FROM holdfast.cluster"};

constexpr statement renew_node{"renew_node", R"sql(
  UPDATE holdfast.nodes
     SET expires_at = clock_timestamp() + $2::bigint * interval '1 microsecond',
         lease = $2::bigint * interval '1 microsecond',
         resumed_at = CASE WHEN expires_at < clock_timestamp() THEN clock_timestamp()
                           ELSE resumed_at END
   WHERE incarnation = $1::uuid AND left_at IS NULL)sql"};

// Or a dead process would seem to live when the clock comes again to the time of its lease, and
// shards would be handed to it. A process that lives renews its lease, by the clock of now.
constexpr statement end_false_leases{"end_false_leases", R"sql(
  UPDATE holdfast.nodes SET expires_at = clock_timestamp()
   WHERE incarnation IN (
     SELECT incarnation FROM holdfast.nodes n
      WHERE left_at IS NULL AND )sql" HOLDFAST_LEASE_ENDS_TOO_LATE("n") R"sql(
        FOR UPDATE SKIP LOCKED))sql"};

constexpr statement read_clock{"read_clock", "SELECT clock_timestamp()"};

constexpr statement see_nodes{"see_nodes", R"sql(
  SELECT incarnation, name, address, expires_at FROM holdfast.nodes n
   WHERE left_at IS NULL AND NOT )sql" HOLDFAST_LEASE_IS_OVER("n") R"sql(
   ORDER BY start_number)sql"};

constexpr statement list_starts{"list_starts", R"sql(
  SELECT n.incarnation, n.name, n.address, n.started_at, n.expires_at,
         coalesce(n.left_at, 'epoch'::timestamptz),
         n.left_at IS NULL AND NOT )sql" HOLDFAST_LEASE_IS_OVER("n") R"sql(,
         (SELECT count(*) FROM holdfast.shard_leases s WHERE s.host = n.incarnation)
    FROM holdfast.nodes n ORDER BY n.start_number DESC LIMIT $1::integer)sql"};

#undef HOLDFAST_LEASE_IS_OVER
#undef HOLDFAST_LEASE_ENDS_TOO_LATE

constexpr statement see_shards{"see_shards", R"sql(
  SELECT shard, coalesce(host, '00000000-0000-0000-0000-000000000000'::uuid), epoch, batch_seq,
         event_seq
    FROM holdfast.shard_leases ORDER BY shard)sql"};

// Where the database is, is asked once for each connection: it does not change while one lives.
constexpr statement see_generation{"see_generation", R"sql(
  SELECT c.generation, coalesce(c.server <> here.server, false), here.server,
         c.generation_began_at
    FROM holdfast.cluster c
         LEFT JOIN LATERAL (SELECT holdfast.server_identity() AS server WHERE $1::boolean) here
                ON true)sql"};

constexpr statement note_server{"note_server", R"sql(
  UPDATE holdfast.cluster SET server = holdfast.server_identity() WHERE server IS NULL)sql"};

constexpr statement begin_generation_of{"begin_generation", R"sql(
  SELECT holdfast.begin_generation($1::bigint, $2::integer[], $3::bigint[], $4::bigint[],
                                   $5::bigint[], $6::boolean))sql"};

constexpr statement hand_shards_over{"hand_shards_over", R"sql(
  WITH mine AS MATERIALIZED (
    SELECT shard FROM holdfast.shard_leases
     WHERE host = $1::uuid AND shard = ANY ($2::integer[]) ORDER BY shard FOR UPDATE)
  UPDATE holdfast.shard_leases s SET host = NULL FROM mine WHERE s.shard = mine.shard)sql"};

constexpr statement free_shards{"free_shards", R"sql(
  WITH mine AS MATERIALIZED (
    SELECT shard FROM holdfast.shard_leases WHERE host = $1::uuid ORDER BY shard FOR UPDATE)
  UPDATE holdfast.shard_leases s SET host = NULL FROM mine WHERE s.shard = mine.shard)sql"};

constexpr statement leave{"leave", R"sql(
  UPDATE holdfast.nodes SET left_at = clock_timestamp() WHERE incarnation = $1::uuid)sql"};

auto numbers_of(const std::vector<core::shard_id>& shards) {
  wire::array_of<int4> numbers;
  for (const auto shard : shards)
    numbers.add(static_cast<int4>(shard));
  return numbers.take();
}

} // namespace

core::outcome<bool> postgres_store::ensure_shards(std::uint32_t count) {
  if (count == 0)
    return core::failure{core::errc::invalid_argument, "a cluster has at least one shard"};
  const auto answer = ask_at_once({{&begin_membership, {}},
                                   {&fix_shards, {wire::scalar(static_cast<int4>(count))}},
                                   {&add_shards, {}},
                                   {&read_shards, {}},
                                   {&note_server, {}},
                                   {&commit_membership, {}}});
  if (!answer)
    return answer.error();
  const auto fixed = (*answer)[3].get<int4>(0, 0);
  if (fixed != static_cast<int4>(count))
    return core::failure{core::errc::invalid_argument,
                         "this database was set up with " + std::to_string(fixed) + " shards, not "
                             + std::to_string(count) + "; the number cannot be changed"};
  return true;
}

core::outcome<bool> postgres_store::register_node(const std::string& name,
                                                  core::incarnation_id incarnation,
                                                  const std::string& address) {
  const auto answer = ask_at_once({{&add_node, {wire::scalar(incarnation.value), name, address}}});
  if (!answer)
    return answer.error();
  return true;
}

core::outcome<std::vector<shard_fence>>
postgres_store::take_over(const std::string& node, core::incarnation_id incarnation,
                          const std::vector<core::shard_id>& shards, core::duration lease_time,
                          const std::set<core::incarnation_id>& believed_dead) {
  // The connection of the last renewal may have broken since, and another one lead to a standby
  // that was promoted meanwhile: what is taken there would go on where that copy ended.
  if (!shards.empty() && renews_) {
    if (auto problem = connect_in_time())
      return *problem;
    if (!place_seen_)
      return core::failure{core::errc::unavailable,
                           "no renewal has seen yet which server this connection leads to"};
  }
  wire::array_of<core::uuid> dead;
  for (const auto& gone : believed_dead)
    dead.add(gone.value);
  const auto me = wire::scalar(incarnation.value);
  const auto frozen = wire::scalar<int8>(options_.frozen_timeout.count());
  const std::vector<call> calls{{&evict_frozen, {frozen}},
                                {&begin_membership, {}},
                                {&wait_shortly, {frozen}},
                                {&revive_node, {me, node, wire::scalar<int8>(lease_time.count())}},
                                {&take_shards, {me, node, numbers_of(shards), dead.take()}},
                                {&read_numbers, {}},
                                {&commit_membership, {}}};
  auto answer = run(calls);
  // Whoever made it wait for the whole timeout is frozen by now, if it was not before.
  if (answer && answer->failed && answer->failure.sqlstate == lock_not_available)
    answer = run(calls);
  if (!answer)
    return answer.error();
  if (answer->failed)
    return error_of(answer->failure);
  const auto& rows = answer->results[4];
  const auto& numbers = answer->results[5];
  const auto above = numbers.rows() == 0 ? 0 : numbers.get<int8>(0, 0);
  std::vector<shard_fence> taken;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    taken.push_back({static_cast<core::shard_id>(rows.get<int4>(row, 0)),
                     static_cast<core::epoch>(rows.get<int8>(row, 1)),
                     static_cast<std::uint64_t>(rows.get<int8>(row, 2)),
                     static_cast<core::event_seq>(rows.get<int8>(row, 3)),
                     static_cast<core::token>(above)});
  std::sort(taken.begin(), taken.end(),
            [](const auto& a, const auto& b) { return a.shard < b.shard; });
  return taken;
}

core::outcome<core::cluster_view> postgres_store::renew(core::incarnation_id incarnation,
                                                        core::duration lease_time) {
  if (auto problem = connect_if_needed())
    return *problem;
  const auto answer = run_promptly(
      {{&renew_node, {wire::scalar(incarnation.value), wire::scalar<int8>(lease_time.count())}},
       {&end_false_leases, {}},
       {&read_clock, {}},
       {&see_nodes, {}},
       {&see_shards, {}},
       {&see_generation, {wire::scalar(!place_seen_)}}},
      [] {});
  if (!connection_->lost())
    silences_ = 0;
  if (answer.failed)
    return error_of(answer.failure);
  const auto& results = answer.results;
  core::cluster_view view;
  view.now = results[2].get<core::instant>(0, 0);
  const auto& nodes = results[3];
  for (std::size_t row = 0; row < nodes.rows(); ++row)
    view.nodes.push_back({{nodes.get<core::uuid>(row, 0)},
                          nodes.get<std::string>(row, 1),
                          nodes.get<std::string>(row, 2),
                          nodes.get<core::instant>(row, 3)});
  const auto& shards = results[4];
  for (std::size_t row = 0; row < shards.rows(); ++row)
    view.shards.push_back({static_cast<core::shard_id>(shards.get<int4>(row, 0)),
                           {shards.get<core::uuid>(row, 1)},
                           static_cast<core::epoch>(shards.get<int8>(row, 2)),
                           static_cast<std::uint64_t>(shards.get<int8>(row, 3)),
                           static_cast<core::event_seq>(shards.get<int8>(row, 4))});
  const auto& history = results[5];
  view.generation = history.rows() == 0 ? 0 : static_cast<std::uint64_t>(history.get<int8>(0, 0));
  view.moved = history.rows() != 0 && history.get<bool>(0, 1);
  if (history.rows() != 0 && !history.is_null(0, 2))
    server_ = history.get<std::string>(0, 2);
  view.server = server_;
  if (history.rows() != 0 && !history.is_null(0, 3))
    view.generation_began = history.get<core::instant>(0, 3);
  place_seen_ = !view.moved; // until a generation has begun there
  renews_ = true;
  return view;
}

core::outcome<std::vector<node_start>> postgres_store::list_nodes(std::uint32_t limit) {
  const auto answer = ask({{&list_starts, {wire::scalar(static_cast<int4>(limit))}}});
  if (!answer)
    return answer.error();
  const auto& rows = answer->front();
  std::vector<node_start> listed;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    listed.push_back({{rows.get<core::uuid>(row, 0)},
                      rows.get<std::string>(row, 1),
                      rows.get<std::string>(row, 2),
                      rows.get<core::instant>(row, 3),
                      rows.get<core::instant>(row, 4),
                      rows.get<core::instant>(row, 5),
                      rows.get<bool>(row, 6),
                      static_cast<std::uint32_t>(rows.get<int8>(row, 7))});
  return listed;
}

core::outcome<bool> postgres_store::hand_over(core::incarnation_id incarnation,
                                              const std::vector<core::shard_id>& shards) {
  const auto answer =
      ask_at_once({{&hand_shards_over, {wire::scalar(incarnation.value), numbers_of(shards)}}});
  if (!answer)
    return answer.error();
  return true;
}

core::outcome<bool> postgres_store::begin_generation(const known_history& known, bool restored) {
  wire::array_of<int4> shards;
  wire::array_of<int8> epochs;
  wire::array_of<int8> batches;
  wire::array_of<int8> events;
  for (const auto& shard : known.shards) {
    shards.add(static_cast<int4>(shard.shard));
    epochs.add(static_cast<int8>(shard.epoch));
    batches.add(static_cast<int8>(shard.batch_seq));
    events.add(static_cast<int8>(shard.last_event));
  }
  if (auto problem = connect_if_needed())
    return *problem;
  const auto answer =
      run({{&begin_generation_of,
            {wire::scalar(static_cast<int8>(known.generation)), shards.take(), epochs.take(),
             batches.take(), events.take(), wire::scalar(restored)}}});
  if (!answer)
    return answer.error();
  if (answer->failed && answer->failure.sqlstate == no_data_found)
    return core::failure{core::errc::not_found, "the database knows of no cluster"};
  if (answer->failed)
    return error_of(answer->failure);
  const auto begun = answer->results.front().get<bool>(0, 0);
  place_seen_ = place_seen_ || begun; // it has noted the server
  return begun;
}

core::outcome<bool> postgres_store::resign(core::incarnation_id incarnation) {
  const auto me = wire::scalar(incarnation.value);
  const auto answer = ask_at_once(
      {{&begin_membership, {}}, {&free_shards, {me}}, {&leave, {me}}, {&commit_membership, {}}});
  if (!answer)
    return answer.error();
  return true;
}

} // namespace holdfast::persistence
