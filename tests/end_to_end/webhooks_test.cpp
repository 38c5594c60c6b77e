// Webhooks of real nodes: whatever dies and whatever is refused, a receiver gets every event, under
// the same place each time, signed.

#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "connectors/webhook_signature.hpp"
#include "link/authority.hpp"
#include "tests/end_to_end/running_node.hpp"
#include "tests/end_to_end/simple_job.hpp"
#include "tests/support/event_schemas.hpp"
#include "tests/support/http_receiver.hpp"
#include "tests/support/program.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <pqxx/pqxx>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace app = holdfast::app;
namespace client = holdfast::client;
namespace connectors = holdfast::connectors;
namespace core = holdfast::core;
namespace link_of = holdfast::link;
namespace msg = holdfast::msg;
namespace test = holdfast::test;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

const std::string key_text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// Events by their places.
using history = std::map<std::pair<int, int>, json>;

/// A node that may post to this machine, with a secret; the fixture of one case.
struct posting_node : test::simple_job<posting_node> {
  explicit posting_node(std::vector<std::string> more = {}) {
    auto made = app::demo::scratch_directory::make();
    BOOST_REQUIRE(made);
    directory.emplace(std::move(*made));
    std::filesystem::create_directory(directory->path() / "secrets");
    const auto secret = (directory->path() / "secrets" / "billing").string();
    std::ofstream{secret} << key_text << '\n';
    BOOST_REQUIRE(::chmod(secret.c_str(), 0600) == 0);
    open(std::move(more));
  }

  /// Starts a node on what the one before has left.
  void open(std::vector<std::string> more) {
    node.reset();
    process.reset();
    more.insert(more.begin(), {"--set", "webhooks.allowed_networks=127.0.0.0/8", "--set",
                               "webhooks.look_interval=100ms"});
    process.emplace(HOLDFAST_BINARY, directory->path(), std::move(more));
    start();
    node.emplace(system, client::endpoint{"127.0.0.1", process->port()}, client::retry_policy{}, 1);
  }
  void start() {
    const auto started = process->start(60s);
    BOOST_REQUIRE_MESSAGE(started, process->log_tail());
  }

  const client::connection& connection() const { return *node; }
  test::program_end webhooks(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "webhooks");
    arguments.insert(arguments.end(), {"--data-dir", directory->path().string()});
    return test::run_program(HOLDFAST_BINARY, arguments, 60s);
  }
  void put(const test::http_receiver& receiver) {
    const auto file = (directory->path() / "webhook.json").string();
    std::ofstream{file} << json{
        {"url", receiver.url("/hooks")},
        {"secret", "billing"},
        {"start", "oldest"},
        {"timeout_seconds", 1},
        {"retry", {{"least_seconds", 0.05}, {"most_seconds", 0.2}, {"max_attempts", 1000}}},
        {"batch", {{"events", 3}}}};
    const auto end = webhooks({"put", "billing", "--file", file});
    BOOST_TEST(end.code == 0, end.err);
    BOOST_TEST(end.out == "billing is at revision 1\n");
  }
  json listed() const {
    const auto end = webhooks({"list", "--json"});
    BOOST_REQUIRE_MESSAGE(end.code == 0, end.err);
    return json::parse(end.out).at("webhooks").at(0);
  }
  /// What the database says happened.
  history outbox() const {
    const auto running = app::read_node_file(directory->path());
    BOOST_REQUIRE(running);
    pqxx::connection database{running->database};
    pqxx::work tx{database};
    history all;
    for (const auto& row : tx.exec("SELECT shard_id, seq, payload FROM report.outbox"))
      all[{row[0].as<int>(), row[1].as<int>()}] = json::parse(row[2].as<std::string>());
    return all;
  }

  std::optional<app::demo::scratch_directory> directory;
  std::optional<app::demo::node_process> process;
  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  std::optional<client::connection> node;
};

/// What requests have brought; whatever is posted again is what it was before.
history content_of(const std::vector<test::http_request>& requests) {
  history got;
  std::map<std::string, std::string> bodies; // by the id of the message
  for (const auto& request : requests) {
    const auto body = json::parse(request.body);
    BOOST_TEST(body.at("webhook") == "billing");
    const auto id = request.header("webhook-id");
    const auto known = bodies.emplace(id, request.body);
    BOOST_TEST(known.first->second == request.body, "another message under " << id);
    for (const auto& e : body.at("events")) {
      const std::pair place{e.at("shard").get<int>(), e.at("seq").get<int>()};
      BOOST_TEST(test::deviation_from_schema(e.at("event").dump()) == "");
      const auto before = got.emplace(place, e.at("event"));
      BOOST_TEST((before.first->second == e.at("event")));
    }
  }
  return got;
}

