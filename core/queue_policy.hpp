#pragma once

#include "core/definition_problem.hpp"
#include "core/ids.hpp"
#include "core/lease.hpp"
#include "core/task.hpp"
#include "core/task_form.hpp"
#include "core/token_bucket.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace holdfast::core {

/// The rates of what uses the world outside as somebody.
struct credential_rates {
  rate_limit each;                         ///< Of each that is not named.
  std::map<std::string, rate_limit> named; ///< Those with a rate of their own.
  rate_limit without;                      ///< Of all together that name none.
};

/// The rate of this credential; empty for none.
const rate_limit& rate_of(const credential_rates& rates, const std::string& credential);

/// When a task that failed is tried again.
struct retry_policy {
  std::uint32_t max_attempts = 10;          ///< Failed tries after which a task is dead.
  std::uint32_t crashes_max = 3;            ///< Deaths of its workers after which it is dead.
  duration least = std::chrono::seconds{1}; ///< Shortest wait; see `full_jitter`.
  duration most = std::chrono::hours{1};    ///< Longest wait.
  std::uint32_t failures_max = 100;         ///< Of both, in all states; see `failures_most`.
  /// Pauses that the world outside asked for after which a task is dead, in all states.
  std::uint32_t pauses_max = 1000;
  /// Releases in a row, at once and without progress, after which a task is dead.
  std::uint32_t releases_max = 1000;
};

/// What holds for one type of task of a queue.
struct type_policy {
  std::optional<retry_policy> retry; ///< None: the queue's.
  std::uint32_t running_max = 0;     ///< Leased at once; 0: no limit.
  rate_limit rate;                   ///< Of grants.
  credential_rates credentials;      ///< Beside those of the queue: both hold.
  std::string first_state = "new";
  /// The states and where each may go. Empty: any state may follow any other.
  std::map<std::string, std::set<std::string>> transitions;
  task_forms versions; ///< Of tasks that enter; those that are in stay.
  /// Longest life of a lease of such a task, extensions included; 0: the queue's `total_max`.
  duration timeout = duration::zero();
};

/// A receiver over HTTP that does the work of a queue: the node posts each task to it.
struct push_policy {
  std::string url;
  std::string secret;            ///< The name of what the posts are signed with.
  std::uint32_t concurrency = 8; ///< Posts under way at once.
  /// How long the receiver may take to answer. No answer that comes after the end of the lease
  /// counts.
  duration timeout = std::chrono::seconds{60};
};

/// How a queue hands its tasks out. The field names are those of the JSON form.
struct queue_policy {
  lease_policy lease{std::chrono::seconds{60}, std::chrono::hours{24}, duration::zero()};
  retry_policy retry;
  std::map<std::string, type_policy> types;
  std::uint32_t running_max = 0;         ///< Leased at once; 0: no limit.
  std::uint32_t running_per_key_max = 0; ///< Leased at once of one key; 0: no limit.
  std::map<std::string, double> weights; ///< Of keys that shall not count as 1.
  rate_limit rate;                       ///< Of grants.
  credential_rates credentials;          ///< Of grants, over all types.
  /// Waiting that counts as much as one more of priority, so that nothing waits for ever.
  duration aging = std::chrono::seconds{60};
  std::uint32_t depth_max = 1'000'000;             ///< Live tasks; above it producers are refused.
  duration retention = std::chrono::hours{7 * 24}; ///< How long finished tasks are kept.
  std::set<task_ending> events;    ///< The ends of tasks that are events; the others write none.
  std::optional<push_policy> push; ///< None: workers ask for the tasks.
};

inline constexpr std::size_t queue_name_bytes_max = 64;
inline constexpr std::size_t task_word_bytes_max = 128;  ///< Types, states, keys and so on.
inline constexpr std::int16_t priority_max = 1000;       ///< And its negative the least.
inline constexpr std::uint32_t max_attempts_most = 1000; ///< Of one task.

/// Whether `name` may name a queue.
bool is_queue_name(const queue_name& name);

/// The policy that holds for tries of `type`.
const retry_policy& retry_of(const queue_policy& policy, const std::string& type);

/// The lease rules of tasks of `type`: those of the queue, with the type's own timeout if it has
/// one. No lease lives longer than its timeout, extended or not.
lease_policy lease_of(const queue_policy& policy, const std::string& type);

/// The shortest time that a lease of any type lives without an extension.
duration shortest_ttl(const queue_policy& policy);

/// The rules of `type`; what holds without rules for a type that has none.
const type_policy& rules_of(const queue_policy& policy, const std::string& type);

/// Whether one more death of its worker would end a task of `type`, with so many behind it. It may
/// have been harmless each time, beside another that killed them; so a worker gets one suspect at a
/// time, and the one that dies with it is known.
bool is_suspect(const queue_policy& policy, const std::string& type, std::uint32_t crashes);

/// After how many failed tries and crashes, those in earlier states included, a task with so many
/// tries in each is dead. They are never fewer than it may have in one state: who asks for many
/// tries gets them.
std::uint32_t failures_most(const retry_policy& retry, std::uint32_t max_attempts);

/// Whether a task of `type` may go from state to state. Staying is always allowed.
bool may_move(const queue_policy& policy, const std::string& type, const std::string& from,
              const std::string& to);

/// The state in which a task of `type` begins that is to begin in `state`, or, when that is empty,
/// in the first of its type; none when the type has no such state.
std::optional<std::string> opening_state(const queue_policy& policy, const std::string& type,
                                         const std::string& state);

/// Everything that is wrong with `policy`, by the JSON pointer of the place; empty when it may be
/// used.
std::vector<definition_problem> problems_of(const queue_policy& policy);

/// Warnings for the author of `policy`: options that are allowed but hardly work together. By the
/// JSON pointer of the place, as `problems_of`.
std::vector<definition_problem> warnings_of(const queue_policy& policy);

} // namespace holdfast::core
