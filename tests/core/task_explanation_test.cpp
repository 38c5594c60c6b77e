// Why a task does not move: from the limits that decide.

#include "core/task_explanation.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast::core;
using holdfast::test::beginning;
using namespace std::chrono_literals;

namespace {

struct asked_queue {
  queue q;
  instant now = beginning;

  asked_queue() {
    q.name = "mail";
    q.revision = 1;
  }

  task_id make(const std::string& key = "", instant run_at = {}) {
    new_task t;
    t.spec.id = {ids_.next(now)};
    t.spec.type = "send";
    t.spec.key = key;
    t.spec.body = "{}";
    t.run_at = run_at;
    const auto made = decide(q, enqueue{{t}}, now).answer;
    BOOST_REQUIRE((made.front().refusal == errc::none));
    return t.spec.id;
  }
  std::vector<task_id> claimed(const std::string& worker, std::uint32_t most = 1) {
    claim asked;
    asked.worker = worker;
    asked.id = {ids_.next(now)};
    asked.most = most;
    return decide(q, asked, now).answer;
  }
  std::string codes(const task_id& id) const {
    std::string text;
    for (const auto& why : explain(q, q.tasks.at(id), now))
      text += (text.empty() ? "" : " ") + why.code;
    return text;
  }
  std::string text(const task_id& id) const { return explain(q, q.tasks.at(id), now).front().text; }
  held_task hold_of(const task_id& id) const { return {id, q.tasks.at(id).held()->token}; }

private:
  uuid_source ids_{5};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(task_explanations, asked_queue)

BOOST_AUTO_TEST_CASE(a_task_that_nothing_keeps_waits_for_a_worker) {
  const auto first = make();
  now += 1s;
  const auto second = make();
  BOOST_TEST(codes(first) == "waiting");
  BOOST_TEST(codes(second) == "behind");
  BOOST_TEST(text(second).find("1 of the same key") == 0U);
  BOOST_TEST((claimed("w") == std::vector{first}));
  BOOST_TEST(codes(first) == "leased");
  BOOST_TEST(text(first).find("w has it until ") == 0U);
  BOOST_TEST(codes(second) == "waiting");
  now += q.policy.lease.ttl;
  BOOST_TEST(codes(first) == "lease_ran_out");
}

BOOST_AUTO_TEST_CASE(stops_by_somebody_are_told_first) {
  const auto task = make();
  decide(q, task_verb::pause, task, now);
  BOOST_TEST(codes(task) == "paused");
  decide(q, pause_queue{true, "send"}, now);
  BOOST_TEST(codes(task) == "type_paused paused");
  decide(q, pause_queue{true, ""}, now);
  BOOST_TEST(codes(task) == "queue_paused type_paused paused");
  decide(q, task_verb::resume, task, now);
  decide(q, pause_queue{false, "send"}, now);
  decide(q, pause_queue{false, ""}, now);
  BOOST_TEST(codes(task) == "waiting");
}

// B49, C34
BOOST_AUTO_TEST_CASE(limits_are_named) {
  q.policy.running_max = 1;
  q.policy.running_per_key_max = 1;
  q.policy.types["send"].running_max = 1;
  q.policy.types["send"].rate = {0.5, 1};
  make("ana");
  BOOST_TEST(claimed("w").size() == 1U);
  const auto next = make("ana");
  BOOST_TEST(codes(next) == "queue_full key_full type_full type_rate");
  BOOST_TEST(text(next) == "as many tasks of the queue are leased as may be, 1 at once");
  BOOST_TEST(claimed("v").empty());
}

BOOST_AUTO_TEST_CASE(a_task_that_failed_says_when_it_is_due_again) {
  const auto later = make("", now + 1h);
  BOOST_TEST(codes(later) == "not_due");
  const auto task = make();
  BOOST_REQUIRE(claimed("w").size() == 1U);
  fail_task failed;
  failed.worker = "w";
  failed.task = hold_of(task);
  failed.retry_after = 1min;
  BOOST_REQUIRE((decide(q, failed, now).answer.refusal == errc::none));
  BOOST_TEST(codes(task) == "not_due");
  BOOST_TEST(text(task).find("after it failed once") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(one_that_keeps_killing_its_workers_is_suspect) {
  const auto task = make();
  q.policy.retry.crashes_max = 2;
  BOOST_REQUIRE(claimed("w").size() == 1U);
  decide(q, lose_worker{"w"}, now);
  now = q.tasks.at(task).progress.next_action;
  BOOST_TEST(codes(task) == "suspect");
  BOOST_TEST(text(task).find("its workers died once") == 0U);
}

BOOST_AUTO_TEST_CASE(a_task_that_is_over_says_how) {
  const auto one = [&](task_ending ending, const std::string& code) {
    const auto reasons = explain(ending, {code, "secret"}, now);
    BOOST_TEST(reasons.size() == 1U);
    BOOST_TEST(reasons.front().text.find("secret") == std::string::npos);
    return reasons.front();
  };
  BOOST_TEST(one(task_ending::completed, "").code == "completed");
  BOOST_TEST(one(task_ending::failed, "BAD_ADDRESS").code == "failed");
  BOOST_TEST(one(task_ending::failed, "BAD_ADDRESS").text.find("BAD_ADDRESS") != std::string::npos);
  BOOST_TEST(one(task_ending::canceled, "").code == "canceled");
  BOOST_TEST(one(task_ending::dead, "TIMEOUT").code == "dead");
}

BOOST_AUTO_TEST_SUITE_END()
