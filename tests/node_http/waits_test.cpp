// Waits and events over HTTP at nodes of the real binary: results for waiting requests, also at
// another node than the host; hang-ups; the end of a node; streams that go on after a host was
// killed.

#include "app/exit_codes.hpp"
#include "persistence/private_cluster.hpp"
#include "tests/node_http/http_node.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <pqxx/pqxx>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

std::string made_task(http_client& api) {
  return body_of(api.post("/v1/queues/mail/tasks", R"({"type": "send", "body": {}})"), 201)
      .at("id")
      .get<std::string>();
}

void complete(http_client& api, const std::string& id) {
  const auto claimed = api.post("/v1/queues/mail/claims?wait=30", R"({"worker": "w"})");
  const auto task = body_of(claimed, 200).at("tasks").at(0);
  BOOST_REQUIRE(task.at("id") == id);
  body_of(api.post("/v1/tasks/" + id + "/complete",
                   json{{"worker", "w"}, {"token", task.at("token")}}.dump()),
          200);
}

std::string made_step(http_client& api) {
  const auto workflow =
      body_of(api.post("/v1/workflows",
                       R"({"name": "pets", "steps": [{"key": "label", "judgments_per_unit": 1}]})"),
              201);
  return workflow.at("steps").at(0).at("id").get<std::string>();
}

void add_unit(http_client& api, const std::string& step, const std::string& key) {
  body_of(api.post("/v1/job-steps/" + step + "/source-data",
                   json{{"rows", {{{"key", key}, {"input", {{"image", key}}}}}}}.dump()),
          200);
}

std::string asking(const std::string& step, const std::string& who) {
  return json{{"step_id", step}, {"contributor_id", who}}.dump();
}

/// Two nodes on one database, each with HTTP: every request can go to the node that does not host
/// its item.
struct two_http_nodes {
  static constexpr std::size_t count = 2;

  two_http_nodes() {
    auto scratch = app::demo::scratch_directory::make();
    BOOST_REQUIRE(scratch);
    directory.emplace(std::move(*scratch));
    persistence::private_cluster_options options;
    options.directory = (directory->path() / "postgres").string();
    server.emplace(options);
    const auto started = server->start();
    BOOST_REQUIRE_MESSAGE(started, (started ? std::string{} : started.error().detail));
    for (std::size_t i = 0; i < count; ++i) {
      auto port = app::hold_port("127.0.0.1", 0);
      BOOST_REQUIRE(port);
      held.push_back(std::make_unique<app::held_port>(std::move(*port)));
      std::filesystem::create_directory(data_dir(i));
      processes.push_back(std::make_unique<app::demo::node_process>(
          HOLDFAST_BINARY, data_dir(i),
          std::vector<std::string>{"--database-url", server->conninfo(), "--set",
                                   "node.name=n" + std::to_string(i), "--set",
                                   "http.port=" + std::to_string(held.back()->number())}));
      start(i);
    }
    // Both host shards, so that of two waits one is at the host and one is not.
    auto api = client(0);
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (body_of(api.get("/v1/node"), 200).at("shards_hosted") == shards_of(api))
      BOOST_REQUIRE(std::chrono::steady_clock::now() < until);
  }
  ~two_http_nodes() { processes.clear(); }

  std::filesystem::path data_dir(std::size_t node) const {
    return directory->path() / ("n" + std::to_string(node));
  }
  void start(std::size_t node) {
    const auto started = processes[node]->start(60s);
    BOOST_REQUIRE_MESSAGE(started, processes[node]->log_tail());
  }
  http_client client(std::size_t node) const {
    const auto token = app::admin_token_in(data_dir(node));
    BOOST_REQUIRE(token);
    return http_client{held[node]->number(), *token};
  }
  static json shards_of(http_client& api) {
    return body_of(api.get("/v1/node"), 200).at("shards_total");
  }

