// How much of a step one contributor may do, as the step keeps to it.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

std::string step_with_cap(const std::string& cap, const std::string& more = {}) {
  return R"({"name": "capped", "steps": [{"key": "label", "judgments_per_unit": 2)"
         + (cap.empty() ? std::string{} : R"(, "units_per_contributor": )" + cap) + more + "}]}";
}

struct capping_node : node_fixture {
  capping_node() { start(); }

  bool is_capped(const core::step_id& step, const std::string& who) {
    const auto asked = assign(step, who);
    const bool capped = asked.code() == core::errc::not_qualified;
    if (capped)
      BOOST_TEST(asked.error->detail.find("one contributor may do") != std::string::npos);
    return capped;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(contributor_caps, capping_node)

BOOST_AUTO_TEST_CASE(contributor_gets_so_many_units_and_others_go_on) {
  const auto step = create(step_with_cap(R"({"count": 2})"));
  feed(step, 5);
  work(step, "ana");
  work(step, "ana");
  BOOST_TEST(is_capped(step, "ana"));
  work(step, "bob");
  restart();
  BOOST_TEST(is_capped(step, "ana"));
  work(step, "bob");
  BOOST_TEST(is_capped(step, "bob"));
  const auto why = call(msg::explain_contributor{step, "ana"});
  BOOST_REQUIRE(why.value);
  BOOST_TEST(why.value->reasons.at(0).code == "cap_reached");
}

BOOST_AUTO_TEST_CASE(leases_in_hand_count_and_those_that_are_given_back_do_not) {
  const auto step = create(step_with_cap(R"({"count": 1})"));
  feed(step, 3);
  const auto lease = assigned(step, "ana");
  BOOST_TEST(is_capped(step, "ana"));
  BOOST_REQUIRE(release(lease, "ana").value);
  BOOST_TEST(assign(step, "ana").value.has_value());
}

BOOST_AUTO_TEST_CASE(share_follows_the_units_of_the_step) {
  const auto step = create(step_with_cap(R"({"share": 0.5})"));
  feed(step, 2);
  work(step, "ana");
  BOOST_TEST(is_capped(step, "ana"));
  feed(step, 2, 2);
  work(step, "ana");
  BOOST_TEST(is_capped(step, "ana"));
}

BOOST_AUTO_TEST_CASE(test_questions_count_as_units_do) {
  const auto step = create(step_with_cap(
      R"({"count": 3})", R"(, "test_questions": {"quiz": 2, "quiz_pass": 0.5, "every": 1000})"));
  msg::add_test_questions request{step, {}};
  for (const auto* key : {"t1", "t2", "t3"})
    request.rows.push_back({key, R"({"n":1})", R"({"answer":"red"})"});
  BOOST_REQUIRE(call(std::move(request)).value);
  feed(step, 5);
  for (int i = 0; i < 3; ++i)
    work(step, "ana");
  BOOST_TEST(is_capped(step, "ana"));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
