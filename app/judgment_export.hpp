#pragma once

#include "client/connection.hpp"
#include "core/ids.hpp"
#include "core/outcome.hpp"

#include <cstdint>
#include <functional>
#include <ostream>

/// What the judges of a step said, as a file of answers that `holdfast aggregate` reads.
namespace holdfast::app {

struct exported {
  std::uint64_t units = 0; ///< With a judgment.
  std::uint64_t judgments = 0;
};

/// Writes the judgments of the step that count, as CSV with the columns worker, task, label,
/// submitted_at and trust, unit by unit in order of arrival. Test questions are left out: what the
/// right answer is, only the step knows. `progress` is told now and then. Fails as the node does.
core::outcome<exported> export_judgments(const client::connection& cluster, core::step_id step,
                                         std::ostream& to,
                                         const std::function<void(const exported&)>& progress);

} // namespace holdfast::app
