#pragma once

#include "bench/results.hpp"
#include "bench/soak/plan.hpp"

#include <string>
#include <vector>

namespace holdfast::soak {

/// A soak of its own: what is measured under one kind of fault is not to be the doing of another.
struct scorecard_run {
  std::string name; ///< Of its files.
  std::vector<fault_kind> kinds;
};

/// The runs of a scorecard. Together they have every kind of fault once.
std::vector<scorecard_run> scorecard_runs();

/// What the verdict of a run says about the rows of the scorecard that it is for, each with its
/// goal: `scorecard.<row>.<fault>.<figure>`. `verdict` is what `verdict_json` made; `lease_seconds`
/// that of its nodes.
std::vector<bench::figure> scorecard_figures(const scorecard_run& run, const std::string& verdict,
                                             double lease_seconds);

} // namespace holdfast::soak
