// Entity tags, and the conditions that name them.

#include "http/entity_tag.hpp"

#include <boost/test/unit_test.hpp>

#include <string_view>

using namespace holdfast;
using namespace holdfast::http;

BOOST_AUTO_TEST_SUITE(entity_tags)

BOOST_AUTO_TEST_CASE(a_tag_is_the_same_for_the_same_body_alone) {
  BOOST_TEST(entity_tag_of("{}", "") == entity_tag_of("{}", ""));
  BOOST_TEST(entity_tag_of("{}", "") != entity_tag_of("{ }", ""));
  // The offset basis of FNV-1a: a tag must not change from one version of the program to the next.
  BOOST_TEST(entity_tag_of("", "") == "W/\"cbf29ce484222325\"");
  BOOST_TEST(entity_tag_of("a", "") == "W/\"af63dc4c8601ec8c\"");
}

BOOST_AUTO_TEST_CASE(a_version_stands_in_front_of_the_hash) {
  BOOST_TEST(entity_tag_of("", "3") == "\"3-cbf29ce484222325\"");
  msg::workflow_view workflow;
  workflow.version = 7;
  BOOST_TEST(version_in_tag(workflow) == "7");
  BOOST_TEST(version_in_tag(msg::step_view{}) == "");
}

BOOST_AUTO_TEST_CASE(a_condition_names_one_tag_or_several_or_any) {
  constexpr std::string_view tag = "W/\"a,b\"";
  for (const std::string_view condition :
       {"W/\"a,b\"", "\"a,b\"", "\"x\", W/\"a,b\"", "\"x\",\"a,b\"", "*", " * "})
    BOOST_TEST(names_tag(condition, tag), condition);
  for (const std::string_view condition :
       {"", " ", "W/\"a\"", "\"a\", \"b\"", "a,b", "\"a,b", "W/", "\""})
    BOOST_TEST(!names_tag(condition, tag), condition);
}

BOOST_AUTO_TEST_SUITE_END()
