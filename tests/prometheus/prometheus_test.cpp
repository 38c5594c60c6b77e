// A real Prometheus reads a node of the real binary, and raises an alert by the rules of deploy/.

#include "tests/node_http/http_node.hpp"
#include "tests/support/child_program.hpp"
#include "tests/support/program.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <csignal>
#include <sys/types.h>

#include <cctype>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using nlohmann::json;

// Of the Debian package `prometheus`.
constexpr const char* prometheus = "/usr/bin/prometheus";
constexpr const char* promtool = "/usr/bin/promtool";

std::string file_text(const fs::path& path) {
  std::ifstream in{path};
  BOOST_REQUIRE_MESSAGE(in, path);
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::string rules_file() { return source_dir() + "/deploy/prometheus/holdfast.rules.yml"; }
std::string rule_tests_file() { return source_dir() + "/tests/prometheus/rules_test.yml"; }

void passes(const std::vector<std::string>& arguments) {
  const auto ended = run_program(promtool, arguments, 60s);
  BOOST_TEST(ended.code == 0, ended.out << ended.err);
}

/// The rest of each line of `text` that begins with `key`, blanks and dashes aside.
std::set<std::string> values_of(const std::string& text, const std::string& key) {
  std::set<std::string> found;
  for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    const auto from = at + key.size();
    found.insert(text.substr(from, text.find('\n', from) - from));
  }
  return found;
}

