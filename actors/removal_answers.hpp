#pragma once

#include "actors/node_settings.hpp"
#include "actors/request_checks.hpp"
#include "core/outcome.hpp"
#include "core/removal.hpp"
#include "messages/removal_messages.hpp"
#include "persistence/store.hpp"

#include <cstdint>
#include <string>

/// The checks of requests about removals of contributors, and the answers of those that the
/// database answers, which a reader makes.
namespace holdfast::actors {

inline constexpr std::uint32_t removals_page_max = 1000;

// --- between messages and removals ---

/// Of a request that names at most one of workflow and step.
template <class Request>
core::removal_place place_in(const Request& m) {
  if (m.step)
    return core::in_step(m.step);
  return m.workflow ? core::in_workflow(m.workflow) : core::everywhere();
}

inline core::removal removal_in(const msg::put_removal& m, std::string by, core::instant now) {
  core::removal said;
  said.contributor = m.contributor;
  said.place = place_in(m);
  said.keeps_judgments = m.keep_judgments;
  said.at = now;
  if (m.lasts > core::duration::zero())
    said.until = now + m.lasts;
  else if (m.until != core::instant{})
    said.until = m.until;
  said.reason = m.reason;
  said.by = std::move(by);
  return said;
}

inline core::removal removal_in(const msg::reinstate_contributor& m, std::string by,
                                core::instant now) {
  core::removal over;
  over.contributor = m.contributor;
  over.place = place_in(m);
  over.at = now;
  over.ended_at = now;
  over.by = std::move(by);
  return over;
}

inline msg::removal_view view_of(const core::removal& one, core::instant now) {
  msg::removal_view view;
  view.contributor = one.contributor;
  view.scope = to_string(one.place.scope);
  if (one.place.scope == core::removal_scope::workflow)
    view.workflow = core::workflow_id{one.place.id};
  else if (one.place.scope == core::removal_scope::step)
    view.step = core::step_id{one.place.id};
  view.state = one.ended_at ? "reinstated" : core::is_active(one, now) ? "active" : "over";
  view.keeps_judgments = one.keeps_judgments;
  view.reason = one.reason;
  view.by = one.by;
  view.at = one.at;
  view.until = one.until.value_or(core::instant{});
  view.reinstated_at = one.ended_at.value_or(core::instant{});
  return view;
}

// --- checks ---

template <class Request>
core::failure check_place(const Request& m) {
  return m.workflow && m.step
             ? invalid("name a workflow or a step, not both; neither means everywhere")
             : core::failure{};
}

inline core::failure check(const msg::put_removal& m) {
  const bool lasts = m.lasts >= core::duration::zero() && m.lasts <= core::removal_time_max;
  return first_of({check_contributor(m.contributor), check_place(m),
                   lasts ? core::failure{} : invalid("lasts must be between 0 and 10 years"),
                   m.lasts > core::duration::zero() && m.until != core::instant{}
                       ? invalid("give an end by until or by lasts, not both")
                       : core::failure{},
                   m.reason.empty() ? core::failure{}
                                    : documents::check_text(m.reason, "reason",
                                                            core::removal_reason_bytes_max)});
}
inline core::failure check(const msg::reinstate_contributor& m) {
  return first_of({check_contributor(m.contributor), check_place(m)});
}
inline core::failure check(const msg::list_removals& m) {
  return first_of({check_contributor(m.contributor), check_limit(m.limit, removals_page_max)});
}

// --- answers ---

inline core::outcome<msg::removal_page> answer(const node_settings&, persistence::store& db,
                                               const msg::list_removals& m) {
  const auto now = db.now();
  if (!now)
    return now.error();
  const auto found = db.list_removals(m.contributor, m.limit + 1);
  if (!found)
    return found.error();
  msg::removal_page page;
  page.more = found->size() > m.limit;
  for (const auto& one : *found)
    if (page.removals.size() < m.limit)
      page.removals.push_back(view_of(one, *now));
  return page;
}

/// Why nobody can be removed from there; `none` where the place exists.
inline core::failure check_exists(persistence::store& db, const core::removal_place& place) {
  if (place.scope == core::removal_scope::workflow) {
    const auto found = db.load_workflow(core::workflow_id{place.id});
    if (!found)
      return found.error();
  } else if (place.scope == core::removal_scope::step) {
    const auto found = db.list_steps(core::step_id{place.id}, 1);
    if (!found && found.error().code == core::errc::not_found)
      return {core::errc::not_found, "no step " + to_string(core::step_id{place.id})};
    if (!found)
      return found.error();
  }
  return {};
}

} // namespace holdfast::actors
