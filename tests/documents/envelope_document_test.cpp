// Job envelopes as they are sent: what is read, what is refused with which words, and that what is
// written is read again as the same.

#include "documents/envelope_document.hpp"

#include "documents/raw_member.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <tuple>

using namespace holdfast;
using documents::json_limits;

namespace {

const std::string id = "0af76519-16cd-43dd-8448-eb211c80319c";

core::outcome<core::job_envelope> parse(std::string_view text, json_limits limits = {}) {
  return documents::parse_envelope(text, limits);
}

core::job_envelope parsed(std::string_view text) {
  auto envelope = parse(text);
  if (!envelope)
    BOOST_FAIL(envelope.error().detail);
  return std::move(*envelope);
}

/// The detail of the refusal; "accepted" when there is none.
std::string problems(std::string_view text) {
  const auto envelope = parse(text);
  if (envelope)
    return "accepted";
  BOOST_TEST(core::to_string(envelope.error().code) == "payload_invalid");
  return envelope.error().detail;
}

/// An envelope with these members of its header.
std::string with_header(const std::string& members) {
  return R"({"header":{)" + members + R"(},"body":{}})";
}

/// A sound envelope with these further members of its header.
std::string with(const std::string& members) {
  return with_header(R"("job_id":")" + id + R"(","type":"t","version":"1.0",)" + members);
}

auto members_of(const core::job_envelope& e) {
  return std::tie(e.job_id, e.type, e.version, e.created_at, e.attempt, e.max_attempts, e.body,
                  e.trace_id, e.span_id);
}

bool starts_with(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

} // namespace

BOOST_AUTO_TEST_SUITE(job_envelope_documents)

// C13-C20: the envelope of the job protocol, member by member
BOOST_AUTO_TEST_CASE(every_member_is_read) {
  const auto e = parsed(R"({
    "header": {"job_id": "0AF76519-16CD-43DD-8448-EB211C80319C", "type": "entity.match",
               "version": "1.7", "created_at": "2024-12-24T13:00:00+01:00", "attempt": 2,
               "max_attempts": 3},
    "body": {"project_id": 50, "task_id": 1024},
    "tracing": {"trace_id": "0af7651916cd43dd8448eb211c80319c", "span_id": "b7ad6b7169203331"}})");
  BOOST_TEST(to_string(e.job_id) == id);
  BOOST_TEST(e.type == "entity.match");
  BOOST_TEST(e.version == "1.7");
  BOOST_TEST(core::to_micros(e.created_at) == 1'735'041'600'000'000);
  BOOST_TEST(e.attempt == 2U);
  BOOST_TEST(e.max_attempts == 3U);
  BOOST_TEST(e.body == R"({"project_id": 50, "task_id": 1024})");
  BOOST_TEST(e.trace_id == "0af7651916cd43dd8448eb211c80319c");
  BOOST_TEST(e.span_id == "b7ad6b7169203331");
}

BOOST_AUTO_TEST_CASE(optional_members_have_defaults) {
  const auto e =
      parsed(R"({"body":[],"header":{"version":"1.0","type":"t","job_id":")" + id + R"("}})");
  BOOST_TEST((e.created_at == core::instant{}));
  BOOST_TEST(e.attempt == 1U);
  BOOST_TEST(e.max_attempts == 0U);
  BOOST_TEST(e.body == "[]");
  BOOST_TEST(e.trace_id.empty());
  BOOST_TEST(e.span_id.empty());
}

// C12, C20
BOOST_AUTO_TEST_CASE(written_definition_is_read_as_the_same) {
  core::job_envelope e;
  e.job_id.value = *core::parse_uuid(id);
  e.type = "näme \"quoted\" \\ \n";
  e.version = "12.345";
  e.created_at = core::from_micros(1'700'000'000'000'042);
  e.attempt = 7;
  e.max_attempts = 1000;
  e.body = R"({"header":{"body":[1,{"}":"]"}]},"\"body\"":"\\","n":12345678901234567890123.10})";
  e.trace_id = "t";
  for (int i = 0; i < 2; ++i) {
    const auto back = parsed(core::to_json(e));
    BOOST_TEST((members_of(back) == members_of(e)));
    e.created_at = {};
    e.max_attempts = 0;
    e.body = "7";
  }
}

BOOST_AUTO_TEST_CASE(every_problem_is_named_with_its_place) {
  BOOST_TEST(
      problems(R"({"header":{"job_id":7,"type":"","version":"one","created_at":"today",
      "attempt":0,"max_attempts":0,"typ":1},"tracing":{"trace_id":1,"spanid":""},"bdy":1})")
      == "/header/job_id: must be a UUID that is not nil, e.g. "
         "\"018f2c5e-7c1a-7000-8000-000000000001\"\n"
         "/header/type: type must not be empty\n"
         "/header/version: version must be two numbers with a dot, e.g. 1.0\n"
         "/header/created_at: must be a time, e.g. \"2024-12-24T12:00:00Z\"\n"
         "/header/attempt: must be at least 1: tries are counted from 1\n"
         "/header/max_attempts: must be a whole number from 1 to 1000; leave it out for what "
         "the queue says\n"
         "/header/typ: is not a member that is known here; did you mean 'type'?\n"
         "/body: is missing; send {} for a job without one\n"
         "/tracing/trace_id: must be a string\n"
         "/tracing/spanid: is not a member that is known here; did you mean 'span_id'?\n"
         "/bdy: is not a member that is known here; did you mean 'body'?");
}

