#include "actors/stored_items.hpp"

#include "documents/workflow_document.hpp"

#include <map>
#include <set>
#include <utility>

namespace holdfast::actors {

using persistence::store;

// Definitions were validated when they were created, under limits that may have been stricter or
// laxer than today's; stored ones are read without limits of their own.
core::outcome<core::versioned_workflow>
parse_versions(const std::vector<std::string>& definitions) {
  core::versioned_workflow workflow;
  std::size_t read = 0;
  for (const auto& json : definitions) {
    auto parsed = documents::parse_workflow(json, {json.size() + 1, 1000});
    if (!parsed)
      return core::failure{core::errc::damaged,
                           "stored definition of version " + std::to_string(++read)
                               + " of the workflow cannot be parsed: " + parsed.error().detail};
    ++read;
    workflow.add(std::move(*parsed));
  }
  return workflow;
}

core::outcome<versions_loaded> load_versions(store& from, core::workflow_id workflow) {
  auto stored = from.load_workflow(workflow);
  if (!stored)
    return stored.error();
  auto versions = parse_versions(stored->definitions);
  if (!versions)
    return versions.error();
  return versions_loaded{std::move(*versions), std::move(stored->steps)};
}

core::outcome<step_loaded> load_step(store& from, core::step_id step) {
  const auto policies_of = [](const std::vector<std::string>& definitions, const std::string& key) {
    const auto stored = parse_versions(definitions);
    const auto position = stored ? stored->position_of(key) : std::nullopt;
    return position ? stored->leases(*position) : core::lease_policies{};
  };
  auto stored = from.load_step(step, policies_of);
  if (!stored)
    return stored.error();
  // In this order: no unit is of a version that is not known then.
  auto workflow = load_versions(from, stored->row.workflow);
  if (!workflow)
    return workflow.error();
  if (workflow->versions.position_of(stored->row.key) != stored->row.position)
    return core::failure{core::errc::damaged, "the step is not where its workflow has it"};
  const auto scope = core::history_needed(workflow->versions, stored->row.position);
  auto history = from.load_step_history(step, scope);
  if (!history) // one row of it may be damaged, or the database away
    history = from.load_readable_step_history(step, scope);
  if (!history)
    return history.error();
  auto repairs = from.open_repairs(step);
  if (!repairs)
    return repairs.error();
  return step_loaded{std::move(*stored), std::move(*workflow), std::move(*history),
                     std::move(*repairs)};
}

core::outcome<queue_loaded> load_queue(store& from, const core::queue_name& queue) {
  auto stored = from.load_queue(queue);
  if (!stored)
    return stored.error();
  auto actions = from.running_queue_actions(queue);
  if (!actions)
    return actions.error();
  return queue_loaded{std::move(*stored), std::move(*actions)};
}

core::outcome<listings_loaded> load_listings(store& from, core::step_id after,
                                             std::uint32_t limit) {
  const auto rows = from.open_steps(after, limit);
  if (!rows)
    return rows.error();
  listings_loaded loaded;
  std::map<core::workflow_id, core::outcome<versions_loaded>> workflows;
  for (const auto& row : *rows) {
    if (!row.workflow) // not readable
      continue;
    auto known = workflows.find(row.workflow);
    if (known == workflows.end()) {
      auto stored = load_versions(from, row.workflow);
      if (!stored && stored.error().code != core::errc::damaged)
        return stored.error();
      known = workflows.emplace(row.workflow, std::move(stored)).first;
    }
    if (!known->second)
      continue;
    const auto& versions = known->second->versions;
    const auto position = versions.position_of(row.key);
    if (position)
      loaded.listings.push_back(
          core::listing_of(row, versions.step(*position), versions.newest(*position)));
  }
  loaded.more = rows->size() >= limit;
  if (!rows->empty())
    loaded.last = rows->back().id;
  return loaded;
}

core::outcome<std::vector<core::step_id>> find_live_steps(store& from) {
  constexpr std::uint32_t steps_page = 1000;
  // Complete steps may be under repair.
  const auto repairs = from.open_repairs({});
  if (!repairs)
    return repairs.error();
  std::set<core::step_id> repaired;
  for (const auto& repair : repairs->open)
    repaired.insert(repair.step);
  for (const auto& repair : repairs->unreadable) // the step tells of it
    repaired.insert(repair.step);
  std::vector<core::step_id> live;
  core::step_id after;
  for (;;) {
    const auto page = from.list_steps(after, steps_page);
    if (!page)
      return page.error();
    for (const auto& row : *page) {
      // One that is not readable may be live; loading it tells why it is not readable.
      bool is_live = !row.workflow || row.status == core::step_status::open
                     || row.status == core::step_status::paused || repaired.count(row.id) != 0;
      // Open units of a canceled step must be canceled: a restart may have come in between, and
      // earlier versions left them open.
      if (row.status == core::step_status::canceled && row.completed_units < row.total_units) {
        const auto counted = from.statistics(row.id);
        if (!counted && counted.error().code != core::errc::damaged)
          return counted.error();
        is_live = !counted || counted->active_leases + counted->judgable + counted->paused > 0;
      }
      if (is_live)
        live.push_back(row.id);
    }
    if (page->size() < steps_page)
      return live;
    after = page->back().id;
  }
}

core::outcome<std::vector<persistence::task_history>>
load_tasks(store& from, const std::vector<core::task_id>& tasks) {
  std::vector<persistence::task_history> found;
  for (const auto& id : tasks) {
    auto history = from.load_task(id);
    if (history)
      found.push_back(std::move(*history));
    else if (history.error().code != core::errc::not_found)
      return history.error();
  }
  return found;
}

core::outcome<core::table_view> load_events(store& from, core::shard_id shard,
                                            const core::event_place& place, std::uint32_t limit) {
  // In this order: what is pruned in between shows as a gap, which the feed knows how to take.
  const auto bounds = from.event_bounds(shard);
  if (!bounds)
    return bounds.error();
  const auto after = core::beginning_of(place, *bounds);
  core::table_view view{*bounds, {}};
  if (after < bounds->pruned || after >= bounds->newest)
    return view;
  auto events = from.events_after(shard, after, limit);
  if (!events)
    return events.error();
  view.events = std::move(*events);
  return view;
}

core::outcome<consumer_position> load_position(store& from, const std::string& consumer,
                                               core::shard_id shard) {
  auto cursor = from.cursor(consumer, shard);
  if (!cursor)
    return cursor.error();
  auto applied = from.inbox_after(consumer, shard, *cursor);
  if (!applied)
    return applied.error();
  return consumer_position{*cursor, std::move(*applied)};
}

core::outcome<persistence::stored_profile> load_profile(
    store& from, const core::contributor_id& contributor,
    const std::function<core::outcome<core::contributor_profile>(const core::contributor_id&)>&
        find_profile) {
  auto stored = from.load_profile(contributor);
  if (!stored || !find_profile)
    return stored;
  auto profile = find_profile(contributor);
  if (!profile)
    return profile.error();
  stored->profile = core::in_order(std::move(*profile));
  return stored;
}

} // namespace holdfast::actors
