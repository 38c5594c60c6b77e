// What a node says about a database server that does not keep what Holdfast promises.

#include "persistence/server_settings.hpp"

#include "tests/persistence/test_cluster.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>

namespace holdfast::test {

namespace {

using persistence::problems_in;
using persistence::read_server_settings;
using persistence::server_settings;

/// The names and values of what is wrong.
std::string wrong_in(const server_settings& settings) {
  std::ostringstream out;
  for (const auto& problem : problems_in(settings))
    out << problem.name << '=' << problem.value << ' ';
  return out.str();
}

BOOST_AUTO_TEST_SUITE(settings_of_the_server)

BOOST_AUTO_TEST_CASE(of_a_private_one_are_as_they_should_be) { // I-12, F17
  const auto settings = read_server_settings(test_cluster::instance().conninfo());
  BOOST_REQUIRE(settings);
  BOOST_TEST(settings->at("autovacuum_naptime") == "2");
  BOOST_TEST(wrong_in(*settings) == "");
}

BOOST_AUTO_TEST_CASE(are_those_of_the_sessions_that_a_node_opens) { // I-12
  const auto settings = read_server_settings(test_cluster::instance().conninfo()
                                             + " options='-c synchronous_commit=off'");
  BOOST_REQUIRE(settings);
  BOOST_TEST(wrong_in(*settings) == "synchronous_commit=off ");
}

BOOST_AUTO_TEST_CASE(that_lose_what_was_acknowledged_are_told) { // I-12, F17
  BOOST_TEST(wrong_in({{"fsync", "off"}, {"full_page_writes", "off"}})
             == "fsync=off full_page_writes=off ");
  BOOST_TEST(wrong_in({{"synchronous_commit", "local"}, {"synchronous_standby_names", "db2"}})
             == "synchronous_commit=local ");
  BOOST_TEST(wrong_in({{"synchronous_commit", "local"}, {"synchronous_standby_names", ""}}) == "");
  BOOST_TEST(wrong_in({{"synchronous_commit", "remote_apply"}}) == "");
}

BOOST_AUTO_TEST_CASE(that_let_tables_grow_are_told) {
  BOOST_TEST(wrong_in({{"autovacuum", "off"}, {"track_counts", "off"}})
             == "autovacuum=off track_counts=off ");
  BOOST_TEST(wrong_in({{"autovacuum_naptime", "60"}}) == "autovacuum_naptime=60 ");
  BOOST_TEST(wrong_in({{"autovacuum_naptime", "10"}}) == "");
}

BOOST_AUTO_TEST_CASE(that_cannot_be_read_are_no_verdict) {
  const auto settings = read_server_settings("host=/nowhere port=1");
  BOOST_REQUIRE(!settings);
  BOOST_TEST((settings.error().code == core::errc::unavailable));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
