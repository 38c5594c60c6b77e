#include "core/aggregation.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"
#include "core/quality/labels.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::core {

aggregate majority(const std::vector<std::string>& answers) {
  HOLDFAST_INVARIANT(!answers.empty(), "a unit is aggregated when its judgments are in");
  auto sorted = answers;
  quality::sort_labels(sorted);
  aggregate result;
  for (auto& answer : sorted) {
    if (result.shares.empty() || result.shares.back().answer != answer)
      result.shares.push_back({std::move(answer), 0});
    ++result.shares.back().votes;
  }
  const auto winner =
      std::max_element(result.shares.begin(), result.shares.end(),
                       [](const vote_share& a, const vote_share& b) { return a.votes < b.votes; });
  result.answer = winner->answer;
  result.confidence = static_cast<double>(winner->votes) / static_cast<double>(answers.size());
  result.tied = static_cast<std::uint32_t>(
      std::count_if(result.shares.begin(), result.shares.end(),
                    [&](const vote_share& share) { return share.votes == winner->votes; }));
  return result;
}

std::string to_json(const aggregate& result) {
  json_object votes;
  for (const auto& share : result.shares)
    votes.number(share.answer, static_cast<std::int64_t>(share.votes));
  return json_object{}
      .text("answer", result.answer)
      .number("confidence", result.confidence)
      .raw("votes", votes.str())
      .number("tied", static_cast<std::int64_t>(result.tied))
      .str();
}

} // namespace holdfast::core
