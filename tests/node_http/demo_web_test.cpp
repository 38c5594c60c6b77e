// `holdfast demo --web`: the recorded job half done, with pages at which a person takes part.

#include "app/demo/scratch_directory.hpp"
#include "tests/node_http/http_node.hpp"
#include "tests/support/program.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using std::chrono::steady_clock;

/// For each event of the demo, on a busy machine with sanitizers.
constexpr auto event_limit = 60s;

/// The demo beside the test, and the events that it prints.
class demo_with_pages {
public:
  explicit demo_with_pages(const std::vector<std::string>& more) {
    std::vector<std::string> words{HOLDFAST_BINARY, "demo", "--web", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char*> argv;
    for (auto& word : words)
      argv.push_back(word.data());
    argv.push_back(nullptr);
    int ends[2] = {-1, -1};
    BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    output_ = ends[0];
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      ::dup2(ends[1], STDOUT_FILENO);
      ::close_range(STDERR_FILENO + 1, ~0U, 0); // sockets of CAF are not all closed on exec
      ::execv(argv.front(), argv.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    BOOST_REQUIRE(pid_ > 0);
  }
  demo_with_pages(const demo_with_pages&) = delete;
  demo_with_pages& operator=(const demo_with_pages&) = delete;
  ~demo_with_pages() {
    if (pid_ > 0)
      stop();
    ::close(output_);
  }

  /// The next event, which must be this one.
  json expect(const std::string& event) {
    const auto line = next_line();
    BOOST_REQUIRE_MESSAGE(line, "no event " + event + " in time");
    auto told = json::parse(*line);
    BOOST_REQUIRE_MESSAGE(told.at("event") == event, *line);
    return told;
  }

  /// By SIGTERM; how it ended.
  int stop() {
    ::kill(pid_, SIGTERM);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

private:
  /// Without its end; empty when none comes.
  std::optional<std::string> next_line() {
    const auto until = steady_clock::now() + event_limit;
    for (;;) {
      if (const auto end = unread_.find('\n'); end != std::string::npos) {
        auto line = unread_.substr(0, end);
        unread_.erase(0, end + 1);
        return line;
      }
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now());
      pollfd wanted{output_, POLLIN, 0};
      if (left <= 0ms || ::poll(&wanted, 1, static_cast<int>(left.count())) <= 0)
        return std::nullopt;
      char bytes[4096];
      const auto count = ::read(output_, bytes, sizeof bytes);
      if (count <= 0)
        return std::nullopt;
      unread_.append(bytes, static_cast<std::size_t>(count));
    }
  }

  pid_t pid_ = -1;
  int output_ = -1;
  std::string unread_;
};

/// Forty units that five people answered; names and pages, as in zencrowd_us.
void write_job(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  std::ofstream answers{directory / "answers.csv"};
  answers << "worker,task,label,seconds\n";
  for (int task = 0; task < 40; ++task)
    for (int worker = 0; worker < 5; ++worker)
      answers << "worker" << worker << ",name " << task << "-http://example.org/" << task << ','
              << (task + worker) % 2 << ",1\n";
  std::ofstream{directory / "form.json"} << R"({"title": "Is it so?"})";
}

std::uint16_t port_of(const std::string& address) {
  return static_cast<std::uint16_t>(
      std::stoul(address.substr(std::string{"http://127.0.0.1:"}.size())));
}

/// A client that sends as a page does, signed in by a link.
struct signed_in_page {
  explicit signed_in_page(const std::string& link) : client(port_of(link)) {
    client.set_header("X-Holdfast-CSRF", "1");
    client.set_header("Sec-Fetch-Site", "same-origin");
    const auto secret = link.substr(link.find("#link=") + 6);
    const auto answer = client.post("/v1/session", json{{"link", secret}}.dump());
    session = body_of(answer, 200);
    const auto& cookie = answer.headers.at("set-cookie");
    kept_cookie = cookie.substr(0, cookie.find(';'));
    client.set_header("Cookie", kept_cookie);
  }

  http_client client;
  json session;
  std::string kept_cookie;
};

/// One judgment in ten seconds: so slow that the counts stand still during a test.
const std::vector<std::string> nearly_still{"--pace", "0.1", "--port", "0"};

} // namespace

BOOST_AUTO_TEST_SUITE(demo_web)

BOOST_AUTO_TEST_CASE(half_of_the_job_is_done_and_a_person_labels_while_the_node_is_killed) {
  // given: the demo of a small job
  const auto scratch = app::demo::scratch_directory::make();
  BOOST_REQUIRE(scratch);
  const auto data = scratch->path() / "small";
  write_job(data);
  auto arguments = nearly_still;
  arguments.insert(arguments.end(), {"--data", data.string()});
  demo_with_pages demo{arguments};

  // then: half of it is done
  const auto ready = demo.expect("ready");
  BOOST_TEST(ready.at("units") == 40);
  BOOST_TEST(ready.at("judgments") == 200);
  const auto done = ready.at("judgments_done").get<int>();
  BOOST_TEST(done >= 100);
  BOOST_TEST(done <= 110); // those that were on their way
  const auto units_done = ready.at("units_done").get<int>();
  BOOST_TEST(units_done < 40);

  // and: both links sign in
  const std::string step = [&] {
    const auto label = ready.at("label").get<std::string>();
    return label.substr(label.find("#/steps/") + 8);
  }();
  signed_in_page console{ready.at("console").get<std::string>()};
  BOOST_TEST(console.session.at("role") == "admin");
  signed_in_page label{ready.at("label_as_contributor").get<std::string>()};
  BOOST_TEST(label.session.at("role") == "contributor");
  const auto me = label.session.at("contributor").get<std::string>();

  // when: a person takes a unit
  const auto unit =
      body_of(label.client.post("/v1/assignments?wait=20",
                                json{{"step_id", step}, {"contributor_id", me}}.dump()),
              200);

  // then: it has all that a form needs
  BOOST_TEST(unit.at("input").at("page").get<std::string>().rfind("http://example.org/", 0) == 0U);
  const auto form = json::parse(unit.at("ui").get<std::string>());
  BOOST_TEST(form.at("schema").at("properties").at("answer").at("enum") == json({"0", "1"}));

  // when: the node is killed before the answer is there
  ::kill(ready.at("node_pid").get<pid_t>(), SIGKILL);
  BOOST_TEST(demo.expect("node_ended").at("exit_code") == 128 + SIGKILL);
  const auto started = demo.expect("node_started");
  BOOST_TEST(started.at("node_pid") != ready.at("node_pid"));

  // then: the same port takes the answer from the same session, and the counts go on
  http_client again{port_of(ready.at("console").get<std::string>())};
  again.set_header("X-Holdfast-CSRF", "1");
  again.set_header("Sec-Fetch-Site", "same-origin");
  again.set_header("Cookie", label.kept_cookie);
  const auto accepted = again.post("/v1/judgments", json{{"step_id", step},
                                                         {"unit_id", unit.at("unit_id")},
                                                         {"contributor_id", me},
                                                         {"token", unit.at("token")},
                                                         {"data", {{"answer", "1"}}}}
                                                        .dump());
  BOOST_TEST(accepted.status == 202U, accepted.body);
  again.set_header("Cookie", console.kept_cookie);
  const auto after = body_of(again.get("/v1/job-steps/" + step), 200);
  BOOST_TEST(after.at("total_units") == 40);
  BOOST_TEST(after.at("completed_units").get<int>() >= units_done);
  BOOST_TEST(after.at("completed_units").get<int>() < 40);

  // when: it is told to stop
  const auto place = ready.at("data_dir").get<std::string>();
  BOOST_TEST(std::filesystem::exists(place));
  BOOST_TEST(demo.stop() == 0);

  // then: nothing is left
  BOOST_TEST(!std::filesystem::exists(place));
}

BOOST_AUTO_TEST_CASE(taken_port_is_told_before_anything_starts) {
  http_node other;
  const auto end =
      run_program(HOLDFAST_BINARY, {"demo", "--web", "--port", std::to_string(other.port())}, 60s);
  BOOST_TEST(end.code == 7);
  BOOST_TEST(contains(end.err, "port " + std::to_string(other.port()) + " is taken"));
  BOOST_TEST(contains(end.err, "--port"));
}

BOOST_AUTO_TEST_CASE(options_of_the_other_demo_are_refused) {
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"demo", "--port", "0"},
                                                {"demo", "--pace", "1"},
                                                {"demo", "--web", "--kills", "1"},
                                                {"demo", "--web", "--plot", "x.svg"},
                                                {"demo", "--web", "--pace", "0.09"},
                                                {"demo", "--web", "--pace", "1000.5"}}) {
    const auto end = run_program(HOLDFAST_BINARY, wrong, 60s);
    BOOST_TEST(end.code == 2, wrong.back());
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
