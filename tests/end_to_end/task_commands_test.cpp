// Tasks made and done from a shell, on a real node.

#include "tests/end_to_end/running_node.hpp"
#include "tests/support/child_program.hpp"
#include "tests/support/program.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace test = holdfast::test;
using namespace std::chrono_literals;
using nlohmann::json;
using test::contains;
using test::running_node;

namespace {

test::program_end ran(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--data-dir", running_node::current().place()});
  return test::run_program(HOLDFAST_BINARY, arguments, 60s);
}

std::string output_of(const std::vector<std::string>& arguments) {
  const auto end = ran(arguments);
  BOOST_REQUIRE_MESSAGE(end.code == 0, end.err);
  return end.out;
}

void put_queue(const std::string& name, const std::string& policy = "{}") {
  const auto file = running_node::current().place() + '/' + name + ".json";
  std::ofstream{file} << policy;
  output_of({"queues", "put", name, "--file", file});
}

/// Makes a task, and answers its id.
std::string enqueued(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"tasks", "enqueue"});
  arguments.emplace_back("--json");
  return json::parse(output_of(arguments)).at("task").get<std::string>();
}

json shown(const std::string& task) { return json::parse(output_of({"tasks", "show", task})); }

/// Does one task with this command.
test::program_end claimed(const std::string& queue, const std::string& command,
                          std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"tasks", "claim", queue, "--type", "greet", "--exec", command});
  more.insert(more.end(), {"--most", "1"});
  return ran(more);
}

} // namespace

BOOST_AUTO_TEST_SUITE(tasks_in_a_shell, *boost::unit_test::fixture<running_node>())

BOOST_AUTO_TEST_CASE(a_command_gets_the_body_and_its_output_is_the_result) {
  put_queue("hello");
  const auto id = enqueued({"hello", "greet", R"({"name":"Ana"})", "--key", "k"});
  const auto end = claimed("hello", R"sh(printf '{"id":"%s","type":"%s","key":"%s","body":%s}' \
      "$TASK_ID" "$TASK_TYPE" "$TASK_KEY" "$(cat)")sh");
  BOOST_TEST(end.code == 0, end.err);
  const auto task = shown(id);
  BOOST_TEST(task.at("status") == "COMPLETED");
  BOOST_TEST(task.at("result")
             == (json{{"id", id}, {"type", "greet"}, {"key", "k"}, {"body", {{"name", "Ana"}}}}));
}

BOOST_AUTO_TEST_CASE(the_exit_code_of_a_command_is_the_outcome_of_its_task) {
  put_queue("codes", R"({"retry":{"max_attempts":1}})");
  const auto ended = [](const std::string& command, std::vector<std::string> more = {}) {
    const auto id = enqueued({"codes", "greet"});
    const auto end = claimed("codes", command, std::move(more));
    BOOST_TEST(end.code == 0, end.err);
    return shown(id);
  };
  const auto permanent = ended("echo 'no such account' >&2; exit 65");
  BOOST_TEST(permanent.at("status") == "FAILURE");
  BOOST_TEST(permanent.at("error_code") == "EXIT_65");
  const auto attempts =
      json::parse(output_of({"tasks", "attempts", permanent.at("id").get<std::string>(), "--json"}))
          .at("attempts");
  BOOST_TEST(attempts.at(0).at("error_detail") == "no such account\n");
  BOOST_TEST(ended("exit 3").at("error_code") == "EXIT_3");
  BOOST_TEST(ended("kill -9 $$").at("error_code") == "SIGNAL_9");
  BOOST_TEST(ended("echo done").at("error_code") == "RESULT_NOT_JSON");
  BOOST_TEST(ended("echo done", {"--text"}).at("result") == "done");
  BOOST_TEST(!ended("true").contains("result"));
  const auto later = ended("exit 75", {"--retry-after", "3600"});
  BOOST_TEST(later.at("status") == "QUEUED");
  BOOST_TEST(later.at("run_at") > later.at("created_at"));
}

