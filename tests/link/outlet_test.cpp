// The way out: who is dialed is who is meant, and what breaks is said; networks made bad on
// purpose.

#include "link/loopback_user.hpp"
#include "tests/link/link_world.hpp"

#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <utility>

using namespace holdfast; // not an alias: `link` is also a function of POSIX
using namespace std::chrono_literals;
using link::refusal;
using test::frames;
using test::stream;

namespace {

sockaddr_storage loopback_v4(std::uint16_t port) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  v4.sin_port = htons(port);
  sockaddr_storage any{};
  std::memcpy(&any, &v4, sizeof v4);
  return any;
}

/// A dialing process, its outlet, an inlet, and a process behind that.
struct way_out : test::link_world {
  way_out() {
    dial.host = "127.0.0.1";
    dial.expected_name = "node";
    dial.tls = certs.of("ana");
    dial.log = options.log;
    dial.published = &published_by_dialer;
    dial.open = &open_of_dialer;
  }
  ~way_out() { outlet.reset(); }

  void open_both() {
    options.faults = faults;
    open();
    dial.port = inlet->port();
    open_outlet();
  }
  void open_outlet() {
    auto opened = link::outlet::open(thread_of_dialer, dial);
    BOOST_REQUIRE_MESSAGE(opened, (opened ? std::string{} : opened.error().detail));
    outlet = std::move(*opened);
  }
  /// What the outlet says when a dial fails.
  std::string failure() {
    auto local = stream::to(outlet->port());
    local.write(frames::greeting_of_dialer());
    BOOST_TEST(local.ended());
    return outlet->last_failure();
  }
  bool fails_with(const std::string& text) {
    const auto what = failure();
    BOOST_TEST_MESSAGE(what);
    return what.find(text) != std::string::npos;
  }
  std::pair<stream, stream> through() {
    auto local = stream::to(outlet->port());
    BOOST_REQUIRE(local.write(frames::greeting_of_dialer()));
    auto inside = behind.accept();
    BOOST_REQUIRE(inside.write(frames::greeting_of_listener()));
    BOOST_REQUIRE(local.read(frames::greeting_of_listener().size()).size() > 0U);
    BOOST_REQUIRE(local.write(frames::selection()));
    const auto said = frames::greeting_of_dialer() + frames::selection();
    BOOST_REQUIRE((inside.read(said.size()) == said));
    return {std::move(local), std::move(inside)};
  }

