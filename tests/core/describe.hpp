#pragma once

#include "core/change.hpp"
#include "core/step.hpp"
#include "core/task.hpp"
#include "core/unit.hpp"

#include <string>
#include <variant>

/// Values of core as text: what scenarios expect, and how property tests compare whole states, so
/// that a difference can be read.
namespace holdfast::test {

/// Where the clock of every test begins: scenarios say `0s` for it.
inline constexpr core::instant beginning{std::chrono::seconds{1'700'000'000}};

/// `1h2m3.5s`; parts of nothing left out.
inline std::string describe(core::duration span) {
  if (span == core::duration::zero())
    return "0s";
  std::string text = span < core::duration::zero() ? "-" : "";
  auto micros = span.count() < 0 ? -span.count() : span.count();
  const auto part = [&](std::int64_t size, const char* unit) {
    if (micros >= size)
      text += std::to_string(micros / size) + unit;
    micros %= size;
  };
  part(3'600'000'000, "h");
  part(60'000'000, "m");
  if (micros == 0)
    return text;
  auto fraction = std::to_string(1'000'000 + micros % 1'000'000).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return text + std::to_string(micros / 1'000'000) + (fraction.empty() ? "" : "." + fraction) + "s";
}

inline std::string describe(core::instant at) {
  return at == core::instant::max() ? "never" : describe(at - beginning);
}

inline std::string describe(const core::lease& l) {
  return l.owner + " " + to_string(l.id) + " token " + std::to_string(l.token) + " from "
         + describe(l.granted_at) + " until " + describe(l.expires_at);
}

/// All that can change.
inline std::string describe(const core::unit& u) {
  auto text = std::string{to_string(u.state)} + (u.overridden ? " as said" : "") + ", "
              + std::to_string(u.slots) + " slots, last token "
              + std::to_string(u.leases.last_token) + "\n";
  for (const auto& l : u.leases.active)
    text += "  lease " + describe(l) + "\n";
  for (const auto& j : u.judgments)
    text += "  judgment " + to_string(j.id) + " of " + j.contributor + " token "
            + std::to_string(j.token) + " '" + j.answer + "'" + (j.late ? " late" : "")
            + (j.tainted ? " tainted" : "") + (j.taint_requested ? " by request" : "")
            + (j.corrected == 0 ? "" : " corrected " + std::to_string(j.corrected)) + "\n";
  for (const auto& l : u.lapsed)
    text += "  lapsed " + l.contributor + " token " + std::to_string(l.token)
            + (l.surplus ? " surplus " + to_string(l.surplus) : "") + "\n";
  for (const auto& b : u.bars)
    text += "  bar " + b.contributor + " until " + describe(b.until) + "\n";
  return text;
}

inline std::string describe(const core::step_row& row) {
  return std::string{to_string(row.status)} + (row.sealed ? ", sealed, " : ", ")
         + std::to_string(row.completed_units) + " of " + std::to_string(row.total_units)
         + ", revision " + std::to_string(row.revision)
         + (row.upstreams_completed == 0
                ? ""
                : ", upstreams completed " + std::to_string(row.upstreams_completed))
         + (row.job_revision == 0 && row.job == core::job_status::launched
                ? ""
                : ", job " + std::string{to_string(row.job)} + " as of "
                      + std::to_string(row.job_revision));
}

inline std::string describe(const core::step& s) {
  return describe(s.row) + ", next ordinal " + std::to_string(s.next_ordinal);
}

inline std::string describe(const core::task_progress& p) {
  return p.state + " data " + p.data + " bookmark " + p.execution_state + " "
         + std::to_string(p.percent) + " % attempts " + std::to_string(p.attempts) + " crashes "
         + std::to_string(p.crashes) + " failures " + std::to_string(p.failures) + " ejected by "
         + to_string(p.ejection) + " saved " + std::to_string(p.saved_under) + "."
         + std::to_string(p.saved_number) + " paused " + std::to_string(p.pauses)
         + " times, given back " + std::to_string(p.idle_releases) + " times, due "
         + describe(p.next_action) + " changed " + describe(p.last_change) + " acted "
         + describe(p.last_action) + (p.paused ? " paused" : "");
}

inline std::string describe(const core::task_spec& s) {
  return s.type + " " + s.version + " " + s.body + " trace " + s.trace_id + "/" + s.span_id
         + " priority " + std::to_string(s.priority) + " key " + s.key + " credential "
         + s.credential + " unique " + s.unique_key + " tries " + std::to_string(s.max_attempts)
         + " owner " + s.owner_id + " as " + s.run_as_id + " made " + describe(s.created_at);
}

inline std::string describe(const core::task& t) {
  auto text = to_string(t.spec.id) + " " + describe(t.spec) + "; " + describe(t.progress)
              + "; last token " + std::to_string(t.leases.last_token);
  for (const auto& l : t.leases.active)
    text += "; lease " + describe(l);
  return text;
}

inline std::string describe(const core::task_error& e) {
  return "error '" + e.code + "' '" + e.detail + "'";
}

struct write_text {
  using text = std::string;

  text operator()(const core::insert_workflow& w) const {
    return "insert_workflow " + to_string(w.id);
  }
  text operator()(const core::insert_workflow_version& w) const {
    return "insert_workflow_version " + std::to_string(w.version) + " of " + to_string(w.workflow)
           + " at " + describe(w.created_at);
  }
  text operator()(const core::insert_step& w) const { return "insert_step " + describe(w.row); }
  text operator()(const core::update_step& w) const { return "update_step " + describe(w.row); }
  text operator()(const core::insert_unit& w) const {
    return "insert_unit " + to_string(w.id) + " step " + to_string(w.step) + " root "
           + to_string(w.root) + " parent " + to_string(w.parent) + " ordinal "
           + std::to_string(w.ordinal) + " key " + w.source_key + " input " + w.input + " slots "
           + std::to_string(w.slots) + " at " + describe(w.created_at)
           + (w.truth.empty() ? "" : " truth " + w.truth)
           + (w.loops == 0 ? "" : " loops " + std::to_string(w.loops))
           + (w.part == 0 ? "" : " part " + std::to_string(w.part))
           + (w.version == 1 ? "" : " version " + std::to_string(w.version)) + describe_list(w.list)
           + (w.gathered ? " gathered" : "") + describe_excluded(w.excluded);
  }
  static text describe_list(const core::list_place& list) {
    return list.of ? " item " + std::to_string(list.part) + " of " + std::to_string(list.size)
                         + " of " + to_string(list.of)
                   : text{};
  }
  static text describe_excluded(const std::vector<core::contributor_id>& excluded) {
    text list;
    for (const auto& contributor : excluded)
      list += " without " + contributor;
    return list;
  }
  text operator()(const core::gather_units& w) const {
    text list;
    for (const auto& member : w.members)
      list += ' ' + to_string(member);
    return "gather_units into " + to_string(w.batch) + list;
  }
  text operator()(const core::ungather_units& w) const {
    text list;
    for (const auto& member : w.members)
      list += ' ' + to_string(member);
    return "ungather_units from " + to_string(w.batch) + list;
  }
  text operator()(const core::set_unit_slots& w) const {
    return "set_unit_slots " + std::to_string(w.slots);
  }
  text operator()(const core::set_unit_input& w) const { return "set_unit_input " + w.input; }
  text operator()(const core::taint_judgment& w) const {
    return "taint_judgment of " + w.contributor + " at " + describe(w.at);
  }
  text operator()(const core::restore_judgment& w) const {
    return "restore_judgment of " + w.contributor;
  }
  text operator()(const core::set_judgment_trust& w) const {
    return "set_judgment_trust of " + w.contributor + " " + std::to_string(w.trust.mean)
           + (w.trust.questions ? " by " + std::to_string(*w.trust.questions) : "");
  }
  text operator()(const core::set_question_forgiven& w) const {
    return std::string{"set_question_forgiven "} + (w.forgiven ? "yes" : "no") + " at "
           + describe(w.at);
  }
  text operator()(const core::put_standing& w) const {
    return "put_standing " + w.contributor + " " + std::string{to_string(w.standing)} + " "
           + std::string{to_string(w.reason)} + (w.by_removal ? " by removal" : "") + " at "
           + describe(w.at);
  }
  text operator()(const core::put_removal& w) const {
    const auto& r = w.row;
    return "put_removal " + r.contributor + " from " + std::string{to_string(r.place.scope)} + " "
           + to_string(r.place.id) + (r.keeps_judgments ? " keeping" : "") + " until "
           + (r.until ? describe(*r.until) : "-") + " ended "
           + (r.ended_at ? describe(*r.ended_at) : "-") + " because '" + r.reason + "' by '" + r.by
           + "' at " + describe(r.at);
  }
  text operator()(const core::insert_flag& w) const {
    return "insert_flag " + w.contributor + " " + std::string{to_string(w.what)} + " because "
           + w.why + " at " + describe(w.at);
  }
  text operator()(const core::put_profile& w) const {
    const auto& p = w.profile;
    return "put_profile " + w.contributor + describe_terms(" channels", p.channels)
           + describe_terms(" skills", p.skills)
           + describe_terms(" certifications", p.certifications)
           + (p.location.empty() ? "" : " in " + p.location)
           + (p.trust ? " trust " + std::to_string(*p.trust) : "") + " at " + describe(w.at);
  }
  text operator()(const core::put_api_token& w) const {
    const auto& row = w.row;
    text workflows;
    for (const auto& one : row.scope.workflows)
      workflows += " " + to_string(one);
    const auto when = [](const char* word, const std::optional<core::instant>& at) {
      return at ? text{word} + describe(*at) : text{};
    };
    return "put_api_token " + to_string(row.id) + " " + row.secret_hash + " "
           + std::string{to_string(row.as)} + " '" + row.name + "'"
           + describe_terms(" queues", row.scope.queues) + " workflows" + workflows + " by '"
           + row.created_by + "' at " + describe(row.created_at) + when(" until ", row.expires_at)
           + when(" revoked ", row.revoked_at) + when(" used ", row.last_used_at);
  }
  static text describe_terms(text name, const std::vector<std::string>& terms) {
    for (const auto& term : terms)
      name += " '" + term + "'";
    return terms.empty() ? "" : name;
  }
  text operator()(const core::set_unit_state& w) const {
    return "set_unit_state " + std::string{to_string(w.state)} + " at " + describe(w.at);
  }
  text operator()(const core::finalize_unit& w) const {
    return "finalize_unit " + w.result + " confidence " + std::to_string(w.confidence) + " at "
           + describe(w.at) + (w.route == core::no_route ? "" : " route " + std::to_string(w.route))
           + (w.route_reason.empty() ? "" : " because " + w.route_reason);
  }
  text operator()(const core::restate_unit& w) const {
    return "restate_unit " + w.result + " confidence " + std::to_string(w.confidence);
  }
  text operator()(const core::override_unit& w) const {
    return "override_unit " + std::to_string(static_cast<int>(w.found)) + " " + w.result + " at "
           + describe(w.at)
           + (w.route == core::no_route ? "" : " route " + std::to_string(w.route));
  }
  text operator()(const core::recount_unit& w) const {
    return "recount_unit " + std::to_string(w.slots) + " slots";
  }
  text operator()(const core::insert_correction& w) const {
    const auto& r = w.row;
    return "insert_correction " + std::to_string(r.number) + " " + std::string{to_string(r.kind)}
           + (r.contributor.empty() ? "" : " of " + r.contributor) + " by " + r.by + ": " + r.reason
           + (r.answer.empty() ? "" : " answer " + r.answer)
           + (r.wanted == 0 ? "" : " wants " + std::to_string(r.wanted))
           + (r.took_back ? " took back" : "") + (r.made_result ? " made a result" : "")
           + (r.is_open ? " open" : "") + " at " + describe(r.at);
  }
  text operator()(const core::set_taint_requested& w) const {
    return "set_taint_requested of " + w.contributor + (w.requested ? "" : " no more");
  }
  text operator()(const core::insert_judgment_correction& w) const {
    return "insert_judgment_correction " + std::to_string(w.number) + " of " + w.contributor + " "
           + w.payload + " answer " + w.answer + (w.applied ? "" : " kept") + " at "
           + describe(w.at);
  }
  text operator()(const core::withdraw_unit& w) const {
    return "withdraw_unit at " + describe(w.at);
  }
  text operator()(const core::reopen_unit& w) const {
    return "reopen_unit " + std::to_string(w.slots) + " slots at " + describe(w.at);
  }
  text operator()(const core::put_repair& w) const {
    const auto& f = w.row.figures;
    return "put_repair " + to_string(w.row.id) + " of " + w.row.contributor + " "
           + std::to_string(w.row.bookmark) + "/" + std::to_string(w.row.through) + ", "
           + std::to_string(f.found) + " found, " + std::to_string(f.unchanged) + " unchanged, "
           + std::to_string(f.changed) + " changed, " + std::to_string(f.reopened) + " reopened, "
           + std::to_string(f.went_on) + " went on, " + std::to_string(f.disregarded)
           + " disregarded at " + describe(w.row.changed_at);
  }
  text operator()(const core::insert_lease& w) const { return "insert_lease " + describe(w.lease); }
  text operator()(const core::extend_lease_row& w) const {
    return "extend_lease_row " + w.owner + " token " + std::to_string(w.token) + " until "
           + describe(w.expires_at);
  }
  text operator()(const core::end_lease_row& w) const {
    return "end_lease_row " + w.owner + " token " + std::to_string(w.token) + " "
           + std::string{to_string(w.how)} + " at " + describe(w.at);
  }
  text operator()(const core::insert_judgment& w) const {
    return "insert_judgment " + to_string(w.id) + " of " + w.owner + " token "
           + std::to_string(w.token) + " payload " + w.payload + " answer " + w.answer + " trust "
           + std::to_string(w.trust_snapshot)
           + (w.trust_questions ? " by " + std::to_string(*w.trust_questions) : "") + " at "
           + describe(w.submitted_at)
           + (w.test_correct ? *w.test_correct ? " right" : " wrong" : "")
           + (w.judged_before ? " after " + std::to_string(*w.judged_before) : "");
  }
  text operator()(const core::insert_late_judgment& w) const {
    return "late: " + (*this)(w.judgment);
  }
  text operator()(const core::insert_surplus_judgment& w) const {
    return "surplus: " + (*this)(w.judgment);
  }
  text operator()(const core::insert_inbox& w) const {
    return "insert_inbox " + w.consumer + " " + std::to_string(w.message.shard) + "/"
           + std::to_string(w.message.seq);
  }
  text operator()(const core::advance_cursor& w) const {
    return "advance_cursor " + w.consumer + " " + std::to_string(w.shard) + "/"
           + std::to_string(w.seq);
  }
  text operator()(const core::put_queue& w) const {
    auto line = "put_queue " + w.name + " " + w.definition + (w.paused ? " paused" : "");
    for (const auto& type : w.paused_types)
      line += " paused " + type;
    return line + " revision " + std::to_string(w.revision) + " at " + describe(w.at);
  }
  text operator()(const core::insert_task& w) const {
    return "insert_task " + w.queue + " " + to_string(w.spec.id) + " " + describe(w.spec) + "; "
           + describe(w.progress);
  }
  text operator()(const core::update_task& w) const {
    return "update_task " + to_string(w.task) + " " + describe(w.progress);
  }
  text operator()(const core::insert_task_lease& w) const {
    return "insert_task_lease " + to_string(w.task) + " " + describe(w.lease);
  }
  text operator()(const core::extend_task_lease& w) const {
    return "extend_task_lease " + to_string(w.task) + " token " + std::to_string(w.token)
           + " until " + describe(w.expires_at);
  }
  text operator()(const core::end_task_lease& w) const {
    return "end_task_lease " + to_string(w.task) + " token " + std::to_string(w.token) + " "
           + std::string{to_string(w.how)} + " " + describe(w.error) + " at " + describe(w.at);
  }
  text operator()(const core::finish_task& w) const {
    return "finish_task " + to_string(w.task) + " token " + std::to_string(w.token) + " "
           + std::string{to_string(w.ending)} + " result " + w.result + " " + describe(w.error)
           + " " + describe(w.progress) + " unique " + w.unique_key + " at " + describe(w.at);
  }
  text operator()(const core::revive_task& w) const {
    return "revive_task " + to_string(w.task) + " " + describe(w.progress) + " unique "
           + w.unique_key;
  }
  text operator()(const core::insert_late_result& w) const {
    return "insert_late_result " + to_string(w.task) + " token " + std::to_string(w.token) + " of "
           + w.worker + " " + w.outcome + " " + w.detail + " at " + describe(w.at);
  }
  text operator()(const core::take_staged& w) const {
    text ids;
    for (const auto id : w.staged)
      ids += " " + std::to_string(id);
    return "take_staged" + ids;
  }
  text operator()(const core::stage_task& w) const {
    const auto& s = w.task.spec;
    return "stage_task " + w.queue + " " + to_string(s.id) + " " + s.type + " " + s.body + " of "
           + s.owner_id + " at " + describe(w.task.run_at);
  }
  text operator()(const core::put_schedule_row& w) const {
    return "put_schedule " + w.queue + " " + w.name + " " + w.definition + " until "
           + describe(w.handled_until) + " made " + describe(w.last_made) + " revision "
           + std::to_string(w.revision) + " at " + describe(w.at);
  }
  text operator()(const core::delete_queue& w) const {
    return "delete_queue " + w.name + " at " + describe(w.at);
  }
  text operator()(const core::delete_schedule_row& w) const {
    return "delete_schedule " + w.queue + " " + w.name;
  }
  text operator()(const core::put_webhook& w) const {
    return "put_webhook " + w.name + " " + w.definition + (w.paused ? " paused" : "") + " revision "
           + std::to_string(w.revision) + " at " + describe(w.at);
  }
  text operator()(const core::delete_webhook& w) const {
    return "delete_webhook " + to_string(w.id);
  }
  text operator()(const core::put_webhook_position& w) const {
    return "put_webhook_position " + to_string(w.webhook) + " " + std::to_string(w.shard) + "-"
           + std::to_string(w.seq) + " stopped " + std::to_string(w.stopped_revision) + " "
           + w.reason;
  }
  text operator()(const core::put_dead_letter& w) const {
    return "put_dead_letter " + to_string(w.webhook) + " " + std::to_string(w.event.shard) + "-"
           + std::to_string(w.event.seq) + " status " + std::to_string(w.status) + " " + w.reason;
  }
  text operator()(const core::replay_dead_letter& w) const {
    return "replay_dead_letter " + to_string(w.webhook) + " " + std::to_string(w.event.shard) + "-"
           + std::to_string(w.event.seq);
  }
  text operator()(const core::delete_dead_letter& w) const {
    return "delete_dead_letter " + to_string(w.webhook) + " " + std::to_string(w.event.shard) + "-"
           + std::to_string(w.event.seq);
  }
  text operator()(const core::put_queue_action& w) const {
    const auto& row = w.row;
    const auto& f = row.filter;
    return "put_queue_action " + row.queue + ' ' + to_string(row.id) + ' '
           + std::string{to_string(row.kind)} + ' ' + std::string{to_string(row.status)} + " type '"
           + f.type + "' key '" + f.key + "' error '" + f.error_code + "' scope "
           + std::to_string(static_cast<int>(f.scope)) + " from " + describe(f.created_from)
           + " before " + describe(f.created_before) + " to " + to_string(row.bookmark) + ": "
           + std::to_string(row.counts.changed) + ' ' + std::to_string(row.counts.unchanged) + ' '
           + to_text(row.counts.refusals) + " by '" + row.asked_by + "' asked "
           + describe(row.asked_at) + " at " + describe(row.changed_at) + " '" + row.problem + "'";
  }
  text operator()(const core::forget_queue_actions& w) const {
    return "forget_queue_actions " + w.queue + " but " + std::to_string(w.keep);
  }
  text operator()(const core::insert_audit& w) const {
    return "insert_audit " + w.who + " " + w.operation + " " + w.item + " " + w.outcome + " at "
           + describe(w.at);
  }
  text operator()(const core::refuse_staged& w) const {
    return "refuse_staged " + std::to_string(w.staged) + " " + std::string{to_string(w.code)} + " "
           + w.detail + " at " + describe(w.at);
  }
};

/// Every write and every event, one per line.
inline std::string describe(const core::change& c) {
  std::string text;
  for (const auto& w : c.writes)
    text += std::visit(write_text{}, w) + "\n";
  for (const auto& e : c.events)
    text += to_json(e) + "\n";
  return text;
}

} // namespace holdfast::test
