// The faults that the memory store injects.

#include "tests/persistence/conformance.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

namespace {

using persistence::commit_fault;

/// A memory store whose database the test can reach.
class faulty_world {
public:
  std::unique_ptr<persistence::store> open() {
    return std::make_unique<persistence::memory_store>(database);
  }

  std::shared_ptr<persistence::memory_database> database =
      std::make_shared<persistence::memory_database>([] { return at(0); });
};

struct fault_fixture : store_fixture<faulty_world> {
  core::step_row step = given_step();

  /// Lets the next commit end so, and all later ones succeed.
  void next_fault(commit_fault fault) {
    world.database->set_commit_faults([this, fault](const write_batch&) {
      world.database->tables(); // the plan may look at what is committed
      return std::exchange(pending_, commit_fault::none) == commit_fault::none ? commit_fault::none
                                                                               : fault;
    });
    pending_ = fault;
  }

  std::size_t units() const { return world.database->tables().units.size(); }

private:
  commit_fault pending_ = commit_fault::none;
};

BOOST_FIXTURE_TEST_SUITE(memory_store_faults, fault_fixture)

BOOST_AUTO_TEST_CASE(unavailable_commit_applies_nothing) {
  const write_batch batch{{part(0, {{{new_unit(step.id, 1)}, {}}})}};
  next_fault(commit_fault::unavailable);
  BOOST_TEST(is(db->commit(batch), commit_status::unavailable));
  BOOST_TEST(units() == 0U);
  BOOST_TEST(is(db->commit(batch), commit_status::committed));
  BOOST_TEST(units() == 1U);
}

BOOST_AUTO_TEST_CASE(lost_commit_in_doubt_is_applied_by_the_next_try) {
  const write_batch batch{{part(0, {{{new_unit(step.id, 1)}, {}}})}};
  next_fault(commit_fault::in_doubt_lost);
  BOOST_TEST(is(db->commit(batch), commit_status::in_doubt));
  BOOST_TEST(units() == 0U);
  BOOST_TEST(is(db->commit(batch), commit_status::committed));
  BOOST_TEST(units() == 1U);
}

BOOST_AUTO_TEST_CASE(applied_commit_in_doubt_is_applied_once) {
  const write_batch batch{{part(0, {{{new_unit(step.id, 1)}, {}}})}};
  next_fault(commit_fault::in_doubt_applied);
  BOOST_TEST(is(db->commit(batch), commit_status::in_doubt));
  BOOST_TEST(units() == 1U);
  BOOST_TEST(is(db->commit(batch), commit_status::committed));
  BOOST_TEST(units() == 1U);
}

BOOST_AUTO_TEST_CASE(refused_changes_cost_their_batch) {
  world.database->set_refusals([](const core::change& change) {
    const auto* unit = std::get_if<core::insert_unit>(&change.writes.at(0));
    return unit != nullptr && unit->ordinal == 2;
  });
  const core::change good{{new_unit(step.id, 1)}, {}};
  const core::change bad{{new_unit(step.id, 2)}, {}};
  BOOST_TEST(is(commit({{part(0, {good, bad})}}), commit_status::refused));
  BOOST_TEST(units() == 0U);
  BOOST_TEST(is(commit({{part(0, {good})}}), commit_status::committed));
  BOOST_TEST(units() == 1U);
}

BOOST_AUTO_TEST_CASE(unreachable_database_answers_nothing) {
  world.database->set_reachable(false);
  BOOST_TEST(is(db->commit({{part(0, {})}}), commit_status::unavailable));
  BOOST_TEST(fails_with(db->now(), core::errc::unavailable));
  BOOST_TEST(fails_with(db->load_units({}, policy), core::errc::unavailable));
  BOOST_TEST(fails_with(db->renew(node, 1h), core::errc::unavailable));
  BOOST_TEST(fails_with(db->load_queue("mail"), core::errc::unavailable));
  BOOST_TEST(fails_with(db->list_queues(), core::errc::unavailable));
  BOOST_TEST(fails_with(db->find_tasks({}), core::errc::unavailable));
  BOOST_TEST(fails_with(db->list_finished({}), core::errc::unavailable));
  BOOST_TEST(fails_with(db->load_task({}), core::errc::unavailable));
  BOOST_TEST(fails_with(db->list_attempts({}, 0, 1), core::errc::unavailable));
  BOOST_TEST(fails_with(db->count_tasks("mail"), core::errc::unavailable));
  world.database->set_reachable(true);
  BOOST_TEST((value_of(db->now()) == at(0)));
}

BOOST_AUTO_TEST_CASE(single_reads_fail_as_if_the_database_were_away) {
  std::vector<std::string> asked;
  world.database->set_read_faults([&](std::string_view read) {
    asked.emplace_back(read);
    return read == "load_units";
  });
  BOOST_TEST(fails_with(db->load_units({}, policy), core::errc::unavailable));
  BOOST_TEST(value_of(db->list_queues()).empty());
  BOOST_TEST(is(db->commit({{part(0, {{{new_unit(step.id, 1)}, {}}})}}), commit_status::committed));
  BOOST_TEST((asked == std::vector<std::string>{"load_units", "list_queues"}));
  world.database->set_read_faults(nullptr);
  BOOST_TEST(value_of(db->load_units({}, policy)).empty());
}

// It may look at the database, change how that fails, and end itself.
BOOST_AUTO_TEST_CASE(plan_of_read_faults_may_call_the_store) {
  std::size_t queues = 1;
  world.database->set_read_faults([&](std::string_view read) {
    if (read == "list_queues")
      return false;
    queues = value_of(db->list_queues()).size();
    world.database->set_reachable(false);
    world.database->set_read_faults(nullptr);
    return false;
  });
  BOOST_TEST(fails_with(db->load_units({}, policy), core::errc::unavailable));
  BOOST_TEST(queues == 0U);
  world.database->set_reachable(true);
  BOOST_TEST(value_of(db->load_units({}, policy)).empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
