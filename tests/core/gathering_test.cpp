// What waits to be part of a batch: which units become one, when, and how they count.

#include "core/gathering.hpp"

#include "core/batching.hpp"
#include "core/invariant.hpp"
#include "core/step.hpp"
#include "core/unit_tasks.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast::core;
using holdfast::test::beginning;
using holdfast::test::describe;
using holdfast::test::random_source;

namespace {

using ordinals = std::vector<std::uint64_t>;

unit_id numbered(std::uint64_t n) {
  unit_id id;
  for (std::size_t i = 0; i < 8; ++i)
    id.value.bytes[15 - i] = static_cast<std::uint8_t>(n >> 8 * i);
  return id;
}

/// The units of tests have their ordinal in their id.
std::uint64_t number_of(const unit_id& unit) {
  std::uint64_t n = 0;
  for (std::size_t at = 8; at < 16; ++at)
    n = n << 8 | unit.value.bytes[at];
  return n;
}

std::vector<unit_id> units_of(const ordinals& numbers) {
  std::vector<unit_id> units;
  for (const auto n : numbers)
    units.push_back(numbered(n));
  return units;
}

gathering::policies always(gather_policy policy) {
  return [policy](std::uint32_t) { return &policy; };
}
gathering by_count(std::uint32_t size) { return gathering{always({gather_by::count, size})}; }
gathering by_list() { return gathering{always({gather_by::list, 0})}; }

waiting_unit waiting(std::uint64_t ordinal, std::uint32_t version = 1) {
  return {numbered(ordinal), ordinal, version, {}, 10};
}

/// Item `part` of the list of `size` that unit `list` had.
waiting_unit item(std::uint64_t ordinal, std::uint64_t list, std::uint32_t size,
                  std::uint32_t part) {
  auto unit = waiting(ordinal);
  unit.list = {numbered(list), size, part};
  return unit;
}

ordinals due(const gathering& units, bool all_there = false) {
  ordinals members;
  if (const auto next = units.due(all_there))
    for (const auto& unit : next->members)
      members.push_back(number_of(unit));
  return members;
}

/// Makes the batch that is due.
ordinals make(gathering& units, bool all_there = false) {
  auto members = due(units, all_there);
  units.remove(units_of(members));
  return members;
}

} // namespace

BOOST_AUTO_TEST_SUITE(gathering_units)

BOOST_AUTO_TEST_CASE(groups_of_writes_have_names) {
  for (const auto by : {gather_by::count, gather_by::list})
    BOOST_TEST((gather_by_named(to_string(by)) == by));
  BOOST_TEST(to_string(gather_by::count) == "count");
  BOOST_TEST(to_string(gather_by::list) == "list");
  BOOST_TEST(!gather_by_named("size"));
}

BOOST_AUTO_TEST_CASE(a_batch_by_count_is_due_when_there_are_enough_in_order_of_arrival) {
  auto units = by_count(3);
  units.add(waiting(7));
  units.add(waiting(2));
  BOOST_TEST(due(units).empty());
  units.add(waiting(5));
  units.add(waiting(1));
  // The same, as long as it is not made.
  BOOST_TEST((due(units) == ordinals{1, 2, 5}));
  BOOST_TEST((make(units) == ordinals{1, 2, 5}));
  BOOST_TEST(due(units).empty());
  BOOST_TEST(units.waiting() == 1U);
}

