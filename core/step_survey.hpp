#pragma once

#include "core/contributor.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"
#include "core/workflow_versions.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What the judgments of a step look like as a whole, and whose are worth a look. It raises flags
/// and never taints: each monitor is wrong about honest people now and then; docs/QUALITY.md says
/// about whom.
namespace holdfast::core {

/// A judgment that counts.
struct surveyed_judgment {
  contributor_id contributor;
  unit_id unit;
  std::string answer;        ///< What aggregation counts.
  duration taken{};          ///< From the grant of the lease to the submission.
  std::uint64_t payload = 0; ///< Stands for all of it: equal payloads have equal numbers.
};

/// Somebody whose work is worth a look.
struct concern {
  contributor_id contributor;
  monitor what = monitor::agreement;
  std::string why; ///< For people, with figures.
};

/// How the units of a step were finished.
struct finished_units {
  std::uint64_t units = 0;
  std::uint64_t judgments = 0; ///< That count, in these.
  std::uint64_t unsure = 0;    ///< Units with a confidence below that which was asked for.
};

/// By the version of the workflow under which the unit's chain began, which says how many judgments
/// it may get.
using finished_by_version = std::map<std::uint32_t, finished_units>;

/// Those of all versions.
finished_units sum_of(const finished_by_version& finished);

struct step_survey {
  std::uint64_t judgments = 0; ///< Looked at.
  std::uint64_t units = 0;     ///< That these are of.
  std::uint64_t labels = 0;    ///< Different answers among them.
  /// How much the contributors agree: 1 is perfect, 0 what chance would do. None where there is
  /// nothing to compare, or too many different answers.
  std::optional<double> krippendorff_alpha;
  std::optional<double> fleiss_kappa;
  std::vector<concern> concerns; ///< By monitor, then by name.
};

/// Of a step with more judgments the last ones are looked at.
inline constexpr std::size_t surveyed_judgments_max = 50'000;
/// Answers that are almost all different, such as free text, are no labels: with more than so many
/// nobody's agreement or copying is looked at, and of their habits only whether they hand in the
/// same to the byte.
inline constexpr std::size_t surveyed_labels_max = 256;

/// Those of the concerns by which flags may be raised. Nobody of whom a judgment cannot be read is
/// flagged: it might show another pace, another answer or another payload, and a flag stays.
std::vector<concern> concerns_to_flag(const std::vector<concern>& found,
                                      const std::vector<step_history::unreadable>& unreadable);

/// Looks at judgments in the order in which they came in. Of several judgments of a unit by one
/// contributor the first counts.
step_survey survey(const std::vector<surveyed_judgment>& judgments);

/// The number of judgments at which a step is to be surveyed again: soon at first, and later when a
/// quarter has come in since. Each judgment is then looked at five times or so, however many there
/// are.
std::uint64_t next_survey_after(std::uint64_t judgments);

/// Judgments that the stopping rules of the step at `position` have spared: against the most that
/// each unit might have got. Versions without a rule spare none.
std::int64_t judgments_saved(const finished_by_version& finished,
                             const versioned_workflow& workflow, std::uint32_t position);

} // namespace holdfast::core
