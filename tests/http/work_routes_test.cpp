// The routes about work, contributors, workflows, steps and units: the requests that the gateway
// gets, and the bodies that clients get.

#include "core/change.hpp"
#include "core/errors.hpp"
#include "core/ids.hpp"
#include "core/unit.hpp"
#include "core/uuid.hpp"
#include "http/route_table.hpp"
#include "messages/lineage_messages.hpp"
#include "messages/search_messages.hpp"
#include "messages/work_messages.hpp"
#include "messages/workflow_messages.hpp"
#include "tests/http/fake_gateway.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core = holdfast::core;
namespace http = holdfast::http;
namespace msg = holdfast::msg;
namespace test = holdfast::test;
using namespace std::chrono_literals;

namespace {

/// Texts of ids, for paths and bodies, and the ids themselves.
struct work_fixture : test::door_fixture {
  static constexpr std::string_view step_text = "018f0000-0000-7000-8000-0000000000a1";
  static constexpr std::string_view unit_text = "018f0000-0000-7000-8000-0000000000b1";
  static constexpr std::string_view other_unit_text = "018f0000-0000-7000-8000-0000000000b2";
  static constexpr std::string_view workflow_text = "018f0000-0000-7000-8000-0000000000c1";
  static constexpr std::string_view assignment_text = "018f0000-0000-7000-8000-0000000000d1";
  static constexpr std::string_view judgment_text = "018f0000-0000-7000-8000-0000000000e1";

  const core::step_id step{*core::parse_uuid(step_text)};
  const core::unit_id unit{*core::parse_uuid(unit_text)};
  const core::unit_id other_unit{*core::parse_uuid(other_unit_text)};
  const core::workflow_id workflow{*core::parse_uuid(workflow_text)};
  const core::assignment_id assignment{*core::parse_uuid(assignment_text)};
  const core::judgment_id judgment{*core::parse_uuid(judgment_text)};

  /// `text` with `STEP`, `UNIT`, `OTHER`, `WORKFLOW`, `ASSIGNMENT` and `JUDGMENT` replaced by ids.
  static std::string with_ids(std::string text) {
    const std::pair<std::string_view, std::string_view> ids[] = {{"STEP", step_text},
                                                                 {"UNIT", unit_text},
                                                                 {"OTHER", other_unit_text},
                                                                 {"WORKFLOW", workflow_text},
                                                                 {"ASSIGNMENT", assignment_text},
                                                                 {"JUDGMENT", judgment_text}};
    for (const auto& [name, id] : ids)
      for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + id.size()))
        text.replace(at, name.size(), id);
    return text;
  }

  test::http_reply get(std::string_view token, std::string target) {
    return ask(token, "GET", with_ids(std::move(target)));
  }
  test::http_reply post(std::string_view token, std::string target, std::string body,
                        std::vector<http::parameter> headers = {}) {
    return ask(token, "POST", with_ids(std::move(target)), with_ids(std::move(body)),
               std::move(headers));
  }

  msg::step_view view_of_step() const {
    msg::step_view view;
    view.step = step;
    view.workflow = workflow;
    view.key = "label";
    view.position = 1;
    view.status = core::step_status::paused;
    view.sealed = true;
    view.total_units = 5;
    view.completed_units = 2;
    view.revision = 9;
    return view;
  }
  static std::string json_of_step() {
    return with_ids(R"({"id":"STEP","workflow_id":"WORKFLOW","key":"label","position":1,)"
                    R"("status":"Paused","sealed":true,"total_units":5,"completed_units":2,)"
                    R"("revision":9})");
  }

  msg::unit_view view_of_unit() const {
    msg::unit_view view;
    view.unit = unit;
    view.step = step;
    view.root = other_unit;
    view.source_key = "row-1";
    view.input = R"({"n":9400110200881234567890})";
    view.state = core::unit_state::judgable;
    view.judgments_per_unit = 3;
    view.judgment_count = 1;
    view.assignment_count = 2;
    view.version = 4;
    return view;
  }

  msg::workflow_view view_of_workflow() const {
    msg::workflow_view view;
    view.workflow = workflow;
    view.name = "labels";
    view.version = 3;
    view.latest = 3;
    view.definition = R"({"name":"labels"})";
    view.steps = {view_of_step(), {}};
    return view;
  }

  msg::unit_lineage lineage_of(std::vector<core::unit_id> units, bool more) const {
    msg::unit_lineage lineage;
    for (const auto& one : units) {
      auto& entry = lineage.units.emplace_back();
      entry.unit = one;
      entry.step = step;
    }
    lineage.more = more;
    return lineage;
  }

  static void check_refusal(const test::http_reply& reply, unsigned status, std::string_view code) {
    BOOST_TEST(reply.status == status);
    BOOST_TEST(reply.code() == code);
    BOOST_TEST(reply.content_type == http::problem_type);
  }

  static bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }

  std::string asked_in_order() const {
    std::string all;
    for (const auto& name : gateway.names())
      all += (all.empty() ? "" : " ") + name;
    return all;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(work_routes, work_fixture)

// --- steps offered and listed ---

BOOST_AUTO_TEST_CASE(steps_offered_to_a_named_contributor_are_found) {
  msg::step_offers offers;
  offers.steps.push_back({step, workflow, "label", "Label images", "https://ui.example/label", 7});
  offers.complete = false;
  gateway.answers<msg::find_steps>(offers);
  const auto reply =
      get("requester", "/v1/job-steps?contributor_id=ann&limit=5&after_priority=-2&after=STEP");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body
             == with_ids(R"({"steps":[{"id":"STEP","workflow_id":"WORKFLOW","key":"label",)"
                         R"("title":"Label images","ui":"https://ui.example/label",)"
                         R"("priority":7}],"complete":false})"));
  const auto& asked = gateway.only<msg::find_steps>();
  BOOST_TEST(asked.contributor == "ann");
  BOOST_TEST(asked.limit == 5U);
  BOOST_TEST(asked.after_priority == -2);
  BOOST_TEST((asked.after == step));
}

BOOST_AUTO_TEST_CASE(a_bound_contributor_gets_offers_without_a_name_in_the_request) {
  gateway.answers<msg::find_steps>({});
  gateway.answers<msg::list_steps>({});
  const auto reply = get("contributor:ann", "/v1/job-steps");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body == R"({"steps":[],"complete":true})");
  BOOST_TEST(gateway.only<msg::find_steps>().contributor == "ann");
  BOOST_TEST(gateway.only<msg::find_steps>().limit == 20U);
  BOOST_TEST(gateway.seen<msg::list_steps>().empty());
}

BOOST_AUTO_TEST_CASE(all_steps_are_listed_for_a_requester_without_a_contributor) {
  gateway.answers<msg::list_steps>({{view_of_step()}});
  gateway.answers<msg::find_steps>({});
  const auto reply = get("requester", "/v1/job-steps");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body == R"({"steps":[)" + json_of_step() + "]}");
  BOOST_TEST(gateway.only<msg::list_steps>().limit == 100U);
  BOOST_TEST(!gateway.only<msg::list_steps>().after);
  BOOST_TEST(gateway.seen<msg::find_steps>().empty());

  get("auditor", "/v1/job-steps?limit=7&after=STEP");
  const auto& next = gateway.seen<msg::list_steps>().back();
  BOOST_TEST(next.limit == 7U);
  BOOST_TEST((next.after == step));
}

