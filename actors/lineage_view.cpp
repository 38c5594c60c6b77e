#include "actors/lineage_view.hpp"

#include "core/json_text.hpp"
#include "core/quality/trust.hpp"

#include <utility>

namespace holdfast::actors {

namespace {

std::string status_of(const persistence::lease_history& lease) {
  if (lease.ending)
    return std::string{core::to_string(*lease.ending)};
  return lease.ended_at ? "Submitted" : "Active";
}

std::string status_of(const persistence::judgment_history& judgment) {
  return !judgment.unreadable.empty() ? "Unreadable"
         : judgment.surplus           ? "Surplus"
         : judgment.tainted_at        ? "Tainted"
         : judgment.late              ? "Late"
                                      : "Counted";
}

/// The text in the place of an input that cannot be read.
std::string problem_of(const persistence::unit_history& unit) {
  return core::json_object{}
      .text("problem",
            "unit " + to_string(unit.id) + " in holdfast.units cannot be read: " + unit.unreadable)
      .str();
}

/// The text in the place of a payload that cannot be read.
std::string problem_of(const persistence::judgment_history& judgment) {
  return core::json_object{}
      .text("problem", "judgment " + to_string(judgment.id) + " in holdfast."
                           + (judgment.surplus ? "surplus_judgments" : "judgments")
                           + " cannot be read: " + judgment.unreadable)
      .str();
}

msg::lineage_judgment to_view(persistence::judgment_history& judgment) {
  if (!judgment.unreadable.empty())
    judgment.payload = problem_of(judgment);
  auto status = status_of(judgment);
  return {judgment.id,
          std::move(judgment.contributor),
          std::move(judgment.payload),
          std::move(judgment.answer),
          judgment.trust,
          judgment.submitted_at,
          !judgment.tainted_at && !judgment.surplus,
          judgment.tainted_at.value_or(core::instant{}),
          !judgment.test_correct   ? ""
          : *judgment.test_correct ? "right"
                                   : "wrong",
          std::move(status),
          judgment.trust_questions.value_or(0),
          judgment.trust_questions
              ? low(core::quality::trust_of(judgment.trust, *judgment.trust_questions))
              : 0};
}

msg::lineage_unit to_view(persistence::unit_history& unit) {
  if (!unit.unreadable.empty())
    unit.input = problem_of(unit);
  msg::lineage_unit view{unit.id,
                         unit.parent,
                         unit.step,
                         std::move(unit.source_key),
                         unit.part,
                         unit.loops,
                         unit.reopened,
                         unit.state,
                         unit.test_question,
                         unit.test_question ? 0 : unit.slots,
                         unit.created_at,
                         unit.changed_at.value_or(core::instant{}),
                         std::move(unit.input),
                         std::move(unit.result),
                         unit.confidence,
                         unit.route,
                         std::move(unit.route_reason),
                         {},
                         {},
                         std::move(unit.excluded),
                         unit.version,
                         unit.batch};
  for (const auto& entry : unit.leases)
    view.leases.push_back({entry.lease.id, entry.lease.owner, entry.lease.token, status_of(entry),
                           entry.lease.granted_at, entry.lease.expires_at,
                           entry.ended_at.value_or(core::instant{})});
  for (auto& judgment : unit.judgments)
    view.judgments.push_back(to_view(judgment));
  return view;
}

} // namespace

msg::unit_lineage to_view(persistence::item_history item, std::size_t limit) {
  msg::unit_lineage view{item.root, {}, item.units.size() > limit};
  for (auto& unit : item.units)
    if (view.units.size() < limit)
      view.units.push_back(to_view(unit));
  return view;
}

} // namespace holdfast::actors
