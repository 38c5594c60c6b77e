#pragma once

#include "core/errors.hpp"
#include "core/workflow.hpp"

#include <memory>
#include <string_view>

namespace holdfast::documents {

/// Checks the truths of test questions that are added to one step: somebody must be able to be
/// right, or everybody who is asked is removed. Compiled once for several questions.
class truth_checker {
public:
  /// The definition has passed `parse_workflow`.
  explicit truth_checker(const core::step_definition& step);
  ~truth_checker();

  /// Why nobody can answer a question with this truth, which answer matchers read, or why they
  /// cannot read it; `none` if it is a good one. Refused are
  ///   - an answer that the matcher of the same truth takes for wrong, as a box without area;
  ///   - where the step has labels, or its schema lists the values at the place of the answer: a
  ///     truth that none of these meets;
  ///   - an answer that the step's schema refuses at that place, where no other one would be right;
  ///   - a regular expression that no text matches.
  core::failure problem_with(std::string_view truth) const;

private:
  struct compiled;

  std::unique_ptr<const compiled> compiled_;
};

} // namespace holdfast::documents
