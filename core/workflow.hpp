#pragma once

#include "core/aggregation.hpp"
#include "core/assignment_rate.hpp"
#include "core/contributor.hpp"
#include "core/contributor_cap.hpp"
#include "core/definition_problem.hpp"
#include "core/eligibility.hpp"
#include "core/gathering.hpp"
#include "core/ids.hpp"
#include "core/lease.hpp"
#include "core/quality/standing.hpp"
#include "core/quality/test_placement.hpp"
#include "core/repair_policy.hpp"
#include "core/routing.hpp"
#include "core/task_executor.hpp"
#include "core/trust_elsewhere.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::core {

/// Test questions among the units of a step, and what their answers mean for a contributor.
struct test_question_policy {
  quality::test_policy placement;
  quality::taint_rule taint;
  bool feedback = false; ///< Contributors may learn whether they were right.
};

/// One step of a workflow, as its requester defines it. The field names are those of the JSON form.
struct step_definition {
  std::string key; ///< Unique in the workflow: 1 to 64 of `a-z 0-9 _ -`.
  std::string title;
  std::string ui; ///< Names the page or form that people work with; empty: theirs to choose.
  std::int32_t priority = 0;            ///< Among the steps that a contributor may choose from.
  requirements asks;                    ///< Of people; tasks judge whatever it says.
  std::uint32_t judgments_per_unit = 3; ///< Slots of a unit that does not bring its own number.
  lease_policy lease;
  assignment_rate_policy assignment_rate;
  contributor_cap units_per_contributor;
  trust_sources trust_from; ///< By what people are trusted.
  aggregation_policy aggregation;
  repair_policy repair = repair_policy::refill;
  std::optional<duration> correct_within; ///< Authors may correct judgments for so long; none: not.
  std::optional<test_question_policy> test_questions;
  std::optional<task_executor> tasks;     ///< None: people judge all.
  std::vector<monitor> monitors;          ///< Those that flag contributors.
  std::optional<gather_policy> gather;    ///< None: each unit that comes in is worked on by itself.
  std::string answer_pointer = "/answer"; ///< JSON pointer to the value that aggregation counts.
  std::string judgment_schema;            ///< JSON Schema of a judgment; empty accepts any object.
  std::string correction_pointer = "/answer"; ///< Of a review: JSON pointer to the correction.
  // Where a finalized unit goes on to; its chain ends where both are empty. At most one is used.
  std::vector<std::string> next; ///< Keys of steps, each of which gets a unit.
  std::vector<route> routes;     ///< The first that is for the unit takes it.
};

/// When the steps of a new workflow are worked on.
enum class job_start : std::uint8_t { at_once, when_launched };
std::string_view to_string(job_start starts);
std::optional<job_start> job_start_named(std::string_view name);

/// A validated workflow: a graph of steps that begins with the first. A simple job is a workflow of
/// one step.
struct workflow_definition {
  std::string name;
  std::vector<step_definition> steps;
  job_start starts = job_start::at_once; ///< What the first version says counts.
};

/// Limits of a definition, with the reasons in docs/CONFIG.md's spirit: bounds on what one node
/// must hold.
inline constexpr std::size_t steps_per_workflow_max = 64; // bits of `step_row::upstreams_completed`
inline constexpr std::size_t routes_per_step_max = 64;
inline constexpr std::uint32_t loops_max = 100;
inline constexpr std::uint32_t judged_fewer_max = 1'000'000;
inline constexpr std::size_t input_conditions_max = 16;
inline constexpr std::size_t input_condition_values_max = 256;
inline constexpr std::size_t input_condition_bytes_max = 256; // of a pointer, and of a value
inline constexpr std::size_t input_members_max = 32;
inline constexpr std::size_t input_name_bytes_max = 128;
inline constexpr std::int32_t step_priority_max = 1000; // and as far below 0
inline constexpr std::size_t ui_bytes_max = 1024;       // of each assignment
inline constexpr std::uint32_t judgments_per_unit_max = 1000;
inline constexpr std::size_t truth_bytes_max = 4096;
inline constexpr std::size_t labels_max = 256;
inline constexpr std::uint32_t task_judgments_max = 16;
inline constexpr duration patience_max = std::chrono::hours{24 * 365};
inline constexpr duration correct_within_max = std::chrono::hours{24 * 365};
inline constexpr std::uint32_t quiz_max = 100;
inline constexpr std::uint32_t test_interval_max = 1000;
inline constexpr std::size_t contributor_id_bytes_max = 128;
inline constexpr std::size_t source_key_bytes_max = 512;

/// How many judgments a new unit of the step asks for at first.
std::uint32_t first_slots(const step_definition& step);

/// The method of a step in a new definition that names none: by test questions where there are some
/// and all labels are known, else the majority. That it is, too, where judging stops when no vote
/// could change it any more. What a stored definition leaves out is the majority.
aggregation_method default_method(const step_definition& step);

/// Whether trust makes a difference to the step: it weighs judgments by it, a route asks for it, or
/// the definition names what it follows from.
bool goes_by_trust(const step_definition& step);

/// Whether a route of the step asks how many units those who judged one had judged before.
bool counts_judgments(const step_definition& step);

/// Everything that is wrong with `definition`; empty when it may be created. Rules: keys unique and
/// well-formed; bounds; each step is reached from the first; what leads back has a condition, so
/// that chains end.
std::vector<definition_problem> problems_of(const workflow_definition& definition);

/// Where a step stands in its workflow.
struct step_place {
  std::vector<way> ways; ///< The routes on; one for all where the step has a `next`.
  /// A bit for the position of each step that leads here by other ways than back: when all of them
  /// are complete, no more units are expected.
  std::uint64_t upstreams = 0;
  /// Units come from one step only, and never back: so the names of their parents tell them apart.
  bool one_way_in = false;
  /// What the items of one list became need not have its source data in common here: on the way
  /// they may have taken a route with an `input`.
  bool data_apart = false;
};

/// The place of each step of a definition whose keys are right. A way leads back when it goes to a
/// step on the path that it came by, going through the definition from the first step, depth first
/// and in the order of the routes. (In workflows that a person would draw, where each loop is
/// entered at one step, the order makes no difference.)
std::vector<step_place> places_in(const workflow_definition& definition);

/// The position of the step with `key`.
std::optional<std::uint32_t> position_of(const workflow_definition& definition,
                                         const std::string& key);

} // namespace holdfast::core
