// What may share a batch, what a change weighs, and how a refused batch is cut.

#include "core/batching.hpp"
#include "core/invariant.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace holdfast::core;
using holdfast::test::beginning;

namespace {

unit_id numbered_unit(std::uint8_t n) {
  unit_id id;
  id.value.bytes[15] = n;
  return id;
}

change writing(std::vector<write_op> writes) { return {std::move(writes), {}}; }

lease held_by(const std::string& who) { return {{}, who, 1, beginning, beginning}; }

task_id numbered_task(std::uint8_t n) {
  task_id id;
  id.value.bytes[15] = n;
  return id;
}

task_spec spec_of(std::uint8_t n, const std::string& unique_key = {}) {
  task_spec spec;
  spec.id = numbered_task(n);
  spec.unique_key = unique_key;
  return spec;
}

finish_task finished(std::uint8_t n, const std::string& unique_key = {}) {
  finish_task gone;
  gone.task = numbered_task(n);
  gone.unique_key = unique_key;
  return gone;
}

insert_judgment judged(std::uint8_t n, const std::string& who) {
  return {{}, numbered_unit(n), who, 1, "{}", "a", 1.0, beginning};
}

/// Whether two changes may go together.
bool fit(std::vector<write_op> first, std::vector<write_op> second) {
  batch_footprint footprint;
  const bool alone = footprint.admit(writing(std::move(first)));
  BOOST_TEST(alone);
  return footprint.admit(writing(std::move(second)));
}

} // namespace

BOOST_AUTO_TEST_SUITE(batching)

BOOST_AUTO_TEST_CASE(changes_of_the_same_lease_may_not_share_a_batch) {
  const std::vector<write_op> of_ana{
      insert_lease{numbered_unit(1), held_by("ana")},
      extend_lease_row{numbered_unit(1), "ana", 1, beginning},
      end_lease_row{numbered_unit(1), "ana", 1, lease_end::released, beginning},
      judged(1, "ana"),
      insert_late_judgment{judged(1, "ana")},
      insert_surplus_judgment{judged(1, "ana")}};
  for (const auto& first : of_ana)
    for (const auto& second : of_ana)
      BOOST_TEST(!fit({first}, {second}));
  for (const auto& mine : of_ana) {
    BOOST_TEST(fit({mine}, {judged(1, "bob")}));
    BOOST_TEST(fit({mine}, {judged(2, "ana")}));
  }
}

BOOST_AUTO_TEST_CASE(changes_of_the_same_unit_may_not_share_a_batch) {
  const std::vector<write_op> of_unit{
      insert_unit{numbered_unit(1), {}, numbered_unit(1), {}, 1, "k", "{}", 3, beginning},
      set_unit_state{numbered_unit(1), unit_state::paused, beginning},
      finalize_unit{numbered_unit(1), "{}", 1.0, beginning},
      gather_units{numbered_unit(3), {numbered_unit(4), numbered_unit(1)}},
      ungather_units{numbered_unit(3), {numbered_unit(4), numbered_unit(1)}}};
  for (const auto& first : of_unit)
    for (const auto& second : of_unit)
      BOOST_TEST(!fit({first}, {second}));
  // The unit's own row is another than its leases.
  for (const auto& first : of_unit) {
    BOOST_TEST(fit({first}, {judged(1, "ana")}));
    BOOST_TEST(fit({first}, {set_unit_state{numbered_unit(2), unit_state::paused, beginning}}));
  }
}

BOOST_AUTO_TEST_CASE(a_task_may_be_enqueued_and_claimed_in_one_batch) {
  const insert_task enqueued{"work", spec_of(1, "k"), {}};
  const insert_task_lease claimed{numbered_task(1), held_by("w1")};
  BOOST_TEST(fit({enqueued}, {claimed}));
  BOOST_TEST(fit({claimed}, {update_task{numbered_task(1), {}}}));
  BOOST_TEST(fit({enqueued}, {insert_task{"work", spec_of(2, "other"), {}}}));
  BOOST_TEST(fit({enqueued}, {insert_late_result{numbered_task(1), 1, "w1", {}, {}, beginning}}));
}