BOOST_AUTO_TEST_CASE(listing_steps_needs_a_role_and_a_contributor_where_there_are_several) {
  gateway.answers<msg::find_steps>({});
  gateway.answers<msg::list_steps>({});
  const auto unbound = get("contributor", "/v1/job-steps");
  check_refusal(unbound, 400, "invalid_argument");
  BOOST_TEST(holds(unbound.detail(), "contributor_id is missing"));
  check_refusal(get("worker", "/v1/job-steps"), 403, "not_allowed");
  check_refusal(get("contributor:ann", "/v1/job-steps?contributor_id=ben"), 403, "not_allowed");
  BOOST_TEST(asked_in_order() == "");
  BOOST_TEST(get("contributor", "/v1/job-steps?contributor_id=ben").status == 200U);
}

BOOST_AUTO_TEST_CASE(available_steps_have_the_same_form) {
  msg::step_offers offers;
  offers.steps.push_back({step, workflow, "label", "", "", 0});
  gateway.answers<msg::find_steps>(offers);
  const auto reply = get("contributor:ann", "/v1/available-steps?limit=3");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body
             == with_ids(R"({"steps":[{"id":"STEP","workflow_id":"WORKFLOW","key":"label",)"
                         R"("title":"","ui":"","priority":0}],"complete":true})"));
  BOOST_TEST(gateway.only<msg::find_steps>().contributor == "ann");
  BOOST_TEST(gateway.only<msg::find_steps>().limit == 3U);
}

// --- changes of steps ---

BOOST_AUTO_TEST_CASE(the_status_of_a_step_names_the_change) {
  gateway.answers<msg::change_step>(view_of_step());
  const std::pair<const char*, core::unit_verb> changes[] = {{"paused", core::unit_verb::pause},
                                                             {"running", core::unit_verb::resume},
                                                             {"canceled", core::unit_verb::cancel}};
  for (const auto& [status, what] : changes) {
    const auto reply =
        post("requester", "/v1/job-steps/STEP", R"({"status":")" + std::string{status} + R"("})");
    BOOST_TEST(reply.status == 200U);
    BOOST_TEST(reply.body == json_of_step());
    const auto& asked = gateway.seen<msg::change_step>().back();
    BOOST_TEST((asked.step == step));
    BOOST_TEST(asked.verb == static_cast<std::uint8_t>(what));
  }
  BOOST_TEST(gateway.seen<msg::change_step>().size() == 3U);
}

BOOST_AUTO_TEST_CASE(the_status_sealed_seals_a_step) {
  gateway.answers<msg::seal_step>(view_of_step());
  const auto reply = post("requester", "/v1/job-steps/STEP", R"({"status":"sealed"})");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body == json_of_step());
  BOOST_TEST((gateway.only<msg::seal_step>().step == step));
  BOOST_TEST(asked_in_order() == "seal_step");
}

BOOST_AUTO_TEST_CASE(an_unknown_status_of_a_step_is_refused_with_the_known_ones) {
  gateway.answers<msg::change_step>({});
  const auto reply = post("requester", "/v1/job-steps/STEP", R"({"status":"stopped"})");
  check_refusal(reply, 400, "invalid_argument");
  BOOST_TEST(reply.detail()
             == R"(/status must be one of "paused", "running", "canceled", "sealed")");
  check_refusal(post("requester", "/v1/job-steps/STEP", "{}"), 400, "invalid_argument");
  check_refusal(post("contributor:ann", "/v1/job-steps/STEP", R"({"status":"paused"})"), 403,
                "not_allowed");
  check_refusal(post("auditor", "/v1/job-steps/STEP", R"({"status":"sealed"})"), 403,
                "not_allowed");
  BOOST_TEST(asked_in_order() == "");
}

BOOST_AUTO_TEST_CASE(a_step_is_read_with_its_counts) {
  gateway.answers<msg::get_step_statistics>({view_of_step(), 1, 2, 3, 4, 5, 6, 7});
  const auto reply = get("requester", "/v1/job-steps/STEP");
  BOOST_TEST(reply.status == 200U);
  auto step_members = json_of_step();
  step_members.pop_back();
  BOOST_TEST(reply.body
             == step_members
                    + R"(,"judgable_units":1,"paused_units":2,"finalized_units":3,)"
                      R"("canceled_units":4,"judgments":5,"active_leases":6,"expired_leases":7})");
  BOOST_TEST((gateway.only<msg::get_step_statistics>().step == step));
}

// --- workflows ---

BOOST_AUTO_TEST_CASE(a_definition_arrives_byte_for_byte) {
  msg::workflow_created created;
  created.workflow = workflow;
  created.steps = {view_of_step()};
  gateway.answers<msg::create_workflow>(created);
  const std::string definition =
      "{ \"name\":\t\"a\\u00e4\",\n \"n\": 9400110200881234567890, \"x\": 1.50e3, \"id\": null }";
  const auto reply = post("requester", "/v1/workflows?id=WORKFLOW", definition);
  BOOST_TEST(reply.status == 201U);
  BOOST_TEST(reply.body
             == with_ids(R"({"workflow_id":"WORKFLOW","steps":[)") + json_of_step() + "]}");
  BOOST_TEST(gateway.only<msg::create_workflow>().definition == definition);
  BOOST_TEST((gateway.only<msg::create_workflow>().workflow == workflow));
}

BOOST_AUTO_TEST_CASE(a_definition_is_checked_without_a_workflow) {
  gateway.answers<msg::check_workflow>(
      {false, {{"", "/steps/0/key", "is missing"}}, {{"labels_alike", "/steps/0", "are alike"}}});
  const auto reply = post("requester", "/v1/workflows/validate", R"({"name": "w"})");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body
             == R"({"valid":false,"problems":[{"place":"/steps/0/key","what":"is missing"}],)"
                R"("warnings":[{"code":"labels_alike","place":"/steps/0","what":"are alike"}]})");
  BOOST_TEST(gateway.only<msg::check_workflow>().definition == R"({"name": "w"})");
  check_refusal(post("worker", "/v1/workflows/validate", "{}"), 403, "not_allowed");
}

BOOST_AUTO_TEST_CASE(the_id_of_a_workflow_comes_from_the_query_or_a_header_or_is_made) {
  gateway.answers<msg::create_workflow>({});
  const std::string other = "018f0000-0000-7000-8000-0000000000f1";
  post("requester", "/v1/workflows?id=WORKFLOW", "{}", {{"idempotency-key", other}});
  BOOST_TEST((gateway.seen<msg::create_workflow>().back().workflow == workflow));
  post("requester", "/v1/workflows", "{}", {{"idempotency-key", other}});
  BOOST_TEST(to_string(gateway.seen<msg::create_workflow>().back().workflow) == other);
  post("requester", "/v1/workflows", "{}");
  BOOST_TEST((gateway.seen<msg::create_workflow>().back().workflow.value == made_id(1)));
  check_refusal(post("requester", "/v1/workflows?id=7", "{}"), 400, "invalid_argument");
  check_refusal(post("requester", "/v1/workflows", ""), 400, "invalid_argument");
  check_refusal(post("requester", "/v1/workflows", R"({"name":)"), 422, "payload_invalid");
  BOOST_TEST(gateway.seen<msg::create_workflow>().size() == 3U);
}

