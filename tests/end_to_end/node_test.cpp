#include "app/data_dir.hpp"
#include "app/exit_codes.hpp"
#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "tests/end_to_end/holdfast_with.hpp"
#include "tests/end_to_end/running_node.hpp"
#include "tests/support/program.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>
#include <nlohmann/json.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using holdfast::test::holdfast_with;

namespace app = holdfast::app;
namespace client = holdfast::client;
namespace core = holdfast::core;
namespace msg = holdfast::msg;
using namespace std::chrono_literals;
using holdfast::test::running_node;

namespace {

running_node& node() { return running_node::current(); }

/// Numbers of a header in the byte order of the network.
template <class Number>
void put(std::string& frame, Number value) {
  for (std::size_t i = sizeof value; i > 0; --i)
    frame += static_cast<char>(value >> (8 * (i - 1)) & 0xff);
}

std::string header(std::uint8_t operation, std::uint32_t payload, std::uint64_t data,
                   std::uint64_t source, std::uint64_t destination) {
  std::string frame;
  put(frame, operation);
  frame += std::string(3, '\0');
  put(frame, payload);
  put(frame, data);
  put(frame, source);
  put(frame, destination);
  return frame;
}

/// Sends `bytes` to the node's port and waits until it hangs up, at most a moment.
void send_raw(const std::string& bytes) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(node().process->port());
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  BOOST_REQUIRE(::connect(socket, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0);
  BOOST_TEST(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL)
             == static_cast<ssize_t>(bytes.size()));
  ::shutdown(socket, SHUT_WR);
  std::array<char, 4096> ignored{};
  pollfd wanted{socket, POLLIN, 0};
  while (::poll(&wanted, 1, 500) > 0 && ::recv(socket, ignored.data(), ignored.size(), 0) > 0) {
  }
  ::close(socket);
}

/// A peer program that asks the node.
struct peer {
  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  client::connection connection{system, {"127.0.0.1", node().process->port()}, {}, 1};
};

} // namespace

BOOST_AUTO_TEST_SUITE(one_node, *boost::unit_test::fixture<running_node>())

BOOST_AUTO_TEST_CASE(node_file_tells_the_tools_where_it_is) {
  const auto file = app::read_node_file(node().place());
  BOOST_REQUIRE(file);
  BOOST_TEST(file->port == node().process->port());
  BOOST_TEST(file->alive());
  BOOST_TEST(!file->database.empty());
}

BOOST_AUTO_TEST_CASE(status_and_verify_find_the_node_by_its_directory) {
  const auto text = holdfast_with({"status", "--data-dir", node().place()});
  BOOST_TEST(text.code == 0);
  BOOST_TEST(text.out.find("incarnation") != std::string::npos);
  const auto json = holdfast_with({"status", "--data-dir", node().place(), "--json"});
  BOOST_TEST(json.code == 0);
  const auto status = nlohmann::json::parse(json.out);
  BOOST_TEST(status["shards_hosted"] == status["shards_total"]);
  BOOST_TEST(status["draining"] == false);
  const auto verify = holdfast_with({"verify", "--data-dir", node().place(), "--json"});
  BOOST_TEST(verify.code == 0);
  BOOST_TEST(nlohmann::json::parse(verify.out)["violations"] == 0);
}

