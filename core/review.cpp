#include "core/review.hpp"

#include "core/invariant.hpp"

#include <algorithm>

namespace holdfast::core {

std::string_view to_string(review_verdict verdict) {
  switch (verdict) {
  case review_verdict::approve:
    return "approve";
  case review_verdict::correct:
    return "correct";
  case review_verdict::reject:
    return "reject";
  }
  break_invariant("review_verdict", "every value has a name", __FILE__, __LINE__);
}

std::vector<std::string> verdict_names() { return {"approve", "correct", "reject"}; }

std::string to_text(const review& said) {
  std::string text{to_string(said.verdict)};
  if (said.verdict == review_verdict::correct)
    text += ':' + said.correction;
  return text;
}

review review_of(std::string_view text) {
  const auto name = text.substr(0, text.find(':'));
  for (const auto verdict :
       {review_verdict::approve, review_verdict::correct, review_verdict::reject})
    if (name == to_string(verdict))
      return {verdict, std::string{text.substr(std::min(text.size(), name.size() + 1))}};
  break_invariant("review_of", "a review counts as what to_text wrote", __FILE__, __LINE__);
}

} // namespace holdfast::core
