#pragma once

#include "core/workflow.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Surprises for the author of a workflow that is allowed.
namespace holdfast::core {

/// What a warning is about. `warning_kinds` says more of each.
enum class warning : std::uint8_t {
  own_work_reviewed,
  program_reviews_itself,
  review_may_tie,
  rejected_goes_on,
  rejected_ends,
  rejected_ends_after_loops,
  trust_unknown,
  labels_alike,
  stops_at_first,
  stops_never,
  answer_not_in_schema,
  label_not_in_schema,
  value_not_a_label,
  lease_below_median,
  cap_needs_people,
  cap_within_quiz,
};

struct warning_kind {
  warning what = warning::own_work_reviewed;
  std::string_view code; ///< On the wire and in pages; never changes.
  std::string_view when; ///< When it is told, in words of docs/API.md.
};

/// THE TABLE OF WARNINGS. docs/API.md lists the same; a test compares them.
const std::vector<warning_kind>& warning_kinds();

std::string_view code_of(warning what);

struct definition_warning {
  warning about = warning::own_work_reviewed;
  std::string place; ///< JSON pointer.
  std::string what;  ///< The surprise, and what to do.
};

/// By the JSON pointer of the place, as `problems_of`. Requires a definition without problems. What
/// the judgment's schema says is for `documents::all_warnings_of`, which has these as well.
std::vector<definition_warning> warnings_of(const workflow_definition& definition);

/// Of a step that runs: its lease is shorter than half of its judgments have taken. None where
/// `median` is not known, or the lease is long enough. `index`: of the step in the definition.
std::vector<definition_warning> warnings_of_lease(const step_definition& step, std::size_t index,
                                                  std::optional<duration> median);

} // namespace holdfast::core
