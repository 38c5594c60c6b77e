#include "persistence/verify.hpp"

#include "core/invariant.hpp"
#include "persistence/connection.hpp"
#include "persistence/embedded_sql.hpp"
#include "persistence/migrate.hpp"
#include "persistence/pqxx_session.hpp"
#include "persistence/read_apart.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::persistence {

namespace {

constexpr std::size_t samples_max = 5;
constexpr std::size_t sample_value_bytes_max = 200;

// Half of the checks compare events with the rows they tell of. The outbox keeps events as JSON
// arrays, so they are taken apart once, into a table of this session: a read-only transaction may
// write to that, and so the rows and the events come from one snapshot. What was decided up to
// `pruned.until` may have lost its events; the minute is for clocks of nodes that were ahead. What
// nodes do in the background is to be expected only while every shard has a live host, which has
// been so from `hosted.since` on; `infinity` says that it is not so. Their bounds are counted back
// from `now()`, the moment of the snapshot, however long the checks take. The rows of a shard's
// outbox were committed in the order of their numbers: where a later one has the earlier time, the
// clock was set back from `until` or later to `since` or earlier.
// Tables that grew since they were last analysed look small to the planner, and a nested loop over
// them takes a minute where hashing takes a second: so none.
constexpr const char* planning = R"sql(
  SET max_parallel_workers_per_gather = 0;
  SET jit = off;
  SET enable_nestloop = off;
  SET work_mem = '64MB';)sql";

/// A table that the checks know as `pg_temp.<name>`.
struct derived_table {
  const char* name;
  const char* columns; ///< As `CREATE TABLE` wants them.
  const char* query;
};

constexpr derived_table derived_tables[]{
    {"event",
     "shard integer, first_seq bigint, seq bigint, type text, step_id uuid, unit_id uuid, "
     "judgment_id uuid",
     R"sql(
  SELECT o.shard, o.first_seq, o.first_seq + e.place - 1 AS seq, e.event ->> 'type' AS type,
         (e.event ->> 'step_id')::uuid AS step_id, (e.event ->> 'unit_id')::uuid AS unit_id,
         (e.event ->> 'judgment_id')::uuid AS judgment_id
    FROM holdfast.outbox o
   CROSS JOIN LATERAL jsonb_array_elements(o.events::jsonb)
         WITH ORDINALITY AS e(event, place))sql"},
    {"pruned", "until timestamptz NOT NULL", R"sql(
  SELECT coalesce(max(pruned_to) + interval '1 minute', '-infinity') AS until
    FROM holdfast.shard_leases)sql"},
    {"hosted", "since timestamptz NOT NULL", R"sql(
  SELECT CASE WHEN bool_or(n.left_at IS NOT NULL OR coalesce(n.expires_at, '-infinity') < now())
              THEN 'infinity'
              ELSE coalesce(max(greatest(s.taken_at, n.resumed_at)), '-infinity') END AS since
    FROM holdfast.shard_leases s
    LEFT JOIN holdfast.nodes n ON n.incarnation = s.host)sql"},
    {"stepped_back", "since timestamptz NOT NULL, until timestamptz NOT NULL", R"sql(
  SELECT since, until
    FROM (SELECT committed_at AS since,
                 lag(committed_at) OVER (PARTITION BY shard ORDER BY first_seq) AS until
            FROM holdfast.outbox) o
   WHERE since < until - interval '5 s')sql"},
};

constexpr const derived_table& events_table = derived_tables[0];

/// Carries `work` out as a part of the transaction that may fail by itself. Answers what the server
/// says where it may have refused a statement for a damaged row: its message, without the values
/// that it adds in further lines.
template <class Work>
std::optional<std::string> damage_met(pqxx::dbtransaction& tx, const Work& work) {
  try {
    pqxx::subtransaction part{tx};
    work(part);
    part.commit();
    return std::nullopt;
  } catch (const pqxx::sql_error& error) {
    if (!may_be_of_a_row(error.sqlstate()))
      throw;
    const std::string told = error.what();
    return told.substr(0, told.find('\n'));
  }
}

bool succeeds_apart(pqxx::dbtransaction& tx, const std::string& query) {
  return !damage_met(tx, [&](auto& part) { part.exec(query); });
}

/// Fills the table of events with those of a shard whose rows begin from `first` up to before
/// `end`, by halves around rows that cannot be read. These have no events then, which is a finding
/// of `outbox_counts_match`.
void fill_events_apart(pqxx::dbtransaction& tx, const std::string& insertion, int shard,
                       std::int64_t first, std::int64_t end) {
  if (first >= end)
    return;
  const auto range = " WHERE o.shard = " + std::to_string(shard) + " AND o.first_seq >= "
                     + std::to_string(first) + " AND o.first_seq < " + std::to_string(end);
  if (succeeds_apart(tx, insertion + range) || end - first == 1)
    return;
  const auto middle = first + (end - first) / 2;
  fill_events_apart(tx, insertion, shard, first, middle);
  fill_events_apart(tx, insertion, shard, middle, end);
}

