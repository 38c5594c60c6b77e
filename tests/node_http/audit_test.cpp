// The audit log of the real binary: entries survive a kill, refused changes leave none, and old
// entries go.

#include "tests/node_http/http_node.hpp"
#include "tests/support/program.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

json entries_of(http_client& api, const std::string& query = {}) {
  return body_of(api.get("/v1/audit" + query), 200).at("entries");
}

BOOST_FIXTURE_TEST_SUITE(http_audit, http_node)

BOOST_AUTO_TEST_CASE(an_entry_is_there_after_a_kill_right_behind_the_answer) {
  {
    auto api = client();
    body_of(api.put("/v1/queues/mail", R"({"retry": {"max_attempts": 2}})"), 200);
  }
  process->kill();
  start();
  auto api = client();
  const auto entries = entries_of(api, "?operation=put_queue");
  BOOST_REQUIRE_EQUAL(entries.size(), 1U);
  BOOST_TEST(entries[0].at("who") == "admin");
  BOOST_TEST(entries[0].at("item") == "queue mail");
  BOOST_TEST(entries[0].at("outcome") == "saved");
}

BOOST_AUTO_TEST_CASE(a_refused_change_leaves_no_entry) {
  auto api = client();
  body_of(api.put("/v1/queues/mail", "{}"), 200);
  body_of(api.post("/v1/queues/mail/tasks", R"({"type": "send", "body": {}})"), 201);
  BOOST_TEST(api.put("/v1/queues/mail", R"({"retry": {"max_attempts": -1}})").status >= 400U);
  BOOST_TEST(api.remove("/v1/queues/mail").status == 409U);
  const auto entries = entries_of(api);
  BOOST_REQUIRE_EQUAL(entries.size(), 1U);
  BOOST_TEST(entries[0].at("operation") == "put_queue");
}

BOOST_AUTO_TEST_CASE(the_command_line_lists_changes_and_is_named_for_its_own) {
  {
    auto api = client();
    body_of(api.put("/v1/queues/mail", "{}"), 200);
  }
  const auto place = directory->path().string();
  const auto paused =
      run_program(HOLDFAST_BINARY, {"queues", "pause", "mail", "--data-dir", place}, 60s);
  BOOST_REQUIRE_MESSAGE(paused.code == 0, paused.err);
  const auto listed = run_program(HOLDFAST_BINARY, {"audit", "--data-dir", place, "--json"}, 60s);
  BOOST_REQUIRE_MESSAGE(listed.code == 0, listed.err);
  const auto entries = json::parse(listed.out).at("entries");
  BOOST_REQUIRE_EQUAL(entries.size(), 2U);
  BOOST_TEST(entries[0].at("operation") == "pause_queue");
  BOOST_TEST(entries[0].at("who") == "loopback");
  BOOST_TEST(entries[1].at("who") == "admin");
  const auto table = run_program(
      HOLDFAST_BINARY, {"audit", "--data-dir", place, "--who", "admin", "--limit", "1"}, 60s);
  BOOST_TEST(contains(table.out, "queue mail"), table.out);
  BOOST_TEST(!contains(table.out, "loopback"), table.out);
}

BOOST_AUTO_TEST_SUITE_END()

struct forgetful_node : http_node {
  forgetful_node()
      : http_node({"--set", "audit.retention=1s", "--set", "events.prune_interval=1s"}) {}
};

BOOST_FIXTURE_TEST_CASE(old_entries_go_after_their_retention, forgetful_node) {
  auto api = client();
  body_of(api.put("/v1/queues/mail", "{}"), 200);
  const auto until = std::chrono::steady_clock::now() + 30s;
  while (!entries_of(api).empty())
    BOOST_REQUIRE(std::chrono::steady_clock::now() < until);
}

} // namespace

} // namespace holdfast::test
