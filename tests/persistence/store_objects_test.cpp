// Which objects rows refer to, as whoever sweeps the object store asks (docs/adr/0011).

#include "tests/persistence/task_fixture.hpp"

namespace holdfast::test {

namespace {

/// The object of this number; nobody reads it.
core::digest object(std::uint8_t number) {
  core::digest content;
  content.bytes.fill(number);
  return content;
}

std::string ref_to(std::uint8_t number) { return core::to_json({object(number), 100'000}); }

} // namespace

BOOST_AUTO_TEST_SUITE(store_objects)

BOOST_FIXTURE_TEST_CASE_TEMPLATE(every_document_of_a_task_keeps_its_object, World, worlds,
                                 task_fixture<World>) {
  auto live = this->new_task();
  live.spec.body = ref_to(1);
  live.progress.data = ref_to(2);
  live.progress.execution_state = ref_to(3);
  BOOST_TEST(is(this->write({live}), committed));
  auto over = this->new_task();
  over.spec.body = ref_to(4);
  BOOST_TEST(is(this->write({over}), committed));
  const auto lease = this->given_task_lease(over.spec.id, "w1", 1);
  auto finishing = this->finishing(over.spec.id, lease.token, core::task_ending::completed);
  finishing.result = ref_to(5);
  finishing.progress.data = ref_to(6);
  finishing.progress.execution_state = ref_to(7);
  BOOST_TEST(is(this->write({finishing}), committed));
  BOOST_TEST(is(this->write({core::insert_late_result{over.spec.id, 1, "w1", "completed", ref_to(8),
                                                      at(40)}}),
                committed));

  std::vector<core::digest> asked;
  for (std::uint8_t number = 1; number <= 9; ++number)
    asked.push_back(object(number));
  std::set<core::digest> all{asked.begin(), std::prev(asked.end())};
  BOOST_TEST((value_of(this->db->find_object_refs(asked)) == all));
  BOOST_TEST((value_of(this->db->find_object_refs({object(9)})).empty()));
  BOOST_TEST((value_of(this->db->find_object_refs({})).empty()));
  const std::set<core::digest> one{object(4)};
  BOOST_TEST((value_of(this->db->find_object_refs({object(4), object(9)})) == one));
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(what_is_given_up_is_not_referred_to, World, worlds,
                                 task_fixture<World>) {
  auto task = this->new_task();
  task.progress.data = ref_to(1);
  BOOST_TEST(is(this->write({task}), committed));
  task.progress.data = ref_to(2);
  BOOST_TEST(is(this->write({core::update_task{task.spec.id, task.progress}}), committed));
  const std::set<core::digest> now{object(2)};
  BOOST_TEST((value_of(this->db->find_object_refs({object(1), object(2)})) == now));
}

// Only the document itself is a reference: not one that has it somewhere within.
BOOST_FIXTURE_TEST_CASE_TEMPLATE(a_reference_inside_a_document_is_none, World, worlds,
                                 task_fixture<World>) {
  auto task = this->new_task();
  task.spec.body = R"({"see":)" + ref_to(1) + "}";
  task.progress.data = R"({"text":")" + std::string(10'000, 'x') + "\"}";
  BOOST_TEST(is(this->write({task}), committed));
  BOOST_TEST(value_of(this->db->find_object_refs({object(1)})).empty());
}

// A82, I-12
BOOST_AUTO_TEST_CASE_TEMPLATE(units_and_judgments_keep_their_objects, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  auto unit = f.new_unit(step.id, 1);
  unit.input = ref_to(1);
  BOOST_TEST(is(f.write({unit}), committed));
  f.given_lease(unit.id, "ana", 1);
  auto counted = f.judgment(unit.id, "ana", 1);
  counted.payload = ref_to(2);
  BOOST_TEST(is(f.write({counted}), committed));
  f.given_lease(unit.id, "bob", 2);
  BOOST_TEST(is(f.write({core::end_lease_row{unit.id, "bob", 2, core::lease_end::expired, at(71)}}),
                committed));
  auto surplus = f.judgment(unit.id, "bob", 2);
  surplus.payload = ref_to(3);
  BOOST_TEST(is(f.write({core::insert_surplus_judgment{surplus}}), committed));
  auto apart = f.new_unit(step.id, 2);
  apart.input = R"({"see":)" + ref_to(4) + "}";
  BOOST_TEST(is(f.write({apart}), committed));

  const std::set<core::digest> all{object(1), object(2), object(3)};
  BOOST_TEST(
      (value_of(f.db->find_object_refs({object(1), object(2), object(3), object(4)})) == all));
  const std::set<core::digest> one{object(2)};
  BOOST_TEST((value_of(f.db->find_object_refs({object(2), object(9)})) == one));
}

// A82: what a batch brings into memory is bounded by the documents, not by their references
BOOST_AUTO_TEST_CASE_TEMPLATE(a_waiting_unit_has_the_bytes_of_its_object, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  auto large = f.new_unit(step.id, 1);
  large.gathered = true;
  large.input = ref_to(1);
  auto small = f.new_unit(step.id, 2);
  small.gathered = true;
  small.input = R"({"n":1})";
  BOOST_TEST(is(f.write({large, small}), committed));
  const auto waiting = f.load_step(step.id).waiting;
  BOOST_REQUIRE_EQUAL(waiting.size(), 2U);
  BOOST_TEST(waiting[0].bytes == 100'000U);
  BOOST_TEST(waiting[1].bytes == 7U);
  // Nor when it waits again, because its batch was taken apart.
  const auto gathered = value_of(f.db->gathered_with({large.id, small.id}));
  BOOST_REQUIRE_EQUAL(gathered.size(), 2U);
  BOOST_TEST(gathered[0].unit.bytes == 100'000U);
  BOOST_TEST(gathered[1].unit.bytes == 7U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
