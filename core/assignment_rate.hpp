#pragma once

#include "core/errors.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"
#include "core/token_bucket.hpp"

#include <cstddef>
#include <unordered_map>

/// How often contributors may ask a step for assignments.
namespace holdfast::core {

/// The bounds of a step's definition; 0: none.
struct assignment_rate_policy {
  double per_second = 0;                 ///< Of all contributors together.
  double per_contributor_per_minute = 0; ///< Of each.

  friend bool operator==(const assignment_rate_policy& a, const assignment_rate_policy& b) {
    return a.per_second == b.per_second
           && a.per_contributor_per_minute == b.per_contributor_per_minute;
  }
};

inline constexpr double assignment_rate_least = 0.1;
inline constexpr double assignment_rate_most = 100'000;

/// Admits the requests for assignments of one step. While the node is overloaded the bound of the
/// step is halved each second, down to a sixteenth, and afterwards grows back as fast; that of each
/// contributor stays. Remembers contributors who have asked within the last moments, no others.
class assignment_rate {
public:
  enum class bound { none, step, contributor };
  struct verdict {
    bound reached = bound::none; ///< None: the request is admitted.
    duration wait{};             ///< Until the next one is.
  };

  /// New bounds; what has been asked under the old ones counts on.
  void set(const assignment_rate_policy& policy) { policy_ = policy; }

  verdict admit(const contributor_id& contributor, instant now, bool overloaded);

  /// The part of the step's bound that holds now: 1, or less after an overload.
  double share() const { return share_; }
  std::size_t remembered() const { return contributors_.size(); }

private:
  void adapt(instant now, bool overloaded);
  void forget_idle(const rate_limit& limit, instant now);
  rate_limit limit_of_step() const;
  rate_limit limit_of_contributor() const;

  assignment_rate_policy policy_;
  double share_ = 1;
  instant adapted_at_{};
  bool overloaded_since_ = false; ///< At any request since `adapted_at_`.
  token_bucket all_;
  std::unordered_map<contributor_id, token_bucket> contributors_;
  std::size_t forget_at_ =
      1024; ///< Contributors whose number has those be forgotten that are idle.
};

/// The refusal of a request that came too often, with the bound and the pause in words for people.
failure refusal_of(const assignment_rate_policy& policy, assignment_rate::bound reached,
                   double share, duration wait);

} // namespace holdfast::core
