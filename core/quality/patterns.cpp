#include "core/quality/patterns.hpp"

#include "core/invariant.hpp"
#include "core/quality/incomplete_beta.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace holdfast::core::quality {

namespace {

constexpr double share_min = 0.01;

/// The part of all answers that makes a pattern strong.
constexpr double strong = 0.9;

} // namespace

void answer_pattern::observe(std::uint32_t label, std::uint64_t payload) {
  HOLDFAST_INVARIANT(label < of_label_.size(), "the step knows its labels");
  if (count_ > 0 && label != last_)
    ++changes_;
  run_ = label == last_ ? run_ + 1 : 1;
  longest_run_ = std::max(longest_run_, run_);
  last_ = label;
  ++count_;
  ++of_label_[label];
  ++payloads_[payload];
}

answer_pattern::repeated_payload answer_pattern::commonest_payload() const {
  repeated_payload most;
  for (const auto& [payload, times] : payloads_)
    if (std::tie(most.times, most.payload) < std::tie(times, payload))
      most = {payload, times};
  return most;
}

pattern_chances chances_of(const answer_pattern& seen, const step_habits& others) {
  pattern_chances result;
  const auto count = static_cast<double>(seen.count());
  const auto labels = static_cast<double>(others.label_shares.size());
  double most = share_min;
  double same = 0;
  for (std::uint32_t label = 0; label < others.label_shares.size(); ++label) {
    const auto share = std::clamp(others.label_shares[label], share_min, 1.0);
    most = std::max(most, share);
    same += share * share;
    const auto tail =
        binomial_tail(static_cast<double>(seen.of_label(label)), count, share) * labels;
    result.constant = std::min(result.constant, tail);
  }
  if (seen.longest_run() > 0) {
    const auto run = static_cast<double>(seen.longest_run());
    result.run = std::min(1.0, (count - run + 1) * std::pow(most, run) * labels);
  }
  if (seen.count() > 1)
    result.alternating = binomial_tail(static_cast<double>(seen.changes()), count - 1,
                                       std::clamp(1 - same, share_min, 1 - share_min));
  result.identical = binomial_tail(static_cast<double>(seen.commonest_payload().times), count,
                                   std::clamp(others.payload_share, share_min, 1.0));
  return result;
}

pattern_flags flags_of(const answer_pattern& seen, const step_habits& others) {
  const auto chances = chances_of(seen, others);
  const auto count = static_cast<double>(seen.count());
  std::uint64_t commonest = 0;
  for (std::uint32_t label = 0; label < others.label_shares.size(); ++label)
    commonest = std::max(commonest, seen.of_label(label));
  const auto flagged = [](std::uint64_t strength, double least, double chance) {
    return static_cast<double>(strength) >= least && chance < pattern_chance_max;
  };
  return {flagged(commonest, strong * count, chances.constant),
          flagged(seen.longest_run(), count / 2, chances.run),
          flagged(seen.changes(), strong * (count - 1), chances.alternating),
          flagged(seen.commonest_payload().times, strong * count, chances.identical)};
}

} // namespace holdfast::core::quality
