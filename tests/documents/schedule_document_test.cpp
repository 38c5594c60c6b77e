// Definitions of schedules as they are sent: defaults, every rule, and messages that lead to a
// definition that works.

#include "documents/schedule_document.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>

using namespace holdfast;
using namespace std::chrono_literals;
using documents::json_limits;

namespace {

const core::zone_finder finder = [](const std::string& name) {
  return core::find_utc(name == "Europe/Berlin" ? "UTC" : name);
};

core::schedule_plan parsed(std::string_view text) {
  auto plan = documents::parse_schedule(text, json_limits{}, finder);
  if (!plan)
    BOOST_FAIL(plan.error().detail);
  return std::move(*plan);
}

/// The detail of the refusal; "accepted" when there is none.
std::string problems(std::string_view text) {
  const auto plan = documents::parse_schedule(text, json_limits{}, finder);
  if (plan)
    return "accepted";
  BOOST_TEST(core::to_string(plan.error().code) == "payload_invalid");
  return plan.error().detail;
}

/// A sound definition with these further members.
std::string with(const std::string& members) {
  return R"({"cron":"@daily","task":{"type":"t"})" + (members.empty() ? "" : "," + members) + "}";
}
std::string with_task(const std::string& members) {
  return R"({"cron":"@daily","task":{"type":"t",)" + members + "}}";
}

} // namespace

BOOST_AUTO_TEST_SUITE(schedule_definitions)

// D12
BOOST_AUTO_TEST_CASE(a_time_and_a_type_are_enough) {
  const auto plan = parsed(with(""));
  BOOST_TEST(plan.cron == "@daily");
  BOOST_TEST(plan.times.hours.count() == 1U);
  BOOST_TEST(plan.time_zone == "UTC");
  BOOST_TEST((plan.zone != nullptr));
  BOOST_TEST(plan.task.spec.type == "t");
  BOOST_TEST(plan.task.spec.version == "1.0");
  BOOST_TEST(plan.task.spec.body == "{}");
  BOOST_TEST(plan.task.data == "{}");
  BOOST_TEST((plan.backfill == core::backfill::latest));
  BOOST_TEST(plan.backfill_max == 100U);
  BOOST_TEST((plan.grace == 60s));
  BOOST_TEST(!plan.paused);
  BOOST_TEST(!plan.from);
  BOOST_TEST(!plan.until);
}