BOOST_AUTO_TEST_CASE(an_update_is_sent_to_the_first_step_of_the_workflow) {
  gateway.answers<msg::get_workflow>(view_of_workflow());
  msg::workflow_updated updated;
  updated.workflow = workflow;
  updated.version = 4;
  updated.differences = {{"/name", R"("labels")", ""}, {"/n", "", "9400110200881234567890"}};
  updated.steps = {view_of_step()};
  gateway.answers<msg::update_workflow>(updated);
  const std::string definition = "{ \"n\": 9400110200881234567890 }";
  const auto reply =
      ask("requester", "PUT", with_ids("/v1/workflows/WORKFLOW?version=3"), definition);
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body
             == with_ids(R"({"workflow_id":"WORKFLOW","version":4,"dry_run":false,"differences":[)"
                         R"({"place":"/name","before":"labels"},)"
                         R"({"place":"/n","after":9400110200881234567890}],"steps":[)")
                    + json_of_step() + "]}");
  BOOST_TEST((gateway.only<msg::get_workflow>().workflow == workflow));
  BOOST_TEST(gateway.only<msg::get_workflow>().version == 0U);
  const auto& asked = gateway.only<msg::update_workflow>();
  BOOST_TEST((asked.step == step));
  BOOST_TEST(asked.version == 3U);
  BOOST_TEST(asked.definition == definition);
  BOOST_TEST(!asked.dry_run);
}

BOOST_AUTO_TEST_CASE(a_validation_is_an_update_that_changes_nothing) {
  gateway.answers<msg::get_workflow>(view_of_workflow());
  msg::workflow_updated updated;
  updated.dry_run = true;
  gateway.answers<msg::update_workflow>(updated);
  const auto reply =
      post("requester", "/v1/workflows/WORKFLOW/validate", "{}", {{"if-match", R"("3")"}});
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.json.at("dry_run").get<bool>());
  BOOST_TEST(gateway.only<msg::update_workflow>().dry_run);
  BOOST_TEST(gateway.only<msg::update_workflow>().version == 3U);
  BOOST_TEST((gateway.only<msg::update_workflow>().step == step));
}

BOOST_AUTO_TEST_CASE(the_version_of_an_update_comes_from_the_query_or_the_header) {
  gateway.answers<msg::get_workflow>(view_of_workflow());
  gateway.answers<msg::update_workflow>({});
  const auto put = [&](const std::string& target, std::vector<http::parameter> headers) {
    return ask("requester", "PUT", with_ids(target), "{}", std::move(headers));
  };
  const auto missing = put("/v1/workflows/WORKFLOW", {});
  check_refusal(missing, 428, "precondition_required");
  BOOST_TEST(holds(missing.detail(), "version=3"));
  BOOST_TEST(holds(missing.detail(), R"(If-Match: "3")"));
  check_refusal(put("/v1/workflows/WORKFLOW", {{"if-match", "*"}}), 400, "invalid_argument");
  check_refusal(put("/v1/workflows/WORKFLOW", {{"if-match", R"("0")"}}), 400, "invalid_argument");
  check_refusal(put("/v1/workflows/WORKFLOW?version=2", {{"if-match", R"("3")"}}), 400,
                "invalid_argument");
  check_refusal(put("/v1/workflows/WORKFLOW?version=x", {}), 400, "invalid_argument");
  BOOST_TEST(asked_in_order() == "");

  BOOST_TEST(put("/v1/workflows/WORKFLOW", {{"if-match", R"("12")"}}).status == 200U);
  BOOST_TEST(gateway.seen<msg::update_workflow>().back().version == 12U);
  BOOST_TEST(put("/v1/workflows/WORKFLOW?version=13", {{"if-match", R"("13")"}}).status == 200U);
  BOOST_TEST(gateway.seen<msg::update_workflow>().back().version == 13U);
}

BOOST_AUTO_TEST_CASE(the_tag_of_a_workflow_is_the_condition_of_its_update) {
  gateway.answers<msg::get_workflow>(view_of_workflow());
  gateway.answers<msg::update_workflow>({});
  const auto read = ask("requester", "GET", with_ids("/v1/workflows/WORKFLOW"));
  const auto tag = read.header("ETag");
  BOOST_TEST(tag.substr(0, 2) == "\"" + std::to_string(view_of_workflow().version), tag);
  const auto put = [&] {
    return ask("requester", "PUT", with_ids("/v1/workflows/WORKFLOW"), "{}", {{"if-match", tag}});
  };
  BOOST_TEST(put().status == 200U);
  BOOST_TEST(gateway.only<msg::update_workflow>().version == view_of_workflow().version);

  auto newer = view_of_workflow();
  newer.latest = newer.version + 1;
  gateway.answers<msg::get_workflow>(newer);
  gateway.fails<msg::update_workflow>(core::errc::wrong_state, "the workflow is at version 6");
  check_refusal(put(), 412, "precondition_failed");
  // The job of the workflow is canceled: its version is the right one.
  auto same = view_of_workflow();
  same.latest = same.version;
  gateway.answers<msg::get_workflow>(same);
  check_refusal(put(), 409, "wrong_state");
}

BOOST_AUTO_TEST_CASE(an_update_tells_the_failures_of_both_of_its_operations) {
  gateway.fails<msg::get_workflow>(core::errc::not_found, "no such workflow");
  gateway.fails<msg::update_workflow>(core::errc::wrong_state, "the latest version is 5");
  const auto unknown = ask("requester", "PUT", with_ids("/v1/workflows/WORKFLOW?version=3"), "{}");
  check_refusal(unknown, 404, "not_found");
  BOOST_TEST(unknown.detail() == "no such workflow");
  BOOST_TEST(gateway.seen<msg::update_workflow>().empty());

  gateway.answers<msg::get_workflow>(view_of_workflow());
  const auto late = ask("requester", "PUT", with_ids("/v1/workflows/WORKFLOW?version=3"), "{}");
  check_refusal(late, 409, "wrong_state");
  BOOST_TEST(late.detail() == "the latest version is 5");
}

BOOST_AUTO_TEST_CASE(an_auditor_may_read_a_workflow_and_not_change_it) {
  gateway.answers<msg::get_workflow>(view_of_workflow());
  gateway.answers<msg::update_workflow>({});
  const auto refused = ask("auditor", "PUT", with_ids("/v1/workflows/WORKFLOW?version=3"), "{}");
  check_refusal(refused, 403, "not_allowed");
  BOOST_TEST(asked_in_order() == "");
  const auto read = get("auditor", "/v1/workflows/WORKFLOW?version=2");
  BOOST_TEST(read.status == 200U);
  BOOST_TEST(read.json.at("id").get<std::string>() == workflow_text);
  BOOST_TEST(read.json.at("definition").dump() == R"({"name":"labels"})");
  BOOST_TEST(gateway.only<msg::get_workflow>().version == 2U);
}

