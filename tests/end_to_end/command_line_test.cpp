#include "app/demo/scratch_directory.hpp"
#include "tests/end_to_end/holdfast_with.hpp"
#include "tests/support/program.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using holdfast::test::contains;
using holdfast::test::holdfast_with;

BOOST_AUTO_TEST_SUITE(command_line)

BOOST_AUTO_TEST_CASE(help_lists_commands_and_exit_codes) {
  const auto help = holdfast_with({"--help"});
  BOOST_TEST(help.code == 0);
  for (const auto* word : {"node",      "demo",        "aggregate", "simulate-overlap",
                           "status",    "events",      "lineage",   "explain",
                           "quality",   "contributor", "question",  "workflow",
                           "queues",    "tasks",       "webhooks",  "token",
                           "verify",    "schemas",     "validate",  "config",
                           "Exit codes"})
    BOOST_TEST(contains(help.out, word));
  for (const auto* command :
       {"node", "demo", "aggregate", "simulate-overlap", "status", "events", "lineage", "explain",
        "quality", "contributor", "question", "workflow", "queues", "tasks", "webhooks", "token",
        "verify", "schemas", "config"})
    BOOST_TEST(holdfast_with({command, "--help"}).code == 0);
}

BOOST_AUTO_TEST_CASE(version_is_printed) {
  const auto version = holdfast_with({"--version"});
  BOOST_TEST(version.code == 0);
  BOOST_TEST(contains(version.out, "holdfast "));
  // What it can work beside. F44
  BOOST_TEST(contains(version.out, " (protocol"));
  BOOST_TEST(contains(version.out, ", migration "));
}

BOOST_AUTO_TEST_CASE(unknown_arguments_are_a_usage_error) {
  const std::string some_id = "018f2c5e-7c1a-7000-8000-000000000004";
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {},
           {"nodes"},
           {"node", "--colour"},
           {"node", "--set", "node.port"},
           {"demo", "--kills", "many"},
           {"demo", "--speed", "0"},
           {"status", "--timeout", "-1"},
           {"schemas", "events/v1/Nothing.json"},
           {"schemas", "--out", "a", "events/v1/asyncapi.json"},
           {"workflow", "job", some_id, "launched"},
           {"workflow", "job", some_id, "begun", "--revision", "1"},
           {"workflow", "job", "launched", "--revision", "1"},
           {"workflow", "job", "--event", "no/such/file"},
           {"workflow", "job", some_id, "launched", "--revision", "1", "--event", "-"},
           {"config", "--json", "--reference"}}) {
    const auto end = holdfast_with(arguments);
    BOOST_TEST(end.code == 2);
    BOOST_TEST(!end.err.empty());
  }
}

// A93
BOOST_AUTO_TEST_CASE(schemas_are_in_the_binary) {
  const auto directory = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(directory);
  BOOST_TEST(holdfast_with({"schemas", "--out", directory->path().string()}).code == 0);
  std::istringstream names{holdfast_with({"schemas"}).out};
  std::size_t count = 0;
  for (std::string name; std::getline(names, name); ++count) {
    const auto printed = holdfast_with({"schemas", name});
    BOOST_TEST(printed.code == 0);
    BOOST_TEST(nlohmann::json::accept(printed.out), name);
    std::ifstream file{directory->path() / name};
    BOOST_TEST(printed.out == (std::string{std::istreambuf_iterator<char>{file}, {}}), name);
  }
  BOOST_TEST(count == 18U); // 13 events, their AsyncAPI document, 4 kinds of definitions
  const auto file = directory->path() / "no_directory";
  std::ofstream{file} << "x";
  const auto failed = holdfast_with({"schemas", "--out", file.string()});
  BOOST_TEST(failed.code == 1);
  BOOST_TEST(contains(failed.err, "no_directory"));
}

// A69
BOOST_AUTO_TEST_CASE(a_definition_is_validated_without_a_node) {
  const auto directory = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(directory);
  const auto file = (directory->path() / "workflow.json").string();
  const auto validate = [&](const std::string& text) {
    std::ofstream{file} << text;
    return holdfast_with({"validate", "workflow", file});
  };
  const auto good = validate(
      R"({"name":"w","steps":[{"key":"a","next":["b"]},
                              {"key":"b","aggregation":{"method":"review"},
                               "routes":[{"when":{"answer":"reject"},"to":["a"]},{"to":[]}]}]})");
  BOOST_TEST(good.code == 0, good.err);
  BOOST_TEST(good.out == "a workflow of 2 steps\n  a: goes on to b\n  b: goes on to a (back)\n");
  const auto gathers = validate(R"({"name":"w","steps":[{"key":"a","next":["b"]},
      {"key":"b","gather":{"by":"count","size":20}}]})");
  BOOST_TEST(gathers.out
             == "a workflow of 2 steps\n  a: goes on to b\n"
                "  b: makes one unit of 20, the end\n");
  const auto bad = validate(R"({"name":"w","steps":[{"key":"a","nxt":["b"]}]})");
  BOOST_TEST(bad.code == 1);
  BOOST_TEST(contains(bad.err, "/steps/0/nxt"));
  BOOST_TEST(holdfast_with({"validate", "webhook", file}).code == 1);
  BOOST_TEST(holdfast_with({"validate", "queue", file + ".not"}).code == 2);
  BOOST_TEST(holdfast_with({"validate", "nothing", file}).code == 2);
}

