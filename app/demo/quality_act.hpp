#pragma once

#include "app/demo/dataset.hpp"
#include "app/demo/quality_report.hpp"
#include "client/connection.hpp"
#include "core/outcome.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace holdfast::app::demo {

/// Whether a set is fit for the second act: enough units whose truth is known, and enough people.
bool fit_for_quality_act(const dataset& set);

/// The second act of the demo: the busiest contributors of the set, a ring of three who hand in one
/// list of answers, and two who always give the same one, do the same units twice on the same node,
/// once with five judgments each and a majority vote, once with test questions, a stopping rule and
/// the method that a step has by default. Monitors flag in both. `seed` decides what they do; who
/// comes first depends on the machine. `say` tells how it goes.
///
/// `conninfo` leads to the node's database, from which trust is read: contributors are not told.
core::outcome<quality_report> run_quality_act(const dataset& set, const client::connection& node,
                                              const std::string& conninfo, std::uint64_t seed,
                                              const std::function<void(const std::string&)>& say);

} // namespace holdfast::app::demo
