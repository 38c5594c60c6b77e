// The HTTP API of the real binary: whole lives of a task and of a unit, tokens, the end of a node.

#include "app/exit_codes.hpp"
#include "tests/node_http/http_node.hpp"
#include "tests/support/program.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

std::string log_of(const http_node& node) {
  std::ifstream in{node.directory->path() / "node.log"};
  return {std::istreambuf_iterator<char>{in}, {}};
}

BOOST_FIXTURE_TEST_SUITE(http_api, http_node)

BOOST_AUTO_TEST_CASE(a_task_is_enqueued_claimed_and_completed) {
  auto api = client();
  body_of(api.put("/v1/queues/mail", "{}"), 200);
  const auto made = api.post("/v1/queues/mail/tasks",
                             R"({"type": "send", "body": {"to": 9400110200881234567890}})");
  const auto id = body_of(made, 201).at("id").get<std::string>();
  BOOST_TEST(made.headers.at("location") == "/v1/tasks/" + id);

  const auto claimed = api.post("/v1/queues/mail/claims?wait=20", R"({"worker": "w", "limit": 1})");
  const auto task = body_of(claimed, 200).at("tasks").at(0);
  BOOST_TEST(task.at("id") == id);
  BOOST_TEST(task.at("attempt") == 1);
  BOOST_TEST(task.at("lease_seconds").get<double>() > 0);
  BOOST_TEST(contains(claimed.body, "9400110200881234567890"), claimed.body);

  const json done{{"worker", "w"}, {"token", task.at("token")}, {"result", {{"sent", true}}}};
  body_of(api.post("/v1/tasks/" + id + "/complete", done.dump()), 200);
  const auto view = body_of(api.get("/v1/tasks/" + id), 200);
  BOOST_TEST(view.at("status") == "COMPLETED");
  BOOST_TEST(view.at("result").at("sent") == true);

  const auto again = api.post("/v1/tasks/" + id + "/complete",
                              R"({"worker": "other", "token": 77, "result": {}})");
  BOOST_TEST(again.status == 409U, again.body);
  BOOST_TEST(again.headers.at("content-type") == "application/problem+json");
}

BOOST_AUTO_TEST_CASE(a_task_comes_to_a_claim_that_waits) {
  auto worker = client();
  auto producer = client();
  body_of(producer.put("/v1/queues/mail", "{}"), 200);
  BOOST_TEST(worker.post("/v1/queues/mail/claims", R"({"worker": "w"})").status == 404U);
  worker.begin("POST", "/v1/queues/mail/claims?wait=30", R"({"worker": "w"})");
  const auto made =
      body_of(producer.post("/v1/queues/mail/tasks", R"({"type": "send", "body": {}})"), 201);
  const auto tasks = body_of(worker.receive(), 200).at("tasks");
  BOOST_TEST(tasks.at(0).at("id") == made.at("id"));
}

BOOST_AUTO_TEST_CASE(a_client_that_hangs_up_gives_its_claim_up) {
  auto producer = client();
  body_of(producer.put("/v1/queues/mail", "{}"), 200);
  for (int i = 0; i < 20; ++i) {
    auto gone = client();
    gone.begin("POST", "/v1/queues/mail/claims?wait=60", R"({"worker": "gone"})");
    gone.hang_up();
  }
  const auto made =
      body_of(producer.post("/v1/queues/mail/tasks", R"({"type": "send", "body": {}})"), 201);
  auto worker = client();
  const auto tasks =
      body_of(worker.post("/v1/queues/mail/claims?wait=30", R"({"worker": "w"})"), 200);
  BOOST_TEST(tasks.at("tasks").at(0).at("id") == made.at("id"));
}

