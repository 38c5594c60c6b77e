// The audit log over HTTP: how it is asked for, and that changes name their principal.

#include "messages/operations.hpp"
#include "tests/http/fake_gateway.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

BOOST_FIXTURE_TEST_SUITE(audit_routes, door_fixture)

BOOST_AUTO_TEST_CASE(the_log_is_read_with_filters) {
  msg::audit_page page;
  page.entries.push_back({8, now, "admin", "pause_queue", "queue mail", "paused"});
  page.more = true;
  gateway.answers<msg::list_audit>(page);
  const auto reply = ask("auditor", "GET",
                         "/v1/audit?since=2027-01-15T07:00:00Z&who=admin&operation=pause_queue"
                         "&item=queue%20mail&before=9&limit=1");
  BOOST_REQUIRE_MESSAGE(reply.status == 200U, reply.body);
  const auto& entry = reply.json.at("entries").at(0);
  BOOST_TEST(entry.at("number") == 8);
  BOOST_TEST(entry.at("at") == "2027-01-15T08:00:00.000000Z");
  BOOST_TEST(entry.at("who") == "admin");
  BOOST_TEST(entry.at("outcome") == "paused");
  BOOST_TEST(reply.json.at("more") == true);
  const auto& asked = gateway.only<msg::list_audit>();
  BOOST_TEST((asked.since == now - std::chrono::hours{1}));
  BOOST_TEST(asked.who == "admin");
  BOOST_TEST(asked.operation == "pause_queue");
  BOOST_TEST(asked.item == "queue mail");
  BOOST_TEST(asked.before == 9U);
  BOOST_TEST(asked.limit == 1U);
}

BOOST_AUTO_TEST_CASE(the_log_is_not_for_requesters) {
  gateway.answers<msg::list_audit>({});
  BOOST_TEST(ask("requester", "GET", "/v1/audit").status == 403U);
  BOOST_TEST(gateway.seen<msg::list_audit>().empty());
}

BOOST_AUTO_TEST_CASE(a_change_names_the_principal_who_asks_for_it) {
  gateway.answers<msg::put_queue>({});
  gateway.answers<msg::remove_queue>({});
  BOOST_TEST(ask("admin", "PUT", "/v1/queues/mail", "{}").status == 200U);
  BOOST_TEST(ask("operator", "PUT", "/v1/queues/mail", "{}").status == 200U);
  BOOST_TEST(ask("operator", "DELETE", "/v1/queues/mail").status == 200U);
  BOOST_TEST(gateway.authors<msg::put_queue>()
                 == (std::vector<std::string>{"token:admin", "token:operator"}),
             boost::test_tools::per_element());
  BOOST_TEST(gateway.authors<msg::remove_queue>() == std::vector<std::string>{"token:operator"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
