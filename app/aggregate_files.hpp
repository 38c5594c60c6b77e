#pragma once

#include "core/quality/expectation.hpp"
#include "core/quality/trust.hpp"
#include "documents/csv.hpp"
#include "documents/labelled_set.hpp"

#include <optional>
#include <ostream>

/// The files that `holdfast aggregate` writes beside its report, as CSV.
namespace holdfast::app {

/// The answer to each task, how sure it is, and where there are test questions how sure it may be.
void write_answers(std::ostream& to, const documents::labelled_set& set,
                   const core::quality::estimates& found,
                   const std::optional<core::quality::estimates>& calibrated,
                   documents::csv_formulas formulas);

/// How likely each contributor gives each label when another one is true, as the method has it.
void write_confusion(std::ostream& to, const documents::labelled_set& set,
                     const core::quality::confusion_table& table, documents::csv_formulas formulas);

/// Whether `write_contributors` can count labels by contributor in memory.
bool fits_contributor_figures(const documents::labelled_set& set);

/// What test questions say of each contributor, from what `prior` assumes, and how far they agree
/// with the others. `test_questions` is empty or has one entry per unit.
void write_contributors(std::ostream& to, const documents::labelled_set& set,
                        const core::quality::known_labels& test_questions,
                        const core::quality::trust& prior, documents::csv_formulas formulas);

} // namespace holdfast::app
