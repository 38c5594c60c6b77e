#pragma once

#include "core/outcome.hpp"
#include "core/workflow.hpp"
#include "documents/limits.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

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
