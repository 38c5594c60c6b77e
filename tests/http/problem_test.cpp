// Errors as application/problem+json.

#include "http/problem.hpp"

#include "core/errors.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace holdfast;
using namespace holdfast::http;

namespace {

/// All codes but `none`.
std::vector<core::errc> all_codes() {
  std::vector<core::errc> all;
  for (unsigned number = 1;; ++number) {
    const auto code = static_cast<core::errc>(number);
    if (core::describe(code).code != code)
      return all;
    all.push_back(code);
  }
}

nlohmann::json body_json(const response& problem) {
  auto read = nlohmann::json::parse(problem.body, nullptr, false);
  BOOST_REQUIRE_MESSAGE(read.is_object(), problem.body);
  return read;
}

std::string header_value(const response& problem, std::string_view name) {
  for (const auto& one : problem.headers)
    if (one.name == name)
      return one.value;
  return "none";
}

} // namespace

BOOST_AUTO_TEST_SUITE(problem_documents)

BOOST_AUTO_TEST_CASE(each_code_has_the_status_of_the_contract) {
  const std::map<core::errc, unsigned> statuses{
      {core::errc::invalid_argument, 400},  {core::errc::not_found, 404},
      {core::errc::no_unit_available, 404}, {core::errc::payload_invalid, 422},
      {core::errc::too_large, 413},         {core::errc::lease_not_held, 409},
      {core::errc::stale_token, 409},       {core::errc::lease_expired, 409},
      {core::errc::already_judged, 409},    {core::errc::not_extendable, 409},
      {core::errc::already_exists, 409},    {core::errc::wrong_state, 409},
      {core::errc::limit_reached, 429},     {core::errc::overloaded, 503},
      {core::errc::unavailable, 503},       {core::errc::fenced, 503},
      {core::errc::duplicate_message, 409}, {core::errc::refused_by_store, 500},
      {core::errc::damaged, 500},           {core::errc::not_qualified, 403},
      {core::errc::events_gone, 410},       {core::errc::rate_limited, 429},
  };
  for (const auto code : all_codes()) {
    const std::string name{core::to_string(code)};
    const auto found = statuses.find(code);
    BOOST_TEST_REQUIRE((found != statuses.end()), name << " has no status here");
    BOOST_TEST(status_of(code) == found->second, name);
  }
  BOOST_TEST(all_codes().size() == statuses.size());
  BOOST_TEST(status_of(core::errc::none) == 200U);
}

BOOST_AUTO_TEST_CASE(a_failure_is_told_by_its_code_with_advice_and_detail) {
  for (const auto code : all_codes()) {
    const auto& row = core::describe(code);
    const auto problem = problem_of(core::failure{code, "the detail"});
    BOOST_TEST(problem.status == status_of(code));
    BOOST_TEST(problem.content_type == "application/problem+json");
    const auto body = body_json(problem);
    BOOST_TEST(body.at("type").get<std::string>() == "/docs#error-" + std::string{row.name});
    BOOST_TEST(body.at("title").get<std::string>() == row.advice);
    BOOST_TEST(body.at("status").get<unsigned>() == problem.status);
    BOOST_TEST(body.at("detail").get<std::string>() == "the detail");
    BOOST_TEST(body.at("code").get<std::string>() == row.name);
    BOOST_TEST(body.at("retryable").get<bool>() == row.retryable);
    BOOST_TEST(!body.contains("errors"));
  }
}

BOOST_AUTO_TEST_CASE(answers_that_want_patience_say_how_much) {
  for (const auto code : all_codes()) {
    const auto problem = problem_of(core::failure{code, {}});
    const bool later = problem.status == 429 || problem.status == 503;
    BOOST_TEST(header_value(problem, "Retry-After") == (later ? "1" : "none"));
  }
}

BOOST_AUTO_TEST_CASE(pause_that_is_known_is_told_in_whole_seconds) {
  const auto told = [](core::duration pause) {
    return header_value(problem_of(core::failure{core::errc::rate_limited, {}, pause}),
                        "Retry-After");
  };
  BOOST_TEST(told(std::chrono::milliseconds{1}) == "1");
  BOOST_TEST(told(std::chrono::milliseconds{1001}) == "2");
  BOOST_TEST(told(std::chrono::minutes{10}) == "600");
}

