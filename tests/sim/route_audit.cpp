// The part of the auditor that is about where finished units go on to.

#include "core/routing.hpp"
#include "documents/input_values.hpp"
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

const core::way* auditor::way_of(const core::insert_unit& made, std::int16_t route) const {
  const auto& ways = ways_of(made);
  if (route == core::no_route || static_cast<std::size_t>(route) >= ways.size())
    return nullptr;
  const auto& taken = ways[static_cast<std::size_t>(route)];
  return taken.targets.empty() ? nullptr : &taken;
}

std::map<core::step_id, std::size_t> auditor::children_due(const core::insert_unit& made,
                                                           const outcome& had) const {
  std::map<core::step_id, std::size_t> due;
  const auto* taken = way_of(made, had.route);
  if (taken == nullptr)
    return due;
  const auto& steps = workflow_of(made.step).steps;
  for (const auto& target : taken->targets)
    due[steps[target.position]] =
        taken->rule.for_each && !target.back ? documents::items_of(had.result).size() : 1;
  return due;
}

std::map<core::step_id, std::size_t>
auditor::children_due(const persistence::memory::unit_row& row) const {
  if (row.state != unit_state::finalized)
    return {};
  return children_due(row.made, {*row.result, row.route});
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
    if (const auto known = units_.find(at); known != units_.end())
      open.insert(open.end(), known->second.members.begin(), known->second.members.end());
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
    if (const auto& before = judged->made.judged_before)
      found.judged_least = std::min(found.judged_least.value_or(*before), *before);
  }
  found.agreement = agreeing / static_cast<double>(counted.size());
  found.input = documents::read_input_values(whole(row.made.input), core::pointers_asked(ways));
  const auto expected = core::choose_route(ways, found);
  require(row.route == expected.rule, "I-5", rows.id,
          "a unit has not taken the route that its result asks for");
  require(row.route_reason.empty() == ways.empty(), "I-5", rows.id,
          "a unit does not say why it took its route");
}

/// A unit is shown what its route names, and of the result only what its step cannot do without.
void auditor::check_mapped_input(const core::insert_unit& made, const core::route& rule) {
  const auto& from = t_.units.at(made.parent);
  const auto& step = defined(made);
  const auto input = nlohmann::json::parse(whole(made.input));
  const bool with_result =
      step.gather || step.aggregation.method == core::aggregation_method::review;
  require(input.size() == (with_result ? 2U : 1U) && input.contains("result") == with_result,
          "routes", made.id, "a unit is shown more than its route names, or less");
  const auto& shown = input.at("data");
  require(shown.size() == rule.input.size(), "routes", made.id,
          "a unit has other source data than its route names");
  const bool first = position_of(from.made.step) == 0;
  const auto before = nlohmann::json::parse(whole(from.made.input));
  for (const auto& member : rule.input)
    if (require(shown.contains(member.name), "routes", made.id,
                "a unit lacks source data that its route names")
        && member.pointer == "/data")
      require(shown.at(member.name) == (first ? before : before.at("data")), "routes", made.id,
              "a unit has the source data of another");
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
  require(made.root == from.made.root, "I-5", made.id, "a child does not carry its parent's root");
  check_child(made, from);
}

/// A unit was made from a result of `from`. That may have been taken back since it was read: what
/// is made from it nevertheless is withdrawn.
void auditor::check_child(const core::insert_unit& made,
                          const persistence::memory::unit_row& from) {
  const auto& outcomes = units_[from.made.id].outcomes;
  if (!require(made.parent_reopened < outcomes.size(), "I-5", made.id,
               "a child of an unfinished unit, or of a result that its parent never had"))
    return;
  made_anew_ += made.parent_reopened > 0 ? 1 : 0;
  const auto& had = outcomes[made.parent_reopened];
  const auto due = children_due(from.made, had);
  const auto here = due.find(made.step);
  if (!require(here != due.end() && made.part < here->second, "I-5", made.id,
               "a child in a step that its parent's route does not name, or one too many"))
    return;
  const auto position = position_of(made.step);
  const auto& way = *way_of(from.made, had.route);
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
                  one_of_many ? std::optional{made.part} : std::nullopt, made.parent_reopened),
          "I-5", made.id, "a child does not have the name that its parent gives it");
  if (!way.rule.input.empty() && !target->back)
    check_mapped_input(made, way.rule);
  check_exclusions(made, way);
}

void auditor::check_exclusions(const core::insert_unit& made, const core::way& way) {
  if (!way.rule.exclude_judges.value_or(false)) {
    require(made.excluded.empty(), "routes", made.id, "somebody is excluded without a reason");
    return;
  }
  std::set<core::contributor_id> judges;
  for (const auto& source : sources_of(made.id))
    for (const auto* judged : rows_of(source).judgments)
      judges.insert(judged->made.owner);
  // A unit of the chain that is open again may have been judged since the chain was read.
  const std::set<core::contributor_id> excluded{made.excluded.begin(), made.excluded.end()};
  const bool all = std::includes(excluded.begin(), excluded.end(), judges.begin(), judges.end());
  const bool only = std::includes(judges.begin(), judges.end(), excluded.begin(), excluded.end());
  require(only && (all || !chain_stands(made.id)), "routes", made.id,
          "not exactly those are excluded who judged the chain so far");
}

void auditor::check_children(const core::unit_id& id) {
  const auto& row = t_.units.at(id);
  if (row.made.gathered)
    return; // its batch goes on from it
  std::map<core::step_id, std::size_t> have;
  for (const auto& [child_id, child] : t_.units) {
    if (child.made.parent != id)
      continue;
    if (stands(child.made))
      ++have[child.made.step];
    else
      require(child.state == unit_state::canceled, "I-5", child_id,
              "a unit is not withdrawn although the result that it was made from is gone");
  }
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