BOOST_AUTO_TEST_CASE(the_status_of_a_job_is_a_word) {
  gateway.answers<msg::job_status_changed>({workflow, 8, true});
  const auto reply =
      post("requester", "/v1/workflows/WORKFLOW/job", R"({"revision":8,"status":"finished"})");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body == with_ids(R"({"workflow_id":"WORKFLOW","revision":8,"applied":true})"));
  const auto& asked = gateway.only<msg::job_status_changed>();
  BOOST_TEST((asked.workflow == workflow));
  BOOST_TEST(asked.revision == 8U);
  BOOST_TEST(asked.status == static_cast<std::uint8_t>(core::job_status::finished));
  BOOST_TEST(!asked.step);
  check_refusal(post("requester", "/v1/workflows/WORKFLOW/job", R"({"revision":8,"status":3})"),
                400, "invalid_argument");
}

BOOST_AUTO_TEST_CASE(lists_have_a_limit_of_their_own) {
  gateway.answers<msg::list_workflows>({});
  gateway.answers<msg::list_results>({});
  gateway.answers<msg::list_contributors>({});
  gateway.answers<msg::list_test_questions>({});
  gateway.answers<msg::get_lineage>({});
  BOOST_TEST(get("requester", "/v1/workflows").status == 200U);
  BOOST_TEST(get("requester", "/v1/job-steps/STEP/results").status == 200U);
  BOOST_TEST(get("requester", "/v1/job-steps/STEP/contributors").status == 200U);
  BOOST_TEST(get("requester", "/v1/job-steps/STEP/test-questions").status == 200U);
  BOOST_TEST(get("requester", "/v1/units/UNIT/lineage").status == 200U);
  BOOST_TEST(gateway.only<msg::list_workflows>().limit == 100U);
  BOOST_TEST(gateway.only<msg::list_results>().limit == 100U);
  BOOST_TEST(gateway.only<msg::list_contributors>().limit == 100U);
  BOOST_TEST(gateway.only<msg::list_test_questions>().limit == 100U);
  BOOST_TEST(gateway.only<msg::get_lineage>().limit == 20U);

  get("requester", "/v1/job-steps/STEP/results?limit=10000&after=12");
  BOOST_TEST(gateway.seen<msg::list_results>().back().limit == 10000U);
  BOOST_TEST(gateway.seen<msg::list_results>().back().after == 12U);
  get("requester", "/v1/job-steps/STEP/contributors?after=bj%C3%B6rn");
  BOOST_TEST(gateway.seen<msg::list_contributors>().back().after == "bj\xC3\xB6rn");
}

// --- units ---

BOOST_AUTO_TEST_CASE(a_unit_is_read_from_the_step_in_the_query) {
  gateway.answers<msg::get_unit>(view_of_unit());
  gateway.answers<msg::get_lineage>(lineage_of({unit}, false));
  const auto reply = get("requester", "/v1/units/UNIT?step_id=STEP");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body
             == with_ids(R"({"id":"UNIT","step_id":"STEP","root_id":"OTHER","source_key":"row-1",)"
                         R"("input":{"n":9400110200881234567890},"state":"Judgable",)"
                         R"("judgments_per_unit":3,"judgment_count":1,"assignment_count":2,)"
                         R"("confidence":0,"version":4})"));
  BOOST_TEST((gateway.only<msg::get_unit>().step == step));
  BOOST_TEST((gateway.only<msg::get_unit>().unit == unit));
  BOOST_TEST(asked_in_order() == "get_unit");
}

BOOST_AUTO_TEST_CASE(the_step_of_a_unit_is_looked_up_page_by_page) {
  gateway.answers<msg::get_unit>(view_of_unit());
  gateway.on<msg::get_lineage>([&](const msg::get_lineage& asked) {
    return asked.after ? lineage_of({unit}, false) : lineage_of({other_unit}, true);
  });
  BOOST_TEST(get("requester", "/v1/units/UNIT").status == 200U);
  BOOST_TEST(asked_in_order() == "get_lineage get_lineage get_unit");
  const auto& pages = gateway.seen<msg::get_lineage>();
  for (const auto& page : pages) {
    BOOST_TEST((page.unit == unit));
    BOOST_TEST(page.limit == 100U);
  }
  BOOST_TEST((pages.back().after == other_unit));
  BOOST_TEST((gateway.only<msg::get_unit>().step == step));
}

BOOST_AUTO_TEST_CASE(the_look_up_of_a_step_ends_after_ten_pages) {
  gateway.answers<msg::get_unit>(view_of_unit());
  gateway.answers<msg::get_lineage>(lineage_of({other_unit}, true));
  const auto reply = get("requester", "/v1/units/UNIT");
  check_refusal(reply, 400, "invalid_argument");
  BOOST_TEST(holds(reply.detail(), "step_id"));
  BOOST_TEST(gateway.seen<msg::get_lineage>().size() == 10U);
  BOOST_TEST(gateway.seen<msg::get_unit>().empty());
}

BOOST_AUTO_TEST_CASE(a_unit_that_is_nowhere_is_not_found) {
  gateway.answers<msg::get_unit>(view_of_unit());
  gateway.fails<msg::get_lineage>(core::errc::not_found, "no such unit");
  check_refusal(get("requester", "/v1/units/UNIT"), 404, "not_found");
  gateway.answers<msg::get_lineage>(lineage_of({}, true));
  check_refusal(get("requester", "/v1/units/UNIT"), 404, "not_found");
  gateway.answers<msg::get_lineage>(lineage_of({other_unit}, false));
  check_refusal(get("requester", "/v1/units/UNIT"), 404, "not_found");
  BOOST_TEST(gateway.seen<msg::get_unit>().empty());
}

BOOST_AUTO_TEST_CASE(no_step_is_looked_up_for_a_request_that_is_not_allowed) {
  gateway.answers<msg::get_unit>(view_of_unit());
  gateway.answers<msg::change_unit>({});
  gateway.answers<msg::explain_unit>({});
  gateway.answers<msg::get_lineage>(lineage_of({unit}, false));
  check_refusal(get("contributor:ann", "/v1/units/UNIT"), 403, "not_allowed");
  check_refusal(get("contributor:ann", "/v1/units/UNIT/result"), 403, "not_allowed");
  check_refusal(get("contributor:ann", "/v1/units/UNIT/explanation"), 403, "not_allowed");
  check_refusal(get("contributor:ann", "/v1/units/UNIT/lineage"), 403, "not_allowed");
  check_refusal(post("auditor", "/v1/units/UNIT", R"({"status":"paused"})"), 403, "not_allowed");
  BOOST_TEST(asked_in_order() == "");
}

BOOST_AUTO_TEST_CASE(a_look_up_does_not_depend_on_the_roles_of_the_caller) {
  gateway.answers<msg::get_lineage>(lineage_of({other_unit, unit}, false));
  client.reach(gateway.handle());
  auto who = std::make_shared<core::principal>();
  who->grants.push_back({core::role::contributor, "ann"});
  const auto call = std::make_shared<test::fake_call>(http::request{});
  http::visit from;
  from.call = call;
  from.who = who;
  std::vector<core::step_id> found;
  door.look_up_step(from, unit, [&](core::step_id one) { found.push_back(one); });
  settle();
  BOOST_REQUIRE_EQUAL(found.size(), 1U);
  BOOST_TEST((found.front() == step));
  BOOST_TEST(call->answers.empty());
}

