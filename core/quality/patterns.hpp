#pragma once

#include "core/quality/answers.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

/// Answers that look as though nobody had read the question. Patterns flag and never taint: units
/// may come sorted, and then an honest contributor gives one label for long.
namespace holdfast::core::quality {

/// What a contributor has answered in a step, in order; the memory of a few numbers, and of one for
/// each different payload. Whoever looks at a step bounds these by the judgments that they look at:
/// a bound of its own here would miss who began with many payloads and then found the one that does
/// for everything.
class answer_pattern {
public:
  explicit answer_pattern(std::uint32_t labels) : of_label_(labels, 0) {}

  /// `payload` stands for the whole judgment, e.g. its hash.
  void observe(std::uint32_t label, std::uint64_t payload);

  std::uint64_t count() const { return count_; }
  std::uint64_t of_label(std::uint32_t label) const { return of_label_[label]; }
  std::uint64_t longest_run() const { return longest_run_; } ///< Of one label.
  std::uint64_t changes() const { return changes_; }         ///< Of label, from one to the next.

  struct repeated_payload {
    std::uint64_t payload = 0;
    std::uint64_t times = 0; ///< 0 before the first judgment.
  };
  /// Of several the greatest, so that the order of judgments decides nothing.
  repeated_payload commonest_payload() const;

private:
  std::uint64_t count_ = 0;
  std::vector<std::uint64_t> of_label_;
  std::uint32_t last_ = unknown_label;
  std::uint64_t run_ = 0;
  std::uint64_t longest_run_ = 0;
  std::uint64_t changes_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> payloads_;
};

/// How likely chance would make each pattern as strong as it is, were the contributor to draw
/// answers as the step's others do. Multiplied by the number of labels tried, at most 1.
struct pattern_chances {
  double constant = 1;    ///< One label so often: binomial test.
  double run = 1;         ///< One label so often in a row: union bound over the beginnings.
  double alternating = 1; ///< So many changes of label: binomial test.
  double identical = 1;   ///< One payload so often: binomial test.
};

/// What the step's others answer. What nobody else gives counts as one in a hundred.
struct step_habits {
  std::vector<double> label_shares; ///< Of each label among the step's judgments.
  double payload_share = 0;         ///< Of this contributor's commonest payload.
};

pattern_chances chances_of(const answer_pattern& seen, const step_habits& others);

/// Patterns that are strong and not chance. Weak ones are not worth a look: who leans to a label
/// beyond doubt may be careful all the same.
struct pattern_flags {
  bool constant = false;    ///< Nine of ten answers are one label.
  bool run = false;         ///< Half of the answers are one run.
  bool alternating = false; ///< Nine of ten answers differ from the one before.
  bool identical = false;   ///< Nine of ten judgments are the same to the byte.

  bool any() const { return constant || run || alternating || identical; }
};

/// A flag that chance makes for one in a thousand contributors who draw at random.
inline constexpr double pattern_chance_max = 0.001;

pattern_flags flags_of(const answer_pattern& seen, const step_habits& others);

} // namespace holdfast::core::quality
