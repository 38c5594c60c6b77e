// A model that learns anew knows what units have decided meanwhile, and nothing that they have
// undone. A33

#include "core/relearning.hpp"

#include "core/answer_model.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast;
using votes = std::vector<core::step_history::vote>;

namespace {

core::unit_id learned_unit(std::uint8_t number) {
  core::unit_id id;
  id.value.bytes[15] = number;
  return id;
}

std::string text(const votes& all) {
  std::string lines;
  for (const auto& vote : all)
    lines += vote.contributor + ' ' + std::to_string(vote.unit.value.bytes[15]) + ' ' + vote.answer
             + ", ";
  return lines;
}

} // namespace

BOOST_AUTO_TEST_SUITE(relearning)

BOOST_AUTO_TEST_CASE(fresh_results_are_learned_and_undone_ones_are_not) {
  const votes stored{{"ana", learned_unit(1), "x"},
                     {"eve", learned_unit(1), "y"},
                     {"eve", learned_unit(2), "x"},
                     {"eve", learned_unit(3), "x"},
                     {"bob", learned_unit(2), "y"}};
  const votes counted{
      {"ana", learned_unit(1), "x"}, {"eve", learned_unit(2), "x"}, {"ana", learned_unit(4), "y"}};
  // Of eve only a finished unit is beyond doubt.
  const auto doubtful = [](const core::step_history::vote& vote) {
    return vote.contributor == "eve" && !(vote.unit == learned_unit(3));
  };
  BOOST_TEST(text(core::votes_to_relearn(stored, counted, doubtful))
             == "ana 1 x, eve 2 x, eve 3 x, bob 2 y, ana 4 y, ");
  BOOST_TEST(text(core::votes_to_relearn(stored, {}, [](const auto&) { return false; }))
             == text(stored));
  BOOST_TEST(text(core::votes_to_relearn({}, counted, doubtful)) == text(counted));
}

BOOST_AUTO_TEST_CASE(a_model_says_what_it_counts) {
  core::answer_model model{{"x", "y"}};
  BOOST_TEST(model.counted().empty());
  model.hold(learned_unit(9), "x");
  model.add(learned_unit(2), "ana", "y");
  model.add(learned_unit(1), "eve", "x");
  model.add(learned_unit(1), "ana", "x");
  model.add(learned_unit(1), "ana", "y"); // counts once
  BOOST_TEST(text(model.counted()) == "ana 2 y, ana 1 x, eve 1 x, ");
  model.withdraw("ana");
  BOOST_TEST(text(model.counted()) == "eve 1 x, ");
  model.add(learned_unit(1), "ana", "y");
  BOOST_TEST(text(model.counted()) == "ana 1 y, eve 1 x, ");
}

BOOST_AUTO_TEST_SUITE_END()