BOOST_AUTO_TEST_CASE(a_result_is_not_found_until_there_is_one) {
  gateway.answers<msg::get_lineage>(lineage_of({unit}, false));
  gateway.answers<msg::get_unit>(view_of_unit());
  const auto early = get("requester", "/v1/units/UNIT/result?step_id=STEP");
  check_refusal(early, 404, "not_found");
  BOOST_TEST(holds(early.detail(), "Judgable"));

  auto finished = view_of_unit();
  finished.state = core::unit_state::finalized;
  finished.result = R"({"answer": 9400110200881234567890})";
  finished.confidence = 0.75;
  gateway.answers<msg::get_unit>(finished);
  const auto reply = get("requester", "/v1/units/UNIT/result");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body
             == with_ids(R"({"unit_id":"UNIT","state":"Finalized",)"
                         R"("result":{"answer": 9400110200881234567890},"confidence":0.75})"));
  BOOST_TEST(asked_in_order() == "get_unit get_lineage get_unit");
}

BOOST_AUTO_TEST_CASE(the_status_of_a_unit_names_the_change) {
  gateway.answers<msg::get_lineage>(lineage_of({unit}, false));
  gateway.answers<msg::change_unit>({unit, core::unit_state::canceled});
  const std::pair<const char*, core::unit_verb> changes[] = {{"paused", core::unit_verb::pause},
                                                             {"running", core::unit_verb::resume},
                                                             {"canceled", core::unit_verb::cancel}};
  for (const auto& [status, what] : changes) {
    const auto reply = post("requester", "/v1/units/UNIT",
                            R"({"step_id":"STEP","status":")" + std::string{status} + R"("})");
    BOOST_TEST(reply.status == 200U);
    BOOST_TEST(reply.body == with_ids(R"({"id":"UNIT","state":"Canceled"})"));
    const auto& asked = gateway.seen<msg::change_unit>().back();
    BOOST_TEST((asked.step == step));
    BOOST_TEST((asked.unit == unit));
    BOOST_TEST(asked.verb == static_cast<std::uint8_t>(what));
  }
  BOOST_TEST(gateway.seen<msg::get_lineage>().empty());
  BOOST_TEST(post("requester", "/v1/units/UNIT", R"({"status":"paused"})").status == 200U);
  BOOST_TEST(gateway.seen<msg::get_lineage>().size() == 1U);
  BOOST_TEST((gateway.seen<msg::change_unit>().back().step == step));
  check_refusal(post("requester", "/v1/units/UNIT", R"({"status":"sealed"})"), 400,
                "invalid_argument");
}

BOOST_AUTO_TEST_CASE(a_unit_is_explained_with_and_without_a_contributor) {
  gateway.answers<msg::get_lineage>(lineage_of({unit}, false));
  gateway.answers<msg::explain_unit>(
      {unit, core::unit_state::judgable, {{"waiting", "2 slots are free"}}});
  const auto reply = get("auditor", "/v1/units/UNIT/explanation?contributor_id=ann");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body
             == with_ids(R"({"id":"UNIT","state":"Judgable","reasons":[)"
                         R"({"code":"waiting","text":"2 slots are free"}]})"));
  BOOST_TEST(gateway.only<msg::explain_unit>().contributor == "ann");
  BOOST_TEST((gateway.only<msg::explain_unit>().step == step));
  get("auditor", "/v1/units/UNIT/explanation?step_id=STEP");
  BOOST_TEST(gateway.seen<msg::explain_unit>().back().contributor == "");
  BOOST_TEST(gateway.seen<msg::get_lineage>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_lineage_leaves_out_times_and_ids_that_are_not_there) {
  msg::lineage_unit one;
  one.unit = unit;
  one.step = step;
  one.source_key = "row-1";
  one.created_at = now;
  one.input = "{}";
  one.leases.push_back({assignment, "ann", 3, "Active", now, now + 60s, {}});
  one.judgments.emplace_back();
  one.judgments.back().judgment = judgment;
  one.judgments.back().contributor = "ben";
  one.judgments.back().payload = R"({"a":1})";
  one.judgments.back().answer = "1";
  one.judgments.back().submitted_at = now;
  one.judgments.back().status = "Counted";
  gateway.answers<msg::get_lineage>({unit, {one}, true});
  const auto reply = get("requester", "/v1/units/UNIT/lineage?limit=1&after=OTHER");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(
      reply.body
      == with_ids(
          R"({"root_id":"UNIT","units":[{"id":"UNIT","step_id":"STEP","source_key":"row-1",)"
          R"("part":0,"loops":0,"reopened":0,"state":"Judgable","test_question":false,)"
          R"("judgments_per_unit":0,"created_at":"2027-01-15T08:00:00.000000Z","input":{},)"
          R"("confidence":0,"route":-1,"leases":[{"assignment_id":"ASSIGNMENT",)"
          R"("contributor_id":"ann","token":3,"status":"Active",)"
          R"("granted_at":"2027-01-15T08:00:00.000000Z",)"
          R"("expires_at":"2027-01-15T08:01:00.000000Z"}],"judgments":[)"
          R"({"judgment_id":"JUDGMENT","contributor_id":"ben","data":{"a":1},"answer":"1",)"
          R"("trust":1,"trust_questions":0,"trust_low":0,)"
          R"("submitted_at":"2027-01-15T08:00:00.000000Z","status":"Counted","counts":true}],)"
          R"("excluded":[],"version":0}],"more":true})"));
  BOOST_TEST((gateway.only<msg::get_lineage>().after == other_unit));
  BOOST_TEST(gateway.only<msg::get_lineage>().limit == 1U);
}

// --- assignments and judgments ---

BOOST_AUTO_TEST_CASE(an_assignment_tells_the_seconds_of_its_lease) {
  gateway.answers<msg::ask_assignment>({assignment, step, unit, 41, now + 90s + 500ms,
                                        R"({"n": 9400110200881234567890})", "form.html"});
  const auto reply = post("contributor:ann", "/v1/assignments", R"({"step_id":"STEP"})");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body
             == with_ids(R"({"assignment_id":"ASSIGNMENT","unit_id":"UNIT","step_id":"STEP",)"
                         R"("token":41,"lease_seconds":90.5,)"
                         R"("expires_at":"2027-01-15T08:01:30.500000Z",)"
                         R"("input":{"n": 9400110200881234567890},"ui":"form.html"})"));
  const auto& asked = gateway.only<msg::ask_assignment>();
  BOOST_TEST(asked.contributor == "ann");
  BOOST_TEST((asked.step == step));
  BOOST_TEST((asked.assignment.value == made_id(1)));

  post("contributor:ann", "/v1/assignments", R"({"step_id":"STEP","id":"ASSIGNMENT"})");
  BOOST_TEST((gateway.seen<msg::ask_assignment>().back().assignment == assignment));
  gateway.fails<msg::ask_assignment>(core::errc::no_unit_available, "");
  check_refusal(post("contributor:ann", "/v1/assignments", R"({"step_id":"STEP"})"), 404,
                "no_unit_available");
}