BOOST_AUTO_TEST_CASE(a_batch_that_cannot_be_made_rests_and_others_go_on) {
  using namespace std::chrono_literals;
  auto units = by_count(2);
  for (std::uint64_t n = 1; n <= 4; ++n)
    units.add(waiting(n));
  const auto first = units.put_off(units_of({1, 2}), "lost", beginning);
  BOOST_TEST(first.times == 1U);
  BOOST_TEST((first.until > beginning && units.next_wake() == first.until));
  BOOST_TEST(units.waiting() == 4U);
  BOOST_REQUIRE(units.rest_of(numbered(2)) != nullptr);
  BOOST_TEST(units.rest_of(numbered(2))->why == "lost");
  BOOST_TEST(units.rest_of(numbered(3)) == nullptr);
  units.add(waiting(1)); // to be told again changes nothing
  BOOST_TEST((make(units) == ordinals{3, 4}));
  units.wake(first.until - 1ms);
  BOOST_TEST(due(units, true).empty());
  units.wake(first.until);
  BOOST_TEST((due(units) == ordinals{1, 2}));
  BOOST_TEST((units.next_wake() == instant::max()));
  const auto second = units.put_off(units_of({1, 2}), "lost", first.until);
  BOOST_TEST(second.times == 2U);
  BOOST_TEST((second.until - first.until > first.until - beginning));
  units.remove(units_of({1}));
  units.wake(second.until);
  BOOST_TEST((make(units, true) == ordinals{2}));
  BOOST_TEST(units.waiting() == 0U);
}

BOOST_AUTO_TEST_CASE(to_be_told_twice_changes_nothing) {
  auto units = by_count(2);
  units.add(waiting(1));
  units.add(waiting(1));
  BOOST_TEST(units.waiting() == 1U);
  BOOST_TEST(due(units).empty());
  units.add(waiting(2));
  BOOST_TEST((due(units) == ordinals{1, 2}));
  units.remove(units_of({1, 2}));
  units.remove(units_of({1, 2, 3}));
  BOOST_TEST(units.waiting() == 0U);

  auto lists = by_list();
  lists.add(item(1, 90, 2, 0));
  lists.add(item(1, 90, 2, 0));
  BOOST_TEST(due(lists).empty());
  lists.add(item(2, 90, 2, 1));
  BOOST_TEST((make(lists) == ordinals{1, 2}));
}

// A27: what a batch was made of waits again in its place, without those that are withdrawn.
BOOST_AUTO_TEST_CASE(a_batch_by_count_that_was_taken_apart_is_made_with_what_else_waits) {
  auto units = by_count(3);
  for (std::uint64_t n = 1; n <= 4; ++n)
    units.add(waiting(n));
  BOOST_TEST((make(units) == ordinals{1, 2, 3}));
  units.add(waiting(1));
  BOOST_TEST(due(units).empty());
  units.add(waiting(3));
  BOOST_TEST((make(units) == ordinals{1, 3, 4}));
  units.add(waiting(3));
  BOOST_TEST(due(units).empty());
  BOOST_TEST((make(units, true) == ordinals{3}));
}

// A27: a withdrawn item's place stays open until the next one comes.
BOOST_AUTO_TEST_CASE(a_list_that_was_taken_apart_waits_for_the_item_that_it_lost) {
  auto units = by_list();
  for (std::uint32_t part = 0; part < 3; ++part)
    units.add(item(1 + part, 90, 3, part));
  BOOST_TEST((make(units) == ordinals{1, 2, 3}));
  units.add(item(3, 90, 3, 2));
  units.add(item(1, 90, 3, 0));
  BOOST_TEST(due(units).empty());
  BOOST_TEST((due(units, true) == ordinals{1, 3}));
  units.add(item(7, 90, 3, 1));
  BOOST_TEST((make(units) == ordinals{1, 7, 3}));
}

BOOST_AUTO_TEST_CASE(member_withdrawn_while_it_waits_is_missing_again) {
  auto units = by_list();
  units.add(item(1, 90, 3, 0));
  units.add(item(2, 90, 3, 1));
  units.remove(units_of({2}));
  units.add(item(3, 90, 3, 2));
  BOOST_TEST(due(units).empty());
  units.add(item(4, 90, 3, 1));
  BOOST_TEST((make(units) == ordinals{1, 4, 3}));

  // All of them, and the next list has another length.
  units.add(item(5, 91, 3, 0));
  units.add(item(6, 91, 3, 1));
  units.add(item(7, 91, 2, 0));
  units.add(item(8, 91, 2, 1));
  units.remove(units_of({5, 6}));
  BOOST_TEST((make(units) == ordinals{7, 8}));
  BOOST_TEST(units.waiting() == 0U);

  auto counted = by_count(2);
  counted.add(waiting(1));
  counted.add(waiting(2));
  counted.remove(units_of({1}));
  BOOST_TEST(due(counted).empty());
}

