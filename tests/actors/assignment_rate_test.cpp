// Contributors who ask a step too often are told to come later, and nobody else is.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

constexpr const char* bounded = R"({"name": "colours", "steps": [{"key": "label",
    "judgments_per_unit": 1,
    "assignment_rate": {"per_second": 3, "per_contributor_per_minute": 6}}]})";

} // namespace

BOOST_FIXTURE_TEST_SUITE(assignment_rates, node_fixture)

// A150, A151
BOOST_AUTO_TEST_CASE(contributor_who_asks_too_often_is_told_when_to_come_again) {
  start();
  const auto step = create(bounded);
  feed(step, 10);
  const auto first = assigned(step, "ana");
  const auto refused = assign(step, "ana");
  BOOST_TEST((refused.code() == core::errc::rate_limited));
  BOOST_REQUIRE(refused.error);
  BOOST_TEST((refused.error->retry_after == 10s));
  BOOST_TEST(refused.error->detail.find("6 assignments a minute") != std::string::npos);
  // Neither the work on the first unit nor anybody else is held up.
  BOOST_TEST(submit(first, "ana").value.has_value());
  advance(1s);
  assigned(step, "bob");
  advance(9s);
  assigned(step, "ana");
}

BOOST_AUTO_TEST_CASE(request_that_is_repeated_counts_once) {
  start();
  const auto step = create(bounded);
  feed(step, 10);
  const auto first = assigned(step, "ana");
  const auto again = call(msg::ask_assignment{step, "ana", first.id});
  BOOST_REQUIRE(again.value);
  BOOST_TEST((again.value->unit == first.unit));
}

BOOST_AUTO_TEST_CASE(step_gives_no_more_than_its_rate) {
  start();
  const auto step = create(bounded);
  const auto unbounded = create();
  feed(step, 10);
  feed(unbounded, 10);
  assigned(step, "eve");
  advance(1s);
  for (const auto* who : {"ana", "bob", "cid"})
    assigned(step, who);
  const auto refused = assign(step, "dan");
  BOOST_TEST((refused.code() == core::errc::rate_limited));
  BOOST_REQUIRE(refused.error);
  BOOST_TEST(refused.error->detail.find("3 assignments a second") != std::string::npos);
  assigned(unbounded, "dan");
  advance(1s);
  assigned(step, "dan");
}

BOOST_AUTO_TEST_CASE(bound_of_a_later_version_holds_at_once) {
  start();
  const auto step = create(bounded);
  feed(step, 10);
  assigned(step, "ana");
  BOOST_TEST((assign(step, "ana").code() == core::errc::rate_limited));
  msg::update_workflow update;
  update.step = step;
  update.version = 1;
  update.definition =
      R"({"name": "colours", "steps": [{"key": "label", "judgments_per_unit": 1}]})";
  BOOST_REQUIRE(call(update).value);
  assigned(step, "ana");
}

BOOST_AUTO_TEST_CASE(rate_out_of_bounds_is_refused_at_its_place) {
  start();
  for (const auto* rate : {R"({"per_second": -1})", R"({"per_second": 1e9})",
                           R"({"per_contributor_per_minute": 0.01})", R"({"per_hour": 1})"}) {
    const auto refused =
        call(msg::create_workflow{fresh<core::workflow_id>(),
                                  R"({"name": "w", "steps": [{"key": "label", "assignment_rate": )"
                                      + std::string{rate} + "}]}"});
    BOOST_TEST((refused.code() == core::errc::payload_invalid), rate);
    BOOST_REQUIRE(refused.error);
    BOOST_TEST(refused.error->detail.find("/steps/0/assignment_rate/") != std::string::npos,
               refused.error->detail);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
