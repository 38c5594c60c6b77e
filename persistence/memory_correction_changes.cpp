#include "persistence/memory_correction_changes.hpp"

namespace holdfast::persistence::memory {

void correction_changes::operator()(const core::override_unit& w) {
  using core::overridden_state;
  require_text(w.result);
  require_text(w.route_reason);
  require_instant(w.at);
  require(w.route >= core::no_route, "23514: no such route");
  auto& row = change(t_.units, w.unit);
  require(row.made.truth.empty(), "22012: a test question has no result");
  require(w.found == overridden_state::open ? row.state < core::unit_state::finalized
                                            : row.state == core::unit_state::finalized,
          "22012: the unit is not as the override has found it");
  row.state = core::unit_state::finalized;
  if (w.found != overridden_state::stands)
    row.changed_at = w.at;
  row.result = w.result;
  row.confidence = 1;
  row.route = w.route;
  row.route_reason = w.route_reason;
  row.overridden = true;
  row.reopened += w.found == overridden_state::taken_back ? 1 : 0;
}

void correction_changes::operator()(const core::recount_unit& w) {
  require(w.slots > 0 && w.slots <= INT32_MAX, "23514: a unit has at least one slot");
  auto& row = change(t_.units, w.unit);
  require(row.state == core::unit_state::finalized, "22012: the unit is not finalized");
  row.made.slots = w.slots;
}

void correction_changes::operator()(const core::insert_correction& w) {
  using core::correction_kind;
  const auto& row = w.row;
  require_text(row.by);
  require_text(row.reason);
  require_text(row.answer);
  require_text(row.contributor);
  require_instant(row.at);
  require_integer(row.wanted);
  require(row.number >= 1 && row.number <= core::corrections_max,
          "23514: corrections of a unit are numbered from 1 to 100");
  require(row.kind >= correction_kind::reopened && row.kind <= correction_kind::reinstated,
          "23514: no such correction");
  require(!row.reason.empty() && row.reason.size() <= core::correction_reason_bytes_max,
          "23514: a reason has 1 to 512 bytes");
  const bool of_judgment =
      row.kind == correction_kind::tainted || row.kind == correction_kind::reinstated;
  require(of_judgment == static_cast<bool>(row.judgment),
          "23514: a correction is about a judgment or not, by its kind");
  insert_key(t_.correction_ids, {row.unit, row.id});
  insert(t_.corrections, {row.unit, row.number}, row);
}

void correction_changes::operator()(const core::set_taint_requested& w) {
  auto& row = change(t_.judgments, {w.unit, w.contributor});
  require(row.taint_requested != w.requested, "22012: the judgment is so already");
  row.taint_requested = w.requested;
}

void correction_changes::operator()(const core::insert_judgment_correction& w) {
  require_text(w.payload);
  require_text(w.answer);
  require_instant(w.at);
  require(w.number >= 1 && w.number <= 20, "23514: corrections are numbered from 1 to 20");
  auto& row = change(t_.judgments, {w.unit, w.contributor});
  require(row.made.id == w.judgment && row.corrected + 1 == w.number,
          "22012: the correction is not the next of this judgment");
  if (w.number == 1)
    insert(t_.judgment_corrections, {w.judgment, 0},
           kept_payload{w.judgment, w.unit, 0, true, row.made.answer, row.made.payload,
                        row.made.submitted_at});
  insert(t_.judgment_corrections, {w.judgment, w.number},
         kept_payload{w.judgment, w.unit, w.number, w.applied, w.answer, w.payload, w.at});
  row.corrected = w.number;
  if (!w.applied)
    return;
  row.made.answer = w.answer;
  row.made.payload = w.payload;
}

} // namespace holdfast::persistence::memory
