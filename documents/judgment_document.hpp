#pragma once

#include "core/outcome.hpp"
#include "core/workflow.hpp"
#include "documents/limits.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// A value as an answer: strings as they are, everything else as compact JSON in which equal values
/// have equal texts (sorted keys; 2 and 2.0 are both `2`; all digits of numbers are there). Two
/// answers are the same if their texts are: votes, labels, routes and test questions go by nothing
/// else, so `10` and `"10"` are one answer.
std::string answer_text(const nlohmann::json& value);

/// The same where a step has `labels`: of a number that is no label as it is
/// written canonically, but equal to the number that a label spells, that label. So `1.0` is the
/// answer `1.0` where that is a label, and `1` is not.
std::string answer_text(const nlohmann::json& value, const std::vector<std::string>& labels);

/// Checks judgments of one step and finds the answer in them. Compiled once per step and shared by
/// its units; safe to use from several threads at once.
class judgment_checker {
public:
  /// The definition has passed `parse_workflow`.
  judgment_checker(const core::step_definition& step, const json_limits& limits);
  ~judgment_checker();

  /// The answer that aggregation counts: the `answer_text` of the value at the step's answer
  /// pointer, which is one of the step's labels if it has any; of a review its `core::to_text`.
  /// Fails with `too_large` or `payload_invalid`, with the JSON pointer of the offending place,
  /// what was expected, and what to do.
  core::outcome<std::string> answer_of(std::string_view payload) const;

  /// The value at the step's answer pointer as compact JSON, of a payload that `answer_of` accepts;
  /// where it is a label, that as a string.
  std::string answer_value_of(std::string_view payload) const;

  /// Every answer there can be; empty: any.
  const std::vector<std::string>& labels() const;

  struct compiled;

private:
  std::unique_ptr<const compiled> compiled_;
};

} // namespace holdfast::documents
