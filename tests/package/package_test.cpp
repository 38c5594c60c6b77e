// The package as its users get it: installed from this build, found by a project outside of it, and
// that project's programs at work with the installed node.

#include "app/listen_port.hpp"
#include "tests/end_to_end/producer.hpp"
#include "tests/end_to_end/running_node.hpp"
#include "tests/node_link/secure_node.hpp"
#include "tests/support/child_program.hpp"
#include "tests/support/program.hpp"
#include "tests/support/source_dir.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace app = holdfast::app;
namespace core = holdfast::core;
namespace msg = holdfast::msg;
namespace test = holdfast::test;
using namespace std::chrono_literals;
using test::running_node;

namespace {

namespace fs = std::filesystem;

const fs::path package_dir = HOLDFAST_PACKAGE_DIR;
const fs::path prefix = package_dir / "prefix";
const fs::path peer_build = package_dir / "peer";
const std::string worker = peer_build / "worker";
const std::string requester = peer_build / "requester";
const std::string contributor = peer_build / "contributor";

void cmake(const std::vector<std::string>& arguments) {
  const auto end = test::run_program(HOLDFAST_CMAKE, arguments, 300s);
  BOOST_REQUIRE_MESSAGE(end.code == 0, end.out + end.err);
}

/// Nothing of an earlier run is left in the place of what is tried.
struct installed_package {
  installed_package() {
    fs::remove_all(package_dir);
    cmake({"--install", HOLDFAST_BUILD_DIR, "--prefix", prefix});
    const auto example = fs::path{holdfast::test::source_dir()} / "examples" / "peer";
    const auto as_ours = fs::path{HOLDFAST_BUILD_DIR} / "peer_build.cmake";
    cmake({"-G", HOLDFAST_GENERATOR, "-C", as_ours, "-S", example, "-B", peer_build});
    cmake({"--build", peer_build, "--parallel", "2"});
  }
};

std::string text_of(const fs::path& path) {
  std::ifstream file{path};
  BOOST_REQUIRE_MESSAGE(file, "cannot read " << path);
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// The files below the prefix with this ending, by their paths from `root`.
std::set<std::string> installed(const fs::path& root, const std::string& extension) {
  std::set<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator{root})
    if (entry.is_regular_file() && entry.path().extension() == extension)
      found.insert(entry.path().lexically_relative(root).generic_string());
  return found;
}

/// A node, and before it an address at which nobody is: peers go on to the next.
std::string nodes(std::uint16_t port) {
  const auto nobody = app::listenable_port("127.0.0.1", 0);
  BOOST_REQUIRE(nobody);
  return "127.0.0.1:" + std::to_string(*nobody) + ",127.0.0.1:" + std::to_string(port);
}

/// What the requester is given: each task with an id of its own.
std::string tasks_file(const std::string& name, const std::vector<std::string>& lines) {
  const auto path = package_dir / name;
  std::ofstream file{path};
  for (const auto& line : lines)
    file << line << '\n';
  return path;
}

/// The id of a task, by its number.
std::string id(int number) {
  return "018f2c5e-7c1a-7000-8000-00000000000" + std::to_string(number);
}

/// On loopback; there, too, nothing is plain.
struct guarded_node : test::secure_node {
  guarded_node() : secure_node("127.0.0.1") {}
};

} // namespace

BOOST_AUTO_TEST_SUITE(package, *boost::unit_test::fixture<installed_package>())

BOOST_AUTO_TEST_CASE(installed_headers_need_no_others_of_ours) {
  const auto root = prefix / "include" / "holdfast";
  const auto headers = installed(root, ".hpp");
  BOOST_TEST(headers.count("client/worker.hpp") == 1U);
  BOOST_TEST(headers.count("client/contributor_session.hpp") == 1U);
  const std::string own_include = "#include \"";
  for (const auto& header : headers) {
    std::istringstream lines{text_of(root / header)};
    for (std::string line; std::getline(lines, line);)
      if (line.rfind(own_include, 0) == 0) {
        const auto name = line.substr(own_include.size(), line.rfind('"') - own_include.size());
        BOOST_TEST(headers.count(name) == 1U, header << " includes " << name);
      }
  }
}

BOOST_AUTO_TEST_CASE(package_names_neither_our_folders_nor_our_flags) {
  const auto files = installed(prefix, ".cmake");
  BOOST_TEST(files.size() >= 4U);
  const std::vector<std::string> all_ours{holdfast::test::source_dir(),
                                          HOLDFAST_BUILD_DIR,
                                          "-Werror",
                                          "-Wall",
                                          "-fsanitize",
                                          "holdfast_options"};
  for (const auto& file : files) {
    const auto text = text_of(prefix / file);
    for (const auto& ours : all_ours)
      BOOST_TEST(text.find(ours) == std::string::npos, file << " has " << ours);
  }
}

