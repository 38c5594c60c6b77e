// Jobs as messages: what is written of them, and which tasks they ask for.

#include "core/job_envelope.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace holdfast::core;

namespace {

job_envelope an_envelope() {
  job_envelope e;
  e.job_id.value = *parse_uuid("0af76519-16cd-43dd-8448-eb211c80319c");
  e.type = "entity.match";
  e.version = "1.0";
  e.created_at = from_micros(1'735'041'600'000'000);
  e.max_attempts = 3;
  e.body = R"({"task_id": 1024})";
  e.trace_id = "0af7651916cd43dd8448eb211c80319c";
  e.span_id = "b7ad6b7169203331";
  return e;
}

} // namespace

BOOST_AUTO_TEST_SUITE(job_envelopes)

// C13-C19
BOOST_AUTO_TEST_CASE(an_envelope_is_written_with_all_that_it_says) {
  BOOST_TEST(to_json(an_envelope())
             == R"({"header":{"job_id":"0af76519-16cd-43dd-8448-eb211c80319c",)"
                R"("type":"entity.match","version":"1.0",)"
                R"("created_at":"2024-12-24T12:00:00.000000Z","attempt":1,"max_attempts":3},)"
                R"("body":{"task_id": 1024},)"
                R"("tracing":{"trace_id":"0af7651916cd43dd8448eb211c80319c",)"
                R"("span_id":"b7ad6b7169203331"}})");
}

BOOST_AUTO_TEST_CASE(absent_members_are_left_out) {
  auto e = an_envelope();
  e.created_at = {};
  e.max_attempts = 0;
  e.trace_id.clear();
  const auto text = to_json(e);
  BOOST_TEST(text.find("created_at") == std::string::npos);
  BOOST_TEST(text.find("max_attempts") == std::string::npos);
  BOOST_TEST(text.find(R"("trace_id":"")") != std::string::npos);
}

// C17, C22
BOOST_AUTO_TEST_CASE(the_task_has_the_id_of_the_job) {
  const auto e = an_envelope();
  const auto made = task_of(e);
  BOOST_REQUIRE(made);
  const auto& spec = made->spec;
  BOOST_TEST((spec.id == e.job_id));
  BOOST_TEST(spec.type == e.type);
  BOOST_TEST(spec.version == e.version);
  BOOST_TEST(spec.body == e.body);
  BOOST_TEST(spec.max_attempts == 3U);
  BOOST_TEST(spec.trace_id == e.trace_id);
  BOOST_TEST(spec.span_id == e.span_id);
  BOOST_TEST((spec.created_at == instant{})); // its queue says when it was made
  BOOST_TEST(made->data == "{}");
}

BOOST_AUTO_TEST_CASE(a_job_that_has_been_tried_elsewhere_is_refused) {
  auto e = an_envelope();
  e.attempt = 2;
  const auto made = task_of(e);
  BOOST_REQUIRE(!made);
  BOOST_TEST((made.error().code == errc::payload_invalid));
  BOOST_TEST(made.error().detail.find("/header/attempt: must be 1, not 2") == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
