// Bulk actions of queues over HTTP.

#include "messages/operations.hpp"
#include "tests/http/fake_gateway.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace holdfast::test {

namespace {

const std::string action_text = "018bcfe5-6800-7000-8000-000000000001";

struct queue_action_door : door_fixture {
  msg::queue_action_view view_of(std::uint8_t status) {
    msg::queue_action_view view;
    view.queue = "mail";
    view.action.value = *core::parse_uuid(action_text);
    view.kind = 5;
    view.filter.error_code = "GONE";
    view.status = status;
    view.matched = 9;
    view.changed = 7;
    view.refusals.push_back({core::errc::already_exists, 2});
    view.asked_by = "admin";
    view.asked_at = now;
    return view;
  }
};

BOOST_FIXTURE_TEST_SUITE(queue_action_routes, queue_action_door)

BOOST_AUTO_TEST_CASE(action_is_begun_with_its_filter) {
  gateway.answers<msg::start_queue_action>(view_of(1));
  const auto reply = ask("operator", "POST", "/v1/queues/mail/actions",
                         R"({"id": ")" + action_text + R"(", "action": "redrive",
                            "filter": {"error_code": "GONE", "status": "ERROR"}})");
  BOOST_REQUIRE_MESSAGE(reply.status == 202U, reply.body);
  BOOST_TEST(reply.json.at("id") == action_text);
  BOOST_TEST(reply.json.at("action") == "redrive");
  BOOST_TEST(reply.json.at("status") == "running");
  BOOST_TEST(reply.json.at("filter").at("error_code") == "GONE");
  BOOST_TEST(reply.json.at("matched") == 9);
  BOOST_TEST(reply.json.at("changed") == 7);
  BOOST_TEST(reply.json.at("refusals").at(0).at("code") == "already_exists");
  BOOST_TEST(reply.json.at("refusals").at(0).at("tasks") == 2);
  BOOST_TEST(reply.json.at("asked_by") == "admin");
  const auto& asked = gateway.only<msg::start_queue_action>();
  BOOST_TEST(asked.queue == "mail");
  BOOST_TEST(asked.kind == 5U);
  BOOST_TEST(asked.filter.error_code == "GONE");
  BOOST_TEST(asked.filter.status == "ERROR");
  BOOST_TEST(!asked.dry_run);
  BOOST_TEST(gateway.authors<msg::start_queue_action>()
                 == std::vector<std::string>{"token:operator"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(dry_run_is_told_as_one) {
  auto told = view_of(0);
  told.at_least = true;
  told.sample.push_back({*core::parse_uuid(action_text)});
  gateway.answers<msg::start_queue_action>(told);
  const auto reply = ask("operator", "POST", "/v1/queues/mail/actions",
                         R"({"action": "cancel", "dry_run": true})");
  BOOST_REQUIRE_MESSAGE(reply.status == 202U, reply.body);
  BOOST_TEST(reply.json.at("status") == "dry_run");
  BOOST_TEST(reply.json.at("at_least") == true);
  BOOST_TEST(reply.json.at("sample").at(0) == action_text);
  BOOST_TEST(gateway.only<msg::start_queue_action>().dry_run);
  BOOST_TEST(gateway.only<msg::start_queue_action>().kind == 3U);
}

BOOST_AUTO_TEST_CASE(mistakes_in_an_action_are_told_with_their_places) {
  gateway.answers<msg::start_queue_action>({});
  const auto unknown = ask("operator", "POST", "/v1/queues/mail/actions", R"({"action": "kill"})");
  BOOST_TEST(unknown.status == 400U, unknown.body);
  const auto missing = ask("operator", "POST", "/v1/queues/mail/actions", "{}");
  BOOST_TEST(missing.status == 400U, missing.body);
  const auto inside = ask("operator", "POST", "/v1/queues/mail/actions",
                          R"({"action": "cancel", "filter": {"colour": "red"}})");
  BOOST_TEST(inside.status == 400U, inside.body);
  BOOST_TEST(inside.body.find("/filter/colour") != std::string::npos, inside.body);
  BOOST_TEST(gateway.seen<msg::start_queue_action>().empty());
}

BOOST_AUTO_TEST_CASE(actions_are_listed_read_and_stopped) {
  msg::queue_action_page page;
  page.actions.push_back(view_of(2));
  page.more = true;
  gateway.answers<msg::list_queue_actions>(page);
  gateway.answers<msg::get_queue_action>(view_of(4));
  gateway.answers<msg::stop_queue_action>(view_of(3));
  const auto listed = ask("auditor", "GET", "/v1/queues/mail/actions?limit=1&after=" + action_text);
  BOOST_REQUIRE_MESSAGE(listed.status == 200U, listed.body);
  BOOST_TEST(listed.json.at("actions").at(0).at("status") == "done");
  BOOST_TEST(listed.json.at("more") == true);
  BOOST_TEST(gateway.only<msg::list_queue_actions>().limit == 1U);
  const auto one = ask("auditor", "GET", "/v1/queues/mail/actions/" + action_text);
  BOOST_REQUIRE_MESSAGE(one.status == 200U, one.body);
  BOOST_TEST(one.json.at("status") == "failed");
  const auto end = ask("operator", "POST", "/v1/queues/mail/actions/" + action_text + "/stop");
  BOOST_REQUIRE_MESSAGE(end.status == 200U, end.body);
  BOOST_TEST(end.json.at("status") == "stopped");
  BOOST_TEST(
      (gateway.only<msg::stop_queue_action>().action.value == *core::parse_uuid(action_text)));
}

BOOST_AUTO_TEST_CASE(actions_are_for_operators_of_the_queue) {
  gateway.answers<msg::start_queue_action>({});
  gateway.answers<msg::stop_queue_action>({});
  gateway.answers<msg::get_queue_action>({});
  gateway.answers<msg::list_queue_actions>({});
  const std::string cancel = R"({"action": "cancel"})";
  for (const auto* role : {"auditor", "producer", "worker", "requester"})
    BOOST_TEST(ask(role, "POST", "/v1/queues/mail/actions", cancel).status == 403U, role);
  BOOST_TEST(ask("auditor", "POST", "/v1/queues/mail/actions/" + action_text + "/stop").status
             == 403U);
  BOOST_TEST(ask("producer", "GET", "/v1/queues/mail/actions").status == 403U);
  BOOST_TEST(ask("operator|queues=print", "POST", "/v1/queues/mail/actions", cancel).status
             == 403U);
  BOOST_TEST(ask("operator|queues=print", "GET", "/v1/queues/mail/actions").status == 403U);
  BOOST_TEST(gateway.names().empty());
  BOOST_TEST(ask("operator|queues=ma", "POST", "/v1/queues/mail/actions", cancel).status == 202U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
