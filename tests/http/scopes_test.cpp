// Scopes: a token that names queues or workflows reaches these, and learns of no others.

#include "http/scopes.hpp"

#include "http/route_table.hpp"
#include "tests/http/fake_gateway.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

namespace {

struct scope_fixture : door_fixture {
  static constexpr std::string_view own_text = "018f0000-0000-7000-8000-0000000000c1";
  static constexpr std::string_view other_text = "018f0000-0000-7000-8000-0000000000c2";
  static constexpr std::string_view own_step_text = "018f0000-0000-7000-8000-0000000000a1";
  static constexpr std::string_view other_step_text = "018f0000-0000-7000-8000-0000000000a2";
  static constexpr std::string_view unit_text = "018f0000-0000-7000-8000-0000000000b1";
  static constexpr std::string_view task_text = "018f0000-0000-7000-8000-0000000000d1";

  const core::workflow_id own{*core::parse_uuid(own_text)};
  const core::workflow_id other{*core::parse_uuid(other_text)};
  const core::step_id own_step{*core::parse_uuid(own_step_text)};
  const core::step_id other_step{*core::parse_uuid(other_step_text)};
  const core::unit_id unit{*core::parse_uuid(unit_text)};
  const core::task_id task{*core::parse_uuid(task_text)};

  static std::string with_queues(const std::string& role) { return role + "|queues=mail"; }
  static std::string with_workflow(const std::string& role) {
    return role + "|workflows=" + std::string{own_text};
  }

