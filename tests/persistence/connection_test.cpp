// The connection under the store: settings, classification of errors, the pipeline, the formats.

#include "persistence/connection.hpp"

#include "tests/persistence/test_cluster.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using persistence::classify;
using persistence::connection;
using persistence::failure_kind;
using persistence::statement;
namespace wire = persistence::wire;

connection connected() {
  auto opened = connection::open(test_cluster::instance().conninfo(), "holdfast test",
                                 "SET statement_timeout = '5s'", 10s);
  BOOST_REQUIRE_MESSAGE(opened, (opened ? "" : opened.error().detail));
  return std::move(*opened);
}

BOOST_AUTO_TEST_SUITE(connection_to_postgres)

BOOST_AUTO_TEST_CASE(carries_the_settings_that_notice_a_dead_server) { // finding 6
  for (const auto* conninfo :
       {"postgresql://u:p%40ss@h1:5433,h2/db?sslmode=require&connect_timeout=99&application_name=x",
        "host='it\\'s' port=5432 tcp_user_timeout=0 keepalives=0", ""}) {
    const auto hardened = persistence::hardened_conninfo(conninfo, "it's \\ holdfast");
    BOOST_REQUIRE(hardened);
    for (const auto* setting :
         {"keepalives=1", "keepalives_idle=1", "keepalives_interval=1", "keepalives_count=3",
          "tcp_user_timeout=4000", "connect_timeout=5", "client_encoding=UTF8",
          "application_name='it\\'s \\\\ holdfast'"}) {
      BOOST_TEST(hardened->find(setting) != std::string::npos, setting);
    }
    BOOST_TEST(hardened->find("99") == std::string::npos);
    BOOST_TEST(hardened->find("tcp_user_timeout='0'") == std::string::npos);
  }
  const auto url = persistence::hardened_conninfo("postgresql://u:p%40ss@h1:5433,h2/db", "x");
  BOOST_TEST(url->find("password='p@ss'") != std::string::npos);
  BOOST_TEST(url->find("host='h1,h2'") != std::string::npos);
  BOOST_TEST((persistence::hardened_conninfo("nonsense=1", "x").error().code
              == core::errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(tells_refusals_from_passing_troubles_and_losses) {
  const auto all_are = [](failure_kind kind, std::initializer_list<const char*> states) {
    for (const auto* state : states)
      BOOST_TEST((classify(state) == kind), state);
  };
  all_are(failure_kind::refused, {"23505", "23514", "22012", "22021", "22P02", "42601", "54000",
                                  "XX001", "XX002"}); // damaged data stays damaged
  all_are(failure_kind::transient, {"40001", "40P01", "53100", "55P03", "57014", "58030", "XX000"});
  all_are(failure_kind::lost, {"", "57P01", "57P02", "57P03", "08006", "25P03", "25006", "26000"});
}

BOOST_AUTO_TEST_CASE(runs_many_statements_in_one_round_trip) {
  static constexpr statement doubled{"doubled", "SELECT 2 * $1::bigint"};
  static constexpr statement words{"words", "SELECT * FROM unnest($1::text[])"};
  auto database = connected();
  wire::array_of<std::string_view> array;
  array.add("a");
  array.add_null();
  array.add("");
  const auto answer = database.run({{&doubled, {wire::scalar<std::int64_t>(21)}},
                                    {&words, {array.take()}},
                                    {&doubled, {wire::scalar<std::int64_t>(-1)}}});
  BOOST_REQUIRE(!answer.failed);
  BOOST_REQUIRE_EQUAL(answer.results.size(), 3U);
  BOOST_TEST(answer.results[0].get<std::int64_t>(0, 0) == 42);
  BOOST_TEST(answer.results[1].rows() == 3U);
  BOOST_TEST(answer.results[1].get<std::string>(0, 0) == "a");
  BOOST_TEST(answer.results[1].is_null(1, 0));
  BOOST_TEST(answer.results[1].get<std::string>(2, 0).empty());
  BOOST_TEST(answer.results[2].get<std::int64_t>(0, 0) == -2);
}

BOOST_AUTO_TEST_CASE(is_usable_after_a_failed_statement) {
  static constexpr statement begin{"t_begin", "BEGIN"};
  static constexpr statement commit{"t_commit", "COMMIT"};
  static constexpr statement broken{"t_broken", "SELECT 1 / $1::integer"};
  static constexpr statement after{"t_after", "SELECT 7::integer"};
  static constexpr statement unparsable{"t_unparsable", "SELEKT"};
  auto database = connected();
  for (int round = 0; round < 2; ++round) {
    const auto failed = database.run(
        {{&begin, {}}, {&broken, {wire::scalar<std::int32_t>(0)}}, {&after, {}}, {&commit, {}}});
    BOOST_TEST(failed.failed);
    BOOST_TEST((failed.failure.kind == failure_kind::refused));
    BOOST_TEST(failed.failure.at == 1U);
    BOOST_TEST(failed.failure.sqlstate == "22012");
    // `after` was skipped, so it was not prepared either; now it is.
    const auto fine = database.run({{&after, {}}});
    BOOST_REQUIRE(!fine.failed);
    BOOST_TEST(fine.results[0].get<std::int32_t>(0, 0) == 7);
    const auto wrong = database.run({{&after, {}}, {&unparsable, {}}});
    BOOST_TEST(wrong.failure.at == 1U);
    BOOST_TEST(wrong.failure.sqlstate == "42601");
  }
}

// finding B4: the details of the server's errors are the rows that it has refused
BOOST_AUTO_TEST_CASE(tells_nothing_of_the_row_that_was_refused) {
  static constexpr statement table{"t_table", "CREATE TEMPORARY TABLE kept (secret text PRIMARY KEY"
                                              " CHECK (length(secret) < 9))"};
  static constexpr statement put{"t_put", "INSERT INTO kept VALUES ($1::text)"};
  auto database = connected();
  BOOST_REQUIRE(!database.run({{&table, {}}}).failed);
  BOOST_REQUIRE(!database.run({{&put, {"hidden"}}}).failed);
  for (const std::string secret : {"hidden", "hidden and too long"}) {
    const auto refused = database.run({{&put, {secret}}});
    BOOST_REQUIRE(refused.failed);
    BOOST_TEST(refused.failure.text().find("hidden") == std::string::npos, refused.failure.text());
  }
}

BOOST_AUTO_TEST_CASE(once_lost_stays_lost) {
  static constexpr statement suicide{"t_suicide", "SELECT pg_terminate_backend(pg_backend_pid())"};
  static constexpr statement after{"t_alive", "SELECT 1"};
  auto database = connected();
  const auto failed = database.run({{&suicide, {}}, {&after, {}}});
  BOOST_TEST(failed.failed);
  BOOST_TEST((failed.failure.kind == failure_kind::lost));
  BOOST_TEST(failed.failure.sqlstate == "57P01");
  BOOST_TEST(database.lost());
  const auto again = database.run({{&after, {}}});
  BOOST_TEST(again.failed);
  BOOST_TEST(!again.failure.sent);
}

BOOST_AUTO_TEST_CASE(writes_more_than_the_buffers_hold_in_both_directions) {
  static constexpr statement echo{"t_echo", "SELECT $1::text"};
  auto database = connected();
  const std::string big(4'000'000, 'x');
  const auto answer = database.run({{&echo, {big}}, {&echo, {big}}, {&echo, {big}}});
  BOOST_REQUIRE(!answer.failed);
  for (const auto& result : answer.results)
    BOOST_TEST(result.get<std::string_view>(0, 0).size() == big.size());
}

BOOST_AUTO_TEST_CASE(speaks_the_binary_format_of_every_type) {
  static constexpr statement echo{
      "t_types",
      "SELECT $1::uuid, $2::text, $3::bigint, $4::integer, $5::smallint, $6::double precision, "
      "$7::boolean, $8::timestamptz, $1::uuid::text, $8::timestamptz = '2024-02-29 "
      "12:34:56.789012Z'"};
  auto database = connected();
  const auto id = *core::parse_uuid("018f2c5e-7c1a-7000-8000-0123456789ab");
  const auto when = core::from_micros(1'709'210'096'789'012);
  const auto answer = database.run(
      {{&echo,
        {wire::scalar(id), "tëxt", wire::scalar(std::numeric_limits<std::int64_t>::min()),
         wire::scalar(std::numeric_limits<std::int32_t>::max()), wire::scalar<std::int16_t>(-2),
         wire::scalar(-0.1), wire::scalar(true), wire::scalar(when)}}});
  BOOST_REQUIRE_MESSAGE(!answer.failed, answer.failure.text());
  const auto& row = answer.results[0];
  BOOST_TEST((row.get<core::uuid>(0, 0) == id));
  BOOST_TEST(row.get<std::string>(0, 1) == "tëxt");
  BOOST_TEST(row.get<std::int64_t>(0, 2) == std::numeric_limits<std::int64_t>::min());
  BOOST_TEST(row.get<std::int32_t>(0, 3) == std::numeric_limits<std::int32_t>::max());
  BOOST_TEST(row.get<std::int16_t>(0, 4) == -2);
  BOOST_TEST(row.get<double>(0, 5) == -0.1);
  BOOST_TEST(row.get<bool>(0, 6));
  BOOST_TEST((row.get<core::instant>(0, 7) == when));
  BOOST_TEST(row.get<std::string>(0, 8) == core::to_string(id));
  BOOST_TEST(row.get<bool>(0, 9));
}

BOOST_AUTO_TEST_CASE(keeps_the_ends_of_time_apart) {
  static constexpr statement echo{"t_time", "SELECT $1::timestamptz"};
  static constexpr statement infinity{"t_infinity", "SELECT 'infinity'::timestamptz"};
  auto database = connected();
  for (const auto when : {core::instant{}, core::from_micros(-1), core::instant::max()}) {
    const auto answer = database.run({{&echo, {wire::scalar(when)}}});
    BOOST_REQUIRE_MESSAGE(!answer.failed, answer.failure.text());
    BOOST_TEST((answer.results[0].get<core::instant>(0, 0) == when));
  }
  BOOST_TEST(database.run({{&echo, {wire::scalar(core::instant::min())}}}).failure.sqlstate
             == "22008");
  BOOST_TEST((database.run({{&infinity, {}}}).results[0].get<core::instant>(0, 0)
              == core::instant::max()));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
