#include "app/aggregate_files.hpp"

#include "core/quality/peer_agreement.hpp"
#include "core/quality/tie_break.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace holdfast::app {

namespace {

namespace quality = core::quality;
using documents::csv_field;

std::string share_text(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", share);
  return text;
}

} // namespace

void write_answers(std::ostream& to, const documents::labelled_set& set,
                   const quality::estimates& found,
                   const std::optional<quality::estimates>& calibrated,
                   documents::csv_formulas formulas) {
  const auto& named = set.named;
  const auto lots = quality::lots_of(named.given, named.units, named.contributors);
  to << (calibrated ? "task,label,confidence,calibrated\n" : "task,label,confidence\n");
  for (std::size_t unit = 0; unit < found.units(); ++unit) {
    const auto label = quality::settled_label(found.of(unit), named.given, unit, lots);
    to << csv_field(named.units[unit], formulas) << ',' << csv_field(named.labels[label], formulas)
       << ',' << share_text(found.of(unit)[label]);
    if (calibrated)
      to << ',' << share_text(calibrated->of(unit)[label]);
    to << '\n';
  }
}

void write_confusion(std::ostream& to, const documents::labelled_set& set,
                     const quality::confusion_table& table, documents::csv_formulas formulas) {
  to << "worker,truth,label,share\n";
  const auto& names = set.named;
  for (std::uint32_t who = 0; who < names.contributors.size(); ++who)
    for (std::uint32_t truth = 0; truth < table.labels; ++truth)
      for (std::uint32_t label = 0; label < table.labels; ++label)
        to << csv_field(names.contributors[who], formulas) << ','
           << csv_field(names.labels[truth], formulas) << ','
           << csv_field(names.labels[label], formulas) << ','
           << share_text(table.of({who, label})[truth]) << '\n';
}

bool fits_contributor_figures(const documents::labelled_set& set) {
  const std::size_t labels = set.named.given.labels;
  return labels == 0 || set.named.given.contributors <= quality::confusion_cells_max / labels;
}

void write_contributors(std::ostream& to, const documents::labelled_set& set,
                        const quality::known_labels& test_questions, const quality::trust& prior,
                        documents::csv_formulas formulas) {
  const auto& given = set.named.given;
  std::vector<std::size_t> judgments(given.contributors, 0);
  for (const auto& one : given.votes)
    ++judgments[one.contributor];
  const auto tests = quality::test_records(given, test_questions);
  const auto peers = quality::peer_agreements(given);
  to << "worker,judgments,test_questions,right,trust,trust_low,compared,agreed,expected,kappa\n";
  for (std::size_t who = 0; who < judgments.size(); ++who) {
    const auto trusted = quality::trust_after(prior, tests[who]);
    to << csv_field(set.named.contributors[who], formulas) << ',' << judgments[who] << ','
       << tests[who].asked << ',' << tests[who].right << ',' << share_text(trusted.mean()) << ','
       << share_text(quality::low(trusted)) << ',' << peers[who].compared << ','
       << share_text(peers[who].agreed) << ',' << share_text(peers[who].expected) << ',';
    if (const auto kappa = peers[who].kappa())
      to << share_text(*kappa);
    to << '\n';
  }
}

} // namespace holdfast::app