  /// The gateway tells the workflow of both steps.
  void know_steps() {
    gateway.on<msg::get_step_statistics>(
        [this](const msg::get_step_statistics& m) -> fake_gateway::reply<msg::get_step_statistics> {
          if (m.step != own_step && m.step != other_step)
            return core::failure{core::errc::not_found, "no such step"};
          msg::step_statistics found;
          found.step.step = m.step;
          found.step.workflow = m.step == own_step ? own : other;
          return found;
        });
  }
  /// The gateway has one task, in this queue.
  void know_task(const core::queue_name& queue) {
    gateway.on<msg::get_task>([=](const msg::get_task& m) -> fake_gateway::reply<msg::get_task> {
      if (m.task != task)
        return core::failure{core::errc::not_found, "no such task"};
      msg::task_view view;
      view.task = task;
      view.queue = queue;
      return view;
    });
  }
  static std::string path(std::string_view before, std::string_view id,
                          std::string_view after = {}) {
    return std::string{before} + std::string{id} + std::string{after};
  }
};

/// The answer but for the id of its trace.
nlohmann::json told_of(const http_reply& reply) {
  auto told = reply.json;
  told.erase("trace_id");
  return told;
}

BOOST_FIXTURE_TEST_SUITE(scopes, scope_fixture)

// --- queues ---

BOOST_AUTO_TEST_CASE(a_queue_outside_of_the_scope_is_refused) {
  gateway.answers<msg::put_queue>({});
  BOOST_TEST(ask(with_queues("operator"), "PUT", "/v1/queues/mail-eu", "{}").status == 200U);
  const auto refused = ask(with_queues("operator"), "PUT", "/v1/queues/print", "{}");
  BOOST_TEST(refused.status == 403U);
  BOOST_TEST(refused.code() == "not_allowed");
  BOOST_TEST(gateway.seen<msg::put_queue>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(claims_and_reports_outside_of_the_scope_are_refused) {
  gateway.answers<msg::claim_tasks>({});
  gateway.answers<msg::complete_tasks>({});
  const auto body = R"({"worker": "w"})";
  BOOST_TEST(ask(with_queues("worker"), "POST", "/v1/queues/mail/claims", body).status == 404U);
  BOOST_TEST(ask(with_queues("worker"), "POST", "/v1/queues/print/claims", body).status == 403U);
  const auto report =
      R"({"worker":"w","outcomes":[{"task":")" + std::string{task_text} + R"(","token":1}]})";
  BOOST_TEST(ask(with_queues("worker"), "POST", "/v1/queues/print/completions", report).status
             == 403U);
  BOOST_TEST(gateway.seen<msg::claim_tasks>().size() == 1U);
  BOOST_TEST(gateway.seen<msg::complete_tasks>().empty());
}

BOOST_AUTO_TEST_CASE(a_foreign_task_looks_like_one_that_is_not_there) {
  know_task("print");
  gateway.answers<msg::get_task_attempts>({});
  gateway.answers<msg::complete_tasks>({});
  const auto foreign = ask(with_queues("producer"), "GET", path("/v1/tasks/", task_text));
  BOOST_TEST(foreign.status == 404U);
  const auto missing = ask(with_queues("producer"), "GET", path("/v1/tasks/", unit_text));
  BOOST_TEST(told_of(missing) == told_of(foreign));
  BOOST_TEST(ask(with_queues("auditor"), "GET", path("/v1/tasks/", task_text, "/attempts")).status
             == 404U);
  const auto done = ask(with_queues("worker"), "POST", path("/v1/tasks/", task_text, "/complete"),
                        R"({"worker":"w","token":1})");
  BOOST_TEST(told_of(done) == told_of(foreign));
  BOOST_TEST(gateway.seen<msg::complete_tasks>().empty());
  BOOST_TEST(gateway.seen<msg::get_task_attempts>().empty());
}

BOOST_AUTO_TEST_CASE(an_own_task_is_reached_by_its_id) {
  know_task("mail-eu");
  BOOST_TEST(ask(with_queues("producer"), "GET", path("/v1/tasks/", task_text)).status == 200U);
  BOOST_TEST(ask("producer", "GET", path("/v1/tasks/", task_text)).status == 200U);
}

BOOST_AUTO_TEST_CASE(lists_hold_own_queues_and_tasks_alone) {
  msg::queue_list queues;
  for (const auto* name : {"mail", "mail-eu", "print"}) {
    msg::queue_view view;
    view.queue = name;
    view.policy = "{}";
    queues.queues.push_back(view);
  }
  gateway.answers<msg::list_queues>(queues);
  BOOST_TEST(ask(with_queues("operator"), "GET", "/v1/queues").json.at("queues").size() == 2U);
  BOOST_TEST(ask("operator", "GET", "/v1/queues").json.at("queues").size() == 3U);
  BOOST_TEST(ask(with_queues("operator"), "GET", "/v1/queues/print").status == 404U);

  msg::task_page page;
  for (const auto* name : {"print", "mail"}) {
    msg::task_summary one;
    one.task = task;
    one.queue = name;
    page.tasks.push_back(one);
  }
  page.more = true;
  page.last = task;
  gateway.answers<msg::search_tasks>(page);
  const auto listed = ask(with_queues("auditor"), "GET", "/v1/tasks").json;
  BOOST_TEST(listed.at("tasks").size() == 1U);
  BOOST_TEST(listed.at("more").get<bool>());
}

BOOST_AUTO_TEST_CASE(a_token_with_queues_reaches_no_workflow) {
  gateway.answers<msg::get_workflow>({});
  know_steps();
  BOOST_TEST(ask(with_queues("requester"), "GET", path("/v1/workflows/", own_text)).status == 404U);
  BOOST_TEST(ask(with_queues("requester"), "GET", path("/v1/job-steps/", own_step_text)).status
             == 403U);
  BOOST_TEST(gateway.names().empty());
}

// --- workflows ---

BOOST_AUTO_TEST_CASE(a_foreign_workflow_is_not_there) {
  gateway.answers<msg::get_workflow>({});
  BOOST_TEST(ask(with_workflow("requester"), "GET", path("/v1/workflows/", own_text)).status
             == 200U);
  BOOST_TEST(ask(with_workflow("requester"), "GET", path("/v1/workflows/", other_text)).status
             == 404U);
  BOOST_TEST(gateway.seen<msg::get_workflow>().size() == 1U);
  BOOST_TEST(ask(with_workflow("requester"), "PUT", "/v1/queues/mail", "{}").status == 403U);
}

BOOST_AUTO_TEST_CASE(results_of_a_foreign_workflow_are_not_there) {
  gateway.answers<msg::list_workflow_results>({});
  const auto results = [&](std::string_view workflow, std::string_view query) {
    const auto call = send(with_workflow("requester"), "GET",
                           path("/v1/workflows/", workflow, "/results") + std::string{query});
    settle();
    return call->stream ? call->stream->head.status : call->answers.front().status;
  };
  for (const auto* query : {"", "?format=csv"}) {
    BOOST_TEST(results(own_text, query) == 200U);
    BOOST_TEST(results(other_text, query) == 404U);
  }
  for (const auto& asked : gateway.seen<msg::list_workflow_results>())
    BOOST_TEST((asked.workflow == own));
}

BOOST_AUTO_TEST_CASE(a_step_belongs_to_its_workflow_which_is_looked_up_once) {
  know_steps();
  gateway.answers<msg::list_results>({});
  const auto results = [&](std::string_view step) {
    return ask(with_workflow("requester"), "GET", path("/v1/job-steps/", step, "/results"));
  };
  BOOST_TEST(results(own_step_text).status == 200U);
  BOOST_TEST(results(own_step_text).status == 200U);
  BOOST_TEST(gateway.seen<msg::get_step_statistics>().size() == 1U);
  const auto foreign = results(other_step_text);
  BOOST_TEST(foreign.status == 404U);
  BOOST_TEST(told_of(results(unit_text)) == told_of(foreign)); // no step at all
  BOOST_TEST(gateway.seen<msg::list_results>().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_unit_belongs_to_the_workflow_of_its_step) {
  know_steps();
  gateway.answers<msg::get_unit>({});
  msg::unit_lineage lineage;
  msg::lineage_unit one;
  one.unit = unit;
  one.step = other_step;
  lineage.units.push_back(one);
  gateway.answers<msg::get_lineage>(lineage);
  const auto target = path("/v1/units/", unit_text);
  BOOST_TEST(ask(with_workflow("requester"), "GET", target).status == 404U);
  BOOST_TEST(ask(with_workflow("requester"), "GET", target + "/lineage").status == 404U);
  BOOST_TEST(gateway.seen<msg::get_unit>().empty());
  BOOST_TEST(ask("requester", "GET", target).status == 200U);
}

BOOST_AUTO_TEST_CASE(a_foreign_step_gives_no_assignment) {
  know_steps();
  gateway.answers<msg::ask_assignment>({});
  const auto wanted = [&](std::string_view step) {
    return ask(with_workflow("contributor:ann"), "POST", "/v1/assignments",
               R"({"step_id":")" + std::string{step} + R"("})");
  };
  BOOST_TEST(wanted(other_step_text).status == 404U);
  BOOST_TEST(gateway.seen<msg::ask_assignment>().empty());
  BOOST_TEST(wanted(own_step_text).status == 200U);
}

BOOST_AUTO_TEST_CASE(steps_are_listed_through_pages_of_foreign_ones) {
  gateway.on<msg::list_steps>(
      [this](const msg::list_steps& m) -> fake_gateway::reply<msg::list_steps> {
        BOOST_TEST(m.limit == http::scoped_page);
        msg::step_list list;
        msg::step_view view;
        view.step = other_step;
        view.workflow = other;
        if (!m.after) { // a full page of foreign steps
          list.steps.assign(http::scoped_page, view);
          return list;
        }
        BOOST_TEST((m.after == other_step));
        view.step = own_step;
        view.workflow = own;
        list.steps.assign(3, view);
        return list;
      });
  const auto listed = ask(with_workflow("requester"), "GET", "/v1/job-steps?limit=2");
  BOOST_TEST(listed.status == 200U);
  BOOST_TEST(listed.json.at("steps").size() == 2U);
  BOOST_TEST(gateway.seen<msg::list_steps>().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_list_without_end_of_foreign_items_is_given_up) {
  gateway.on<msg::list_workflows>(
      [this](const msg::list_workflows&) -> fake_gateway::reply<msg::list_workflows> {
        msg::workflow_summary one;
        one.workflow = other;
        msg::workflow_page page;
        page.workflows.assign(http::scoped_page, one);
        page.more = true;
        return page;
      });
  BOOST_TEST(ask(with_workflow("requester"), "GET", "/v1/workflows").status == 429U);
  BOOST_TEST(gateway.seen<msg::list_workflows>().size() == http::scoped_pages_max);
}

BOOST_AUTO_TEST_CASE(a_session_is_ended_by_a_token_that_is_bound_to_its_contributor) {
  gateway.answers<msg::end_session>({});
  BOOST_TEST(ask(with_workflow("contributor:ann"), "DELETE", "/v1/sessions/ann").status == 200U);
  BOOST_TEST(ask(with_workflow("contributor"), "DELETE", "/v1/sessions/ann").status == 403U);
}

// --- other operations ---

BOOST_AUTO_TEST_CASE(operations_that_cannot_be_judged_are_refused) {
  struct request {
    const char* method;
    const char* target;
    const char* body;
  };
  for (const auto& one : std::vector<request>{{"GET", "/v1/shards/0/events", ""},
                                              {"GET", "/v1/webhooks", ""},
                                              {"PUT", "/v1/webhooks/w", "{}"},
                                              {"GET", "/v1/contributors/ann", ""},
                                              {"GET", "/v1/tokens", ""},
                                              {"POST", "/v1/tokens", R"({"role":"admin"})"},
                                              {"GET", "/v1/node/link", ""}})
    for (const auto& token : {with_queues("admin"), with_workflow("admin")})
      BOOST_TEST(ask(token, one.method, one.target, one.body).status == 403U,
                 one.method << ' ' << one.target);
  gateway.answers<msg::get_node_status>({});
  BOOST_TEST(ask(with_queues("worker"), "GET", "/v1/node").status == 200U);
}

BOOST_AUTO_TEST_CASE(an_operation_without_a_row_is_refused_for_tokens_with_scopes) {
  struct unknown_operation {};
  BOOST_TEST((http::reach_of<unknown_operation> == http::reach::refused));
  core::principal who{false, {{core::role::admin, {}}}, {{"mail"}, {}}};
  BOOST_TEST(
      http::objection_by_scope(who, http::reach_of<unknown_operation>, "unknown", {}).has_value());
  who.scope = {};
  BOOST_TEST(
      !http::objection_by_scope(who, http::reach_of<unknown_operation>, "unknown", {}).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
