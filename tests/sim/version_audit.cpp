// The part of the auditor that is about the versions of workflows.

#include "documents/workflow_document.hpp"
#include "tests/sim/invariants.hpp"

#include <algorithm>

namespace holdfast::sim {

const auditor::known_workflow& auditor::workflow_of(const core::step_id& step) const {
  const auto& id = t_.steps.at(step).row.workflow;
  const auto& definitions = t_.workflows.at(id).definitions;
  auto& known = workflows_[id];
  if (known.versions.latest() == definitions.size())
    return known;
  std::vector<core::workflow_definition> versions;
  for (const auto& definition : definitions)
    versions.push_back(*documents::parse_workflow(definition, {}));
  known.versions = core::versioned_workflow{std::move(versions)};
  known.steps.assign(known.versions.keys().size(), {});
  for (const auto& [step_id, row] : t_.steps)
    if (row.row.workflow == id && row.row.position < known.steps.size())
      known.steps[row.row.position] = step_id;
  return known;
}

const core::step_definition& auditor::defined(const core::step_id& step) const {
  return workflow_of(step).versions.step(position_of(step));
}

const core::step_definition& auditor::defined(const core::insert_unit& unit) const {
  const auto& versions = workflow_of(unit.step).versions;
  const auto* found = unit.version < 1 || unit.version > versions.latest()
                          ? nullptr
                          : versions.find(unit.version, position_of(unit.step));
  return found != nullptr ? *found : defined(unit.step); // was blamed when the unit was made
}

bool auditor::in_some_form(const core::insert_unit& unit,
                           const std::function<bool(const core::step_definition&)>& rule) const {
  if (rule(defined(unit)))
    return true;
  if (unit.truth.empty())
    return false;
  const auto& versions = workflow_of(unit.step).versions;
  for (auto version = unit.version + 1; version <= versions.latest(); ++version)
    if (const auto* later = versions.find(version, position_of(unit.step));
        later != nullptr && rule(*later))
      return true;
  return false;
}

const std::vector<core::way>& auditor::ways_of(const core::insert_unit& unit) const {
  const auto& versions = workflow_of(unit.step).versions;
  return versions.ways(std::clamp(unit.version, 1U, versions.latest()), position_of(unit.step));
}

/// Versions are added one by one, each as somebody has asked for it and with all its steps; none
/// ever changes.
void auditor::check_versions(const core::workflow_id& id) {
  const auto& now = t_.workflows.at(id).definitions;
  auto& known = definitions_[id];
  if (now.size() < known.size() || !std::equal(known.begin(), known.end(), now.begin()))
    return blame("versions", "a stored version of a workflow has changed, or is gone");
  for (auto version = std::max<std::size_t>(known.size(), 1); version < now.size(); ++version)
    if (updates_sent_.count({static_cast<std::uint32_t>(version), now[version]}) == 0)
      blame("versions",
            "nobody has asked for version " + std::to_string(version + 1) + ": " + now[version]);
  if (now.size() == known.size())
    return;
  known = now;
  std::map<std::string, std::uint32_t> positions;
  for (const auto& [step, row] : t_.steps)
    if (row.row.workflow == id)
      positions[row.row.key] = row.row.position;
  std::vector<core::workflow_definition> versions;
  for (const auto& definition : now) {
    auto parsed = documents::parse_workflow(definition, {});
    if (!parsed)
      return blame("versions", "a stored version of a workflow is wrong: " + definition);
    versions.push_back(std::move(*parsed));
  }
  const core::versioned_workflow workflow{std::move(versions)};
  const auto& keys = workflow.keys();
  for (std::uint32_t position = 0; position < keys.size(); ++position)
    if (const auto found = positions.find(keys[position]);
        found == positions.end() || found->second != position)
      blame("versions", "step " + keys[position] + " is missing, or not in its place");
}

/// A chain keeps the version that it began under, and begins under one that is not older than what
/// was acknowledged by then.
bool auditor::check_version(const unit_rows& rows) {
  const auto& made = rows.unit->made;
  const auto& versions = workflow_of(made.step).versions;
  if (const auto parent = t_.units.find(made.parent); parent != t_.units.end())
    require(made.version == parent->second.made.version, "versions", made.id,
            "a unit does not have the version of its parent");
  if (!require(made.version >= 1 && made.version <= versions.latest(), "versions", made.id,
               "a unit began under a version that there is not")
      || !require(versions.find(made.version, position_of(made.step)) != nullptr, "versions",
                  made.id, "a unit is in a step that its version does not have"))
    return false;
  if (const auto sent = keys_sent_.find({made.step, made.source_key});
      !made.parent && sent != keys_sent_.end())
    require(made.version >= sent->second.least_version, "versions", made.id,
            "a unit began under an older version than was acknowledged before");
  if (!rows.is_test_question())
    check_first_slots(made);
  return true;
}

/// A unit begins with as many slots as its source row asks for, or as its version says.
void auditor::check_first_slots(const core::insert_unit& made) {
  std::set<std::uint32_t> asked{0};
  if (const auto sent = keys_sent_.find({made.step, made.source_key});
      !made.parent && sent != keys_sent_.end())
    asked = sent->second.slots;
  require(asked.count(made.slots) != 0
              || (asked.count(0) != 0 && made.slots == core::first_slots(defined(made))),
          "versions", made.id, "a unit does not begin with the slots that its version gives it");
}

/// By their schemas judgments of later versions name them.
void auditor::check_names_version(const unit_rows& rows) {
  const auto& made = rows.unit->made;
  // The schema of a test question is that of the latest version, which its step may not know yet.
  if (rows.is_test_question() || !names_version(drawn_, made.version, position_of(made.step)))
    return;
  const auto named = "\"form\":" + std::to_string(made.version);
  for (const auto* judged : rows.judgments)
    require(whole(judged->made.payload).find(named) != std::string::npos, "versions", rows.id,
            "a judgment was accepted that the schema of its unit's version refuses");
}

void auditor::sending(const msg::update_workflow& asked) {
  if (!asked.dry_run)
    updates_sent_.emplace(asked.version, asked.definition);
}

/// The steps are those of the version, in its order.
void auditor::check_view(const core::workflow_id& workflow, std::uint32_t version,
                         const std::vector<msg::step_view>& steps) {
  const auto parsed =
      documents::parse_workflow(t_.workflows.at(workflow).definitions[version - 1], {});
  const bool same =
      std::equal(steps.begin(), steps.end(), parsed->steps.begin(), parsed->steps.end(),
                 [&](const msg::step_view& told, const core::step_definition& defined_one) {
                   const auto row = t_.steps.find(told.step);
                   return row != t_.steps.end() && row->second.row.key == told.key
                          && row->second.row.position == told.position
                          && told.key == defined_one.key;
                 });
  if (!same)
    blame("I-12", "the steps that are told of are not those of version " + std::to_string(version));
}

void auditor::acknowledged(const msg::update_workflow& asked, const msg::workflow_updated& answer) {
  const auto row = t_.workflows.find(answer.workflow);
  const auto stored = row == t_.workflows.end() ? 0 : row->second.definitions.size();
  if (asked.version < 1 || asked.version > stored || answer.version != asked.version + 1
      || answer.dry_run != asked.dry_run)
    return blame("I-12", "an update of a workflow was answered that cannot have been made");
  const auto& definitions = row->second.definitions;
  if (answer.differences.empty() != (definitions[asked.version - 1] == asked.definition))
    blame("I-12", "an update is not told of by what it changes");
  if (asked.dry_run)
    return;
  if (answer.version > stored || definitions[asked.version] != asked.definition)
    return blame("I-12", "an acknowledged version of a workflow is not in the database");
  check_view(answer.workflow, answer.version, answer.steps);
  auto& known = acknowledged_versions_[answer.workflow];
  known = std::max(known, answer.version);
}

void auditor::acknowledged(const msg::get_workflow& asked, const msg::workflow_view& answer) {
  const auto row = t_.workflows.find(asked.workflow);
  const auto stored = row == t_.workflows.end() ? 0 : row->second.definitions.size();
  if (answer.workflow != asked.workflow || answer.version < 1 || answer.version > answer.latest
      || answer.latest > stored || (asked.version != 0 && answer.version != asked.version)
      || (asked.version == 0 && answer.version != answer.latest)
      || row->second.definitions[answer.version - 1] != answer.definition)
    return blame("I-12", "a workflow is told of otherwise than it is in the database");
  check_view(answer.workflow, answer.version, answer.steps);
}

} // namespace holdfast::sim
