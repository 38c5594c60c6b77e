#pragma once

#include "core/queue_policy.hpp"
#include "core/task.hpp"
#include "core/token_bucket.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace holdfast::core {

/// A limit that keeps a task that is due from going to anybody.
struct obstacle {
  enum class limit : std::uint8_t {
    queue_running,   ///< `queue_policy::running_max`
    key_running,     ///< `queue_policy::running_per_key_max`
    type_running,    ///< `type_policy::running_max`
    queue_rate,      ///< `queue_policy::rate`
    type_rate,       ///< `type_policy::rate`
    credential_rate, ///< `queue_policy::credentials`, or those of the type
    held_off,        ///< The world outside asked for it.
  };
  limit which;
  instant until = instant::max(); ///< When it is over by itself; never: when something else ends.
};

/// Which of the tasks that are due goes next.
///
/// Between keys: weighted fair, by start-time fair queueing (P. Goyal, H. Vin, H. Cheng, SIGCOMM
/// 1996): each key has a virtual time that advances by 1/weight with each grant; the one that is
/// least goes first, and one that was idle or closed does not catch up. Within a key: by the time a
/// task was made, minus `aging` for each of its priority. As that order never changes while a task
/// waits, it costs no more than a sorted set, and any task will at some time be older than whatever
/// is more urgent. A task that was paused, or given back without progress, counts as made when it
/// became due again: else it would go first each time and keep those behind it waiting for ever.
///
/// Limits close lanes: all tasks of one key, type and credential wait together. `take` looks at the
/// keys in their order until it finds two with an open lane, the one that goes and the one that it
/// is measured by, so thousands of keys that are all closed cost a look each. When none has a task
/// of the types that are asked for, it does not look at them.
class dispatcher {
public:
  /// Enters a task that is due.
  void add(const queue_policy& policy, const task& t);
  /// Takes out a task that was entered; nothing when it was not.
  void remove(const task& t);
  /// Whether the task was entered.
  bool has(const task& t) const { return places_.count(t.spec.id) != 0; }
  /// The next task, taken out and counted as running. `types`: those the worker knows, empty for
  /// all. `suspects`: whether it may be one of those, see `is_suspect`.
  std::optional<task_id> take(const queue_policy& policy, const std::set<std::string>& paused_types,
                              const std::vector<std::string>& types, bool suspects, instant now);
  /// Counts a task as running without asking, when its lease is read from the database or is
  /// given to somebody in particular.
  void started(const task_spec& spec);
  void ended(const task_spec& spec);
  /// No grants of the type and credential before `until`, as the world outside asked for at
  /// `asked_at`. Of several pauses the one that ends last counts.
  void hold_off(const task_spec& spec, instant asked_at, instant until);
  /// The clock was set back to `now`: pauses that were asked for after it begin anew, and are as
  /// long as they were. Those that were over at `reached`, the latest time that was seen before,
  /// stay so. Answers whether any was changed.
  bool heed_clock(instant reached, instant now);
  /// The key waits for its next turn as if it had just had one: a task of it was paused, and those
  /// of other keys show first whether the world outside takes theirs.
  void lets_others_first(const std::string& key);
  /// A task has been done well: the world outside takes work of its type and credential.
  void went_well(const task_spec& spec, instant now);
  /// Whether others of the task's type and credential have been done well since it was last paused.
  bool others_go_on(const task& t) const;
  /// Takes out all that wait, to be entered again under another policy. What runs, was granted and
  /// was held off stays known. A credential that has been forgotten begins with one grant again.
  void clear_waiting();
  /// All limits that keep tasks like this one from going now; while there is one, `take` does not
  /// answer it.
  std::vector<obstacle> obstacles(const queue_policy& policy, const task_spec& spec,
                                  instant now) const;
  /// How many tasks of the same key, type and credential go before this one, which was entered.
  std::size_t ahead_of(const task& t) const;
  /// When a rate that has run out lets the next task go; `instant::max()` when no task waits for
  /// that.
  instant next_chance(const queue_policy& policy, instant now) const;

  /// Of each key, type and credential that has tasks waiting, the one that goes first.
  std::vector<task_id> next_in_line() const;

  /// How many credentials, and pauses of the world outside, it keeps something of. What has no
  /// consequence any more is forgotten now and then, however many there were.
  std::size_t remembered() const { return credentials_.size() + of_types_.size() + pauses_.size(); }

  std::size_t waiting() const { return waiting_; }
  std::size_t running() const { return running_; }

private:
  using place = std::pair<std::int64_t, task_id>;
  struct lane {
    std::string type;
    std::string credential;
    bool suspect = false;
    std::set<place> tasks;
  };
  struct share {
    std::string key;
    double weight = 1;
    double passed = 0; ///< Virtual time.
    std::uint32_t running = 0;
    std::size_t waiting = 0;
    std::vector<lane> lanes;
  };
  static constexpr std::size_t forget_from = 1'024;

  struct type_state {
    std::uint32_t running = 0;
    token_bucket bucket;
  };

  /// Tasks of one type and credential, whose rates they share.
  using group = std::pair<std::string, std::string>;

  /// A pause that the world outside asked for.
  struct pause {
    instant asked_at;
    instant until;
    std::optional<instant> went_well; ///< When one of the group was last done well, since then.
  };

  share& share_of(const std::string& key);
  void note_idle(const share& s);
  void forget_idle();
  void forget_settled(const queue_policy& policy, instant now);
  void leave(share& s, lane& l, place of);
  bool queue_full(const queue_policy& policy) const;
  static bool key_full(const queue_policy& policy, const share& s);
  bool type_full(const queue_policy& policy, const std::string& type) const;
  instant type_opens_at(const queue_policy& policy, const std::string& type, instant now) const;
  instant credential_opens_at(const queue_policy& policy, const group& of, instant now) const;
  instant held_off_until(const group& of, instant now) const;
  instant rates_open_at(const queue_policy& policy, const group& of, instant now) const;
  bool open(const queue_policy& policy, const lane& l, instant now) const;
  /// False when no key has a task of these types that may go: that is known without a look at each.
  bool may_have(const queue_policy& policy, const std::set<std::string>& paused_types,
                const std::vector<std::string>& types, instant now) const;
  /// Whether anything but the ends of leases keeps tasks back at times.
  bool has_rates(const queue_policy& policy) const;
  static place place_of(const queue_policy& policy, const task& t);

  std::unordered_map<std::string, std::unique_ptr<share>> shares_;
  /// Keys with waiting tasks, by virtual time.
  std::set<std::pair<double, std::string_view>> contending_;
  /// Keys without any, for as long as they have had more than their share, by virtual time.
  std::set<std::pair<double, std::string_view>> idle_;
  std::unordered_map<task_id, place> places_;
  std::map<group, std::size_t> groups_; ///< How many of each wait.
  double clock_ = 0;                    ///< Virtual time of the last grant; never goes back.
  double latest_ = 0;                   ///< The greatest of all keys' virtual times.
  std::unordered_map<std::string, type_state> types_;
  std::unordered_map<std::string, token_bucket> credentials_; ///< Over all types.
  std::map<group, token_bucket> of_types_; ///< Those that a type has beside them.
  std::map<group, pause> pauses_;          ///< By the world outside.
  std::size_t forget_at_ = forget_from;    ///< When so many are remembered, some may be forgotten.
  /// When a credential that nothing is kept of had one grant; none: at the next one.
  std::optional<instant> began_;
  token_bucket bucket_;
  std::size_t waiting_ = 0;
  std::size_t running_ = 0;
};

} // namespace holdfast::core
