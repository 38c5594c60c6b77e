// What becomes of a task after each answer of the receiver to which it was posted.

#include "core/push.hpp"
#include "core/uuid.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::core;
using namespace std::chrono_literals;
using then_to = push_verdict::way;

namespace {

/// Takes what begins as JSON does.
failure begins_as_json(std::string_view text) {
  if (!text.empty() && std::string_view{"{[\"0123456789tfn"}.find(text.front()) != text.npos)
    return {};
  return {errc::payload_invalid, "no JSON at 1"};
}

post_answer answer(std::uint32_t status, const std::string& body = {},
                   const std::string& content_type = "application/json") {
  post_answer said;
  said.status = status;
  said.verdict = verdict_on(status);
  said.reason = "HTTP " + std::to_string(status);
  said.body = body;
  said.content_type = content_type;
  return said;
}

post_answer after(post_answer said, duration retry_after) {
  said.retry_after = retry_after;
  return said;
}

push_verdict judged(const post_answer& said) { return judge_push(said, begins_as_json); }

/// The verdict of a failure: its kind and code.
bool fails(const push_verdict& verdict, failure_kind kind, const std::string& code) {
  BOOST_TEST(verdict.error.code == code);
  return verdict.how == then_to::fail && verdict.kind == kind && verdict.error.code == code;
}

} // namespace

BOOST_AUTO_TEST_SUITE(answers_to_pushed_tasks)

BOOST_AUTO_TEST_CASE(every_2xx_but_202_completes_the_task_with_the_body_as_result) {
  for (const auto status : {200U, 201U, 203U, 207U, 299U}) {
    const auto verdict = judged(answer(status, R"({"sent":true})"));
    BOOST_TEST((verdict.how == then_to::complete), status);
    BOOST_TEST(verdict.result == R"({"sent":true})");
  }
}

BOOST_AUTO_TEST_CASE(an_empty_body_is_no_result) {
  for (const auto* body : {"", "\n", " \t\r\n"}) {
    BOOST_TEST((judged(answer(204, body)).how == then_to::complete));
    BOOST_TEST(judged(answer(204, body)).result == "");
    BOOST_TEST(judged(answer(200, body, "text/plain")).result == "");
  }
}

