#include "core/contributor_cap.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::core {

namespace {

/// So that a tenth of ten is one, whatever a tenth is in binary.
constexpr double rounding = 1e-9;

} // namespace

std::optional<std::uint64_t> most_of(const contributor_cap& cap, std::uint64_t units) {
  if (!cap.is_set())
    return std::nullopt;
  std::optional<std::uint64_t> most;
  if (cap.count > 0)
    most = cap.count;
  if (cap.share > 0) {
    const auto share =
        static_cast<std::uint64_t>(std::floor(cap.share * static_cast<double>(units) + rounding));
    most = std::min(most.value_or(share), share);
  }
  return std::max<std::uint64_t>(*most, 1);
}

std::vector<definition_problem> problems_of(const contributor_cap& cap) {
  std::vector<definition_problem> problems;
  if (cap.count > cap_count_max)
    problems.push_back({"/count", "must be between 1 and " + std::to_string(cap_count_max)});
  if (!(cap.share >= 0 && cap.share <= 1))
    problems.push_back({"/share", "must be above 0 and at most 1"});
  return problems;
}

std::uint64_t people_needed(const contributor_cap& cap, std::uint32_t judgments_per_unit) {
  if (!(cap.share > 0))
    return 1;
  return static_cast<std::uint64_t>(std::ceil(judgments_per_unit / cap.share - rounding));
}

contributor_tally::contributor_tally(const step_history& history) {
  if (history.judged)
    for (const auto& one : *history.judged)
      of_[one.contributor] += one.units;
  for (const auto& one : history.asked_questions)
    if (one.correct)
      ++of_[one.contributor];
}

void contributor_tally::taken_back(const contributor_id& contributor) {
  const auto found = of_.find(contributor);
  if (found != of_.end() && found->second > 0)
    --found->second;
}

std::uint64_t contributor_tally::of(const contributor_id& contributor) const {
  const auto found = of_.find(contributor);
  return found == of_.end() ? 0 : found->second;
}

std::string text_of_cap(std::uint64_t done, std::uint64_t held, std::uint64_t most) {
  const auto units = [](std::uint64_t number) {
    return std::to_string(number) + (number == 1 ? " unit" : " units");
  };
  auto text = "one contributor may do " + units(most) + " of this step, and you have handed in "
              + std::to_string(done);
  if (held > 0)
    text += " and hold " + std::to_string(held);
  return text + ": thank you";
}

} // namespace holdfast::core