BOOST_AUTO_TEST_CASE(a_contributor_speaks_for_no_other) {
  gateway.answers<msg::ask_assignment>({});
  gateway.answers<msg::submit_judgment>({});
  gateway.answers<msg::release_assignment>({});
  gateway.answers<msg::extend_assignment>({});
  gateway.answers<msg::end_session>({});
  gateway.answers<msg::get_feedback>({});
  gateway.answers<msg::find_steps>({});
  const std::string lease = R"("step_id":"STEP","unit_id":"UNIT","token":1,"contributor_id":"ben")";
  const auto ann = "contributor:ann";
  check_refusal(post(ann, "/v1/assignments", R"({"step_id":"STEP","contributor_id":"ben"})"), 403,
                "not_allowed");
  check_refusal(post(ann, "/v1/judgments", "{" + lease + R"(,"data":1})"), 403, "not_allowed");
  check_refusal(post(ann, "/v1/assignments/ASSIGNMENT/release", "{" + lease + "}"), 403,
                "not_allowed");
  check_refusal(post(ann, "/v1/assignments/ASSIGNMENT/extend", "{" + lease + "}"), 403,
                "not_allowed");
  check_refusal(ask(ann, "DELETE", "/v1/sessions/ben"), 403, "not_allowed");
  check_refusal(get(ann, "/v1/judgments/JUDGMENT/feedback?step_id=STEP&unit_id=UNIT"
                         "&contributor_id=ben"),
                403, "not_allowed");
  check_refusal(get(ann, "/v1/available-steps?contributor_id=ben"), 403, "not_allowed");
  BOOST_TEST(asked_in_order() == "");
  BOOST_TEST(post("contributor:ben", "/v1/judgments", "{" + lease + R"(,"data":1})").status
             == 202U);
}

BOOST_AUTO_TEST_CASE(a_contributor_without_a_bound_name_must_give_one) {
  gateway.answers<msg::ask_assignment>({});
  const auto missing = post("contributor", "/v1/assignments", R"({"step_id":"STEP"})");
  check_refusal(missing, 400, "invalid_argument");
  BOOST_TEST(missing.detail() == "/contributor_id is missing");
  const auto given =
      post("contributor", "/v1/assignments", R"({"step_id":"STEP","contributor_id":"ben"})");
  BOOST_TEST(given.status == 200U);
  BOOST_TEST(gateway.only<msg::ask_assignment>().contributor == "ben");
}

BOOST_AUTO_TEST_CASE(a_judgment_is_handed_in_byte_for_byte) {
  gateway.answers<msg::submit_judgment>({judgment, true, false});
  const auto reply = post("contributor:ann", "/v1/judgments",
                          R"({"unit_id":"UNIT","step_id":"STEP","assignment_id":"ASSIGNMENT",)"
                          R"("token":18446744073709551615,)"
                          R"("data": { "n" : 9400110200881234567890 } })");
  BOOST_TEST(reply.status == 202U);
  BOOST_TEST(reply.body
             == with_ids(R"({"judgment_id":"JUDGMENT","repeated":true,"surplus":false})"));
  const auto& asked = gateway.only<msg::submit_judgment>();
  BOOST_TEST((asked.step == step));
  BOOST_TEST((asked.unit == unit));
  BOOST_TEST(asked.contributor == "ann");
  BOOST_TEST(asked.token == 18446744073709551615U);
  BOOST_TEST(asked.payload == R"({ "n" : 9400110200881234567890 })");
  BOOST_TEST((asked.judgment.value == made_id(1)));
}

BOOST_AUTO_TEST_CASE(the_id_of_a_judgment_makes_it_repeatable) {
  gateway.answers<msg::submit_judgment>({});
  const std::string members = R"("unit_id":"UNIT","step_id":"STEP","token":1,"data":"a")";
  post("contributor:ann", "/v1/judgments", "{" + members + R"(,"id":"JUDGMENT"})");
  BOOST_TEST((gateway.seen<msg::submit_judgment>().back().judgment == judgment));
  post("contributor:ann", "/v1/judgments", "{" + members + "}",
       {{"idempotency-key", std::string{judgment_text}}});
  BOOST_TEST((gateway.seen<msg::submit_judgment>().back().judgment == judgment));
  BOOST_TEST(gateway.seen<msg::submit_judgment>().back().payload == R"("a")");
}

BOOST_AUTO_TEST_CASE(mistakes_in_a_judgment_are_told_with_their_places) {
  gateway.answers<msg::submit_judgment>({});
  const auto reply = post("contributor:ann", "/v1/judgments",
                          R"({"unit_id":"x","step_id":7,"token":"t","assignment_id":[],"dat":1})");
  check_refusal(reply, 400, "invalid_argument");
  std::string places;
  for (const auto& one : reply.json.at("errors"))
    places += one.at("place").get<std::string>() + ' ';
  BOOST_TEST(places == "/unit_id /step_id /assignment_id /token /data /dat ");
  BOOST_TEST(holds(reply.detail(), "/data is missing"));
  BOOST_TEST(holds(reply.detail(), "/dat is unknown here; did you mean 'data'?"));
  BOOST_TEST(holds(reply.detail(), "/token must be a whole number from 0 to 18446744073709551615"));
  BOOST_TEST(asked_in_order() == "");
}

BOOST_AUTO_TEST_CASE(an_assignment_is_given_back_and_extended) {
  gateway.answers<msg::release_assignment>({unit});
  gateway.answers<msg::extend_assignment>({unit, now + 5min});
  const std::string lease = R"("step_id":"STEP","unit_id":"UNIT","token":7)";
  const auto released = post("contributor:ann", "/v1/assignments/ASSIGNMENT/release",
                             "{" + lease + R"(,"decline":true})");
  BOOST_TEST(released.status == 200U);
  BOOST_TEST(released.body == with_ids(R"({"unit_id":"UNIT"})"));
  const auto& given_back = gateway.only<msg::release_assignment>();
  BOOST_TEST((given_back.step == step));
  BOOST_TEST((given_back.unit == unit));
  BOOST_TEST(given_back.contributor == "ann");
  BOOST_TEST(given_back.token == 7U);
  BOOST_TEST(given_back.decline);
  post("contributor:ann", "/v1/assignments/ASSIGNMENT/release", "{" + lease + "}");
  BOOST_TEST(!gateway.seen<msg::release_assignment>().back().decline);

  const auto extended =
      post("contributor:ann", "/v1/assignments/ASSIGNMENT/extend", "{" + lease + "}");
  BOOST_TEST(extended.status == 200U);
  BOOST_TEST(extended.body
             == with_ids(R"({"unit_id":"UNIT","lease_seconds":300,)"
                         R"("expires_at":"2027-01-15T08:05:00.000000Z"})"));
  BOOST_TEST(gateway.only<msg::extend_assignment>().token == 7U);
  check_refusal(post("contributor:ann", "/v1/assignments/7/extend", "{" + lease + "}"), 400,
                "invalid_argument");
}

BOOST_AUTO_TEST_CASE(feedback_is_asked_for_by_unit_and_step) {
  gateway.answers<msg::get_feedback>({unit, true, false, true});
  const auto reply =
      get("contributor:ann", "/v1/judgments/JUDGMENT/feedback?step_id=STEP&unit_id=UNIT");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body
             == with_ids(R"({"unit_id":"UNIT","test_question":true,"right":false,"counts":true})"));
  const auto& asked = gateway.only<msg::get_feedback>();
  BOOST_TEST((asked.step == step));
  BOOST_TEST((asked.unit == unit));
  BOOST_TEST(asked.contributor == "ann");
  const auto missing = get("contributor:ann", "/v1/judgments/JUDGMENT/feedback?unit_id=UNIT");
  check_refusal(missing, 400, "invalid_argument");
  BOOST_TEST(missing.detail() == "step_id is missing");
}

