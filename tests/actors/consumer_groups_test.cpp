// Consumer groups: the events of a subscription become tasks of a queue, each exactly once, and its
// workers share them.

#include "tests/support/queue_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <variant>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// Into `queue`, from the oldest event on.
std::string into(const core::queue_name& queue, const std::string& more = "") {
  return R"({"queue":")" + queue
         + R"(","start":"oldest","retry":{"least_seconds":1,"most_seconds":10})" + more + "}";
}

bool stores_a_position(const core::change& c) {
  return std::any_of(c.writes.begin(), c.writes.end(), [](const core::write_op& w) {
    return std::holds_alternative<core::put_webhook_position>(w);
  });
}

/// The number of the event that a task is about.
core::event_seq seq_of(const msg::leased_task& task) {
  return nlohmann::json::parse(task.body).at("seq").get<core::event_seq>();
}

using seqs = std::multiset<core::event_seq>;

seqs seqs_of(const std::vector<msg::leased_task>& tasks) {
  seqs all;
  for (const auto& task : tasks)
    all.insert(seq_of(task));
  return all;
}

/// No receiver over HTTP: it takes none to fill a queue.
struct group_node : node_with_queue {
  /// As many events as units, and one of the step, all on one shard.
  void given_units(std::size_t units) {
    step = create();
    shard = core::shard_of(step, node->settings.shards);
    if (units > 0)
      feed(step, units);
  }
  void put(const std::string& definition) {
    const auto saved = call(msg::put_webhook{"group", definition});
    BOOST_REQUIRE_MESSAGE(saved.value, (saved.error ? saved.error->detail : "no answer"));
    advance(2s);
  }
  void put_policy(const core::queue_name& queue, const std::string& policy) {
    const auto made = call(msg::put_queue{queue, policy});
    BOOST_REQUIRE_MESSAGE(made.value, (made.error ? made.error->detail : "no answer"));
  }
  msg::webhook_view group() {
    const auto list = call(msg::list_webhooks{"group"});
    BOOST_REQUIRE(list.value);
    BOOST_REQUIRE_EQUAL(list.value->webhooks.size(), 1U);
    return list.value->webhooks.front();
  }
  msg::webhook_place place() { return group().places.at(shard); }
  core::event_seq newest() const { return database->tables().shards[shard].event_seq; }
  /// Takes what is due and ends it well.
  seqs work_off(const std::string& worker) {
    const auto tasks = claimed(claim(worker, 100));
    for (const auto& task : tasks)
      BOOST_TEST((complete(worker, task) == core::errc::none));
    return seqs_of(tasks);
  }