  std::optional<app::demo::scratch_directory> directory;
  std::optional<persistence::private_cluster> server;
  std::vector<std::unique_ptr<app::held_port>> held;
  std::vector<std::unique_ptr<app::demo::node_process>> processes;
};

/// The events of a list, as `report.outbox` calls them: by shard and number.
std::vector<std::string> places_in(const json& list) {
  std::vector<std::string> all;
  for (const auto& one : list.at("events"))
    all.push_back(std::to_string(one.at("shard").get<int>()) + '-'
                  + std::to_string(one.at("seq").get<int>()));
  return all;
}

BOOST_FIXTURE_TEST_SUITE(waits_at_a_node, http_node)

BOOST_AUTO_TEST_CASE(the_end_of_a_task_is_told_to_a_request_that_waits) {
  auto api = client();
  body_of(api.put("/v1/queues/mail", "{}"), 200);
  const auto id = made_task(api);
  BOOST_TEST(api.get("/v1/tasks/" + id + "?wait=0.1&until=finished").status == 204U);
  auto waiting = client();
  waiting.begin("GET", "/v1/tasks/" + id + "?wait=60&until=finished", {});
  complete(api, id);
  BOOST_TEST(body_of(waiting.receive(), 200).at("status") == "COMPLETED");
}

BOOST_AUTO_TEST_CASE(a_unit_and_its_result_are_told_to_requests_that_wait) {
  auto api = client();
  const auto step = made_step(api);
  BOOST_TEST(api.post("/v1/assignments", asking(step, "ana")).status == 404U);
  auto waiting = client();
  waiting.begin("POST", "/v1/assignments?wait=60", asking(step, "ana"));
  add_unit(api, step, "a");
  const auto given = body_of(waiting.receive(), 200);
  const auto unit = given.at("unit_id").get<std::string>();
  auto for_result = client();
  for_result.begin("GET", "/v1/units/" + unit + "/result?wait=60&step_id=" + step, {});
  const json judgment{{"step_id", step},
                      {"unit_id", unit},
                      {"contributor_id", "ana"},
                      {"token", given.at("token")},
                      {"data", {{"answer", "cat"}}}};
  body_of(api.post("/v1/judgments", judgment.dump()), 202);
  BOOST_TEST(body_of(for_result.receive(), 200).at("result").at("answer") == "cat");
}

BOOST_AUTO_TEST_CASE(a_unit_that_is_given_back_goes_to_a_request_that_waits) {
  auto api = client();
  const auto step = made_step(api);
  add_unit(api, step, "a");
  const auto first = body_of(api.post("/v1/assignments", asking(step, "ana")), 200);
  auto waiting = client();
  waiting.begin("POST", "/v1/assignments?wait=60", asking(step, "ben"));
  body_of(api.post("/v1/assignments/" + first.at("assignment_id").get<std::string>() + "/release",
                   json{{"step_id", step},
                        {"unit_id", first.at("unit_id")},
                        {"contributor_id", "ana"},
                        {"token", first.at("token")}}
                       .dump()),
          200);
  BOOST_TEST(body_of(waiting.receive(), 200).at("unit_id") == first.at("unit_id"));
}

BOOST_AUTO_TEST_CASE(clients_that_hang_up_leave_units_to_others) {
  auto api = client();
  const auto step = made_step(api);
  for (int i = 0; i < 20; ++i) {
    auto gone = client();
    gone.begin("POST", "/v1/assignments?wait=60", asking(step, "gone" + std::to_string(i)));
    gone.hang_up();
  }
  add_unit(api, step, "a");
  BOOST_TEST(api.post("/v1/assignments?wait=30", asking(step, "ana")).status == 200U);
}

