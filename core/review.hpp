#pragma once

#include <string>
#include <string_view>
#include <vector>

/// A review is a judgment of a result: it stands, it should be another one, or it should be made
/// anew.
namespace holdfast::core {

enum class review_verdict { approve, correct, reject };

struct review {
  review_verdict verdict = review_verdict::approve;
  std::string correction; ///< Of `correct`: the answer that there should be. JSON.
};

/// The names in results, and in the judgments of reviewers.
std::string_view to_string(review_verdict verdict);
/// All of them, from the one that lets most pass to the one that lets nothing.
std::vector<std::string> verdict_names();

/// The review as the one text that a judgment counts as: the verdict; `correct:` with the
/// correction.
std::string to_text(const review& said);

/// What `to_text` wrote.
review review_of(std::string_view text);

} // namespace holdfast::core