BOOST_AUTO_TEST_CASE(a_session_ends_for_the_name_in_the_path) {
  gateway.answers<msg::end_session>({3});
  const auto reply = ask("contributor:bj\xC3\xB6rn", "DELETE", "/v1/sessions/bj%C3%B6rn");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body == R"({"released":3})");
  BOOST_TEST(gateway.only<msg::end_session>().contributor == "bj\xC3\xB6rn");
}

// --- source data and test questions ---

BOOST_AUTO_TEST_CASE(source_data_arrive_byte_for_byte) {
  msg::source_data_added added{
      1, 2, {{3, static_cast<std::uint8_t>(core::errc::too_large), "big"}}};
  gateway.answers<msg::add_source_data>(added);
  const auto reply = post("requester", "/v1/job-steps/STEP/source-data",
                          R"({"rows":[{"key":"a","input":{ "n":9400110200881234567890 }},)"
                          R"({"key":"b","input":[1.50],"judgments":5}]})");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body
             == R"({"added":1,"already_there":2,"problems":[)"
                R"({"row":3,"code":"too_large","retryable":false,"detail":"big"}]})");
  const auto& asked = gateway.only<msg::add_source_data>();
  BOOST_TEST((asked.step == step));
  BOOST_REQUIRE_EQUAL(asked.rows.size(), 2U);
  BOOST_TEST(asked.rows[0].key == "a");
  BOOST_TEST(asked.rows[0].input == R"({ "n":9400110200881234567890 })");
  BOOST_TEST(asked.rows[0].judgments == 0U);
  BOOST_TEST(asked.rows[1].input == "[1.50]");
  BOOST_TEST(asked.rows[1].judgments == 5U);
}

BOOST_AUTO_TEST_CASE(a_row_that_cannot_be_read_harms_no_other) {
  msg::source_data_added added;
  added.added = 1;
  added.problems.push_back({1, static_cast<std::uint8_t>(core::errc::too_large), "big"});
  gateway.answers<msg::add_source_data>(added);
  const auto reply = post("requester", "/v1/job-steps/STEP/source-data",
                          R"({"rows":[{"key":2,"judgments":-1},{"key":"a","input":1},3,)"
                          R"({"key":"b","input":2}]})");
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(reply.json.at("added") == 1);
  const auto problems = reply.json.at("problems");
  BOOST_REQUIRE_EQUAL(problems.size(), 3U);
  BOOST_TEST(problems[0].at("row") == 0);
  BOOST_TEST(problems[0].at("code") == "invalid_argument");
  const auto detail = problems[0].at("detail").get<std::string>();
  BOOST_TEST(holds(detail, "/key must be a string"));
  BOOST_TEST(holds(detail, "/input is missing"));
  BOOST_TEST(holds(detail, "/judgments must be a whole number"));
  BOOST_TEST(problems[1].at("row") == 2);
  BOOST_TEST(problems[1].at("detail") == "must be an object");
  BOOST_TEST(problems[2].at("row") == 3); // the second of those that were sent on
  BOOST_TEST(problems[2].at("code") == "too_large");
  BOOST_TEST(gateway.only<msg::add_source_data>().rows.size() == 2U);
  check_refusal(post("requester", "/v1/job-steps/STEP/source-data", R"({"rows":{}})"), 400,
                "invalid_argument");
}

BOOST_AUTO_TEST_CASE(test_questions_are_added_and_listed_with_their_health) {
  gateway.answers<msg::add_test_questions>({});
  post("requester", "/v1/job-steps/STEP/test-questions",
       R"({"rows":[{"key":"q","input":{},"truth":{"answer": "cat"}}]})");
  BOOST_REQUIRE_EQUAL(gateway.only<msg::add_test_questions>().rows.size(), 1U);
  BOOST_TEST(gateway.only<msg::add_test_questions>().rows[0].truth == R"({"answer": "cat"})");

  msg::test_question_summary good{
      unit, 4, "q", R"({"text":"cut he)", R"({"answer":1})", core::unit_state::judgable,
      true, 9, 2};
  msg::test_question_summary damaged;
  damaged.unit = other_unit;
  damaged.ordinal = 5;
  gateway.answers<msg::list_test_questions>({{good, damaged}, false});
  const auto reply = get("requester", "/v1/job-steps/STEP/test-questions?limit=2&after=3");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body
             == with_ids(R"({"questions":[{"unit_id":"UNIT","ordinal":4,"key":"q",)"
                         R"("input":"{\"text\":\"cut he","truth":{"answer":1},)"
                         R"("state":"Judgable","forgiven":true,"answered":9,"right":2},)"
                         R"({"unit_id":"OTHER","ordinal":5,"key":"","input":"",)"
                         R"("state":"Judgable","forgiven":false,"answered":0,"right":0}],)"
                         R"("more":false})"));
  check_refusal(get("contributor:ann", "/v1/job-steps/STEP/test-questions"), 403, "not_allowed");
}

BOOST_AUTO_TEST_CASE(a_test_question_is_forgiven_and_repaired) {
  gateway.answers<msg::forgive_question>({step, unit, true, {"ann", "ben"}, {}});
  const auto forgiven =
      ask("requester", "POST", with_ids("/v1/job-steps/STEP/test-questions/UNIT/forgive"));
  BOOST_TEST(forgiven.status == 200U);
  BOOST_TEST(forgiven.body
             == with_ids(R"({"step_id":"STEP","unit_id":"UNIT","forgiven":true,)"
                         R"("reinstated":["ann","ben"],"removed":[]})"));
  BOOST_TEST((gateway.only<msg::forgive_question>().unit == unit));
  BOOST_TEST(!gateway.only<msg::forgive_question>().count_again);
  post("requester", "/v1/job-steps/STEP/test-questions/UNIT/forgive", R"({"count_again":true})");
  BOOST_TEST(gateway.seen<msg::forgive_question>().back().count_again);

  msg::repair_progress progress;
  progress.step = step;
  progress.repair.value = made_id(1);
  progress.contributor = "question:7";
  progress.units = 12;
  gateway.answers<msg::repair_question>(progress);
  const auto repaired =
      post("requester", "/v1/job-steps/STEP/test-questions/UNIT/repair", R"({"dry_run":true})");
  BOOST_TEST(repaired.status == 200U);
  BOOST_TEST(repaired.json.at("id").get<std::string>() == core::to_string(made_id(1)));
  BOOST_TEST(repaired.json.at("contributor_id").get<std::string>() == "question:7");
  BOOST_TEST(repaired.json.at("units").get<int>() == 12);
  BOOST_TEST((gateway.only<msg::repair_question>().repair.value == made_id(1)));
  BOOST_TEST((gateway.only<msg::repair_question>().unit == unit));
  BOOST_TEST(gateway.only<msg::repair_question>().dry_run);
}

// --- contributors ---