BOOST_AUTO_TEST_CASE(units_of_different_versions_never_become_one) {
  auto units = by_count(2);
  units.add(waiting(1, 1));
  units.add(waiting(2, 2));
  BOOST_TEST(due(units).empty());
  units.add(waiting(3, 2));
  BOOST_TEST(units.due(false)->version == 2U);
  BOOST_TEST((make(units) == ordinals{2, 3}));
  BOOST_TEST(units.due(true)->version == 1U);
  BOOST_TEST((make(units, true) == ordinals{1}));
}

BOOST_AUTO_TEST_CASE(each_version_gathers_as_it_says) {
  const std::map<std::uint32_t, gather_policy> policies{
      {1, {gather_by::count, 3}}, {2, {gather_by::list, 0}}, {3, {gather_by::count, 2}}};
  gathering units{[&](std::uint32_t version) { return &policies.at(version); }};
  const auto of_list = [](std::uint64_t ordinal, std::uint32_t part, std::uint32_t version) {
    auto unit = item(ordinal, 90, 2, part);
    unit.version = version;
    return unit;
  };
  for (const std::uint32_t version : {1U, 2U, 3U}) {
    units.add(of_list(2 * version, 1, version));
    units.add(of_list(2 * version + 1, 0, version));
  }
  BOOST_TEST((make(units) == ordinals{5, 4})); // in the order of the list
  BOOST_TEST((make(units) == ordinals{6, 7})); // in the order of arrival
  BOOST_TEST(due(units).empty());
  BOOST_TEST((make(units, true) == ordinals{2, 3}));
}

