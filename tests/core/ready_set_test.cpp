// The ready set against a model that looks through all units for every pick, and its costs.

#include "core/invariant.hpp"
#include "core/ready_set.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;
using core::contributor_id;
using core::instant;
using core::unit_id;

namespace {

/// The same promises without any of the machinery: O(units) for each pick.
class naive_set {
public:
  struct entry {
    unit_id id;
    std::uint32_t free = 0;
    bool suspended = false;
    std::uint64_t returned = 0; ///< When it last came back; 0: never.
    std::map<contributor_id, instant> barred_until;

    bool offered() const { return free > 0 && !suspended; }
    bool touched_by(const contributor_id& who) const { return barred_until.count(who) != 0; }
    bool open_to(const contributor_id& who, instant now) const {
      const auto bar = barred_until.find(who);
      return offered() && (bar == barred_until.end() || bar->second <= now);
    }
  };

  std::vector<entry> units; ///< In order of arrival.

  entry* find(const unit_id& id) {
    const auto found =
        std::find_if(units.begin(), units.end(), [&](const entry& e) { return e.id == id; });
    return found == units.end() ? nullptr : &*found;
  }

  void add(const unit_id& id, std::uint32_t free) { units.push_back({id, free, false, 0, {}}); }
  void give_back(const unit_id& id) {
    if (auto* e = find(id)) {
      ++e->free;
      e->returned = ++returns_;
    }
  }
  void correct(const unit_id& id, std::uint32_t free) {
    auto* e = find(id);
    if (e == nullptr)
      return;
    if (free > e->free)
      e->returned = ++returns_;
    e->free = free;
  }
  void bar(const unit_id& id, const contributor_id& who, instant until) {
    if (auto* e = find(id))
      e->barred_until[who] = until;
  }
  void suspend(const unit_id& id) {
    if (auto* e = find(id))
      e->suspended = true;
  }
  void resume(const unit_id& id) {
    if (auto* e = find(id); e != nullptr && e->suspended) {
      e->suspended = false;
      e->returned = ++returns_;
    }
  }
  void close(const unit_id& id) {
    units.erase(
        std::remove_if(units.begin(), units.end(), [&](const entry& e) { return e.id == id; }),
        units.end());
  }

  /// Whether `picked` is what `who` had to get now: the first of those they never had anything to
  /// do with, what came back before what is fresh. A unit that they were barred from for a time may
  /// come before these, but only in the place of one that is open to them.
  bool right_pick(const contributor_id& who, instant now, const std::optional<unit_id>& picked) {
    const entry* next = nullptr;
    bool cooled = false;
    for (const auto& e : units) {
      if (!e.open_to(who, now))
        continue;
      cooled = cooled || e.touched_by(who);
      if (!e.touched_by(who) && (next == nullptr || comes_before(e, *next)))
        next = &e;
    }
    const auto* got = picked ? find(*picked) : nullptr;
    const bool got_cooled = got != nullptr && got->open_to(who, now) && got->touched_by(who);
    return got_cooled || (got == next && (got != nullptr || !cooled));
  }

  instant next_opening(const contributor_id& who, instant now) const {
    auto earliest = instant::max();
    for (const auto& e : units)
      if (const auto bar = e.barred_until.find(who);
          e.offered() && bar != e.barred_until.end() && bar->second > now)
        earliest = std::min(earliest, bar->second);
    return earliest;
  }

  void taken(const unit_id& id, const contributor_id& who) {
    --find(id)->free;
    bar(id, who, instant::max());
  }

  std::size_t ready() const {
    return static_cast<std::size_t>(
        std::count_if(units.begin(), units.end(), [](const entry& e) { return e.offered(); }));
  }

private:
  static bool comes_before(const entry& a, const entry& b) {
    if (a.returned == 0 || b.returned == 0)
      return a.returned != 0 && b.returned == 0; // fresh ones stay in order of arrival
    return a.returned < b.returned;
  }

  std::uint64_t returns_ = 0;
};

const std::vector<contributor_id> people{"ana", "bob", "eve", "joe"};

/// Both sets under the same random events.
class set_trial {
public:
  explicit set_trial(std::uint64_t seed) : random_(seed), ids_(seed) {}

