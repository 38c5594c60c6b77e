#include "core/aggregation.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"

#include <algorithm>
#include <cctype>

namespace holdfast::core {

namespace {

bool is_integer(const std::string& text) {
  const std::size_t first = !text.empty() && text[0] == '-' ? 1 : 0;
  // 18 digits always fit into 64 bits; longer ones are ordered as text.
  return text.size() > first && text.size() <= first + 18
         && std::all_of(text.begin() + static_cast<std::ptrdiff_t>(first), text.end(),
                        [](unsigned char c) { return std::isdigit(c) != 0; });
}

} // namespace

void sort_answers(std::vector<std::string>& answers) {
  if (!std::all_of(answers.begin(), answers.end(), is_integer)) {
    std::sort(answers.begin(), answers.end());
    return;
  }
  std::sort(answers.begin(), answers.end(), [](const std::string& a, const std::string& b) {
    const auto x = std::stoll(a);
    const auto y = std::stoll(b);
    return x != y ? x < y : a < b; // "01" and "1" are different answers with a fixed order
  });
}

aggregate majority(const std::vector<std::string>& answers) {
  HOLDFAST_INVARIANT(!answers.empty(), "a unit is aggregated when its judgments are in");
  auto sorted = answers;
  sort_answers(sorted);
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
