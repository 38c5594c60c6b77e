// The schema's history: applied once, in order, never rewritten.

#include "persistence/migrate.hpp"

#include "core/change.hpp"
#include "core/contributor.hpp"
#include "core/lease.hpp"
#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/verify.hpp"
#include "tests/persistence/empty_database.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <fstream>
#include <future>

using holdfast::test::contains;

namespace holdfast::test {

namespace {

using persistence::make_migration;
using persistence::migrate;
using persistence::migration;

std::vector<migration> history(const std::string& second = "CREATE TABLE public.b (n integer);") {
  return {make_migration("0001_first.sql",
                         "CREATE TABLE public.a (n integer); INSERT INTO public.a VALUES (1);"),
          make_migration("0002_second.sql", second)};
}

BOOST_FIXTURE_TEST_SUITE(schema_history, empty_database)

BOOST_AUTO_TEST_CASE(is_applied_once_and_recorded) {
  const auto first = migrate(conninfo, history());
  BOOST_REQUIRE(first);
  BOOST_TEST(first->version == 2U);
  BOOST_TEST((first->newly_applied == std::vector<std::uint32_t>{1, 2}));
  const auto second = migrate(conninfo, history());
  BOOST_REQUIRE(second);
  BOOST_TEST(second->version == 2U);
  BOOST_TEST(second->newly_applied.empty());
  BOOST_TEST(sql("SELECT count(*) FROM a")[0][0].as<int>() == 1);
  const auto rows = sql("SELECT version, name, sha256 FROM holdfast.migrations ORDER BY version");
  BOOST_REQUIRE_EQUAL(rows.size(), 2U);
  BOOST_TEST(rows[1][1].c_str() == std::string{"second"});
  // sha256sum of the text
  BOOST_TEST(rows[1][2].c_str() == history()[1].sha256);
  BOOST_TEST(make_migration("0001_x.sql", "abc").sha256
             == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

BOOST_AUTO_TEST_CASE(that_was_rewritten_is_refused) {
  BOOST_REQUIRE(migrate(conninfo, history()));
  const auto rewritten = migrate(conninfo, history("CREATE TABLE public.c (n integer);"));
  BOOST_REQUIRE(!rewritten);
  BOOST_TEST((rewritten.error().code == core::errc::wrong_state));
  BOOST_TEST(contains(rewritten.error().detail, "migration 2"));
  BOOST_TEST(contains(rewritten.error().detail, history()[1].sha256));
  auto renamed = history();
  renamed[0].name = "other";
  BOOST_TEST(!migrate(conninfo, renamed));
}

BOOST_AUTO_TEST_CASE(of_a_newer_program_is_refused) {
  BOOST_REQUIRE(migrate(conninfo, history()));
  const auto older = migrate(conninfo, {history()[0]});
  BOOST_REQUIRE(!older);
  BOOST_TEST((older.error().code == core::errc::wrong_state));
  BOOST_TEST(contains(older.error().detail, "start a newer program"));
  BOOST_TEST(contains(older.error().detail, "migration 2 (second)"));
}

BOOST_AUTO_TEST_CASE(says_which_programs_it_works_with) {
  const auto line = [](const std::string& number) {
    return "-- works with programs of migration " + number + "\nCREATE TABLE public.b (n integer);";
  };
  BOOST_TEST(make_migration("0012_x.sql", line("11")).oldest_program == 11U);
  BOOST_TEST(make_migration("0012_x.sql", line("0009")).oldest_program == 9U);
  // By default nobody who does not know it.
  BOOST_TEST(make_migration("0012_x.sql", "CREATE TABLE public.b (n integer);").oldest_program
             == 12U);
  BOOST_TEST(make_migration("0012_x.sql", "--\n" + line("11")).oldest_program == 12U);
}

BOOST_AUTO_TEST_CASE(of_a_newer_program_is_left_alone_by_one_that_it_works_with) {
  auto newer = history("-- works with programs of migration 1\nCREATE TABLE public.b (n integer);");
  BOOST_REQUIRE(migrate(conninfo, newer));
  const auto older = migrate(conninfo, {newer[0]});
  BOOST_REQUIRE_MESSAGE(older, (older ? "" : older.error().detail));
  BOOST_TEST(older->version == 2U);
  BOOST_TEST(older->newly_applied.empty());
  // The same after one more that works with those who know the second, and not the first alone.
  newer.push_back(make_migration("0003_third.sql",
                                 "-- works with programs of migration 2\nDROP TABLE public.a;"));
  BOOST_REQUIRE(migrate(conninfo, newer));
  BOOST_TEST(migrate(conninfo, {newer[0], newer[1]})->version == 3U);
  const auto oldest = migrate(conninfo, {newer[0]});
  BOOST_REQUIRE(!oldest);
  BOOST_TEST((oldest.error().code == core::errc::wrong_state));
  BOOST_TEST(contains(oldest.error().detail, "migration 3 (third)"));
  BOOST_TEST(contains(oldest.error().detail, "migration 2 or a later one"));
  BOOST_TEST(contains(oldest.error().detail, "knows 1"));
}

// As it was before migrations said whom they work with.
BOOST_AUTO_TEST_CASE(without_a_word_about_programs_is_completed) {
  sql("CREATE SCHEMA holdfast; CREATE TABLE holdfast.migrations (version integer PRIMARY KEY,"
      " name text NOT NULL, sha256 text NOT NULL,"
      " applied_at timestamptz NOT NULL DEFAULT clock_timestamp());"
      "INSERT INTO holdfast.migrations (version, name, sha256) VALUES (1, 'first', '"
      + history()[0].sha256 + "'), (2, 'second', '" + history()[1].sha256 + "')");
  BOOST_TEST(!migrate(conninfo, {history()[0]}));
  BOOST_TEST(migrate(conninfo, history())->newly_applied.empty());
}

BOOST_AUTO_TEST_CASE(stops_before_a_migration_that_fails) {
  const auto failed = migrate(
      conninfo, history("CREATE TABLE public.b (n integer); SELECT 1 / 0; -- both or none"));
  BOOST_REQUIRE(!failed);
  BOOST_TEST((failed.error().code == core::errc::refused_by_store));
  BOOST_TEST(contains(failed.error().detail, "migration 2 (second)"));
  BOOST_TEST(contains(failed.error().detail, "division by zero"));
  BOOST_TEST(
      sql("SELECT to_regclass('a') IS NOT NULL AND to_regclass('b') IS NULL")[0][0].as<bool>());
  BOOST_TEST(migrate(conninfo, history())->newly_applied.size() == 1U);
}

BOOST_AUTO_TEST_CASE(is_applied_by_one_of_many_nodes) {
  std::vector<std::future<core::outcome<persistence::migration_report>>> nodes;
  nodes.reserve(4);
  for (int i = 0; i < 4; ++i)
    nodes.push_back(std::async(std::launch::async, [this] {
      return migrate(conninfo, persistence::embedded_migrations());
    }));
  std::size_t applied = 0;
  for (auto& node : nodes) {
    const auto report = node.get();
    BOOST_REQUIRE_MESSAGE(report, (report ? "" : report.error().detail));
    applied += report->newly_applied.size();
  }
  BOOST_TEST(applied == persistence::embedded_migrations().size());
}

BOOST_AUTO_TEST_CASE(as_a_script_gives_the_same_schema) {
  const auto& embedded = persistence::embedded_migrations();
  sql(persistence::migration_script(embedded));
  const auto report = migrate(conninfo, embedded);
  BOOST_REQUIRE_MESSAGE(report, (report ? "" : report.error().detail));
  BOOST_TEST(report->newly_applied.empty());
}

// When a table looks empty to the planner, every index that has the column looks as good as the
// key.
BOOST_AUTO_TEST_CASE(lets_rows_of_tasks_be_found_through_their_keys_alone) {
  BOOST_REQUIRE(migrate(conninfo, persistence::embedded_migrations()));
  const auto others = sql(R"sql(
    SELECT i.indexrelid::regclass::text
      FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid
     WHERE i.indrelid IN ('holdfast.tasks'::regclass, 'holdfast.task_leases'::regclass,
                          'holdfast.finished_tasks'::regclass)
       AND a.attname = 'task_id' AND a.attnum = ANY (i.indkey::int2[]) AND NOT i.indisprimary
       AND i.indpred IS NULL)sql");
  for (const auto& row : others)
    BOOST_ERROR(row[0].c_str());
}

// The same of source keys, whose units are asked for by their step as well: a node that had planned
// that while the table was empty took a minute to add 30,000 units to a step, as long as nobody
// analysed the table.
BOOST_AUTO_TEST_CASE(lets_units_be_found_through_their_source_keys_alone) { // A3
  BOOST_REQUIRE(migrate(conninfo, persistence::embedded_migrations()));
  const auto look_up = persistence::reads::find_source_keys({}, {}).front().what->sql;
  const auto indexes = [&] {
    pqxx::connection database{conninfo};
    pqxx::nontransaction tx{database};
    tx.exec(persistence::planner_settings);
    tx.exec(std::string{"PREPARE look_up AS "} + look_up);
    std::string scans;
    for (const auto& line : tx.exec("EXPLAIN EXECUTE look_up (NULL, NULL)"))
      if (contains(line[0].c_str(), "Scan using"))
        scans += line[0].c_str();
    return scans;
  };
  const auto only_by_key = [&] {
    const auto scans = indexes();
    return contains(scans, "units_by_source_key") && !contains(scans, "units_by_ordinal");
  };
  const auto add = [&](int first, int last) {
    sql("INSERT INTO holdfast.units (unit_id, step_id, root_id, ordinal, created_at, slots, "
        "source_key, input) SELECT id, '00000000-0000-7000-8000-000000000001', id, i, now(), 3, "
        "'key-' || i, '{}' FROM (SELECT holdfast.new_id() AS id, i FROM generate_series("
        + std::to_string(first) + ", " + std::to_string(last) + ") i) s");
  };
  BOOST_TEST(only_by_key());
  add(1, 50);
  BOOST_TEST(only_by_key());
  sql("DELETE FROM holdfast.units");
  sql("VACUUM ANALYZE holdfast.units");
  BOOST_TEST(only_by_key());
  add(1, 300);
  BOOST_TEST(only_by_key());
  add(301, 2000);
  BOOST_TEST(only_by_key());
}

BOOST_AUTO_TEST_CASE(lets_late_results_be_found_through_their_task) {
  BOOST_REQUIRE(migrate(conninfo, persistence::embedded_migrations()));
  sql("INSERT INTO holdfast.late_results (task_id, token, received_at, worker, outcome, detail) "
      "SELECT holdfast.new_id(), 1, now(), 'w', 'completed', '' FROM generate_series(1, 5000)");
  sql("ANALYZE holdfast.late_results");
  std::string look_up;
  for (const auto& call : persistence::reads::list_attempts({}, 0, 1))
    if (contains(call.what->sql, "holdfast.late_results"))
      look_up = call.what->sql;
  BOOST_REQUIRE(!look_up.empty());
  pqxx::connection database{conninfo};
  pqxx::nontransaction tx{database};
  tx.exec("PREPARE look_up AS " + look_up);
  std::string plan;
  for (const auto& line : tx.exec("EXPLAIN EXECUTE look_up ("
                                  "'00000000-0000-7000-8000-000000000001', 0, 100, 10, 100)"))
    plan += std::string{line[0].c_str()} + '\n';
  BOOST_TEST(contains(plan, "late_results_by_task"), plan);
  BOOST_TEST(!contains(plan, "Seq Scan on late_results"), plan);
}

/// The text of docs/OPERATIONS.md under `heading`: the lines that are indented, as one text.
std::string indented_below(const std::string& heading) {
  std::ifstream in{source_dir() + "/docs/OPERATIONS.md"};
  std::string text;
  bool below = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind('#', 0) == 0)
      below = line == heading;
    else if (below && line.rfind("    ", 0) == 0)
      text += line.substr(4) + '\n';
  }
  BOOST_REQUIRE_MESSAGE(!text.empty(), heading);
  return text;
}

/// The two roles of docs/OPERATIONS.md, in `migrated` in place of `holdfast`.
struct two_roles : empty_database {
  two_roles() {
    forget();
    auto script = indented_below("### Two roles");
    for (auto at = script.find("DATABASE holdfast"); at != std::string::npos;
         at = script.find("DATABASE holdfast", at))
      script.replace(at, 17, "DATABASE migrated");
    sql(script);
  }
  ~two_roles() {
    drop();
    forget();
  }
  static void forget() {
    run(test_cluster::instance().conninfo(),
        "DROP ROLE IF EXISTS holdfast_owner; DROP ROLE IF EXISTS holdfast_app");
  }
  std::string as(const std::string& role) const {
    return conninfo + " options='-c role=" + role + "'";
  }
};

std::string failure_of(const core::outcome<persistence::migration_report>& outcome) {
  return outcome ? std::string{} : outcome.error().detail;
}

BOOST_FIXTURE_TEST_CASE(needs_rights_only_where_something_is_to_be_done, two_roles) { // finding Q11
  const auto embedded = persistence::embedded_migrations();
  const std::vector<migration> some(embedded.begin(), embedded.begin() + 5);
  const auto too_early = migrate(as("holdfast_app"), some);
  BOOST_REQUIRE(!too_early);
  BOOST_TEST((too_early.error().code == core::errc::refused_by_store));
  BOOST_TEST(contains(too_early.error().detail, "permission denied"), too_early.error().detail);
  BOOST_TEST(contains(too_early.error().detail, "`holdfast migrate`"), too_early.error().detail);

  BOOST_TEST(failure_of(migrate(as("holdfast_owner"), some)) == "");
  BOOST_TEST(failure_of(migrate(as("holdfast_app"), some)) == "");
  const auto behind = migrate(as("holdfast_app"), embedded);
  BOOST_REQUIRE(!behind);
  BOOST_TEST(contains(behind.error().detail, "migration 6"), behind.error().detail);
  BOOST_TEST(contains(behind.error().detail, "`holdfast migrate`"), behind.error().detail);

  BOOST_TEST(failure_of(migrate(as("holdfast_owner"), embedded)) == "");
  const auto complete = migrate(as("holdfast_app"), embedded);
  BOOST_REQUIRE_MESSAGE(complete, failure_of(complete));
  BOOST_TEST(complete->version == embedded.size());
  // Also not the right of the owner to make more, once it is complete.
  sql("REVOKE CREATE ON DATABASE migrated FROM holdfast_owner");
  BOOST_TEST(failure_of(migrate(as("holdfast_owner"), embedded)) == "");
}

BOOST_FIXTURE_TEST_CASE(lets_a_node_work_with_the_rights_of_a_user, two_roles) { // finding Q11
  BOOST_TEST(failure_of(migrate(as("holdfast_owner"), persistence::embedded_migrations())) == "");
  sql("REVOKE TEMP ON DATABASE migrated FROM PUBLIC");
  // Nothing that is there is beyond the reach of the node, in this migration or a later one.
  const auto out_of_reach = sql(R"sql(
    SELECT 'table ' || c.oid::regclass FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN ('holdfast', 'report') AND c.relkind IN ('r', 'v', 'p', 'm')
       AND NOT has_table_privilege('holdfast_app', c.oid, 'SELECT')
    UNION ALL
    SELECT 'writing to ' || c.oid::regclass
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'holdfast' AND c.relkind IN ('r', 'p')
       AND NOT (has_table_privilege('holdfast_app', c.oid, 'INSERT')
                AND has_table_privilege('holdfast_app', c.oid, 'UPDATE')
                AND has_table_privilege('holdfast_app', c.oid, 'DELETE'))
    UNION ALL
    SELECT 'sequence ' || c.oid::regclass
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'holdfast'
       AND CASE WHEN c.relkind = 'S'
                THEN NOT has_sequence_privilege('holdfast_app', c.oid, 'USAGE') END
    UNION ALL
    SELECT 'function ' || p.oid::regprocedure
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = 'holdfast'
       AND NOT has_function_privilege('holdfast_app', p.oid, 'EXECUTE'))sql");
  for (const auto& row : out_of_reach)
    BOOST_ERROR(row[0].c_str());

  persistence::postgres_store store{{as("holdfast_app"), "holdfast test"}};
  const auto works = [](const auto& outcome) {
    BOOST_REQUIRE_MESSAGE(outcome, (outcome ? "" : outcome.error().detail));
  };
  const core::incarnation_id me{*core::parse_uuid("018f2c5e-7c1a-7000-8000-0123456789ab")};
  works(store.ensure_shards(4));
  works(store.publish_limits({1000, 10}));
  works(store.register_node("one", me, "127.0.0.1:1"));
  works(store.take_over("one", me, {0, 1, 2, 3}, std::chrono::seconds{5}, {}));
  works(store.renew(me, std::chrono::seconds{5}));
  works(store.list_queues());
  works(store.list_webhooks());
  const auto results = persistence::verify(as("holdfast_app"));
  works(results);
  for (const auto& result : *results)
    BOOST_TEST(result.violations == 0U, result.what.name);
  works(store.resign(me));
}

BOOST_AUTO_TEST_CASE(needs_a_database) {
  BOOST_TEST((migrate("host=/nonexistent", history()).error().code == core::errc::unavailable));
  BOOST_TEST((migrate("postgres://[", history()).error().code == core::errc::invalid_argument));
}

BOOST_AUTO_TEST_SUITE_END()

// The views spell the names of states and endings; core spells them too.
BOOST_AUTO_TEST_CASE(report_views_use_the_names_of_core) {
  auto& cluster = test_cluster::instance();
  const auto definition_has = [&](const std::string& view, std::string_view name) {
    const auto text =
        cluster.sql("SELECT pg_get_viewdef('" + view + "'::regclass)")[0][0].as<std::string>();
    return contains(text, '\'' + std::string{name} + '\'');
  };
  for (const auto state :
       {core::unit_state::judgable, core::unit_state::paused, core::unit_state::finalized,
        core::unit_state::canceled, core::unit_state::gathered})
    BOOST_TEST(definition_has("report.units", to_string(state)), to_string(state));
  for (const auto status : {core::step_status::open, core::step_status::paused,
                            core::step_status::completed, core::step_status::canceled})
    BOOST_TEST(definition_has("report.job_steps", to_string(status)), to_string(status));
  for (const auto how :
       {core::lease_end::expired, core::lease_end::released, core::lease_end::declined,
        core::lease_end::ejected, core::lease_end::canceled})
    BOOST_TEST(definition_has("report.assignments", to_string(how)), to_string(how));
  for (const auto standing :
       {core::contributor_standing::working, core::contributor_standing::removed})
    BOOST_TEST(definition_has("report.contributors", to_string(standing)), to_string(standing));
  for (const auto reason :
       {core::standing_reason::quiz_failed, core::standing_reason::test_questions,
        core::standing_reason::requester, core::standing_reason::forgiven})
    BOOST_TEST(definition_has("report.contributors", to_string(reason)), to_string(reason));
  for (const auto ending : {core::task_ending::completed, core::task_ending::failed,
                            core::task_ending::canceled, core::task_ending::dead})
    BOOST_TEST(definition_has("report.task_attempts", to_string(ending)), to_string(ending));
  for (const auto how :
       {core::attempt_ending::released, core::attempt_ending::failed,
        core::attempt_ending::rate_limited, core::attempt_ending::expired,
        core::attempt_ending::lost, core::attempt_ending::ejected, core::attempt_ending::canceled})
    BOOST_TEST(definition_has("report.task_attempts", to_string(how)), to_string(how));
}

} // namespace

} // namespace holdfast::test
