// Bad input gets a precise error, and nothing else suffers.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

using core::errc;

struct started_node : node_fixture {
  started_node() {
    prepare().settings.rows_max = 3;
    start();
    step = create();
    feed(step, 3);
    lease = assigned(step, "ana");
  }
  ~started_node() {
    // Whatever was tried: the node works, and nothing in it has crashed.
    BOOST_TEST(node->log.empty());
    for (const auto& line : node->log)
      BOOST_TEST_MESSAGE(line);
    if (!node->log.empty())
      return;
    BOOST_TEST(submit(lease, "ana").value.has_value());
    work(step, "bob");
  }

  /// The request is refused with `code`, and the text names `what`.
  template <class Request>
  void refused(const Request& request, errc code, const std::string& what) {
    const auto answered = call(request);
    BOOST_REQUIRE(answered.arrived());
    BOOST_TEST(answered.code() == code);
    if (answered.error)
      BOOST_TEST(answered.error->detail.find(what) != std::string::npos,
                 "'" << answered.error->detail << "' names " << what);
  }
  msg::submit_judgment handing_in(const std::string& payload) {
    auto request = judgment(lease, "ana");
    request.payload = payload;
    return request;
  }

  core::step_id step;
  msg::assignment lease;
};

const std::string nul_text{"a\0b", 3};

} // namespace

BOOST_FIXTURE_TEST_SUITE(bad_input, started_node)

BOOST_AUTO_TEST_CASE(nil_ids_are_refused_by_name) {
  refused(msg::ask_assignment{{}, "ana", fresh<core::assignment_id>()}, errc::invalid_argument,
          "step must not be nil");
  refused(msg::ask_assignment{step, "ana", {}}, errc::invalid_argument,
          "assignment must not be nil");
  refused(msg::release_assignment{step, {}, "ana", 1, false}, errc::invalid_argument, "unit");
  refused(msg::extend_assignment{{}, lease.unit, "ana", 1}, errc::invalid_argument, "step");
  refused(msg::submit_judgment{step, lease.unit, "ana", 1, {}, "{}"}, errc::invalid_argument,
          "judgment");
  refused(msg::get_feedback{step, {}, "ana"}, errc::invalid_argument, "unit");
  refused(msg::create_workflow{{}, one_step}, errc::invalid_argument, "workflow");
  refused(msg::add_source_data{{}, {}}, errc::invalid_argument, "step");
  refused(msg::seal_step{}, errc::invalid_argument, "step");
  refused(msg::update_workflow{}, errc::invalid_argument, "step");
  refused(msg::job_status_changed{{}, 1, 1}, errc::invalid_argument, "workflow");
  refused(msg::get_workflow{}, errc::invalid_argument, "workflow");
  refused(msg::change_unit{step, {}, 1}, errc::invalid_argument, "unit");
  refused(msg::get_unit{step, {}}, errc::invalid_argument, "unit");
  refused(msg::get_step_statistics{}, errc::invalid_argument, "step");
}

BOOST_AUTO_TEST_CASE(unknown_ids_are_not_found) {
  const auto nowhere = fresh<core::step_id>();
  const auto nothing = fresh<core::unit_id>();
  refused(msg::ask_assignment{nowhere, "ana", fresh<core::assignment_id>()}, errc::not_found,
          to_string(nowhere));
  refused(msg::add_source_data{nowhere, {{"a", "{}", 0}}}, errc::not_found, to_string(nowhere));
  refused(msg::seal_step{nowhere}, errc::not_found, to_string(nowhere));
  refused(msg::change_step{nowhere, 1}, errc::not_found, to_string(nowhere));
  const auto no_workflow = fresh<core::workflow_id>();
  refused(msg::job_status_changed{no_workflow, 1, 1}, errc::not_found, "no such workflow");
  refused(msg::job_status_changed{no_workflow, 1, 1, nowhere}, errc::not_found, to_string(nowhere));
  refused(msg::job_status_changed{no_workflow, 1, 1, step}, errc::invalid_argument,
          to_string(no_workflow));
  refused(msg::get_step_statistics{nowhere}, errc::not_found, "");
  refused(msg::list_steps{nowhere, 10}, errc::not_found, "");
  refused(msg::get_unit{step, nothing}, errc::not_found, to_string(nothing));
  refused(msg::change_unit{step, nothing, 1}, errc::not_found, to_string(nothing));
  refused(msg::release_assignment{step, nothing, "ana", 1, false}, errc::not_found,
          to_string(nothing));
  refused(msg::extend_assignment{step, nothing, "ana", 1}, errc::not_found, to_string(nothing));
  refused(msg::submit_judgment{step, nothing, "ana", 1, fresh<core::judgment_id>(), "{}"},
          errc::not_found, to_string(nothing));
}

