#include "http/service.hpp"

#include "http/browser_request.hpp"
#include "http/openapi.hpp"
#include "http/page_files.hpp"
#include "http/page_sessions.hpp"
#include "http/problem.hpp"
#include "http/readiness.hpp"
#include "http/request_body.hpp"
#include "http/route_table.hpp"
#include "http/traced_call.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::http {

namespace {

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

/// The addresses of the seed, which work without the version in front, too.
constexpr std::array<std::string_view, 5> unversioned{"/judgments", "/assignments", "/job-steps",
                                                      "/available-steps", "/units"};

std::string full_path_of(std::string_view path) {
  const auto first = path.substr(0, path.find('/', 1));
  const bool is_known =
      std::find(unversioned.begin(), unversioned.end(), first) != unversioned.end();
  return (is_known ? "/v1" : "") + std::string{path};
}

std::string_view query_text_of(std::string_view target) {
  const auto mark = target.find('?');
  return mark == std::string_view::npos ? std::string_view{} : target.substr(mark + 1);
}

response plain(std::string_view type, std::string body) {
  response made;
  made.content_type = type;
  made.body = std::move(body);
  return made;
}

/// The pages that everybody may read, without a token.
std::optional<response> public_page(const request& from) {
  if (from.method != "GET")
    return std::nullopt;
  const auto path = path_of(from.target);
  if (path == "/healthz")
    return plain(json_type, R"({"status":"alive"})");
  if (path == "/openapi.json")
    return plain(json_type, openapi_document());
  if (path == "/docs")
    return plain("text/html; charset=utf-8", reference_page());
  return std::nullopt;
}

response method_refused(const std::vector<verb>& others) {
  std::string allowed;
  for (const auto one : others) {
    if (allowed.find(to_string(one)) != std::string::npos)
      continue;
    allowed += allowed.empty() ? "" : ", ";
    allowed += to_string(one);
  }
  auto made = problem_of(refusal::method_not_allowed, "this path takes " + allowed);
  made.headers.push_back({"Allow", std::move(allowed)});
  return made;
}

/// A condition that a route cannot keep is refused: it would look as if it held.
std::optional<response> unmet_condition(const route& to, const request& asked) {
  if (to.takes_if_match || header_of(asked, "if-match").empty())
    return std::nullopt;
  return problem_of({{"If-Match", "is not taken by this operation: nothing would compare it"}});
}

/// Serves a request whose caller is known: reads its parts, and has its route do the rest.
void serve_known(const door& through, call_ptr call, route_table::match matched,
                 std::shared_ptr<const core::principal> who) {
  const auto& settings = through.settings();
  const auto& asked = call->asked();
  visit from;
  from.who = std::move(who);
  const auto now = settings.now();
  if (!now)
    return call->answer(problem_of({core::errc::unavailable, "the node is starting"}));
  auto query = query_of(query_text_of(asked.target));
  if (!query)
    return call->answer(
        problem_of(refusal::request_malformed, "the query is not percent-encoded UTF-8"));
  if (auto refused = call->unpack_body())
    return call->answer(std::move(*refused));
  from.parts.from_query =
      matched.found->row.method == verb::get || matched.found->row.method == verb::remove;
  if (from.parts.from_query && !asked.body.empty())
    return call->answer(problem_of(
        {{"", "is not read with this method: send the members in the query, and no body"}}));
  if (auto refused = read_body(*matched.found, asked, settings.body_bytes_max, from))
    return call->answer(std::move(*refused));
  if (const auto key = header_of(asked, "idempotency-key"); !key.empty()) {
    from.parts.idempotency_key = core::parse_uuid(key);
    if (!from.parts.idempotency_key)
      return call->answer(problem_of({{"Idempotency-Key", "must be a UUID"}}));
  }
  if (auto why = unmet_condition(*matched.found, asked))
    return call->answer(std::move(*why));
  from.parts.path = std::move(matched.path);
  from.parts.query = std::move(*query);
  from.parts.who = from.who.get();
  from.parts.now = *now;
  from.parts.make_id = settings.make_id;
  from.parts.places = std::make_shared<known_places>();
  from.success = matched.found->row.success;
  from.call = std::move(call);
  matched.found->serve(through, from);
}

} // namespace

void serve(const door& through, call_ptr untraced) {
  const auto in_trace = traced(std::move(untraced), through.settings());
  call_ptr call = in_trace;
  const auto& asked = call->asked();
  if (auto page = public_page(asked))
    return call->answer(std::move(*page));
  if (auto page = page_answer(embedded_pages(), asked, through.settings().media_origins))
    return call->answer(std::move(*page));
  if (path_of(asked.target) == session_path)
    return serve_session(through, call);
  if (asked.method == "GET" && path_of(asked.target) == "/readyz")
    return tell_readiness(through, call);
  auto matched = routes().find(asked.method, full_path_of(path_of(asked.target)));
  if (!matched.found)
    return call->answer(matched.others.empty()
                            ? problem_of(refusal::route_unknown,
                                         "nothing is at " + std::string{path_of(asked.target)})
                            : method_refused(matched.others));

  call->on_route(matched.found->name);
  in_trace->on_path(matched.found->row.path);
  const auto from = credential_of(asked);
  if (from.is_cookie)
    if (auto why = objection_by_origin(asked); !why.empty())
      return call->answer(problem_of(refusal::cross_site, std::move(why)));
  const shown_token shown{from.token, asked.peer};
  through.settings().identify(shown, [&through, call = std::move(call),
                                      matched = std::move(matched)](identity found) mutable {
    if (!found.who)
      return call->answer(std::move(found.refused));
    serve_known(through, std::move(call), std::move(matched), std::move(found.who));
  });
}

} // namespace holdfast::http