BOOST_AUTO_TEST_CASE(a_command_that_reads_no_input_gets_its_task_done) {
  put_queue("unread");
  const auto id = enqueued({"unread", "greet", '"' + std::string(100'000, 'x') + '"'});
  BOOST_TEST(claimed("unread", "echo 1").code == 0);
  BOOST_TEST(shown(id).at("result") == 1);
}

BOOST_AUTO_TEST_CASE(sigterm_ends_a_worker_of_the_shell_and_gives_its_task_back) {
  put_queue("long");
  const auto id = enqueued({"long", "greet"});
  const auto mark = running_node::current().place() + "/begun";
  BOOST_REQUIRE(::mkfifo(mark.c_str(), 0600) == 0);
  test::child_program worker{HOLDFAST_BINARY,
                             {"tasks", "claim", "long", "--type", "greet", "--grace", "0", "--exec",
                              "echo begun > '" + mark + "'; exec sleep 600", "--data-dir",
                              running_node::current().place()}};
  std::string begun;
  std::ifstream{mark} >> begun; // waits for the command
  BOOST_TEST(begun == "begun");
  worker.signal(SIGTERM);
  const auto code = worker.ended_within(30s);
  BOOST_REQUIRE(code);
  BOOST_TEST(*code == 0);
  const auto task = shown(id);
  BOOST_TEST(task.at("status") == "QUEUED");
  BOOST_TEST(!task.contains("worker"));
}

BOOST_AUTO_TEST_CASE(each_line_of_a_file_is_a_task) {
  put_queue("lines");
  const auto file = running_node::current().place() + "/lines.ndjson";
  std::ofstream{file} << "{\"n\":1}\n\n{\"n\":2}\nno json\n{\"n\":3}\n";
  const auto end = ran({"tasks", "enqueue", "lines", "greet", "--file", file, "--lines", "--json"});
  BOOST_TEST(end.code == 1);
  BOOST_TEST(contains(end.err, "payload_invalid"), end.err);
  std::istringstream lines{end.out};
  std::vector<json> outcomes;
  for (std::string line; std::getline(lines, line);)
    outcomes.push_back(json::parse(line));
  BOOST_REQUIRE(outcomes.size() == 4U);
  BOOST_TEST(shown(outcomes[1].at("task").get<std::string>()).at("body") == (json{{"n", 2}}));
  BOOST_TEST(outcomes[2].contains("code"));
  BOOST_TEST(shown(outcomes[3].at("task").get<std::string>()).at("body") == (json{{"n", 3}}));
}

BOOST_AUTO_TEST_CASE(a_task_under_an_id_is_made_once) {
  put_queue("once");
  const std::string id = "018f2c5e-7c1a-7000-8000-0000000000aa";
  BOOST_TEST(output_of({"tasks", "enqueue", "once", "greet", "--id", id}) == id + " is enqueued\n");
  BOOST_TEST(output_of({"tasks", "enqueue", "once", "greet", "--id", id})
             == id + " was there already\n");
}

BOOST_AUTO_TEST_CASE(an_id_is_found_by_its_first_digits_if_they_are_those_of_no_other) {
  put_queue("short");
  const std::string one = "aaaaaaaa-0000-7000-8000-000000000001";
  const std::string two = "aaaaaaab-0000-7000-8000-000000000002";
  for (const auto& id : {one, two})
    output_of({"tasks", "enqueue", "short", "greet", "--id", id});
  BOOST_TEST(shown("aaaaaaaa").at("id") == one);
  BOOST_TEST(shown("AAAAAAAB-0").at("id") == two);
  const auto both = ran({"tasks", "show", "aaaaaaa"});
  BOOST_TEST(both.code == 2);
  BOOST_TEST(contains(both.err, one), both.err);
  BOOST_TEST(contains(both.err, two), both.err);
  BOOST_TEST(ran({"tasks", "show", "bbbbbb"}).code == 1);
  BOOST_TEST(ran({"tasks", "show", "aaaaa"}).code == 2); // too short to be looked for
  BOOST_TEST(output_of({"tasks", "cancel", "short", "aaaaaaab"}) == two + " is canceled\n");
}

BOOST_AUTO_TEST_CASE(ejecting_changes_the_state_of_a_task) {
  put_queue("callback");
  const auto id = enqueued({"callback", "greet", "--run-at", "2999-01-01T00:00:00Z"});
  output_of({"tasks", "eject", "callback", id, "--data", R"({"answer":1})"});
  BOOST_TEST(shown(id).at("data") == (json{{"answer", 1}}));
  BOOST_TEST((shown(id).at("run_at").get<std::string>() < std::string{"2999"}));
}

BOOST_AUTO_TEST_CASE(a_node_is_well_for_the_doctor) {
  const auto end = ran({"doctor", "--json"});
  BOOST_TEST(end.code == 0, end.out + end.err);
  const auto findings = json::parse(end.out).at("findings");
  for (const auto& one : findings)
    BOOST_TEST(one.at("verdict") != "failed", one.dump());
  BOOST_TEST(contains(end.out, "is held by the node"));
  BOOST_TEST(contains(end.out, "the schema is at migration"));
}

BOOST_AUTO_TEST_CASE(every_shard_has_a_host) {
  const auto placed = json::parse(output_of({"shards", "--json"}));
  BOOST_TEST(contains(output_of({"shards"}), "(answers)"));
  BOOST_TEST(placed.at("hosts").size() > 0U);
}

BOOST_AUTO_TEST_CASE(nodes_are_listed_with_their_state) {
  const auto listed = json::parse(output_of({"nodes", "--json"}));
  BOOST_REQUIRE(listed.at("nodes").size() == 1U);
  BOOST_TEST(listed.at("nodes").front().at("alive") == true);
  BOOST_TEST(contains(output_of({"nodes"}), "lives"));
}

BOOST_AUTO_TEST_SUITE_END()
