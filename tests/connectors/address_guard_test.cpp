// Where a node may connect because a stranger has named it.

#include "connectors/address_guard.hpp"

#include <arpa/inet.h>
#include <boost/test/unit_test.hpp>
#include <netinet/in.h>

#include <cstring>
#include <string>
#include <sys/un.h>

using namespace holdfast::connectors;

namespace {

/// The address as a resolver gives it.
sockaddr_storage resolved(const std::string& text, socklen_t& bytes) {
  sockaddr_storage address{};
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    bytes = sizeof v4;
    std::memcpy(&address, &v4, sizeof v4);
  } else {
    BOOST_REQUIRE(inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1);
    v6.sin6_family = AF_INET6;
    bytes = sizeof v6;
    std::memcpy(&address, &v6, sizeof v6);
  }
  return address;
}

bool permitted(const address_guard& guard, const std::string& text) {
  socklen_t bytes = 0;
  const auto address = resolved(text, bytes);
  return guard.permits(reinterpret_cast<const sockaddr&>(address), bytes);
}

} // namespace

BOOST_AUTO_TEST_SUITE(guard_of_addresses)

BOOST_AUTO_TEST_CASE(addresses_of_the_internet_are_permitted) {
  for (const auto* text :
       {"8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.0", "169.253.255.255", "172.15.255.255", "172.32.0.0",
        "192.167.255.255", "192.169.0.0", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1",
        "::ffff:8.8.8.8"})
    BOOST_TEST(permitted(address_guard{}, text), text);
}

BOOST_AUTO_TEST_CASE(all_others_are_not) {
  for (const auto* text : {"0.0.0.0",
                           "0.1.2.3",
                           "10.0.0.0",
                           "10.255.255.255",
                           "100.64.0.0",
                           "100.127.255.255",
                           "127.0.0.1",
                           "127.255.255.255",
                           "169.254.0.0",
                           "169.254.169.254",
                           "172.16.0.0",
                           "172.31.255.255",
                           "192.0.0.8",
                           "192.0.2.1",
                           "192.88.99.1",
                           "192.168.0.1",
                           "198.18.0.1",
                           "198.19.255.255",
                           "198.51.100.1",
                           "203.0.113.1",
                           "224.0.0.1",
                           "239.255.255.255",
                           "240.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "::7f00:1",
                           "::ffff:127.0.0.1",
                           "::ffff:10.0.0.1",
                           "::ffff:169.254.169.254",
                           "64:ff9b::7f00:1",
                           "64:ff9b:1::1",
                           "100::1",
                           "2001::1",
                           "2001:db8::1",
                           "2002:7f00:1::",
                           "3fff::1",
                           "4000::1",
                           "fc00::1",
                           "fd12:3456::1",
                           "fe80::1",
                           "fec0::1",
                           "ff02::1"})
    BOOST_TEST(!permitted(address_guard{}, text), text);
}

BOOST_AUTO_TEST_CASE(an_operator_allows_networks) {
  const auto allowed = parse_networks("127.0.0.0/8, fd00::/8,10.1.2.3");
  BOOST_REQUIRE(allowed);
  const address_guard guard{*allowed};
  for (const auto* text : {"127.0.0.1", "127.9.9.9", "::ffff:127.0.0.1", "fd99::1", "10.1.2.3"})
    BOOST_TEST(permitted(guard, text), text);
  for (const auto* text : {"10.1.2.4", "fc00::1", "::1", "192.168.0.1"})
    BOOST_TEST(!permitted(guard, text), text);
}

BOOST_AUTO_TEST_CASE(a_prefix_ends_at_its_last_bit) {
  const auto allowed = parse_networks("10.0.0.128/25,fd00::8000:0:0:0/65");
  BOOST_REQUIRE(allowed);
  const address_guard guard{*allowed};
  BOOST_TEST(permitted(guard, "10.0.0.128"));
  BOOST_TEST(permitted(guard, "10.0.0.255"));
  BOOST_TEST(!permitted(guard, "10.0.0.127"));
  BOOST_TEST(permitted(guard, "fd00::8000:0:0:1"));
  BOOST_TEST(!permitted(guard, "fd00::7fff:0:0:1"));
}

BOOST_AUTO_TEST_CASE(malformed_network_is_refused_with_its_text) {
  for (const auto* text : {"10.0.0.0/33", "10.0.0/8", "10.0.0.0/", "10.0.0.0/8x", "example.com",
                           "fd00::/129", "127.0.0.0/8,,", ",", "0x7f.1", "10.0.0.0/-1"})
    BOOST_TEST(!parse_networks(text), text);
  BOOST_TEST(parse_networks("10.0.0.0/33").error().detail
             == "`10.0.0.0/33` is no network, such as 10.0.0.0/8 or fd00::/8");
  BOOST_TEST(parse_networks("")->empty());
}

BOOST_AUTO_TEST_CASE(text_that_is_no_ip_address_is_never_permitted) {
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  const address_guard all{*parse_networks("::/0")};
  BOOST_TEST(!all.permits(reinterpret_cast<const sockaddr&>(local), sizeof local));
  socklen_t bytes = 0;
  const auto address = resolved("8.8.8.8", bytes);
  BOOST_TEST(!all.permits(reinterpret_cast<const sockaddr&>(address), bytes - 1));
}

BOOST_AUTO_TEST_SUITE_END()
