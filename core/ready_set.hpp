#pragma once

#include "core/ids.hpp"

#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace holdfast::core {

/// Which unit a step offers next, and to whom: every open unit of one step with a free slot, in
/// order of arrival, each offered at most once to a contributor until it is given back. Whoever has
/// given one back is offered it again before any other, in the order in which they become open.
///
/// Some units are kept *apart*: they are offered to nobody in their turn, since somebody else says
/// who gets them first. From then on they are like all others to whoever has had them.
///
/// Two lanes. *Fresh* holds units in order of arrival. *Returned* is a log: whenever a slot of a
/// unit comes free again the unit is appended, and it is served first, so that work once begun gets
/// finished. Each contributor has a cursor into both and never looks twice at an entry it has
/// passed; that makes a pick O(1) amortised even for somebody who declines everything, where
/// scanning would cost O(units) per pick.
///
/// Time enters only through `bar` and `take`; there is no order in it that depends on hashing.
class ready_set {
public:
  /// Adds a unit of which nobody has seen anything. Units come in ascending order of arrival.
  void add(const unit_id& unit, std::uint32_t free);
  /// Adds one that is kept apart, with a slot for everybody. One that is there stays as it is.
  void add_apart(const unit_id& unit);

  /// The next unit for `contributor`, and reserves one of its slots. None when nothing is open to
  /// them now.
  std::optional<unit_id> take(const contributor_id& contributor, instant now);

  /// The first part of `take`: a unit that they have given back. With `apart_only` the others wait.
  std::optional<unit_id> take_again(const contributor_id& contributor, instant now,
                                    bool apart_only);
  /// What `take_again` would answer; changes nothing.
  std::optional<unit_id> next_again(const contributor_id& contributor, instant now,
                                    bool apart_only) const;

  /// What `take` would answer; changes nothing.
  std::optional<unit_id> next_for(const contributor_id& contributor, instant now) const;
  /// When the first of the units that are barred to them for a time, and have a free slot, will be
  /// open to them; `instant::max()` when there is none.
  instant next_opening_for(const contributor_id& contributor, instant now) const;

  /// The reservation of `take` did not become a lease, or a slot came free again.
  void give_back(const unit_id& unit);

  /// The unit itself says how many slots are free, reservations under way already taken off.
  void correct(const unit_id& unit, std::uint32_t free);

  /// `contributor` is not to be offered the unit before `until`, and from then on only if `until`
  /// is finite.
  void bar(const unit_id& unit, const contributor_id& contributor, instant until);

  /// The open units that are barred to the contributor, or were once, by id: all that they have
  /// had to do with.
  std::vector<unit_id> touched_by(const contributor_id& contributor) const;

  /// The unit is not offered until `resume`.
  void suspend(const unit_id& unit);
  void resume(const unit_id& unit);

  /// The unit is finished: forget it.
  void close(const unit_id& unit);

  /// Like all that follows it knows nothing of units that are kept apart.
  bool contains(const unit_id& unit) const { return index_.count(unit) != 0; }
  std::uint32_t free_slots(const unit_id& unit) const;
  /// Units with a free slot that are not suspended.
  std::size_t ready_units() const { return ready_; }
  std::size_t open_units() const { return index_.size(); }
  /// All open units, also those that are kept apart, by id.
  std::vector<unit_id> all_open() const;
  /// Open units without a free slot, suspended or not, by id: somebody has them, or they are
  /// judged.
  std::vector<unit_id> full_units() const;
  /// Length of both lanes together, which is what the set costs besides its units: after a pick at
  /// most four times the ready units and a constant.
  std::size_t lane_entries() const { return fresh_.size() + returned_.size(); }

  /// Up to `count` units that would be offered next to somebody who has seen nothing, beginning
  /// with `first` if it is in the fresh lane: what is worth loading ahead.
  std::vector<unit_id> upcoming(const unit_id& first, std::size_t count) const;

private:
  using contributor_index = std::uint32_t;

  struct touch {
    contributor_index who;
    instant until;
  };
  struct entry {
    unit_id unit;
    std::uint64_t position = 0; ///< In the fresh lane.
    std::uint64_t returned = 0; ///< Its latest place in the log; older entries of it are stale.
    std::uint32_t free = 0;
    bool suspended = false;
    std::vector<touch> touched;
  };
  struct lane_entry {
    std::uint64_t position;
    unit_id unit;
  };
  struct cooling_unit {
    instant until;
    unit_id unit;
  };
  struct cursor {
    std::uint64_t fresh = 0;
    std::uint64_t returned = 0;
    std::vector<cooling_unit> cooling; ///< Barred for a time only, earliest not first.
    /// Of units that are kept apart: until when each is barred that is barred for a time only. Here
    /// and not with the unit, which everybody may have had.
    std::unordered_map<unit_id, instant> apart;
  };

  contributor_index intern(const contributor_id& contributor);
  entry* open(const unit_id& unit);
  const entry* open(const unit_id& unit) const;
  bool offers(const entry& e) const { return e.free > 0 && !e.suspended; }
  bool may_have(const entry& e, contributor_index who, instant now) const;
  /// Of a unit that is kept apart.
  bool may_have_apart(const cursor& at, const unit_id& unit, instant now) const;
  std::optional<unit_id> pick_again(cursor& at, contributor_index who, instant now,
                                    bool apart_only) const;
  /// Moves the cursor to the next unit that is open to them, in its turn.
  const entry* pick(cursor& at, contributor_index who, instant now) const;
  void reserve(const unit_id& unit, const contributor_id& contributor);
  void bar_apart(const unit_id& unit, const contributor_id& contributor, instant until);
  void set_free(entry& e, std::uint32_t free);
  void append_returned(entry& e);
  void trim();

  std::unordered_map<unit_id, entry> index_;
  std::unordered_map<unit_id, bool> apart_; ///< Whether it is suspended.
  std::unordered_set<unit_id> full_; ///< Beside the index, which may be long where these are few.
  std::unordered_map<contributor_id, contributor_index> contributors_;
  std::vector<cursor> cursors_;
  std::deque<lane_entry> fresh_;
  std::deque<lane_entry> returned_;
  std::uint64_t next_fresh_ = 1;
  std::uint64_t next_returned_ = 1;
  std::size_t ready_ = 0;
};

} // namespace holdfast::core