BOOST_AUTO_TEST_CASE(details_are_escaped) {
  const std::string detail = "\"}, \\ \n\x01 <b>ä</b>";
  const auto body = body_json(problem_of(core::failure{core::errc::not_found, detail}));
  BOOST_TEST(body.at("detail").get<std::string>() == detail);
  BOOST_TEST(body_json(problem_of(core::failure{core::errc::not_found, "a\xff"}))
                 .at("detail")
                 .get<std::string>()
             == "a\xEF\xBF\xBD");
  BOOST_TEST(body_json(problem_of(refusal::route_unknown, detail)).at("detail").get<std::string>()
             == detail);
}

BOOST_AUTO_TEST_CASE(problems_of_a_request_are_listed_with_their_places) {
  const auto problem = problem_of(
      std::vector<request_problem>{{"/tasks/0/type", "is \"missing\""}, {"", "no body"}});
  BOOST_TEST(problem.status == 400U);
  const auto body = body_json(problem);
  BOOST_TEST(body.at("code").get<std::string>() == "invalid_argument");
  BOOST_TEST(body.at("detail").get<std::string>() == "/tasks/0/type is \"missing\"; no body");
  BOOST_TEST(body.at("retryable").get<bool>() == false);
  const auto& errors = body.at("errors");
  BOOST_REQUIRE_EQUAL(errors.size(), 2U);
  BOOST_TEST(errors[0].at("place").get<std::string>() == "/tasks/0/type");
  BOOST_TEST(errors[0].at("detail").get<std::string>() == "is \"missing\"");
  BOOST_TEST(errors[1].at("place").get<std::string>() == "");
  BOOST_TEST(errors[1].at("detail").get<std::string>() == "no body");
}

BOOST_AUTO_TEST_CASE(a_problem_tells_its_code_and_gets_its_trace) {
  auto problem = problem_of(core::failure{core::errc::not_found, "\"trace_id\":\"x\""});
  BOOST_TEST(is_problem(problem));
  BOOST_TEST(code_of_problem(problem) == "not_found");
  add_trace_id(problem, "0af7651916cd43dd8448eb211c80319c");
  BOOST_TEST(body_json(problem).at("trace_id").get<std::string>()
             == "0af7651916cd43dd8448eb211c80319c");
  BOOST_TEST(!is_problem(response{}));
  BOOST_TEST(code_of_problem(response{}) == "");
}

BOOST_AUTO_TEST_CASE(refusals_of_http_have_codes_of_their_own) {
  struct expected {
    refusal why;
    unsigned status;
    std::string code;
    bool retryable = false;
  };
  const std::vector<expected> all{
      {refusal::unauthenticated, 401, "unauthenticated"},
      {refusal::not_allowed, 403, "not_allowed"},
      {refusal::cross_site, 403, "cross_site"},
      {refusal::route_unknown, 404, "route_unknown"},
      {refusal::method_not_allowed, 405, "method_not_allowed"},
      {refusal::unsupported_media_type, 415, "unsupported_media_type"},
      {refusal::request_malformed, 400, "request_malformed"},
      {refusal::body_too_large, 413, "body_too_large"},
      {refusal::header_too_large, 431, "header_too_large"},
      {refusal::too_many_guesses, 429, "too_many_guesses", true},
      {refusal::request_timeout, 408, "request_timeout", true},
      {refusal::internal_error, 500, "internal_error"},
      {refusal::precondition_failed, 412, "precondition_failed"},
      {refusal::precondition_required, 428, "precondition_required"},
  };
  BOOST_TEST(all.size() == all_refusals().size());
  for (const auto& one : all)
    BOOST_TEST(std::count(all_refusals().begin(), all_refusals().end(), one.why) == 1, one.code);
  std::set<std::string> codes;
  for (const auto code : all_codes())
    codes.emplace(core::to_string(code));
  for (const auto& one : all) {
    const auto problem = problem_of(one.why, "the detail");
    const auto body = body_json(problem);
    BOOST_TEST(problem.status == one.status, one.code);
    BOOST_TEST(problem.content_type == "application/problem+json");
    BOOST_TEST(body.at("status").get<unsigned>() == one.status, one.code);
    BOOST_TEST(body.at("code").get<std::string>() == one.code);
    BOOST_TEST(body.at("type").get<std::string>() == "/docs#error-" + one.code);
    BOOST_TEST(body.at("detail").get<std::string>() == "the detail");
    BOOST_TEST(!body.at("title").get<std::string>().empty(), one.code);
    BOOST_TEST(body.at("retryable").get<bool>() == one.retryable, one.code);
    BOOST_TEST(codes.insert(one.code).second, one.code << " is a code already");
    BOOST_TEST(header_value(problem, "WWW-Authenticate")
               == (one.why == refusal::unauthenticated ? "Bearer" : "none"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
