// Files that come from outside the cluster, and text that goes to a terminal.

#include "app/demo/scratch_directory.hpp"
#include "tests/end_to_end/commanded_node.hpp"
#include "tests/support/program.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using holdfast::test::contains;

namespace core = holdfast::core;
namespace msg = holdfast::msg;
namespace test = holdfast::test;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

/// Clears a screen in two ways, turns text around, and looks like a message of ours.
const std::string hostile_name = "x\x1b[2J\r\nholdfast: forged\t\xc2\x9b"
                                 "2J\xe2\x80\xae\x7fy";

/// The harm in text that goes to a terminal; empty if there is none.
std::string harm_in(const std::string& text) {
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    if (line.substr(0, 16) == "holdfast: forged")
      return "a line of its own: " + text;
  for (const unsigned char c : text)
    if ((c < 0x20 && c != '\n') || c == 0x7f)
      return "a control character: " + text;
  if (contains(text, "\xc2\x9b") || contains(text, "\xe2\x80\xae"))
    return "a character that commands a terminal: " + text;
  return {};
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(files_and_names, test::commanded_node)

// findings C7 and C8
BOOST_AUTO_TEST_CASE(rows_from_any_system_are_the_same_and_a_bad_one_harms_no_other) {
  const auto created = ask(msg::create_workflow{{ids.next()}, R"({"name": "files", "steps": [
      {"key": "label", "judgments_per_unit": 1,
       "test_questions": {"quiz": 0, "every": 2}}]})"});
  const auto step = created.steps.front().step;
  const auto id = core::to_string(step);
  const auto files = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(files);
  const auto rows = (files->path() / "rows.ndjson").string();
  const auto questions = (files->path() / "questions.ndjson").string();
  std::ofstream{rows, std::ios::binary}
      << "\xef\xbb\xbf{\"k\": \"u1\",\t\"n\":1.0} \r\n"
      << R"({"k":"long","text":")" << std::string(17'000'000, 'x') << "\"}\r\n"
      << "{\"k\":\"\xff\"}\r\n"
      << std::string("{\"k\":\"\0\"}\r\n", 11) << "{\"k\":\r\n"
      << R"({"k":"large","text":")" << std::string(3'900'000, 'x') << "\"}\r\n"
      << "{\"n\":1,\"k\":\"u2\"}";
  const auto added = holdfast({"step", "add", id, rows, "--key", "k"});
  BOOST_TEST(added.code == 1);
  BOOST_TEST(added.out == "added 2, there already 0, refused 5\n", added.err);
  for (const auto* told :
       {"line 2: too_large", "line 3: payload_invalid", "line 4: payload_invalid",
        "line 5: payload_invalid", "line 6: too_large"})
    BOOST_TEST(contains(added.err, told), added.err);

  std::ofstream{questions} << "{\"gold\":\"yes\",\"n\":10e-1,\"k\":\"u3\"}\n";
  BOOST_TEST(holdfast({"question", "add", id, questions, "--key", "k", "--truth", "gold"}).code
             == 0);
  std::set<std::string> inputs;
  for (int i = 0; i < 3; ++i) {
    const auto given = ask(msg::ask_assignment{step, "ana", {ids.next()}});
    ask(msg::submit_judgment{
        step, given.unit, "ana", given.token, {ids.next()}, R"({"answer": "yes"})"});
    inputs.insert(given.input);
  }
  BOOST_TEST((inputs
              == std::set<std::string>{R"({"k":"u1","n":1})", R"({"k":"u2","n":1})",
                                       R"({"k":"u3","n":1})"}));

  std::ofstream{rows, std::ios::binary} << std::string("\xff\xfe{\0}\0\n\0", 8);
  const auto wide = holdfast({"step", "add", id, rows, "--key", "k"});
  BOOST_TEST(wide.code == 1);
  BOOST_TEST(contains(wide.err, "UTF-16"), wide.err);
  const auto definition = (files->path() / "queue.json").string();
  std::ofstream{definition, std::ios::binary} << "\xef\xbb\xbf{}\r\n";
  BOOST_TEST(holdfast({"queues", "put", "mail", "--file", definition}).code == 0);
  std::ofstream{definition, std::ios::binary} << std::string("\xff\xfe{\0}\0", 6);
  const auto refused = holdfast({"queues", "put", "mail", "--file", definition});
  BOOST_TEST(refused.code == 2);
  BOOST_TEST(contains(refused.err, "UTF-16"), refused.err);
}

