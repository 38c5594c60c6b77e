#include "core/quality/trust.hpp"

#include "core/invariant.hpp"
#include "core/quality/incomplete_beta.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::core::quality {

double trust::quantile(double p) const { return beta_quantile(right, wrong, p); }

double trust::chance_below(double threshold) const {
  return incomplete_beta(right, wrong, threshold);
}

trust trust_after(const trust& before, const test_record& record) {
  HOLDFAST_INVARIANT(record.right <= record.asked, "a right answer was asked for");
  return {before.right + record.right, before.wrong + (record.asked - record.right)};
}

trust trust_of(double mean, std::uint32_t asked) {
  const auto total = prior_right + prior_wrong + asked;
  const auto right = std::clamp(std::round(mean * total), prior_right, prior_right + asked);
  return {right, total - right};
}

std::vector<test_record> test_records(const answers& given, const known_labels& truth) {
  HOLDFAST_INVARIANT(truth.empty() || truth.size() == given.units(),
                     "the caller has one entry per unit");
  std::vector<test_record> records(given.contributors);
  for (std::size_t unit = 0; unit < truth.size(); ++unit) {
    if (truth[unit] == unknown_label)
      continue;
    for (const auto& one : given.of(unit)) {
      ++records[one.contributor].asked;
      records[one.contributor].right += one.label == truth[unit] ? 1 : 0;
    }
  }
  return records;
}

std::vector<double> mean_trust(const std::vector<test_record>& records, const trust& before) {
  std::vector<double> means;
  means.reserve(records.size());
  for (const auto& record : records)
    means.push_back(trust_after(before, record).mean());
  return means;
}

} // namespace holdfast::core::quality
