#pragma once

#include "core/ids.hpp"
#include "http/composed/waiting_requests.hpp"
#include "http/door.hpp"
#include "http/fields.hpp"
#include "http/routes.hpp"
#include "http/shapes/step_words.hpp"
#include "http/shapes/work_shapes.hpp"
#include "http/shapes/workflow_shapes.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Requests about steps, workflows and units that are more than one operation, or lack what the
/// operation needs: the step of a unit, the first step of a workflow.
namespace holdfast::http {

// --- steps ---

/// The verbs of `core::unit_verb`, and `sealed`, by the status that they lead to.
inline constexpr std::uint8_t seal_verb = 4;
const word_list& step_change_words();
/// Without `sealed`.
const word_list& unit_change_words();

/// Pauses, resumes, cancels or seals a step.
struct step_change {
  static constexpr route_row row{topic::steps, verb::post, "/v1/job-steps/{step_id}", 200,
                                 "Pause, resume, cancel or seal a step"};
  static constexpr std::string_view name = "change_step";
  using answer = msg::step_view;

  core::step_id step;
  std::uint8_t wanted = 0; ///< A number of `step_change_words`.

  static void run(const door& through, const visit& from, step_change asked);
};

template <class Fields>
void describe(Fields& f, step_change& x) {
  f.required("step_id", x.step, sentence::step);
  f.required("status", word{x.wanted, step_change_words()},
             "`paused`: no unit is offered for now. `running`: resume the step. `canceled`: cancel "
             "the step and its open units for good. `sealed`: no more source data will come, so "
             "the step completes when its units are finished.");
}

/// A step as a list has it. Offers to contributors have other members than lists for requesters.
struct listed_step {
  static constexpr std::string_view name = "listed_step";
  enum class as : std::uint8_t {
    either, ///< All members: no answer, but the reference.
    offer,
    view,
  };

  as told = as::either;
  msg::step_view view; ///< Of an offer: id, workflow and key.
  std::string title;
  std::string ui;
  std::int32_t priority = 0;
};

template <class Fields>
void describe(Fields& f, listed_step& x) {
  f.required("id", x.view.step, sentence::step);
  f.required("workflow_id", x.view.workflow, "The workflow of the step.");
  f.required("key", x.view.key, "The name of the step in its workflow.");
  if (x.told != listed_step::as::view) {
    f.optional("title", x.title, "Of an offered step: its title, for people.");
    f.optional("ui", x.ui, "Of an offered step: the page or form to work with.");
    f.optional("priority", x.priority, "Of an offered step: steps of higher priority come first.");
  }
  if (x.told != listed_step::as::offer) {
    f.optional("position", x.view.position,
               "In a list of all steps: the place among the steps of all versions of the workflow, "
               "from 0.");
    f.optional("status", word{x.view.status, step_status_words()},
               "In a list of all steps: where the step stands.");
    f.optional("sealed", x.view.sealed, "In a list of all steps: no more source data is expected.");
    f.optional("total_units", x.view.total_units,
               "In a list of all steps: units that were ever made in the step.");
    f.optional("completed_units", x.view.completed_units,
               "In a list of all steps: units that are finalized, canceled or part of a batch.");
    f.optional("revision", x.view.revision,
               "In a list of all steps: grows with every change of the step.");
  }
}

struct listed_steps {
  static constexpr std::string_view name = "listed_steps";

  listed_step::as told = listed_step::as::either;
  std::vector<listed_step> steps;
  bool complete = true;
};

template <class Fields>
void describe(Fields& f, listed_steps& x) {
  f.required("steps", x.steps,
             "The steps. Offered ones are those whose requirements the contributor meets: those of "
             "the highest priority first, among equals the oldest. A list of all steps is in order "
             "of creation.");
  if (x.told != listed_step::as::view)
    f.optional("complete", x.complete,
               "Of offered steps. False: part of the steps could not be looked at. Ask again for "
               "the rest.");
}

/// Lists the steps that are offered to a contributor, or all.
struct steps_wanted {
  static constexpr route_row row{topic::steps, verb::get, "/v1/job-steps", 200,
                                 "List the steps offered to a contributor, or all steps"};
  static constexpr std::string_view name = "list_steps";
  using answer = listed_steps;

  core::contributor_id contributor;
  std::uint32_t limit = 0; ///< 0: as many as the operation has for a default.
  std::int32_t after_priority = 0;
  core::step_id after;

  static void run(const door& through, const visit& from, const steps_wanted& asked);
};

/// The names are those of `msg::find_steps`, which is read from the same request.
template <class Fields>
void describe(Fields& f, steps_wanted& x) {
  f.optional("contributor_id", x.contributor,
             "The contributor to whom the steps are offered. A contributor's token may leave it "
             "out if it is bound to one name. Without any contributor all steps are listed.");
  f.optional("limit", bounded{x.limit, 1, 1000},
             "How many steps at most. Default: 20 offered steps, 100 of all steps.");
  f.optional("after_priority", x.after_priority,
             "To go on among offered steps: the `priority` of the last step of the answer before.");
  f.optional("after", x.after,
             "To go on: the `id` of the last step of the answer before. Left out: from the first.");
}

// --- workflows ---

/// The parts that an update and its validation have in common.
struct workflow_change {
  using answer = msg::workflow_updated;
  static constexpr bool compares_version = true;