  link::published_actors published_by_dialer;
  link::open_requests open_of_dialer;
  link::io_thread thread_of_dialer;
  link::outlet_options dial;
  std::unique_ptr<link::outlet> outlet;
  std::shared_ptr<link::fault_injector> faults = std::make_shared<link::fault_injector>(7);
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(the_way_out, way_out)

BOOST_AUTO_TEST_CASE(local_process_talks_through_both_links) {
  open_both();
  auto [local, inside] = through();
  for (std::size_t size : {0U, 1U, 100'000U, 3'000'000U}) {
    const auto there = frames::message("@<>+hf1.enqueue_tasks", size);
    const auto back = frames::answer("@<>+hf1.task_outcomes", size);
    BOOST_TEST(local.write(there));
    BOOST_TEST((inside.read(there.size()) == there));
    BOOST_TEST(inside.write(frames::answer("@<>+hf1.task_outcomes", size, 4711)));
    BOOST_TEST((local.read(back.size()) == back));
  }
  BOOST_TEST(outlet->last_failure().empty());
  inside.close();
  BOOST_TEST(local.ended());
}

BOOST_AUTO_TEST_CASE(remote_with_another_name_is_not_talked_to) {
  dial.expected_name = "other";
  open_both();
  BOOST_TEST(fails_with("hostname mismatch"));
  BOOST_TEST(behind.empty());
  outlet.reset();
  dial.expected_name.clear(); // then the address must be in the certificate
  open_outlet();
  BOOST_TEST(fails_with("IP address mismatch"));
}

BOOST_AUTO_TEST_CASE(remote_of_another_authority_is_not_talked_to) {
  test::certificates others;
  others.issue("ana", link::holder::peer);
  dial.tls = others.of("ana");
  open_both();
  BOOST_TEST(fails_with("its certificate is refused: "));
}

BOOST_AUTO_TEST_CASE(dialer_hears_why_it_was_turned_away) {
  options.allowed = {"somebody"};
  open_both();
  BOOST_TEST(fails_with("alert"));
  BOOST_TEST(refused(refusal::name_not_allowed));
}

BOOST_AUTO_TEST_CASE(nobody_there_and_somebody_mute_are_told_apart) {
  test::listener mute;
  dial.port = mute.port();
  dial.dial_deadline = 300ms;
  open_outlet();
  BOOST_TEST(fails_with("no answer within the deadline"));
  mute.close();
  BOOST_TEST(fails_with("Connection refused"));
  BOOST_TEST(outlet->counters().refused_for(refusal::handshake_timeout) == 1U);
  BOOST_TEST(outlet->counters().refused_for(refusal::node_unavailable) == 1U);
}

BOOST_AUTO_TEST_CASE(new_certificate_is_used_by_the_next_dial) {
  certs.issue("gone", link::holder::peer);
  dial.tls = certs.of("gone");
  options.allowed = {"ana", "gone"};
  certs.revoke("gone");
  open_both();
  failure();
  BOOST_TEST(refused(refusal::revoked));
  certs.issue("gone", link::holder::peer, true);
  auto talk = through();
}

BOOST_AUTO_TEST_CASE(node_that_is_revoked_loses_what_was_dialed_at_the_next_reload) { // S20
  open_both();
  auto [local, inside] = through();
  outlet->reload(); // nothing has changed
  BOOST_TEST(local.write(frames::heartbeat()));
  BOOST_TEST((inside.read(32) == frames::heartbeat()));
  certs.revoke("node");
  outlet->reload();
  BOOST_TEST(local.ended());
  BOOST_TEST(inside.ended());
  BOOST_TEST(outlet->counters().reloads == 1U);
  BOOST_TEST(outlet->counters().refused_for(refusal::revoked) == 1U);
  BOOST_TEST(outlet->last_failure().find("revoked") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(prepared_line_is_used_by_the_next_connection_or_hung_up) {
  dial.greeting_deadline = 1min;
  open_both();
  const auto prepare = [&] { return outlet->prepare(); };
  auto pending = std::async(std::launch::async, prepare);
  auto inside = behind.accept();
  BOOST_TEST(inside.write(frames::greeting_of_listener()));
  BOOST_TEST(static_cast<bool>(pending.get()));
  BOOST_TEST(static_cast<bool>(prepare())); // still there
  auto local = stream::to(outlet->port());
  BOOST_TEST((local.read(frames::greeting_of_listener().size()) == frames::greeting_of_listener()));
  BOOST_TEST(local.write(frames::greeting_of_dialer()));
  BOOST_TEST(inside.read(64).size() == 64U);
  BOOST_TEST(behind.empty());

  outlet.reset();
  dial.greeting_deadline = 100ms;
  open_outlet();
  pending = std::async(std::launch::async, prepare);
  auto unused = behind.accept();
  BOOST_TEST(unused.write(frames::greeting_of_listener()));
  BOOST_TEST(static_cast<bool>(pending.get()));
  BOOST_TEST(unused.ended());

  certs.revoke("ana");
  inlet->reload();
  const auto refused_now = prepare();
  BOOST_REQUIRE(!refused_now);
  BOOST_TEST(refused_now.error().detail.find("revoked") != std::string::npos,
             refused_now.error().detail);
}

// finding D1
BOOST_AUTO_TEST_CASE(only_an_open_connection_of_a_process_tells_its_user) {
  const auto row = [](const std::string& state, const std::string& uid_and_inode) {
    return "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when\n"
           "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 "
           "00000000     0        0 11 1\n"
           "   1: 0100007F:A2C4 0100007F:1F90 "
           + state + " 00000000:00000000 00:00000000 00000000  " + uid_and_inode + " 1\n";
  };
  const auto user = [](const std::string& table, std::uint16_t from, std::uint16_t to) {
    return link::user_of_connection(table, loopback_v4(from), loopback_v4(to));
  };
  BOOST_TEST(user(row("01", "1000        0 12"), 0xA2C4, 0x1F90) == 1000);
  BOOST_TEST(user(row("01", "1000        0 12"), 0xA2C5, 0x1F90) == -1);
  BOOST_TEST(user(row("01", "1000        0 12"), 0x1F90, 0xA2C4) == -1);
  BOOST_TEST(user("", 1, 2) == -1);
  // Those that nobody has any more, or not yet, are listed under root.
  for (const auto* state : {"02", "03", "04", "05", "06", "07", "08", "09", "0A", "0B", "0C"})
    BOOST_TEST(user(row(state, "0        0 0"), 0xA2C4, 0x1F90) == -1, state);
  BOOST_TEST(user(row("01", "0        0 0"), 0xA2C4, 0x1F90) == -1);
  BOOST_TEST(user(row("06", "1000        0 12"), 0xA2C4, 0x1F90) == -1);
}

BOOST_AUTO_TEST_CASE(connections_are_found_in_the_table_of_ipv6_as_well) {
  const auto row = [](const std::string& local, const std::string& remote) {
    return "   0: " + local + ":A2C4 " + remote
           + ":1F90 01 00000000:00000000 00:00000000 00000000  1000        0 12 1\n";
  };
  const std::string one = "00000000000000000000000001000000";
  const std::string mapped = "0000000000000000FFFF00000100007F";
  sockaddr_storage from{};
  sockaddr_storage to{};
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_loopback;
  v6.sin6_port = htons(0xA2C4);
  std::memcpy(&from, &v6, sizeof v6);
  v6.sin6_port = htons(0x1F90);
  std::memcpy(&to, &v6, sizeof v6);
  BOOST_TEST(link::user_of_connection(row(one, one), from, to) == 1000);
  BOOST_TEST(link::user_of_connection(row(mapped, mapped), from, to) == -1);
  BOOST_TEST(link::user_of_connection(row(mapped, mapped), loopback_v4(0xA2C4), loopback_v4(0x1F90))
             == 1000);
}

// finding D1
BOOST_AUTO_TEST_CASE(processes_of_other_users_do_not_get_into_the_outlet) {
  if (::geteuid() != 0)
    return; // only root can be somebody else
  open_both();
  constexpr int connections = 60;
  const auto foreign = ::fork();
  BOOST_REQUIRE(foreign >= 0);
  if (foreign == 0) { // no memory is taken here: threads of the parent may hold its locks
    if (::setgid(65534) != 0 || ::setuid(65534) != 0)
      ::_exit(2);
    const auto where = loopback_v4(outlet->port());
    for (int i = 0; i < connections; ++i) {
      const int one = ::socket(AF_INET, SOCK_STREAM, 0);
      if (::connect(one, reinterpret_cast<const sockaddr*>(&where), sizeof(sockaddr_in)) != 0)
        ::_exit(3);
      if (i % 2 == 0) { // gone before it is looked at: its row stays for a while
        ::close(one);
        continue;
      }
      char byte = 0;
      if (::read(one, &byte, 1) > 0)
        ::_exit(4);
      ::close(one);
    }
    ::_exit(0);
  }
  int status = -1;
  BOOST_REQUIRE(::waitpid(foreign, &status, 0) == foreign);
  BOOST_TEST(status == 0);
  BOOST_TEST(eventually([&] {
    return outlet->counters().refused_for(refusal::foreign_user) == std::uint64_t{connections};
  }));
  BOOST_TEST(behind.empty());
  auto own = through(); // and this user's do
}

BOOST_AUTO_TEST_CASE(cut_network_ends_connections_and_the_next_one_comes_about) {
  open_both();
  auto first = through();
  auto second = through();
  faults->cut(1);
  BOOST_TEST(first.first.ended());
  BOOST_TEST(first.second.ended());
  BOOST_TEST(second.first.write(frames::heartbeat()));
  BOOST_TEST((second.second.read(32) == frames::heartbeat()));
  faults->cut();
  BOOST_TEST(second.first.ended());
  auto third = through();
}

BOOST_AUTO_TEST_CASE(one_way_partition_holds_one_direction_until_it_heals) {
  open_both();
  auto [local, inside] = through();
  faults->hold(link::sender::dialer);
  BOOST_TEST(local.write(frames::heartbeat() + frames::message()));
  BOOST_TEST(inside.write(frames::heartbeat()));
  BOOST_TEST((local.read(32) == frames::heartbeat())); // the other way is open
  BOOST_TEST(inside.empty());
  faults->heal();
  BOOST_TEST(
      (inside.read(32 + frames::message().size()) == frames::heartbeat() + frames::message()));
}

BOOST_AUTO_TEST_CASE(delays_and_rates_let_everything_through_later) {
  open_both();
  auto [local, inside] = through();
  using clock = std::chrono::steady_clock;
  const auto time_of = [&, &l = local, &i = inside](const std::string& bytes) {
    const auto before = clock::now();
    l.write(bytes);
    BOOST_TEST((i.read(bytes.size()) == bytes));
    return clock::now() - before;
  };
  faults->delay(50ms, 60ms);
  BOOST_TEST((time_of(frames::heartbeat()) >= 50ms));
  faults->heal();
  faults->slow(100'000);
  BOOST_TEST((time_of(frames::message("@<>+hf1.enqueue_tasks", 20'000)) >= 150ms));
}

BOOST_AUTO_TEST_SUITE_END()
