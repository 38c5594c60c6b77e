#include "app/demo/scratch_directory.hpp"
#include "app/listen_port.hpp"
#include "app/operation_verbs.hpp"
#include "tests/end_to_end/holdfast_with.hpp"
#include "tests/support/program.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using holdfast::test::contains;
using holdfast::test::holdfast_with;
using holdfast::test::run_program;

namespace {

/// Words split at blanks.
std::vector<std::string> words_in(const std::string& text) {
  std::istringstream stream{text};
  return {std::istream_iterator<std::string>{stream}, {}};
}

/// A port on which a program listens that says nothing, as HTTP and databases do.
struct silent_listener {
  silent_listener() {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    BOOST_REQUIRE(::bind(socket, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0);
    BOOST_REQUIRE(::listen(socket, 8) == 0);
    socklen_t size = sizeof where;
    BOOST_REQUIRE(::getsockname(socket, reinterpret_cast<sockaddr*>(&where), &size) == 0);
    port = std::to_string(ntohs(where.sin_port));
  }
  ~silent_listener() { ::close(socket); }

  int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string port;
};

/// The completions that bash offers for the last of these words.
std::set<std::string> completed_by_bash(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words)
    line += " '" + word + "'";
  const auto end = run_program(
      "/bin/bash",
      {"-c",
       "source <(\"$0\" completion bash); COMP_WORDS=(holdfast" + line
           + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _holdfast; echo \"${COMPREPLY[@]}\"",
       HOLDFAST_BINARY},
      60s);
  BOOST_TEST(end.err == "");
  const auto offered = words_in(end.out);
  return {offered.begin(), offered.end()};
}

} // namespace

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
           {"nodos"},
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

BOOST_AUTO_TEST_CASE(an_unknown_word_is_named_with_the_nearest_one_and_the_help_to_read) {
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"statsu", "`holdfast` has no command `statsu`; did you mean `status`? See `holdfast help`."},
      {"tasks lst",
       "`holdfast tasks` has no command `lst`; did you mean `list`? See `holdfast help tasks`."},
      {"tasks frobnicate",
       "`holdfast tasks` has no command `frobnicate`. See `holdfast help tasks`."},
      {"tasks", "`holdfast tasks` needs a command. See `holdfast help tasks`."},
      {"status --prot 3", "`holdfast status` has no option --prot; did you mean `--port`? See "
                          "`holdfast help status`."},
      {"tasks list --statsu=ERROR", "`holdfast tasks list` has no option --statsu; did you mean "
                                    "`--status`? See `holdfast help tasks list`."},
      {"schemas --node.port 3", "`holdfast schemas` has no option --node.port. See "
                                "`holdfast help schemas`."},
      {"status --node.port", "the option --node.port needs a value. See `holdfast help status`."},
      {"help taks", "`holdfast` has no command `taks`; did you mean `tasks`? See `holdfast help`."},
  };
  for (const auto& [line, told] : mistakes) {
    const auto end = holdfast_with(words_in(line));
    BOOST_TEST(end.code == 2, line);
    BOOST_TEST(end.err == "holdfast: " + told + '\n', line);
    BOOST_TEST(end.out == "", line);
  }
}

BOOST_AUTO_TEST_CASE(an_option_is_blamed_as_it_was_typed) {
  const auto told = [](const std::string& line) { return holdfast_with(words_in(line)).err; };
  BOOST_TEST(contains(told("config --set node.prot=3"), "node.prot (flag --set node.prot)"));
  BOOST_TEST(contains(told("config --node.prot 3"), "node.prot (flag --node.prot)"));
  BOOST_TEST(contains(told("config --port x"), "(flag --port)"));
}

BOOST_AUTO_TEST_CASE(every_option_can_be_typed_as_a_flag_of_its_key) {
  const auto value = [](const std::string& line) {
    const auto end = holdfast_with(words_in("config --json " + line));
    BOOST_REQUIRE_MESSAGE(end.code == 0, end.err);
    return nlohmann::json::parse(end.out)["node.port"]["value"];
  };
  BOOST_TEST(value("--node.port 4801") == 4801);
  BOOST_TEST(value("--node.port=4802") == 4802);
}

BOOST_AUTO_TEST_CASE(help_of_a_command_is_that_of_its_flag) {
  BOOST_TEST(holdfast_with({"help", "tasks", "list"}).out
             == holdfast_with({"tasks", "list", "--help"}).out);
  BOOST_TEST(holdfast_with({"help"}).out == holdfast_with({"--help"}).out);
  for (const auto* topic : {"Run a node:", "Queues and tasks:", "Help:"})
    BOOST_TEST(contains(holdfast_with({"help"}).out, topic));
}

BOOST_AUTO_TEST_CASE(every_operation_has_a_command_or_a_reason_for_having_none) {
  std::set<std::string_view> asked;
  for (const auto& row : holdfast::app::operation_verbs()) {
    BOOST_TEST(row.command.empty() != row.reason.empty(), row.operation);
    if (row.command.empty() || !asked.insert(row.command).second)
      continue;
    auto words = words_in(std::string{row.command});
    words.insert(words.begin(), "help");
    BOOST_TEST(holdfast_with(words).code == 0, row.command);
  }
  BOOST_TEST(asked.size() > 40U);
}