BOOST_AUTO_TEST_CASE(every_member_is_read) {
  const auto plan = parsed(R"({
    "cron": "0 6 * * MON-FRI", "time_zone": "Europe/Berlin", "backfill": "all",
    "backfill_max": 7, "grace": 1.5, "paused": true,
    "from": "2026-01-31T06:00:00Z", "until": "2026-02-28T23:59:59Z",
    "task": {"type": "report", "version": "1.2", "body": {"b": [1, "ä"]}, "state": "NEW",
             "data": [2], "priority": -5, "key": "acme", "credential": "paid",
             "unique_key": "report", "max_attempts": 3, "owner_id": "ana", "run_as_id": "bob"}})");
  BOOST_TEST(plan.times.weekdays.count() == 5U);
  BOOST_TEST(plan.time_zone == "Europe/Berlin");
  BOOST_TEST((plan.backfill == core::backfill::all));
  BOOST_TEST(plan.backfill_max == 7U);
  BOOST_TEST((plan.grace == 1500ms));
  BOOST_TEST(plan.paused);
  BOOST_TEST((*plan.from == core::instant{1'769'839'200s}));
  BOOST_TEST((*plan.until == core::instant{1'772'323'199s}));
  const auto& spec = plan.task.spec;
  BOOST_TEST(spec.type == "report");
  BOOST_TEST(spec.version == "1.2");
  BOOST_TEST(spec.body == R"({"b":[1,"ä"]})");
  BOOST_TEST(plan.task.state == "NEW");
  BOOST_TEST(plan.task.data == "[2]");
  BOOST_TEST(spec.priority == -5);
  BOOST_TEST(spec.key == "acme");
  BOOST_TEST(spec.credential == "paid");
  BOOST_TEST(spec.unique_key == "report");
  BOOST_TEST(spec.max_attempts == 3U);
  BOOST_TEST(spec.owner_id == "ana");
  BOOST_TEST(spec.run_as_id == "bob");
  BOOST_TEST((parsed(with(R"("backfill":"none")")).backfill == core::backfill::none));
}

// C24
BOOST_AUTO_TEST_CASE(every_problem_is_named_with_its_place) {
  const auto detail = problems(R"({"cron": "0 25 * * *", "time_zone": "Europe/Berlim",
    "task": {"typ": "t", "priority": 1001, "version": "2"}, "backfill": "some", "grace": -1,
    "backfill_max": 0, "paused": "no", "from": "yesterday", "every": 5})");
  for (const auto* place :
       {"/cron: hour \"25\"", "/time_zone: is not", "/task/type: is missing",
        "/task/priority: must", "/task/version: version must be", "/task/typ: is not",
        "did you mean 'type'?", "/backfill: must", "/grace: must", "/backfill_max: must",
        "/paused: must", "/from: must", "/every: is not"})
    BOOST_TEST(detail.find(place) != std::string::npos, place << " is not in:\n" << detail);
}

BOOST_AUTO_TEST_CASE(missing_members_are_told) {
  const auto detail = problems("{}");
  BOOST_TEST(detail.find("/cron: is missing") != std::string::npos);
  BOOST_TEST(detail.find("/task: is missing") != std::string::npos);
  for (const auto* text : {"", "[]", "nonsense", "3", R"({"cron":3,"task":[]})"})
    BOOST_TEST(problems(text) != "accepted", text);
}

BOOST_AUTO_TEST_CASE(bounds_are_where_they_are_said_to_be) {
  for (const auto* sound :
       {R"("grace":0)", R"("grace":86400)", R"("backfill_max":1)", R"("backfill_max":1000)",
        R"("from":"2026-01-01T00:00:00Z","until":"2026-01-01T00:00:00Z")"})
    BOOST_TEST(problems(with(sound)) == "accepted", sound);
  for (const auto* unsound :
       {R"("grace":86400.1)", R"("backfill_max":1001)", R"("backfill_max":1.5)",
        R"("from":"2026-01-01T00:00:01Z","until":"2026-01-01T00:00:00Z")",
        R"("from":"2026-02-30T00:00:00Z")", R"("from":"2026-01-01")", R"("from":1767225600)",
        R"("from":"2026-01-01T00:00:00+01:00")", R"("from":"2026-1-1T0:0:0Z")",
        R"("until":"2026-01-01T24:00:00Z")"})
    BOOST_TEST(problems(with(unsound)) != "accepted", unsound);
  const std::string word(128, 'x');
  for (const std::string name :
       {"state", "key", "credential", "unique_key", "owner_id", "run_as_id"}) {
    BOOST_TEST(problems(with_task('"' + name + R"(":")" + word + '"')) == "accepted", name);
    BOOST_TEST(problems(with_task('"' + name + R"(":")" + word + "x\"")).find("/task/" + name)
                   == 0U,
               name);
  }
  BOOST_TEST(problems(with_task(R"("max_attempts":1000)")) == "accepted");
  BOOST_TEST(problems(with_task(R"("max_attempts":1001)")) != "accepted");
  BOOST_TEST(problems(with_task(R"("priority":-1000)")) == "accepted");
  BOOST_TEST(problems(with_task(R"("priority":1.0)")) != "accepted");
}

// finding Q14
BOOST_AUTO_TEST_CASE(a_schedule_that_is_never_due_is_refused) {
  const auto detail = problems(R"({"cron": "0 0 30 2 *", "task": {"type": "t"}})");
  BOOST_TEST(detail.find("/cron: is never due: no month that it names has a day that it names")
                 != std::string::npos,
             detail);
}

BOOST_AUTO_TEST_SUITE_END()
