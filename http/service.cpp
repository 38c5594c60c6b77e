#include "http/service.hpp"

#include "documents/json.hpp"
#include "http/openapi.hpp"
#include "http/problem.hpp"
#include "http/route_table.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::http {

namespace {

/// Of the JSON of a body. Operations have tighter bounds of their own.
constexpr std::size_t json_depth_max = 64;

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

/// The token of `Authorization: Bearer`; empty when there is none.
std::string_view token_of(const request& from) {
  constexpr std::string_view scheme = "Bearer ";
  const auto header = header_of(from, "authorization");
  return header.substr(0, scheme.size()) == scheme ? header.substr(scheme.size())
                                                   : std::string_view{};
}

bool is_json(std::string_view content_type) {
  const auto bare = content_type.substr(0, content_type.find(';'));
  return bare.empty() || bare == "application/json";
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

} // namespace

void serve(const door& through, call_ptr call) {
  const auto& settings = through.settings();
  const auto& asked = call->asked();
  if (auto page = public_page(asked))
    return call->answer(std::move(*page));
  auto matched = routes().find(asked.method, full_path_of(path_of(asked.target)));
  if (!matched.found)
    return call->answer(matched.others.empty()
                            ? problem_of(refusal::route_unknown,
                                         "nothing is at " + std::string{path_of(asked.target)})
                            : method_refused(matched.others));
  call->on_route(matched.found->name);

  visit from;
  from.who = settings.who_has(token_of(asked));
  if (!from.who)
    return call->answer(
        problem_of(refusal::unauthenticated, "send a token in the header Authorization: Bearer"));
  const auto now = settings.now();
  if (!now)
    return call->answer(problem_of({core::errc::unavailable, "the node is starting"}));
  auto query = query_of(query_text_of(asked.target));
  if (!query)
    return call->answer(
        problem_of(refusal::request_malformed, "the query is not percent-encoded UTF-8"));
  if (!asked.body.empty()) {
    if (!is_json(header_of(asked, "content-type")))
      return call->answer(
          problem_of(refusal::unsupported_media_type, "the body must be application/json"));
    if (auto why = documents::check_json(asked.body, {settings.body_bytes_max, json_depth_max});
        why.code != core::errc::none)
      return call->answer(problem_of(why));
  }
  from.parts.from_query =
      matched.found->row.method == verb::get || matched.found->row.method == verb::remove;
  if (!from.parts.from_query) {
    from.parts.body = asked.body;
    const auto begin = from.parts.body.find_first_not_of(" \t\r\n");
    from.parts.body.remove_prefix(std::min(begin, from.parts.body.size()));
  }
  if (const auto key = header_of(asked, "idempotency-key"); !key.empty()) {
    from.parts.idempotency_key = core::parse_uuid(key);
    if (!from.parts.idempotency_key)
      return call->answer(problem_of({{"Idempotency-Key", "must be a UUID"}}));
  }
  from.parts.path = std::move(matched.path);
  from.parts.query = std::move(*query);
  from.parts.who = from.who.get();
  from.parts.now = *now;
  from.parts.make_id = settings.make_id;
  from.success = matched.found->row.success;
  from.call = std::move(call);
  matched.found->serve(through, from);
}

} // namespace holdfast::http
