#pragma once

#include "core/contributor.hpp"
#include "core/definition_problem.hpp"
#include "core/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

/// How much of a step one contributor may do.
namespace holdfast::core {

/// What a step says of it; nothing by default. Of two bounds the lower counts.
struct contributor_cap {
  std::uint32_t count = 0; ///< Units at most; 0: any number.
  double share = 0;        ///< Of the units of the step, from above 0 to 1; 0: all.

  bool is_set() const { return count > 0 || share > 0; }
};

inline constexpr std::uint32_t cap_count_max = 1'000'000;

/// How many units one contributor may do of a step that has `units`; one at least. None: any
/// number.
std::optional<std::uint64_t> most_of(const contributor_cap& cap, std::uint64_t units);

/// Everything that is wrong with it, each with its place.
std::vector<definition_problem> problems_of(const contributor_cap& cap);

/// How many people a step needs at least, so that each of its units gets its judgments; 1: no cap
/// says so.
std::uint64_t people_needed(const contributor_cap& cap, std::uint32_t judgments_per_unit);

/// What each contributor has handed in in a step. A test question counts as any unit does: did it
/// not, a contributor who compares the cap with what they have done would learn how many there
/// were.
class contributor_tally {
public:
  contributor_tally() = default;
  /// Of a history with `judged`, and with its test questions where there are some.
  explicit contributor_tally(const step_history& history);

  void handed_in(const contributor_id& contributor) { ++of_[contributor]; }
  /// It is not stored after all.
  void taken_back(const contributor_id& contributor);
  std::uint64_t of(const contributor_id& contributor) const;

private:
  std::unordered_map<contributor_id, std::uint64_t> of_;
};

/// What the contributor hears who has done so much, and holds so much, of at most `most`.
std::string text_of_cap(std::uint64_t done, std::uint64_t held, std::uint64_t most);

} // namespace holdfast::core
