#include "app/judgment_export.hpp"

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
           documents::csv_formulas formulas)
      : cluster_(cluster), step_(step), to_(to), formulas_(formulas) {
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
          write(each);
      if (!page->more)
        return {};
      after = page->units.back().unit;
    }
  }

private:
  void write(const msg::lineage_unit& unit) {
    bool any = false;
    for (const auto& judgment : unit.judgments) {
      if (!judgment.counts)
        continue;
      to_ << export_line(unit, judgment, formulas_);
      ++done_.judgments;
      any = true;
    }
    done_.units += any ? 1 : 0;
  }

  const client::connection& cluster_;
  const core::step_id step_;
  std::ostream& to_;
  const documents::csv_formulas formulas_;
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

core::outcome<exported> export_judgments(const client::connection& cluster, core::step_id step,
                                         std::ostream& to, documents::csv_formulas formulas,
                                         const std::function<void(const exported&)>& progress) {
  exporter all{cluster, step, to, formulas};
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
    progress(all.done());
    after = page->last;
  }
}

} // namespace holdfast::app
