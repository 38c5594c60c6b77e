// The event by which a lifecycle system tells of a job: what is published of it is what is read.
// A36, A93

#include "documents/job_status_document.hpp"

#include "core/uuid.hpp"
#include "documents/published_schemas.hpp"
#include "tests/support/event_schemas.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using holdfast::documents::parse_job_status_changed;
using nlohmann::json;

namespace {

json published() {
  const auto& all = documents::published_schemas();
  const auto found = std::find_if(all.begin(), all.end(), [](const auto& file) {
    return file.name == "events/v1/JobStatusChanged.json";
  });
  BOOST_REQUIRE((found != all.end()));
  return json::parse(found->text);
}

json example() { return published().at("examples").at(0); }

json with(const char* member, json value) {
  auto changed = example();
  changed[member] = std::move(value);
  return changed;
}

std::string refusal(const std::string& text) {
  const auto told = parse_job_status_changed(text);
  if (told)
    return "";
  BOOST_TEST((told.error().code == core::errc::payload_invalid));
  return told.error().detail;
}

/// By the parser, where the schema says the same.
bool taken(const json& event) {
  const bool read = refusal(event.dump()).empty();
  BOOST_TEST(test::deviation_from_schema(event.dump()).empty() == read, event);
  return read;
}

} // namespace

BOOST_AUTO_TEST_SUITE(job_status_documents)

BOOST_AUTO_TEST_CASE(the_published_example_is_read) {
  BOOST_TEST(published().at("$id") == "urn:holdfast:events:v1:JobStatusChanged");
  BOOST_TEST(taken(example()));
  const auto told = parse_job_status_changed(example().dump());
  BOOST_REQUIRE(told);
  BOOST_TEST(core::to_string(told->workflow) == "018f2c5e-7c1a-7000-8000-000000000001");
  BOOST_TEST(told->news.revision == 3U);
  BOOST_TEST((told->news.status == core::job_status::paused));
}

BOOST_AUTO_TEST_CASE(each_status_has_its_name) {
  for (const auto& [name, status] : std::vector<std::pair<const char*, core::job_status>>{
           {"launched", core::job_status::launched},
           {"paused", core::job_status::paused},
           {"finished", core::job_status::finished},
           {"canceled", core::job_status::canceled}}) {
    BOOST_TEST(taken(with("status", name)), name);
    const auto told = parse_job_status_changed(with("status", name).dump());
    BOOST_REQUIRE(told);
    BOOST_TEST((told->news.status == status), name);
  }
}

BOOST_AUTO_TEST_CASE(policy_refused_by_the_schema_is_refused) {
  for (const auto* member : {"type", "workflow_id", "revision", "status"}) {
    for (const json& other :
         {json(nullptr), json(0), json(-1), json(1.5), json(true), json("none"), json::array()})
      BOOST_TEST(!taken(with(member, other)), member << ' ' << other);
    auto cut = example();
    cut.erase(member);
    BOOST_TEST(!taken(cut), member);
  }
  BOOST_TEST(!taken(with("workflow_id", "00000000-0000-0000-0000-000000000000")));
  BOOST_TEST(taken(with("revision", 1)));
  BOOST_TEST(taken(with("revision", (std::uint64_t{1} << 63) - 1)));
  BOOST_TEST(!taken(with("revision", std::uint64_t{1} << 63)));
  BOOST_TEST(!taken(json::array()));
}

// Theirs to add, as ours are to us.
BOOST_AUTO_TEST_CASE(members_that_nobody_knows_yet_are_passed_over) {
  BOOST_TEST(taken(with("added_later", {{"any", "thing"}})));
}

BOOST_AUTO_TEST_CASE(every_problem_is_told_with_its_place) {
  BOOST_TEST(refusal(R"({"type":"UnitFinalized","workflow_id":"7","revision":0})")
             == "/type: must be \"JobStatusChanged\": no other event is taken\n"
                "/workflow_id: must be a UUID that is not nil, e.g. "
                "\"018f2c5e-7c1a-7000-8000-000000000001\"\n"
                "/revision: must be a whole number from 1 to 9223372036854775807\n"
                "/status: is missing; it says where the job stands");
  BOOST_TEST(!refusal("paused").empty());
  BOOST_TEST(!refusal(R"({"status":"paused","status":"launched"})").empty());
}

BOOST_AUTO_TEST_SUITE_END()
