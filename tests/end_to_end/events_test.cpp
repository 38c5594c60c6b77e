// A subscriber that is killed and started again, on a node that is killed meanwhile: it gets every
// event once.

#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "tests/end_to_end/running_node.hpp"
#include "tests/end_to_end/simple_job.hpp"
#include "tests/support/child_program.hpp"
#include "tests/support/event_schemas.hpp"
#include "tests/support/program.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <optional>
#include <poll.h>
#include <pqxx/pqxx>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace client = holdfast::client;
namespace core = holdfast::core;
namespace msg = holdfast::msg;
namespace test = holdfast::test;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

/// Events by their places.
using history = std::map<std::pair<int, int>, json>;

/// Adds a line of `holdfast events`; an event that is there already is an error.
void add_line(history& to, const std::string& line) {
  const auto parsed = json::parse(line);
  const std::pair place{parsed.at("shard").get<int>(), parsed.at("seq").get<int>()};
  BOOST_TEST(test::deviation_from_schema(parsed.at("event").dump()) == "");
  BOOST_TEST(to.emplace(place, parsed.at("event")).second, "twice: " << line);
}

/// What `holdfast events` writes, read while it runs.
class subscriber {
public:
  subscriber(const std::string& pipe, const std::string& arguments)
      : program_("/bin/sh",
                 {"-c", "exec '" HOLDFAST_BINARY "' events " + arguments + " > " + pipe}),
        end_(::open(pipe.c_str(), O_RDONLY)) {}
  ~subscriber() { ::close(end_); }

  void kill() {
    program_.signal(SIGKILL);
    BOOST_REQUIRE(program_.ended_within(10s));
  }
  /// The next whole line; nothing at the end of what it wrote before it was killed.
  std::optional<std::string> line() {
    while (true) {
      if (const auto end = text_.find('\n'); end != std::string::npos) {
        auto whole = text_.substr(0, end);
        text_.erase(0, end + 1);
        return whole;
      }
      pollfd readable{end_, POLLIN, 0};
      BOOST_REQUIRE_MESSAGE(::poll(&readable, 1, 60'000) == 1, "no event within a minute");
      char part[4096];
      const auto bytes = ::read(end_, part, sizeof part);
      if (bytes <= 0)
        return std::nullopt;
      text_.append(part, static_cast<std::size_t>(bytes));
    }
  }

private:
  test::child_program program_;
  int end_;
  std::string text_;
};

struct subscribed_node : test::running_node, test::simple_job<subscribed_node> {
  subscribed_node() { BOOST_REQUIRE(::mkfifo(pipe().c_str(), 0600) == 0); }

  std::string pipe() const { return place() + "/events"; }
  std::string address() const { return "127.0.0.1:" + std::to_string(process->port()); }
  const client::connection& connection() const { return node; }

  /// What the database says happened.
  history outbox() const {
    pqxx::connection database{conninfo()};
    pqxx::work tx{database};
    history all;
    for (const auto& row : tx.exec("SELECT shard_id, seq, payload FROM report.outbox"))
      all[{row[0].as<int>(), row[1].as<int>()}] = json::parse(row[2].as<std::string>());
    return all;
  }
  /// `--after` for a subscriber that has got this.
  static std::string positions(const history& got) {
    std::map<int, int> newest;
    for (const auto& [place, event] : got)
      newest[place.first] = place.second;
    std::string text;
    for (const auto& [shard, seq] : newest)
      text += " --after " + std::to_string(shard) + '-' + std::to_string(seq);
    return text;
  }

  test::program_end events_with(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"events", "--node", address()});
    return test::run_program(HOLDFAST_BINARY, arguments, 60s);
  }
  /// Runs a subscriber that goes on from what was got, until there are so many events; kills it.
  template <class Meanwhile>
  void subscribe_until(history& got, std::size_t events, Meanwhile meanwhile) {
    subscriber program{pipe(), "--node " + address() + " --follow" + positions(got)};
    meanwhile();
    while (got.size() < events) {
      const auto line = program.line();
      BOOST_REQUIRE(line);
      add_line(got, *line);
    }
    program.kill();
    // What it had written by then was written once.
    while (const auto line = program.line())
      add_line(got, *line);
  }

  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  client::connection node{system, {"127.0.0.1", process->port()}, client::retry_policy{}, 1};
};

