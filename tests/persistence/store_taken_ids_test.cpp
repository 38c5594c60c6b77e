// Ids that callers choose: which changes of a batch ask for one that is in use.

#include "core/unit.hpp"
#include "tests/persistence/conformance.hpp"
#include "tests/persistence/task_fixture.hpp"
#include "tests/support/text.hpp"

#include <string>
#include <vector>

namespace holdfast::test {

namespace {

/// Shard and place of each change whose id is taken.
std::string places(const commit_result& result) {
  std::string text;
  for (const auto& one : result.taken)
    text += std::to_string(one.shard) + ':' + std::to_string(one.change) + ' ';
  return text;
}

BOOST_AUTO_TEST_SUITE(store_taken_ids)

// finding B1: in another unit, of another shard
BOOST_AUTO_TEST_CASE_TEMPLATE(a_judgment_id_that_is_in_use_is_named_with_its_change, World,
                              worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto first = f.given_unit(step.id, 1);
  const auto second = f.given_unit(step.id, 2);
  f.given_lease(first, "ana", 1);
  f.given_lease(second, "bob", 1);
  f.given_lease(second, "cat", 2);
  const auto known = f.judgment(first, "ana", 1);
  BOOST_TEST(is(f.write({known}), committed));
  auto twin = f.judgment(second, "bob", 1);
  twin.id = known.id;
  const auto other = f.judgment(second, "cat", 2);
  const auto result = f.commit({{f.part(1, {{{other}, {}}, {{twin}, {}}})}});
  BOOST_TEST(is(result, refused));
  BOOST_TEST(places(result) == "1:1 ");
  BOOST_TEST(result.taken.front().detail == core::judgment_id_taken);
  BOOST_TEST(is(f.commit({{f.part(1, {{{other}, {}}, {}})}}), committed));
}

// finding B1: nobody has it yet, and two want it
BOOST_AUTO_TEST_CASE_TEMPLATE(of_two_changes_with_one_id_the_second_is_named, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.given_unit(step.id, 1);
  const auto other = f.given_unit(step.id, 2);
  f.given_lease(unit, "ana", 1);
  f.given_lease(other, "ana", 1);
  auto first = f.judgment(unit, "ana", 1);
  auto second = f.judgment(other, "ana", 1);
  second.id = first.id;
  const auto result = f.commit({{f.part(0, {{{first}, {}}}), f.part(2, {{{second}, {}}})}});
  BOOST_TEST(is(result, refused));
  BOOST_TEST(places(result) == "2:0 ");
}

// finding B1: late and surplus judgments are kept apart, and each has its own ids
BOOST_AUTO_TEST_CASE_TEMPLATE(late_judgments_are_named_as_well, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  std::vector<core::unit_id> units;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    units.push_back(f.given_unit(step.id, i));
    f.given_lease(units.back(), "ana", 1);
    BOOST_TEST(
        is(f.write({core::end_lease_row{units.back(), "ana", 1, core::lease_end::expired, at(70)}}),
           committed));
  }
  const auto late = f.judgment(units[0], "ana", 1);
  const auto surplus = f.judgment(units[1], "ana", 1);
  BOOST_TEST(is(f.write({core::insert_late_judgment{late}}), committed));
  BOOST_TEST(is(f.write({core::insert_surplus_judgment{surplus}}), committed));
  auto late_twin = f.judgment(units[2], "ana", 1);
  late_twin.id = late.id;
  auto surplus_twin = f.judgment(units[3], "ana", 1);
  surplus_twin.id = surplus.id;
  const auto result =
      f.commit({{f.part(0, {{{core::insert_late_judgment{late_twin}}, {}},
                            {{core::insert_surplus_judgment{surplus_twin}}, {}}})}});
  BOOST_TEST(is(result, refused));
  BOOST_TEST(places(result) == "0:0 0:1 ");
}

// finding B2: a live lease, one that was handed in under, and one that ended otherwise
BOOST_AUTO_TEST_CASE_TEMPLATE(an_assignment_id_names_one_lease_for_ever, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.given_unit(step.id, 1, 10);
  const auto live = f.given_lease(unit, "live", 1);
  const auto judged = f.given_lease(unit, "judged", 2);
  BOOST_TEST(is(f.write({f.judgment(unit, "judged", 2)}), committed));
  const auto ended = f.given_lease(unit, "ended", 3);
  BOOST_TEST(is(f.write({core::end_lease_row{unit, "ended", 3, core::lease_end::released, at(20)}}),
                committed));
  const auto other = f.given_unit(step.id, 2, 10);
  core::token token = 0;
  for (const auto& used : {live, judged, ended}) {
    auto twin = f.new_lease("twin", ++token);
    twin.id = used.id;
    const auto result = f.write({core::insert_lease{other, twin}});
    BOOST_TEST(is(result, refused), used.owner);
    BOOST_TEST(places(result) == "0:0 ");
  }
  f.given_lease(other, "twin", ++token);
}

// A brother of finding B1: tasks of another queue, live or finished
BOOST_AUTO_TEST_CASE_TEMPLATE(a_task_id_that_is_in_use_is_named_with_its_change, World, worlds) {
  task_fixture<World> f;
  BOOST_TEST(is(f.write({f.queue_row("a"), f.queue_row("b")}), committed));
  const auto live = f.given_task("a");
  const auto done = f.given_task("a");
  BOOST_TEST(is(f.finish(done, 0), committed));
  for (const auto& used : {live, done}) {
    auto twin = f.new_task("b");
    twin.spec.id = used;
    const auto fine = f.new_task("b");
    const auto result = f.commit({{f.part(0, {{{fine}, {}}, {{twin}, {}}})}});
    BOOST_TEST(is(result, refused));
    BOOST_TEST(places(result) == "0:1 ");
  }
}

// A brother of finding B1: repairs of another step
BOOST_AUTO_TEST_CASE_TEMPLATE(a_repair_id_of_another_step_is_named_with_its_change, World, worlds) {
  store_fixture<World> f;
  const auto one = f.given_step();
  const auto two = f.given_step();
  core::repair_row row;
  row.id = {f.ids.next(at(0))};
  row.step = one.id;
  row.contributor = "eve";
  row.through = 3;
  row.asked_at = row.changed_at = at(1);
  BOOST_TEST(is(f.write({core::put_repair{row}}), committed));
  row.bookmark = 1;
  BOOST_TEST(is(f.write({core::put_repair{row}}), committed)); // its own step goes on with it
  row.step = two.id;
  const auto result = f.write({core::put_repair{row}});
  BOOST_TEST(is(result, refused));
  BOOST_TEST(places(result) == "0:0 ");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_refusal_for_another_reason_names_nothing, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.given_unit(step.id);
  f.given_lease(unit, "ana", 1);
  const auto result = f.write({f.judgment(unit, "ana", 7)}); // no lease under this token
  BOOST_TEST(is(result, refused));
  BOOST_TEST(places(result).empty());
}

// finding B4: nothing of a row, and no key, is said outside
BOOST_AUTO_TEST_CASE_TEMPLATE(a_refusal_says_nothing_of_what_is_stored, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.given_unit(step.id);
  f.given_lease(unit, "ana", 1);
  auto judged = f.judgment(unit, "ana", 1);
  judged.payload = R"({"secret":"4711"})";
  judged.trust_snapshot = 7; // the check constraint's server message quotes the whole row
  const auto result = f.write({judged});
  BOOST_TEST(is(result, refused));
  BOOST_TEST(!contains(result.reason, "4711"), result.reason);
  BOOST_TEST(!contains(result.reason, "Failing row"), result.reason);
  const auto twin = f.write({core::insert_workflow{step.workflow, "w", "{}", at(0)}});
  BOOST_TEST(is(twin, refused));
  BOOST_TEST(!contains(twin.reason, to_string(step.workflow)), twin.reason);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
