// The facts that a node finds out about a database before the node works on the database.

#include "persistence/preconditions.hpp"

#include "persistence/connection.hpp"
#include "tests/persistence/empty_database.hpp"
#include "tests/persistence/transaction_pooler.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <fstream>

namespace holdfast::test {

namespace {

using persistence::check_preconditions;
using persistence::database_facts;
using persistence::read_database_facts;

/// Of a server with nothing wrong.
database_facts sound_facts() {
  database_facts facts;
  facts.server_version = 150018;
  facts.server_version_text = "15.18";
  facts.database = "work";
  facts.role = "app";
  facts.connections_max = 100;
  facts.reserved = 3;
  return facts;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines)
    text += line + '\n';
  return text;
}

std::string refusals(const database_facts& facts, std::uint32_t connections = 11) {
  return joined(check_preconditions(facts, connections).refused);
}

std::string warnings(const database_facts& facts, std::uint32_t connections = 11) {
  return joined(check_preconditions(facts, connections).warned);
}

database_facts facts_of(const std::string& conninfo) {
  const auto facts = read_database_facts(conninfo);
  BOOST_REQUIRE_MESSAGE(facts, (facts ? "" : facts.error().detail));
  return *facts;
}

/// Where the server of this process listens.
std::string server_socket_directory() {
  const auto& conninfo = test_cluster::instance().conninfo();
  return conninfo.substr(6, conninfo.find('\'', 6) - 6);
}

/// A role without rights that we may log in as.
struct plain_login : empty_database {
  plain_login() {
    run(test_cluster::instance().conninfo(),
        "DROP ROLE IF EXISTS plain_login; CREATE ROLE plain_login LOGIN");
    std::ofstream{place() + "/pg_ident.conf", std::ios::app}
        << "holdfast \"" << persistence::own_user_name() << "\" plain_login\n";
    run(test_cluster::instance().conninfo(), "SELECT pg_reload_conf()");
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (!persistence::connection::open(where, "test", {}, std::chrono::seconds{5}))
      BOOST_REQUIRE((std::chrono::steady_clock::now() < until));
  }
  ~plain_login() {
    drop();
    run(test_cluster::instance().conninfo(), "DROP ROLE plain_login");
  }
  /// Waits until sessions that were closed are gone from the server.
  static void await_no_sessions() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (run(test_cluster::instance().conninfo(),
               "SELECT count(*) FROM pg_stat_activity WHERE usename = 'plain_login'")[0][0]
               .as<int>()
           != 0)
      BOOST_REQUIRE((std::chrono::steady_clock::now() < until));
  }
  static std::string place() {
    const auto directory = server_socket_directory();
    return directory.substr(0, directory.rfind('/'));
  }

  std::string where = "host=" + server_socket_directory() + " dbname=migrated user=plain_login";
};

BOOST_AUTO_TEST_SUITE(preconditions_of_a_database)

BOOST_AUTO_TEST_CASE(are_met_by_a_private_server) {
  const auto facts = facts_of(test_cluster::instance().conninfo());
  BOOST_TEST(facts.server_version >= 150000);
  BOOST_TEST(facts.encoding == "UTF8");
  BOOST_TEST(facts.connections_max == 40U);
  BOOST_TEST(facts.superuser);
  BOOST_TEST(!facts.sessions_shared);
  BOOST_TEST(refusals(facts) == "");
  BOOST_TEST(warnings(facts) == "");
}

BOOST_AUTO_TEST_CASE(include_a_server_that_is_new_enough) { // finding Q14
  auto facts = sound_facts();
  BOOST_TEST(refusals(facts) == "");
  facts.server_version = 130000;
  BOOST_TEST(refusals(facts) == "");
  facts.server_version = 129999;
  facts.server_version_text = "12.22";
  BOOST_TEST(contains(refusals(facts), "PostgreSQL 12.22, and Holdfast needs 13 or later"));
}

