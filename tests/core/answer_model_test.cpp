// The model of a live step: `quality::incremental` under the names of the step. A33

#include "core/answer_model.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast;
using core::answer_model;
using core::unit_id;

namespace {

unit_id unit(std::uint8_t n) {
  unit_id id;
  id.value.bytes[15] = n;
  return id;
}

const std::vector<std::string> labels{"cat", "dog"};

} // namespace

BOOST_AUTO_TEST_SUITE(models)

BOOST_AUTO_TEST_CASE(judgment_weighs_as_much_as_its_contributor_was_right_elsewhere) {
  answer_model model{labels};
  // On thirty test questions ana is right and bob is not.
  for (std::uint8_t n = 1; n <= 30; ++n) {
    model.hold(unit(n), n % 2 == 0 ? "cat" : "dog");
    model.add(unit(n), "ana", n % 2 == 0 ? "cat" : "dog");
    model.add(unit(n), "bob", n % 3 == 0 ? "cat" : "dog");
  }
  model.add(unit(99), "ana", "cat");
  model.add(unit(99), "bob", "dog");
  const auto opinion = model.opinion_of(unit(99));
  BOOST_TEST(opinion.judgments == 2U);
  BOOST_TEST(opinion.shares[0] > 0.8);
  BOOST_TEST(opinion.shares[0] + opinion.shares[1] == 1.0, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(withdrawn_contributor_leaves_nothing_behind) {
  answer_model with{labels};
  answer_model without{labels};
  for (std::uint8_t n = 1; n <= 40; ++n)
    for (const auto* who : {"ana", "bob", "joe"}) {
      const auto* answer = (n + who[0]) % 3 == 0 ? "cat" : "dog";
      with.add(unit(n), who, answer);
      without.add(unit(n), who, answer);
    }
  // Eve comes last: what the others' units are taken for had been found without her.
  with.add(unit(50), "eve", "cat");
  with.withdraw("eve");
  for (std::uint8_t n = 1; n <= 40; ++n)
    BOOST_TEST(with.opinion_of(unit(n)).shares == without.opinion_of(unit(n)).shares,
               boost::test_tools::per_element());
  BOOST_TEST(with.opinion_of(unit(50)).judgments == 0U);
  with.withdraw("nobody");
}

BOOST_AUTO_TEST_CASE(of_a_unit_nobody_has_seen_nothing_is_known) {
  const answer_model model{labels};
  const auto opinion = model.opinion_of(unit(1));
  BOOST_TEST(opinion.judgments == 0U);
  BOOST_TEST(opinion.shares[0] == 0.5);
}

BOOST_AUTO_TEST_CASE(a_judgment_counts_once_and_a_truth_without_a_label_says_nothing) {
  answer_model model{labels};
  model.add(unit(1), "ana", "cat");
  model.add(unit(1), "ana", "dog");
  BOOST_TEST(model.opinion_of(unit(1)).judgments == 1U);
  model.hold(unit(1), "bird");
  BOOST_TEST(model.opinion_of(unit(1)).shares[0] < 1.0);
  model.hold(unit(1), "dog");
  BOOST_TEST(model.opinion_of(unit(1)).shares[1] == 1.0);
}

BOOST_AUTO_TEST_SUITE_END()
