#pragma once

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace holdfast::test {

/// Leases of 30 s that may be extended to 90 s; three tries.
inline const std::string mail_policy = R"({"lease": {"ttl_seconds": 30, "total_max_seconds": 90},
                               "retry": {"max_attempts": 3, "least_seconds": 1,
                                         "most_seconds": 8}})";

/// A node with one queue, `mail`, and what producers and workers say to it in one line each.
struct node_with_queue : node_fixture {
  node_with_queue() {
    start();
    BOOST_REQUIRE(call(msg::put_queue{"mail", mail_policy}).value);
  }

  msg::task_request request(const std::string& body = "{}") {
    msg::task_request r;
    r.task = fresh<core::task_id>();
    r.type = "send";
    r.body = body;
    return r;
  }
  msg::task_outcome enqueue(const msg::task_request& r) {
    auto answered = call(msg::enqueue_tasks{"mail", {r}});
    BOOST_REQUIRE(answered.value);
    BOOST_REQUIRE_EQUAL(answered.value->outcomes.size(), 1U);
    return answered.value->outcomes.front();
  }
  core::task_id enqueued(const msg::task_request& r) {
    const auto outcome = enqueue(r);
    BOOST_TEST((outcome.refusal == core::errc::none));
    return outcome.task;
  }
  msg::claim_tasks claim(const std::string& worker, std::uint32_t most = 1) {
    msg::claim_tasks c;
    c.queue = "mail";
    c.worker = worker;
    c.claim = fresh<core::assignment_id>();
    c.most = most;
    return c;
  }
  std::vector<msg::leased_task> claimed(const msg::claim_tasks& c) {
    auto answered = call(c);
    BOOST_REQUIRE(answered.value);
    return answered.value->tasks;
  }
  msg::leased_task one(const std::string& worker) {
    auto tasks = claimed(claim(worker));
    BOOST_REQUIRE_EQUAL(tasks.size(), 1U);
    return tasks.front();
  }

  core::errc complete(const std::string& worker, const msg::leased_task& t,
                      const std::string& result = "{}") {
    auto answered = call(msg::complete_tasks{"mail", worker, {{{t.task, t.token}, result}}});
    BOOST_REQUIRE(answered.value);
    return answered.value->outcomes.front().refusal;
  }
  core::errc fail(const std::string& worker, const msg::leased_task& t, core::failure_kind kind,
                  core::duration retry_after = {}) {
    msg::fail_task f;
    f.queue = "mail";
    f.worker = worker;
    f.task = {t.task, t.token};
    f.kind = static_cast<std::uint8_t>(kind);
    f.error_code = "SMTP_BUSY";
    f.detail = "421";
    f.retry_after = retry_after;
    auto answered = call(f);
    BOOST_REQUIRE(answered.value);
    return answered.value->refusal;
  }

  /// The task is done, and another one follows.
  msg::follow_task follow_up(const std::string& worker, const msg::leased_task& t) {
    msg::follow_task f;
    f.queue = "mail";
    f.worker = worker;
    f.done = {{t.task, t.token}, R"({"done":1})"};
    f.next = request();
    f.claim = fresh<core::assignment_id>();
    return f;
  }

  msg::task_view view(const core::task_id& task) {
    auto answered = call(msg::get_task{task});
    BOOST_REQUIRE(answered.value);
    return *answered.value;
  }
  msg::queue_statistics counts() {
    auto answered = call(msg::get_queue_statistics{"mail"});
    BOOST_REQUIRE(answered.value);
    return *answered.value;
  }
};

} // namespace holdfast::test