/// Whether it is signed with the secret, now.
bool is_genuine(const test::http_request& request) {
  const auto sent = request.header("webhook-timestamp");
  const auto keys = connectors::parse_secret(key_text);
  BOOST_REQUIRE(keys);
  return std::abs(std::stoll(sent) - std::time(nullptr)) < 300
         && request.header("webhook-signature")
                == connectors::signature_of(*keys, request.header("webhook-id"), std::stoll(sent),
                                            request.body);
}

/// The places in a request, in its order.
std::vector<std::pair<int, int>> places_of(const test::http_request& request) {
  const auto body = json::parse(request.body);
  std::vector<std::pair<int, int>> places;
  for (const auto& e : body.at("events"))
    places.emplace_back(e.at("shard").get<int>(), e.at("seq").get<int>());
  return places;
}

std::size_t places_in(const std::vector<test::http_request>& requests) {
  std::set<std::pair<int, int>> places;
  for (const auto& request : requests)
    for (const auto& place : places_of(request))
      places.insert(place);
  return places.size();
}

/// Until so many events have come, once or more often.
bool has_all(const test::http_receiver& receiver, std::size_t events) {
  return receiver.received([=](const auto& requests) { return places_in(requests) >= events; });
}

} // namespace

BOOST_AUTO_TEST_SUITE(webhooks) // A159, A176

// The first answers are lost, so that the node is killed in the middle of posting, and then every
// third time.
BOOST_AUTO_TEST_CASE(a_node_may_be_killed_while_it_delivers) {
  std::atomic<int> posts{0};
  std::atomic<int> forged{0};
  test::http_receiver receiver{[&](const test::http_request& request) -> test::http_reply {
    forged += is_genuine(request) ? 0 : 1;
    const auto n = ++posts;
    if (n <= 1 || n % 3 == 0)
      return {"", false, true}; // taken, but never answered
    return n % 5 == 0 ? test::reply_with(503) : test::reply_with(204);
  }};
  posting_node a;
  const auto step = a.given_step();
  a.feed(step, 0, 5);
  a.put(receiver);
  BOOST_REQUIRE(receiver.has_received(1));
  for (int life = 0; life < 3; ++life) {
    a.process->kill();
    a.start();
    a.work(step, 2);
    a.feed(step, 5 + life, 1);
    BOOST_REQUIRE(receiver.has_received(static_cast<std::size_t>(posts) + 1));
  }
  a.work(step, 2);
  // The step; each unit; of eight the judgment and the result.
  constexpr std::size_t events = 1 + 8 + 8 + 8;
  BOOST_TEST(has_all(receiver, events));
  const auto requests = receiver.requests();
  BOOST_TEST((content_of(requests) == a.outbox()));
  BOOST_TEST(forged == 0);
  BOOST_TEST(requests.size() > (events + 2) / 3); // some came twice
  // In the order of their shard, but for what is repeated.
  std::map<int, int> newest;
  for (const auto& request : requests)
    for (const auto& [shard, seq] : places_of(request)) {
      auto& last = newest[shard];
      BOOST_TEST(seq <= last + 1);
      last = std::max(last, seq);
    }
  const auto verified = test::run_program(
      HOLDFAST_BINARY, {"verify", "--data-dir", a.directory->path().string()}, 60s);
  BOOST_TEST(verified.code == 0, verified.out);
}

BOOST_AUTO_TEST_CASE(nothing_is_posted_to_whoever_has_no_good_certificate) {
  auto authority = app::demo::scratch_directory::make();
  BOOST_REQUIRE(authority);
  const auto made = authority->path().string();
  const auto now = std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
  BOOST_REQUIRE(link_of::make_authority(made, "Receivers", 30, now));
  link_of::certificate_request wanted;
  wanted.directory = made;
  wanted.name = "receiver";
  wanted.kind = link_of::holder::node;
  wanted.hosts = {"127.0.0.1"};
  BOOST_REQUIRE(link_of::issue_certificate(wanted, now));
  test::http_receiver receiver{[](const test::http_request&) { return test::reply_with(200); },
                               {made + "/receiver.crt", made + "/receiver.key"}};

  // given: the system's authorities do not know this one
  posting_node a;
  a.feed(a.given_step(), 0, 2);
  a.put(receiver);
  const auto patience = std::chrono::steady_clock::now() + 60s;
  while (receiver.connections() < 3 && std::chrono::steady_clock::now() < patience)
    a.listed();
  BOOST_TEST(receiver.connections() >= 3U); // it tries again and again
  BOOST_TEST(receiver.requests().empty());
  BOOST_TEST(a.listed().at("state") == "active");

  // when: the operator names it
  a.process->kill();
  a.open({"--set", "webhooks.ca_file=" + made + "/ca.crt"});

  // then: nothing was lost meanwhile
  BOOST_TEST(has_all(receiver, 3));
  BOOST_TEST((content_of(receiver.requests()) == a.outbox()));
}