std::string lower_case(std::string text) {
  for (auto& c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// A node, and what Prometheus is to know of it.
struct scraped_node : http_node {
  /// Looks now and then until it is so.
  bool comes_true(const std::function<bool()>& what) {
    const auto until = std::chrono::steady_clock::now() + 90s;
    while (std::chrono::steady_clock::now() < until) {
      if (what())
        return true;
      if (process->ended_within(50ms))
        return false;
    }
    return false;
  }

  fs::path database() const { return directory->path() / "postgres" / "pgdata"; }
  pid_t database_pid() const {
    std::ifstream in{database() / "postmaster.pid"};
    pid_t pid = 0;
    in >> pid;
    return pid;
  }

  /// Starts a Prometheus that looks each second, by our rules without their pauses.
  void start_prometheus() {
    const auto place = directory->path() / "prometheus";
    fs::create_directory(place);
    std::ofstream{place / "holdfast.token"} << token();
    auto rules = file_text(rules_file());
    for (auto at = rules.find("        for: "); at != std::string::npos;
         at = rules.find("        for: ", at + 1))
      rules.replace(at, rules.find('\n', at) - at, "        for: 1s");
    std::ofstream{place / "holdfast.rules.yml"} << rules;
    auto config = file_text(source_dir() + "/deploy/prometheus/prometheus.yml");
    const auto replace = [&](const std::string& what, const std::string& by) {
      for (auto at = config.find(what); at != std::string::npos; at = config.find(what, at)) {
        config.replace(at, what.size(), by);
        at += by.size();
      }
    };
    replace("15s", "1s");
    replace("127.0.0.1:8470", "127.0.0.1:" + std::to_string(port()));
    std::ofstream{place / "prometheus.yml"} << config;
    passes({"check", "config", (place / "prometheus.yml").string()});
    auto free = app::hold_port("127.0.0.1", 0);
    BOOST_REQUIRE(free);
    prometheus_port = free->number();
    // Prometheus does not share a port, so it is given back right before.
    { const auto given_back = std::move(*free); }
    server.emplace(prometheus,
                   std::vector<std::string>{"--config.file=" + (place / "prometheus.yml").string(),
                                            "--storage.tsdb.path=" + (place / "data").string(),
                                            "--web.listen-address=127.0.0.1:"
                                                + std::to_string(prometheus_port),
                                            "--log.level=warn"});
    BOOST_REQUIRE(comes_true([this] {
      http_client look{prometheus_port};
      return look.get("/-/ready").status == 200U;
    }));
  }

  /// The values that Prometheus has for a query, percent-encoded.
  std::vector<std::string> query(const std::string& encoded) const {
    http_client asker{prometheus_port};
    const auto answer = asker.get("/api/v1/query?query=" + encoded);
    std::vector<std::string> values;
    if (answer.status != 200U)
      return values;
    const auto told = json::parse(answer.body); // the loop must not outlive it
    for (const auto& one : told.at("data").at("result"))
      values.push_back(one.at("value").at(1).get<std::string>());
    return values;
  }

  std::uint16_t prometheus_port = 0;
  std::optional<child_program> server;
};

BOOST_AUTO_TEST_SUITE(prometheus_rules)

BOOST_AUTO_TEST_CASE(the_rules_are_valid) { passes({"check", "rules", rules_file()}); }

BOOST_AUTO_TEST_CASE(each_alert_fires_for_its_cause_and_for_no_other) {
  passes({"test", "rules", rule_tests_file()});
  const auto alerts = values_of(file_text(rules_file()), "- alert: ");
  BOOST_TEST(alerts.size() > 10U);
  const auto tested = values_of(file_text(rule_tests_file()), "alertname: ");
  BOOST_TEST(alerts == tested, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(each_alert_names_its_section_of_the_page_of_operations) {
  const auto rules = file_text(rules_file());
  const auto page = file_text(source_dir() + "/docs/OPERATIONS.md");
  for (const auto& alert : values_of(rules, "- alert: ")) {
    BOOST_TEST(contains(page, "\n### " + alert + "\n"), alert);
    BOOST_TEST(contains(rules, "runbook: docs/OPERATIONS.md#" + lower_case(alert) + "\n"), alert);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(prometheus_and_node, scraped_node)

BOOST_AUTO_TEST_CASE(the_page_is_well_formed_and_tells_of_work) {
  auto api = client();
  body_of(api.put("/v1/queues/mail", "{}"), 200);
  body_of(api.post("/v1/queues/mail/tasks", R"({"type": "send", "body": {}})"), 201);
  body_of(api.post("/v1/queues/mail/tasks", R"({"type": "send", "body": {}})"), 201);
  const auto task =
      body_of(api.post("/v1/queues/mail/claims", R"({"worker": "w", "limit": 1})"), 200)
          .at("tasks")
          .at(0);
  const json done{{"worker", "w"}, {"token", task.at("token")}, {"result", json::object()}};
  body_of(api.post("/v1/tasks/" + task.at("id").get<std::string>() + "/complete", done.dump()),
          200);

  const auto answer = api.get("/metrics");
  BOOST_REQUIRE(answer.status == 200U);
  BOOST_TEST(answer.headers.at("content-type") == "text/plain; version=0.0.4; charset=utf-8");
  for (const auto* line :
       {"holdfast_tasks{queue=\"mail\",state=\"ready\"} 1\n",
        "holdfast_tasks{queue=\"mail\",state=\"leased\"} 0\n",
        "holdfast_tasks_made_total{queue=\"mail\",type=\"send\"} 2\n",
        "holdfast_tasks_finished_total{queue=\"mail\",type=\"send\",outcome=\"completed\"} 1\n",
        "holdfast_task_run_seconds_count{queue=\"mail\"} 1\n", "holdfast_database_up 1\n",
        "holdfast_fenced 0\n", "holdfast_shards_hosted 16\n",
        "holdfast_http_requests_total{route=\"make_tasks\",status=\"201\"} 2\n"})
    BOOST_TEST(contains(answer.body, line), line << " is not in\n" << answer.body);

  const auto file = directory->path() / "page";
  std::ofstream{file} << answer.body;
  const auto checked = run_program(
      "/bin/sh", {"-c", std::string{promtool} + " check metrics < '" + file.string() + "'"}, 60s);
  BOOST_TEST(checked.code == 0, checked.out << checked.err);
}

BOOST_AUTO_TEST_CASE(the_page_is_for_those_with_a_token) {
  http_client nobody{port()};
  const auto refused = nobody.get("/metrics");
  BOOST_TEST(refused.status == 401U);
  BOOST_TEST(!contains(refused.body, "holdfast_"));
}

BOOST_AUTO_TEST_CASE(prometheus_reads_the_node_and_raises_an_alert_while_its_database_is_away) {
  auto api = client();
  body_of(api.put("/v1/queues/mail", "{}"), 200);
  body_of(api.post("/v1/queues/mail/tasks", R"({"type": "send", "body": {}})"), 201);
  start_prometheus();
  // up{job="holdfast"}, and holdfast_tasks{queue="mail",state="ready"}
  const std::string up = "up%7Bjob%3D%22holdfast%22%7D";
  const std::string ready = "holdfast_tasks%7Bqueue%3D%22mail%22%2Cstate%3D%22ready%22%7D";
  BOOST_REQUIRE(comes_true([&] { return query(up) == std::vector<std::string>{"1"}; }));
  BOOST_TEST(comes_true([&] { return query(ready) == std::vector<std::string>{"1"}; }));

  // ALERTS{alertname="HoldfastDatabaseAway",alertstate="firing"}
  const std::string firing =
      "ALERTS%7Balertname%3D%22HoldfastDatabaseAway%22%2Calertstate%3D%22firing%22%7D";
  BOOST_TEST(query(firing).empty());
  // The server does not come up again without its log.
  const auto log = database() / "pg_wal";
  const auto away = directory->path() / "pg_wal.away";
  const auto before = database_pid();
  BOOST_REQUIRE(before > 0);
  fs::rename(log, away);
  ::kill(before, SIGKILL);
  BOOST_TEST(comes_true([&] { return query(firing) == std::vector<std::string>{"1"}; }));
  BOOST_TEST(query(up) == std::vector<std::string>{"1"}, boost::test_tools::per_element());

  fs::rename(away, log);
  BOOST_TEST(comes_true([&] { return query(firing).empty(); }));
  server.reset();
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(a_node_open_to_its_machine_shows_its_metrics_without_a_token) {
  auto made = app::demo::scratch_directory::make();
  BOOST_REQUIRE(made);
  auto held = app::hold_port("127.0.0.1", 0);
  BOOST_REQUIRE(held);
  app::demo::node_process node{
      HOLDFAST_BINARY,
      made->path(),
      {"--set", "http.port=" + std::to_string(held->number()), "--set", "metrics.access=loopback"}};
  BOOST_REQUIRE_MESSAGE(node.start(60s), node.log_tail());
  http_client nobody{held->number()};
  const auto page = nobody.get("/metrics");
  BOOST_TEST(page.status == 200U);
  BOOST_TEST(contains(page.body, "holdfast_build_info{version="), page.body);
  BOOST_TEST(nobody.get("/v1/queues").status == 401U);
}

} // namespace

} // namespace holdfast::test