BOOST_AUTO_TEST_CASE(include_an_encoding_that_has_every_character) { // finding Q6
  auto facts = sound_facts();
  facts.encoding = "SQL_ASCII";
  BOOST_TEST(contains(refusals(facts), "\"work\" has the encoding SQL_ASCII"));
  BOOST_TEST(contains(refusals(facts), "ENCODING 'UTF8'"));

  const auto& server = test_cluster::instance().conninfo();
  for (const auto* encoding : {"LATIN1", "SQL_ASCII"}) {
    empty_database::drop();
    empty_database::run(server, std::string{"CREATE DATABASE migrated ENCODING '"} + encoding
                                    + "' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
    BOOST_TEST(contains(refusals(facts_of(server + " dbname=migrated")), encoding));
  }
  empty_database::drop();
}

BOOST_AUTO_TEST_CASE(include_that_the_server_takes_writes) {
  auto facts = sound_facts();
  facts.standby = true;
  BOOST_TEST(contains(refusals(facts), "target_session_attrs=read-write"));
}

BOOST_AUTO_TEST_CASE(include_sessions_that_are_ours_alone) { // finding Q5
  const auto& server = test_cluster::instance().conninfo();
  for (const auto how : {transaction_pooler::choice::last_used, transaction_pooler::choice::in_turn,
                         transaction_pooler::choice::single_statements}) {
    const scratch_directory scratch;
    const transaction_pooler pooler{scratch.path(), server_socket_directory(), "holdfast",
                                    "postgres", how};
    const auto facts = facts_of("host=" + scratch.path() + " dbname=postgres user=holdfast");
    BOOST_TEST(facts.sessions_shared);
    BOOST_TEST(contains(refusals(facts), "pooler in transaction mode"));
  }
  BOOST_TEST(!facts_of(server).sessions_shared);
}

BOOST_AUTO_TEST_CASE(include_room_for_the_connections_of_a_node) { // finding Q13
  auto facts = sound_facts();
  facts.connections_max = 14;
  BOOST_TEST(refusals(facts) == "");
  facts.connections_max = 13;
  BOOST_TEST(contains(refusals(facts), "opens up to 11 connections"));
  BOOST_TEST(contains(refusals(facts), "the server allows 10"));
  facts.superuser = true;
  facts.reserved = 0;
  BOOST_TEST(refusals(facts) == "");

  facts = sound_facts();
  facts.role_limit = 11;
  BOOST_TEST(refusals(facts) == "");
  BOOST_TEST(warnings(facts) == "");
  facts.in_use_by_role = 1;
  BOOST_TEST(refusals(facts) == "");
  BOOST_TEST(contains(warnings(facts), "of which 1 are in use by others"));
  facts.role_limit = 10;
  BOOST_TEST(contains(refusals(facts), "the role \"app\" allows 10"));
  BOOST_TEST(contains(refusals(facts), "ALTER ROLE"));
  facts.superuser = true;
  BOOST_TEST(refusals(facts) == "");

  facts = sound_facts();
  facts.database_limit = 0;
  BOOST_TEST(contains(refusals(facts), "the database \"work\" allows 0"));
  BOOST_TEST(contains(refusals(facts), "ALTER DATABASE"));
}

BOOST_FIXTURE_TEST_CASE(are_read_as_a_role_without_rights, plain_login) { // finding Q13
  await_no_sessions();
  auto facts = facts_of(where);
  BOOST_TEST(!facts.superuser);
  BOOST_TEST(facts.role == "plain_login");
  BOOST_TEST(facts.reserved == 3U);
  BOOST_TEST(facts.role_limit == -1);
  BOOST_TEST(facts.in_use_by_role == 0U);
  run(test_cluster::instance().conninfo(), "ALTER ROLE plain_login CONNECTION LIMIT 5");
  run(test_cluster::instance().conninfo(), "ALTER DATABASE migrated CONNECTION LIMIT 7");
  await_no_sessions();
  const auto held = persistence::connection::open(where, "test", {}, std::chrono::seconds{5});
  BOOST_REQUIRE(held);
  facts = facts_of(where);
  BOOST_TEST(facts.role_limit == 5);
  BOOST_TEST(facts.database_limit == 7);
  BOOST_TEST(facts.in_use_by_role == 1U);
  BOOST_TEST(facts.in_use_in_database == 1U);
  BOOST_TEST(facts.in_use >= 1U);
  BOOST_TEST(contains(refusals(facts), "the role \"plain_login\" allows 5"));
  BOOST_TEST(contains(refusals(facts), "the database \"migrated\" allows 7"));
}

BOOST_FIXTURE_TEST_CASE(are_read_over_one_connection_where_there_is_no_other, plain_login) { // Q13
  for (const auto* limit : {"1", "2"}) {
    await_no_sessions();
    run(test_cluster::instance().conninfo(),
        std::string{"ALTER ROLE plain_login CONNECTION LIMIT "} + limit);
    BOOST_TEST(contains(refusals(facts_of(where)),
                        std::string{"the role \"plain_login\" allows "} + limit));
  }
}

BOOST_AUTO_TEST_CASE(that_cannot_be_read_are_a_failure) {
  const auto facts = read_database_facts("host=/nowhere port=1");
  BOOST_REQUIRE(!facts);
  BOOST_TEST((facts.error().code == core::errc::unavailable));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