BOOST_AUTO_TEST_CASE(waiting_requests_are_told_at_once_that_the_node_ends) {
  auto api = client();
  body_of(api.put("/v1/queues/mail", "{}"), 200);
  const auto id = made_task(api);
  const auto step = made_step(api);
  auto for_claim = client();
  auto for_task = client();
  auto for_unit = client();
  auto for_events = client();
  for_task.begin("GET", "/v1/tasks/" + id + "?wait=60", {});
  for_unit.begin("POST", "/v1/assignments?wait=60", asking(step, "ana"));
  for_events.begin("GET", "/v1/events?wait=60", {});
  body_of(api.put("/v1/queues/other", "{}"), 200);
  for_claim.begin("POST", "/v1/queues/other/claims?wait=60", R"({"worker": "w"})");
  // A request on each connection has been read when this one is answered.
  body_of(api.get("/v1/queues"), 200);
  process->signal(SIGTERM);
  for (auto* one : {&for_claim, &for_task, &for_unit, &for_events}) {
    const auto told = one->receive();
    BOOST_TEST(told.status == 503U, told.body);
    BOOST_TEST(told.headers.count("retry-after") == 1U);
  }
  BOOST_TEST(process->ended_within(20s).value_or(-1) == static_cast<int>(app::exit_code::ok));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(waits_at_two_nodes, two_http_nodes)

BOOST_AUTO_TEST_CASE(a_wait_works_at_a_node_that_does_not_host_the_item) {
  auto api = client(0);
  body_of(api.put("/v1/queues/mail", "{}"), 200);
  const auto id = made_task(api);
  std::vector<std::unique_ptr<http_client>> waiting;
  for (std::size_t node = 0; node < count; ++node) {
    const auto token = app::admin_token_in(data_dir(node));
    BOOST_REQUIRE(token);
    waiting.push_back(std::make_unique<http_client>(held[node]->number(), *token));
    waiting.back()->begin("GET", "/v1/tasks/" + id + "?wait=60", {});
  }
  complete(api, id);
  for (const auto& one : waiting)
    BOOST_TEST(body_of(one->receive(), 200).at("status") == "COMPLETED");

  const auto step = made_step(api);
  for (std::size_t node = 0; node < count; ++node)
    waiting[node]->begin("POST", "/v1/assignments?wait=60",
                         asking(step, "c" + std::to_string(node)));
  add_unit(api, step, "a");
  add_unit(api, step, "b");
  for (const auto& one : waiting)
    body_of(one->receive(), 200);
}

BOOST_AUTO_TEST_CASE(no_event_is_skipped_when_the_host_of_a_shard_is_killed_under_a_reader) {
  auto api = client(0);
  const auto step = made_step(api);
  auto reader = client(0);
  std::vector<std::string> got;
  auto list = body_of(reader.get("/v1/events?from=oldest"), 200);
  const auto read_on = [&] {
    for (const auto& place : places_in(list))
      got.push_back(place);
    list = body_of(reader.get("/v1/events?wait=1&cursor=" + list.at("cursor").get<std::string>()),
                   200);
  };
  for (int i = 0; i < 10; ++i) {
    add_unit(api, step, "before" + std::to_string(i));
    made_step(api); // in all shards, after a while
    read_on();
  }
  processes[1]->kill();
  for (int i = 0; i < 20; ++i) {
    // While a shard has no host, its requests are answered 503.
    api.post("/v1/workflows",
             R"({"name": "pets", "steps": [{"key": "label", "judgments_per_unit": 1}]})");
    read_on();
  }
  pqxx::connection database{server->conninfo()};
  pqxx::work work{database};
  std::vector<std::string> stored;
  for (const auto& row : work.exec("SELECT outbox_id FROM report.outbox"))
    stored.push_back(row[0].as<std::string>());
  const auto until = std::chrono::steady_clock::now() + 60s;
  while (got.size() < stored.size()) {
    BOOST_REQUIRE(std::chrono::steady_clock::now() < until);
    read_on();
  }
  std::sort(got.begin(), got.end());
  got.erase(std::unique(got.begin(), got.end()), got.end());
  for (const auto& place : stored)
    BOOST_TEST(std::binary_search(got.begin(), got.end(), place), place);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