// finding D5
BOOST_AUTO_TEST_CASE(no_name_commands_the_terminal_of_whoever_looks) {
  const auto& name = hostile_name;
  const auto created = ask(msg::create_workflow{{ids.next()},
                                                json{{"name", name},
                                                     {"steps",
                                                      {{{"key", "only"},
                                                        {"title", name},
                                                        {"judgments_per_unit", 1},
                                                        {"test_questions", {{"quiz", 0}}}}}}}
                                                    .dump()});
  const auto workflow = core::to_string(created.workflow);
  const auto step = created.steps.front().step;
  ask(msg::add_source_data{step, {{name, "{}", 0}, {name + "2", "{}", 0}}});
  const auto given = ask(msg::ask_assignment{step, name, {ids.next()}});
  ask(msg::submit_judgment{
      step, given.unit, name, given.token, {ids.next()}, json{{"answer", name}}.dump()});
  const auto held = ask(msg::ask_assignment{step, name, {ids.next()}});
  ask(msg::put_queue{"mail", "{}"});
  const core::task_id task{ids.next()};
  msg::task_request request;
  request.task = task;
  request.type = name;
  request.owner_id = name;
  request.body = json{{"text", name}}.dump();
  ask(msg::enqueue_tasks{"mail", {request}});
  ask(msg::claim_tasks{"mail", name, {ids.next()}, 1, {}, 0s, false});
  ask(msg::put_schedule{"mail", name,
                        json{{"cron", "0 0 1 1 *"}, {"task", {{"type", name}}}}.dump()});
  ask(msg::pause_queue{"mail", name, true});

  const auto id = core::to_string(step);
  const auto unit = core::to_string(given.unit);
  const auto of_task = core::to_string(task);
  const auto files = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(files);
  const auto directory = (files->path() / "out").string();
  const auto definition = (files->path() / "workflow.json").string();
  std::ofstream{definition} << json{{"name", name + "2"}, {"steps", {{{"key", "only"}}}}};
  const std::vector<std::vector<std::string>> commands{
      {"contributor", "show", name},
      {"contributor", "steps", name},
      {"contributor", "list", id},
      {"contributor", "remove", id, name + "3"},
      {"contributor", "put", name + "4", "--skill", name},
      {"workflow", "show", workflow},
      {"workflow", "diff", workflow, definition},
      {"workflow", "show", name},
      {"lineage", unit},
      {"unit", "show", id, unit},
      {"explain", "unit", id, core::to_string(held.unit), "--contributor", name},
      {"explain", "contributor", id, name},
      {"explain", "task", "mail", of_task},
      {"explain", "task", name + "5", of_task},
      {"quality", id},
      {"step", "results", id},
      {"step", "export", id, directory},
      {"step", "add", name, definition, "--key", name},
      {"step", "add", id, definition, "--key", name},
      {"queues", "list"},
      {"queues", "list", "--json"},
      {"queues", "show", "mail"},
      {"queues", "show", name + "6"},
      {"queues", "schedules", "mail"},
      {"queues", "schedules", name},
      {"queues", "put", "mail", "--file", name},
      {"queues", "pause", "mail"},
      {"queues", "unschedule", "mail", name},
      {"queues", "remove", name + "8"},
      {"tasks", "list"},
      {"tasks", "list", "--queue", "mail"},
      {"tasks", "list", "--queue", name},
      {"tasks", "show", of_task},
      {"tasks", "attempts", of_task},
      {"tasks", "pause", of_task},
      {"tasks", "cancel", name + "7", of_task},
      {"webhooks", "list"},
      {"webhooks", "put", name, "--file", definition},
      {"events"},
      {"status", "--port", std::to_string(process->port())},
      {"validate", "workflow", definition},
      {"validate", "queue", definition},
      {"schemas", name},
      {name, name},
  };
  for (const auto& command : commands) {
    const auto end = command[0] == "validate" || command[0] == "schemas" || command[0] == "status"
                         ? test::run_program(HOLDFAST_BINARY, command, 60s)
                         : holdfast(command);
    std::string words;
    for (const auto& word : command)
      words += word == name ? "NAME " : word + ' ';
    BOOST_TEST(harm_in(end.out) == "", words);
    BOOST_TEST(harm_in(end.err) == "", words);
  }
  // An exact name in JSON stays exact.
  const auto listed = json::parse(holdfast({"queues", "list", "--json"}).out);
  BOOST_TEST(listed.at("queues").at(0).at("paused_types").at(0).get<std::string>() == name);
}

BOOST_AUTO_TEST_SUITE_END()
