// The processes that may start under the name of a node.

#include "core/name_claim.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using core::claim_verdict;
using core::name_claim;
using core::name_holder;

core::incarnation_id process_number(std::uint8_t number) {
  core::incarnation_id made;
  made.value.bytes[15] = number;
  return made;
}

core::instant moment_after(core::duration span) { return core::from_micros(1'000'000'000) + span; }

name_holder holder(std::uint8_t number, core::duration lease_ends_after) {
  return {process_number(number), "10.0.0." + std::to_string(number) + ":4747",
          moment_after(lease_ends_after)};
}

BOOST_AUTO_TEST_SUITE(name_of_a_node)

BOOST_AUTO_TEST_CASE(is_free_when_nobody_has_it) { // finding E3
  name_claim claim{{}, 5s};
  BOOST_TEST((claim.look({}, moment_after(0s)) == claim_verdict::free));
}

BOOST_AUTO_TEST_CASE(is_taken_while_its_holder_renews_its_lease) { // finding E3
  name_claim claim{{}, 5s};
  BOOST_TEST((claim.look({holder(1, 5s)}, moment_after(0s)) == claim_verdict::wait));
  BOOST_TEST((claim.look({holder(1, 5s)}, moment_after(1s)) == claim_verdict::wait));
  BOOST_TEST((claim.look({holder(1, 6s)}, moment_after(2s)) == claim_verdict::taken));
  BOOST_TEST(claim.holder().address == "10.0.0.1:4747");
}

BOOST_AUTO_TEST_CASE(is_free_when_the_lease_of_its_holder_is_over) { // finding E3
  name_claim claim{{}, 5s};
  BOOST_TEST((claim.look({holder(1, 5s)}, moment_after(0s)) == claim_verdict::wait));
  BOOST_TEST((claim.look({}, moment_after(1s)) == claim_verdict::free));
}

BOOST_AUTO_TEST_CASE(is_free_at_once_after_an_earlier_life_of_the_same_process) { // finding E3
  name_claim claim{process_number(1), 5s};
  BOOST_TEST((claim.look({holder(1, 5s)}, moment_after(0s)) == claim_verdict::free));
  name_claim beside_another{process_number(1), 5s};
  BOOST_TEST((beside_another.look({holder(1, 5s), holder(2, 5s)}, moment_after(0s))
              == claim_verdict::wait));
}

BOOST_AUTO_TEST_CASE(is_not_held_for_long_by_a_clock_that_was_put_back) { // findings E3, R4
  name_claim claim{{}, 5s};
  BOOST_TEST((claim.look({holder(1, 3600s)}, moment_after(0s)) == claim_verdict::wait));
  BOOST_TEST((claim.look({holder(1, 3600s)}, moment_after(4999ms)) == claim_verdict::wait));
  BOOST_TEST((claim.look({holder(1, 3600s)}, moment_after(5s)) == claim_verdict::free));
}

BOOST_AUTO_TEST_CASE(is_taken_by_one_of_several_that_lives) { // finding E3
  name_claim claim{{}, 5s};
  BOOST_TEST((claim.look({holder(1, 5s), holder(2, 5s)}, moment_after(0s)) == claim_verdict::wait));
  BOOST_TEST(
      (claim.look({holder(1, 5s), holder(2, 6s)}, moment_after(1s)) == claim_verdict::taken));
  BOOST_TEST(claim.holder().address == "10.0.0.2:4747");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
