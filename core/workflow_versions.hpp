#pragma once

#include "core/workflow.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// A workflow that goes on in another form. What has begun under a version keeps it to the end of
/// its chain; what begins gets the latest.
namespace holdfast::core {

/// So many forms may a workflow take; each of its steps has them all in memory.
inline constexpr std::uint32_t workflow_versions_max = 100;

/// A workflow as it has become. A step is the same in all versions that have its key, so that its
/// contributors and test questions stay: its place, from 0, is that of the key in the order of
/// first mention. Versions count from 1.
class versioned_workflow {
public:
  versioned_workflow() = default;
  /// `versions` as `problems_of` and `problems_of_change` let them pass; at least one.
  explicit versioned_workflow(std::vector<workflow_definition> versions);

  /// The latest from now on.
  void add(workflow_definition next);

  std::uint32_t latest() const { return static_cast<std::uint32_t>(versions_.size()); }
  const workflow_definition& definition(std::uint32_t version) const {
    return versions_[version - 1].definition;
  }

  /// Of the steps of all versions.
  const std::vector<std::string>& keys() const { return keys_; }
  std::optional<std::uint32_t> position_of(const std::string& key) const;

  /// The step in that version; null where it has none at `position`.
  const step_definition* find(std::uint32_t version, std::uint32_t position) const;
  /// The latest version that has the step.
  std::uint32_t newest(std::uint32_t position) const;
  /// The step in that version.
  const step_definition& step(std::uint32_t position) const {
    return *find(newest(position), position);
  }

  /// Where units that began under `version` go on to from the step. Empty where it has none.
  const std::vector<way>& ways(std::uint32_t version, std::uint32_t position) const;
  /// As `step_place::upstreams`, in any version: whatever may still come from there is waited for.
  std::uint64_t upstreams(std::uint32_t position) const { return upstreams_[position]; }
  /// As `step_place::one_way_in`, in `version` and all before: the names of the parents tell units
  /// of different versions apart, too.
  bool one_way_in(std::uint32_t version, std::uint32_t position) const;

  /// As `step_place::data_apart`.
  bool data_apart(std::uint32_t version, std::uint32_t position) const;

  /// By version, for units of the step.
  lease_policies leases(std::uint32_t position) const;

private:
  struct form {
    workflow_definition definition;
    std::vector<std::optional<std::uint32_t>> indexes; ///< In the definition, by position.
    std::vector<std::vector<way>> ways;                ///< By position.
    std::vector<bool> one_way_in;                      ///< By position.
    std::vector<bool> data_apart;                      ///< By position.
  };

  std::vector<form> versions_;
  std::vector<std::string> keys_;        ///< By position.
  std::vector<std::uint64_t> upstreams_; ///< By position.
  std::vector<std::uint64_t> sources_;   ///< Steps that lead there, also back, in any version.
  std::vector<bool> entered_back_;       ///< Something leads back there in some version.
};

/// Why `next` may not follow on `workflow`; empty when it may. For a definition in which
/// `problems_of` finds nothing. The first step and the name stay. A step under its key stays what
/// it is: what its answers are, how results come of them, by what rules people are tested, and what
/// tasks judge in it; and it does not begin to ask what newcomers judged. All else may change, and
/// steps may come and go.
std::vector<definition_problem> problems_of_change(const versioned_workflow& workflow,
                                                   const workflow_definition& next);

/// What the step must know of its past to decide as it did before, in each of its versions.
history_scope history_needed(const versioned_workflow& workflow, std::uint32_t position);

/// The queues in which tasks judge units, and at which place each is named.
std::map<queue_name, std::string> queues_named_in(const workflow_definition& definition);

} // namespace holdfast::core
