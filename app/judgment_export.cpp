#include "app/judgment_export.hpp"

#include "app/unreadable_judgment.hpp"
#include "core/time_text.hpp"
#include "messages/workflow_messages.hpp"

#include <cstdio>
#include <string>
#include <unordered_set>

namespace holdfast::app {

namespace {

constexpr std::uint32_t units_per_page = 1000;
constexpr std::uint32_t lineage_per_page = 100; ///< The most that there may be.

class exporter {
public:
  exporter(const client::connection& cluster, core::step_id step, std::ostream& to,
           documents::csv_formulas formulas, const left_out_user& left_out)
      : cluster_(cluster), step_(step), to_(to), formulas_(formulas), left_out_(left_out) {
    to_ << export_header;
  }

  const exported& done() const { return done_; }

  /// Writes what belongs to the item of this unit in the step, once. `none` on success.
  core::failure write_item(const core::unit_id& unit) {
    if (written_.count(unit) != 0)
      return {};
    core::unit_id after;
    for (;;) {
      const auto page =
          cluster_.ask<msg::unit_lineage>(msg::get_lineage{unit, after, lineage_per_page});
      if (!page)
        return page.error();
      for (const auto& each : page->units)
        if (each.step == step_ && !each.test_question && written_.insert(each.unit).second)
          export_unit(each, to_, formulas_, done_, left_out_);
      if (!page->more)
        return {};
      after = page->units.back().unit;
    }
  }

private:
  const client::connection& cluster_;
  const core::step_id step_;
  std::ostream& to_;
  const documents::csv_formulas formulas_;
  const left_out_user& left_out_;
  exported done_;
  std::unordered_set<core::unit_id> written_; ///< An item may have several units in one step.
};

} // namespace

std::string export_line(const msg::lineage_unit& unit, const msg::lineage_judgment& judgment,
                        documents::csv_formulas formulas) {
  const auto field = [&](const std::string& text) { return documents::csv_field(text, formulas); };
  char trust[32];
  std::snprintf(trust, sizeof trust, "%.12g", judgment.trust);
  return field(judgment.contributor) + ',' + field(unit.source_key) + ',' + field(judgment.answer)
         + ',' + core::to_rfc3339(judgment.submitted_at) + ',' + trust + '\n';
}

void export_unit(const msg::lineage_unit& unit, std::ostream& to, documents::csv_formulas formulas,
                 exported& so_far, const left_out_user& left_out) {
  bool any = false;
  const bool nameless = is_unreadable(unit);
  for (const auto& judgment : unit.judgments) {
    if (!judgment.counts)
      continue;
    if (nameless || is_unreadable(judgment)) {
      ++so_far.unreadable;
      left_out("the answer of " + judgment.contributor + " about "
               + (nameless ? core::to_string(unit.unit) : unit.source_key)
               + " is left out: " + (nameless ? problem_of(unit) : problem_of(judgment)));
      continue;
    }
    to << export_line(unit, judgment, formulas);
    ++so_far.judgments;
    any = true;
  }
  so_far.units += any ? 1 : 0;
}

core::outcome<exported> export_judgments(const client::connection& cluster, core::step_id step,
                                         std::ostream& to, documents::csv_formulas formulas,
                                         const export_listener& listener) {
  exporter all{cluster, step, to, formulas, listener.left_out};
  for (std::uint64_t after = 0;;) {
    const auto page = cluster.ask<msg::result_page>(msg::list_results{step, after, units_per_page});
    if (!page)
      return page.error();
    if (page->results.empty())
      return all.done();
    for (const auto& unit : page->results)
      if (unit.judgments > 0)
        if (const auto why = all.write_item(unit.unit); why.code != core::errc::none)
          return why;
    listener.progress(all.done());
    after = page->last;
  }
}

} // namespace holdfast::app
