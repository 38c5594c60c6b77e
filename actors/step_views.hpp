#pragma once

#include "core/change.hpp"
#include "core/workflow.hpp"
#include "messages/work_messages.hpp"

#include <vector>

namespace holdfast::actors {

/// The public form of a stored step.
inline msg::step_view to_view(const core::step_row& row) {
  return {row.id,          row.workflow,        row.key,     row.position, row.status, row.sealed,
          row.total_units, row.completed_units, row.revision};
}

/// The steps of a definition in its order; those that are not among `rows` are left out.
inline std::vector<msg::step_view> steps_of(const core::workflow_definition& definition,
                                            const std::vector<core::step_row>& rows) {
  std::vector<msg::step_view> views;
  for (const auto& step : definition.steps)
    for (const auto& row : rows)
      if (row.key == step.key)
        views.push_back(to_view(row));
  return views;
}

} // namespace holdfast::actors
