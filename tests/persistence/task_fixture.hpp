#pragma once

#include "tests/persistence/conformance.hpp"

namespace holdfast::test {

/// A store with one queue, `mail`.
template <class World>
class task_fixture : public store_fixture<World> {
public:
  task_fixture() { BOOST_TEST(is(this->write({queue_row("mail")}), committed)); }

  static core::put_queue queue_row(const std::string& name) {
    return {name, R"({"max_attempts":3})", false, {}, 1, at(0)};
  }

  core::insert_task new_task(const std::string& queue = "mail") {
    core::insert_task made;
    made.queue = queue;
    made.spec.id = {this->ids.next(at(1))};
    made.spec.type = "mail.send";
    made.spec.version = "1.0";
    made.spec.body = R"({"to":"ana"})";
    made.spec.created_at = at(1);
    made.progress.next_action = at(1);
    made.progress.last_change = at(1);
    made.progress.last_action = at(1);
    return made;
  }

  /// Writes a task and returns its id.
  core::task_id given_task(const std::string& queue = "mail") {
    const auto task = new_task(queue);
    BOOST_TEST(is(this->write({task}), committed));
    return task.spec.id;
  }

  core::lease given_task_lease(core::task_id task, const std::string& worker, core::token token) {
    auto lease = this->new_lease(worker, token);
    BOOST_TEST(is(this->write({core::insert_task_lease{task, lease}}), committed));
    return lease;
  }

  commit_result end(core::task_id task, core::token token,
                    core::attempt_ending how = core::attempt_ending::failed) {
    return this->write(
        {core::end_task_lease{task, token, how, {"REMOTE_TIMEOUT", "after 3 s"}, at(20)}});
  }

  static core::finish_task finishing(core::task_id task, core::token token,
                                     core::task_ending ending) {
    core::finish_task w;
    w.task = task;
    w.token = token;
    w.ending = ending;
    if (ending == core::task_ending::completed)
      w.result = R"({"sent":true})";
    else
      w.error = {"GONE", "no such mailbox"};
    w.progress.state = "over";
    w.at = at(30);
    return w;
  }

  commit_result finish(core::task_id task, core::token token,
                       core::task_ending ending = core::task_ending::completed) {
    return this->write({finishing(task, token, ending)});
  }

  core::task load_live(core::task_id task) {
    const auto history = value_of(this->db->load_task(task));
    BOOST_REQUIRE(history.live);
    BOOST_TEST(!history.finished);
    return *history.live;
  }

  persistence::finished_task load_finished(core::task_id task) {
    const auto history = value_of(this->db->load_task(task));
    BOOST_REQUIRE(history.finished);
    BOOST_TEST(!history.live);
    return *history.finished;
  }
};

} // namespace holdfast::test
