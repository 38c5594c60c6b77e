#pragma once

#include "core/outcome.hpp"
#include "core/workflow_warnings.hpp"
#include "documents/limits.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace holdfast::documents {

/// More than anybody would read; and it bounds the answer to whoever asked.
inline constexpr std::size_t definition_findings_max = 100;

/// What a node would say of a definition.
struct workflow_check {
  std::vector<core::definition_problem> problems;   ///< Empty: it would be taken.
  std::vector<core::definition_warning> warnings{}; ///< Only where there is no problem.
};

/// Reads a definition as a new workflow would be read, and finds the first
/// `definition_findings_max` of each. Fails with `too_large` only: all else is a problem.
core::outcome<workflow_check> check_workflow(const std::string& text, const json_limits& limits);

/// `core::warnings_of`, and what the schemas of judgments say beside answers and labels, in order
/// of steps. Requires a definition that has been read without problems.
std::vector<core::definition_warning> all_warnings_of(const core::workflow_definition& definition);

} // namespace holdfast::documents
