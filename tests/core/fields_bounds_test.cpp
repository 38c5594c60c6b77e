// Fields of judgments where samples, shortcuts and extreme settings stand for the whole.

#include "core/fields/combine.hpp"
#include "core/fields/whole_step.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace holdfast::core::fields {

BOOST_AUTO_TEST_SUITE(bounds_of_fields)

// Sets of one option have the nominal distance, which categories count over all pairs.
BOOST_AUTO_TEST_CASE(alpha_of_sampled_pairs_is_near_alpha_of_all_pairs) {
  test::random_source random{5};
  std::vector<step_value> labels;
  std::vector<step_value> sets;
  constexpr std::uint32_t units = 30'000;
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    const auto truth = random.below(4);
    for (std::uint32_t who = 0; who < 5; ++who) {
      const auto label = std::to_string(random.below(10) == 0 ? random.below(4) : truth);
      labels.push_back({unit, who, label});
      sets.push_back({unit, who, std::vector<std::string>{label}});
    }
  }
  field_rule category;
  field_rule set;
  set.kind = field_kind::set;
  set.method = field_method::options;
  const auto exact = alpha(category, units, labels).value();
  BOOST_TEST(std::abs(alpha(set, units, sets).value() - exact) < 0.003);
}

BOOST_AUTO_TEST_CASE(trimming_half_of_the_weight_leaves_the_median) {
  field_rule rule;
  rule.kind = field_kind::number;
  rule.method = field_method::trimmed_mean;
  rule.trim = 0.5;
  BOOST_TEST(std::get<double>(combine(rule, {{1.0}, {3.0}}).answer) == 2);
  BOOST_TEST(std::get<double>(combine(rule, {{1.0}, {3.0}, {8.0}}).answer) == 3);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::core::fields