BOOST_AUTO_TEST_CASE(missing_members_are_told) {
  BOOST_TEST(problems(R"({"body":{}})") == "/header: is missing; it says what job this is");
  BOOST_TEST(problems(with_header(""))
             == "/header/job_id: is missing; it tells a repetition from a new job\n"
                "/header/type: is missing; it chooses the handler\n"
                "/header/version: is missing; e.g. \"1.0\"");
  for (const auto* text : {"[]", "7", "\"header\"", "null"})
    BOOST_TEST(starts_with(problems(text), "must be an object"), text);
  BOOST_TEST(starts_with(problems(R"({"header":[],"body":1})"), "/header: must be an object"));
  BOOST_TEST(starts_with(problems(R"({"header":)"), "/header: "));
}

BOOST_AUTO_TEST_CASE(bounds_are_where_they_are_said_to_be) {
  BOOST_TEST(problems(with(R"("max_attempts":1)")) == "accepted");
  BOOST_TEST(problems(with(R"("max_attempts":1000)")) == "accepted");
  for (const auto* most : {"0", "1001", "-1", "1.5", "\"3\"", "null"})
    BOOST_TEST(starts_with(problems(with(R"("max_attempts":)" + std::string{most})),
                           "/header/max_attempts: "),
               most);
  BOOST_TEST(problems(with(R"("attempt":4294967295)")) == "accepted");
  for (const auto* attempt : {"0", "-1", "4294967296", "1.5", "\"1\""})
    BOOST_TEST(
        starts_with(problems(with(R"("attempt":)" + std::string{attempt})), "/header/attempt: "),
        attempt);
  for (const auto* bad : {"\"\"", "\"x\"", "\"00000000-0000-0000-0000-000000000000\"", "null"})
    BOOST_TEST(starts_with(
        problems(with_header(R"("type":"t","version":"1.0","job_id":)" + std::string{bad})),
        "/header/job_id: "));
}

// C21
BOOST_AUTO_TEST_CASE(limits_are_those_of_the_body) {
  const auto of = [](const std::string& body) {
    return R"({"header":{"job_id":")" + id + R"(","type":"t","version":"1.0"},"body":)" + body
           + "}";
  };
  const json_limits limits{100, 2};
  const auto text = [](std::size_t bytes) { return '"' + std::string(bytes - 2, 'x') + '"'; };
  BOOST_CHECK(parse(of(text(100)), limits));
  const auto large = parse(of(text(101)), limits);
  BOOST_REQUIRE(!large);
  BOOST_TEST((large.error().code == core::errc::too_large));
  BOOST_TEST(large.error().detail == "/body: has 101 bytes; send at most 100");
  BOOST_CHECK(parse(of("[[1]]"), limits));
  const auto deep = parse(of("[[[1]]]"), limits);
  BOOST_REQUIRE(!deep);
  BOOST_TEST((deep.error().code == core::errc::payload_invalid));
  const auto huge = parse(of(text(100'000)), limits);
  BOOST_REQUIRE(!huge);
  BOOST_TEST((huge.error().code == core::errc::too_large));
}

BOOST_AUTO_TEST_CASE(a_member_is_found_as_it_is_written) {
  using documents::raw_member;
  BOOST_TEST(raw_member("{}", "a").empty());
  BOOST_TEST(raw_member(R"( { "a" : 1 , "b" : [ 2 ] } )", "a") == "1");
  BOOST_TEST(raw_member(R"( { "a" : 1 , "b" : [ 2 ] } )", "b") == "[ 2 ]");
  BOOST_TEST(raw_member(R"({"a":-1.50e+07})", "a") == "-1.50e+07");
  BOOST_TEST(raw_member(R"({"a":{"b":1},"b":true})", "b") == "true");
  BOOST_TEST(raw_member(R"({"a":"}\"\\","b":null})", "b") == "null");
  BOOST_TEST(raw_member(R"({"a":"}\"\\","b":null})", "a") == R"("}\"\\")");
  BOOST_TEST(raw_member(R"({"a\u0062\"":{"]":"["}})", "ab\"") == R"({"]":"["})");
  BOOST_TEST(raw_member(R"({"ab":1})", "a").empty());
}

BOOST_AUTO_TEST_CASE(a_member_is_taken_out_as_if_it_had_never_been_there) {
  using documents::without_member;
  const std::string whole = R"( { "a": 1 ,  "b" : [ 2, {"a": 3} ], "c": 1.50 } )";
  BOOST_TEST(without_member(whole, "a") == R"( { "b" : [ 2, {"a": 3} ], "c": 1.50 } )");
  BOOST_TEST(without_member(whole, "b") == R"( { "a": 1, "c": 1.50 } )");
  BOOST_TEST(without_member(whole, "c") == R"( { "a": 1 ,  "b" : [ 2, {"a": 3} ] } )");
  BOOST_TEST(without_member(whole, "d") == whole);
  BOOST_TEST(without_member("{}", "a") == "{}");
  BOOST_TEST(without_member(R"({"a":"}\",\""})", "a") == "{}");
  BOOST_TEST(without_member(R"({"a":1,"b":2,"a":3})", "a") == R"({"b":2})");
  BOOST_TEST(without_member(R"({"\u0061":1,"b":2})", "a") == R"({"b":2})");
}

BOOST_AUTO_TEST_SUITE_END()
