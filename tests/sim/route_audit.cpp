// The part of the auditor that is about where finished units go on to.

#include "core/routing.hpp"
#include "documents/json.hpp"
#include "tests/sim/invariants.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace holdfast::sim {

using core::unit_state;

namespace {

bool same(const core::list_place& a, const core::list_place& b) {
  return a.of == b.of && a.size == b.size && a.part == b.part;
}

} // namespace

std::vector<core::step_id> auditor::upstreams_of(const core::step_id& step) const {
  const auto& workflow = workflow_of(step);
  const auto mask = workflow.versions.upstreams(position_of(step));
  std::vector<core::step_id> upstreams;
  for (std::size_t position = 0; position < workflow.steps.size(); ++position)
    if ((mask >> position & 1) != 0)
      upstreams.push_back(workflow.steps[position]);
  return upstreams;
}

std::map<core::step_id, std::size_t>
auditor::children_due(const persistence::memory::unit_row& row) const {
  std::map<core::step_id, std::size_t> due;
  if (row.state != unit_state::finalized || row.route == core::no_route)
    return due;
  const auto& steps = workflow_of(row.made.step).steps;
  const auto& taken = ways_of(row.made).at(static_cast<std::size_t>(row.route));
  for (const auto& target : taken.targets)
    due[steps[target.position]] =
        taken.rule.for_each && !target.back ? documents::items_of(*row.result).size() : 1;
  return due;
}

std::set<core::unit_id> auditor::sources_of(const core::unit_id& unit) const {
  std::set<core::unit_id> sources;
  std::vector<core::unit_id> open{t_.units.at(unit).made.parent};
  while (!open.empty()) {
    const auto at = open.back();
    open.pop_back();
    if (!at || !sources.insert(at).second)
      continue;
    open.push_back(t_.units.at(at).made.parent);
    const auto members = members_of(at);
    open.insert(open.end(), members.begin(), members.end());
  }
  return sources;
}

/// The route is the one that the stored result and judgments ask for.
void auditor::check_route(const unit_rows& rows) {
  const auto& row = *rows.unit;
  const auto& ways = ways_of(row.made);
  const auto result = nlohmann::json::parse(*row.result);
  core::finding found{rows.id, row.made.loops,       result.at("answer"), row.confidence, 0,
                      1,       result.at("tied") > 1};
  double agreeing = 0;
  const auto counted = behind(rows);
  for (const auto* judged : counted) {
    agreeing += judged->made.answer == found.answer ? 1 : 0;
    found.trust_least = std::min(found.trust_least, judged->made.trust_snapshot);
  }
  found.agreement = agreeing / static_cast<double>(counted.size());
  const auto expected = core::choose_route(ways, found);
  require(row.route == expected.rule, "I-5", rows.id,
          "a unit has not taken the route that its result asks for");
  require(row.route_reason.empty() == ways.empty(), "I-5", rows.id,
          "a unit does not say why it took its route");
}

void auditor::check_chain(const unit_rows& rows) {
  const auto& made = rows.unit->made;
  for (const auto& contributor : made.excluded)
    for (const auto* lease : rows.active)
      require(lease->owner != contributor, "routes", made.id,
              "an excluded contributor has a lease");
  for (const auto* judged : rows.judgments)
    require(std::find(made.excluded.begin(), made.excluded.end(), judged->made.owner)
                == made.excluded.end(),
            "routes", made.id, "an excluded contributor has judged");
  if (!made.parent) {
    require(made.root == made.id && made.loops == 0, "I-5", made.id,
            "a first unit is not its own root, or was sent back");
    require(keys_sent_.count({made.step, made.source_key}) != 0, "conservation", made.id,
            "a unit that nobody asked for");
    return;
  }
  const auto parent = t_.units.find(made.parent);
  if (!require(parent != t_.units.end(), "I-5", made.id, "a unit's parent does not exist"))
    return;
  const auto& from = parent->second;
  if (from.made.gathered)
    return; // a batch
  require(from.state == unit_state::finalized, "I-5", made.id, "a child of an unfinished unit");
  require(made.root == from.made.root, "I-5", made.id, "a child does not carry its parent's root");
  const auto due = children_due(from);
  const auto here = due.find(made.step);
  if (!require(here != due.end() && made.part < here->second, "I-5", made.id,
               "a child in a step that its parent's route does not name, or one too many"))
    return;
  const auto position = position_of(made.step);
  const auto& way = ways_of(from.made).at(static_cast<std::size_t>(from.route));
  const auto target = std::find_if(way.targets.begin(), way.targets.end(),
                                   [&](const auto& t) { return t.position == position; });
  const bool one_of_many = way.rule.for_each && !target->back;
  const bool gathers = defined(made).gather.has_value();
  require(made.gathered == (gathers && !target->back), "I-5", made.id,
          "a child does not wait although its step gathers, or the other way round");
  const auto items = static_cast<std::uint32_t>(here->second);
  require(same(made.list,
               one_of_many ? core::list_place{made.parent, items, made.part} : from.made.list),
          "I-5", made.id, "a child does not know of which list it is");
  require(made.loops == from.made.loops + (target->back ? 1 : 0), "I-5", made.id,
          "a child does not know how often its chain was sent back");
  require(!target->back || made.loops <= way.rule.loops_max, "routes", made.id,
          "a chain was sent back more often than its route allows");
  require(made.source_key
              == core::child_key(
                  from.made.source_key, made.parent,
                  !gathers && workflow_of(made.step).versions.one_way_in(made.version, position),
                  one_of_many ? std::optional{made.part} : std::nullopt),
          "I-5", made.id, "a child does not have the name that its parent gives it");
  if (!way.rule.exclude_judges) {
    require(made.excluded.empty(), "routes", made.id, "somebody is excluded without a reason");
    return;
  }
  std::set<core::contributor_id> judges;
  for (const auto& source : sources_of(made.id))
    for (const auto* judged : rows_of(source).judgments)
      judges.insert(judged->made.owner);
  require(std::equal(judges.begin(), judges.end(), made.excluded.begin(), made.excluded.end()),
          "routes", made.id, "not exactly those are excluded who judged the chain so far");
}

void auditor::check_children(const core::unit_id& id) {
  const auto& row = t_.units.at(id);
  if (row.made.gathered)
    return; // its batch goes on from it
  std::map<core::step_id, std::size_t> have;
  for (const auto& [child_id, child] : t_.units)
    if (child.made.parent == id)
      ++have[child.made.step];
  for (const auto& [next, due] : children_due(row)) {
    const bool canceled = t_.steps.at(next).row.status == core::step_status::canceled;
    const auto count = have[next];
    require(count == due || (canceled && count == 0), "I-5", id,
            "not exactly the children that the unit's route asks for");
    have.erase(next);
  }
  require(have.empty(), "I-5", id, "children where none belong");
}

} // namespace holdfast::sim
