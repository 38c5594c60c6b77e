#pragma once

#include "core/eligibility.hpp"
#include "core/time.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace holdfast::core {

/// What a step has read of contributors, and for how long it goes by that: a minute by what makes
/// somebody eligible, a second by what they lack, since whoever has just got it should not have to
/// wait. A profile that was read by a clock that has been set back since is read again.
class known_profiles {
public:
  static constexpr duration age_max = std::chrono::seconds{60};
  static constexpr duration age_max_of_lacks = std::chrono::seconds{1};
  /// Whoever comes back after more others than that is read again.
  static constexpr std::size_t contributors_max = 10'000;

  /// As read from a look that began at `asked_at`.
  void learn(const contributor_id& contributor, contributor_profile profile, double trust,
             instant asked_at, std::optional<double> trust_by_others = {});

  /// What the contributor lacks of what is asked, as `lacking`; nothing when that is not known, or
  /// not any more.
  std::optional<std::vector<std::string>>
  lacks(const requirements& asked, const contributor_id& contributor, instant now) const;

  /// The trust that was read within `age_max`, as `trust_by_others`; none within: nothing
  /// is known of them. None: it must be read.
  std::optional<std::optional<double>> trust_by_others(const contributor_id& contributor,
                                                       instant now) const;

  /// How many were read within `age_max`, and how many of them have what is asked, as `meets`
  /// says.
  struct count {
    std::size_t known = 0;
    std::size_t eligible = 0;
  };
  count eligible(const requirements& asked, instant now) const;

  std::size_t size() const { return by_contributor_.size(); }

private:
  struct known {
    contributor_profile profile;
    double trust = 0;
    instant asked_at;
    std::optional<double> by_others;
  };
  std::unordered_map<contributor_id, known> by_contributor_;
};

} // namespace holdfast::core
