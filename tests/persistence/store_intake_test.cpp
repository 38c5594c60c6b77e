// Tasks that producers stage: by the SQL functions on PostgreSQL, by their mirror in memory.

#include "tests/persistence/conformance.hpp"

#include <pqxx/pqxx>

namespace holdfast::test {

namespace {

/// A store with two queues, and a producer.
template <class World>
class intake_fixture : public store_fixture<World> {
public:
  intake_fixture() {
    for (const auto* name : {"mail", "other"})
      BOOST_TEST(is(this->write({core::put_queue{name, "{}", false, {}, 1, at(0)}}), committed));
  }

  core::new_task new_task() {
    core::new_task made;
    made.spec.id = {this->ids.next(at(1))};
    made.spec.type = "mail.send";
    made.spec.version = "1.0";
    made.spec.body = R"({"to": "ana"})";
    return made;
  }

  core::task_id staged(const std::string& queue, const core::new_task& task) {
    return value_of(this->world.stage(queue, task));
  }
  core::task_id staged(const std::string& queue = "mail") { return staged(queue, new_task()); }

  persistence::staged_page page(const std::string& queue = "mail", std::uint32_t limit = 100,
                                std::size_t bytes_most = 1'000'000) {
    return value_of(this->db->load_staged(queue, limit, bytes_most));
  }

  std::vector<std::string> waiting() { return value_of(this->db->queues_with_staged()); }