BOOST_AUTO_TEST_CASE(a_batch_has_a_bounded_number_of_units) {
  auto units = by_list();
  for (std::uint64_t n = 0; n <= batch_units_max; ++n)
    units.add(item(n, 5'000, 1, 0));
  const auto most = make(units);
  BOOST_TEST(most.size() == batch_units_max);
  BOOST_TEST(most.front() == 0U);
  BOOST_TEST((make(units) == ordinals{batch_units_max}));
}

BOOST_AUTO_TEST_CASE(a_batch_has_a_bounded_number_of_bytes) {
  const auto with_bytes = [](waiting_unit unit, std::uint64_t bytes) {
    unit.bytes = bytes;
    return unit;
  };
  constexpr auto half = batch_source_bytes_max / 2;
  auto units = by_count(10);
  units.add(with_bytes(waiting(1), half));
  units.add(with_bytes(waiting(2), half - 1));
  BOOST_TEST(due(units).empty());
  units.add(with_bytes(waiting(3), 1));
  BOOST_TEST((due(units) == ordinals{1, 2, 3})); // to the byte
  units.add(with_bytes(waiting(4), 1));
  BOOST_TEST((make(units) == ordinals{1, 2, 3}));
  // What is left is counted anew.
  BOOST_TEST(due(units).empty());
  units.add(with_bytes(waiting(5), batch_source_bytes_max + 1));
  BOOST_TEST((make(units) == ordinals{4}));
  BOOST_TEST((make(units) == ordinals{5})); // one alone may be larger
  BOOST_TEST(units.waiting() == 0U);

  // A list that is too large is divided, and the rest of it waits for the end.
  auto lists = by_list();
  lists.add(with_bytes(item(1, 90, 3, 2), half));
  lists.add(with_bytes(item(2, 90, 3, 1), half));
  BOOST_TEST((make(lists) == ordinals{2, 1}));
  lists.add(with_bytes(item(3, 90, 3, 0), 1));
  BOOST_TEST(due(lists).empty());
  BOOST_TEST((make(lists, true) == ordinals{3}));
}

// Whatever comes in, in whatever order: each unit is in one batch and only in one, and each batch
// is what its step asks for.
BOOST_AUTO_TEST_CASE(each_unit_becomes_part_of_exactly_one_batch) {
  std::size_t whole_lists = 0;
  std::size_t whole_counts = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    random_source random{seed};
    const std::vector<gather_policy> policies{
        {gather_by::count, static_cast<std::uint32_t>(2 + random.below(4))}, {gather_by::list, 0}};
    gathering units{[&](std::uint32_t version) { return &policies[version - 1]; }};
    std::map<unit_id, waiting_unit> all;
    const auto come = [&](list_place list) {
      const auto ordinal = all.size() + 1;
      auto unit = waiting(ordinal, static_cast<std::uint32_t>(1 + random.below(2)));
      unit.list = list;
      all.emplace(unit.unit, unit);
    };
    for (auto lists = random.below(6); lists > 0; --lists) {
      const auto size = static_cast<std::uint32_t>(1 + random.below(5));
      const auto version = static_cast<std::uint32_t>(1 + random.below(2));
      for (std::uint32_t part = 0; part < size; ++part)
        if (!random.one_in(10)) { // its chain may have ended
          come({numbered(10'000 + lists), size, part});
          all.rbegin()->second.version = version;
        }
    }
    for (auto alone = random.below(6); alone > 0; --alone)
      come({});

    std::set<unit_id> gathered;
    const auto take = [&](bool all_there) {
      const auto next = units.due(all_there);
      if (!next)
        return false;
      BOOST_REQUIRE(!next->members.empty());
      const auto& policy = policies[next->version - 1];
      const auto& list = all.at(next->members.front()).list;
      std::vector<std::pair<std::uint32_t, std::uint64_t>> places;
      std::set<std::uint32_t> parts;
      for (const auto& member : next->members) {
        const auto& unit = all.at(member);
        BOOST_TEST(gathered.insert(member).second);
        BOOST_TEST(unit.version == next->version);
        if (policy.by == gather_by::list)
          BOOST_TEST((unit.list.of == list.of));
        places.emplace_back(policy.by == gather_by::list ? unit.list.part : 0, unit.ordinal);
        parts.insert(unit.list.part);
      }
      BOOST_TEST(std::is_sorted(places.begin(), places.end()));
      if (policy.by == gather_by::count) {
        BOOST_TEST(next->members.size() <= policy.size);
        BOOST_TEST((all_there || next->members.size() == policy.size));
        whole_counts += next->members.size() == policy.size ? 1 : 0;
      } else if (!list.of) {
        BOOST_TEST(next->members.size() == 1U);
      } else {
        BOOST_TEST((all_there || parts.size() == list.size));
        whole_lists += parts.size() == list.size && list.size > 1 ? 1 : 0;
      }
      units.remove(next->members);
      return true;
    };

    BOOST_TEST_CONTEXT("seed " << seed) {
      std::vector<waiting_unit> coming;
      for (const auto& [id, unit] : all)
        coming.push_back(unit);
      for (std::size_t i = coming.size(); i > 1; --i)
        std::swap(coming[i - 1], coming[random.below(i)]);
      for (const auto& unit : coming) {
        units.add(unit);
        if (random.one_in(4))
          units.add(unit);
        while (random.one_in(2) && take(false)) {
        }
      }
      while (take(false)) {
      }
      BOOST_TEST(units.waiting() == all.size() - gathered.size());
      while (take(true)) {
      }
      BOOST_TEST(units.waiting() == 0U);
      BOOST_TEST(gathered.size() == all.size());
    }
  }
  BOOST_TEST(whole_lists > 100U);
  BOOST_TEST(whole_counts > 100U);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

/// A step with units that wait for a batch.
struct gathering_step {
  gathering_step() { s.row.id = {ids.next(beginning)}; }

  /// What a finished unit of another step becomes here.
  source_item child(std::vector<contributor_id> excluded = {}, std::uint32_t loops = 0) {
    source_item made;
    made.key = "k" + std::to_string(s.next_ordinal);
    made.input = "{}";
    made.parent = {ids.next(beginning)};
    made.root = {ids.next(beginning)};
    made.loops = loops;
    made.excluded = std::move(excluded);
    made.version = 2;
    made.list = {made.root, 5, 4};
    made.gathered = true;
    return made;
  }

  std::vector<unit_record> take_in(std::vector<source_item> items) {
    auto d = add_units(s, std::move(items), ids, beginning);
    BOOST_REQUIRE((d.refusal == errc::none));
    return std::move(d.answer.units);
  }

  decision<unit_record> make(const std::vector<unit_record>& members) {
    return gather(s, members, R"({"data":[]})", 3, ids, beginning);
  }

  step s;
  uuid_source ids{1};
};

std::vector<unit_id> ids_of(const std::vector<unit_record>& units) {
  std::vector<unit_id> ids;
  for (const auto& unit : units)
    ids.push_back(unit.id);
  return ids;
}

template <class Write>
std::vector<Write> writes_of(const change& c) {
  std::vector<Write> found;
  for (const auto& w : c.writes)
    if (const auto* one = std::get_if<Write>(&w))
      found.push_back(*one);
  return found;
}

} // namespace

BOOST_AUTO_TEST_SUITE(batches)

// I-6: what waits is there and not done; nobody is told to work on it.
BOOST_AUTO_TEST_CASE(a_unit_that_waits_counts_and_is_offered_to_nobody) {
  gathering_step g;
  g.s.executor = task_executor{"q", "judge", 1};
  const auto d = add_units(g.s, {g.child(), g.child()}, g.ids, beginning);
  BOOST_TEST(describe(g.s.row) == "Open, 0 of 2, revision 1");
  BOOST_TEST(d.changes.events.empty());
  BOOST_TEST(writes_of<stage_task>(d.changes).empty());
  BOOST_TEST(writes_of<update_step>(d.changes).size() == 1U);
  const auto stored = writes_of<insert_unit>(d.changes);
  BOOST_REQUIRE(stored.size() == 2U);
  BOOST_TEST(stored[0].gathered);
  BOOST_TEST((stored[0].list.of == stored[0].root));
  BOOST_TEST(stored[0].list.size == 5U);
  BOOST_TEST(stored[0].list.part == 4U);
  auto unit = d.answer.units[0];
  BOOST_TEST((unit.state == unit_state::gathered));
  BOOST_TEST(!unit.batch);
  BOOST_TEST((unit.list.of == stored[0].list.of));
  BOOST_TEST(free_slots(unit) == 0U);

  const lease_policy policy;
  const auto asked = decide(unit, policy, ask{"ana", {g.ids.next(beginning)}}, beginning);
  BOOST_TEST((asked.refusal == errc::wrong_state));
  BOOST_TEST(asked.detail == "the unit is Gathered");
  for (const auto verb : {unit_verb::pause, unit_verb::resume, unit_verb::cancel})
    BOOST_TEST((decide(unit, policy, verb, beginning).refusal == errc::wrong_state));
  BOOST_TEST(decide(unit, policy, disregard{"ana"}, beginning).changes.empty());
  BOOST_TEST((unit.state == unit_state::gathered));
}

// I-5, I-6
BOOST_AUTO_TEST_CASE(a_batch_is_a_unit_that_goes_on_from_its_first_member) {
  gathering_step g;
  const auto members = g.take_in({g.child(), g.child(), g.child()});
  const auto d = g.make({members[2], members[0]});
  BOOST_REQUIRE((d.refusal == errc::none));
  BOOST_TEST(describe(g.s.row) == "Open, 2 of 4, revision 1");
  BOOST_TEST(g.s.next_ordinal == 5U);

  const auto& made = d.answer;
  BOOST_TEST((made.state == unit_state::judgable));
  BOOST_TEST((made.step == g.s.row.id));
  BOOST_TEST((made.parent == members[2].id));
  BOOST_TEST((made.root == members[2].root));
  BOOST_TEST(made.source_key == "batch:" + to_string(members[2].id));
  BOOST_TEST(made.input == R"({"data":[]})");
  BOOST_TEST(made.slots == 3U);
  BOOST_TEST(made.version == 2U);
  BOOST_TEST(made.ordinal == 4U);
  BOOST_TEST(!made.list.of); // the list ends here
  BOOST_TEST(!made.batch);

  const auto stored = writes_of<insert_unit>(d.changes);
  BOOST_REQUIRE(stored.size() == 1U);
  BOOST_TEST((stored[0].id == made.id));
  BOOST_TEST(!stored[0].gathered);
  BOOST_TEST(!stored[0].list.of);
  const auto joined = writes_of<gather_units>(d.changes);
  BOOST_REQUIRE(joined.size() == 1U);
  BOOST_TEST((joined[0].batch == made.id));
  BOOST_TEST((joined[0].members == std::vector<unit_id>{members[2].id, members[0].id}));
  const auto counted = writes_of<update_step>(d.changes);
  BOOST_REQUIRE(!counted.empty());
  BOOST_TEST(describe(counted.back().row) == describe(g.s.row));
  BOOST_REQUIRE(d.changes.events.size() == 1U);
  BOOST_TEST((d.changes.events[0].type == event_type::unit_ready_for_assignment));
  BOOST_TEST((d.changes.events[0].unit == made.id));
}

BOOST_AUTO_TEST_CASE(tasks_judge_a_batch_as_any_unit) {
  gathering_step g;
  g.s.executor = task_executor{"q", "judge", 1};
  const auto members = g.take_in({g.child()});
  const auto judges = task_judges(*g.s.executor);
  const auto d = gather(g.s, members, "{}", 3, g.ids, beginning, judges);
  BOOST_TEST(writes_of<stage_task>(d.changes).size() == 1U);
  BOOST_TEST(d.answer.leases.active.size() == 1U);
}

// I-6
BOOST_AUTO_TEST_CASE(a_step_completes_when_its_batches_are_done) {
  gathering_step g;
  const auto members = g.take_in({g.child(), g.child()});
  seal(g.s, beginning);
  BOOST_TEST(describe(g.s.row) == "Open, sealed, 0 of 2, revision 2");
  g.make({members[0]});
  BOOST_TEST(describe(g.s.row) == "Open, sealed, 1 of 3, revision 2");
  units_finished(g.s, 1, beginning); // the batch; one still waits
  BOOST_TEST(describe(g.s.row) == "Open, sealed, 2 of 3, revision 2");
  g.make({members[1]});
  BOOST_TEST(describe(g.s.row) == "Open, sealed, 3 of 4, revision 2");
  const auto last = units_finished(g.s, 1, beginning);
  BOOST_TEST(describe(g.s.row) == "Completed, sealed, 4 of 4, revision 3");
  BOOST_TEST(last.changes.events.size() == 1U);
  // What comes after all opens it again, and waits.
  const auto late = g.take_in({g.child()});
  BOOST_TEST(describe(g.s.row) == "Open, sealed, 4 of 5, revision 4");
  g.make(late);
  units_finished(g.s, 1, beginning);
  BOOST_TEST(describe(g.s.row) == "Completed, sealed, 6 of 6, revision 5");
}

BOOST_AUTO_TEST_CASE(contributor_kept_from_one_member_is_kept_from_the_batch) {
  gathering_step g;
  const auto members = g.take_in({g.child({"bob", "eve"}), g.child(), g.child({"ana", "bob"})});
  const auto d = g.make(members);
  const std::vector<contributor_id> all{"ana", "bob", "eve"};
  const auto stored = writes_of<insert_unit>(d.changes);
  BOOST_REQUIRE(stored.size() == 1U);
  BOOST_TEST(stored[0].excluded == all, boost::test_tools::per_element());
  for (const auto& contributor : all)
    BOOST_TEST((barred_until(d.answer, contributor, beginning) == instant::max()));
  BOOST_TEST((barred_until(d.answer, "mia", beginning) == beginning));
}

BOOST_AUTO_TEST_CASE(a_batch_was_sent_back_as_often_as_the_member_that_was_most) {
  gathering_step g;
  const auto members = g.take_in({g.child({}, 1), g.child({}, 3), g.child()});
  const auto d = g.make(members);
  BOOST_TEST(d.answer.loops == 3U);
  BOOST_TEST(writes_of<insert_unit>(d.changes).at(0).loops == 3U);
}

BOOST_AUTO_TEST_CASE(a_canceled_step_makes_no_batch) {
  gathering_step g;
  const auto members = g.take_in({g.child()});
  decide(g.s, unit_verb::cancel, beginning);
  const auto before = describe(g.s);
  const auto d = g.make(members);
  BOOST_TEST((d.refusal == errc::wrong_state));
  BOOST_TEST(d.detail == "the step is canceled");
  BOOST_TEST(d.changes.empty());
  BOOST_TEST(describe(g.s) == before);
}

BOOST_AUTO_TEST_CASE(a_batch_of_what_does_not_wait_is_a_bug_of_ours) {
  gathering_step g;
  auto members = g.take_in({g.child(), g.child()});
  auto in_another = members;
  in_another[1].batch = numbered(1);
  BOOST_CHECK_THROW(g.make(in_another), broken_invariant);
  auto worked_on = members;
  worked_on[1].state = unit_state::judgable;
  BOOST_CHECK_THROW(g.make(worked_on), broken_invariant);
  auto of_two_versions = members;
  of_two_versions[1].version = 1;
  BOOST_CHECK_THROW(g.make(of_two_versions), broken_invariant);
  BOOST_TEST((g.make(members).refusal == errc::none));
}

// Writes are applied kind by kind: a unit that came in with a commit is not gathered by the same.
BOOST_AUTO_TEST_CASE(a_member_is_committed_before_its_batch) {
  gathering_step g;
  const auto came = add_units(g.s, {g.child(), g.child()}, g.ids, beginning);
  const auto first = g.make({came.answer.units[0]});
  const auto again = gather_units{numbered(1), {came.answer.units[0].id}};
  batch_footprint footprint;
  BOOST_TEST(footprint.admit(came.changes));
  BOOST_TEST(!footprint.admit(first.changes));
  footprint.clear();
  BOOST_TEST(footprint.admit(first.changes));
  BOOST_TEST(!footprint.admit(change{{again}, {}}));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(batches_taken_apart)

// A27, I-5, I-6
BOOST_AUTO_TEST_CASE(withdrawn_member_leaves_the_batch_and_the_others_wait_again) {
  gathering_step g;
  const auto members = g.take_in({g.child(), g.child(), g.child()});
  const auto batch = g.make(members).answer.id;
  BOOST_TEST(describe(g.s.row) == "Open, 3 of 4, revision 1");
  const auto later = beginning + std::chrono::seconds{7};
  const auto d = ungather(g.s, {{batch, ids_of(members)}}, {members[1].id}, later);
  BOOST_TEST(d.answer);
  // The one that is canceled is counted when its event is.
  BOOST_TEST(describe(g.s.row) == "Open, 0 of 4, revision 1");
  const auto left = writes_of<ungather_units>(d.changes);
  BOOST_REQUIRE(left.size() == 1U);
  BOOST_TEST((left[0].batch == batch));
  BOOST_TEST((left[0].members == ids_of(members)));
  const auto canceled = writes_of<withdraw_unit>(d.changes);
  BOOST_REQUIRE(canceled.size() == 1U);
  BOOST_TEST((canceled[0].unit == members[1].id));
  BOOST_TEST((canceled[0].at == later));
  BOOST_TEST(writes_of<update_step>(d.changes).size() == 1U);
  BOOST_REQUIRE(d.changes.events.size() == 1U);
  const auto& told = d.changes.events[0];
  BOOST_TEST((told.type == event_type::unit_canceled));
  BOOST_TEST((told.unit == members[1].id));
  BOOST_TEST((told.step == g.s.row.id));
  BOOST_TEST((told.at == later));
  BOOST_TEST(told.details == R"({"because":"the result that it was made from was taken back"})");
}

// I-6
BOOST_AUTO_TEST_CASE(waiting_member_is_canceled_at_once) {
  gathering_step g;
  const auto members = g.take_in({g.child(), g.child()});
  const auto before = describe(g.s);
  const auto d = ungather(g.s, {{{}, ids_of(members)}}, {members[0].id}, beginning);
  BOOST_TEST(d.answer);
  BOOST_TEST(describe(g.s) == before);
  BOOST_REQUIRE(d.changes.writes.size() == 1U);
  BOOST_TEST((writes_of<withdraw_unit>(d.changes).at(0).unit == members[0].id));
  BOOST_TEST(d.changes.events.size() == 1U);
  BOOST_TEST(!ungather(g.s, {}, {}, beginning).answer);
  BOOST_TEST(ungather(g.s, {{{}, {members[1].id}}}, {members[0].id}, beginning).changes.empty());
}

// I-6: with the units that wait again, a step is not complete.
BOOST_AUTO_TEST_CASE(a_complete_step_whose_batch_is_taken_apart_is_open_again) {
  gathering_step g;
  const auto members = g.take_in({g.child(), g.child()});
  seal(g.s, beginning);
  const auto batch = g.make(members).answer.id;
  units_finished(g.s, 1, beginning);
  BOOST_TEST(describe(g.s.row) == "Completed, sealed, 3 of 3, revision 3");
  const auto d = ungather(g.s, {{batch, ids_of(members)}}, {members[0].id}, beginning);
  BOOST_TEST(describe(g.s.row) == "Open, sealed, 1 of 3, revision 4");
  BOOST_REQUIRE(d.changes.events.size() == 2U);
  BOOST_TEST((d.changes.events[1].type == event_type::job_step_updated));
  units_finished(g.s, 1, beginning); // the one that was withdrawn
  auto again = members;
  again[1].ungathered = 1;
  g.make({again[1]});
  units_finished(g.s, 1, beginning);
  BOOST_TEST(describe(g.s.row) == "Completed, sealed, 4 of 4, revision 5");
}

// I-5: no two batches have one name or one place behind their first unit.
BOOST_AUTO_TEST_CASE(the_next_batch_of_a_unit_has_a_name_and_a_place_of_its_own) {
  gathering_step g;
  auto members = g.take_in({g.child()});
  const auto name = "batch:" + to_string(members[0].id);
  for (std::uint32_t before = 0; before < 3; ++before) {
    members[0].ungathered = before;
    const auto d = g.make(members);
    const auto suffix = before == 0 ? "" : "/" + std::to_string(before + 1);
    BOOST_TEST(d.answer.source_key == name + suffix);
    BOOST_TEST(writes_of<insert_unit>(d.changes).at(0).parent_reopened == before);
  }
}

// Others may have heard of what was taken back, although it came back with the same count.
BOOST_AUTO_TEST_CASE(a_step_that_was_to_do_something_again_says_when_that_is_done) {
  gathering_step g;
  g.make(g.take_in({g.child()}));
  seal(g.s, beginning);
  units_finished(g.s, 1, beginning);
  BOOST_TEST(describe(g.s.row) == "Completed, sealed, 2 of 2, revision 3");
  const auto d = units_finished(g.s, 1, beginning, 1);
  BOOST_TEST(describe(g.s.row) == "Completed, sealed, 2 of 2, revision 4");
  BOOST_TEST(d.changes.events.size() == 1U);
}

// Writes are applied kind by kind: nothing is taken out of a batch by the commit that put it there.
BOOST_AUTO_TEST_CASE(a_batch_is_committed_before_it_is_taken_apart) {
  gathering_step g;
  const auto members = g.take_in({g.child(), g.child()});
  const auto made = g.make(members);
  const auto apart = ungather(g.s, {{made.answer.id, ids_of(members)}}, {members[0].id}, beginning);
  batch_footprint footprint;
  BOOST_TEST(footprint.admit(made.changes));
  BOOST_TEST(!footprint.admit(apart.changes));
  footprint.clear();
  BOOST_TEST(footprint.admit(apart.changes));
  BOOST_TEST(!footprint.admit(change{{gather_units{numbered(1), {members[1].id}}}, {}}));
}

BOOST_AUTO_TEST_SUITE_END()
