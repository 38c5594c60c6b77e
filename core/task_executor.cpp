#include "core/task_executor.hpp"

namespace holdfast::core {

namespace {

constexpr std::string_view judge_prefix = "task:";

} // namespace

std::vector<contributor_id> task_judges(const task_executor& executor) {
  std::vector<contributor_id> judges;
  const auto first = std::string{judge_prefix} + executor.queue + "/" + executor.type;
  for (std::uint32_t nth = 1; nth <= executor.judgments; ++nth)
    judges.push_back(nth == 1 ? first : first + "#" + std::to_string(nth));
  return judges;
}

bool is_task_judge(std::string_view contributor) {
  return contributor.substr(0, judge_prefix.size()) == judge_prefix;
}

} // namespace holdfast::core