BOOST_AUTO_TEST_CASE(second_node_on_the_directory_is_refused) {
  const auto second = holdfast_with({"node", "--data-dir", node().place(), "--port", "0"});
  BOOST_TEST(second.code == 8);
  BOOST_TEST(second.err.find(node().place()) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(port_in_use_is_refused_before_anything_is_made) {
  const auto other = app::demo::scratch_directory::make();
  BOOST_REQUIRE(other);
  const auto second = holdfast_with({"node", "--data-dir", other->path().string(), "--port",
                                     std::to_string(node().process->port())});
  BOOST_TEST(second.code == 7);
  BOOST_TEST(!std::filesystem::exists(other->path() / "postgres"));
}

BOOST_AUTO_TEST_CASE(malformed_frames_leave_the_node_alive) {
  const std::uint8_t server_handshake = 0;
  const std::uint8_t client_handshake = 1;
  const std::uint8_t direct_message = 2;
  const std::vector<std::string> attacks{
      header(client_handshake, 0, 0, 0, 0), // read through a null pointer in CAF's own parser
      header(server_handshake, 0, 4, 0, 0),
      header(direct_message, 0xfffffff0U, 0, 1, 1), // 4 GiB to come
      header(0x7f, 8, 0, 0, 0) + "whatever",
      header(client_handshake, 8, 0, 0, 0) + std::string(8, '\xff'),
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
      std::string(64, '\0'),
      header(client_handshake, 100, 0, 0, 0) + "cut short",
      "",
  };
  const auto before = app::read_node_file(node().place());
  for (const auto& attack : attacks) {
    send_raw(attack);
    BOOST_TEST(!node().process->ended());
  }
  peer program;
  const auto status = program.connection.ask<msg::node_status>(msg::get_node_status{});
  BOOST_REQUIRE(status);
  BOOST_REQUIRE(before);
  BOOST_TEST(core::to_string(status->incarnation) == before->incarnation);
}

BOOST_AUTO_TEST_CASE(bad_requests_get_precise_errors) {
  peer program;
  const auto& connection = program.connection;
  const auto unknown_step = connection.ask<msg::assignment>(msg::ask_assignment{{}, "ana", {}});
  BOOST_TEST(!unknown_step);
  const auto broken =
      connection.ask<msg::workflow_created>(msg::create_workflow{{}, "{\"name\": }"});
  BOOST_REQUIRE(!broken);
  BOOST_TEST(!broken.error().detail.empty());
  const auto status = connection.ask<msg::node_status>(msg::get_node_status{});
  BOOST_TEST(static_cast<bool>(status));
}

BOOST_AUTO_TEST_CASE(peer_program_of_the_documents_does_its_work) {
  const auto end = holdfast::test::run_program(
      HOLDFAST_PEER_PROGRAM, {"127.0.0.1:" + std::to_string(node().process->port())}, 60s);
  BOOST_TEST(end.code == 0);
  BOOST_TEST(end.out == "{\"say\":\"hello\"} accepted\n");
}

BOOST_AUTO_TEST_CASE(private_database_that_dies_is_started_again) {
  // given: the server is killed; the first line of its file is its process id
  std::ifstream file{node().directory->path() / "postgres" / "pgdata" / "postmaster.pid"};
  pid_t server = 0;
  BOOST_REQUIRE(file >> server);
  BOOST_REQUIRE(::kill(server, SIGKILL) == 0);

  // then: the node is there as before, and writes succeed once the server has recovered
  peer program;
  const auto created = program.connection.ask<msg::workflow_created>(msg::create_workflow{
      {core::uuid_source{7}.next(core::instant{1h})}, R"({"name": "w", "steps": [{"key": "s"}]})"});
  BOOST_REQUIRE_MESSAGE(created, (created ? std::string{} : created.error().detail));
  BOOST_TEST(!node().process->ended());
  // Sessions outlive their server for a moment, so the new one may still be on its way.
  const auto patience = std::chrono::steady_clock::now() + 30s;
  int code = 0;
  do
    code = holdfast_with({"verify", "--data-dir", node().place()}).code;
  while (code == static_cast<int>(app::exit_code::database)
         && std::chrono::steady_clock::now() < patience);
  BOOST_TEST(code == 0);
}

// A161. Last: it ends the node of the suite.
BOOST_AUTO_TEST_CASE(sigterm_drains_and_a_new_start_goes_on) {
  auto& process = *node().process;
  const auto port = process.port();
  BOOST_TEST(process.stop(60s).value_or(-1) == 0);
  BOOST_TEST(!app::read_node_file(node().place()));
  // The checks also run on the database of a stopped node.
  BOOST_TEST(holdfast_with({"verify", "--data-dir", node().place()}).code == 0);

  BOOST_REQUIRE(process.start(60s));
  BOOST_TEST(process.port() == port);
  process.kill();
  BOOST_TEST(process.ended_within(10s).value_or(-1) == 128 + SIGKILL);
  BOOST_REQUIRE(process.start(60s));
  BOOST_TEST(holdfast_with({"status", "--data-dir", node().place()}).code == 0);
  BOOST_TEST(process.stop(60s).value_or(-1) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