BOOST_AUTO_TEST_CASE(a_profile_is_put_as_a_whole) {
  msg::profile_view view;
  view.contributor = "ann";
  view.channels = {"a", "b"};
  view.location = "DE-BY";
  view.trust = 0.25;
  view.trust_given = true;
  view.tests_right = 1;
  view.tests_answered = 2;
  gateway.answers<msg::put_profile>(view);
  const auto reply = ask("requester", "PUT", "/v1/contributors/ann",
                         R"({"channels":["b","a"],"location":"DE-BY","trust":0.25})");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body
             == R"({"contributor_id":"ann","channels":["a","b"],"skills":[],"certifications":[],)"
                R"("location":"DE-BY","trust":0.25,"trust_given":true,"tests_right":1,)"
                R"("tests_answered":2,"changed_at":null})");
  const auto& asked = gateway.only<msg::put_profile>();
  BOOST_TEST(asked.contributor == "ann");
  BOOST_TEST((asked.channels == std::vector<std::string>{"b", "a"}));
  BOOST_TEST(asked.skills.empty());
  BOOST_TEST(asked.trust == 0.25);

  ask("requester", "PUT", "/v1/contributors/ann", "{}");
  BOOST_TEST(gateway.seen<msg::put_profile>().back().trust == -1.0);
  BOOST_TEST(gateway.seen<msg::put_profile>().back().channels.empty());
  const auto wrong =
      ask("requester", "PUT", "/v1/contributors/ann", R"({"channels":["a",2],"trust":"high"})");
  check_refusal(wrong, 400, "invalid_argument");
  BOOST_TEST(holds(wrong.detail(), "/channels/1 must be a string"));
  BOOST_TEST(holds(wrong.detail(), "/trust must be a number"));
}

BOOST_AUTO_TEST_CASE(no_contributor_sees_a_profile_or_a_standing) {
  gateway.answers<msg::get_profile>({});
  gateway.answers<msg::put_profile>({});
  gateway.answers<msg::list_contributors>({});
  gateway.answers<msg::explain_contributor>({});
  const auto ann = "contributor:ann";
  check_refusal(get(ann, "/v1/contributors/ann"), 403, "not_allowed");
  check_refusal(ask(ann, "PUT", "/v1/contributors/ann", "{}"), 403, "not_allowed");
  check_refusal(get(ann, "/v1/job-steps/STEP/contributors"), 403, "not_allowed");
  check_refusal(get(ann, "/v1/job-steps/STEP/contributors/ann/explanation"), 403, "not_allowed");
  BOOST_TEST(asked_in_order() == "");
}

BOOST_AUTO_TEST_CASE(contributors_of_a_step_are_listed_removed_and_repaired) {
  msg::contributor_view view;
  view.contributor = "ann";
  view.standing = core::contributor_standing::removed;
  view.reason = core::standing_reason::quiz_failed;
  view.assignments = 4;
  view.tests = 3;
  view.right = 1;
  view.trust = 0.5;
  view.trust_low = 0.25;
  view.flags = {"speed"};
  gateway.answers<msg::list_contributors>({{view}, true});
  BOOST_TEST(get("requester", "/v1/job-steps/STEP/contributors").body
             == R"({"contributors":[{"contributor_id":"ann","standing":"Removed",)"
                R"("reason":"QuizFailed","assignments":4,"tests":3,"right":1,"trust":0.5,)"
                R"("trust_low":0.25,"flags":["speed"]}],"more":true})");

  gateway.answers<msg::remove_contributor>({step, "ann"});
  const auto removed = ask("requester", "DELETE", with_ids("/v1/job-steps/STEP/contributors/ann"));
  BOOST_TEST(removed.status == 200U);
  BOOST_TEST(removed.body == with_ids(R"({"step_id":"STEP","contributor_id":"ann"})"));
  BOOST_TEST((gateway.only<msg::remove_contributor>().step == step));
  BOOST_TEST(gateway.only<msg::remove_contributor>().contributor == "ann");

  gateway.answers<msg::repair_contributor>({});
  post("requester", "/v1/job-steps/STEP/contributors/ann/repair", "{}",
       {{"idempotency-key", std::string{judgment_text}}});
  BOOST_TEST(to_string(gateway.only<msg::repair_contributor>().repair) == judgment_text);
  BOOST_TEST(!gateway.only<msg::repair_contributor>().dry_run);
}

BOOST_AUTO_TEST_CASE(contributors_are_removed_from_everywhere_and_reinstated) {
  msg::removal_view view;
  view.contributor = "ann";
  view.scope = "everywhere";
  view.state = "active";
  view.reason = "spam";
  view.by = "token:1";
  gateway.answers<msg::put_removal>(view);
  const auto reply = post("requester", "/v1/contributors/ann/removals",
                          R"({"seconds":3600,"keep_judgments":true,"reason":"spam"})");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.json.at("scope").get<std::string>() == "everywhere");
  BOOST_TEST(reply.json.at("state").get<std::string>() == "active");
  BOOST_TEST(reply.json.at("removed_by").get<std::string>() == "token:1");
  const auto& asked = gateway.only<msg::put_removal>();
  BOOST_TEST(asked.contributor == "ann");
  BOOST_TEST((asked.lasts == std::chrono::hours{1}));
  BOOST_TEST(asked.keep_judgments);
  BOOST_TEST(asked.reason == "spam");
  BOOST_TEST(!asked.step);
  BOOST_TEST(!asked.workflow);

  gateway.answers<msg::reinstate_contributor>(view);
  BOOST_TEST(
      post("requester", "/v1/contributors/ann/reinstatements", with_ids(R"({"step_id":"STEP"})"))
          .status
      == 200U);
  BOOST_TEST((gateway.only<msg::reinstate_contributor>().step == step));

  gateway.answers<msg::list_removals>({{view}, false});
  const auto all = get("auditor", "/v1/contributors/ann/removals");
  BOOST_TEST(all.json.at("removals").at(0).at("reason").get<std::string>() == "spam");
  BOOST_TEST(gateway.only<msg::list_removals>().limit == 100U);

  const auto ann = "contributor:ann";
  check_refusal(get(ann, "/v1/contributors/ann/removals"), 403, "not_allowed");
  check_refusal(post(ann, "/v1/contributors/ann/removals", "{}"), 403, "not_allowed");
  check_refusal(post(ann, "/v1/contributors/ann/reinstatements", "{}"), 403, "not_allowed");
  check_refusal(post("auditor", "/v1/contributors/ann/removals", "{}"), 403, "not_allowed");
}

// --- results ---

BOOST_AUTO_TEST_CASE(results_are_listed_byte_for_byte) {
  msg::result_page page;
  page.results.push_back(
      {unit, "row-1", core::unit_state::finalized, 3, R"({"answer": 9400110200881234567890})", 1});
  page.results.push_back({other_unit, "row-2", core::unit_state::paused, 0, "", 0});
  page.last = 17;
  gateway.answers<msg::list_results>(page);
  const auto reply = get("auditor", "/v1/job-steps/STEP/results");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(
      reply.body
      == with_ids(R"({"results":[{"unit_id":"UNIT","source_key":"row-1","state":"Finalized",)"
                  R"("judgments":3,"result":{"answer": 9400110200881234567890},"confidence":1},)"
                  R"({"unit_id":"OTHER","source_key":"row-2","state":"Paused","judgments":0,)"
                  R"("confidence":0}],"last":17})"));
}

BOOST_AUTO_TEST_SUITE_END()