BOOST_AUTO_TEST_CASE(queue_to_remove_has_a_name_that_a_queue_may_have) {
  for (const auto& name : {std::string{}, std::string{"Mail"}, std::string(65, 'm'), nul_text})
    refused(msg::remove_queue{name}, errc::invalid_argument,
            "queue must be 1 to 64 of a-z 0-9 _ . -");
  BOOST_TEST(!call(msg::remove_queue{std::string(64, 'm')}).value->removed);
}

// The unit exists, but not in that step: it must not come to life there.
BOOST_AUTO_TEST_CASE(a_unit_is_found_in_its_own_step_only) {
  const auto other = create();
  const auto live = status().live_units;
  refused(msg::submit_judgment{other, lease.unit, "ana", lease.token, fresh<core::judgment_id>(),
                               R"({"answer":"red"})"},
          errc::not_found, to_string(lease.unit));
  refused(msg::change_unit{other, lease.unit, 3}, errc::not_found, to_string(lease.unit));
  refused(msg::get_unit{other, lease.unit}, errc::not_found, to_string(lease.unit));
  BOOST_TEST(status().live_units == live);
  BOOST_TEST(active_leases() == 1u);
}

BOOST_AUTO_TEST_CASE(contributors_have_names_of_1_to_128_bytes_of_text) {
  for (const auto& name : {std::string{}, std::string(129, 'x'), nul_text, std::string{"\xff"}})
    refused(msg::ask_assignment{step, name, fresh<core::assignment_id>()}, errc::invalid_argument,
            "contributor");
  refused(msg::get_feedback{step, lease.unit, ""}, errc::invalid_argument, "contributor");
  refused(msg::end_session{""}, errc::invalid_argument, "contributor");
  BOOST_TEST(assign(step, std::string(128, 'x')).value.has_value());
}

