// The traffic that a node does not let in: messages to actors that are not published, other users
// of its machine, requests beyond the role of a certificate.

#include "tests/end_to_end/producer.hpp"
#include "tests/end_to_end/running_node.hpp"
#include "tests/link/frames.hpp"
#include "tests/node_link/secure_node.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/io/middleman.hpp>
#include <caf/scoped_actor.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

using namespace holdfast; // not an alias: `link` is also a function of POSIX
using namespace std::chrono_literals;
using test::frames;
using test::running_node;
using test::secure_node;
using test::stream;

namespace {

constexpr uid_t nobody = 65534;

/// How a process of another user fares that connects to each of `ports` and waits for a word: the
/// number of those that said something. Needs root.
int heard_by_nobody(const std::vector<std::uint16_t>& ports) {
  const auto other = ::fork();
  BOOST_REQUIRE(other >= 0);
  if (other == 0) { // no memory is taken here: threads of the parent may hold its locks
    if (::setgid(nobody) != 0 || ::setuid(nobody) != 0)
      ::_exit(100);
    int heard = 0;
    for (const auto port : ports) {
      const int one = ::socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in where{};
      where.sin_family = AF_INET;
      where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      where.sin_port = htons(port);
      char byte = 0;
      if (::connect(one, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0
          && ::read(one, &byte, 1) > 0)
        ++heard;
      ::close(one);
    }
    ::_exit(heard);
  }
  int status = -1;
  BOOST_REQUIRE(::waitpid(other, &status, 0) == other);
  BOOST_REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

/// The ports of 127.0.0.1 on which a process listens.
std::vector<std::uint16_t> listening_ports(pid_t process) {
  std::set<std::string> sockets;
  std::error_code failed;
  for (const auto& file :
       std::filesystem::directory_iterator{"/proc/" + std::to_string(process) + "/fd", failed})
    sockets.insert(std::filesystem::read_symlink(file, failed).string());
  std::ifstream table{"/proc/net/tcp"};
  std::vector<std::uint16_t> ports;
  for (std::string line; std::getline(table, line);) {
    std::istringstream text{line};
    const std::vector<std::string> words{std::istream_iterator<std::string>{text}, {}};
    constexpr std::size_t local = 1;
    constexpr std::size_t state = 3;
    constexpr std::size_t inode = 9;
    if (words.size() > inode && words[state] == "0A" && words[local].rfind("0100007F:", 0) == 0
        && sockets.count("socket:[" + words[inode] + ']') != 0)
      ports.push_back(static_cast<std::uint16_t>(std::stoul(words[local].substr(9), nullptr, 16)));
  }
  return ports;
}

/// A client that has CAF and nothing of ours around it: it hears who answers.
struct bare_client {
  explicit bare_client(std::uint16_t port) {
    auto found = system.middleman().remote_actor<msg::any_gateway_actor>("127.0.0.1", port);
    BOOST_REQUIRE(found);
    gateway = caf::actor_cast<caf::actor>(*found);
  }

  /// The actor that answers `request`.
  template <class Answer, class Request>
  caf::actor who_answers(const Request& request) {
    caf::actor who;
    self->request(gateway, 20s, request)
        .receive([&](Answer&) { who = caf::actor_cast<caf::actor>(self->current_sender()); },
                 [&](const caf::error& error) { BOOST_ERROR(system.render(error)); });
    return who;
  }

  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  caf::scoped_actor self{system};
  caf::actor gateway;
};

msg::claim_tasks claim_of(const std::string& worker, const std::string& queue) {
  msg::claim_tasks claim;
  claim.queue = queue;
  claim.worker = worker;
  static std::uint8_t claims = 0;
  claim.claim.value.bytes = {7, ++claims};
  claim.most = 1;
  return claim;
}

} // namespace

BOOST_AUTO_TEST_SUITE(outside_of_a_plain_node, *boost::unit_test::fixture<running_node>())

// finding B4
BOOST_AUTO_TEST_CASE(message_to_an_internal_actor_is_refused_and_harms_nobody) {
  auto& node = running_node::current();
  const auto port = node.process->port();
  test::producer me{port};
  me.make_queue("guarded", "{}");
  {
    bare_client client{port};
    const auto queue = client.who_answers<msg::leased_tasks>(claim_of("w", "guarded"));
    BOOST_REQUIRE(queue);
    BOOST_TEST((queue != client.gateway)); // an actor behind the gateway: CAF tells its number
    bool refused = false;
    client.self->request(queue, 20s, claim_of(std::string(300, 'w'), "guarded"))
        .receive([](const msg::leased_tasks&) { BOOST_ERROR("an internal actor has answered"); },
                 [&](const caf::error&) { refused = true; });
    BOOST_TEST(refused);
  }
  me.enqueue("t", 1, "{}"); // the queue is as it was
  BOOST_TEST(me.ask<msg::leased_tasks>(claim_of("w2", "guarded")).tasks.size() == 1U);
  BOOST_TEST(!test::has_line(node.directory->path() / "node.log", {"crash"}));
}

// finding B6: by an error that answers nothing CAF ends an actor, and no frame filter is before it
BOOST_AUTO_TEST_CASE(gateway_lives_on_when_it_is_told_an_error_over_loopback) {
  auto& node = running_node::current();
  const auto log = node.directory->path() / "node.log";
  bare_client client{node.process->port()};
  client.self->send(client.gateway, caf::make_error(caf::sec::runtime_error));
  bool answered = false;
  client.self->request(client.gateway, 20s, msg::get_placement{})
      .receive([&](const msg::placement&) { answered = true; },
               [&](const caf::error& error) { BOOST_ERROR(client.system.render(error)); });
  BOOST_TEST(answered); // over the same connection, so after the error
  BOOST_TEST(test::has_line(log, {"error_not_asked_for", "gateway"}));
  BOOST_TEST(!test::has_line(log, {"child_down"}));
}

// finding D2
BOOST_AUTO_TEST_CASE(other_users_of_the_machine_are_hung_up_on) {
  if (::geteuid() != 0)
    return; // only root can be somebody else
  const auto port = running_node::current().process->port();
  BOOST_TEST(heard_by_nobody({port, port, port}) == 0);
  auto own = stream::to(port);
  BOOST_TEST(own.read(1).size() == 1U); // the greeting
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(outside_of_a_node_with_certificates,
                      *boost::unit_test::fixture<secure_node>())

// finding D2
BOOST_AUTO_TEST_CASE(port_behind_the_link_takes_nobody_of_another_user) {
  if (::geteuid() != 0)
    return;
  const auto running = app::read_node_file(secure_node::current().directory->path());
  BOOST_REQUIRE(running);
  const auto behind = listening_ports(running->pid);
  BOOST_REQUIRE(behind.size() == 1U); // the link listens on all addresses, CAF behind it
  auto own = stream::to(behind.front());
  BOOST_TEST(own.read(1).size() == 1U); // the greeting
  BOOST_TEST(heard_by_nobody({behind.front(), behind.front()}) == 0);
}

// finding B4
BOOST_AUTO_TEST_CASE(actors_are_not_reached_by_trying_their_numbers) {
  auto& node = secure_node::current();
  for (std::uint64_t actor = 1; actor <= 60; ++actor) {
    auto peer = stream::to(node.process->port());
    BOOST_REQUIRE(peer.secure({node.file("ana.crt"), node.file("ana.key"), 0}));
    // The second frame ends the connection also where the first was for the gateway.
    peer.write(frames::greeting_of_dialer() + frames::selection() + frames::message_to(actor)
               + frames::message("@<>+@exit"));
    BOOST_TEST(peer.ended());
  }
  BOOST_TEST(node.logs({"peer_refused", "fault=unpublished", "names=ana"}, [&] {
    auto peer = stream::to(node.process->port());
    BOOST_REQUIRE(peer.secure({node.file("ana.crt"), node.file("ana.key"), 0}));
    peer.write(frames::greeting_of_dialer() + frames::selection() + frames::message_to(1));
    BOOST_TEST(peer.ended());
  }));
  BOOST_TEST(node.status("ana").code == 0);
}

// finding D3
BOOST_AUTO_TEST_CASE(worker_s_certificate_claims_under_its_own_name_and_makes_no_queue) {
  auto& node = secure_node::current();
  node.certs({"peer", "--name", "wanda", "--role", "workers", "--access", "worker=wanda-1"});
  test::producer ana{node.endpoint_for("ana")};
  ana.make_queue("bound", "{}");
  ana.enqueue("t", 2, "{}");
  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  client::retry_policy impatient;
  impatient.deadline = 3s;
  client::connection wanda{system, node.endpoint_for("wanda"), impatient, 5};
  const auto own = wanda.ask<msg::leased_tasks>(claim_of("wanda-1", "bound"));
  BOOST_REQUIRE_MESSAGE(own, (own ? std::string{} : own.error().detail));
  BOOST_TEST(own->tasks.size() == 1U);
  const auto others = wanda.ask<msg::leased_tasks>(claim_of("wanda-2", "bound"));
  BOOST_REQUIRE(!others);
  BOOST_TEST((others.error().code == core::errc::invalid_argument));
  BOOST_TEST(others.error().detail.find("worker must be 'wanda-1'") != std::string::npos,
             others.error().detail);
  BOOST_TEST(!wanda.ask<msg::queue_view>(msg::put_queue{"hers", "{}"}));
  BOOST_TEST(node.logs({"peer_refused", "names=wanda", "fault=not_of_role"}, [&] {
    wanda.ask<msg::queue_view>(msg::put_queue{"hers", "{}"});
  }));
  const auto queues = ana.ask<msg::queue_list>(msg::list_queues{});
  BOOST_TEST(queues.queues.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
