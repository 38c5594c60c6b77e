#include "core/sweep.hpp"

namespace holdfast::core {

sweep_verdict judge_overdue(overdue_record& record, const std::vector<hosted_item>& found,
                            std::uint32_t looks_max) {
  overdue_record next;
  sweep_verdict verdict;
  for (const auto& item : found) {
    const auto known = record.find(item);
    const auto looks = known == record.end() ? 1 : known->second + 1;
    if (looks >= looks_max) {
      verdict.stuck.push_back(item);
    } else {
      verdict.late.push_back(item);
      next[item] = looks;
    }
  }
  record = std::move(next);
  return verdict;
}

} // namespace holdfast::core
