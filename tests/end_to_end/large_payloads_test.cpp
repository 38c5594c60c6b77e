// Documents that are too large for a row, on a real node with files, which is killed while it
// stores them.

#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "core/uuid.hpp"
#include "tests/end_to_end/running_node.hpp"
#include "tests/support/program.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>

#include <chrono>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <thread>
#include <vector>

namespace client = holdfast::client;
namespace core = holdfast::core;
namespace msg = holdfast::msg;
namespace test = holdfast::test;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

struct node_with_scans : test::running_node {
  node_with_scans() {
    connect();
    ask<msg::queue_view>(msg::put_queue{"scans", "{}"});
  }

  /// A new connection, which knows nothing of requests that were made over the last one.
  void connect() {
    node.reset();
    node.emplace(system, client::endpoint{"127.0.0.1", process->port()}, client::retry_policy{}, 1);
  }

  template <class Answer, class Request>
  Answer ask(const Request& request) {
    auto answer = node->ask<Answer>(request);
    BOOST_REQUIRE_MESSAGE(answer, (answer ? std::string{} : answer.error().detail));
    return *answer;
  }

  /// A document of 100 kB, for each number another one.
  static std::string scan(int number) {
    return R"({"scan":)" + std::to_string(number) + R"(,"pixels":")" + std::string(100'000, '.')
           + "\"}";
  }

  msg::task_request request(int number) {
    msg::task_request r;
    r.task.value =
        ids.next(std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now()));
    r.type = "read";
    r.body = scan(number);
    bodies[r.task] = r.body;
    return r;
  }

  std::vector<msg::leased_task> claim(std::uint32_t most, core::duration wait = 10s) {
    msg::claim_tasks c;
    c.queue = "scans";
    c.worker = "worker";
    c.claim.value = ids.next(core::from_micros(1'700'000'000'000'000));
    c.most = most;
    c.wait = wait;
    return ask<msg::leased_tasks>(c).tasks;
  }

  fs::path objects() const { return fs::path{place()} / "objects"; }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator{objects()})
      if (entry.is_regular_file() && entry.path().parent_path().filename() != "new")
        found.push_back(entry.path());
    return found;
  }

  test::program_end verify() const {
    return test::run_program(HOLDFAST_BINARY, {"verify", "--data-dir", place()}, 60s);
  }

  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  std::optional<client::connection> node;
  core::uuid_source ids{7};
  std::map<core::task_id, std::string> bodies;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(large_payloads, node_with_scans)

// I-12, I-13
BOOST_AUTO_TEST_CASE(they_survive_a_kill_and_a_lost_file_harms_its_own_task_only) {
  constexpr int tasks = 60;
  std::vector<msg::enqueue_tasks> batches;
  for (int number = 0; number < tasks; number += 3)
    batches.push_back({"scans", {request(number), request(number + 1), request(number + 2)}});
  // What was not answered before the node was killed is asked again, with the same ids.
  std::vector<bool> answered(batches.size(), false);
  const auto make_all = [&](std::size_t until) {
    for (std::size_t i = 0; i < until; ++i)
      if (!answered[i]) {
        for (const auto& outcome : ask<msg::task_outcomes>(batches[i]).outcomes)
          BOOST_TEST((outcome.refusal == core::errc::none));
        answered[i] = true;
      }
  };
  make_all(batches.size() / 2);
  {
    // The rest is under way while the node dies; whatever came of it, nobody was told.
    std::vector<std::future<void>> under_way;
    for (auto i = batches.size() / 2; i < batches.size(); ++i)
      under_way.push_back(
          std::async(std::launch::async, [&, i] { node->ask<msg::task_outcomes>(batches[i]); }));
    const auto before = files().size();
    const auto patience = std::chrono::steady_clock::now() + 20s;
    while (files().size() == before && std::chrono::steady_clock::now() < patience)
      std::this_thread::yield(); // until one of them is at the store
    process->kill();
    BOOST_REQUIRE(process->ended_within(10s));
    node->close();
    for (auto& each : under_way)
      each.wait();
  }
  start();
  connect();
  BOOST_TEST(verify().code == 0);
  make_all(batches.size());
  {
    pqxx::connection database{conninfo()};
    pqxx::nontransaction tx{database};
    const auto inline_bytes =
        tx.exec("SELECT max(octet_length(body)), count(*) FROM holdfast.tasks")[0];
    BOOST_TEST(inline_bytes[0].as<int>() < 150);
    BOOST_TEST(inline_bytes[1].as<int>() == tasks);
  }

  // One file is lost, one damaged.
  const auto stored = files();
  BOOST_REQUIRE(stored.size() >= static_cast<std::size_t>(tasks));
  fs::remove(stored[0]);
  fs::resize_file(stored[1], 17);
  const auto broken = verify();
  BOOST_TEST(broken.code == 1);
  BOOST_TEST(broken.out.find("FAIL I-12   references_have_their_objects") != std::string::npos,
             broken.out);
  std::size_t whole = 0;
  for (auto got = claim(50); !got.empty(); got = claim(50, 0s)) {
    msg::complete_tasks done{"scans", "worker", {}};
    for (const auto& task : got) {
      BOOST_TEST((task.body == bodies.at(task.task)));
      done.tasks.push_back({{task.task, task.token}, task.body});
    }
    for (const auto& outcome : ask<msg::task_outcomes>(done).outcomes)
      BOOST_TEST((outcome.refusal == core::errc::none));
    whole += got.size();
  }
  BOOST_TEST(whole == static_cast<std::size_t>(tasks - 2));
  pqxx::connection database{conninfo()};
  pqxx::nontransaction tx{database};
  const auto failed = tx.exec("SELECT string_agg(error_code, ' ' ORDER BY error_code)"
                              " FROM report.tasks WHERE workflow_status = 'FAILURE'");
  BOOST_TEST(failed[0][0].c_str() == "PAYLOAD_DAMAGED PAYLOAD_MISSING");
}

BOOST_AUTO_TEST_SUITE_END()