/// Where the checks find these tables: in tables of the session, filled once. Where there can be
/// none, because the role has no right to TEMP or the server is a standby, each check reads the
/// outbox for itself, which takes longer.
class derived_data {
public:
  explicit derived_data(pqxx::connection& database) {
    pqxx::nontransaction setup{database};
    setup.exec(planning);
    kept_ = setup
                .exec("SELECT has_database_privilege(current_database(), 'TEMP')"
                      "   AND NOT pg_is_in_recovery()")[0][0]
                .as<bool>();
    if (!kept_)
      return;
    for (const auto& table : derived_tables)
      setup.exec(std::string{"CREATE TEMPORARY TABLE "} + table.name + " (" + table.columns + ')');
  }

  /// In the transaction of the checks, before the first of them.
  void fill(pqxx::dbtransaction& tx) const {
    if (!kept_)
      return;
    for (const auto& table : derived_tables) {
      const auto insertion = std::string{"INSERT INTO pg_temp."} + table.name + table.query;
      if (&table != &events_table)
        tx.exec(insertion);
      else if (!succeeds_apart(tx, insertion))
        for (const auto& row : tx.exec("SELECT shard, min(first_seq), max(first_seq) + 1"
                                       "  FROM holdfast.outbox GROUP BY shard"))
          fill_events_apart(tx, insertion, row[0].as<int>(), row[1].as<std::int64_t>(),
                            row[2].as<std::int64_t>());
    }
    tx.exec("ANALYZE pg_temp.event");
  }

  /// `query` over a check in which the names of these tables mean what they should.
  std::string in_scope(std::string query) const {
    if (kept_)
      return query;
    std::string scope;
    for (const auto& table : derived_tables) {
      const auto name = std::string{"pg_temp."} + table.name;
      bool used = false;
      for (auto at = query.find(name); at != std::string::npos; at = query.find(name, at)) {
        query.replace(at, name.size(), table.name);
        used = true;
      }
      if (used)
        scope += (scope.empty() ? "WITH " : ", ") + std::string{table.name} + " AS MATERIALIZED ("
                 + table.query + ')';
    }
    return scope + ' ' + query;
  }

private:
  bool kept_ = false;
};

