#pragma once

#include "core/aggregation.hpp"
#include "core/contributor.hpp"
#include "core/ids.hpp"
#include "core/lease.hpp"
#include "core/quality/standing.hpp"
#include "core/quality/test_placement.hpp"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::core {

/// Test questions among the units of a step, and what their answers mean for a contributor.
struct test_question_policy {
  quality::test_policy placement;
  quality::taint_rule taint;
};

/// One step of a workflow, as its requester defines it. The field names are those of the JSON form.
struct step_definition {
  std::string key; ///< Unique in the workflow: 1 to 64 of `a-z 0-9 _ -`.
  std::string title;
  std::uint32_t judgments_per_unit = 3; ///< Slots of a unit that does not bring its own number.
  lease_policy lease;
  aggregation_policy aggregation;
  std::optional<test_question_policy> test_questions;
  std::string answer_pointer = "/answer"; ///< JSON pointer to the value that aggregation counts.
  std::string judgment_schema; ///< JSON Schema (draft 7) of a judgment; empty accepts any object.
  std::vector<std::string>
      next; ///< Keys of the steps that a finalized unit goes on to; none ends it.
};

/// A validated workflow: a tree of steps that begins with the first. A simple job is a workflow of
/// one step.
struct workflow_definition {
  std::string name;
  std::vector<step_definition> steps;
};

/// What is wrong with a definition, and where.
struct definition_problem {
  std::string place; ///< JSON pointer.
  std::string what;
};

/// Limits of a definition, with the reasons in docs/CONFIG.md's spirit: bounds on what one node
/// must hold.
inline constexpr std::size_t steps_per_workflow_max = 64;
inline constexpr std::uint32_t judgments_per_unit_max = 1000;
inline constexpr std::size_t truth_bytes_max = 4096;
inline constexpr std::size_t labels_max = 256;
inline constexpr std::uint32_t quiz_max = 100;
inline constexpr std::uint32_t test_interval_max = 1000;
inline constexpr std::size_t contributor_id_bytes_max = 128;
inline constexpr std::size_t source_key_bytes_max = 512;

/// How many judgments a new unit of the step asks for at first.
std::uint32_t first_slots(const step_definition& step);

/// What the step must know of its past to decide as it did before.
history_scope history_needed(const step_definition& step);

/// Everything that is wrong with `definition`; empty when it may be created. Rules: keys unique and
/// well-formed; bounds; each step but the first is the `next` of exactly one other step, and is
/// reached from the first (so that "all units of a step have arrived" is known from one place).
std::vector<definition_problem> problems_of(const workflow_definition& definition);

/// The position of the step whose `next` names the step at `position`; none for the first.
std::optional<std::uint32_t> upstream_of(const workflow_definition& definition,
                                         std::uint32_t position);

/// The position of the step with `key`.
std::optional<std::uint32_t> position_of(const workflow_definition& definition,
                                         const std::string& key);

} // namespace holdfast::core