BOOST_AUTO_TEST_CASE(installed_program_has_its_debug_symbols_in_a_file_beside_it) {
  // Installed again, it keeps them.
  cmake({"--install", HOLDFAST_BUILD_DIR, "--prefix", prefix});
  const std::string program = prefix / "bin" / "holdfast";
  const auto sections = [](const std::string& file) {
    const auto read = test::run_program("/usr/bin/readelf", {"--sections", "--wide", file}, 60s);
    BOOST_REQUIRE_MESSAGE(read.code == 0, read.err);
    return read.out;
  };
  const auto kept = sections(program);
  BOOST_TEST(kept.find(".symtab") == std::string::npos, kept);
  BOOST_TEST(kept.find(".debug_info") == std::string::npos, kept);
  BOOST_TEST(kept.find(".gnu_debuglink") != std::string::npos, kept);
  const auto apart = sections(program + ".debug");
  BOOST_TEST(apart.find(".symtab") != std::string::npos, apart);
}

// The data is that of the installation, not that of the folder in which the program was built.
BOOST_AUTO_TEST_CASE(installed_demo_reads_the_data_installed_with_it) {
  const auto data = prefix / "share" / "holdfast" / "data";
  BOOST_TEST(fs::is_regular_file(data / "zencrowd_us" / "answers.csv"));
  const auto answers = data / "cf_amt" / "answers.csv";
  BOOST_REQUIRE(fs::is_regular_file(answers));
  fs::remove(answers);
  const auto end = test::run_program(HOLDFAST_BINARY, {"demo"}, 60s);
  BOOST_TEST(end.code != 0);
  BOOST_TEST(end.err.find("share/holdfast/data/cf_amt") != std::string::npos, end.err);
}

// C47: what the loader looks for is in the image, or in every image
BOOST_AUTO_TEST_CASE(container_of_the_worker_has_the_libraries_it_needs) {
  const auto image =
      text_of(fs::path{test::source_dir()} / "examples" / "peer" / "Dockerfile.worker");
  // Of the base image; and sanitizers, which only our tests are built with.
  const std::set<std::string> everywhere{"libc6",    "libgcc-s1", "libstdc++6",
                                         "libasan8", "libubsan1", "liblsan0"};
  const auto needed = test::run_program("/usr/bin/ldd", {worker}, 60s);
  BOOST_REQUIRE_MESSAGE(needed.code == 0, needed.err);
  std::istringstream lines{needed.out};
  std::size_t libraries = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string library;
    std::string arrow;
    if (!(words >> library >> arrow) || arrow != "=>")
      continue; // the loader itself, and what the kernel brings
    const auto owner =
        test::run_program("/usr/bin/dpkg-query", {"-S", "*-linux-gnu/" + library}, 60s);
    BOOST_REQUIRE_MESSAGE(owner.code == 0, library + ": " + owner.err);
    const auto package = owner.out.substr(0, owner.out.find(':'));
    ++libraries;
    BOOST_TEST((everywhere.count(package) != 0 || image.find(package) != std::string::npos),
               library << " is of " << package);
  }
  BOOST_TEST(libraries >= 4U);
}

BOOST_AUTO_TEST_SUITE(with_a_node, *boost::unit_test::fixture<running_node>())

// C4, C11, C42, C48, A108: a requester and a worker, neither of which knows our tree.
BOOST_AUTO_TEST_CASE(peers_built_against_it_do_the_tasks_of_a_file_once) {
  const auto port = running_node::current().process->port();
  const auto at = nodes(port);
  const auto tasks = tasks_file("tasks", {id(1) + R"( {"image": 1})", id(2) + R"( {"image": 2})"});
  const std::string done = id(1) + R"( COMPLETED {"resized": {"image": 1}})" + '\n' + id(2)
                           + R"( COMPLETED {"resized": {"image": 2}})" + '\n';
  test::child_program working{worker, {at}};

  const auto first = test::run_program(requester, {at, tasks}, 60s);
  BOOST_TEST(first.code == 0, first.err);
  BOOST_TEST(first.out == done);

  // when: the same file again
  const auto again = test::run_program(requester, {at, tasks}, 60s);
  BOOST_TEST(again.code == 0, again.err);
  BOOST_TEST(again.out == done);
  test::producer me{port};
  BOOST_TEST(me.ask<msg::queue_statistics>(msg::get_queue_statistics{"images"}).completed == 2U);

  // when: a task cannot be done
  const auto bad = test::run_program(requester, {at, tasks_file("bad", {id(3) + " {}"})}, 60s);
  BOOST_TEST(bad.code == 1);
  BOOST_TEST(bad.out == id(3) + " FAILURE NO_IMAGE\n");

  working.signal(SIGTERM);
  BOOST_TEST(working.ended_within(30s).value_or(-1) == 0);
  const auto verified = test::run_program(
      HOLDFAST_BINARY, {"verify", "--data-dir", running_node::current().place()}, 60s);
  BOOST_TEST(verified.code == 0, verified.out);
}

