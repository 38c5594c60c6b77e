// Settings of a role, a database or a server of others do not change how our sessions work.

#include "persistence/connection.hpp"
#include "persistence/migrate.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/pqxx_session.hpp"
#include "persistence/verify.hpp"
#include "tests/persistence/empty_database.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <future>
#include <map>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using persistence::connection;
using persistence::hardened_conninfo;
using persistence::pqxx_session;
using persistence::statement;

/// As `ALTER ROLE … SET` takes them, each with another value than ours.
const std::vector<std::pair<const char*, const char*>> hostile_settings{
    {"statement_timeout", "'2s'"},
    {"lock_timeout", "'1ms'"},
    {"idle_in_transaction_session_timeout", "'1ms'"},
    {"idle_session_timeout", "'2s'"},
    {"default_transaction_isolation", "serializable"},
    {"default_transaction_read_only", "on"},
    {"default_transaction_deferrable", "on"},
    {"search_path", "public, pg_catalog"},
    {"row_security", "on"},
    {"client_encoding", "LATIN1"},
    {"client_min_messages", "log"},
    {"standard_conforming_strings", "off"},
    {"array_nulls", "off"},
    {"transform_null_equals", "on"},
    {"TimeZone", "'Asia/Kathmandu'"},
    {"DateStyle", "'German, DMY'"},
    {"IntervalStyle", "iso_8601"},
    {"bytea_output", "escape"},
    {"extra_float_digits", "-15"},
    {"check_function_bodies", "off"},
    {"exit_on_error", "on"},
    {"enable_indexscan", "off"},
    {"enable_indexonlyscan", "off"},
    {"enable_nestloop", "off"},
    {"session_replication_role", "replica"},
};

using setting_values = std::map<std::string, std::string>;

constexpr statement all_settings{"t_settings", "SELECT name::text, setting::text FROM pg_settings"};

/// Of a session of the store, of one of libpqxx, and of one that nobody has taken care of.
setting_values of_connection(const std::string& conninfo) {
  auto opened = connection::open(conninfo, "test", {}, 10s);
  BOOST_REQUIRE_MESSAGE(opened, (opened ? "" : opened.error().detail));
  const auto answer = opened->run({{&all_settings, {}}});
  BOOST_REQUIRE_MESSAGE(!answer.failed, answer.failure.text());
  setting_values found;
  const auto& rows = answer.results.front();
  for (std::size_t i = 0; i < rows.rows(); ++i)
    found[rows.get<std::string>(i, 0)] = rows.get<std::string>(i, 1);
  return found;
}

setting_values values_in(pqxx::connection& database) {
  pqxx::nontransaction tx{database};
  setting_values found;
  for (const auto& row : tx.exec(all_settings.sql))
    found[row[0].c_str()] = row[1].c_str();
  return found;
}

setting_values of_pqxx_session(const std::string& conninfo) {
  pqxx_session session{*hardened_conninfo(conninfo, "test"), {}};
  return values_in(*session);
}

setting_values of_careless_session(const std::string& conninfo) {
  pqxx::connection database{conninfo};
  return values_in(database);
}

/// An empty database whose owner makes life hard for us in it.
struct hostile_database : empty_database {
  static std::string alter(const std::string& what) {
    return "ALTER ROLE holdfast IN DATABASE migrated " + what;
  }
  void set(const std::string& name, const std::string& value) const {
    run(test_cluster::instance().conninfo(), alter("SET " + name + " = " + value));
  }
  void set_all() const {
    for (const auto& [name, value] : hostile_settings)
      set(name, value);
  }
};

/// Waits until somebody has waited for an advisory lock for so long.
void await_waiting_for(std::chrono::milliseconds span) {
  const auto query = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'migrated'"
                     " AND wait_event_type = 'Lock' AND wait_event = 'advisory'"
                     " AND query_start < clock_timestamp() - interval '"
                     + std::to_string(span.count()) + " ms'";
  const auto until = std::chrono::steady_clock::now() + 30s;
  while (empty_database::run(test_cluster::instance().conninfo(), query)[0][0].as<int>() == 0)
    BOOST_REQUIRE((std::chrono::steady_clock::now() < until));
}

BOOST_FIXTURE_TEST_SUITE(sessions, hostile_database)

BOOST_AUTO_TEST_CASE(have_settings_of_their_own_whatever_their_role_sets) { // finding Q12
  const auto of_connection_before = of_connection(conninfo);
  const auto of_session_before = of_pqxx_session(conninfo);
  for (const auto& [name, value] : hostile_settings) {
    set(name, value);
    // It would hold, if nobody did anything about it.
    BOOST_TEST(of_careless_session(conninfo)[name] != of_connection_before.at(name), name);
    BOOST_TEST(of_connection(conninfo)[name] == of_connection_before.at(name), name);
    BOOST_TEST(of_pqxx_session(conninfo)[name] == of_session_before.at(name), name);
    run(test_cluster::instance().conninfo(), alter(std::string{"RESET "} + name));
  }
}

