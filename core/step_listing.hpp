#pragma once

#include "core/change.hpp"
#include "core/eligibility.hpp"
#include "core/workflow.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace holdfast::core {

/// Of a title that is longer a listing has only the beginning, with `…`: lists and events are no
/// place for texts.
inline constexpr std::size_t listed_title_bytes_max = 256;

/// A step as those see it who look for work: how it stands, and what its definition says of that.
struct step_listing {
  step_id step;
  workflow_id workflow;
  std::string key;
  std::string title;
  std::string ui;            ///< The whole of it: a part would name something else.
  std::int32_t priority = 0; ///< The higher, the sooner it is offered.
  requirements asks;
  bool for_people = true;    ///< False where tasks judge all slots unless one of them cannot.
  std::uint32_t version = 1; ///< Of the workflow, that the definition is of.
  step_status status = step_status::open;
  std::uint64_t revision = 0; ///< Of the row that `status` is of.
};

/// `definition` is that of the newest version of the workflow that has the step.
step_listing listing_of(const step_row& row, const step_definition& definition,
                        std::uint32_t version);

/// The details of a `JobStepUpdated` event: how the step stands, and its definition as far as those
/// need it who look for work. With both, whoever keeps an index of their own need ask nothing more.
std::string step_details(const step_row& row, const step_listing& listing);

/// The details of the event that tells a step that is there of a new version: how it stands is not
/// said, since that does not change by it.
std::string version_details(const step_listing& listing);

} // namespace holdfast::core