// A108: a contributor's session of the installed library judges what there is, once
BOOST_AUTO_TEST_CASE(contributor_built_against_it_judges_the_units_on_offer) {
  const auto port = running_node::current().process->port();
  test::producer me{port};
  const auto made = me.ask<msg::workflow_created>(msg::create_workflow{
      {me.ids.next(me.now())},
      R"({"name": "greetings", "steps": [{"key": "reply", "judgments_per_unit": 1}]})"});
  const auto step = made.steps.front().step;
  me.ask<msg::source_data_added>(
      msg::add_source_data{step, {{"1", R"({"say": "hello"})", 0}, {"2", R"({"say": "bye"})", 0}}});
  me.ask<msg::step_view>(msg::seal_step{step});

  // The index of steps follows the events: the first runs may find none.
  std::string out;
  for (int tries = 10; tries > 0 && out.empty(); --tries) {
    const auto end = test::run_program(contributor, {nodes(port), "ana"}, 60s);
    BOOST_REQUIRE_MESSAGE(end.code == 0, end.err);
    out = end.out;
  }
  BOOST_TEST(out.find(R"(reply {"say":"hello"} accepted)") != std::string::npos, out);
  BOOST_TEST(out.find(R"(reply {"say":"bye"} accepted)") != std::string::npos, out);
  const auto counts = me.ask<msg::step_statistics>(msg::get_step_statistics{step});
  BOOST_TEST(counts.judgments == 2U);
  const auto again = test::run_program(contributor, {nodes(port), "ben"}, 60s);
  BOOST_TEST(again.code == 0, again.err);
  BOOST_TEST(again.out.empty(), again.out);
}

BOOST_AUTO_TEST_CASE(requester_says_what_is_wrong) {
  const auto at = nodes(running_node::current().process->port());
  const auto ended = [&](const std::string& where, const std::string& tasks) {
    return test::run_program(requester, {where, tasks}, 60s);
  };
  const auto no_node = ended("nowhere", tasks_file("none", {}));
  BOOST_TEST(no_node.code == 2);
  BOOST_TEST(no_node.err.find("'nowhere' is not host:port") != std::string::npos, no_node.err);
  const auto no_file = ended(at, package_dir / "absent");
  BOOST_TEST(no_file.code == 1);
  BOOST_TEST(no_file.err.find("cannot read") != std::string::npos, no_file.err);
  const auto no_id = ended(at, tasks_file("no_id", {"7 {}"}));
  BOOST_TEST(no_id.code == 1);
  BOOST_TEST(no_id.err.find("does not begin with a UUID: 7 {}") != std::string::npos, no_id.err);
  const auto no_json = ended(at, tasks_file("no_json", {id(4) + " image"}));
  BOOST_TEST(no_json.code == 1);
  BOOST_TEST(no_json.err.find(id(4) + " refused: body") != std::string::npos, no_json.err);
}

BOOST_AUTO_TEST_CASE(requester_that_waits_ends_when_told_and_its_tasks_stay) {
  const auto port = running_node::current().process->port();
  test::producer me{port};
  me.make_queue("images", "{}");
  test::child_program waiting{requester, {nodes(port), tasks_file("waits", {id(5) + " {}"})}};
  const auto there =
      me.counts_when([](const msg::queue_statistics& counts) { return counts.live == 1; });
  BOOST_TEST(there.live == 1U);
  waiting.signal(SIGTERM);
  BOOST_TEST(waiting.ended_within(30s).value_or(-1) == 3);
  BOOST_TEST(me.view({*core::parse_uuid(id(5))}).status == "QUEUED");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(with_certificates, *boost::unit_test::fixture<guarded_node>())

BOOST_AUTO_TEST_CASE(peers_show_theirs_and_do_their_work) {
  const auto& node = guarded_node::current();
  const auto at = nodes(node.process->port());
  test::child_program working{
      worker, {at, node.file("carl.crt"), node.file("carl.key"), node.file("ca.crt")}};
  const auto end =
      test::run_program(requester,
                        {at, tasks_file("secret", {id(6) + R"( {"image": 6})"}),
                         node.file("ana.crt"), node.file("ana.key"), node.file("ca.crt")},
                        60s);
  BOOST_TEST(end.code == 0, end.err);
  BOOST_TEST(end.out == id(6) + R"( COMPLETED {"resized": {"image": 6}})" + '\n');
  working.signal(SIGTERM);
  BOOST_TEST(working.ended_within(30s).value_or(-1) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(has_completion_for_shells_and_manual_pages) {
  const auto share = prefix / "share";
  for (const auto& [shell, path] : {std::pair{"bash", "bash-completion/completions/holdfast"},
                                    std::pair{"zsh", "zsh/site-functions/_holdfast"},
                                    std::pair{"fish", "fish/vendor_completions.d/holdfast.fish"}})
    BOOST_TEST((text_of(share / path)
                == test::run_program(HOLDFAST_BINARY, {"completion", shell}, 60s).out),
               path);
  BOOST_TEST(fs::exists(share / "man" / "man1" / "holdfast.1"));
  BOOST_TEST(fs::exists(share / "man" / "man1" / "holdfast-tasks.1"));
}

BOOST_AUTO_TEST_SUITE_END()