  void go_on() {
    now_ += core::duration{static_cast<std::int64_t>(random_.below(3))};
    const auto what = random_.below(16);
    if (what < 2) {
      add();
    } else if (what < 9) {
      take(random_.of(people));
    } else if (what < 12 && !held_.empty()) {
      end_one();
    } else if (const auto unit = any_unit()) {
      disturb(*unit, what);
    }
    check();
  }

  std::size_t picks() const { return picks_; }

private:
  struct hold {
    unit_id unit;
    contributor_id who;
  };

  std::optional<unit_id> any_unit() {
    if (naive_.units.empty())
      return std::nullopt;
    return random_.of(naive_.units).id;
  }

  void add() {
    const unit_id id{ids_.next(now_)};
    const auto free = static_cast<std::uint32_t>(random_.below(4)); // 0: all slots are leased
    set_.add(id, free);
    naive_.add(id, free);
  }

  void take(const contributor_id& who) {
    const auto foretold = set_.next_for(who, now_);
    const auto opens = set_.next_opening_for(who, now_);
    const auto picked = set_.take(who, now_);
    BOOST_TEST((picked == foretold));
    // What is barred for a time is all that may open by itself.
    BOOST_TEST((opens == naive_.next_opening(who, now_)));
    BOOST_TEST(naive_.right_pick(who, now_, picked),
               who << " at " << describe(now_) << " got "
                   << (picked ? to_string(*picked) : "nothing"));
    if (!picked)
      return;
    naive_.taken(*picked, who);
    held_.push_back({*picked, who});
    ++picks_;
  }

  /// A lease ends: released, expired (with a wait), declined, or judged (no slot comes back).
  void end_one() {
    const auto at = random_.below(held_.size());
    const auto [unit, who] = held_[at];
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(at));
    if (random_.one_in(3))
      return;
    bar(unit, who);
    set_.give_back(unit);
    naive_.give_back(unit);
    if (random_.one_in(3))
      bar(unit, who);
  }

  void bar(const unit_id& unit, const contributor_id& who) {
    const auto until = random_.one_in(3)
                           ? instant::max()
                           : now_ + core::duration{static_cast<std::int64_t>(random_.below(12))};
    set_.bar(unit, who, until);
    naive_.bar(unit, who, until);
  }

  void disturb(const unit_id& unit, std::uint64_t what) {
    if (what == 12) {
      set_.suspend(unit);
      naive_.suspend(unit);
    } else if (what == 13) {
      set_.resume(unit);
      naive_.resume(unit);
    } else if (what == 14) {
      bar(unit, random_.of(people));
    } else if (random_.one_in(3)) {
      set_.close(unit);
      naive_.close(unit);
    } else if (random_.one_in(2)) {
      const auto free = static_cast<std::uint32_t>(random_.below(4));
      set_.correct(unit, free);
      naive_.correct(unit, free);
    }
  }

  void check() {
    BOOST_TEST(set_.open_units() == naive_.units.size());
    BOOST_TEST(set_.ready_units() == naive_.ready());
    std::vector<unit_id> full;
    for (const auto& e : naive_.units)
      if (e.free == 0)
        full.push_back(e.id);
    std::sort(full.begin(), full.end());
    BOOST_TEST((set_.full_units() == full));
    for (const auto& e : naive_.units) {
      BOOST_TEST(set_.contains(e.id));
      BOOST_TEST(set_.free_slots(e.id) == (e.suspended ? 0U : e.free));
    }
    // Fresh units behind a given one, as they would be offered.
    if (const auto first = any_unit()) {
      const auto upcoming = set_.upcoming(*first, 3);
      auto at = std::find_if(naive_.units.begin(), naive_.units.end(),
                             [&](const auto& e) { return e.id == *first; });
      std::vector<unit_id> expected{*first};
      for (++at; at != naive_.units.end() && expected.size() < 3; ++at)
        if (at->offered() && at->returned == 0)
          expected.push_back(at->id);
      // A unit that came back may be listed as well, or not: it is offered first in any case.
      for (const auto& id : expected)
        if (upcoming.size() < 3)
          BOOST_TEST((std::find(upcoming.begin(), upcoming.end(), id) != upcoming.end()));
      BOOST_TEST((upcoming.front() == *first));
      for (const auto& id : upcoming)
        BOOST_TEST((id == *first || naive_.find(id)->offered()));
    }
  }

