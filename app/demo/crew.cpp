#include "app/demo/crew.hpp"

#include "app/demo/clock.hpp"
#include "app/demo/contributor.hpp"
#include "app/demo/workload.hpp"

#include <utility>

namespace holdfast::app::demo {

std::string in_words(const core::failure& why) {
  return std::string{core::to_string(why.code)} + (why.detail.empty() ? "" : ": " + why.detail);
}

std::vector<core::step_id> steps_of(const std::vector<loaded_set>& sets) {
  std::vector<core::step_id> steps;
  for (const auto& one : sets)
    steps.push_back(one.step);
  return steps;
}

core::outcome<loaded_set> load_set(demo_peer& peer, const dataset& set, std::size_t index,
                                   const core::lease_policy& lease) {
  const auto& node = peer.node;
  const auto created = node.ask<msg::workflow_created>(msg::create_workflow{
      core::workflow_id{peer.ids.next(wall_clock())}, workflow_of(set, lease)});
  if (!created)
    return core::failure{created.error().code,
                         set.name + ": the workflow was refused: " + in_words(created.error())};
  const auto step = created->steps.front().step;
  for (auto& rows : source_data_of(set)) {
    const auto added = node.ask<msg::source_data_added>(msg::add_source_data{step, rows});
    if (!added)
      return core::failure{added.error().code,
                           set.name + ": source data was refused: " + in_words(added.error())};
    if (!added->problems.empty())
      return core::failure{core::errc::payload_invalid,
                           set.name + ": a row was refused: " + added->problems.front().detail};
  }
  const auto sealed = node.ask<msg::step_view>(msg::seal_step{step});
  if (!sealed)
    return core::failure{sealed.error().code,
                         set.name + ": the step was not sealed: " + in_words(sealed.error())};
  if (sealed->total_units != set.units.size())
    return core::failure{core::errc::wrong_state,
                         set.name + ": the step has " + std::to_string(sealed->total_units)
                             + " units, " + std::to_string(set.units.size()) + " were sent"};
  // A contributor of two sets is two people here: the sets do not know each other.
  return loaded_set{&set, step, std::to_string(index + 1) + '/'};
}

void start_contributors(demo_peer& peer, const loaded_set& of, crew_terms terms) {
  for (std::size_t c = 0; c < terms.plans.size(); ++c) {
    contributor_deps deps;
    deps.name = of.contributor_prefix + of.set->contributors[c].name;
    deps.step = of.step;
    deps.set = terms.set;
    deps.answers = std::move(terms.plans[c]);
    deps.lease = terms.lease;
    deps.seed = terms.seed + 1000003 * (peer.actors.size() + 1);
    deps.gateway = peer.node.gateway();
    deps.request_timeout = peer.node.request_timeout();
    deps.log = terms.log;
    deps.pace = terms.pace;
    ++terms.log->working;
    peer.actors.push_back(peer.system.spawn(contributor, std::move(deps)));
  }
}

} // namespace holdfast::app::demo
