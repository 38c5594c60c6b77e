// finding C10: judges who had a part in a result are kept from its review.

#include "core/exclusion.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast::core;

namespace {

using names = std::vector<std::string>;

/// Sent back once, then reviewed twice: the unit that goes on comes first.
const std::vector<judged_part> reviewed_twice{{false, true, {"rex"}},
                                              {false, true, {"bob", "task:q/check"}},
                                              {true, false, {"cid", "ana", "task:q/label"}},
                                              {false, true, {"sue"}},
                                              {true, false, {"dan", "ana"}}};

} // namespace

BOOST_AUTO_TEST_SUITE(exclusions)

BOOST_AUTO_TEST_CASE(authors_are_those_of_the_result_and_of_the_reviews_since) {
  BOOST_TEST((excluded(exclusion::authors, reviewed_twice) == names{"ana", "bob", "cid", "rex"}));
  BOOST_TEST((excluded(exclusion::authors, {{false, false, {"ana"}}, {false, false, {"bob"}}})
              == names{"ana"}));
}

BOOST_AUTO_TEST_CASE(a_step_is_kept_from_its_judges_in_every_round) {
  BOOST_TEST((excluded(exclusion::who_was_asked, reviewed_twice) == names{"ana", "cid", "dan"}));
}

BOOST_AUTO_TEST_CASE(tasks_are_excluded_with_the_whole_chain_only) {
  BOOST_TEST((excluded(exclusion::chain, reviewed_twice)
              == names{"ana", "bob", "cid", "dan", "rex", "sue", "task:q/check", "task:q/label"}));
  BOOST_TEST(excluded(exclusion::nobody, reviewed_twice).empty());
}

BOOST_AUTO_TEST_SUITE_END()