BOOST_AUTO_TEST_CASE(a_unit_is_assigned_judged_and_has_a_result) {
  auto api = client();
  const auto workflow =
      body_of(api.post("/v1/workflows",
                       R"({"name": "pets", "steps": [{"key": "label", "judgments_per_unit": 1}]})"),
              201);
  const auto step = workflow.at("steps").at(0).at("id").get<std::string>();
  const auto added = body_of(api.post("/v1/job-steps/" + step + "/source-data",
                                      R"({"rows": [{"key": "a", "input": {"image": "a.png"}}]})"),
                             200);
  BOOST_TEST(added.at("added") == 1);
  const auto given = body_of(
      api.post("/v1/assignments", json{{"step_id", step}, {"contributor_id", "ana"}}.dump()), 200);
  BOOST_TEST(given.at("input").at("image") == "a.png");
  const json judgment{{"step_id", step},
                      {"unit_id", given.at("unit_id")},
                      {"assignment_id", given.at("assignment_id")},
                      {"contributor_id", "ana"},
                      {"token", given.at("token")},
                      {"data", {{"answer", "cat"}}}};
  const auto accepted = body_of(api.post("/v1/judgments", judgment.dump()), 202);
  BOOST_TEST(accepted.at("repeated") == false);
  const auto unit = given.at("unit_id").get<std::string>();
  const auto until = std::chrono::steady_clock::now() + 30s;
  auto result = api.get("/units/" + unit + "/result"); // at an address of the seed
  for (; result.status == 404U; result = api.get("/units/" + unit + "/result"))
    BOOST_REQUIRE(std::chrono::steady_clock::now() < until);
  BOOST_TEST(body_of(result, 200).at("result").at("answer") == "cat");
  const auto results = body_of(api.get("/v1/job-steps/" + step + "/results"), 200);
  BOOST_TEST(results.at("results").at(0).at("result").at("answer") == "cat");
}

BOOST_AUTO_TEST_CASE(a_request_without_a_good_token_is_refused) {
  http_client nobody{port()};
  const auto refused = nobody.get("/v1/queues");
  BOOST_TEST(refused.status == 401U);
  BOOST_TEST(refused.headers.at("www-authenticate") == "Bearer");
  auto guess = token();
  guess.back() = guess.back() == 'a' ? 'b' : 'a';
  http_client guesser{port(), guess};
  BOOST_TEST(guesser.get("/v1/queues").status == 401U);
  BOOST_TEST(!contains(log_of(*this), token()));
  BOOST_TEST(!contains(log_of(*this), guess));

  // Anybody may ask for these.
  BOOST_TEST(nobody.get("/healthz").status == 200U);
  BOOST_TEST(json::parse(nobody.get("/openapi.json").body).at("openapi") == "3.1.0");
}

BOOST_AUTO_TEST_CASE(the_token_is_kept_from_others_and_stays) {
  namespace fs = std::filesystem;
  const auto file = app::admin_token_file(directory->path());
  BOOST_CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  const auto before = token();
  process->kill();
  start();
  BOOST_TEST(token() == before);
  auto api = client();
  body_of(api.get("/v1/queues"), 200);
}

BOOST_AUTO_TEST_CASE(a_new_token_counts_from_a_hangup_on) {
  const auto before = token();
  std::filesystem::remove(app::admin_token_file(directory->path()));
  const auto now = token(); // makes one, as the start of a node does
  BOOST_REQUIRE(now != before);
  process->signal(SIGHUP);
  const auto until = std::chrono::steady_clock::now() + 30s;
  http_client api{port(), now};
  while (api.get("/v1/queues").status != 200U)
    BOOST_REQUIRE(std::chrono::steady_clock::now() < until);
  http_client old{port(), before};
  BOOST_TEST(old.get("/v1/queues").status == 401U);
}

BOOST_AUTO_TEST_CASE(a_waiting_claim_does_not_hold_up_the_end_of_the_node) {
  auto api = client();
  body_of(api.put("/v1/queues/mail", "{}"), 200);
  api.begin("POST", "/v1/queues/mail/claims?wait=60", R"({"worker": "w"})");
  BOOST_TEST(process->stop(20s).value_or(-1) == static_cast<int>(app::exit_code::ok));
  const auto told = api.receive();
  BOOST_TEST((told.status == 503U || told.status == 0U), told.status);
}

BOOST_AUTO_TEST_CASE(a_node_whose_http_port_is_taken_says_so) {
  auto other = app::demo::scratch_directory::make();
  BOOST_REQUIRE(other);
  const auto ended = run_program(HOLDFAST_BINARY,
                                 {"node", "--data-dir", other->path().string(), "--port", "0",
                                  "--set", "http.port=" + std::to_string(port())},
                                 60s);
  BOOST_TEST(ended.code == static_cast<int>(app::exit_code::port_in_use), ended.err);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