// A36
BOOST_AUTO_TEST_CASE(an_event_about_a_job_is_checked_before_a_node_is_asked) {
  const auto directory = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(directory);
  const auto file = (directory->path() / "event.json").string();
  std::ofstream{file} << R"({"type":"JobStatusChanged","revision":0,"status":"begun",
                             "workflow_id":"018f2c5e-7c1a-7000-8000-000000000004"})";
  const auto end = holdfast_with({"workflow", "job", "--event", file});
  BOOST_TEST(end.code == 1);
  BOOST_TEST(contains(end.err, "payload_invalid: /revision: must be a whole number from 1"),
             end.err);
  BOOST_TEST(contains(end.err, "/status: must be \"launched\""), end.err);
}

BOOST_AUTO_TEST_CASE(unknown_option_is_a_configuration_error_with_a_suggestion) {
  const auto end = holdfast_with({"node", "--set", "node.prot=4747"});
  BOOST_TEST(end.code == 3);
  BOOST_TEST(contains(end.err, "node.prot"));
  BOOST_TEST(contains(end.err, "did you mean node.port?"));
}

BOOST_AUTO_TEST_CASE(every_mistake_in_the_configuration_is_told_at_once) {
  const auto directory = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(directory);
  const auto file = directory->path() / "holdfast.toml";
  std::ofstream{file} << "[node]\nport = 70000\n\n[log]\nlevel = \"loud\"\n";
  const auto end = holdfast_with({"config", "--config", file.string()});
  BOOST_TEST(end.code == 3);
  BOOST_TEST(contains(end.err, "node.port"));
  BOOST_TEST(contains(end.err, "log.level"));
  BOOST_TEST(contains(end.err, "holdfast.toml:2"));
}

BOOST_AUTO_TEST_CASE(address_off_loopback_is_refused) {
  const auto end = holdfast_with({"node", "--set", "node.listen_address=0.0.0.0"});
  BOOST_TEST(end.code == 3);
  BOOST_TEST(contains(end.err, "node.listen_address"));
}

BOOST_AUTO_TEST_CASE(effective_configuration_names_the_origin_of_each_value) {
  const auto end = holdfast_with({"config", "--json", "--set", "writer.lanes=3"});
  BOOST_TEST(end.code == 0);
  const auto values = nlohmann::json::parse(end.out);
  BOOST_TEST(values["writer.lanes"]["value"] == 3);
  BOOST_TEST(contains(values["writer.lanes"]["origin"].get<std::string>(), "flag"));
  BOOST_TEST(contains(values["node.port"]["origin"].get<std::string>(), "default"));
}

BOOST_AUTO_TEST_CASE(example_configuration_is_accepted) {
  const auto directory = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(directory);
  const auto file = directory->path() / "example.toml";
  std::ofstream{file} << holdfast_with({"config", "--example"}).out;
  BOOST_TEST(holdfast_with({"config", "--config", file.string()}).code == 0);
}

BOOST_AUTO_TEST_CASE(commands_without_a_node_say_so) {
  const auto directory = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(directory);
  const auto place = directory->path().string();
  // A port that nobody listens on: the one of discard, which needs a privilege to take.
  const auto status =
      holdfast_with({"status", "--data-dir", place, "--port", "9", "--timeout", "0.5"});
  BOOST_TEST(status.code == 9);
  BOOST_TEST(contains(status.err, "127.0.0.1:9"));
  const auto verify = holdfast_with({"verify", "--data-dir", place});
  BOOST_TEST(verify.code == 3);
  BOOST_TEST(contains(verify.err, place));
  const auto unreachable =
      holdfast_with({"verify", "--database-url", "postgresql://127.0.0.1:9/none"});
  BOOST_TEST(unreachable.code == 4);
}

BOOST_AUTO_TEST_SUITE_END()