BOOST_AUTO_TEST_CASE(have_them_whatever_the_environment_and_the_url_set) { // finding Q12
  const auto before = of_connection(conninfo);
  setenv("PGOPTIONS", "-c statement_timeout=1s", 1);
  setenv("PGTZ", "Asia/Kathmandu", 1);
  setenv("PGDATESTYLE", "German", 1);
  setenv("PGCLIENTENCODING", "LATIN1", 1);
  const auto careless = of_careless_session(conninfo);
  const auto ours = of_connection(conninfo);
  const auto by_url = of_connection(conninfo + " options='-c search_path=public'");
  for (const auto* name : {"PGOPTIONS", "PGTZ", "PGDATESTYLE", "PGCLIENTENCODING"})
    unsetenv(name);
  for (const auto* name : {"statement_timeout", "TimeZone", "DateStyle", "client_encoding"}) {
    BOOST_TEST(careless.at(name) != before.at(name), name);
    BOOST_TEST(ours.at(name) == before.at(name), name);
  }
  BOOST_TEST(by_url.at("search_path") == before.at("search_path"));
}

BOOST_AUTO_TEST_CASE(leave_durability_to_the_operator) { // I-12
  set("synchronous_commit", "remote_write");
  BOOST_TEST(of_connection(conninfo)["synchronous_commit"] == "remote_write");
}

BOOST_AUTO_TEST_CASE(migrate_and_work_under_a_hostile_role) { // finding Q12
  set_all();
  const auto migrated = persistence::migrate(conninfo, persistence::embedded_migrations());
  BOOST_REQUIRE_MESSAGE(migrated, (migrated ? "" : migrated.error().detail));
  const auto check = [](const auto& outcome) {
    BOOST_REQUIRE_MESSAGE(outcome, (outcome ? "" : outcome.error().detail));
  };
  persistence::postgres_store store{{conninfo, "holdfast test"}};
  const core::incarnation_id me{*core::parse_uuid("018f2c5e-7c1a-7000-8000-0123456789ab")};
  check(store.ensure_shards(4));
  check(store.publish_limits({1000, 10}));
  check(store.register_node("one", me, "127.0.0.1:1"));
  const auto taken = store.take_over("one", me, {0, 1, 2, 3}, 5s, {});
  check(taken);
  BOOST_TEST(taken->size() == 4U);
  // Some of these would fail under another isolation.
  for (int i = 0; i < 10; ++i)
    check(store.renew(me, 5s));
  const auto results = persistence::verify(conninfo);
  check(results);
  for (const auto& result : *results)
    BOOST_TEST(result.violations == 0U, result.what.name);
}

BOOST_AUTO_TEST_CASE(wait_for_the_migration_of_another_node_under_a_hostile_role) { // finding Q12
  set("statement_timeout", "'100ms'");
  set("lock_timeout", "'100ms'");
  pqxx::connection other{test_cluster::instance().conninfo() + " dbname=migrated"
                         + " options='-c statement_timeout=0 -c lock_timeout=0'"};
  pqxx::nontransaction migrating{other};
  migrating.exec("SELECT pg_advisory_lock(" + std::to_string(0x686f6c6466617374) + ")");
  auto waiting = std::async(std::launch::async, [this] {
    return persistence::migrate(conninfo, persistence::embedded_migrations());
  });
  await_waiting_for(500ms);
  migrating.exec("SELECT pg_advisory_unlock_all()");
  const auto migrated = waiting.get();
  BOOST_REQUIRE_MESSAGE(migrated, (migrated ? "" : migrated.error().detail));
}

// Not every role may set that back, so a session that cannot is none.
BOOST_AUTO_TEST_CASE(are_refused_where_triggers_stay_switched_off) { // finding Q12
  run(test_cluster::instance().conninfo(),
      "DROP ROLE IF EXISTS plain_role; CREATE ROLE plain_role");
  const auto opened = connection::open(
      conninfo + " options='-c session_replication_role=replica -c role=plain_role'", "test", {},
      10s);
  run(test_cluster::instance().conninfo(), "DROP ROLE plain_role");
  BOOST_REQUIRE(!opened);
  BOOST_TEST(contains(opened.error().detail, "RESET session_replication_role"),
             opened.error().detail);
}

BOOST_AUTO_TEST_CASE(read_their_connection_string_at_each_connection) { // finding Q10
  std::string where = "host=/nonexistent";
  persistence::postgres_options options{
      persistence::conninfo_source{std::function<std::string()>{[&where] { return where; }}},
      "holdfast test"};
  options.reconnect_pause_min = options.reconnect_pause_max = 0s;
  persistence::postgres_store store{options};
  BOOST_TEST(!store.now());
  where = conninfo;
  const auto now = store.now();
  BOOST_TEST(bool{now}, (now ? "" : now.error().detail));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