/// As the first statement of a transaction: it writes nothing, and all that it reads comes from one
/// snapshot. In SQL, because libpqxx 6 and 7 name the types of such transactions differently.
void read_one_snapshot(pqxx::dbtransaction& tx) {
  tx.exec("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
}

/// Keeps all that a transaction does to a span of time, from its making on.
class time_limit {
public:
  explicit time_limit(core::duration most) : most_(most) {}

  /// Before each statement.
  void apply(pqxx::transaction_base& tx) const {
    if (most_ == core::duration::zero())
      return;
    using std::chrono::milliseconds;
    const auto left = std::chrono::duration_cast<milliseconds>(
        most_ - (std::chrono::steady_clock::now() - began_));
    // Zero would be no limit at all.
    tx.exec("SET LOCAL lock_timeout = '1s'; SET LOCAL statement_timeout = "
            + std::to_string(std::max<milliseconds::rep>(1, left.count())));
  }

private:
  core::duration most_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// Splits a file into its leading comment and the query.
check read_check(const std::string& name, const std::string& text) {
  check read;
  read.name = name;
  std::string comment;
  std::size_t at = 0;
  while (text.compare(at, 3, "-- ") == 0) {
    const auto end = text.find('\n', at);
    comment += (comment.empty() ? "" : " ") + text.substr(at + 3, end - at - 3);
    at = end + 1;
  }
  const auto colon = comment.find(": ");
  HOLDFAST_INVARIANT(colon != std::string::npos, "a check begins with -- <invariant>: <sentence>");
  read.invariant = comment.substr(0, colon);
  read.says = comment.substr(colon + 2);
  read.sql = text.substr(at);
  return read;
}

std::string render(const pqxx::row& row) {
  std::string text;
  for (pqxx::row::size_type column = 1; column < row.size(); ++column) {
    text += (column == 1 ? "" : ", ") + std::string{row[column].name()} + '=';
    std::string value = row[column].is_null() ? "NULL" : row[column].c_str();
    if (value.size() > sample_value_bytes_max)
      value = value.substr(0, sample_value_bytes_max) + "...";
    text += value;
  }
  return text;
}

check_result run(pqxx::transaction_base& tx, const check& what, const derived_data& derived) {
  check_result result;
  result.what = what;
  const auto started = std::chrono::steady_clock::now();
  const auto rows = tx.exec(derived.in_scope("SELECT count(*) OVER (), broken.* FROM (" + what.sql
                                             + ") broken LIMIT " + std::to_string(samples_max)));
  result.took =
      std::chrono::duration_cast<core::duration>(std::chrono::steady_clock::now() - started);
  for (const auto& row : rows) {
    result.violations = row[0].as<std::uint64_t>();
    result.samples.push_back(render(row));
  }
  return result;
}

/// How the rows of a table are told apart for one check, so that its finding names those that are
/// damaged.
struct keyed_rows {
  const char* check;
  const char* says; ///< Before the key.
  const char* keys; ///< Reads nothing else of a row.
  const char* read; ///< Some of the rows: those of which what follows is true.
  const char* key;  ///< What is compared with keys, and their type.
  const char* type;
};

constexpr keyed_rows all_keyed_rows[]{
    {"quality_rows_can_be_read", "standing: ",
     "SELECT step_id || ' ' || contributor_id FROM holdfast.contributor_standings ORDER BY 1",
     "SELECT count(standing + reason) FROM holdfast.contributor_standings WHERE ",
     "step_id || ' ' || contributor_id", "text[]"},
    {"quality_rows_can_be_read", "flag: ",
     "SELECT DISTINCT step_id || ' ' || contributor_id FROM holdfast.contributor_flags ORDER BY 1",
     "SELECT count(why || monitor) FROM holdfast.contributor_flags WHERE ",
     "step_id || ' ' || contributor_id", "text[]"},
    {"quality_rows_can_be_read",
     "right answer: ", "SELECT unit_id FROM holdfast.units WHERE truth IS NOT NULL ORDER BY 1",
     "SELECT count(truth::jsonb) FROM holdfast.units WHERE truth IS NOT NULL AND ", "unit_id",
     "uuid[]"},
    {"quality_rows_can_be_read", "repair: ", "SELECT repair_id FROM holdfast.repairs ORDER BY 1",
     "SELECT count(contributor_id || through || bookmark || asked_at) FROM holdfast.repairs WHERE ",
     "repair_id", "uuid[]"},
};

/// Adds those of the keys whose rows cannot be read, by halves, with the reason.
void find_damaged(pqxx::dbtransaction& tx, const keyed_rows& rows,
                  const std::vector<std::string>& keys, std::vector<std::string>& found) {
  if (keys.empty())
    return;
  std::string list;
  for (const auto& key : keys)
    list += (list.empty() ? "" : ", ") + tx.quote(key);
  const auto query =
      rows.read + std::string{rows.key} + " = ANY (ARRAY[" + list + "]::" + rows.type + ')';
  const auto damage = damage_met(tx, [&](auto& part) { part.exec(query); });
  if (!damage)
    return;
  if (keys.size() == 1) {
    found.push_back(rows.says + keys.front() + ": " + *damage);
    return;
  }
  const auto middle = keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 2);
  find_damaged(tx, rows, {keys.begin(), middle}, found);
  find_damaged(tx, rows, {middle, keys.end()}, found);
}

/// The damaged rows of a check, by name; none where its rows are not told apart, or where even a
/// key cannot be read.
std::vector<std::string> damaged_rows_of(pqxx::dbtransaction& tx, const check& what) {
  std::vector<std::string> found;
  for (const auto& rows : all_keyed_rows) {
    if (what.name != rows.check)
      continue;
    std::vector<std::string> keys;
    if (damage_met(tx, [&](auto& part) {
          for (const auto& row : part.exec(rows.keys))
            keys.emplace_back(row[0].c_str());
        }))
      continue;
    find_damaged(tx, rows, keys, found);
  }
  return found;
}

/// The same, where a damaged row that the check reads is its finding and keeps no other check.
check_result run_apart(pqxx::dbtransaction& tx, const check& what, const derived_data& derived) {
  check_result result;
  if (const auto damage = damage_met(tx, [&](auto& part) { result = run(part, what, derived); })) {
    result.what = what;
    result.violations = 1;
    result.samples = {"a row that the check reads is damaged: " + *damage};
    if (auto rows = damaged_rows_of(tx, what); !rows.empty()) {
      result.violations = rows.size();
      rows.resize(std::min(rows.size(), samples_max));
      result.samples = std::move(rows);
    }
  }
  return result;
}

/// The rows of a check of objects whose text is no reference, or one to an object that cannot be
/// read. Only those are looked at that are `wanted`; `broken` has their texts afterwards.
check_result run_on_objects(pqxx::transaction_base& tx, const check& what,
                            const object_probe& probe,
                            const std::function<bool(const std::string&)>& wanted,
                            std::set<std::string>& broken) {
  check_result result;
  result.what = what;
  const auto started = std::chrono::steady_clock::now();
  // By a cursor, because there may be millions.
  tx.exec("DECLARE object_refs NO SCROLL CURSOR FOR SELECT 0, r.* FROM (" + what.sql + ") r");
  for (auto rows = tx.exec("FETCH 1000 FROM object_refs"); !rows.empty();
       rows = tx.exec("FETCH 1000 FROM object_refs"))
    for (const auto& row : rows) {
      const std::string text = row["reference"].c_str();
      if (!wanted(text))
        continue;
      const auto ref = core::parse_object_ref(text);
      const auto why = ref ? probe(*ref) : core::failure{core::errc::damaged, "no reference"};
      if (why.code == core::errc::none)
        continue;
      broken.insert(text);
      if (++result.violations <= samples_max)
        result.samples.push_back(render(row) + ", reason=" + why.detail);
    }
  tx.exec("CLOSE object_refs");
  result.took =
      std::chrono::duration_cast<core::duration>(std::chrono::steady_clock::now() - started);
  return result;
}

/// What was referred to in the snapshot may have been given up since, and its object swept: only
/// what is still referred to is a violation.
check_result check_objects(pqxx::connection& database, const check& what,
                           const object_probe& probe) {
  const auto look = [&](const auto& wanted, std::set<std::string>& broken) {
    pqxx::work tx{database};
    read_one_snapshot(tx);
    return run_on_objects(tx, what, probe, wanted, broken);
  };
  std::set<std::string> suspects;
  const auto first = look([](const std::string&) { return true; }, suspects);
  if (suspects.empty())
    return first;
  std::set<std::string> broken;
  auto second = look([&](const std::string& text) { return suspects.count(text) != 0; }, broken);
  second.took += first.took;
  return second;
}

/// Why the checks cannot be run on this schema; empty if they can.
std::string schema_problem(pqxx::transaction_base& tx) {
  if (!tx.exec("SELECT to_regclass('holdfast.migrations')")[0][0].is_null()) {
    const auto history = embedded_migrations();
    const auto rows = tx.exec("SELECT sha256 FROM holdfast.migrations ORDER BY version");
    if (static_cast<std::size_t>(rows.size()) == history.size()
        && std::equal(history.begin(), history.end(), rows.begin(),
                      [](const auto& m, const auto& row) { return m.sha256 == row[0].c_str(); }))
      return {};
    return "the database's schema is version " + std::to_string(rows.size())
           + " and this program's is " + std::to_string(history.size())
           + ", or an applied migration was changed; run the matching program";
  }
  return "this is not a database of Holdfast";
}

} // namespace

