// What operators and requesters see of many tasks at once: lists, and the numbers of a dashboard.

#include "tests/support/queue_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct node_with_lists : node_with_queue {
  msg::task_page page(const msg::list_tasks& question) {
    auto answered = call(question);
    BOOST_REQUIRE(answered.value);
    return *answered.value;
  }
  core::errc refused(const msg::list_tasks& question) { return call(question).code(); }

  core::task_id made_for(const std::string& owner) {
    auto r = request();
    r.owner_id = owner;
    return enqueued(r);
  }

  msg::queue_metrics metrics(core::duration window = 1min) {
    auto answered = call(msg::get_queue_metrics{"mail", window});
    BOOST_REQUIRE(answered.value);
    return *answered.value;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(task_lists, node_with_lists)

// B15, B41, G-14
BOOST_AUTO_TEST_CASE(live_and_finished_tasks_are_in_one_list) {
  const auto done = made_for("ana");
  BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
  const auto failed = made_for("bob");
  BOOST_TEST((fail("w1", one("w1"), core::failure_kind::permanent) == core::errc::none));
  advance(1s);
  const auto held = made_for("ana");
  BOOST_TEST((one("w1").task == held));
  const auto waiting = made_for("ana");
  const auto found = page({});
  BOOST_REQUIRE_EQUAL(found.tasks.size(), 4U);
  std::set<std::string> seen;
  for (const auto& task : found.tasks) {
    const auto whole = view(task.task);
    BOOST_TEST(task.status == whole.status);
    BOOST_TEST(task.owner_id == whole.owner_id);
    BOOST_TEST(task.worker == whole.worker);
    BOOST_TEST(task.error_code == whole.error_code);
    BOOST_TEST((task.finished_at == whole.finished_at));
    seen.insert(task.status);
  }
  BOOST_TEST((seen == std::set<std::string>{"COMPLETED", "FAILURE", "EXECUTING", "QUEUED"}));
  BOOST_TEST(!found.more);

  using tasks = std::set<core::task_id>;
  const auto with = [&](auto change) {
    msg::list_tasks question;
    change(question);
    tasks listed;
    for (const auto& task : page(question).tasks)
      listed.insert(task.task);
    return listed;
  };
  BOOST_TEST((with([](auto& q) { q.owner_id = "ana"; }) == tasks{done, held, waiting}));
  BOOST_TEST((with([](auto& q) { q.status = "QUEUED"; }) == tasks{waiting}));
  BOOST_TEST((with([](auto& q) { q.status = "EXECUTING"; }) == tasks{held}));
  BOOST_TEST((with([](auto& q) { q.status = "FAILURE"; }) == tasks{failed}));
  BOOST_TEST((with([](auto& q) { q.status = "ERROR"; }) == tasks{}));
  BOOST_TEST((with([](auto& q) { q.queue = "mail"; }) == tasks{done, failed, held, waiting}));
  BOOST_TEST((with([](auto& q) { q.queue = "other"; }) == tasks{}));
  BOOST_TEST((with([](auto& q) { q.type = "read"; }) == tasks{}));
  const auto made = view(held).created_at;
  BOOST_TEST((with([&](auto& q) { q.created_before = made; }) == tasks{done, failed}));
  BOOST_TEST((with([&](auto& q) { q.created_from = made; }) == tasks{held, waiting}));
}

// B15
BOOST_AUTO_TEST_CASE(long_lists_come_in_pages) {
  std::set<core::task_id> made;
  for (int i = 0; i < 25; ++i) {
    made.insert(made_for("ana"));
    if (i % 3 == 0)
      BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
  }
  std::vector<core::task_id> seen;
  msg::list_tasks question;
  question.owner_id = "ana";
  question.limit = 4;
  for (bool more = true; more;) {
    const auto next = page(question);
    BOOST_TEST(next.tasks.size() <= 4U);
    for (const auto& task : next.tasks)
      seen.push_back(task.task);
    question.after = next.last;
    more = next.more;
  }
  BOOST_TEST(seen.size() == made.size());
  BOOST_TEST(std::is_sorted(seen.begin(), seen.end()));
  BOOST_TEST((std::set<core::task_id>(seen.begin(), seen.end()) == made));
}

BOOST_AUTO_TEST_CASE(lists_that_make_no_sense_are_refused) {
  msg::list_tasks question;
  question.limit = 1000;
  BOOST_TEST((refused(question) == core::errc::none));
  question.limit = 1001;
  BOOST_TEST((refused(question) == core::errc::invalid_argument));
  question.limit = 0;
  BOOST_TEST((refused(question) == core::errc::invalid_argument));
  question = {};
  question.queue = "No Name";
  BOOST_TEST((refused(question) == core::errc::invalid_argument));
  question = {};
  question.status = "queued";
  BOOST_TEST((refused(question) == core::errc::invalid_argument));
  question = {};
  question.owner_id = std::string(129, 'x');
  BOOST_TEST((refused(question) == core::errc::invalid_argument));
  question = {};
  question.created_from = core::instant{} - 1us;
  BOOST_TEST((refused(question) == core::errc::invalid_argument));
}

// B15: another connection than the one that work waits for
BOOST_AUTO_TEST_CASE(a_database_that_is_away_is_said_so) {
  database->set_reachable(false);
  BOOST_TEST((refused({}) == core::errc::unavailable));
  database->set_reachable(true);
  BOOST_TEST((refused({}) == core::errc::none));
}

// C37-C40
BOOST_AUTO_TEST_CASE(a_queue_says_how_much_is_in_it_and_what_it_has_done) {
  auto told = metrics();
  BOOST_TEST(told.ready == 0U);
  BOOST_TEST((told.ready_since == core::instant{}));
  BOOST_TEST(told.completed_per_second == 0.0);
  advance(30s);
  auto oldest = request();
  enqueued(oldest);
  const auto since = view(oldest.task).created_at;
  advance(1s);
  for (int i = 0; i < 8; ++i)
    enqueued(request());
  auto later = request();
  later.run_at = since + 1h;
  enqueued(later);
  told = metrics();
  BOOST_TEST(told.ready == 9U);
  BOOST_TEST(told.later == 1U);
  BOOST_TEST(told.leased == 0U);
  BOOST_TEST((told.ready_since == since));
  BOOST_TEST(told.made == 10U);

  for (int i = 0; i < 6; ++i)
    BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
  BOOST_TEST((fail("w1", one("w1"), core::failure_kind::permanent) == core::errc::none));
  BOOST_TEST((fail("w1", one("w1"), core::failure_kind::transient) == core::errc::none));
  one("w1");
  told = metrics();
  BOOST_TEST(told.leased == 1U);
  BOOST_TEST(told.ready + told.later == 2U);
  BOOST_TEST(told.granted == 9U);
  BOOST_TEST(told.completed == 6U);
  BOOST_TEST(told.failed == 1U);
  BOOST_TEST(told.tries_failed == 1U);
  BOOST_TEST(told.error_share == 0.25);
  BOOST_TEST(told.dead_share == 0.0);
  const auto seconds = std::chrono::duration<double>(told.now - told.counted_from).count();
  BOOST_TEST(seconds >= 31.0);
  BOOST_TEST(told.completed_per_second == 6 / seconds, boost::test_tools::tolerance(1e-9));

  // The lease runs out, and what was counted grows old.
  advance(35s);
  BOOST_TEST(metrics().crashes == 1U);
  BOOST_TEST(metrics(10s).completed == 0U);
  advance(5min);
  told = metrics(5min);
  BOOST_TEST(told.completed == 0U);
  BOOST_TEST(told.ready == 2U); // the try that failed and the lost one: nobody claims
  BOOST_TEST(told.later == 1U);
}

// C37: what is due is ready, whether or not anybody claims, and who claims gets it
BOOST_AUTO_TEST_CASE(reader_of_a_queue_takes_nothing_from_waiting_workers) {
  auto later = request();
  later.run_at = now() + 10s;
  enqueued(later);
  auto patient = claim("w1");
  patient.wait = 30s;
  const auto got = send_to_node(patient);
  advance(9s);
  BOOST_TEST(metrics().later == 1U);
  advance(2s);
  BOOST_REQUIRE(got->value);
  BOOST_TEST(got->value->tasks.size() == 1U);
}

BOOST_AUTO_TEST_CASE(metrics_that_make_no_sense_are_refused) {
  const auto code = [&](const std::string& queue, core::duration window) {
    return call(msg::get_queue_metrics{queue, window}).code();
  };
  BOOST_TEST((code("none", 1min) == core::errc::not_found));
  BOOST_TEST((code("No Name", 1min) == core::errc::invalid_argument));
  BOOST_TEST((code("mail", 10s) == core::errc::none));
  BOOST_TEST((code("mail", 10s - 1us) == core::errc::invalid_argument));
  BOOST_TEST((code("mail", 5min) == core::errc::none));
  BOOST_TEST((code("mail", 5min + 1us) == core::errc::invalid_argument));
}

// C36: over a restart of the node, for every worker and every task of the credential
BOOST_AUTO_TEST_CASE(a_pause_that_was_asked_for_outlives_the_node) {
  auto limited = request();
  limited.credential = "acme";
  auto same = request();
  same.credential = "acme";
  auto other = request();
  other.credential = "bolt";
  enqueued(limited);
  const auto held = one("w1");
  BOOST_TEST((fail("w1", held, core::failure_kind::rate_limited, 2min) == core::errc::none));
  enqueued(same);
  enqueued(other);
  restart();
  const auto got = claimed(claim("w2", 9));
  BOOST_REQUIRE_EQUAL(got.size(), 1U);
  BOOST_TEST((got.front().task == other.task));
  BOOST_TEST((complete("w2", got.front()) == core::errc::none));
  advance(1min);
  BOOST_TEST(claimed(claim("w2", 9)).empty());
  advance(1min);
  BOOST_TEST(claimed(claim("w2", 9)).size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
