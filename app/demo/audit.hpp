#pragma once

#include "app/demo/dataset.hpp"
#include "app/demo/report.hpp"
#include "app/demo/tally.hpp"
#include "client/connection.hpp"
#include "core/outcome.hpp"

#include <string>
#include <vector>

namespace holdfast::app::demo {

/// One data set and its step on the node.
struct loaded_set {
  const dataset* set = nullptr;
  core::step_id step;
  std::string contributor_prefix; ///< Before the worker's name in the contributor's.
};

/// All results of the step, page by page.
core::outcome<std::vector<msg::unit_result>> list_results(const client::connection& node,
                                                          core::step_id step);

/// Compares what the node lists as results, what the database holds and what the file says. The
/// judgments are read from the database directly, past the node that is under test.
core::outcome<std::vector<set_report>>
audit(const client::connection& node, const std::string& conninfo,
      const std::vector<loaded_set>& sets, const std::vector<acknowledged_judgment>& acknowledged);

} // namespace holdfast::app::demo