BOOST_AUTO_TEST_CASE(verbs_and_limits_out_of_range_are_refused_with_the_range) {
  for (const std::uint8_t verb : {0, 4, 255}) {
    refused(msg::change_step{step, verb}, errc::invalid_argument, "verb must be 1");
    refused(msg::change_unit{step, lease.unit, verb}, errc::invalid_argument, "verb must be 1");
  }
  const auto workflow = statistics(step).step.workflow;
  for (const std::uint8_t job : {0, 5, 255})
    refused(msg::job_status_changed{workflow, 1, job}, errc::invalid_argument, "status must be 1");
  for (const std::uint64_t revision : {std::uint64_t{0}, std::uint64_t{1} << 63})
    refused(msg::job_status_changed{workflow, revision, 1, step}, errc::invalid_argument,
            "revision must be between 1 and 9223372036854775807");
  for (const std::uint32_t limit : {0U, 1001U})
    refused(msg::list_steps{{}, limit}, errc::invalid_argument, "limit must be between 1 and 1000");
  for (const std::uint32_t limit : {0U, 1001U})
    refused(msg::list_workflows{{}, limit}, errc::invalid_argument,
            "limit must be between 1 and 1000");
  BOOST_TEST(call(msg::list_workflows{{}, 1000}).value.has_value());
  for (const std::uint32_t limit : {0U, 1001U})
    refused(msg::list_audit{{}, {}, {}, {}, 0, limit}, errc::invalid_argument,
            "limit must be between 1 and 1000");
  refused(msg::list_audit{{}, {}, {}, "queue \xff", 0, 1}, errc::invalid_argument, "item");
  for (const std::uint32_t limit : {0U, 1001U})
    refused(msg::list_queue_actions{"mail", {}, limit}, errc::invalid_argument,
            "limit must be between 1 and 1000");
  msg::search_tasks search;
  for (const std::uint8_t order : {0, 3}) {
    search.order = order;
    refused(search, errc::invalid_argument, "order must be 1 (oldest) or 2 (newest)");
  }
  search.order = 2;
  BOOST_TEST(call(search).value.has_value());
  search.limit = 1001;
  refused(search, errc::invalid_argument, "limit must be between 1 and 1000");
  for (const std::uint32_t limit : {0U, 501U})
    refused(msg::list_test_questions{step, 0, limit}, errc::invalid_argument,
            "limit must be between 1 and 500");
  refused(msg::list_test_questions{{}, 0, 1}, errc::invalid_argument, "step must not be nil");
  refused(msg::list_test_questions{fresh<core::step_id>(), 0, 1}, errc::not_found, "step");
  for (const std::uint32_t limit : {0U, 10001U})
    refused(msg::list_results{step, 0, limit}, errc::invalid_argument, "between 1 and 10000");
  BOOST_TEST(call(msg::list_steps{{}, 1000}).value.has_value());
  BOOST_TEST(call(msg::list_results{step, 0, 10000}).value.has_value());
  refused(msg::list_results{fresh<core::step_id>(), 0, 10}, errc::not_found, "step");
}

// A8: a judgment is validated against its step's schema, and the place is named.
BOOST_AUTO_TEST_CASE(judgments_that_break_the_schema_are_refused_and_the_lease_stays) {
  refused(handing_in(R"({"answer":"green"})"), errc::payload_invalid, "/answer");
  refused(handing_in("{}"), errc::payload_invalid, "answer");
  refused(handing_in("[]"), errc::payload_invalid, "");
  refused(handing_in("not json"), errc::payload_invalid, "");
  refused(handing_in(""), errc::payload_invalid, "");
  refused(handing_in(R"({"answer":"red","note":"a\u0000b"})"), errc::payload_invalid, "/note");
  refused(handing_in(R"({"answer":"red","note":"\ud800"})"), errc::payload_invalid, "");
  refused(handing_in("{\"answer\":\"red\",\"note\":\"\xed\xa0\x80\"}"), errc::payload_invalid, "");
  refused(handing_in(R"({"answer":"red","note":)" + std::string(10000, '[')
                     + std::string(10000, ']') + "}"),
          errc::payload_invalid, "");
  refused(handing_in(R"({"answer":"red","note":")" + std::string(300 * 1024, 'x') + "\"}"),
          errc::too_large, "");
  refused(handing_in(R"({"answer":"red","note":)" + std::string(1000000, '[')), errc::too_large,
          "");
}

BOOST_AUTO_TEST_CASE(rows_of_bad_json_are_reported_one_by_one) {
  const auto added =
      call(msg::add_source_data{step,
                                {{"deep", std::string(1000, '[') + std::string(1000, ']'), 0},
                                 {"fine", "{}", 0},
                                 {nul_text, "{}", 0}}});
  BOOST_REQUIRE(added.value);
  BOOST_TEST(added.value->added == 1u);
  BOOST_REQUIRE(added.value->problems.size() == 2u);
  BOOST_TEST(added.value->problems[0].row == 0u);
  BOOST_TEST(added.value->problems[1].row == 2u);
  const auto larger = call(msg::add_source_data{
      step, {{"large", "\"" + std::string(300 * 1024, 'x') + "\"", 0}, {"nul", R"("\u0000")", 0}}});
  BOOST_REQUIRE(larger.value);
  BOOST_TEST(larger.value->added == 0u);
  BOOST_REQUIRE(larger.value->problems.size() == 2u);
  BOOST_TEST(larger.value->problems[0].code == static_cast<std::uint8_t>(errc::too_large));
}