  random_source random_;
  core::uuid_source ids_;
  core::ready_set set_;
  naive_set naive_;
  std::vector<hold> held_;
  instant now_ = beginning;
  std::size_t picks_ = 0;
};

unit_id numbered_unit(std::uint64_t n) {
  unit_id id;
  for (std::size_t i = 0; i < 8; ++i)
    id.value.bytes[15 - i] = static_cast<std::uint8_t>(n >> (8 * i));
  return id;
}

} // namespace

BOOST_AUTO_TEST_SUITE(ready_sets)

// A108, A110, I-10, G-5, G-17
BOOST_AUTO_TEST_CASE(every_pick_is_the_one_a_full_search_would_make) {
  std::size_t picks = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    set_trial trial{seed};
    for (int step = 0; step < 200; ++step)
      BOOST_TEST_CONTEXT("seed " << seed << ", step " << step) { trial.go_on(); }
    picks += trial.picks();
  }
  BOOST_TEST(picks > 5'000U);
}

// A pick that looked at all units would need 5 000 000 000 looks for each of these contributors.
BOOST_AUTO_TEST_CASE(declining_a_hundred_thousand_units_looks_at_each_once) {
  constexpr std::uint64_t count = 100'000;
  core::ready_set set;
  for (std::uint64_t n = 1; n <= count; ++n)
    set.add(numbered_unit(n), 1);
  for (const auto* who : {"ana", "bob", "eve"}) {
    std::uint64_t in_order = 0;
    while (const auto unit = set.take(who, beginning)) {
      in_order += *unit == numbered_unit(in_order + 1) ? 1 : 0;
      set.bar(*unit, who, instant::max());
      set.give_back(*unit);
    }
    // Declined units come back in the order they were declined in, so that all see the same.
    BOOST_TEST(in_order == count);
  }
  BOOST_TEST(set.ready_units() == count);
}

BOOST_AUTO_TEST_CASE(a_unit_nobody_wants_does_not_keep_the_memory_of_all_that_came_after) {
  core::ready_set set;
  set.add(numbered_unit(0), 1);
  BOOST_REQUIRE(set.take("ana", beginning));
  set.give_back(numbered_unit(0)); // heads the returned lane from now on
  set.add(numbered_unit(1), 1);    // heads the fresh lane: ana may not have it
  set.bar(numbered_unit(1), "ana", instant::max());
  std::size_t most = 0;
  for (std::uint64_t n = 2; n <= 50'000; ++n) {
    set.add(numbered_unit(n), 1);
    const auto unit = set.take("ana", beginning);
    BOOST_REQUIRE(unit);
    if (n % 2 == 0) {
      set.give_back(*unit);
      set.take("bob", beginning);
    }
    set.close(*unit);
    most = std::max(most, set.lane_entries());
  }
  BOOST_TEST(most <= 4'200U);
}

BOOST_AUTO_TEST_CASE(the_same_unit_twice_is_a_bug_of_ours) {
  core::ready_set set;
  set.add(numbered_unit(1), 1);
  BOOST_CHECK_THROW(set.add(numbered_unit(1), 1), core::broken_invariant);
}

BOOST_AUTO_TEST_CASE(the_units_worth_loading_begin_with_the_one_in_hand) {
  core::ready_set set;
  for (std::uint64_t n = 1; n <= 5; ++n)
    set.add(numbered_unit(n), 1);
  BOOST_REQUIRE((set.take("ana", beginning) == numbered_unit(1)));
  set.suspend(numbered_unit(3));
  const auto numbers = [&](std::uint64_t first, std::size_t count) {
    std::string text;
    for (const auto& id : set.upcoming(numbered_unit(first), count))
      text += std::to_string(id.value.bytes[15]) + " ";
    return text;
  };
  BOOST_TEST(numbers(1, 3) == "1 2 4 ");
  BOOST_TEST(numbers(1, 1) == "1 ");
  BOOST_TEST(numbers(1, 0) == "");
  BOOST_TEST(numbers(3, 9) == "3 4 5 ");
  BOOST_TEST(numbers(5, 9) == "5 ");
  BOOST_TEST(numbers(9, 9) == "");
}

BOOST_AUTO_TEST_SUITE_END()