  static core::insert_task made_of(const core::staged_task& staged) {
    core::insert_task made;
    made.queue = "mail";
    made.spec = staged.task.spec;
    made.spec.created_at = at(1);
    return made;
  }
};

std::vector<core::staging_id> ids_of(const persistence::staged_page& page) {
  std::vector<core::staging_id> ids;
  for (const auto& task : page.tasks)
    ids.push_back(task.id);
  return ids;
}

using names = std::vector<std::string>;

/// All that a producer says of a task.
auto members(const core::new_task& t) {
  const auto& s = t.spec;
  return std::tie(s.id, s.type, s.version, s.body, s.trace_id, s.span_id, s.priority, s.key,
                  s.credential, s.unique_key, s.max_attempts, s.owner_id, s.run_as_id, t.state,
                  t.data, t.run_at, t.conflict);
}

BOOST_AUTO_TEST_SUITE(store_intake)

// C25
BOOST_AUTO_TEST_CASE_TEMPLATE(staged_task_is_read_as_staged, World, worlds) {
  intake_fixture<World> f;
  auto full = f.new_task();
  full.spec.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  full.spec.span_id = "00f067aa0ba902b7";
  full.spec.priority = -7;
  full.spec.key = "customer-1";
  full.spec.credential = "smtp";
  full.spec.unique_key = "welcome-ana";
  full.spec.max_attempts = 5;
  full.spec.owner_id = "näme";
  full.spec.run_as_id = "mailer";
  full.state = "READY";
  full.data = R"({"n": 1})";
  full.run_at = at(100, 1);
  full.conflict = core::on_conflict::reject;
  BOOST_TEST((f.staged("mail", full) == full.spec.id));
  const auto plain = f.staged();

  const auto page = f.page();
  BOOST_REQUIRE_EQUAL(page.tasks.size(), 2U);
  BOOST_TEST(!page.more);
  BOOST_TEST((members(page.tasks[0].task) == members(full)));
  BOOST_TEST((page.tasks[1].task.spec.id == plain));
  BOOST_TEST((page.tasks[1].task.run_at == core::instant{}));
  BOOST_TEST((page.tasks[1].task.conflict == core::on_conflict::keep));
  BOOST_TEST(page.tasks[1].task.data == "{}");
  for (const auto& task : page.tasks) {
    BOOST_TEST(task.known_in.empty());
    BOOST_TEST((task.problem.code == core::errc::none));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(queues_are_told_by_what_is_staged_for_them, World, worlds) {
  intake_fixture<World> f;
  BOOST_TEST(f.waiting().empty());
  BOOST_TEST(f.page().tasks.empty());
  BOOST_TEST(!f.page().more);
  f.staged("other");
  f.staged();
  f.staged();
  BOOST_TEST(f.waiting() == (names{"mail", "other"}), boost::test_tools::per_element());
  BOOST_TEST(f.page("other").tasks.size() == 1U);
  BOOST_TEST(f.page("no-such-queue").tasks.empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(staged_tasks_come_in_pages_in_order_of_arrival, World, worlds) {
  intake_fixture<World> f;
  auto large = f.new_task();
  large.spec.body = '"' + std::string(1000, 'x') + '"';
  for (int i = 0; i < 4; ++i) {
    large.spec.id = {f.ids.next(at(1))};
    f.staged("mail", large);
  }
  const auto all = f.page();
  const auto sorted = ids_of(all);
  BOOST_TEST(std::is_sorted(sorted.begin(), sorted.end()));
  BOOST_TEST(!all.more);
  for (const std::uint32_t limit : {1, 3, 4}) {
    const auto page = f.page("mail", limit);
    BOOST_TEST(page.tasks.size() == limit);
    BOOST_TEST(page.more);
    BOOST_TEST((page.tasks[0].id == sorted[0]));
  }
  // The first always comes, however large.
  BOOST_TEST(f.page("mail", 100, 1).tasks.size() == 1U);
  BOOST_TEST(f.page("mail", 100, 1).more);
  BOOST_TEST(f.page("mail", 100, 1004).tasks.size() == 1U);
  BOOST_TEST(f.page("mail", 100, 1005).tasks.size() == 2U);
}

// I-13, C25: exactly once
BOOST_AUTO_TEST_CASE_TEMPLATE(staged_task_is_taken_once_with_the_task_made_of_it, World, worlds) {
  intake_fixture<World> f;
  const auto id = f.staged();
  f.staged();
  const auto page = f.page();
  const auto one = page.tasks[0].id;
  BOOST_TEST(is(f.write({f.made_of(page.tasks[0]), core::take_staged{{one}}}), committed));
  BOOST_TEST(static_cast<bool>(f.db->load_task(id)));
  BOOST_TEST(ids_of(f.page()) == (std::vector{page.tasks[1].id}), boost::test_tools::per_element());

  // Not again, and nothing else of a change that tries.
  BOOST_TEST(is(f.write({core::take_staged{{one}}}), refused));
  BOOST_TEST(
      is(f.write({f.made_of(page.tasks[1]), core::take_staged{{page.tasks[1].id, one}}}), refused));
  BOOST_TEST(is(f.write({core::take_staged{{one + 1000}}}), refused));
  BOOST_TEST(f.page().tasks.size() == 1U);
  BOOST_TEST(value_of(f.db->count_tasks("mail")).live == 1U);
  BOOST_TEST(is(f.write({core::take_staged{{page.tasks[1].id}}}), committed));
  BOOST_TEST(f.waiting().empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(refused_task_is_set_aside, World, worlds) {
  intake_fixture<World> f;
  const auto id = f.staged();
  const auto staging = f.page().tasks[0].id;
  const core::refuse_staged refusal{staging, core::errc::wrong_state, "no state \"X\"", at(50)};
  BOOST_TEST(is(f.write({refusal}), committed));
  BOOST_TEST(f.waiting().empty());
  BOOST_TEST(f.page().tasks.empty());
  BOOST_TEST(is(f.write({refusal}), refused));
  BOOST_TEST(is(f.write({core::take_staged{{staging}}}), refused));
  BOOST_TEST(
      is(f.write({core::refuse_staged{77'777, core::errc::too_large, "", at(50)}}), refused));
  // Its id may be staged again.
  auto again = f.new_task();
  again.spec.id = id;
  f.staged("mail", again);
  BOOST_TEST(f.page().tasks.size() == 1U);
  BOOST_TEST(f.page().tasks[0].id > staging);
  BOOST_TEST(is(f.write({core::refuse_staged{f.page().tasks[0].id, core::errc::too_large, "caf\xc3",
                                             at(50)}}),
                refused));
}

// I-13: what a unit asks for is read as if a producer had staged it
BOOST_AUTO_TEST_CASE_TEMPLATE(task_staged_by_a_change_is_read_as_others_are, World, worlds) {
  intake_fixture<World> f;
  auto task = f.new_task();
  task.spec.type = "label";
  task.spec.version = "1.2";
  task.spec.body = R"({"n": "\u00e4"})";
  task.spec.owner_id = "somebody";
  task.spec.run_as_id = "else";
  task.spec.trace_id = "t";
  task.spec.span_id = "s";
  task.spec.key = "k";
  task.spec.credential = "c";
  task.spec.unique_key = "u";
  task.spec.priority = -7;
  task.spec.max_attempts = 3;
  task.state = "NEW";
  task.data = R"([1])";
  task.run_at = at(77);
  task.conflict = core::on_conflict::reject;
  BOOST_TEST(is(f.write({core::stage_task{"mail", task}}), committed));
  BOOST_TEST(f.waiting() == (std::vector<core::queue_name>{"mail"}),
             boost::test_tools::per_element());
  const auto page = f.page();
  BOOST_REQUIRE_EQUAL(page.tasks.size(), 1U);
  BOOST_TEST((members(page.tasks[0].task) == members(task)));
  // Once, like all that is staged.
  BOOST_TEST(is(f.write({core::stage_task{"mail", task}}), refused));
  BOOST_TEST(
      is(f.write({f.made_of(page.tasks[0]), core::take_staged{{page.tasks[0].id}}}), committed));
  auto bad = f.new_task();
  bad.spec.owner_id = "caf\xc3";
  BOOST_TEST(is(f.write({core::stage_task{"mail", bad}}), refused));
  BOOST_TEST(f.page().tasks.empty());
}

// C22
BOOST_AUTO_TEST_CASE_TEMPLATE(staging_a_known_id_again_changes_nothing, World, worlds) {
  intake_fixture<World> f;
  const auto task = f.new_task();
  const auto restaged = [&](const std::string& queue) { return f.world.stage(queue, task); };
  f.staged("mail", task);
  BOOST_TEST((value_of(restaged("mail")) == task.spec.id));
  BOOST_TEST(fails_with(restaged("other"), core::errc::already_exists));
  auto page = f.page();
  BOOST_TEST(page.tasks.size() == 1U);
  BOOST_TEST(
      is(f.write({f.made_of(page.tasks[0]), core::take_staged{{page.tasks[0].id}}}), committed));
  for (const auto live : {true, false}) {
    BOOST_TEST((value_of(restaged("mail")) == task.spec.id));
    BOOST_TEST(fails_with(restaged("other"), core::errc::already_exists));
    BOOST_TEST(f.waiting().empty());
    if (live) {
      core::finish_task gone;
      gone.task = task.spec.id;
      gone.at = at(30);
      BOOST_TEST(is(f.write({gone}), committed));
    }
  }
  BOOST_TEST(fails_with(f.world.stage("no-such-queue", f.new_task()), core::errc::not_found));
}

// I-13: made by another way between staging and reading
BOOST_AUTO_TEST_CASE_TEMPLATE(staged_task_tells_which_queue_has_its_id, World, worlds) {
  intake_fixture<World> f;
  f.staged();
  f.staged();
  const auto page = f.page();
  auto elsewhere = f.made_of(page.tasks[0]);
  elsewhere.queue = "other";
  BOOST_TEST(is(f.write({elsewhere, f.made_of(page.tasks[1])}), committed));
  core::finish_task gone;
  gone.task = page.tasks[1].task.spec.id;
  gone.at = at(30);
  BOOST_TEST(is(f.write({gone}), committed));
  const auto again = f.page();
  BOOST_TEST(again.tasks[0].known_in == "other");
  BOOST_TEST(again.tasks[1].known_in == "mail");
}

// A170, B67
BOOST_AUTO_TEST_CASE_TEMPLATE(old_refused_tasks_are_pruned_and_no_others, World, worlds) {
  intake_fixture<World> f;
  for (int i = 0; i < 4; ++i)
    f.staged();
  f.staged("other");
  const auto ids = ids_of(f.page());
  const auto refuse = [&](core::staging_id id, int second) {
    BOOST_TEST(
        is(f.write({core::refuse_staged{id, core::errc::too_large, "", at(second)}}), committed));
  };
  refuse(ids[0], 40);
  refuse(ids[1], 50);
  refuse(ids[2], 60);
  refuse(f.page("other").tasks[0].id, 40);
  const auto prune = [&](core::instant before, std::uint32_t rows) {
    return f.db->prune_refused(0, f.node, "mail", before, rows);
  };
  BOOST_TEST(value_of(prune(at(40), 100)) == 0U);
  BOOST_TEST(value_of(prune(at(60), 1)) == 1U);
  BOOST_TEST(value_of(prune(at(60), 100)) == 1U);
  BOOST_TEST(value_of(prune(at(90), 100)) == 1U);
  BOOST_TEST(value_of(prune(at(90), 100)) == 0U);
  BOOST_TEST(value_of(f.db->prune_refused(0, f.node, "other", at(90), 9)) == 1U);
  BOOST_TEST(f.page().tasks.size() == 1U); // the one that waits

  const core::incarnation_id stranger{f.ids.next(at(5))};
  BOOST_TEST(fails_with(f.db->prune_refused(0, stranger, "mail", at(90), 9), core::errc::fenced));
  BOOST_TEST(fails_with(f.db->prune_refused(77, f.node, "mail", at(90), 9), core::errc::fenced));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(limits_are_published_once_there_is_a_cluster, World, worlds) {
  World world;
  const auto db = world.open();
  BOOST_TEST(fails_with(db->publish_limits({100, 4}), core::errc::not_found));
  value_of(db->ensure_shards(shard_count));
  BOOST_TEST(value_of(db->publish_limits({100, 4})));
  BOOST_TEST(value_of(db->publish_limits({200, 5})));
  BOOST_TEST(value_of(db->publish_limits({200, 5})));
}

BOOST_AUTO_TEST_SUITE_END()

// What the SQL functions alone do --------------------------------------------------------------

/// A database of which the functions are called as a producer does.
class sql_producer : public intake_fixture<postgres_world> {
public:
  sql_producer() { value_of(db->publish_limits({200, 3})); }

  static pqxx::result sql(const std::string& text) { return test_cluster::instance().sql(text); }

  struct refusal {
    std::string sqlstate;
    std::string text; ///< Message, DETAIL and HINT, as a client shows them.
  };
  /// The error that the statement ends with; empty if it does not.
  static refusal error_of(const std::string& statement) {
    try {
      sql(statement);
    } catch (const pqxx::insufficient_privilege& error) {
      return {"42501", error.what()}; // libpqxx 6.4 leaves its code out
    } catch (const pqxx::sql_error& error) {
      return {error.sqlstate(), error.what()};
    }
    return {};
  }
  /// Expects an error that tells what to do.
  static void refuses(const std::string& arguments, const std::string& sqlstate,
                      const std::string& message) {
    const auto error = error_of("SELECT holdfast.enqueue(" + arguments + ")");
    BOOST_TEST(error.sqlstate == sqlstate,
               arguments << ": " << error.sqlstate << ' ' << error.text);
    BOOST_TEST(error.text.find(message) != std::string::npos, arguments << ": " << error.text);
    BOOST_TEST(error.text.find("HINT:") != std::string::npos, arguments);
  }
};

BOOST_FIXTURE_TEST_SUITE(sql_enqueue, sql_producer)

// C5, C25: with the producer's own rows, or not at all
BOOST_AUTO_TEST_CASE(task_is_staged_with_the_commit_of_its_transaction_only) {
  sql("CREATE TABLE IF NOT EXISTS public.orders (n integer)");
  {
    pqxx::connection database{test_cluster::instance().conninfo()};
    pqxx::work tx{database};
    tx.exec("INSERT INTO public.orders VALUES (1)");
    tx.exec("SELECT holdfast.enqueue('mail', 'send', '{\"order\": 1}')");
    BOOST_TEST(waiting().empty());
    tx.abort();
  }
  BOOST_TEST(waiting().empty());
  pqxx::connection database{test_cluster::instance().conninfo()};
  pqxx::work tx{database};
  tx.exec("INSERT INTO public.orders VALUES (2)");
  const auto id = tx.exec("SELECT holdfast.enqueue('mail', 'send', '{\"order\": 2}')")[0][0];
  BOOST_TEST(waiting().empty());
  tx.commit();
  const auto staged = page().tasks;
  BOOST_REQUIRE_EQUAL(staged.size(), 1U);
  BOOST_TEST(to_string(staged[0].task.spec.id) == id.as<std::string>());
  BOOST_TEST(staged[0].task.spec.body == R"({"order": 2})");
  BOOST_TEST(sql("SELECT count(*) FROM public.orders")[0][0].as<int>() == 1);
  sql("DROP TABLE public.orders");
}

BOOST_AUTO_TEST_CASE(optional_parameters_have_names_and_null_is_the_default) {
  sql("SELECT holdfast.enqueue('mail', 'send', '[]', priority => 7, key => 'gold')");
  sql("SELECT holdfast.enqueue('mail', 'send', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
      "NULL,"
      " NULL, NULL, NULL, NULL, NULL, NULL, NULL)");
  const auto staged = page().tasks;
  BOOST_REQUIRE_EQUAL(staged.size(), 2U);
  BOOST_TEST(staged[0].task.spec.priority == 7);
  BOOST_TEST(staged[0].task.spec.key == "gold");
  BOOST_TEST(staged[1].task.spec.version == "1.0");
  BOOST_TEST(staged[1].task.data == "{}");
  BOOST_TEST(staged[1].task.state.empty());
  BOOST_TEST((staged[1].task.conflict == core::on_conflict::keep));
}

BOOST_AUTO_TEST_CASE(ids_made_in_sql_are_of_version_7_and_of_this_time) {
  const auto rows = sql("SELECT holdfast.enqueue('mail', 'send', '{}'), extract(epoch FROM now())"
                        " FROM generate_series(1, 100)");
  std::set<std::string> distinct;
  for (const auto& row : rows) {
    const auto text = row[0].as<std::string>();
    distinct.insert(text);
    BOOST_TEST(text[14] == '7');
    BOOST_TEST((text[19] == '8' || text[19] == '9' || text[19] == 'a' || text[19] == 'b'));
    const auto made_ms = std::stoll(text.substr(0, 8) + text.substr(9, 4), nullptr, 16);
    BOOST_TEST(std::abs(static_cast<double>(made_ms) / 1000 - row[1].as<double>()) < 60.0);
  }
  BOOST_TEST(distinct.size() == 100U);
}

// C10, C24: what no task may have is refused where it enters, with the way out
BOOST_AUTO_TEST_CASE(bad_input_is_refused_by_name) {
  const std::string invalid = "22023";
  const std::string too_large = "54000";
  refuses("'mal', 'send', '{}'", "42704", "no queue 'mal'");
  refuses("NULL, 'send', '{}'", "42704", "no queue NULL");
  refuses("'mail', '', '{}'", invalid, "type must not be empty");
  refuses("'mail', NULL, '{}'", invalid, "type must not be empty");
  refuses("'mail', 'send', NULL", invalid, "body must not be null");
  for (const auto* field : {"state", "key", "credential", "unique_key", "owner_id", "run_as_id",
                            "trace_id", "span_id"}) {
    const auto text = "'mail', 'send', '{}', " + std::string{field} + " => repeat('é', ";
    refuses(text + "65)", invalid, std::string{field} + " has 130 bytes");
    BOOST_TEST(error_of("SELECT holdfast.enqueue(" + text + "64))").text == "");
  }
  refuses("'mail', repeat('a', 129), '{}'", invalid, "type has 129 bytes");
  refuses("'mail', 'send', '{}', task_id => '00000000-0000-0000-0000-000000000000'", invalid,
          "task_id must not be nil");
  for (const auto* version : {"1", "one", "1.", "1.0.0", "1.0\n", ""})
    refuses("'mail', 'send', '{}', version => E'" + std::string{version} + "'", invalid,
            "is not a version");
  // Which major versions a type has is its queue's to know.
  for (const auto* version : {"2.0", "0.9", "11.0"})
    BOOST_TEST(error_of("SELECT holdfast.enqueue('mail', 'send', '{}', version => '"
                        + std::string{version} + "')")
                   .text
               == "");
  for (const auto priority : {-1001, 1001, 70'000})
    refuses("'mail', 'send', '{}', priority => " + std::to_string(priority), invalid, "priority");
  for (const auto most : {-1, 1001})
    refuses("'mail', 'send', '{}', max_attempts => " + std::to_string(most), invalid,
            "max_attempts");
  for (const auto* at : {"infinity", "-infinity"})
    refuses("'mail', 'send', '{}', run_at => '" + std::string{at} + "'", invalid, "run_at");
  for (const auto* field : {"body", "data"}) {
    const auto with = [&](const std::string& document) {
      return "'mail', 'send', " + std::string{field} + " => " + document
             + (std::string{field} == "body" ? "" : ", body => '{}'");
    };
    refuses(with("to_jsonb(repeat('x', 199))"), too_large, std::string{field} + " has 201 bytes");
    BOOST_TEST(error_of("SELECT holdfast.enqueue(" + with("to_jsonb(repeat('x', 198))") + ")").text
               == "");
    refuses(with("'[[[{}]]]'"), too_large, "nested more than 3 deep");
    BOOST_TEST(error_of("SELECT holdfast.enqueue(" + with("'[[[1]]]'") + ")").text == "");
  }
  BOOST_TEST(error_of("SELECT holdfast.enqueue('mail', 'send', '{')").sqlstate == "22P02");
  BOOST_TEST(error_of("SELECT holdfast.enqueue('mail', 'send', '\"\\u0000\"')").sqlstate
             == "22P05");
  const std::string given = "'11111111-1111-7111-8111-111111111111'";
  sql("SELECT holdfast.enqueue('mail', 'send', '{}', task_id => " + given + ")");
  refuses("'other', 'send', '{}', task_id => " + given, "23505", "the queue 'mail' has a task");
  // Whatever passes here passes the table, too.
  for (const auto& staged : page("mail", 1000).tasks)
    BOOST_TEST(!staged.task.spec.type.empty());
}

BOOST_AUTO_TEST_CASE(many_tasks_are_staged_in_one_call_or_none) {
  const auto made = sql("SELECT holdfast.enqueue_many('mail', '[{\"type\": \"a\", \"body\": 1},"
                        " {\"type\": \"b\", \"body\": {}, \"priority\": 5, \"data\": null,"
                        " \"reject_duplicate\": true, \"run_at\": \"2040-01-01T00:00:00Z\"}]')");
  const auto staged = page().tasks;
  BOOST_REQUIRE_EQUAL(staged.size(), 2U);
  for (int i = 0; i < 2; ++i)
    BOOST_TEST(to_string(staged[static_cast<std::size_t>(i)].task.spec.id)
               == made[i][0].as<std::string>());
  BOOST_TEST(staged[1].task.spec.priority == 5);
  BOOST_TEST(staged[1].task.data == "{}");
  BOOST_TEST((staged[1].task.conflict == core::on_conflict::reject));
  BOOST_TEST(core::to_micros(staged[1].task.run_at) == 2'208'988'800'000'000);

  const auto refuses_all = [&](const std::string& tasks, const std::string& sqlstate,
                               const std::string& says) {
    const auto error = error_of("SELECT holdfast.enqueue_many('mail', '" + tasks + "')");
    BOOST_TEST(error.sqlstate == sqlstate, tasks << ": " << error.text);
    BOOST_TEST(error.text.find(says) != std::string::npos, tasks << ": " << error.text);
  };
  refuses_all("{}", "22023", "tasks must be a JSON array");
  refuses_all("[1]", "22023", "a task must be a JSON object");
  refuses_all(R"([{"type":"a","body":1},{"typ":"a"}])", "22023", "no member 'typ'");
  refuses_all(R"([{"type":"a","body":1},{"type":"a"}])", "22023", "It is task 2 of 2.");
  refuses_all(R"([{"type":"a","body":1,"task_id":"x"}])", "22P02", "It is task 1 of 1.");
  refuses_all(R"([{"type":"a","body":[[[[1]]]]}])", "54000", "It is task 1 of 1.");
  BOOST_TEST(page().tasks.size() == 2U);
  BOOST_TEST(sql("SELECT holdfast.enqueue_many('mail', '[]')").empty());
}

// C13-C20: a job envelope is staged as the task that it asks for
BOOST_AUTO_TEST_CASE(envelope_is_staged_as_its_task) {
  const auto id = sql(R"(SELECT holdfast.enqueue_envelope('mail', '{
      "header": {"job_id": "0AF76519-16cd-43dd-8448-eb211c80319c", "type": "entity.match",
                 "version": "2.1", "created_at": "2024-12-24T12:00:00Z", "attempt": 1,
                 "max_attempts": 3},
      "body": {"task_id": 1024},
      "tracing": {"trace_id": "t", "span_id": "s"}}', priority => 5, key => 'acme'))")[0][0];
  BOOST_TEST(id.as<std::string>() == "0af76519-16cd-43dd-8448-eb211c80319c");
  sql(R"(SELECT holdfast.enqueue_envelope('mail', '{"body": [], "header": {"version": "1.0",
      "type": "t", "job_id": "11111111-1111-4111-8111-111111111111"}}'))");
  const auto staged = page().tasks;
  BOOST_REQUIRE_EQUAL(staged.size(), 2U);
  const auto& full = staged[0].task.spec;
  BOOST_TEST(to_string(full.id) == id.as<std::string>());
  BOOST_TEST(full.type == "entity.match");
  BOOST_TEST(full.version == "2.1");
  BOOST_TEST(full.body == R"({"task_id": 1024})");
  BOOST_TEST(full.max_attempts == 3U);
  BOOST_TEST(full.trace_id == "t");
  BOOST_TEST(full.span_id == "s");
  BOOST_TEST(full.priority == 5);
  BOOST_TEST(full.key == "acme");
  const auto& plain = staged[1].task.spec;
  BOOST_TEST(plain.body == "[]");
  BOOST_TEST(plain.max_attempts == 0U);
  BOOST_TEST(plain.trace_id.empty());
}

// C20
BOOST_AUTO_TEST_CASE(staged_row_that_is_no_envelope_is_refused_with_its_place) {
  const auto refuses_envelope = [&](const std::string& envelope, const std::string& sqlstate,
                                    const std::string& says) {
    const auto error = error_of("SELECT holdfast.enqueue_envelope('mail', '" + envelope + "')");
    BOOST_TEST(error.sqlstate == sqlstate, envelope << ": " << error.sqlstate << error.text);
    BOOST_TEST(error.text.find(says) != std::string::npos, envelope << ": " << error.text);
  };
  const std::string invalid = "22023";
  const auto with = [](const std::string& members, const std::string& rest = R"(,"body":{})") {
    return R"({"header":{"job_id":"0af76519-16cd-43dd-8448-eb211c80319c","type":"t",)"
           R"("version":"1.0")"
           + members + "}" + rest + "}";
  };
  for (const auto* text : {"[]", "7", "null"})
    refuses_envelope(text, invalid, "the envelope must be a JSON object");
  refuses_envelope("{}", invalid, "/header: is missing");
  refuses_envelope(R"({"header":[],"body":1})", invalid, "/header: is not a JSON object");
  refuses_envelope(R"({"header":{},"body":1})", invalid, "/header/job_id: is missing");
  refuses_envelope(with("", ""), invalid, "/body: is missing");
  refuses_envelope(with("", R"(,"body":1,"bdy":1)"), invalid, "/bdy: is not a member");
  refuses_envelope(with(R"(,"typ":1)"), invalid, "/header/typ: is not a member");
  refuses_envelope(with("", R"(,"body":1,"tracing":null)"), invalid, "/tracing: is not a JSON obj");
  refuses_envelope(with("", R"(,"body":1,"tracing":{"span":""})"), invalid, "/tracing/span: is no");
  refuses_envelope(with("", R"(,"body":1,"tracing":{"span_id":1})"), invalid,
                   "/tracing/span_id: is not a JSON string");
  refuses_envelope(R"({"header":{"job_id":"x"},"body":1})", invalid,
                   "/header/job_id: is not a UUID");
  refuses_envelope(R"({"header":{"job_id":7},"body":1})", invalid,
                   "/header/job_id: is not a JSON string");
  refuses_envelope(R"({"header":{"job_id":"0af76519-16cd-43dd-8448-eb211c80319c"},"body":1})",
                   invalid, "/header/type: is missing");
  for (const auto* time : {R"("today")", R"("2024-12-24T12:00:00")", R"("2024-12-24 12:00:00Z")"})
    refuses_envelope(with(R"(,"created_at":)" + std::string{time}), invalid,
                     "/header/created_at: is not a time");
  refuses_envelope(with(R"(,"created_at":"2023-02-29T12:00:00Z")"), "22008", "2023-02-29");
  for (const auto* attempt : {"0", "2", "1.5"})
    refuses_envelope(with(R"(,"attempt":)" + std::string{attempt}), invalid,
                     "/header/attempt: must be 1");
  refuses_envelope(with(R"(,"attempt":"1")"), invalid, "/header/attempt: is not a JSON number");
  for (const auto* most : {"0", "1001", "1.5", "-1"})
    refuses_envelope(with(R"(,"max_attempts":)" + std::string{most}), invalid,
                     "/header/max_attempts: ");
  // What no task may have is refused as `enqueue` does.
  refuses_envelope(with("", R"(,"body":[[[[1]]]])"), "54000", "nested more than 3 deep");
  BOOST_TEST(error_of("SELECT holdfast.enqueue_envelope('none', '" + with("") + "')").sqlstate
             == "42704");
  BOOST_TEST(page().tasks.empty());
  // Both ends of the bounds.
  for (const auto* members : {R"(,"attempt":1,"max_attempts":1)", R"(,"max_attempts":1000)"})
    BOOST_TEST(error_of("SELECT holdfast.enqueue_envelope('mail', '" + with(members) + "')").text
               == "");
  BOOST_TEST(page().tasks.size() == 1U); // the same job twice
}

BOOST_AUTO_TEST_CASE(producer_needs_no_right_but_to_stage) {
  sql("DROP ROLE IF EXISTS producer");
  sql("CREATE ROLE producer; GRANT USAGE ON SCHEMA holdfast TO producer");
  const auto as_producer = [&](const std::string& statement) {
    return error_of("SET LOCAL ROLE producer; " + statement).sqlstate;
  };
  const std::string call = "SELECT holdfast.enqueue('mail', 'send', '{}')";
  const std::string call_many = "SELECT holdfast.enqueue_many('mail', '[]')";
  const std::string denied = "42501";
  BOOST_TEST(as_producer(call) == denied);
  BOOST_TEST(as_producer(call_many) == denied);
  const std::string call_envelope =
      R"(SELECT holdfast.enqueue_envelope('mail', '{"header": {"job_id":)"
      R"("11111111-1111-4111-8111-111111111111", "type": "t", "version": "1.0"}, "body": 1}'))";
  BOOST_TEST(as_producer(call_envelope) == denied);
  sql("GRANT EXECUTE ON FUNCTION holdfast.enqueue, holdfast.enqueue_many,"
      " holdfast.enqueue_envelope TO producer");
  BOOST_TEST(as_producer(call_envelope) == "");
  BOOST_TEST(as_producer(call) == "");
  BOOST_TEST(as_producer(call_many) == "");
  BOOST_TEST(as_producer("SELECT holdfast.new_id()") == denied);
  BOOST_TEST(as_producer("SELECT holdfast.queue_of(gen_random_uuid())") == denied);
  for (const auto* table : {"task_intake", "tasks", "queues", "cluster"})
    BOOST_TEST(as_producer("TABLE holdfast." + std::string{table}) == denied);
  // Objects of the caller's own are not taken for ours.
  BOOST_TEST(as_producer("CREATE TEMPORARY TABLE pg_temp.queues (queue text); SET search_path ="
                         " pg_temp, public; "
                         + call)
             == "");
  sql("DROP OWNED BY producer; DROP ROLE producer");
  BOOST_TEST(page().tasks.size() == 3U);
}

// C22: two transactions with one id
BOOST_AUTO_TEST_CASE(id_that_another_transaction_is_staging_is_waited_for) {
  const std::string stage = "SELECT holdfast.enqueue('mail', 'send', '{}',"
                            " task_id => '11111111-1111-7111-8111-111111111111')";
  pqxx::connection first{test_cluster::instance().conninfo()};
  pqxx::connection second{test_cluster::instance().conninfo()};
  {
    pqxx::work one{first};
    one.exec(stage);
    pqxx::work two{second};
    two.exec("SET LOCAL lock_timeout = '1ms'");
    BOOST_CHECK_THROW(two.exec(stage), pqxx::sql_error);
    one.abort();
  }
  sql(stage);
  sql(stage);
  BOOST_TEST(page().tasks.size() == 1U);
}

BOOST_AUTO_TEST_CASE(report_shows_what_is_staged_and_refused) {
  sql("SELECT holdfast.enqueue('mail', 'send', '{\"to\": \"ana\"}')");
  staged();
  BOOST_TEST(is(write({core::refuse_staged{page().tasks[1].id, core::errc::wrong_state,
                                           "no state X", at(5)}}),
                committed));
  const auto rows =
      sql("SELECT status, execution_spec ->> 'to', refusal, refusal_detail, refused_at"
          " FROM report.task_intake ORDER BY intake_id");
  BOOST_REQUIRE_EQUAL(rows.size(), 2U);
  BOOST_TEST(rows[0][0].as<std::string>() == "STAGED");
  BOOST_TEST(rows[0][1].as<std::string>() == "ana");
  BOOST_TEST(rows[0][2].is_null());
  BOOST_TEST(rows[1][0].as<std::string>() == "REFUSED");
  BOOST_TEST(rows[1][2].as<std::string>() == "wrong_state");
  BOOST_TEST(rows[1][3].as<std::string>() == "no state X");
}

// Without a node that has said so there are no limits; the queue has its own.
BOOST_AUTO_TEST_CASE(documents_are_not_limited_before_a_node_has_started) {
  sql("UPDATE holdfast.cluster SET payload_bytes = NULL, json_depth = NULL");
  sql("SELECT holdfast.enqueue('mail', 'send', to_jsonb(repeat('x', 1000000)))");
  BOOST_TEST(page().tasks.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