// I-2, I-3
BOOST_AUTO_TEST_CASE(changes_of_the_same_lease_of_a_task_may_not_share_a_batch) {
  const std::vector<write_op> of_lease{
      insert_task_lease{numbered_task(1), held_by("w1")},
      extend_task_lease{numbered_task(1), 1, beginning},
      end_task_lease{numbered_task(1), 1, attempt_ending::released, {}, beginning}, finished(1)};
  for (const auto& first : of_lease) {
    for (const auto& second : of_lease)
      BOOST_TEST(!fit({first}, {second}));
    BOOST_TEST(fit({first}, {insert_task_lease{numbered_task(2), held_by("w1")}}));
    BOOST_TEST(fit({first}, {finished(2)}));
  }
}

// I-13
BOOST_AUTO_TEST_CASE(changes_of_the_same_row_of_a_task_may_not_share_a_batch) {
  const std::vector<write_op> of_row{insert_task{"work", spec_of(1), {}},
                                     update_task{numbered_task(1), {}}, finished(1),
                                     revive_task{numbered_task(1), {}, {}}};
  for (const auto& first : of_row) {
    for (const auto& second : of_row)
      BOOST_TEST(!fit({first}, {second}));
    BOOST_TEST(fit({first}, {update_task{numbered_task(2), {}}}));
  }
}

BOOST_AUTO_TEST_CASE(a_unique_key_may_not_be_freed_and_used_again_in_one_batch) {
  const std::vector<write_op> of_first{insert_task{"work", spec_of(1, "k"), {}}, finished(1, "k"),
                                       revive_task{numbered_task(1), {}, "k"}};
  const std::vector<write_op> of_second{insert_task{"work", spec_of(2, "k"), {}}, finished(2, "k"),
                                        revive_task{numbered_task(2), {}, "k"}};
  const std::vector<write_op> of_another{insert_task{"work", spec_of(2, "l"), {}}, finished(2, "l"),
                                         revive_task{numbered_task(2), {}, "l"}};
  const std::vector<write_op> of_none{insert_task{"work", spec_of(2), {}}, finished(2),
                                      revive_task{numbered_task(2), {}, {}}};
  for (const auto& first : of_first) {
    for (const auto& second : of_second)
      BOOST_TEST(!fit({first}, {second}));
    for (const auto& second : of_another)
      BOOST_TEST(fit({first}, {second}));
    for (const auto& second : of_none)
      BOOST_TEST(fit({first}, {second}));
  }
  // No key is no key that two could share.
  BOOST_TEST(fit({insert_task{"work", spec_of(1), {}}}, {insert_task{"work", spec_of(2), {}}}));
}

// I-13
BOOST_AUTO_TEST_CASE(changes_of_the_same_staged_task_may_not_share_a_batch) {
  const std::vector<write_op> of_second{take_staged{{1, 2}},
                                        refuse_staged{2, errc::wrong_state, {}, beginning}};
  for (const auto& first : of_second) {
    for (const auto& second : of_second)
      BOOST_TEST(!fit({first}, {second}));
    BOOST_TEST(fit({first}, {take_staged{{3}}}));
  }
  BOOST_TEST(fit({take_staged{{1}}}, {insert_task{"work", spec_of(1), {}}}));
}

BOOST_AUTO_TEST_CASE(inserts_and_last_write_wins_rows_never_collide) {
  const std::vector<write_op> harmless{
      insert_workflow{},
      insert_step{},
      update_step{},
      insert_inbox{"c", {1, 2}},
      advance_cursor{"c", 1, 2},
      put_profile{"ana", {}, beginning},
      put_removal{{"ana", everywhere(), false, beginning}},
      put_queue{"work", {}, false, {}, 1, beginning},
      insert_late_result{numbered_task(1), 1, {}, {}, {}, beginning}};
  for (const auto& first : harmless)
    for (const auto& second : harmless)
      BOOST_TEST(fit({first}, {second}));
}

