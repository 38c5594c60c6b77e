// The authority of a first cluster. That its certificates work is what inlet_test and outlet_test
// stand on.

#include "link/authority.hpp"
#include "link/openssl.hpp"
#include "link/tls.hpp"
#include "tests/link/link_world.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace holdfast; // not an alias: `link` is also a function of POSIX
using core::errc;
using test::certificates;

namespace {

errc code_of(const core::outcome<bool>& outcome) {
  return outcome ? errc::none : outcome.error().code;
}

mode_t mode_of(const std::string& path) {
  struct stat found {};
  BOOST_REQUIRE(::stat(path.c_str(), &found) == 0);
  return found.st_mode & 0777;
}

std::string text_of(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

link::certificate_request request(const certificates& certs, const std::string& name) {
  link::certificate_request wanted;
  wanted.directory = certs.directory();
  wanted.name = name;
  return wanted;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(authority, certificates)

BOOST_AUTO_TEST_CASE(keys_are_for_their_owner_and_certificates_for_all) {
  issue("n1", link::holder::node);
  BOOST_TEST(mode_of(file("ca", ".key")) == 0600U);
  BOOST_TEST(mode_of(file("n1", ".key")) == 0600U);
  BOOST_TEST(mode_of(file("ca", ".crt")) == 0644U);
  BOOST_TEST(mode_of(file("n1", ".crt")) == 0644U);
  BOOST_TEST(mode_of(file("ca", ".crl")) == 0644U);
}

BOOST_AUTO_TEST_CASE(nothing_is_overwritten_unless_it_is_to_be_replaced) {
  BOOST_TEST(
      (code_of(link::make_authority(directory(), "Again", 10, now())) == errc::already_exists));
  issue("n1", link::holder::node);
  const auto before = text_of(file("n1", ".crt"));
  auto again = request(*this, "n1");
  BOOST_TEST((code_of(link::issue_certificate(again, now())) == errc::already_exists));
  BOOST_TEST(text_of(file("n1", ".crt")) == before);
  again.replace = true;
  BOOST_TEST((code_of(link::issue_certificate(again, now())) == errc::none));
  BOOST_TEST(text_of(file("n1", ".crt")) != before);
  BOOST_TEST(mode_of(file("n1", ".key")) == 0600U);
}

// finding D3
BOOST_AUTO_TEST_CASE(certificate_carries_what_its_holder_may_do) {
  const auto of = [&](const std::string& name, std::vector<core::grant> access,
                      link::holder kind = link::holder::peer) {
    auto wanted = request(*this, name);
    wanted.kind = kind;
    wanted.access = std::move(access);
    BOOST_REQUIRE((code_of(link::issue_certificate(wanted, now())) == errc::none));
    const auto read = link::read_certificate(file(name, ".crt"));
    BOOST_REQUIRE(read);
    return link::principal_of(read.get(), {core::role::producer});
  };
  using core::role;
  const std::vector<core::grant> several{{role::contributor, "ana ,:%=?#/\"\xc3\xbc"},
                                         {role::worker, "resizer-1"},
                                         {role::producer, {}}};
  const auto peer = of("p1", several);
  BOOST_TEST(!peer.is_node);
  BOOST_TEST((peer.grants == several));
  BOOST_TEST((peer.roles() == core::role_set{role::contributor, role::worker, role::producer}));
  // One of the time before there were roles has those that the node gives to such.
  const auto older = of("p2", {});
  BOOST_TEST((older.grants == std::vector<core::grant>{{role::producer, {}}}));
  const auto node = of("n9", several, link::holder::node);
  BOOST_TEST(node.is_node);
}

BOOST_AUTO_TEST_CASE(names_hosts_and_roles_are_in_the_certificate) {
  auto wanted = request(*this, "n1");
  wanted.kind = link::holder::node;
  wanted.hosts = {"n1.example.org", "10.0.0.1", "::1"};
  wanted.roles = {"nodes"};
  BOOST_REQUIRE((code_of(link::issue_certificate(wanted, now())) == errc::none));
  const auto names = link::names_in(file("n1", ".crt"));
  BOOST_REQUIRE(names);
  BOOST_TEST(*names == (std::vector<std::string>{"n1", "n1.example.org", "nodes"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(malformed_names_are_refused) {
  for (const auto* name : {"", "ca", "N1", "n 1", "../n1", "-n1", "n1.", "n1,DNS:node", "n\n1"})
    BOOST_TEST(
        (code_of(link::issue_certificate(request(*this, name), now())) == errc::invalid_argument),
        name);
  BOOST_TEST((code_of(link::issue_certificate(request(*this, std::string(64, 'x')), now()))
              == errc::invalid_argument));
  BOOST_TEST((code_of(link::issue_certificate(request(*this, std::string(63, 'x')), now()))
              == errc::none));
  auto with_role = request(*this, "n1");
  with_role.roles = {"a,DNS:node"};
  BOOST_TEST((code_of(link::issue_certificate(with_role, now())) == errc::invalid_argument));
  auto endless = request(*this, "n1");
  endless.days = 0;
  BOOST_TEST((code_of(link::issue_certificate(endless, now())) == errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(revoking_needs_a_certificate_of_ours_and_happens_once) {
  issue("eve", link::holder::peer);
  const auto revoke_it = [&](const std::string& path) {
    return code_of(link::revoke_certificate(directory(), path, now()));
  };
  BOOST_TEST((revoke_it(file("nobody", ".crt")) == errc::not_found));
  BOOST_TEST((revoke_it(file("eve", ".crt")) == errc::none));
  BOOST_TEST((revoke_it(file("eve", ".crt")) == errc::already_exists));
  certificates others;
  others.issue("bob", link::holder::peer);
  BOOST_TEST((revoke_it(others.file("bob", ".crt")) == errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(directory_without_an_authority_is_told) {
  auto wanted = request(*this, "n1");
  wanted.directory = directory() + "/nowhere";
  BOOST_TEST((code_of(link::issue_certificate(wanted, now())) == errc::not_found));
}

BOOST_AUTO_TEST_SUITE_END()
