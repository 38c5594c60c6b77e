// A port that is held: no connection gets its number by chance, and whoever means to listens there.

#include "app/listen_port.hpp"

#include <boost/test/unit_test.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace app = holdfast::app;
namespace core = holdfast::core;

namespace {

const char* const here = "127.0.0.1";

/// A TCP socket on loopback.
class port_socket {
public:
  port_socket() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~port_socket() { ::close(descriptor_); }
  port_socket(const port_socket&) = delete;
  port_socket& operator=(const port_socket&) = delete;

  void reuse_address() { set(SOL_SOCKET, SO_REUSEADDR, 1); }
  /// False where the kernel does not know it (it came with Linux 6.3).
  bool take_port_only(std::uint16_t number) {
    constexpr int ip_local_port_range = 51;
    return set(IPPROTO_IP, ip_local_port_range, std::uint32_t{number} << 16 | number);
  }
  bool bind(std::uint16_t number) {
    auto where = place(number);
    return ::bind(descriptor_, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0;
  }
  bool listen() { return ::listen(descriptor_, 1) == 0; }
  bool connect(std::uint16_t number) {
    auto where = place(number);
    return ::connect(descriptor_, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0;
  }
  std::uint16_t own_port() const {
    sockaddr_in where{};
    socklen_t length = sizeof where;
    ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&where), &length);
    return ntohs(where.sin_port);
  }

private:
  template <class Value>
  bool set(int level, int option, Value value) {
    return ::setsockopt(descriptor_, level, option, &value, sizeof value) == 0;
  }
  static sockaddr_in place(std::uint16_t number) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(number);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return where;
  }

  int descriptor_;
};

/// Somebody whom one may connect to.
struct open_port {
  open_port() { BOOST_REQUIRE(there.bind(0) && there.listen()); }
  std::uint16_t number() const { return there.own_port(); }
  port_socket there;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(listen_port, open_port)

BOOST_AUTO_TEST_CASE(a_connection_does_not_take_the_number_that_is_held) {
  auto held = app::hold_port(here, 0);
  BOOST_REQUIRE(held);
  const auto wanted = held->number();
  BOOST_TEST(wanted != 0U);
  {
    port_socket chosen; // by a program that names its own port
    BOOST_TEST(!chosen.bind(wanted));
    BOOST_TEST(errno == EADDRINUSE);
    port_socket given; // by the system, which has nothing else to give
    if (given.take_port_only(wanted))
      BOOST_TEST(!given.connect(number()));
  }
  { const auto released = std::move(*held); }
  port_socket chosen;
  BOOST_TEST(chosen.bind(wanted));
  BOOST_TEST(chosen.connect(number()));
  BOOST_TEST(chosen.own_port() == wanted);
}

BOOST_AUTO_TEST_CASE(the_system_gives_the_number_to_connections_again_once_it_is_released) {
  std::uint16_t wanted = 0;
  {
    const auto held = app::hold_port(here, 0);
    BOOST_REQUIRE(held);
    wanted = held->number();
  }
  port_socket given;
  if (!given.take_port_only(wanted))
    return;
  BOOST_TEST(given.connect(number()));
  BOOST_TEST(given.own_port() == wanted);
}

BOOST_AUTO_TEST_CASE(a_listener_takes_the_number_that_is_held) {
  const auto held = app::hold_port(here, 0);
  BOOST_REQUIRE(held);
  port_socket server;
  server.reuse_address();
  BOOST_TEST(server.bind(held->number()));
  BOOST_TEST(server.listen());
  port_socket caller;
  BOOST_TEST(caller.connect(held->number()));
}

BOOST_AUTO_TEST_CASE(nobody_is_reached_at_a_port_that_is_merely_held) {
  const auto held = app::hold_port(here, 0);
  BOOST_REQUIRE(held);
  port_socket caller;
  BOOST_TEST(!caller.connect(held->number()));
}

BOOST_AUTO_TEST_CASE(a_port_on_which_somebody_listens_is_not_held) {
  const auto held = app::hold_port(here, number());
  BOOST_REQUIRE(!held);
  BOOST_TEST((held.error().code == core::errc::already_exists));
  BOOST_TEST(!app::hold_port("localhost", 0)); // an IP address only
}

BOOST_AUTO_TEST_SUITE_END()
