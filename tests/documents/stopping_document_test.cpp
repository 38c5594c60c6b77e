#include "documents/stopping_document.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using holdfast::documents::read_stopping_rule;

namespace {

std::string problem_of(const std::string& json) {
  const auto rule = read_stopping_rule(json);
  BOOST_REQUIRE_MESSAGE(!rule, json);
  BOOST_TEST((rule.error().code == holdfast::core::errc::payload_invalid));
  return rule.error().detail;
}

} // namespace

BOOST_AUTO_TEST_SUITE(stopping_documents)

BOOST_AUTO_TEST_CASE(a_fixed_number_is_least_and_most) {
  const auto rule = read_stopping_rule(R"({"judgments_per_unit": 7})");
  BOOST_REQUIRE(rule);
  BOOST_TEST((rule->min == 7 && rule->max == 7 && !rule->stop_at && !rule->curtail));
}

BOOST_AUTO_TEST_CASE(a_flexible_number_has_a_confidence_to_stop_at) {
  const auto rule = read_stopping_rule(R"({"min": 2, "max": 5, "stop_at": 0.9})");
  BOOST_REQUIRE(rule);
  BOOST_TEST((rule->min == 2 && rule->max == 5 && rule->stop_at == 0.9 && !rule->curtail));
}

BOOST_AUTO_TEST_CASE(curtailing_may_stop_a_fixed_number_early) {
  const auto rule = read_stopping_rule(R"({"judgments_per_unit": 5, "curtail": true})");
  BOOST_REQUIRE(rule);
  BOOST_TEST((rule->min == 1 && rule->max == 5 && rule->curtail));
}

BOOST_AUTO_TEST_CASE(curtailing_keeps_the_least_that_is_asked_for) {
  const auto rule = read_stopping_rule(R"({"min": 4, "max": 5, "curtail": true})");
  BOOST_REQUIRE(rule);
  BOOST_TEST((rule->min == 4 && rule->max == 5 && rule->curtail));
  const auto least = read_stopping_rule(R"({"max": 5, "curtail": true})");
  BOOST_REQUIRE(least);
  BOOST_TEST(least->min == 1U);
  const auto either =
      read_stopping_rule(R"({"min": 2, "max": 5, "stop_at": 0.9, "curtail": true})");
  BOOST_REQUIRE(either);
  BOOST_TEST((either->min == 2 && either->stop_at == 0.9 && either->curtail));
}

BOOST_AUTO_TEST_CASE(problems_name_the_member) {
  BOOST_TEST(problem_of("{}").find("max") != std::string::npos);
  BOOST_TEST(problem_of(R"({"min": 3, "max": 2})").find("max") != std::string::npos);
  BOOST_TEST(problem_of(R"({"min": 0, "max": 2})").find("/min") != std::string::npos);
  BOOST_TEST(problem_of(R"({"judgments_per_unit": 0})").find("1000") != std::string::npos);
  BOOST_TEST(problem_of(R"({"judgments_per_unit": 1001})").find("1000") != std::string::npos);
  BOOST_TEST(problem_of(R"({"judgments_per_unit": 3, "max": 5})").find("excludes")
             != std::string::npos);
  BOOST_TEST(problem_of(R"({"min": 1, "max": 5, "stop_at": 1.5})").find("stop_at")
             != std::string::npos);
  BOOST_TEST(problem_of(R"({"max": 5, "curtail": 1})").find("curtail") != std::string::npos);
  BOOST_TEST(problem_of(R"({"max": 5, "stop": 0.9})").find("stop") != std::string::npos);
  BOOST_TEST(!problem_of("dynamic").empty());
}

BOOST_AUTO_TEST_SUITE_END()
