#include "client/endpoint.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>

namespace client = holdfast::client;
namespace core = holdfast::core;

BOOST_AUTO_TEST_SUITE(endpoint)

// D3: what a program is told about the nodes of a cluster, in one text.
BOOST_AUTO_TEST_CASE(several_nodes_are_read_with_the_credentials_for_all) {
  const auto nodes =
      client::endpoints_of(" n1.example.org:4747,N2:1 ", {{"me.crt", "me.key", "ca.crt", ""}});
  BOOST_REQUIRE(nodes);
  BOOST_REQUIRE(nodes->size() == 2U);
  BOOST_TEST(nodes->front().host == "n1.example.org");
  BOOST_TEST(nodes->front().port == 4747);
  BOOST_TEST(nodes->back().host == "n2");
  BOOST_TEST(nodes->back().port == 1);
  for (const auto& node : *nodes) {
    BOOST_REQUIRE(node.tls);
    BOOST_TEST(node.tls->key == "me.key");
    BOOST_TEST(node.expected_name.empty());
  }
}

BOOST_AUTO_TEST_CASE(plain_nodes_have_no_credentials) {
  const auto nodes = client::endpoints_of("127.0.0.1:65535", std::nullopt);
  BOOST_REQUIRE(nodes);
  BOOST_TEST(nodes->front().port == 65535);
  BOOST_TEST(!nodes->front().tls);
}

BOOST_AUTO_TEST_CASE(addresses_of_ipv6_may_stand_in_brackets) {
  for (const auto* text : {"[::1]:4747", "::1:4747"}) {
    const auto node = client::endpoint_of(text);
    BOOST_REQUIRE_MESSAGE(node, text);
    BOOST_TEST(node->host == "::1");
    BOOST_TEST(node->port == 4747);
  }
}

BOOST_AUTO_TEST_CASE(malformed_endpoint_is_refused_with_its_text) {
  for (const auto* text :
       {"n1", "n1:", ":4747", "[]:4747", "n1:0", "n1:65536", "n1:-1", "n1:47x", "n1:http"}) {
    const auto nodes = client::endpoints_of("n2:4747, " + std::string{text}, std::nullopt);
    BOOST_REQUIRE_MESSAGE(!nodes, text);
    BOOST_TEST((nodes.error().code == core::errc::invalid_argument));
    BOOST_TEST(nodes.error().detail.find(text) != std::string::npos, nodes.error().detail);
  }
}

BOOST_AUTO_TEST_CASE(no_node_at_all_is_refused) {
  for (const auto* text : {"", " ", ","})
    BOOST_TEST(!client::endpoints_of(text, std::nullopt), "'" << text << "'");
}

BOOST_AUTO_TEST_SUITE_END()
