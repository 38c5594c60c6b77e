#pragma once

#include "core/errors.hpp"
#include "core/ids.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::core {

/// What becomes of a judgment that comes in after its lease has expired.
enum class late_submit : std::uint8_t {
  reject,         ///< It is refused.
  accept_if_free, ///< It counts if the unit has a slot for it, else it is kept as surplus.
  surplus,        ///< It is kept, and never counts.
};

/// The name in definitions.
std::string_view to_string(late_submit policy);
std::optional<late_submit> late_submit_named(std::string_view name);

/// How a step leases its units out. Data, so that people (minutes) and programs (seconds) differ
/// only here.
struct lease_policy {
  /// Time a lease lives from its grant or its last extension.
  duration ttl = std::chrono::minutes{15};
  /// Longest life of a lease, extensions included, counted from its grant. Equal to `ttl`: no
  /// extensions.
  duration total_max = std::chrono::hours{1};
  /// Time after an expiry during which the same contributor is not offered the unit again.
  duration regrant_after = std::chrono::minutes{1};
  core::late_submit late_submit = core::late_submit::reject;
};

/// The lease policies of the units of a step: one for each version of its workflow.
class lease_policies {
public:
  lease_policies(const lease_policy& of_all = {}) : by_version_{of_all} {}
  /// `by_version`, from 1; not empty.
  explicit lease_policies(std::vector<lease_policy> by_version)
      : by_version_(std::move(by_version)) {}

  /// Versions that are not known here have the policy of the last that is.
  const lease_policy& of(std::uint32_t version) const {
    return by_version_[std::min<std::size_t>(version, by_version_.size()) - 1];
  }
  /// Test questions have the latest, whatever the version in which they were added: they would be
  /// told apart by another.
  const lease_policy& of_questions() const { return by_version_.back(); }
  /// Whether late judgments are looked at in any of them.
  bool keep_late() const {
    return std::any_of(by_version_.begin(), by_version_.end(),
                       [](const auto& p) { return p.late_submit != core::late_submit::reject; });
  }

private:
  std::vector<lease_policy> by_version_;
};

/// A timed exclusive right of one owner to one slot of an item.
///
///        grant            submit | release | decline | expire | eject | cancel
///   free ─────► held ───────────────────────────────────────────────────────► ended
///                │ ▲
///                └─┘ extend
///
/// The lease is held while `now < expires_at`; at `expires_at` itself it is over.
struct lease {
  assignment_id id;
  contributor_id owner;
  core::token token = 0;
  instant granted_at;
  instant expires_at;

  bool held_at(instant now) const { return now < expires_at; }
};

/// How a lease ended without an answer. The numbers are stored.
enum class lease_end : std::uint8_t {
  expired = 1,
  released = 2,
  declined = 3,
  ejected = 4,
  canceled = 5
};

std::string_view to_string(lease_end how);

/// The live leases of one item and its fencing counter: the part that tasks (one slot) and units (N
/// slots) share. Functions below change the table only when they succeed.
struct lease_table {
  std::vector<lease> active;
  token last_token = 0;
};

/// The live lease of `owner`, or null. "Live" includes one that has run out but was not ended yet.
const lease* find_lease(const lease_table& table, const contributor_id& owner);

/// A token that grows with time and says nothing else.
token token_of(instant now);

/// Whether `owner` may act under the token it presents now: `none`, `lease_not_held`, `stale_token`
/// or `lease_expired`.
errc check_lease(const lease_table& table, const contributor_id& owner, token presented,
                 instant now);

/// Grants the next lease. The caller has checked that a slot is free and that `owner` holds none.
const lease& grant_lease(lease_table& table, const lease_policy& policy, assignment_id id,
                         const contributor_id& owner, instant now);

/// Moves the end of a lease to `now + ttl`, but not beyond `total_max` after its grant. Refuses
/// with `not_extendable` when that would not make it later, else with what `check_lease` says.
errc extend_lease(lease_table& table, const lease_policy& policy, const contributor_id& owner,
                  token presented, instant now);

/// Takes the lease of `owner` out of the table and returns it. The caller knows that it is there.
lease end_lease(lease_table& table, const contributor_id& owner);

/// The earliest end of a live lease; `instant::max()` when there is none.
instant next_expiry(const lease_table& table);

/// Until when a contributor whose lease ended is not offered the item again.
instant barred_until(const lease_policy& policy, lease_end how, instant ended_at);

} // namespace holdfast::core