BOOST_AUTO_TEST_CASE(empty_batches_are_fine_and_too_large_ones_are_refused_whole) {
  const auto nothing = call(msg::add_source_data{step, {}});
  BOOST_REQUIRE(nothing.value);
  BOOST_TEST(nothing.value->added == 0u);
  msg::add_source_data data{step, {}};
  for (int i = 0; i < 4; ++i)
    data.rows.push_back({"extra-" + std::to_string(i), "{}", 0});
  refused(data, errc::too_large, "at most 3 rows");
  BOOST_TEST(statistics(step).step.total_units == 3u);
}

BOOST_AUTO_TEST_CASE(definitions_that_are_no_json_or_too_deep_are_refused) {
  for (const auto& text :
       {std::string{}, std::string{"[]"}, std::string(5000, '['), std::string{R"({"name":"x"})"}})
    refused(msg::create_workflow{fresh<core::workflow_id>(), text}, errc::payload_invalid, "");
  refused(msg::create_workflow{fresh<core::workflow_id>(), std::string(300 * 1024, ' ')},
          errc::too_large, "");
}

BOOST_AUTO_TEST_SUITE_END()

// --- messages nobody declared ---

BOOST_FIXTURE_TEST_SUITE(unknown_messages, node_fixture)

BOOST_AUTO_TEST_CASE(every_actor_survives_messages_that_it_does_not_know) {
  start();
  const auto step = create();
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  for (const auto* name :
       {"gateway", "unit", "step", "shard_host", "shards", "writer", "relay", "membership", "owner",
        "owners", "consumer", "reader", "refitter", "supervisor"}) {
    for (const auto& actor : actors_named(name)) {
      const auto answered = ask<int>(actor, std::string{"what is this?"});
      BOOST_TEST(answered.code() == core::errc::invalid_argument, name << " says so");
      caf::anon_send(actor, std::vector<std::string>(1000, "noise"));
    }
  }
  settle();
  BOOST_TEST(submit(lease, "ana").value.has_value());
  for (const auto& line : node->log) {
    BOOST_TEST(line.rfind("message_not_understood", 0) == 0u, line);
    BOOST_TEST(line.size() < 1000u); // a stranger does not fill the log
  }
}

// finding B6
BOOST_AUTO_TEST_CASE(flood_of_unknown_messages_is_one_line_a_second_with_a_count) {
  start();
  const auto gateway = the_actor("gateway");
  for (int i = 0; i < 50; ++i)
    BOOST_TEST((ask<int>(gateway, std::string{"what is this?"}).code() == errc::invalid_argument));
  BOOST_TEST(count_logged("message_not_understood") == 1u);
  advance(1s);
  BOOST_TEST((ask<int>(gateway, std::string{"and this?"}).code() == errc::invalid_argument));
  BOOST_TEST(count_logged("message_not_understood") == 2u);
  BOOST_TEST(logged("not_logged_before=49"));
}

// finding B6
BOOST_AUTO_TEST_CASE(error_that_answers_nothing_ends_no_actor) {
  start();
  const auto step = create();
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  for (const auto* name : {"gateway", "door", "unit", "step", "shards", "writer", "owners"})
    for (const auto& actor : actors_named(name)) {
      caf::anon_send(actor, caf::make_error(caf::sec::runtime_error, "told by nobody"));
      settle();
      BOOST_TEST(actors_named(name).size() > 0u, name << " is there");
    }
  BOOST_TEST(submit(lease, "ana").value.has_value());
  BOOST_TEST(logged("error_not_asked_for"));
  BOOST_TEST(!logged("child_down"));
  BOOST_TEST(!logged("unit_down"));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
