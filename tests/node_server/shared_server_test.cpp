// Nodes on a database server of others: what they refuse to start on, and under which names.

#include "app/data_dir.hpp"
#include "app/demo/node_process.hpp"
#include "app/demo/scratch_directory.hpp"
#include "app/exit_codes.hpp"
#include "persistence/private_cluster.hpp"
#include "tests/end_to_end/holdfast_with.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <pqxx/pqxx>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using app::demo::node_process;
namespace fs = std::filesystem;

/// A server that no node keeps.
struct shared_server {
  shared_server() {
    auto scratch = app::demo::scratch_directory::make();
    BOOST_REQUIRE(scratch);
    directory.emplace(std::move(*scratch));
    persistence::private_cluster_options options;
    options.directory = (directory->path() / "postgres").string();
    server.emplace(options);
    const auto started = server->start();
    BOOST_REQUIRE_MESSAGE(started, (started ? std::string{} : started.error().detail));
  }

  pqxx::result sql(const std::string& text) {
    pqxx::connection database{server->conninfo()};
    pqxx::nontransaction tx{database};
    return tx.exec(text);
  }
  std::unique_ptr<node_process> node(const std::string& place,
                                     std::vector<std::string> arguments = {},
                                     const std::string& more_conninfo = {}) {
    fs::create_directory(directory->path() / place);
    std::vector<std::string> words{"--database-url", server->conninfo() + more_conninfo};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return std::make_unique<node_process>(HOLDFAST_BINARY, directory->path() / place, words);
  }
  static void starts(node_process& one) {
    const auto started = one.start(60s);
    BOOST_REQUIRE_MESSAGE(started, one.log_tail());
  }
  static void refuses(node_process& one, app::exit_code code, const std::string& because) {
    BOOST_TEST(!one.start(60s));
    BOOST_TEST(one.ended_within(10s).value_or(-1) == static_cast<int>(code), one.log_tail());
    BOOST_TEST(contains(one.log_tail(), because), one.log_tail());
  }

  std::optional<app::demo::scratch_directory> directory;
  std::optional<persistence::private_cluster> server;
};

BOOST_FIXTURE_TEST_SUITE(nodes_on_a_shared_server, shared_server)

BOOST_AUTO_TEST_CASE(the_second_of_two_nodes_of_one_name_refuses) { // finding E3
  const std::vector<std::string> same_name{"--set", "node.name=one"};
  const auto first = node("first", same_name);
  starts(*first);
  const auto second = node("second", same_name);
  for (int i = 0; i < 2; ++i)
    refuses(*second, app::exit_code::fenced, "a node of this name runs");
  BOOST_TEST(!first->ended());

  // It takes the name when its holder is gone: after a stop at once, after a death with the lease.
  BOOST_TEST(first->stop(30s).value_or(-1) == 0);
  starts(*second);
  second->kill();
  starts(*first);
  BOOST_TEST(!first->ended());
}

BOOST_AUTO_TEST_CASE(nodes_without_a_name_get_different_ones_and_keep_them) { // finding E3
  const auto first = node("first");
  const auto second = node("second");
  starts(*first);
  starts(*second);
  const std::string names = "SELECT string_agg(DISTINCT name, ' ' ORDER BY name),"
                            " count(DISTINCT name) FROM holdfast.nodes";
  const auto before = sql(names);
  BOOST_TEST(before[0][1].as<int>() == 2);
  first->kill();
  starts(*first);
  const auto after = sql(names);
  BOOST_TEST(after[0][0].as<std::string>() == before[0][0].as<std::string>());
}

BOOST_AUTO_TEST_CASE(a_database_of_another_encoding_is_refused) { // finding Q6
  sql("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
  refuses(*node("one", {}, " dbname=latin"), app::exit_code::database,
          "has the encoding LATIN1, and Holdfast needs UTF8");
}

BOOST_AUTO_TEST_CASE(too_few_connections_are_refused) { // finding Q13
  const auto one = node("one", {"--set", "reader.lanes=30"});
  refuses(*one, app::exit_code::database,
          "opens up to 65 connections to the database, and the server allows 40");
}

BOOST_AUTO_TEST_CASE(a_password_that_is_changed_is_read_for_each_connection) { // finding Q10
  sql("CREATE ROLE app LOGIN SUPERUSER PASSWORD 'one'");
  const auto postgres = directory->path() / "postgres";
  {
    std::ofstream{postgres / "pg_hba.conf"} << "local all app scram-sha-256\n"
                                               "local all all peer map=holdfast\n";
  }
  sql("SELECT pg_reload_conf()");
  const auto secret = (directory->path() / "secret").string();
  std::ofstream{secret} << "one\n";
  const auto one = node("one", {"--set", "database.password_file=" + secret}, " user=app");
  starts(*one);
  const auto put_queue = [&](const std::string& name) {
    std::ofstream{directory->path() / "policy.json"} << "{}";
    return holdfast_with({"queues", "put", name, "--file",
                          (directory->path() / "policy.json").string(), "--data-dir",
                          (directory->path() / "one").string(), "--timeout", "30"});
  };
  BOOST_TEST(put_queue("first").code == 0);
  sql("ALTER ROLE app PASSWORD 'two'");
  std::ofstream{secret} << "two\n";
  sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
  const auto put = put_queue("second");
  BOOST_TEST(put.code == 0, put.err);
  // Tools find the new one in the file of the node.
  const auto file = app::read_node_file(directory->path() / "one");
  BOOST_REQUIRE(file);
  BOOST_TEST(contains(file->database, "password='two'"));
}

BOOST_AUTO_TEST_CASE(a_schema_is_brought_up_to_date_without_a_node) { // finding Q11
  const auto first = holdfast_with({"migrate", "--database-url", server->conninfo()});
  BOOST_TEST(first.code == 0, first.err);
  const auto again = holdfast_with({"migrate", "--database-url", server->conninfo()});
  BOOST_TEST(again.code == 0, again.err);
  BOOST_TEST(contains(again.out, "0 applied now"));
  const auto script = holdfast_with({"migrate", "--script"});
  BOOST_TEST(script.code == 0);
  BOOST_TEST(contains(script.out, "CREATE TABLE IF NOT EXISTS holdfast.migrations"));
  BOOST_TEST(holdfast_with({"migrate"}).code == static_cast<int>(app::exit_code::configuration));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