  core::workflow_id workflow;
  std::uint32_t version = 0; ///< 0: see the header `If-Match`.
  std::string definition;
};

template <class Fields>
void describe(Fields& f, workflow_change& x) {
  f.required("id", x.workflow, sentence::workflow);
  // The body before the version, which a problem then names as a member of the query.
  f.whole(document{x.definition}, "The new definition of the workflow, all of it.");
  f.query("version", bounded{x.version, 1, 4294967295},
          "The latest version that you know, which is the version to be changed. It may be sent as "
          "the header `If-Match` instead: in double quotes, or as the `ETag` of a read.");
}

/// Lets a workflow go on under another definition.
struct workflow_update : workflow_change {
  static constexpr route_row row{topic::workflows, verb::put, "/v1/workflows/{id}", 200,
                                 "Change the definition of a workflow"};
  static constexpr std::string_view name = "update_workflow";
  static void run(const door& through, const visit& from, workflow_update asked);
};

/// Says only what the update would change.
struct workflow_validation : workflow_change {
  static constexpr route_row row{topic::workflows, verb::post, "/v1/workflows/{id}/validate", 200,
                                 "Check a new definition of a workflow, and change nothing"};
  static constexpr std::string_view name = "validate_workflow";
  static void run(const door& through, const visit& from, workflow_validation asked);
};

// --- units ---

/// A unit by its id. Its step is looked up where the request leaves it out.
struct unit_reference {
  core::unit_id unit;
  core::step_id step;
};

template <class Fields>
void describe_reference(Fields& f, unit_reference& x) {
  f.required("unit_id", x.unit, sentence::unit);
  f.optional("step_id", x.step,
             "The step of the unit. Left out: it is looked up, which takes longer.");
}

struct unit_wanted : unit_reference {
  static constexpr route_row row{topic::units, verb::get, "/v1/units/{unit_id}", 200,
                                 "Read a unit"};
  static constexpr std::string_view name = "get_unit";
  using answer = msg::unit_view;
  static void run(const door& through, const visit& from, unit_wanted asked);
};

template <class Fields>
void describe(Fields& f, unit_wanted& x) {
  describe_reference(f, x);
}

struct result_of_unit {
  static constexpr std::string_view name = "result_of_unit";

  core::unit_id unit;
  core::unit_state state = core::unit_state::finalized;
  std::string result;
  double confidence = 0;
};

template <class Fields>
void describe(Fields& f, result_of_unit& x) {
  f.required("unit_id", x.unit, sentence::unit);
  f.required("state", word{x.state, unit_state_words()}, sentence::unit_state);
  f.required("result", document{x.result}, "The result.");
  f.required("confidence", x.confidence, "How sure the result is, from 0 to 1.");
}

struct unit_result_wanted : unit_reference {
  static constexpr route_row row{topic::units, verb::get, "/v1/units/{unit_id}/result", 200,
                                 "Read the result of a unit; 404 while there is none"};
  static constexpr std::string_view name = "get_unit_result";
  using answer = result_of_unit;
  static std::vector<other_answer> other_answers();
  static void run(const door& through, const visit& from, const unit_result_wanted& asked);

  core::duration wait{0};
};

template <class Fields>
void describe(Fields& f, unit_result_wanted& x) {
  describe_reference(f, x);
  describe_wait(f, x.wait, "Seconds to wait for the result, 0 by default.");
}

/// Pauses, resumes or cancels a unit.
struct unit_change : unit_reference {
  static constexpr route_row row{topic::units, verb::post, "/v1/units/{unit_id}", 200,
                                 "Pause, resume or cancel a unit"};
  static constexpr std::string_view name = "change_unit";
  using answer = msg::unit_changed;
  std::uint8_t wanted = 0; ///< A number of `unit_change_words`.
  static void run(const door& through, const visit& from, unit_change asked);
};

template <class Fields>
void describe(Fields& f, unit_change& x) {
  describe_reference(f, x);
  f.required("status", word{x.wanted, unit_change_words()},
             "`paused`: the unit is not offered for now. `running`: resume the unit. `canceled`: "
             "cancel the unit for good.");
}

struct unit_explanation_wanted : unit_reference {
  static constexpr route_row row{topic::units, verb::get, "/v1/units/{unit_id}/explanation", 200,
                                 "Explain why a unit does not move on"};
  static constexpr std::string_view name = "explain_unit";
  using answer = msg::unit_explanation;
  std::string contributor;
  static void run(const door& through, const visit& from, unit_explanation_wanted asked);
};

template <class Fields>
void describe(Fields& f, unit_explanation_wanted& x) {
  describe_reference(f, x);
  f.optional("contributor_id", x.contributor,
             "A contributor: the answer also has the reasons that keep the unit from them.");
}

} // namespace holdfast::http