BOOST_AUTO_TEST_CASE(a_text_becomes_a_json_string_and_any_other_body_must_be_json) {
  for (const auto* type : {"text/plain", "TEXT/Html; charset=utf-8"}) {
    const auto verdict = judged(answer(200, "it is \"done\"", type));
    BOOST_TEST((verdict.how == then_to::complete), type);
    BOOST_TEST(verdict.result == R"("it is \"done\"")");
  }
  for (const auto* type : {"", "text", "textual/plain", "application/octet-stream"}) {
    BOOST_TEST(judged(answer(200, "1", type)).result == "1");
    const auto verdict = judged(answer(200, "it is done", type));
    BOOST_TEST(fails(verdict, failure_kind::permanent, "PUSH_ANSWER_INVALID"), type);
    BOOST_TEST(verdict.error.detail.find("no JSON at 1") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_result_that_is_too_large_fails_the_task_for_good) {
  auto said = answer(200, "{\"a\":");
  said.body_is = answer_body::too_large;
  const auto verdict = judged(said);
  BOOST_TEST(fails(verdict, failure_kind::permanent, "PUSH_ANSWER_TOO_LARGE"));
  BOOST_TEST(verdict.error.detail.find("more than the 5 bytes") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_result_that_breaks_off_is_asked_for_again) {
  auto said = answer(200, "{}");
  said.body_is = answer_body::broken;
  said.reason = "the answer broke off: Timeout was reached";
  const auto verdict = judged(said);
  BOOST_TEST(fails(verdict, failure_kind::transient, "PUSH_NO_ANSWER"));
  BOOST_TEST(verdict.error.detail == said.reason);
}

BOOST_AUTO_TEST_CASE(accepted_tasks_stay_leased_whatever_the_body_says) {
  BOOST_TEST((judged(answer(202)).how == then_to::accepted));
  auto said = answer(202, "nonsense");
  said.body_is = answer_body::broken;
  BOOST_TEST((judged(said).how == then_to::accepted));
}

BOOST_AUTO_TEST_CASE(a_receiver_that_says_when_to_come_again_puts_the_task_off) {
  for (const auto status : {429U, 503U}) {
    const auto code = "HTTP_" + std::to_string(status);
    const auto put_off = judged(after(answer(status), 17s));
    BOOST_TEST(fails(put_off, failure_kind::rate_limited, code));
    BOOST_TEST((put_off.retry_after == 17s));
    const auto failed = judged(answer(status));
    BOOST_TEST(fails(failed, failure_kind::transient, code));
    BOOST_TEST((failed.retry_after == 0s));
  }
}

BOOST_AUTO_TEST_CASE(other_errors_of_the_server_are_tried_again_and_not_before_it_says) {
  for (const auto status : {408U, 425U, 500U, 502U, 504U, 599U, 600U}) {
    const auto verdict = judged(after(answer(status), 30s));
    BOOST_TEST(fails(verdict, failure_kind::transient, "HTTP_" + std::to_string(status)));
    BOOST_TEST((verdict.retry_after == 30s));
  }
}

BOOST_AUTO_TEST_CASE(errors_of_the_task_fail_it_for_good) {
  for (const auto status : {400U, 401U, 404U, 409U, 410U, 413U, 422U, 499U})
    BOOST_TEST(
        fails(judged(answer(status)), failure_kind::permanent, "HTTP_" + std::to_string(status)));
}

BOOST_AUTO_TEST_CASE(words_of_the_receiver_are_kept_within_bounds) {
  BOOST_TEST(judged(answer(400, "no address")).error.detail
             == "the receiver answered HTTP 400: no address");
  BOOST_TEST(judged(answer(400, "\n")).error.detail == "the receiver answered HTTP 400");
  const std::string begin = "the receiver answered HTTP 400: ";
  BOOST_TEST(judged(answer(400, std::string(1024, 'x'))).error.detail.size()
             == begin.size() + 1024);
  BOOST_TEST(judged(answer(400, std::string(1025, 'x'))).error.detail.size()
             == begin.size() + 1024);
  BOOST_TEST(judged(answer(400, "\xff")).error.detail == begin + "\xef\xbf\xbd");
}

BOOST_AUTO_TEST_CASE(silence_is_tried_again) {
  const auto verdict = judged({post_verdict::again, 0, {}, "no answer: connection refused"});
  BOOST_TEST(fails(verdict, failure_kind::transient, "PUSH_NO_ANSWER"));
  BOOST_TEST(verdict.error.detail == "no answer: connection refused");
}

BOOST_AUTO_TEST_CASE(tasks_are_not_burnt_where_nobody_can_have_got_them) {
  for (const auto& said : {post_answer{post_verdict::barred, 0, {}, "the host is at 10.0.0.1"},
                           answer(300, "{}"), answer(301), answer(307), answer(399)}) {
    const auto verdict = judged(said);
    BOOST_TEST((verdict.how == then_to::put_off), said.status);
    BOOST_TEST(verdict.error.code == "PUSH_BLOCKED");
    BOOST_TEST(verdict.error.detail == said.reason);
  }
}

BOOST_AUTO_TEST_CASE(pauses_of_a_queue_that_cannot_post_grow_up_to_a_minute) {
  BOOST_TEST((push_pause(0) == 1s));
  BOOST_TEST((push_pause(1) == 2s));
  BOOST_TEST((push_pause(5) == 32s));
  BOOST_TEST((push_pause(6) == 60s));
  BOOST_TEST((push_pause(4'000'000'000U) == 60s));
}

BOOST_AUTO_TEST_CASE(the_post_is_named_by_task_and_attempt) {
  const task_id task{*parse_uuid("018f2c5e-7c1a-7000-8000-000000000001")};
  BOOST_TEST(push_id(task, 1) == "018f2c5e-7c1a-7000-8000-000000000001-1");
  BOOST_TEST(push_id(task, 12) == "018f2c5e-7c1a-7000-8000-000000000001-12");
  BOOST_TEST(pusher_of("mail") == "push:mail");
}

BOOST_AUTO_TEST_SUITE_END()
