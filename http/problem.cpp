#include "http/problem.hpp"

#include "http/failure_places.hpp"
#include "http/json_values.hpp"

#include <algorithm>
#include <chrono>

namespace holdfast::http {

namespace {

struct refusal_row {
  unsigned status;
  std::string_view code;
  std::string_view title;
  bool retryable = false;
};

refusal_row row_of(refusal why) {
  switch (why) {
  case refusal::unauthenticated:
    return {401, "unauthenticated", "Send a valid token."};
  case refusal::not_allowed:
    return {403, "not_allowed", "Ask for a token with a role that may do this."};
  case refusal::cross_site:
    return {403, "cross_site",
            "Send it from a page of this node, with the header X-Holdfast-CSRF."};
  case refusal::route_unknown:
    return {404, "route_unknown", "Correct the path: /openapi.json lists all of them."};
  case refusal::method_not_allowed:
    return {405, "method_not_allowed", "Use a method that the header Allow names."};
  case refusal::unsupported_media_type:
    return {415, "unsupported_media_type", "Send application/json."};
  case refusal::request_malformed:
    break;
  case refusal::body_too_large:
    return {413, "body_too_large", "Send less in one request."};
  case refusal::header_too_large:
    return {431, "header_too_large", "Send fewer or shorter header fields."};
  case refusal::too_many_guesses:
    return {429, "too_many_guesses", "Send a valid token, after a pause.", true};
  case refusal::request_timeout:
    return {408, "request_timeout", "Send the request again, without pauses.", true};
  case refusal::internal_error:
    return {500, "internal_error", "Report it with the time of the request.", false};
  case refusal::precondition_failed:
    return {412, "precondition_failed", "Read the item again, and decide anew."};
  case refusal::precondition_required:
    return {428, "precondition_required", "Name the version that is to be changed."};
  }
  return {400, "request_malformed", "Correct the request."};
}

/// When to come again after an answer with 429 or 503 that does not know better.
constexpr auto retry_after_least = std::chrono::seconds{1};

/// The name of the error follows.
constexpr std::string_view problem_begin = R"({"type":"/docs#error-)";

struct problem_text {
  unsigned status = 500;
  std::string_view code;
  std::string_view title;
  std::string_view detail;
  bool retryable = false;
  core::duration retry_after{};
};

response write_problem(const problem_text& text, const std::vector<request_problem>& problems) {
  response made;
  made.status = text.status;
  made.content_type = problem_type;
  auto& out = made.body;
  out += problem_begin;
  out += text.code;
  out += R"(","title":)";
  append_string(out, text.title);
  out += R"(,"status":)" + std::to_string(text.status) + R"(,"detail":)";
  append_string(out, text.detail);
  out += R"(,"code":)";
  append_string(out, text.code);
  out += R"(,"retryable":)";
  out += text.retryable ? "true" : "false";
  if (!problems.empty()) {
    out += R"(,"errors":[)";
    for (const auto& one : problems) {
      if (&one != &problems.front())
        out += ',';
      out += R"({"place":)";
      append_string(out, one.place);
      out += R"(,"detail":)";
      append_string(out, one.what);
      out += '}';
    }
    out += ']';
  }
  out += '}';
  if (text.status == 429 || text.status == 503)
    made.headers.push_back(
        {"Retry-After",
         std::to_string(
             std::max(retry_after_least, std::chrono::ceil<std::chrono::seconds>(text.retry_after))
                 .count())});
  return made;
}

} // namespace

const std::vector<refusal>& all_refusals() {
  static const std::vector<refusal> all{
      refusal::unauthenticated,     refusal::too_many_guesses,     refusal::not_allowed,
      refusal::cross_site,          refusal::route_unknown,        refusal::method_not_allowed,
      refusal::request_malformed,   refusal::body_too_large,       refusal::unsupported_media_type,
      refusal::header_too_large,    refusal::request_timeout,      refusal::internal_error,
      refusal::precondition_failed, refusal::precondition_required};
  return all;
}

unsigned status_of(core::errc code) {
  switch (code) {
  case core::errc::none:
    return 200;
  case core::errc::invalid_argument:
    return 400;
  case core::errc::not_found:
  case core::errc::no_unit_available:
    return 404;
  case core::errc::payload_invalid:
    return 422;
  case core::errc::too_large:
    return 413;
  case core::errc::not_qualified:
    return 403;
  case core::errc::lease_not_held:
  case core::errc::stale_token:
  case core::errc::lease_expired:
  case core::errc::already_judged:
  case core::errc::not_extendable:
  case core::errc::already_exists:
  case core::errc::wrong_state:
  case core::errc::duplicate_message:
    return 409;
  case core::errc::events_gone:
    return 410;
  case core::errc::limit_reached:
  case core::errc::rate_limited:
    return 429;
  case core::errc::overloaded:
  case core::errc::unavailable:
  case core::errc::fenced:
    return 503;
  case core::errc::refused_by_store:
  case core::errc::damaged:
    break;
  }
  return 500;
}

response problem_of(const core::failure& why) { return problem_of(why, {}); }

response problem_of(const core::failure& why, const known_places& known) {
  const auto& row = core::describe(why.code);
  return write_problem(
      {status_of(why.code), row.name, row.advice, why.detail, row.retryable, why.retry_after},
      places_in(why, known));
}

response problem_of(const std::vector<request_problem>& problems) {
  const auto& row = core::describe(core::errc::invalid_argument);
  std::string detail;
  for (const auto& one : problems) {
    if (!detail.empty())
      detail += "; ";
    detail += one.place.empty() ? one.what : one.place + ' ' + one.what;
  }
  return write_problem({400, row.name, row.advice, detail, false}, problems);
}

response problem_of(refusal why, std::string detail) {
  const auto row = row_of(why);
  auto made = write_problem({row.status, row.code, row.title, detail, row.retryable}, {});
  if (why == refusal::unauthenticated)
    made.headers.push_back({"WWW-Authenticate", "Bearer"});
  return made;
}

bool is_problem(const response& one) { return one.content_type == problem_type; }

std::string_view code_of_problem(const response& problem) {
  std::string_view rest = problem.body;
  if (rest.substr(0, problem_begin.size()) != problem_begin)
    return {};
  rest.remove_prefix(problem_begin.size());
  return rest.substr(0, rest.find('"'));
}

void add_trace_id(response& problem, std::string_view trace_id) {
  auto& body = problem.body;
  if (body.empty() || body.back() != '}')
    return;
  body.pop_back();
  body += R"(,"trace_id":)";
  append_string(body, trace_id);
  body += '}';
}

} // namespace holdfast::http
