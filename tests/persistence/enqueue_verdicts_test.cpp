// `holdfast.enqueue` lets in what a node lets in: see tests/actors/enqueue_verdicts_test.cpp.

#include "tests/persistence/conformance.hpp"
#include "tests/support/enqueue_inputs.hpp"

namespace holdfast::test {

BOOST_AUTO_TEST_SUITE(enqueue_verdicts)

// finding Q8
BOOST_AUTO_TEST_CASE(function_takes_and_refuses_what_the_message_does) {
  store_fixture<postgres_world> f;
  BOOST_TEST(
      is(f.write({core::put_queue{"mail", enqueue_policy, false, {}, 1, at(0)}}), committed));
  value_of(f.db->publish_limits({static_cast<std::uint32_t>(enqueue_limits.bytes_max),
                                 static_cast<std::uint32_t>(enqueue_limits.depth_max)}));
  for (auto& input : enqueue_inputs()) {
    input.task.spec.id = {f.ids.next(at(1))};
    const auto staged = f.world.stage("mail", input.task);
    BOOST_TEST(static_cast<bool>(staged) == input.good,
               input.what << ": " << (staged ? "taken" : staged.error().detail));
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
