// A node lets in what `holdfast.enqueue` lets in: see tests/persistence/enqueue_verdicts_test.cpp.

#include "tests/support/enqueue_inputs.hpp"
#include "tests/support/queue_fixture.hpp"

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct node_that_judges : node_fixture {
  node_that_judges() {
    prepare().settings.json = enqueue_limits;
    start();
    BOOST_REQUIRE(call(msg::put_queue{"mail", enqueue_policy}).value);
  }

  static msg::task_request request_of(const core::new_task& task) {
    const auto& spec = task.spec;
    msg::task_request r;
    r.task = spec.id;
    r.type = spec.type;
    r.version = spec.version;
    r.body = spec.body;
    r.state = task.state;
    r.data = task.data;
    r.priority = spec.priority;
    r.key = spec.key;
    r.credential = spec.credential;
    r.unique_key = spec.unique_key;
    r.max_attempts = spec.max_attempts;
    r.owner_id = spec.owner_id;
    r.run_as_id = spec.run_as_id;
    r.trace_id = spec.trace_id;
    r.span_id = spec.span_id;
    return r;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(enqueue_verdicts, node_that_judges)

// finding Q8
BOOST_AUTO_TEST_CASE(message_takes_and_refuses_what_the_function_does) {
  for (auto& input : enqueue_inputs()) {
    input.task.spec.id = fresh<core::task_id>();
    const auto answered = call(msg::enqueue_tasks{"mail", {request_of(input.task)}});
    BOOST_REQUIRE_MESSAGE(answered.value, input.what);
    const auto& outcome = answered.value->outcomes.front();
    BOOST_TEST((outcome.refusal == core::errc::none) == input.good,
               input.what << ": " << core::to_string(outcome.refusal) << ' ' << outcome.detail);
  }
}

// The intake decides about what is staged as about what is sent.
BOOST_AUTO_TEST_CASE(intake_takes_and_refuses_what_the_message_does) {
  std::size_t good = 0;
  std::size_t bad = 0;
  for (auto& input : enqueue_inputs()) {
    input.task.spec.id = fresh<core::task_id>();
    database->insert_staged("mail", input.task);
    ++(input.good ? good : bad);
  }
  advance(1s);
  const auto told = call(msg::get_queue_intake{"mail"});
  BOOST_REQUIRE(told.value);
  BOOST_TEST(told.value->staged == 0U);
  BOOST_TEST(told.value->refused == bad);
  BOOST_TEST(database->tables().tasks.size() == good);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
