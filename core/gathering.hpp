#pragma once

#include "core/ids.hpp"
#include "core/routing.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Units of several chains that become one. What comes into a step that gathers waits there until
/// there is a batch of it; the batch is a unit of the step, the only one that is worked on.
namespace holdfast::core {

/// Which units belong together. The numbers are stored nowhere.
enum class gather_by : std::uint8_t {
  count = 1, ///< Any, in the order in which they come in.
  list = 2,  ///< Those that the items of one list became; see `list_place`.
};

/// The names in definitions.
std::string_view to_string(gather_by by);
std::optional<gather_by> gather_by_named(std::string_view name);

struct gather_policy {
  gather_by by = gather_by::count;
  std::uint32_t size = 0; ///< Of a batch by count; a list has as many as it has items.
};

/// Units of one batch, and bytes of their inputs, which are all in memory while it is made.
inline constexpr std::uint32_t batch_units_max = 1000;
inline constexpr std::uint64_t batch_source_bytes_max = 16 * 1024 * 1024;

/// A unit that waits to be part of a batch.
struct waiting_unit {
  unit_id unit;
  std::uint64_t ordinal = 0; ///< In the order of arrival.
  std::uint32_t version = 1;
  list_place list;
  std::uint64_t bytes = 0; ///< Of its input.
};

/// What becomes one unit.
struct batch {
  std::uint32_t version = 1;    ///< Of the workflow; all of them began under it.
  std::vector<unit_id> members; ///< In the order of the list, or in that of arrival.
};

/// The units of one step that wait for a batch. Nothing of it is stored: it follows from the units.
///
/// A batch by count is due as soon as there are enough, one by list as soon as each item of the
/// list has come in; whatever is left when nothing more can come is due, too. A unit that is of no
/// list waits for no other. Units of different versions of the workflow never become one.
class gathering {
public:
  /// By version of the workflow; null where the step does not gather.
  using policies = std::function<const gather_policy*(std::uint32_t version)>;

  explicit gathering(policies policy_of) : policy_of_(std::move(policy_of)) {}

  /// It has come in, or its batch was taken apart. To be told again changes nothing.
  void add(const waiting_unit& unit);

  /// A batch that is due; `all_there`: nothing more can come. The same until something is added or
  /// removed.
  std::optional<batch> due(bool all_there) const;

  /// They wait no longer: they are part of a batch, or withdrawn. Of others nothing changes.
  void remove(const std::vector<unit_id>& units);

  /// Why a unit is part of no batch for a while, and how long.
  struct rest {
    std::uint32_t times = 0; ///< That it was put off, this one among them.
    instant until;
    std::string why;
  };

  /// The batch of these units, which wait, cannot be made now. They are part of none until `wake`,
  /// after a pause that grows each time, to a minute at most; others go on. Answers the longest of
  /// their rests. Of units that do not wait, nothing changes.
  rest put_off(const std::vector<unit_id>& members, const std::string& why, instant now);

  /// Those whose rest is over may be part of a batch again.
  void wake(instant now);

  /// When the next of them is to be woken; `instant::max()`: nobody rests.
  instant next_wake() const;

  /// Its rest; null when the unit does not rest.
  const rest* rest_of(const unit_id& unit) const;

  std::size_t waiting() const { return groups_of_.size() + resting_.size(); }

private:
  /// The version, and the unit whose list it is: nil where that does not matter.
  using group_key = std::pair<std::uint32_t, unit_id>;
  /// In the order in which a batch has them.
  using place = std::pair<std::uint32_t, std::uint64_t>;
  struct group {
    std::map<place, waiting_unit> units;
    std::map<std::uint32_t, std::uint32_t> parts; ///< Of a list: how often each has come in.
    std::uint64_t bytes = 0;
  };

  group_key key_of(const waiting_unit& unit) const;
  place place_of(const waiting_unit& unit) const;
  bool is_full(const group_key& key, const group& units) const;
  void note(const group_key& key);
  void leave_group(const unit_id& unit);

  policies policy_of_;
  std::map<group_key, group> groups_;
  std::set<group_key> full_;
  std::map<unit_id, std::pair<group_key, place>> groups_of_;
  std::map<unit_id, std::pair<waiting_unit, rest>> resting_; ///< These are in no group.
  std::map<unit_id, std::uint32_t> put_off_;                 ///< How often those that wait were.
};

} // namespace holdfast::core
