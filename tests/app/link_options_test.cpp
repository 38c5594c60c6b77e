// What the options of the link say about ways to other nodes.

#include "app/node_link.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>

namespace app = holdfast::app;
namespace client = holdfast::client;
namespace config = holdfast::config;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(ways_to_nodes)

BOOST_AUTO_TEST_CASE(credentials_and_deadlines_are_those_of_the_options) {
  config::settings settings;
  client::endpoint plain;
  app::use_link(plain, settings);
  BOOST_TEST(!plain.tls.has_value());
  settings.link.certificate = "me.crt";
  settings.link.ca = "ca.crt";
  settings.link.dial_deadline = 7s;
  settings.link.stall_deadline = 40s;
  client::endpoint secured;
  app::use_link(secured, settings);
  BOOST_REQUIRE(secured.tls.has_value());
  BOOST_TEST(secured.tls->certificate == "me.crt");
  BOOST_TEST(secured.tls->authority == "ca.crt");
  BOOST_TEST((secured.dial_deadline == 7s));
  BOOST_TEST((secured.stall_deadline == 40s));
}

BOOST_AUTO_TEST_SUITE_END()
