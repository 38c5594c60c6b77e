// Events in the envelope of CloudEvents 1.0: what it says, and that the event in it stays as it is.

#include "documents/cloud_event.hpp"

#include "core/change.hpp"
#include "documents/published_schemas.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace holdfast;
using nlohmann::json;

namespace {

const std::string cloud_source = "https://example.org/holdfast";
constexpr const char* cloud_step = "018f2c5e-7c1a-7000-8000-000000000001";
constexpr const char* cloud_item = "018f2c5e-7c1a-7000-8000-000000000002";

core::event bare_event(core::event_type type) {
  core::event made;
  made.type = type;
  made.at = core::from_micros(1'700'000'000'123'456);
  return made;
}

std::string wrapped_event(const core::event& what) {
  return documents::cloud_event(cloud_source, {3, 17}, core::to_json(what));
}

json envelope_of(const core::event& what) { return json::parse(wrapped_event(what)); }

core::event dead_letter_task() {
  auto made = bare_event(core::event_type::task_dead);
  made.queue = "mail";
  made.task = {*core::parse_uuid(cloud_item)};
  made.details = R"({"task_type":"letter","traceparent":)"
                 R"("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"})";
  return made;
}

} // namespace

BOOST_AUTO_TEST_SUITE(cloud_event_envelopes)

BOOST_AUTO_TEST_CASE(an_envelope_names_its_event_for_ever) {
  const auto envelope = wrapped_event(dead_letter_task());
  BOOST_TEST(envelope
             == R"({"specversion":"1.0","id":"3-17","source":"https://example.org/holdfast",)"
                R"("type":"holdfast.TaskDead",)"
                R"("subject":"queues/mail/tasks/018f2c5e-7c1a-7000-8000-000000000002",)"
                R"("time":"2023-11-14T22:13:20.123456Z","datacontenttype":"application/json",)"
                R"("dataschema":"urn:holdfast:events:v1:TaskDead",)"
                R"("traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","data":)"
                    + core::to_json(dead_letter_task()) + "}");
}

BOOST_AUTO_TEST_CASE(the_subject_is_the_task_the_unit_or_the_step) {
  BOOST_TEST(envelope_of(dead_letter_task()).at("subject")
             == "queues/mail/tasks/" + std::string{cloud_item});
  auto finalized = bare_event(core::event_type::unit_finalized);
  finalized.step = {*core::parse_uuid(cloud_step)};
  finalized.unit = {*core::parse_uuid(cloud_item)};
  BOOST_TEST(envelope_of(finalized).at("subject")
             == "steps/" + std::string{cloud_step} + "/units/" + std::string{cloud_item});
  auto updated = bare_event(core::event_type::job_step_updated);
  updated.step = {*core::parse_uuid(cloud_step)};
  BOOST_TEST(envelope_of(updated).at("subject") == "steps/" + std::string{cloud_step});
  const auto unreadable = json::parse(documents::cloud_event(
      cloud_source, {3, 17},
      core::to_json(core::unreadable_event({3, 17}, core::from_micros(1), "a bad block"))));
  BOOST_TEST(!unreadable.contains("subject"));
  BOOST_TEST(unreadable.at("type") == "holdfast.EventUnreadable");
}

BOOST_AUTO_TEST_CASE(an_event_without_a_trace_has_no_traceparent) {
  auto silent = dead_letter_task();
  silent.details = R"({"task_type":"letter"})";
  BOOST_TEST(!envelope_of(silent).contains("traceparent"));
  silent.details.clear();
  BOOST_TEST(!envelope_of(silent).contains("traceparent"));
}

// Else a number of twenty digits would be another one for its readers.
BOOST_AUTO_TEST_CASE(the_event_in_an_envelope_keeps_each_of_its_digits) {
  auto exact = bare_event(core::event_type::unit_finalized);
  exact.step = {*core::parse_uuid(cloud_step)};
  exact.details = R"({"result":{"correction":9400110200881234567890,"confidence":0.10}})";
  BOOST_TEST(wrapped_event(exact).find(core::to_json(exact)) != std::string::npos);
}

// The rules of CloudEvents 1.0 for names of attributes: lower case letters and digits.
BOOST_AUTO_TEST_CASE(attributes_have_names_and_values_that_the_standard_allows) {
  const auto envelope = envelope_of(dead_letter_task());
  for (const auto* required : {"specversion", "id", "source", "type"})
    BOOST_TEST(!envelope.at(required).get<std::string>().empty());
  for (const auto& [name, value] : envelope.items()) {
    BOOST_TEST(std::all_of(name.begin(), name.end(),
                           [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }),
               name);
    if (name != "data")
      BOOST_TEST(value.is_string(), name);
  }
}

BOOST_AUTO_TEST_CASE(the_schema_that_an_envelope_names_is_published) {
  for (const auto type : {core::event_type::task_completed, core::event_type::task_failed,
                          core::event_type::task_dead, core::event_type::task_canceled,
                          core::event_type::unit_finalized}) {
    const auto named = envelope_of(bare_event(type)).at("dataschema").get<std::string>();
    const auto& files = documents::published_schemas();
    BOOST_TEST(std::any_of(files.begin(), files.end(),
                           [&](const auto& file) {
                             const auto schema = json::parse(file.text);
                             return schema.value("$id", std::string{}) == named;
                           }),
               named);
  }
}

BOOST_AUTO_TEST_CASE(several_envelopes_are_a_list) {
  BOOST_TEST(documents::cloud_events({}) == "[]");
  BOOST_TEST(documents::cloud_events({"{\"a\":1}"}) == R"([{"a":1}])");
  BOOST_TEST(documents::cloud_events({"{\"a\":1}", "{}"}) == R"([{"a":1},{}])");
}

BOOST_AUTO_TEST_CASE(a_source_is_a_reference_without_a_fragment) {
  const auto why = [](const std::string& text) {
    return documents::check_event_source(text).detail;
  };
  for (const auto& good : {cloud_source, std::string{"urn:holdfast:cluster"},
                           std::string{"/holdfast/eu?x=%20"}, std::string(1024, 'a')})
    BOOST_TEST(why(good) == "", good);
  for (const auto& size : {std::string{}, std::string(1025, 'a')})
    BOOST_TEST(why(size) == "must have 1 to 1024 bytes");
  for (const auto* bad : {"a b", "a\"b", "a#b", "a<b", "a\\b", "\n", "\xc3\xa4", "{x}", "a|b"})
    BOOST_TEST(why(bad).find("must be a URI reference") == 0U, bad);
  BOOST_TEST(why("ab c").find("the character at byte 2") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
