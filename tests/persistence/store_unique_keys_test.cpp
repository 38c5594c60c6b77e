// Unique keys of tasks that producers stage: what `holdfast.enqueue` answers stands.

#include "tests/persistence/conformance.hpp"

#include <pqxx/pqxx>

namespace holdfast::test {

namespace {

template <class World>
class keyed_fixture : public store_fixture<World> {
public:
  keyed_fixture() {
    for (const auto* name : {"mail", "other"})
      BOOST_TEST(is(this->write({core::put_queue{name, "{}", false, {}, 1, at(0)}}), committed));
  }

  core::new_task keyed(const std::string& key = "welcome-ana") {
    core::new_task made;
    made.spec.id = {this->ids.next(at(1))};
    made.spec.type = "send";
    made.spec.version = "1.0";
    made.spec.body = "{}";
    made.spec.unique_key = key;
    return made;
  }
  core::new_task rejecting(const std::string& key = "welcome-ana") {
    auto made = keyed(key);
    made.conflict = core::on_conflict::reject;
    return made;
  }
  core::outcome<core::task_id> stage(const core::new_task& task,
                                     const std::string& queue = "mail") {
    return this->world.stage(queue, task);
  }
  persistence::staged_page page() {
    return value_of(this->db->load_staged("mail", 100, 1'000'000));
  }
  /// The queue makes a task of the staged one.
  void take_in(const core::staged_task& staged) {
    core::insert_task made;
    made.queue = "mail";
    made.spec = staged.task.spec;
    made.spec.created_at = at(1);
    BOOST_TEST(is(this->write({made, core::take_staged{{staged.id}}}), committed));
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(store_unique_keys)

// finding B10
BOOST_AUTO_TEST_CASE_TEMPLATE(enqueue_answers_the_task_that_has_the_unique_key, World, worlds) {
  keyed_fixture<World> f;
  const auto first = f.keyed();
  BOOST_TEST((value_of(f.stage(first)) == first.spec.id));
  // Staged.
  BOOST_TEST((value_of(f.stage(f.keyed())) == first.spec.id));
  BOOST_TEST(fails_with(f.stage(f.rejecting()), core::errc::already_exists));
  BOOST_REQUIRE_EQUAL(f.page().tasks.size(), 1U);
  // Live.
  f.take_in(f.page().tasks[0]);
  BOOST_TEST((value_of(f.stage(f.keyed())) == first.spec.id));
  BOOST_TEST(fails_with(f.stage(f.rejecting()), core::errc::already_exists));
  BOOST_TEST(f.page().tasks.empty());
  // Over: the key is free.
  core::finish_task gone;
  gone.task = first.spec.id;
  gone.at = at(30);
  BOOST_TEST(is(f.write({gone}), committed));
  const auto second = f.rejecting();
  BOOST_TEST((value_of(f.stage(second)) == second.spec.id));
  BOOST_TEST(f.page().tasks.size() == 1U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(unique_keys_are_those_of_one_queue, World, worlds) {
  keyed_fixture<World> f;
  const auto here = f.keyed();
  const auto there = f.keyed();
  BOOST_TEST((value_of(f.stage(here)) == here.spec.id));
  BOOST_TEST((value_of(f.stage(there, "other")) == there.spec.id));
  const auto another = f.keyed("goodbye-ana");
  BOOST_TEST((value_of(f.stage(another)) == another.spec.id));
  const auto none = f.keyed("");
  const auto neither = f.keyed("");
  BOOST_TEST((value_of(f.stage(none)) == none.spec.id));
  BOOST_TEST((value_of(f.stage(neither)) == neither.spec.id));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(refused_task_does_not_keep_its_unique_key, World, worlds) {
  keyed_fixture<World> f;
  value_of(f.stage(f.keyed()));
  BOOST_TEST(is(f.write({core::refuse_staged{f.page().tasks[0].id, core::errc::wrong_state,
                                             "no state X", at(5)}}),
                committed));
  const auto next = f.keyed();
  BOOST_TEST((value_of(f.stage(next)) == next.spec.id));
}

// A repetition is one whatever its key.
BOOST_AUTO_TEST_CASE_TEMPLATE(repeated_id_is_answered_with_that_id, World, worlds) {
  keyed_fixture<World> f;
  const auto task = f.rejecting();
  BOOST_TEST((value_of(f.stage(task)) == task.spec.id));
  BOOST_TEST((value_of(f.stage(task)) == task.spec.id));
  f.take_in(f.page().tasks[0]);
  BOOST_TEST((value_of(f.stage(task)) == task.spec.id));
}

// Nodes stage tasks, too.
BOOST_AUTO_TEST_CASE_TEMPLATE(second_staged_task_of_a_unique_key_is_refused, World, worlds) {
  keyed_fixture<World> f;
  BOOST_TEST(is(f.write({core::stage_task{"mail", f.keyed()}}), committed));
  BOOST_TEST(is(f.write({core::stage_task{"mail", f.keyed()}}), refused));
  BOOST_TEST(is(f.write({core::stage_task{"other", f.keyed()}}), committed));
}

namespace {

/// Producers that have transactions under way at the same time.
struct racing_producers : keyed_fixture<postgres_world> {
  static std::string call(const std::string& more = "") {
    return "SELECT holdfast.enqueue('mail', 'send', '{}', unique_key => 'k'" + more + ")";
  }
  pqxx::connection one{test_cluster::instance().conninfo()};
  pqxx::connection two{test_cluster::instance().conninfo()};
};

std::string uuid_of(const pqxx::result& rows) { return rows[0][0].as<std::string>(); }

} // namespace

BOOST_FIXTURE_TEST_CASE(unique_key_that_another_transaction_stages_is_waited_for,
                        racing_producers) {
  pqxx::work first{one};
  const auto id = uuid_of(first.exec(call()));
  {
    pqxx::work second{two};
    second.exec("SET LOCAL lock_timeout = '1ms'");
    BOOST_CHECK_THROW(second.exec(call()), pqxx::sql_error);
  }
  first.commit();
  pqxx::work second{two};
  BOOST_TEST(uuid_of(second.exec(call())) == id);
  second.commit();
  BOOST_TEST(page().tasks.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(unique_key_of_a_transaction_that_is_rolled_back_is_free, racing_producers) {
  {
    pqxx::work first{one};
    first.exec(call());
  }
  pqxx::work second{two};
  const auto id = uuid_of(second.exec(call(", reject_duplicate => true")));
  second.commit();
  BOOST_REQUIRE_EQUAL(page().tasks.size(), 1U);
  BOOST_TEST(to_string(page().tasks[0].task.spec.id) == id);
}

// In one transaction, and in one call.
BOOST_FIXTURE_TEST_CASE(transaction_sees_the_unique_keys_that_it_has_staged, racing_producers) {
  pqxx::work tx{one};
  const auto id = uuid_of(tx.exec(call()));
  BOOST_TEST(uuid_of(tx.exec(call())) == id);
  const auto many = tx.exec("SELECT holdfast.enqueue_many('mail', '[{\"type\":\"a\",\"body\":1,"
                            "\"unique_key\":\"k\"},{\"type\":\"a\",\"body\":1,\"unique_key\":"
                            "\"l\"},{\"type\":\"a\",\"body\":1,\"unique_key\":\"l\"}]')");
  BOOST_REQUIRE_EQUAL(many.size(), 3U);
  BOOST_TEST(many[0][0].as<std::string>() == id);
  BOOST_TEST(many[1][0].as<std::string>() == many[2][0].as<std::string>());
  try {
    tx.exec(call(", reject_duplicate => true"));
    BOOST_ERROR("the unique key is taken");
  } catch (const pqxx::sql_error& error) {
    BOOST_TEST(error.sqlstate() == "23505");
    BOOST_TEST(std::string{error.what()}.find("task " + id) != std::string::npos);
  }
}

// A snapshot that is older than the task does not see who has the key: the index does.
BOOST_FIXTURE_TEST_CASE(unique_key_staged_since_the_snapshot_is_a_serialization_failure,
                        racing_producers) {
  pqxx::transaction<pqxx::repeatable_read> old{one};
  old.exec("SELECT count(*) FROM holdfast.queues");
  pqxx::work other{two};
  other.exec(call());
  other.commit();
  BOOST_CHECK_THROW(old.exec(call()), pqxx::serialization_failure);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