std::vector<check> verify_checks() {
  std::vector<check> checks;
  for (const auto& [folder, of_objects] :
       {std::pair<std::string, bool>{"verify/", false}, {"verify_objects/", true}})
    for (const auto& file : embedded_sql())
      if (file.name.rfind(folder, 0) == 0) {
        checks.push_back(read_check(
            file.name.substr(folder.size(), file.name.size() - folder.size() - 4), file.text));
        checks.back().of_objects = of_objects;
      }
  std::stable_sort(checks.begin(), checks.end(),
                   [](const check& a, const check& b) { return a.invariant < b.invariant; });
  return checks;
}

core::outcome<std::vector<check_result>>
verify(const std::string& conninfo, const object_probe& probe, const verify_options& options) {
  const auto hardened = hardened_conninfo(conninfo, options.application_name);
  if (!hardened)
    return hardened.error();
  try {
    pqxx_session session{*hardened, {}};
    auto& database = *session;
    const derived_data derived{database};
    std::vector<check_result> results;
    try {
      pqxx::work tx{database};
      read_one_snapshot(tx);
      if (const auto problem = schema_problem(tx); !problem.empty())
        return core::failure{core::errc::wrong_state, problem};
      const time_limit limit{options.time_max};
      limit.apply(tx);
      derived.fill(tx);
      for (const auto& what : verify_checks())
        if (!what.of_objects) {
          limit.apply(tx);
          results.push_back(run_apart(tx, what, derived));
        }
      tx.commit();
      // Reading all objects may take long, and an old snapshot keeps the server from cleaning up.
      for (const auto& what : verify_checks())
        if (what.of_objects && probe)
          results.push_back(check_objects(database, what, probe));
    } catch (const pqxx::sql_error& e) {
      const auto& state = e.sqlstate();
      if (state == "57014" || state == "55P03") // canceled by a time-out, a lock not to be had
        return core::failure{core::errc::unavailable, std::string{"the checks: "} + e.what()};
      return core::failure{core::errc::refused_by_store,
                           std::string{"a check failed: "} + e.what() + " in: " + e.query()};
    }
    return results;
  } catch (const pqxx::failure& e) {
    return core::failure{core::errc::unavailable, std::string{"verify: "} + e.what()};
  }
}

} // namespace holdfast::persistence
