#pragma once

#include "actors/lineage_view.hpp"
#include "actors/node_settings.hpp"
#include "actors/profiles.hpp"
#include "actors/request_checks.hpp"
#include "actors/step_views.hpp"
#include "actors/stored_items.hpp"
#include "core/object_ref.hpp"
#include "core/outcome.hpp"
#include "messages/lineage_messages.hpp"
#include "messages/work_messages.hpp"
#include "messages/workflow_messages.hpp"
#include "persistence/store.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Requests about workflows, steps, units and contributors that the database answers: the check of
/// each, and its answer, which a reader makes.
namespace holdfast::actors {

inline constexpr std::uint32_t steps_page_max = 1000;
inline constexpr std::uint32_t workflows_page_max = 1000;
inline constexpr std::uint32_t results_page_max = 10000;
/// With their truths, of 4 KiB each at most.
inline constexpr std::uint32_t questions_page_max = 500;
inline constexpr std::uint32_t lineage_page_max = 100; ///< With all that was said of each.

// --- workflows and steps ---

inline core::failure check(const msg::get_workflow& m) { return check_id(m.workflow, "workflow"); }
inline core::outcome<msg::workflow_view> answer(const node_settings&, persistence::store& db,
                                                const msg::get_workflow& m) {
  auto stored = db.load_workflow(m.workflow);
  if (!stored)
    return stored.error();
  const auto latest = static_cast<std::uint32_t>(stored->definitions.size());
  const auto version = m.version == 0 ? latest : m.version;
  if (version > latest)
    return core::failure{core::errc::not_found, "the workflow has no version "
                                                    + std::to_string(version) + "; the latest is "
                                                    + std::to_string(latest)};
  const auto versions = parse_versions(stored->definitions);
  if (!versions)
    return versions.error();
  return msg::workflow_view{stored->id,
                            std::move(stored->name),
                            version,
                            latest,
                            std::move(stored->definitions[version - 1]),
                            steps_of(versions->definition(version), stored->steps)};
}

inline core::failure check(const msg::list_workflows& m) {
  return check_limit(m.limit, workflows_page_max);
}
inline core::outcome<msg::workflow_page> answer(const node_settings&, persistence::store& db,
                                                const msg::list_workflows& m) {
  auto listed = db.list_workflows(m.after, m.limit);
  if (!listed)
    return listed.error();
  msg::workflow_page page;
  page.more = listed->more;
  for (auto& w : listed->workflows)
    page.workflows.push_back({w.id, std::move(w.name), w.created_at, w.latest, w.open, w.paused,
                              w.completed, w.canceled, w.job_revision,
                              static_cast<std::uint8_t>(w.job)});
  return page;
}

inline core::failure check(const msg::list_steps& m) {
  return check_limit(m.limit, steps_page_max);
}
inline core::outcome<msg::step_list> answer(const node_settings&, persistence::store& db,
                                            const msg::list_steps& m) {
  const auto rows = db.list_steps(m.after, m.limit);
  if (!rows)
    return rows.error();
  msg::step_list list;
  for (const auto& row : *rows)
    list.steps.push_back(to_view(row));
  return list;
}

inline core::failure check(const msg::get_step_statistics& m) { return check_id(m.step, "step"); }
inline core::outcome<msg::step_statistics> answer(const node_settings&, persistence::store& db,
                                                  const msg::get_step_statistics& m) {
  const auto counts = db.statistics(m.step);
  if (!counts)
    return counts.error();
  return msg::step_statistics{to_view(counts->step), counts->judgable,      counts->paused,
                              counts->finalized,     counts->canceled,      counts->judgments,
                              counts->active_leases, counts->expired_leases};
}

inline core::failure check(const msg::list_results& m) {
  return first_of({check_id(m.step, "step"), check_limit(m.limit, results_page_max)});
}
inline core::outcome<msg::result_page> answer(const node_settings&, persistence::store& db,
                                              const msg::list_results& m) {
  auto read = db.list_results(m.step, m.after, m.limit);
  if (!read)
    return read.error();
  if (read->first.empty()) // of a step that is not there, which takes a second look to tell
    if (const auto known = db.statistics(m.step); !known)
      return known.error();
  msg::result_page page;
  page.last = read->first.empty() ? m.after : read->second;
  for (auto& r : read->first)
    page.results.push_back(
        {r.unit, std::move(r.source_key), r.state, r.judgments, std::move(r.result), r.confidence});
  return page;
}

inline core::failure check(const msg::list_test_questions& m) {
  return first_of({check_id(m.step, "step"), check_limit(m.limit, questions_page_max)});
}
inline core::outcome<msg::test_question_page> answer(const node_settings&, persistence::store& db,
                                                     const msg::list_test_questions& m) {
  auto listed = db.list_questions(m.step, m.after, m.limit);
  if (!listed)
    return listed.error();
  msg::test_question_page page;
  page.more = listed->more;
  for (auto& q : listed->questions)
    page.questions.push_back({q.unit, q.ordinal, std::move(q.source_key), std::move(q.input),
                              std::move(q.truth), q.state, q.forgiven, q.answered, q.right});
  return page;
}

// --- units ---

inline core::failure check(const msg::get_unit& m) {
  return first_of({check_id(m.step, "step"), check_id(m.unit, "unit")});
}
inline core::outcome<msg::unit_view> answer(const node_settings&, persistence::store& db,
                                            const msg::get_unit& m) {
  auto units = db.load_units({m.unit}, {});
  if (!units)
    return units.error();
  if (units->empty() || units->front().step != m.step)
    return core::failure{core::errc::not_found,
                         "no unit " + to_string(m.unit) + " in step " + to_string(m.step)};
  const auto& u = units->front();
  return msg::unit_view{u.id,
                        u.step,
                        u.root,
                        u.parent,
                        u.source_key,
                        u.input,
                        u.state,
                        core::is_test_question(u) ? 0 : u.slots,
                        static_cast<std::uint32_t>(u.judgments.size()),
                        static_cast<std::uint32_t>(u.leases.active.size()),
                        u.result,
                        u.confidence,
                        u.version,
                        u.batch};
}

/// The texts of the view that may be in the object store.
inline std::vector<std::string*> payloads_of(msg::unit_view& view) { return {&view.input}; }

inline core::failure check(const msg::list_corrections& m) {
  return first_of({check_id(m.step, "step"), check_id(m.unit, "unit")});
}
inline core::outcome<msg::correction_list> answer(const node_settings&, persistence::store& db,
                                                  const msg::list_corrections& m) {
  auto units = db.load_units({m.unit}, {});
  if (!units)
    return units.error();
  if (units->empty() || units->front().step != m.step)
    return core::failure{core::errc::not_found,
                         "no unit " + to_string(m.unit) + " in step " + to_string(m.step)};
  auto rows = db.load_corrections(m.step, m.unit);
  if (!rows)
    return rows.error();
  auto kept = db.load_judgment_corrections(m.unit);
  if (!kept)
    return kept.error();
  msg::correction_list list{m.unit, {}, {}};
  for (auto& r : *rows)
    list.corrections.push_back({r.number, r.id, std::string{to_string(r.kind)}, r.judgment,
                                std::move(r.contributor), std::move(r.by), std::move(r.reason),
                                std::move(r.answer), r.at, r.wanted, r.took_back});
  for (auto& k : *kept)
    list.judgments.push_back(
        {k.judgment, k.number, k.applied, std::move(k.answer), std::move(k.payload), k.at});
  return list;
}

inline core::failure check(const msg::get_lineage& m) {
  return first_of({check_id(m.unit, "unit"), check_limit(m.limit, lineage_page_max)});
}
inline core::outcome<msg::unit_lineage> answer(const node_settings&, persistence::store& db,
                                               const msg::get_lineage& m) {
  // One more than is shown tells whether there are others.
  auto item = db.load_lineage(m.unit, m.after, m.limit + 1);
  if (!item)
    return item.error();
  return to_view(std::move(*item), m.limit);
}
/// Of the documents in the object store that one lineage shows.
inline constexpr std::size_t lineage_bytes = std::size_t{4} * 1024 * 1024;
inline std::vector<std::string*> payloads_of(msg::correction_list& view) {
  std::vector<std::string*> texts;
  std::size_t bytes = 0;
  for (auto& kept : view.judgments)
    if (core::begins_like_object_ref(kept.payload) && bytes < lineage_bytes) {
      bytes += core::payload_bytes(kept.payload);
      texts.push_back(&kept.payload);
    }
  return texts;
}
/// As many documents as fit, and the one that passes that; the others show as references.
inline std::vector<std::string*> payloads_of(msg::unit_lineage& view) {
  std::vector<std::string*> texts;
  std::size_t bytes = 0;
  const auto want = [&](std::string& text) {
    if (!core::begins_like_object_ref(text) || bytes >= lineage_bytes)
      return;
    bytes += core::payload_bytes(text);
    texts.push_back(&text);
  };
  for (auto& unit : view.units) {
    want(unit.input);
    for (auto& judgment : unit.judgments)
      want(judgment.payload);
  }
  return texts;
}

// --- contributors ---

inline core::failure check(const msg::get_profile& m) {
  return check_worker_of_units(m.contributor);
}
inline core::outcome<msg::profile_view> answer(const node_settings& settings,
                                               persistence::store& db, const msg::get_profile& m) {
  const auto stored = load_profile(db, m.contributor, settings.find_profile);
  if (!stored)
    return stored.error();
  return to_view(m.contributor, *stored);
}

} // namespace holdfast::actors