  core::step_id step;
  core::shard_id shard = 0;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(consumer_groups, group_node) // A177, A160

// Or each of them would make one more, without an end.
BOOST_AUTO_TEST_CASE(the_ends_of_its_own_tasks_make_no_tasks_of_a_group) {
  put_policy("mail", R"({"events":["TaskCompleted","TaskCanceled"]})");
  put_policy("orders", R"({"events":["TaskCompleted"]})");
  put(into("mail", R"(,"types":["TaskCompleted"])"));
  const auto shard_of_group = core::shard_of(core::queue_name{"mail"}, node->settings.shards);
  enqueued(request());
  BOOST_TEST((complete("ana", one("ana")) == core::errc::none));
  advance(60s);
  // The end was told, and passed.
  BOOST_TEST(events(core::event_type::task_completed).size() == 1U);
  BOOST_TEST(group().places.at(shard_of_group).position
             == database->tables().shards[shard_of_group].event_seq);
  BOOST_TEST(claimed(claim("ana", 10)).empty());
  // That of another queue becomes a task, which ends as any other.
  auto ordered = request();
  BOOST_REQUIRE(call(msg::enqueue_tasks{"orders", {ordered}}).value);
  auto asked = claim("bob");
  asked.queue = "orders";
  const auto taken = claimed(asked);
  BOOST_REQUIRE_EQUAL(taken.size(), 1U);
  BOOST_REQUIRE(
      call(msg::complete_tasks{"orders", "bob", {{{taken[0].task, taken[0].token}, "{}"}}}).value);
  advance(60s);
  const auto told = claimed(claim("ana", 10));
  BOOST_REQUIRE_EQUAL(told.size(), 1U);
  const auto body = nlohmann::json::parse(told[0].body);
  BOOST_TEST(body.at("event").at("queue") == "orders");
  BOOST_TEST(body.at("event").at("task_id") == core::to_string(ordered.task));
  BOOST_TEST((complete("ana", told[0]) == core::errc::none));
  advance(60s);
  BOOST_TEST(claimed(claim("ana", 10)).empty());
}

BOOST_AUTO_TEST_CASE(a_group_gets_no_ends_of_tasks_unless_it_names_types_or_queues) {
  put_policy("orders", R"({"events":["TaskCanceled"]})");
  put(into("mail"));
  const auto ordered = request();
  BOOST_REQUIRE(call(msg::enqueue_tasks{"orders", {ordered}}).value);
  BOOST_REQUIRE(call(msg::change_task{"orders", ordered.task,
                                      static_cast<std::uint8_t>(core::task_verb::cancel)})
                    .value);
  advance(60s);
  BOOST_TEST(events(core::event_type::task_canceled).size() == 1U);
  BOOST_TEST(claimed(claim("ana", 10)).empty());
  const auto saved = call(msg::put_webhook{"named", into("mail", R"(,"queues":["orders"])")});
  BOOST_REQUIRE(saved.value);
  advance(60s);
  BOOST_TEST(claimed(claim("ana", 10)).size() == 1U);
}

// Each would make tasks of the other's without an end.
BOOST_AUTO_TEST_CASE(two_groups_that_feed_each_other_are_refused) {
  put(into("mail", R"(,"queues":["orders"])"));
  const auto back = call(msg::put_webhook{"back", into("orders", R"(,"queues":["mail"])")});
  BOOST_TEST((back.code() == core::errc::payload_invalid));
  BOOST_REQUIRE(back.error);
  BOOST_TEST(back.error->detail.find("through the queues orders, mail, orders")
                 != std::string::npos,
             back.error->detail);
  // What was there under its own name is replaced, and closes no circle.
  put(into("orders", R"(,"queues":["mail"])"));
}

BOOST_AUTO_TEST_CASE(every_wanted_event_becomes_one_task) {
  given_units(2);
  put(into("mail", R"(,"task_type":"unit","types":["UnitReadyForAssignment"])"));
  BOOST_TEST(place().position == newest());
  BOOST_TEST(group().state == "active");
  const auto tasks = claimed(claim("ana", 10));
  BOOST_TEST((seqs_of(tasks) == seqs{2, 3}));
  for (const auto& task : tasks) {
    BOOST_TEST(task.type == "unit");
    const auto body = nlohmann::json::parse(task.body);
    BOOST_TEST(body.size() == 3U);
    BOOST_TEST(body.at("shard").get<core::shard_id>() == shard);
    BOOST_TEST(body.at("event").at("type") == "UnitReadyForAssignment");
    BOOST_TEST(body.at("event").at("step_id") == core::to_string(step));
  }
  feed(step, 1, 2);
  settle();
  BOOST_TEST((work_off("bob") == seqs{4}));
  BOOST_TEST(place().position == newest());
}

// The queue has the tasks, and the delivery ends before it has stored how far it is: again and
// again, at last with the whole process. By then some of the tasks are over.
BOOST_AUTO_TEST_CASE(event_handed_over_again_after_a_crash_is_one_task) {
  given_units(2);
  database->set_refusals(stores_a_position);
  put(into("mail"));
  advance(10s);
  BOOST_TEST(place().position == 0U);
  BOOST_TEST(counts().live == 3U);
  const auto done = claimed(claim("ana", 2));
  for (const auto& task : done)
    BOOST_TEST((complete("ana", task) == core::errc::none));
  advance(10s);
  BOOST_TEST(counts().live == 1U);
  node->kill();
  restart();
  advance(10s);
  BOOST_TEST(place().position == 0U);
  database->set_refusals(nullptr);
  advance(70s); // what kept crashing was left alone for a minute
  BOOST_TEST(place().position == 3U);
  BOOST_TEST(counts().live == 1U);
  BOOST_TEST(counts().completed == 2U);
  auto all = seqs_of(done);
  all.merge(work_off("bob"));
  BOOST_TEST((all == seqs{1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(a_queue_that_is_not_there_is_waited_for) {
  given_units(2);
  put(into("later"));
  advance(10min); // more attempts than a post would have
  BOOST_TEST(place().waits == "not_found: no queue later; make it with put_queue");
  BOOST_TEST(place().stopped == "");
  BOOST_TEST(place().position == 0U);
  BOOST_TEST(place().dead_letters == 0U);
  BOOST_TEST(group().state == "active");
  node->kill();
  restart();
  advance(11s);
  BOOST_TEST(place().waits == "not_found: no queue later; make it with put_queue");
  put_policy("later", "{}");
  advance(11s);
  BOOST_TEST(place().waits == "");
  BOOST_TEST(place().position == 3U);
  BOOST_TEST(call(msg::get_queue_statistics{"later"}).value->live == 3U);
}

BOOST_AUTO_TEST_CASE(a_full_queue_takes_the_rest_when_there_is_room) {
  put_policy("mail", R"({"depth_max":2})");
  given_units(4);
  put(into("mail"));
  advance(11s);
  BOOST_TEST(place().position == 2U);
  BOOST_TEST(place().waits == "overloaded: the queue is full: 2 tasks are waiting or being done");
  BOOST_TEST((work_off("ana") == seqs{1, 2}));
  advance(11s);
  BOOST_TEST(place().position == 4U);
  BOOST_TEST((work_off("ana") == seqs{3, 4}));
  advance(11s);
  BOOST_TEST((work_off("ana") == seqs{5}));
  BOOST_TEST(place().position == 5U);
  BOOST_TEST(place().waits == "");
  BOOST_TEST(place().dead_letters == 0U);
}

BOOST_AUTO_TEST_CASE(workers_share_the_events) {
  given_units(5);
  put(into("mail"));
  auto of_ana = claimed(claim("ana", 2));
  const auto of_bob = claimed(claim("bob", 3));
  BOOST_TEST(of_ana.size() == 2U);
  BOOST_TEST(of_bob.size() == 3U);
  auto all = seqs_of(of_ana);
  all.merge(seqs_of(of_bob));
  all.merge(seqs_of({one("ana")}));
  BOOST_TEST((all == seqs{1, 2, 3, 4, 5, 6}));
  BOOST_TEST(claimed(claim("bob", 10)).empty());
}

// A160, A175, A176: tries, dead letters and their way back are those of the queue.
BOOST_AUTO_TEST_CASE(a_task_that_cannot_be_done_holds_up_no_event) {
  given_units(0);
  put(into("mail"));
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto task = one("ana");
    BOOST_TEST(seq_of(task) == 1U);
    BOOST_TEST((fail("ana", task, core::failure_kind::transient) == core::errc::none));
    advance(10s);
  }
  BOOST_TEST(counts().dead == 1U);
  feed(step, 2);
  settle();
  BOOST_TEST((work_off("ana") == seqs{2, 3}));
  BOOST_TEST(place().position == 3U);
  BOOST_TEST(place().dead_letters == 0U);
  BOOST_TEST(group().state == "active");
  const auto again = call(msg::redrive_tasks{"mail", "", "", {}, 100});
  BOOST_REQUIRE(again.value);
  BOOST_TEST(again.value->redriven == 1U);
  BOOST_TEST((work_off("ana") == seqs{1}));
}

BOOST_AUTO_TEST_CASE(an_event_that_the_queue_refuses_is_a_dead_letter_and_can_be_replayed) {
  put_policy("mail", R"({"types":{"event":{"versions":{"1":{"body":
    {"properties":{"seq":{"not":{"const":2}}}}}}}}})");
  given_units(2);
  put(into("mail"));
  BOOST_TEST(place().position == 3U);
  BOOST_TEST(place().dead_letters == 1U);
  BOOST_TEST(place().stopped == "");
  const auto page = call(msg::list_dead_letters{"group", shard, 0, 100});
  BOOST_REQUIRE(page.value);
  BOOST_REQUIRE_EQUAL(page.value->letters.size(), 1U);
  BOOST_TEST(page.value->letters.front().seq == 2U);
  BOOST_TEST(page.value->letters.front().status == 0U);
  BOOST_TEST(page.value->letters.front().reason.find("payload_invalid: ") == 0U);
  BOOST_TEST((work_off("ana") == seqs{1, 3}));

  const auto replay = [&] {
    const auto answer = call(msg::replay_webhook{"group", shard, 1, 0, 100});
    BOOST_REQUIRE(answer.value);
    advance(2s);
    return answer.value->dead_letters;
  };
  BOOST_TEST(replay() == 1U);
  BOOST_TEST(place().dead_letters == 1U); // refused again: dead again
  put_policy("mail", "{}");
  BOOST_TEST(replay() == 1U);
  BOOST_TEST(place().dead_letters == 0U);
  BOOST_TEST((work_off("ana") == seqs{2}));
}

