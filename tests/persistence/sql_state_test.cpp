// The meaning of each SQLSTATE for the sender of the statement: one table.

#include "persistence/connection.hpp"
#include "persistence/sql_state.hpp"
#include "tests/persistence/conformance.hpp"

#include <initializer_list>

namespace holdfast::test {

namespace {

using persistence::connection;
using persistence::remedy;
using persistence::remedy_for;
using persistence::statement;

void all_have(remedy wanted, std::initializer_list<const char*> states) {
  for (const auto* state : states)
    BOOST_TEST((remedy_for(state) == wanted), state);
}

BOOST_AUTO_TEST_SUITE(sql_state)

// finding Q3
BOOST_AUTO_TEST_CASE(an_error_that_only_another_session_can_heal_opens_one) {
  all_have(remedy::new_session,
           {"25006", "25001", "25P01", "25P02", "26000", "42P05", "34000", "42P03",
            "0A000", "53300", "3D000", "3F000", "42P01", "42703", "42704", "42883",
            "42P10", "42501", "28000", "28P01", "0P000", "0L000"});
}

BOOST_AUTO_TEST_CASE(an_error_that_passes_by_itself_is_tried_again_on_the_session) {
  all_have(remedy::retry, {"40000", "40001", "40002", "40P01", "53000", "53100", "53200", "53400",
                           "55P03", "55006", "57014", "57000", "58000", "58030", "XX000", "F0000"});
}

BOOST_AUTO_TEST_CASE(an_error_that_ends_the_session_counts_as_its_end) {
  all_have(remedy::ended, {"", "08000", "08003", "08006", "08P01", "57P01", "57P02", "57P03",
                           "57P04", "57P05", "25P03", "25P04", "40003"});
}

BOOST_AUTO_TEST_CASE(an_error_of_the_data_or_the_statement_is_refused) {
  all_have(remedy::refuse, {"22012", "22021", "22P02", "23502", "23505", "23514", "21000", "42601",
                            "42804", "54000", "54001", "P0001", "P0002", "44000", "ZZ999", "XX001",
                            "XX002"}); // damaged data stays damaged
}

/// A change of shard 0 that the database takes.
template <class Fixture>
write_batch one_change(Fixture& f) {
  return {{f.part(0, {{{core::advance_cursor{"a", 0, 1}}, {}}})}};
}

/// Does as a writer: commits the same batch until its fate is known.
template <class Fixture>
commit_result until_known(Fixture& f, const write_batch& batch) {
  commit_result result;
  for (int attempt = 0; attempt < 5; ++attempt) {
    result = f.commit(batch);
    if (result.status != commit_status::unavailable && result.status != commit_status::in_doubt)
      break;
  }
  return result;
}

// finding Q3. Sessions of the store are not read-only by default, whatever the database says
// (sessions_test), so the server says so itself, as one does that has become a standby.
BOOST_AUTO_TEST_CASE(a_store_that_met_a_read_only_server_goes_on_when_that_takes_writes_again) {
  store_fixture<postgres_world> f;
  auto& postgres = static_cast<persistence::postgres_store&>(*f.db);
  test_cluster::instance().sql(
      "CREATE FUNCTION public.t_read_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
      " RAISE EXCEPTION 'cannot write in a read-only transaction' USING ERRCODE = '25006';"
      " END $$;"
      "CREATE TRIGGER t_read_only BEFORE UPDATE ON holdfast.shard_leases"
      " EXECUTE FUNCTION public.t_read_only();"
      "CREATE TRIGGER t_read_only BEFORE UPDATE ON holdfast.nodes"
      " EXECUTE FUNCTION public.t_read_only()");
  const auto batch = one_change(f);
  BOOST_TEST(is(until_known(f, batch), commit_status::unavailable));
  BOOST_TEST(postgres.backend_pid() == 0); // the next attempt has another session
  BOOST_TEST(fails_with(f.db->renew(f.node, 1h), core::errc::unavailable));
  BOOST_TEST(postgres.backend_pid() == 0);
  test_cluster::instance().sql("DROP FUNCTION public.t_read_only() CASCADE");
  BOOST_TEST(is(until_known(f, batch), committed));
  BOOST_TEST(static_cast<bool>(f.db->renew(f.node, 1h)));
}

// finding B3: the server fails by XX000 on some damaged rows whenever they are written.
BOOST_AUTO_TEST_CASE(a_batch_on_which_the_server_fails_three_times_in_a_row_is_refused) {
  store_fixture<postgres_world> f;
  test_cluster::instance().sql(
      "CREATE FUNCTION public.t_fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
      " IF NEW.consumer = 'bad' THEN"
      " RAISE EXCEPTION 'cache lookup failed for type 7' USING ERRCODE = 'XX000'; END IF;"
      " RETURN NEW; END $$;"
      "CREATE TRIGGER t_fails BEFORE INSERT OR UPDATE ON holdfast.consumer_cursors"
      " FOR EACH ROW EXECUTE FUNCTION public.t_fails()");
  const auto bad = [&](core::event_seq at) {
    return write_batch{{f.part(0, {{{core::advance_cursor{"bad", 0, at}}, {}}})}};
  };
  const auto first = bad(1);
  for (int attempt = 1; attempt <= 2; ++attempt)
    BOOST_TEST(is(f.commit(first), commit_status::unavailable));
  const auto refused = f.commit(first);
  BOOST_TEST(is(refused, commit_status::refused));
  BOOST_TEST(refused.reason.find("3 times in a row") != std::string::npos, refused.reason);
  BOOST_TEST(refused.taken.empty());
  // Whatever else the shard has to write goes on under the same number.
  BOOST_TEST(is(f.commit(one_change(f)), committed));
  // Another batch begins to count anew.
  const auto second = bad(2);
  BOOST_TEST(is(f.commit(second), commit_status::unavailable));
  test_cluster::instance().sql("DROP FUNCTION public.t_fails() CASCADE");
  BOOST_TEST(is(f.commit(second), committed));
}

// finding Q3: a pooler or a person has thrown the prepared statements away.
BOOST_AUTO_TEST_CASE(a_store_whose_prepared_statements_are_gone_prepares_them_anew) {
  for (const auto* lost : {"DEALLOCATE ALL", "DISCARD ALL"}) {
    static constexpr statement fine{"t_fine", "SELECT 1::integer"};
    const statement discard{"t_discard", lost};
    auto opened = connection::open(test_cluster::instance().conninfo(), "holdfast test", "", 10s);
    BOOST_REQUIRE(opened);
    BOOST_TEST(!opened->run({{&fine, {}}}).failed);
    BOOST_TEST(!opened->run({{&discard, {}}}).failed);
    const auto after = opened->run({{&fine, {}}});
    BOOST_TEST(after.failed);
    BOOST_TEST(after.failure.sqlstate == "26000");
    BOOST_TEST(opened->lost()); // whoever owns it opens another
  }
}

// finding Q3: columns that a migration adds under a node that runs.
BOOST_AUTO_TEST_CASE(a_plan_whose_result_has_changed_costs_the_session_and_no_more) {
  static constexpr statement all{"t_all", "SELECT * FROM public.t_changing"};
  test_cluster::instance().sql("CREATE TABLE public.t_changing (a integer)");
  auto opened = connection::open(test_cluster::instance().conninfo(), "holdfast test", "", 10s);
  BOOST_REQUIRE(opened);
  BOOST_TEST(!opened->run({{&all, {}}}).failed);
  test_cluster::instance().sql("ALTER TABLE public.t_changing ADD COLUMN b integer");
  const auto after = opened->run({{&all, {}}});
  BOOST_TEST(after.failed);
  BOOST_TEST(after.failure.sqlstate == "0A000");
  BOOST_TEST(opened->lost());
  test_cluster::instance().sql("DROP TABLE public.t_changing");
}

// finding Q3: the schema is away for as long as a restore takes.
BOOST_AUTO_TEST_CASE(a_schema_that_is_away_for_a_while_refuses_nothing) {
  store_fixture<postgres_world> f;
  const auto batch = one_change(f);
  test_cluster::instance().sql("ALTER SCHEMA holdfast RENAME TO away");
  BOOST_TEST(is(until_known(f, batch), commit_status::unavailable));
  BOOST_TEST(fails_with(f.db->renew(f.node, 1h), core::errc::unavailable));
  BOOST_TEST(fails_with(f.db->list_queues(), core::errc::unavailable));
  test_cluster::instance().sql("ALTER SCHEMA away RENAME TO holdfast");
  BOOST_TEST(is(until_known(f, batch), committed));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
