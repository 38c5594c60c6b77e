#pragma once

#include "client/connection.hpp"
#include "core/ids.hpp"
#include "core/outcome.hpp"
#include "documents/csv.hpp"
#include "messages/lineage_messages.hpp"

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

/// What the judges of a step said, as a file of answers that `holdfast aggregate` reads.
namespace holdfast::app {

struct exported {
  std::uint64_t units = 0; ///< With a judgment.
  std::uint64_t judgments = 0;
  std::uint64_t unreadable = 0; ///< Judgments that count and are not among these.
};

/// Of the option that says what becomes of formulas in files that people open in a spreadsheet.
inline constexpr const char* formula_guard_help =
    "Put an apostrophe before what a spreadsheet would take for a formula, as is done unless "
    "--no-guard-formulas is given; `holdfast aggregate` takes it off again";

/// The columns of such a file, and its line about one judgment of the unit.
inline constexpr const char* export_header = "worker,task,label,submitted_at,trust\n";
std::string export_line(const msg::lineage_unit& unit, const msg::lineage_judgment& judgment,
                        documents::csv_formulas formulas);

/// Told of each judgment that is left out because it cannot be read: whose, and why.
using left_out_user = std::function<void(const std::string&)>;

/// Writes the judgments of the unit that count, and counts them.
void export_unit(const msg::lineage_unit& unit, std::ostream& to, documents::csv_formulas formulas,
                 exported& so_far, const left_out_user& left_out);

/// Callbacks of an export that is under way.
struct export_listener {
  std::function<void(const exported&)> progress; ///< Now and then.
  left_out_user left_out;
};

/// Writes the judgments of the step that count, as CSV with the columns worker, task, label,
/// submitted_at and trust, unit by unit in order of arrival. Test questions are left out: what the
/// right answer is, only the step knows. So are judgments that cannot be read, of which `listener`
/// is told. Fails as the node does.
core::outcome<exported> export_judgments(const client::connection& cluster, core::step_id step,
                                         std::ostream& to, documents::csv_formulas formulas,
                                         const export_listener& listener);

} // namespace holdfast::app
