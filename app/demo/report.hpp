#pragma once

#include "app/demo/quality_report.hpp"
#include "app/demo/scoring.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::app::demo {

/// What became of one data set.
struct set_report {
  std::string name;
  std::uint64_t units = 0;
  std::uint64_t finished = 0;        ///< Units with a result.
  std::uint64_t recorded = 0;        ///< Answers in the file, the first of each contributor.
  std::uint64_t judgments = 0;       ///< In the database.
  std::uint64_t acknowledged = 0;    ///< That the contributors were told to be accepted.
  std::uint64_t lost = 0;            ///< Acknowledged, but not in the database.
  std::uint64_t doubled = 0;         ///< More than one of a contributor on a unit, or an id twice.
  std::uint64_t unacknowledged = 0;  ///< In the database, but never acknowledged.
  std::uint64_t altered = 0;         ///< Not what the contributor answered.
  std::uint64_t different_units = 0; ///< Units whose votes are not those of the file.
  accuracy of_system;                ///< From the results that the node lists.
  accuracy of_file;                  ///< From the file alone.
};

/// A check of the database and what it found.
struct check_report {
  std::string name;
  std::uint64_t violations = 0;
  std::string sample;
};

/// What contributors did on purpose, and what happened to them.
struct conduct_report {
  std::uint64_t contributors = 0;
  std::uint64_t offers = 0;
  std::uint64_t declined = 0;
  std::uint64_t let_expire = 0;
  std::uint64_t late_submissions = 0;
  std::uint64_t double_submissions = 0;
  std::uint64_t invalid_payloads = 0;
  std::uint64_t stale_tokens = 0;
  std::uint64_t lost_leases = 0;
};

struct demo_report {
  std::vector<set_report> sets;
  conduct_report conduct;
  std::uint32_t kills_wanted = 0;
  std::uint32_t kills = 0;
  std::vector<core::duration> recoveries; ///< From each kill to where work goes on.
  std::vector<check_report> checks;       ///< Of `verify`.
  std::vector<std::string> problems;      ///< Everything else that is off, in words.
  core::duration work_time{};             ///< From the first question to the last acknowledgement.
  core::duration total_time{};
  std::string data_dir;                  ///< Empty when it was removed.
  std::optional<quality_report> quality; ///< Of the second act, where a set was fit for it.
  std::string plot;                      ///< The file that shows it; empty: none was written.

  /// Sums over the sets.
  set_report total() const;
  std::uint64_t violations() const;
};

/// Everything that is off, one sentence each; empty when the demo succeeded.
std::vector<std::string> problems_of(const demo_report& report);

/// For people.
std::string to_text(const demo_report& report);

/// One JSON object:
///
///     units, judgments, acknowledged, lost, doubled   sums over the sets
///     accuracy, accuracy_direct   of the system and of the files; null when nothing is known
///     recovery_ms     the longest of `recoveries_ms`; null without a kill
///     violations      sum over `checks`
///     quality         the second act, with judgments and accuracy of both programmes; null if none
///     ok, problems, sets, checks, conduct, ...        the particulars
std::string to_json(const demo_report& report);

} // namespace holdfast::app::demo