// What the queue still knows is not made again; a subscription of its own begins at the beginning.
BOOST_AUTO_TEST_CASE(going_back_fills_gaps_and_repeats_nothing) {
  given_units(2);
  put(into("mail"));
  BOOST_TEST((work_off("ana") == seqs{1, 2, 3}));
  const auto moved = call(msg::replay_webhook{"group", shard, 3, 0, 1});
  BOOST_REQUIRE(moved.value);
  advance(2s);
  BOOST_TEST(place().position == 3U);
  BOOST_TEST(work_off("ana").empty());
  BOOST_REQUIRE(call(msg::put_webhook{"other", into("mail")}).value);
  advance(2s);
  BOOST_TEST((work_off("ana") == seqs{1, 2, 3}));
}

// The first queue has the tasks; that the delivery could not say so changes nothing about that.
BOOST_AUTO_TEST_CASE(event_with_a_task_gets_none_in_another_queue) {
  put_policy("second", "{}");
  given_units(2);
  database->set_refusals(stores_a_position);
  put(into("mail"));
  BOOST_TEST(counts().live == 3U);
  advance(15s); // so that the second queue does not take the ids for new ones
  put(into("second"));
  database->set_refusals(nullptr);
  advance(70s); // what kept crashing was left alone for a minute
  BOOST_TEST(place().position == 3U);
  BOOST_TEST(place().dead_letters == 0U);
  BOOST_TEST(call(msg::get_queue_statistics{"second"}).value->live == 0U);
  feed(step, 1, 2);
  settle();
  BOOST_TEST(counts().live == 3U);
  BOOST_TEST(call(msg::get_queue_statistics{"second"}).value->live == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
