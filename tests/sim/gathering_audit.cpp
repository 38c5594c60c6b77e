// The part of the auditor that is about units that become one: which may, when, and what of.

#include "tests/sim/invariants.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace holdfast::sim {

using core::unit_state;

std::vector<core::unit_id> auditor::members_of(const core::unit_id& batch) const {
  std::vector<core::unit_id> members;
  for (auto entry = t_.units_by_batch.lower_bound({batch, {}});
       entry != t_.units_by_batch.end() && entry->first == batch; ++entry)
    members.push_back(entry->second);
  const auto place = [&](const core::unit_id& unit) {
    const auto& made = t_.units.at(unit).made;
    const auto& policy = defined(made).gather;
    const bool by_list = policy && policy->by == core::gather_by::list;
    return std::pair{by_list ? made.list.part : 0, made.ordinal};
  };
  std::sort(members.begin(), members.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return members;
}

/// It becomes part of a batch, or of none any more because the batch has lost one of its units.
void auditor::check_regrouped(const unit_rows& rows, unit_memory& known) {
  const auto& row = *rows.unit;
  if (known.batch) {
    const auto& before = t_.units.at(known.batch);
    require(!row.batch && before.state == unit_state::canceled, "I-5", rows.id,
            "a unit left its batch, which was not canceled, or for another one");
    const auto& others = units_[known.batch].members;
    require(std::any_of(others.begin(), others.end(),
                        [&](const auto& id) { return !stands(t_.units.at(id).made); }),
            "withdrawal", rows.id, "a batch was taken apart although all of its units stand");
    ++known.ungathered;
    --steps_[known.step].finished;
  } else {
    require(row.made.gathered, "I-5", rows.id,
            "a unit is part of a batch for which it did not wait");
    ++steps_[known.step].finished;
  }
  known.batch = row.batch;
}

/// What was made to wait does nothing else, unless it is withdrawn.
void auditor::check_gathered(const unit_rows& rows, unit_memory& known) {
  const auto& row = *rows.unit;
  require(row.made.gathered ? row.state == unit_state::gathered
                                  || (row.state == unit_state::canceled && !row.batch)
                            : row.state != unit_state::gathered,
          "I-5", rows.id,
          "a unit does not wait for a batch as it was made to, or does although "
          "it was not");
  if (row.batch != known.batch)
    check_regrouped(rows, known);
  require(row.ungathered == known.ungathered, "I-5", rows.id,
          "a unit does not know how often it was taken out of a batch");
  if (row.batch) {
    const auto batch = t_.units.find(row.batch);
    require(batch != t_.units.end() && batch->second.made.step == row.made.step
                && !batch->second.made.gathered,
            "I-5", rows.id, "a unit is part of what is no batch of its step");
  }
  if (const auto parent = t_.units.find(row.made.parent);
      parent != t_.units.end() && parent->second.made.gathered)
    check_batch(rows, known);
}

/// A batch has what its members have, and nobody joins it later, or leaves it alone.
void auditor::check_batch(const unit_rows& rows, unit_memory& known) {
  const auto& made = rows.unit->made;
  const auto members = members_of(rows.id);
  if (!known.members.empty()) {
    const bool apart = members.empty() && rows.unit->state == unit_state::canceled;
    require(members == known.members || apart, "I-5", rows.id,
            "a batch has other members than at first");
    if (apart && !known.taken_apart)
      ++taken_apart_;
    known.taken_apart = apart;
    return;
  }
  if (!require(defined(made).gather && !made.gathered && !members.empty(), "I-5", rows.id,
               "a batch of nothing, or in a step that does not gather"))
    return;
  known.members = members;
  ++batches_;
  const auto& first = t_.units.at(members.front()).made;
  const auto before = t_.units.at(members.front()).ungathered;
  const auto suffix = before == 0 ? std::string{} : '/' + std::to_string(before + 1);
  require(made.parent == first.id && made.root == first.root && made.part == 0 && !made.list.of
              && made.parent_reopened == before
              && made.source_key == "batch:" + to_string(first.id) + suffix,
          "I-5", rows.id, "a batch does not go on from the first of its members");
  std::uint32_t loops = 0;
  std::set<core::contributor_id> excluded;
  for (const auto& id : members) {
    const auto& member = t_.units.at(id).made;
    require(member.version == made.version, "versions", rows.id,
            "a batch has members of another version");
    loops = std::max(loops, member.loops);
    excluded.insert(member.excluded.begin(), member.excluded.end());
  }
  require(made.loops == loops, "I-5", rows.id,
          "a batch does not know how often its members were sent back");
  require(std::equal(excluded.begin(), excluded.end(), made.excluded.begin(), made.excluded.end()),
          "routes", rows.id, "not exactly those are kept from a batch who are from its members");
  check_batch_size(made, members);
  check_batch_input(made, members);
}

/// A batch is made as soon as it is whole; before that only when nothing more was to come.
void auditor::check_batch_size(const core::insert_unit& made,
                               const std::vector<core::unit_id>& members) {
  const auto& policy = *defined(made).gather;
  const bool was_sealed = steps_[made.step].was_sealed;
  if (policy.by == core::gather_by::count) {
    require(members.size() <= policy.size, "gathering", made.id, "a batch has too many members");
    require(members.size() == policy.size || was_sealed, "gathering", made.id,
            "a batch was made before there were enough for it");
    return;
  }
  const auto& list = t_.units.at(members.front()).made.list;
  std::set<std::uint32_t> parts;
  for (const auto& id : members) {
    const auto& member = t_.units.at(id).made.list;
    require(member.of == list.of && (list.of || members.size() == 1), "gathering", made.id,
            "a batch has members of several lists, or several of none");
    parts.insert(member.part);
  }
  const bool whole = !list.of || parts.size() >= list.size;
  require(whole || was_sealed, "gathering", made.id,
          "a batch was made before each item of its list had come in");
  if (whole && parts.size() > 1)
    ++whole_lists_;
}

void auditor::check_batch_input(const core::insert_unit& made,
                                const std::vector<core::unit_id>& members) {
  auto data = nlohmann::json::array();
  auto items = nlohmann::json::array();
  auto results = nlohmann::json::array();
  bool any_item = false;
  for (const auto& id : members) {
    const auto input = nlohmann::json::parse(whole(t_.units.at(id).made.input));
    data.push_back(input.at("data"));
    items.push_back(input.value("item", nlohmann::json{}));
    results.push_back(input.at("result"));
    any_item = any_item || input.contains("item");
  }
  const bool one_source =
      defined(made).gather->by == core::gather_by::list
      && !workflow_of(made.step).versions.data_apart(made.version, position_of(made.step));
  auto expected = nlohmann::json::object();
  expected["data"] = one_source ? data.front() : data;
  if (any_item)
    expected["item"] = items;
  expected["result"] = results;
  require(nlohmann::json::parse(whole(made.input)) == expected, "I-5", made.id,
          "a batch does not bring what its members do");
}

/// Nobody waits where nothing more can come, nor with all that are waited for. Behind a step that
/// was canceled it is never known that nothing more comes.
std::string auditor::unfinished_batches() const {
  struct group {
    std::uint32_t units = 0;
    std::set<std::uint32_t> parts;
  };
  std::map<std::tuple<core::step_id, std::uint32_t, core::unit_id>, group> groups;
  for (const auto& [id, row] : t_.units) {
    const auto& made = row.made;
    const auto& step = t_.steps.at(made.step).row;
    const auto& policy = defined(made).gather;
    if (row.state != unit_state::gathered || !policy || row.batch
        || step.status == core::step_status::canceled)
      continue;
    if (step.sealed)
      return "I-10: a unit waits although nothing more can come" + dump(id);
    const bool by_list = policy->by == core::gather_by::list;
    auto& mine = groups[{made.step, made.version, by_list ? made.list.of : core::unit_id{}}];
    ++mine.units;
    mine.parts.insert(made.list.part);
    const bool whole =
        by_list ? !made.list.of || mine.parts.size() == made.list.size : mine.units == policy->size;
    if (whole)
      return "I-10: there are enough for a batch that is not made" + dump(id);
  }
  return {};
}

} // namespace holdfast::sim