BOOST_AUTO_TEST_CASE(bash_completes_commands_and_flags) {
  const auto commands = completed_by_bash({""});
  for (const auto* word : {"tasks", "queues", "doctor", "--version"})
    BOOST_TEST(commands.count(word) == 1U, word);
  BOOST_TEST((completed_by_bash({"tasks", "enq"}) == std::set<std::string>{"enqueue"}));
  BOOST_TEST((completed_by_bash({"tasks", "list", "--own"}) == std::set<std::string>{"--owner"}));
  BOOST_TEST(completed_by_bash({"queues", "list", "--own"}).empty());
  BOOST_TEST(completed_by_bash({"tasks", "list", "--owner", ""}).empty());
}

BOOST_AUTO_TEST_CASE(completion_of_the_other_shells_names_each_command_and_its_flags) {
  for (const auto* shell : {"zsh", "fish"}) {
    const auto end = holdfast_with({"completion", shell});
    BOOST_TEST(end.code == 0);
    for (const auto* word : {"enqueue", "dead-letters", "unique-key"})
      BOOST_TEST(contains(end.out, word), shell);
  }
  BOOST_TEST(holdfast_with({"completion", "cmd"}).code == 2);
}

BOOST_AUTO_TEST_CASE(manual_pages_are_written_for_the_program_and_each_command) {
  const auto directory = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(directory);
  BOOST_TEST(holdfast_with({"man", "--out", directory->path().string()}).code == 0);
  const auto text_of = [&](const char* name) {
    std::ifstream file{directory->path() / name};
    return std::string{std::istreambuf_iterator<char>{file}, {}};
  };
  BOOST_TEST(contains(text_of("holdfast.1"), ".SH EXIT STATUS"));
  BOOST_TEST(contains(text_of("holdfast.1"), "holdfast\\-tasks"));
  BOOST_TEST(contains(text_of("holdfast-tasks.1"), ".SS enqueue"));
  BOOST_TEST(contains(text_of("holdfast-tasks.1"), "\\-\\-unique\\-key"));
  BOOST_TEST(text_of("holdfast.1") == holdfast_with({"man"}).out);
}

BOOST_AUTO_TEST_CASE(the_reference_of_commands_is_up_to_date) {
  std::ifstream file{std::filesystem::path{holdfast::test::source_dir()} / "docs" / "COMMANDS.md"};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  BOOST_TEST((text == holdfast_with({"man", "--markdown"}).out),
             "docs/COMMANDS.md is not what `holdfast man --markdown` prints");
}

BOOST_AUTO_TEST_CASE(an_address_without_a_node_is_told_in_one_sentence_within_two_seconds) {
  const silent_listener silent;
  const auto unused = holdfast::app::listenable_port("127.0.0.1", 0);
  BOOST_REQUIRE(unused);
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"127.0.0.1:" + std::to_string(*unused), "Connection refused"},
      {"127.0.0.1:" + silent.port, "does not greet as a node does"},
  };
  for (const auto& [node, told] : wrong)
    for (const std::string command : {"tasks list", "status"}) {
      auto words = words_in(command);
      words.insert(words.end(), {"--node", node});
      const auto begin = std::chrono::steady_clock::now();
      const auto end = holdfast_with(words);
      const auto took = std::chrono::steady_clock::now() - begin;
      BOOST_TEST(end.code == 9, node);
      BOOST_TEST(contains(end.err, told), end.err);
      BOOST_TEST(std::count(end.err.begin(), end.err.end(), '\n') == 1, end.err);
      // Two seconds, and as long again for a machine that is busy with other tests.
      BOOST_TEST((took < 4s), node);
    }
}

BOOST_AUTO_TEST_CASE(a_node_file_that_cannot_be_read_is_no_reason_to_guess_the_port) {
  const auto directory = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(directory);
  std::ofstream{directory->path() / "node.json"} << "{";
  for (const auto* command : {"status", "verify"}) {
    const auto end = holdfast_with({command, "--data-dir", directory->path().string()});
    BOOST_TEST(end.code == 3);
    BOOST_TEST(contains(end.err, "node.json"), end.err);
  }
}

BOOST_AUTO_TEST_CASE(doctor_tells_what_is_wrong_and_what_to_do_next) {
  const auto directory = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(directory);
  const auto place = directory->path().string();
  const auto examined = [&](std::vector<std::string> words, int code) {
    words.insert(words.begin(), {"doctor", "--json", "--data-dir", place});
    const auto end = holdfast_with(words);
    BOOST_TEST(end.code == code, end.out + end.err);
    return nlohmann::json::parse(end.out).at("findings");
  };
  const auto about = [](const nlohmann::json& findings, const char* subject) {
    for (const auto& one : findings)
      if (one.at("subject") == subject)
        return one;
    return nlohmann::json{};
  };
  const silent_listener silent;
  const auto held = examined({"--port", silent.port}, 1);
  const auto port = about(held, "port");
  BOOST_TEST(port.at("verdict") == "failed");
  BOOST_TEST(contains(port.at("finding").get<std::string>(),
                      "(process " + std::to_string(::getpid()) + ")"));
  BOOST_TEST(contains(port.at("advice").get<std::string>(), "node.port"));
  const auto away = examined({"--port", "0", "--database-url", "postgresql://127.0.0.1:9/none"}, 1);
  BOOST_TEST(about(away, "database").at("verdict") == "failed");
  const auto wrong = examined({"--set", "node.prot=1"}, 1);
  BOOST_TEST(about(wrong, "settings").at("verdict") == "failed");
  std::filesystem::permissions(directory->path(), std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  BOOST_TEST(about(examined({"--port", "0"}, 1), "data directory").at("verdict") == "failed");
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
  BOOST_TEST(count == 22U); // 17 events, their AsyncAPI document, 4 kinds of definitions
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
