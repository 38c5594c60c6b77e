#include "core/push.hpp"

#include "core/backoff.hpp"
#include "core/json_text.hpp"
#include "core/mended_text.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace holdfast::core {

namespace {

using push_way = push_verdict::way;

/// Of what a receiver says in the body of an error.
constexpr std::size_t answer_words_max = 1024;

push_verdict push_failed(failure_kind kind, std::string code, std::string detail,
                         duration retry_after = duration::zero()) {
  push_verdict verdict;
  verdict.how = push_way::fail;
  verdict.kind = kind;
  verdict.error = {std::move(code), std::move(detail)};
  verdict.retry_after = retry_after;
  return verdict;
}

bool is_text_type(std::string_view content_type) {
  constexpr std::string_view text = "text/";
  return content_type.size() >= text.size()
         && std::equal(text.begin(), text.end(), content_type.begin(), [](char small, char c) {
              return c == small || (c >= 'A' && c <= 'Z' && c - 'A' + 'a' == small);
            });
}

bool is_blank_answer(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

push_verdict answered_well(const post_answer& answer, const text_check& check_result) {
  switch (answer.body_is) {
  case answer_body::too_large:
    return push_failed(failure_kind::permanent, "PUSH_ANSWER_TOO_LARGE",
                       "the receiver answered HTTP " + std::to_string(answer.status)
                           + " with more than the " + std::to_string(answer.body.size())
                           + " bytes that a result may have (limits.payload_bytes)");
  case answer_body::broken:
    return push_failed(failure_kind::transient, "PUSH_NO_ANSWER", answer.reason);
  case answer_body::whole:
    break;
  }
  push_verdict verdict;
  if (is_blank_answer(answer.body))
    return verdict;
  const bool as_text = is_text_type(answer.content_type);
  verdict.result = as_text ? json_quoted(answer.body) : answer.body;
  const auto why = check_result(verdict.result);
  if (why.code == errc::none)
    return verdict;
  return push_failed(failure_kind::permanent, "PUSH_ANSWER_INVALID",
                     "the receiver answered HTTP " + std::to_string(answer.status)
                         + (as_text ? " with a text that can be no result: "
                                    : " with a body that is neither JSON nor of a type text/…: ")
                         + why.detail);
}

/// The status of the receiver's answer, with the beginning of its text.
std::string answer_words(const post_answer& answer) {
  auto words = "the receiver answered HTTP " + std::to_string(answer.status);
  if (!is_blank_answer(answer.body))
    words += ": " + mended_text(answer.body, answer_words_max);
  return words;
}

} // namespace

worker_id pusher_of(const queue_name& queue) { return "push:" + queue; }

std::string push_id(const task_id& task, std::uint32_t attempt) {
  return to_string(task) + '-' + std::to_string(attempt);
}

push_verdict judge_push(const post_answer& answer, const text_check& check_result) {
  const auto status = answer.status;
  if (answer.verdict == post_verdict::barred || (status >= 300 && status < 400)) {
    push_verdict verdict;
    verdict.how = push_way::put_off;
    verdict.error = {"PUSH_BLOCKED", answer.reason};
    return verdict;
  }
  if (status == 0)
    return push_failed(failure_kind::transient, "PUSH_NO_ANSWER", answer.reason);
  if (status == 202) {
    push_verdict verdict;
    verdict.how = push_way::accepted;
    return verdict;
  }
  if (status >= 200 && status < 300)
    return answered_well(answer, check_result);
  const auto code = "HTTP_" + std::to_string(status);
  if ((status == 429 || status == 503) && answer.retry_after)
    return push_failed(failure_kind::rate_limited, code, answer_words(answer), *answer.retry_after);
  const bool may_pass = verdict_on(status) == post_verdict::again;
  return push_failed(may_pass ? failure_kind::transient : failure_kind::permanent, code,
                     answer_words(answer), answer.retry_after.value_or(duration::zero()));
}

duration push_pause(std::uint32_t blocked_in_a_row) {
  constexpr duration least = std::chrono::seconds{1};
  return backoff(blocked_in_a_row, least, push_pause_most);
}

} // namespace holdfast::core