BOOST_AUTO_TEST_CASE(a_change_that_is_not_admitted_leaves_no_footprint) {
  batch_footprint footprint;
  BOOST_TEST(footprint.admit(writing({judged(1, "ana")})));
  BOOST_TEST(!footprint.admit(writing({judged(2, "bob"), judged(1, "ana")})));
  BOOST_TEST(footprint.admit(writing({judged(2, "bob")})));
  footprint.clear();
  BOOST_TEST(footprint.admit(writing({judged(1, "ana")})));
}

BOOST_AUTO_TEST_CASE(one_change_may_touch_a_row_twice) {
  batch_footprint footprint;
  BOOST_TEST(footprint.admit(
      writing({end_lease_row{numbered_unit(1), "ana", 1, lease_end::expired, beginning},
               judged(1, "ana")})));
}

BOOST_AUTO_TEST_CASE(many_rows_do_not_collide_by_accident) {
  batch_footprint footprint;
  uuid_source ids{1};
  int refused = 0;
  for (int n = 0; n < 20'000; ++n) {
    const unit_id id{ids.next(beginning)};
    for (const auto* who : {"ana", "bob"})
      refused +=
          footprint.admit(writing({end_lease_row{id, who, 1, lease_end::expired, beginning}})) ? 0
                                                                                               : 1;
    refused +=
        footprint.admit(writing({set_unit_state{id, unit_state::paused, beginning}})) ? 0 : 1;
  }
  BOOST_TEST(refused == 0);
}

BOOST_AUTO_TEST_CASE(a_change_weighs_its_rows_and_its_events_once) {
  change c;
  BOOST_TEST(weight(c) == 0U);
  BOOST_TEST(c.empty());
  c.events.push_back({event_type::judgment_received, {}, {}, {}, beginning, {}});
  BOOST_TEST(weight(c) == 1U);
  BOOST_TEST(!c.empty());
  c.events.push_back(c.events.front());
  c.writes = {judged(1, "ana"), update_step{}};
  BOOST_TEST(weight(c) == 3U);
}

// Finding 10 of the reliability study: one bad change must cost one change.
BOOST_AUTO_TEST_CASE(cutting_in_two_finds_every_guilty_change) {
  for (std::size_t size = 1; size <= 40; ++size)
    for (std::size_t guilty = 0; guilty < size; ++guilty) {
      std::vector<std::pair<std::size_t, std::size_t>> open{{0, size}};
      std::vector<std::size_t> committed;
      std::size_t found = size;
      std::size_t attempts = 0;
      while (!open.empty()) {
        const auto [first, last] = open.back();
        open.pop_back();
        ++attempts;
        const bool refused = first <= guilty && guilty < last;
        if (!refused) {
          for (auto i = first; i < last; ++i)
            committed.push_back(i);
        } else if (last - first == 1) {
          found = first;
        } else {
          const auto [left, right] = bisect(first, last);
          BOOST_TEST(left.first == first);
          BOOST_TEST(left.second == right.first);
          BOOST_TEST(right.second == last);
          BOOST_TEST(left.first < left.second);
          BOOST_TEST(right.first < right.second);
          open.push_back(right);
          open.push_back(left);
        }
      }
      BOOST_TEST(found == guilty);
      BOOST_TEST(committed.size() == size - 1);
      BOOST_TEST(std::is_sorted(committed.begin(), committed.end()));
      BOOST_TEST(attempts <= 13U); // 2 log2(40) + 1
    }
}

// A brother of finding B1: the last of several in a batch counts, and these are of two steps
BOOST_AUTO_TEST_CASE(changes_that_put_one_repair_are_in_different_batches) {
  repair_row one;
  one.id.value.bytes[15] = 1;
  auto other = one;
  other.step.value.bytes[15] = 7;
  auto next = one;
  next.id.value.bytes[15] = 2;
  batch_footprint batch;
  BOOST_TEST(batch.admit(writing({put_repair{one}})));
  BOOST_TEST(!batch.admit(writing({put_repair{other}})));
  BOOST_TEST(batch.admit(writing({put_repair{next}})));
}

BOOST_AUTO_TEST_CASE(a_single_change_cannot_be_cut) {
  BOOST_CHECK_THROW(bisect(3, 4), broken_invariant);
  BOOST_CHECK_THROW(bisect(3, 3), broken_invariant);
}

BOOST_AUTO_TEST_SUITE_END()