BOOST_AUTO_TEST_CASE(webhooks_are_seen_and_changed_on_the_command_line) {
  std::atomic<int> status{422};
  test::http_receiver receiver{[&](const test::http_request&) { return test::reply_with(status); }};
  posting_node a;
  BOOST_TEST(a.webhooks({"list"}).out == "no webhooks\n");
  a.feed(a.given_step(), 0, 2);
  a.put(receiver);
  BOOST_TEST(receiver.received(
      [](const auto& requests) { return places_in(requests) == 3 && requests.size() >= 4; }));
  const auto patience = std::chrono::steady_clock::now() + 60s;
  std::string letters;
  while (std::count(letters.begin(), letters.end(), '\n') < 3
         && std::chrono::steady_clock::now() < patience)
    letters = a.webhooks({"dead-letters", "billing"}).out;
  const auto first = json::parse(letters.substr(0, letters.find('\n')));
  BOOST_TEST(first.at("status") == 422);
  BOOST_TEST(first.at("reason") == "the receiver answered HTTP 422");
  BOOST_TEST((a.outbox().at({first.at("shard").get<int>(), 1}) == first.at("event")));
  const auto shard = std::to_string(first.at("shard").get<int>());
  BOOST_TEST(a.webhooks({"list"}).out.find("3 dead letters") != std::string::npos);

  status = 200;
  const auto before = receiver.requests().size();
  BOOST_TEST(a.webhooks({"replay", "billing", "--shard", shard}).out
             == "3 dead letters are delivered once more\n");
  BOOST_TEST(receiver.has_received(before + 1));
  while (!a.webhooks({"dead-letters", "billing"}).out.empty()
         && std::chrono::steady_clock::now() < patience) {
  }
  BOOST_TEST(a.webhooks({"forget", "billing"}).out == "0 dead letters are forgotten\n");
  BOOST_TEST(a.webhooks({"pause", "billing"}).out == "billing is at revision 2\n");
  BOOST_TEST(a.listed().at("state") == "paused");
  BOOST_TEST(a.webhooks({"resume", "billing"}).out == "billing is at revision 3\n");
  BOOST_TEST(a.webhooks({"move", "billing", "--after", shard + "-2"}).out
             == "billing goes on behind " + shard + "-2\n");
  BOOST_TEST(receiver.has_received(before + 2));
  const auto ahead = a.webhooks({"move", "billing", "--after", shard + "-1000"});
  BOOST_TEST(ahead.code == 1);
  BOOST_TEST(ahead.err.find("at most the newest event of the shard, 3") != std::string::npos);
  BOOST_TEST(a.webhooks({"remove", "billing"}).out == "billing is removed\n");
  BOOST_TEST(a.webhooks({"pause", "billing"}).code == 1);

  BOOST_TEST(a.webhooks({"move", "billing", "--after", "7"}).code == 2);
  BOOST_TEST(a.webhooks({"put", "billing", "--file", "/nonexistent"}).code == 2);
  BOOST_TEST(a.webhooks({"put", "billing"}).code == 2);
  const auto file = (a.directory->path() / "wrong.json").string();
  std::ofstream{file} << R"({"url":"ftp://x","secret":"billing"})";
  const auto wrong = a.webhooks({"put", "billing", "--file", file});
  BOOST_TEST(wrong.code == 1);
  BOOST_TEST(wrong.err.find("/url") != std::string::npos);
}

// A177: what is put before its queue is there waits for it; then each event is one task, also when
// the node is killed in between.
BOOST_AUTO_TEST_CASE(events_become_tasks_that_workers_share) {
  posting_node a;
  const auto step = a.given_step();
  a.feed(step, 0, 3);
  const auto file = (a.directory->path() / "group.json").string();
  std::ofstream{file} << json{{"queue", "mail"},
                              {"start", "oldest"},
                              {"retry", {{"least_seconds", 0.05}, {"most_seconds", 0.2}}}};
  const auto end = a.webhooks({"put", "group", "--file", file});
  BOOST_TEST(end.code == 0, end.err);
  const auto patience = std::chrono::steady_clock::now() + 60s;
  const auto shown = [&](const std::string& text) {
    while (std::chrono::steady_clock::now() < patience)
      if (a.webhooks({"list"}).out.find(text) != std::string::npos)
        return true;
    return false;
  };
  BOOST_TEST(shown("into the queue mail"));
  BOOST_TEST(shown("not_found: no queue mail"));
  a.process->kill();
  a.start();
  a.ask(msg::put_queue{"mail", "{}"});
  const auto live = [&] { return a.ask(msg::get_queue_statistics{"mail"}).live; };
  while (live() < 4 && std::chrono::steady_clock::now() < patience) {
  }
  BOOST_TEST(live() == 4U); // the step and three units
  BOOST_TEST(shown("active  revision 1  into the queue mail  0 events behind  0 dead letters"));
  BOOST_TEST(a.webhooks({"list"}).out.find("waits") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
