// Queues that are deleted: their finished tasks stay, and the policy that says for how long.

#include "tests/persistence/task_fixture.hpp"

#include <string>
#include <vector>

namespace holdfast::test {

namespace {

template <class World>
struct removal_fixture : task_fixture<World> {
  commit_result remove(const std::string& queue = "mail", core::instant when = at(50)) {
    return this->write({core::delete_queue{queue, when}});
  }
  core::task_id given_finished() {
    const auto task = this->given_task();
    BOOST_TEST(is(this->write({this->finishing(task, 0, core::task_ending::canceled)}), committed));
    return task;
  }
  bool exists(const std::string& queue = "mail") {
    return static_cast<bool>(this->db->load_queue(queue));
  }
  std::vector<persistence::removed_queue> removed() {
    return value_of(this->db->list_removed_queues());
  }
  bool forget(core::instant removed_before) {
    return value_of(this->db->forget_removed(0, this->node, "mail", removed_before));
  }
};

BOOST_AUTO_TEST_SUITE(store_removed_queues)

BOOST_AUTO_TEST_CASE_TEMPLATE(deleted_queue_leaves_its_policy_and_its_finished_tasks, World,
                              worlds) {
  removal_fixture<World> f;
  const core::put_schedule_row daily{"mail", "daily", "{}", at(1), at(2), {}, 1, at(4)};
  auto of_other = daily;
  of_other.queue = "other";
  BOOST_TEST(is(f.write({f.queue_row("other"), daily, of_other}), committed));
  const auto finished = f.given_finished();
  BOOST_TEST(f.removed().empty());
  BOOST_TEST(is(f.remove(), committed));

  BOOST_TEST(fails_with(f.db->load_queue("mail"), core::errc::not_found));
  BOOST_TEST(fails_with(f.db->count_tasks("mail"), core::errc::not_found));
  BOOST_REQUIRE_EQUAL(value_of(f.db->list_queues()).size(), 1U);
  BOOST_TEST(value_of(f.db->load_queue("other")).schedules.size() == 1U);
  const auto removed = f.removed();
  BOOST_REQUIRE_EQUAL(removed.size(), 1U);
  BOOST_TEST(removed[0].name == "mail");
  BOOST_TEST(removed[0].definition == f.queue_row("mail").definition);
  BOOST_TEST((removed[0].removed_at == at(50)));
  BOOST_TEST(value_of(f.db->load_task(finished)).finished.has_value());
  BOOST_TEST(value_of(f.db->list_finished({"mail", {}, {}, {}, {}, 10})).size() == 1U);
  BOOST_TEST(is(f.write({f.new_task()}), refused)); // there is no queue for it

  // Made again, it is new, and the id of a finished task stays taken.
  BOOST_TEST(is(f.write({f.queue_row("mail")}), committed));
  BOOST_TEST(f.removed().empty());
  BOOST_TEST(value_of(f.db->load_queue("mail")).schedules.empty());
  auto again = f.new_task();
  again.spec.id = finished;
  BOOST_TEST(is(f.write({again}), refused));
  BOOST_TEST(is(f.write({f.new_task()}), committed));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(queue_with_live_tasks_or_of_no_name_is_not_deleted, World, worlds) {
  removal_fixture<World> f;
  BOOST_TEST(is(f.remove("none"), refused));
  const auto task = f.given_task();
  BOOST_TEST(is(f.remove(), refused));
  BOOST_TEST(f.exists());
  BOOST_TEST(f.removed().empty());
  // The task may end in the same batch, and none may come in it.
  BOOST_TEST(is(f.write({f.new_task(), f.finishing(task, 0, core::task_ending::canceled),
                         core::delete_queue{"mail", at(50)}}),
                refused));
  BOOST_TEST(is(f.write({core::delete_queue{"mail", at(50)},
                         f.finishing(task, 0, core::task_ending::canceled)}),
                committed));
  BOOST_TEST(!f.exists());
  BOOST_TEST(is(f.remove(), refused)); // it is gone
  BOOST_TEST((f.removed().at(0).removed_at == at(50)));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(queue_is_deleted_after_all_else_of_its_batch, World, worlds) {
  removal_fixture<World> f;
  auto changed = f.queue_row("mail");
  changed.definition = R"({"retention_seconds":7})";
  changed.revision = 2;
  const core::put_schedule_row daily{"mail", "daily", "{}", at(1), at(2), {}, 1, at(4)};
  BOOST_TEST(is(f.commit({{f.part(0, {{{changed, daily}, {}},
                                      {{core::delete_queue{"mail", at(50)}}, {}},
                                      {{core::delete_queue{"mail", at(51)}}, {}}})}}),
                committed));
  BOOST_TEST(!f.exists());
  const auto removed = f.removed();
  BOOST_REQUIRE_EQUAL(removed.size(), 1U);
  BOOST_TEST(removed[0].definition == changed.definition);
  BOOST_TEST((removed[0].removed_at == at(51)));
  BOOST_TEST(is(f.write({f.queue_row("mail")}), committed));
  BOOST_TEST(value_of(f.db->load_queue("mail")).schedules.empty());
  // A second removal replaces what is known of the first.
  BOOST_TEST(is(f.remove("mail", at(90)), committed));
  BOOST_TEST((f.removed().at(0).removed_at == at(90)));
  BOOST_TEST(f.removed().at(0).definition == f.queue_row("mail").definition);
}

// A170
BOOST_AUTO_TEST_CASE_TEMPLATE(removed_queue_is_forgotten_when_nothing_of_it_is_left, World,
                              worlds) {
  removal_fixture<World> f;
  f.given_finished();
  BOOST_TEST(is(f.remove(), committed));
  BOOST_TEST(!f.forget(at(90))); // a finished task is there
  BOOST_TEST(value_of(f.db->prune_tasks(0, f.node, "mail", at(100), 9)) == 1U);
  BOOST_TEST(!f.forget(at(50))); // not removed before
  BOOST_TEST(f.removed().size() == 1U);

  const core::incarnation_id stranger{f.ids.next(at(5))};
  BOOST_TEST(fails_with(f.db->forget_removed(0, stranger, "mail", at(90)), core::errc::fenced));
  BOOST_TEST(fails_with(f.db->forget_removed(77, f.node, "mail", at(90)), core::errc::fenced));
  BOOST_TEST(f.removed().size() == 1U);
  BOOST_TEST(f.forget(at(51)));
  BOOST_TEST(f.removed().empty());
  BOOST_TEST(!f.forget(at(90)));
}

// I-13: a producer's transaction may be open while the queue is removed
BOOST_AUTO_TEST_CASE_TEMPLATE(tasks_on_the_stage_of_a_removed_queue_are_told_and_keep_it, World,
                              worlds) {
  removal_fixture<World> f;
  core::new_task task;
  task.spec.id = {f.ids.next(at(1))};
  task.spec.type = "mail.send";
  task.spec.version = "1.0";
  task.spec.body = "{}";
  BOOST_REQUIRE(f.world.stage("mail", task));
  BOOST_TEST(is(f.remove(), committed));
  task.spec.id = {f.ids.next(at(1))};
  BOOST_TEST(fails_with(f.world.stage("mail", task), core::errc::not_found));
  BOOST_TEST(value_of(f.db->queues_with_staged()) == (std::vector<std::string>{"mail"}),
             boost::test_tools::per_element());
  BOOST_TEST(!f.forget(at(90)));
  const auto staged = value_of(f.db->load_staged("mail", 9, 1000)).tasks;
  BOOST_REQUIRE_EQUAL(staged.size(), 1U);
  BOOST_TEST(
      is(f.write({core::refuse_staged{staged[0].id, core::errc::not_found, "removed", at(60)}}),
         committed));
  BOOST_TEST(value_of(f.db->queues_with_staged()).empty());
  BOOST_TEST(!f.forget(at(90)));
  BOOST_TEST(value_of(f.db->prune_refused(0, f.node, "mail", at(90), 9)) == 1U);
  BOOST_TEST(f.forget(at(90)));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