history lines_of(const test::program_end& end) {
  BOOST_TEST(end.code == 0, end.err);
  history all;
  std::istringstream lines{end.out};
  for (std::string line; std::getline(lines, line);)
    add_line(all, line);
  return all;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(events_for_subscribers, subscribed_node)

// A174, A175, A185, by whatever the program publishes to: nothing is missed and nothing comes
// twice, by position.
BOOST_AUTO_TEST_CASE(a_subscriber_and_a_node_may_be_killed) {
  const auto step = given_step();
  history got;
  subscribe_until(got, 6, [&] { feed(step, 0, 5); }); // the step and its units
  work(step, 2);                                      // nobody listens
  subscribe_until(got, 12, [&] {
    process->kill();
    start();
    work(step, 1);
  });
  subscribe_until(got, 15, [&] {
    feed(step, 5, 3);
    work(step, 3);
    ask(msg::seal_step{step});
  });
  work(step, 2);
  // The judgment, the result of each unit, and the end of the step.
  subscribe_until(got, 1 + 8 + 8 + 8 + 2, [] {});
  BOOST_TEST((got == outbox()));
  BOOST_TEST(got.rbegin()->second.at("type") == "JobStepUpdated");
  BOOST_TEST(got.rbegin()->second.at("details").at("status") == "Completed");
}

BOOST_AUTO_TEST_CASE(the_events_that_there_are_can_be_printed) {
  const auto step = given_step();
  feed(step, 0, 3);
  work(step, 3);
  // Results are made behind the judgments.
  history got;
  subscribe_until(got, 1 + 3 + 3 + 3, [] {});
  BOOST_TEST((lines_of(events_with({})) == outbox()));
  const auto some =
      lines_of(events_with({"--type", "UnitFinalized", "--step", core::to_string(step)}));
  BOOST_TEST(some.size() == 3U);
  for (const auto& [place, event] : some)
    BOOST_TEST(event.at("type") == "UnitFinalized");
  const auto shard = std::to_string(got.begin()->first.first);
  BOOST_TEST(lines_of(events_with({"--after", shard + "-7"})).size() == 3U);
  BOOST_TEST(events_with({"--new"}).out.empty());

  const auto ahead = events_with({"--after", shard + "-1000"});
  BOOST_TEST(ahead.code == 1);
  BOOST_TEST(ahead.err.find("ahead of the newest event 10") != std::string::npos);
  const auto nothing_there = events_with({"--after", "1000-1"});
  BOOST_TEST(nothing_there.code == 1);
  for (const auto* wrong : {"7", "-", "a-1", "1-b", "1-2-3"})
    BOOST_TEST(events_with({"--after", wrong}).code == 2, wrong);
  BOOST_TEST(events_with({"--step", "one"}).code == 2);
}

BOOST_AUTO_TEST_CASE(the_ends_of_the_tasks_of_one_queue_can_be_printed) {
  for (const auto* queue : {"mail", "orders"}) {
    ask(msg::put_queue{queue, R"({"events":["TaskCanceled"]})"});
    msg::task_request made;
    made.task = {*core::parse_uuid(queue == std::string{"mail"}
                                       ? "018f2c5e-7c1a-7000-8000-000000000001"
                                       : "018f2c5e-7c1a-7000-8000-000000000002")};
    made.type = "send";
    made.body = "{}";
    ask(msg::enqueue_tasks{queue, {made}});
    ask(msg::change_task{queue, made.task, static_cast<std::uint8_t>(core::task_verb::cancel)});
  }
  BOOST_TEST(lines_of(events_with({})).size() == 2U);
  const auto of_mail = lines_of(events_with({"--queue", "mail"}));
  BOOST_REQUIRE(of_mail.size() == 1U);
  const auto& event = of_mail.begin()->second;
  BOOST_TEST(event.at("type") == "TaskCanceled");
  BOOST_TEST(event.at("queue") == "mail");
  BOOST_TEST(event.at("task_id") == "018f2c5e-7c1a-7000-8000-000000000001");
  BOOST_TEST(lines_of(events_with({"--queue", "letters"})).empty());
  BOOST_TEST(events_with({"--queue", "Mail"}).code == 2);
}

BOOST_AUTO_TEST_SUITE_END()
