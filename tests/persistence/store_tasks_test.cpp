// What the store keeps of queues and tasks, and which writes it refuses: B10, B11.

#include "tests/persistence/task_fixture.hpp"

namespace holdfast::test {

namespace {

const std::string not_text = "caf\xc3";

bool same(const core::task_spec& a, const core::task_spec& b) {
  const auto members = [](const core::task_spec& s) {
    return std::tie(s.id, s.type, s.version, s.body, s.trace_id, s.span_id, s.priority, s.key,
                    s.credential, s.unique_key, s.max_attempts, s.owner_id, s.run_as_id,
                    s.created_at);
  };
  return members(a) == members(b);
}

bool same(const core::task_progress& a, const core::task_progress& b) {
  const auto members = [](const core::task_progress& p) {
    return std::tie(p.state, p.data, p.execution_state, p.percent, p.attempts, p.crashes,
                    p.next_action, p.last_change, p.last_action, p.paused, p.failures, p.ejection,
                    p.saved_under, p.saved_number, p.pauses, p.idle_releases);
  };
  return members(a) == members(b);
}

bool same(const core::lease& a, const core::lease& b) {
  const auto members = [](const core::lease& l) {
    return std::tie(l.id, l.owner, l.token, l.granted_at, l.expires_at);
  };
  return members(a) == members(b);
}

/// A progress in which no member has its default.
core::task_progress far_along() {
  core::task_progress p;
  p.state = "AWAITING_DOCUMENT";
  p.data = R"({"document":"\u00e4"})";
  p.execution_state = R"({"row":17})";
  p.percent = 42;
  p.attempts = 3;
  p.crashes = 1;
  p.next_action = at(100, 1);
  p.last_change = at(90, 2);
  p.last_action = at(91, 3);
  p.paused = true;
  return p;
}

BOOST_AUTO_TEST_SUITE(store_tasks)

BOOST_AUTO_TEST_CASE_TEMPLATE(queue_is_read_as_written, World, worlds) {
  store_fixture<World> f;
  BOOST_TEST(value_of(f.db->list_queues()).empty());
  core::put_queue other{"a.b_c-9", "{}", false, {}, 1, at(1)};
  core::put_queue mail{"mail", R"({"n":1})", true, {"mail.send", "", "mail.\"{a},b\\"},
                       7,      at(2, 3)};
  BOOST_TEST(is(f.write({mail, other}), committed));

  const auto loaded = value_of(f.db->load_queue("mail"));
  BOOST_TEST(loaded.row.name == "mail");
  BOOST_TEST(loaded.row.definition == R"({"n":1})");
  BOOST_TEST(loaded.row.paused);
  BOOST_TEST(loaded.row.paused_types == mail.paused_types);
  BOOST_TEST(loaded.row.revision == 7U);
  BOOST_TEST((loaded.row.at == at(2, 3)));
  BOOST_TEST(loaded.tasks.empty());
  const auto queues = value_of(f.db->list_queues());
  BOOST_REQUIRE_EQUAL(queues.size(), 2U);
  BOOST_TEST(queues[0].name == "a.b_c-9");
  BOOST_TEST(queues[0].paused_types.empty());
  BOOST_TEST(queues[1].name == "mail");
  BOOST_TEST(queues[1].paused_types == mail.paused_types);
  for (const auto* unknown : {"mai", ""})
    BOOST_TEST(fails_with(f.db->load_queue(unknown), core::errc::not_found));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(of_several_writes_of_a_queue_the_last_counts, World, worlds) {
  task_fixture<World> f;
  auto row = f.queue_row("mail");
  row.paused_types = {"x"};
  row.revision = 2;
  const core::change first{{row}, {}};
  row.paused = true;
  row.paused_types = {"y", "z"};
  row.definition = "[]";
  row.revision = 3;
  row.at = at(5);
  BOOST_TEST(is(f.commit({{f.part(0, {first, {{row}, {}}})}}), committed));
  const auto loaded = value_of(f.db->load_queue("mail")).row;
  BOOST_TEST(loaded.paused);
  BOOST_TEST(loaded.paused_types == row.paused_types);
  BOOST_TEST(loaded.definition == "[]");
  BOOST_TEST(loaded.revision == 3U);
  BOOST_TEST((loaded.at == at(5)));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(impossible_queues_are_refused, World, worlds) {
  store_fixture<World> f;
  for (const auto& name : {std::string{}, std::string{"Mail"}, std::string{"a b"},
                           std::string{"a\n"}, std::string(65, 'a'), not_text})
    BOOST_TEST(is(f.write({core::put_queue{name, "{}", false, {}, 1, at(1)}}), refused));
  BOOST_TEST(is(f.write({core::put_queue{"q", "{}", false, {}, 0, at(1)}}), refused));
  BOOST_TEST(is(f.write({core::put_queue{"q", not_text, false, {}, 1, at(1)}}), refused));
  BOOST_TEST(is(f.write({core::put_queue{"q", "{}", false, {not_text}, 1, at(1)}}), refused));
  BOOST_TEST(
      is(f.write({core::put_queue{std::string(64, 'a'), "{}", false, {}, 1, at(1)}}), committed));
}

// B16, B22, D16-D22
BOOST_AUTO_TEST_CASE_TEMPLATE(task_is_read_as_written, World, worlds) {
  task_fixture<World> f;
  auto full = f.new_task();
  full.spec.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  full.spec.span_id = "00f067aa0ba902b7";
  full.spec.priority = -7;
  full.spec.key = "customer-1";
  full.spec.credential = "smtp";
  full.spec.unique_key = "welcome-ana";
  full.spec.max_attempts = 5;
  full.spec.owner_id = "näme";
  full.spec.run_as_id = "mailer";
  full.spec.created_at = at(1, 7);
  full.progress = far_along();
  const auto plain = f.new_task();
  BOOST_TEST(is(f.write({full}), committed));
  BOOST_TEST(is(f.write({plain}), committed));

  const auto check = [&](const core::task& task, const core::insert_task& made) {
    BOOST_TEST(same(task.spec, made.spec));
    BOOST_TEST(same(task.progress, made.progress));
    BOOST_TEST((task.held() == nullptr));
    BOOST_TEST(task.leases.last_token == 0U);
  };
  check(f.load_live(full.spec.id), full);
  const auto history = value_of(f.db->load_task(plain.spec.id));
  BOOST_TEST(history.queue == "mail");
  BOOST_TEST(history.attempts.empty());
  const auto tasks = value_of(f.db->load_queue("mail")).tasks;
  BOOST_REQUIRE_EQUAL(tasks.size(), 2U);
  check(tasks[0], full);
  check(tasks[1], plain);
  BOOST_TEST(fails_with(f.db->load_task({f.ids.next(at(0))}), core::errc::not_found));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(impossible_tasks_are_refused, World, worlds) {
  task_fixture<World> f;
  const auto refuses = [&](void (*change)(core::insert_task&)) {
    auto task = f.new_task();
    change(task);
    BOOST_TEST(is(f.write({task}), refused));
  };
  refuses([](auto& t) { t.queue = "no-such-queue"; });
  refuses([](auto& t) { t.spec.type.clear(); });
  refuses([](auto& t) { t.spec.body = not_text; });
  refuses([](auto& t) { t.spec.max_attempts = 1U << 31U; });
  refuses([](auto& t) { t.progress.state.clear(); });
  refuses([](auto& t) { t.progress.percent = 101; });
  refuses([](auto& t) { t.progress.attempts = 1U << 31U; });
  refuses([](auto& t) { t.progress.crashes = 1U << 31U; });
  refuses([](auto& t) { t.progress.data = not_text; });
  BOOST_TEST(value_of(f.db->load_queue("mail")).tasks.empty());
}

// B66, C33, D33: for as long as the task lives
BOOST_AUTO_TEST_CASE_TEMPLATE(what_a_task_keeps_from_state_to_state_is_read_as_written, World,
                              worlds) {
  task_fixture<World> f;
  auto task = f.new_task();
  const auto id = task.spec.id;
  task.progress.failures = 1; // nothing that is new has failed
  BOOST_TEST(is(f.write({task}), committed));
  BOOST_TEST(f.load_live(id).progress.failures == 0U);
  auto progress = far_along();
  progress.failures = 7;
  progress.saved_under = 5;
  progress.saved_number = 12;
  progress.pauses = 3;
  progress.idle_releases = 2;
  progress.ejection.value = *core::parse_uuid("018f2c5e-7c1a-7000-8000-00000000ab01");
  BOOST_TEST(is(f.write({core::update_task{id, progress}}), committed));
  BOOST_TEST(same(f.load_live(id).progress, progress));
  BOOST_TEST(same(value_of(f.db->load_queue("mail")).tasks.front().progress, progress));
  auto impossible = progress;
  impossible.failures = 1U << 31U;
  BOOST_TEST(is(f.write({core::update_task{id, impossible}}), refused));
  impossible = progress;
  impossible.saved_number = std::uint64_t{1} << 63U;
  BOOST_TEST(is(f.write({core::update_task{id, impossible}}), refused));

  core::finish_task over;
  over.task = id;
  over.ending = core::task_ending::canceled;
  over.progress = progress;
  over.at = at(200);
  BOOST_TEST(is(f.write({over}), committed));
  BOOST_TEST(same(value_of(f.db->load_task(id)).finished->progress, far_along()));
  BOOST_TEST(is(f.write({core::revive_task{id, progress, {}}}), committed));
  BOOST_TEST(same(f.load_live(id).progress, far_along()));
}

// I-13
BOOST_AUTO_TEST_CASE_TEMPLATE(task_of_a_known_id_is_refused_live_or_finished, World, worlds) {
  task_fixture<World> f;
  const auto task = f.new_task();
  BOOST_TEST(is(f.write({task}), committed));
  BOOST_TEST(is(f.write({task}), refused));
  BOOST_TEST(is(f.finish(task.spec.id, 0), committed));
  BOOST_TEST(is(f.write({task}), refused));
  // One refused task takes its whole batch with it.
  BOOST_TEST(is(f.write({f.new_task(), task, f.new_task()}), refused));
  BOOST_TEST(value_of(f.db->count_tasks("mail")).live == 0U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(unique_key_belongs_to_one_live_task_of_its_queue, World, worlds) {
  task_fixture<World> f;
  BOOST_TEST(is(f.write({f.queue_row("other")}), committed));
  const auto keyed = [&](const std::string& queue) {
    auto task = f.new_task(queue);
    task.spec.unique_key = "welcome-ana";
    return task;
  };
  const auto first = keyed("mail");
  BOOST_TEST(is(f.write({first}), committed));
  BOOST_TEST(is(f.write({keyed("mail")}), refused));
  BOOST_TEST(is(f.write({keyed("other")}), committed));
  // Any number may have none.
  BOOST_TEST(is(f.write({f.new_task(), f.new_task()}), committed));

  auto done = f.finishing(first.spec.id, 0, core::task_ending::failed);
  done.unique_key = first.spec.unique_key;
  BOOST_TEST(is(f.write({done}), committed));
  const auto second = keyed("mail");
  BOOST_TEST(is(f.write({second}), committed));
  // It comes back only when the key is free again.
  const core::revive_task back{first.spec.id, {}, first.spec.unique_key};
  BOOST_TEST(is(f.write({back}), refused));
  BOOST_TEST(f.load_finished(first.spec.id).spec.unique_key == "welcome-ana");
  BOOST_TEST(is(f.finish(second.spec.id, 0), committed));
  BOOST_TEST(is(f.write({back}), committed));
  BOOST_TEST(is(f.write({keyed("mail")}), refused));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(progress_of_a_live_task_is_updated, World, worlds) {
  task_fixture<World> f;
  const auto made = f.new_task();
  const auto id = made.spec.id;
  BOOST_TEST(is(f.write({made}), committed));
  BOOST_TEST(is(f.write({core::update_task{id, far_along()}}), committed));
  BOOST_TEST(same(f.load_live(id).progress, far_along()));
  BOOST_TEST(same(f.load_live(id).spec, made.spec));

  auto impossible = far_along();
  impossible.percent = 101;
  BOOST_TEST(is(f.write({core::update_task{id, impossible}}), refused));
  BOOST_TEST(is(f.write({core::update_task{{f.ids.next(at(0))}, {}}}), refused));
  BOOST_TEST(is(f.finish(id, 0), committed));
  BOOST_TEST(is(f.write({core::update_task{id, far_along()}}), refused));
}

// I-2, B46: it is locked in the transaction that says who has it
BOOST_AUTO_TEST_CASE_TEMPLATE(task_has_at_most_one_lease, World, worlds) {
  task_fixture<World> f;
  const auto task = f.given_task();
  const auto lease = f.given_task_lease(task, "worker-1", 1);
  const auto loaded = f.load_live(task);
  BOOST_REQUIRE(loaded.held() != nullptr);
  BOOST_TEST(same(*loaded.held(), lease));
  BOOST_TEST(loaded.leases.last_token == 1U);
  BOOST_TEST(same(*value_of(f.db->load_queue("mail")).tasks.at(0).held(), lease));

  const auto refuses = [&](core::task_id on, const core::lease& other) {
    BOOST_TEST(is(f.write({core::insert_task_lease{on, other}}), refused));
  };
  refuses(task, f.new_lease("worker-2", 2));
  refuses({f.ids.next(at(0))}, f.new_lease("worker-2", 1)); // no such task
  const auto free = f.given_task();
  refuses(free, f.new_lease("", 1));
  refuses(free, f.new_lease(std::string(129, 'a'), 1));
  refuses(free, f.new_lease("worker-2", 0));
  auto over_before_it_begins = f.new_lease("worker-2", 1);
  over_before_it_begins.expires_at = over_before_it_begins.granted_at;
  refuses(free, over_before_it_begins);
  BOOST_TEST(is(f.finish(free, 0), committed));
  refuses(free, f.new_lease("worker-2", 1)); // not live any more
}

BOOST_AUTO_TEST_CASE_TEMPLATE(tasks_of_one_claim_share_its_id, World, worlds) {
  task_fixture<World> f;
  const auto one = f.given_task();
  const auto two = f.given_task();
  auto lease = f.new_lease("worker-1", 1);
  BOOST_TEST(is(f.write({core::insert_task_lease{one, lease}, core::insert_task_lease{two, lease}}),
                committed));
  BOOST_TEST((f.load_live(two).held()->id == lease.id));
}

// I-2: with the lease behind its task, and in front of it; others of the batch are not confused.
BOOST_AUTO_TEST_CASE_TEMPLATE(task_is_enqueued_and_claimed_in_one_batch, World, worlds) {
  task_fixture<World> f;
  const auto made = [&] {
    core::insert_task task;
    task.queue = "mail";
    task.spec.id = {f.ids.next(at(1))};
    task.spec.type = "t";
    task.spec.body = "{}";
    return task;
  };
  const auto older = f.given_task();
  const auto first = made();
  const auto second = made();
  const auto unclaimed = made();
  const auto lease = f.new_lease("worker-1", 1);
  const auto of_second = f.new_lease("worker-2", 1);
  const auto of_older = f.new_lease("worker-3", 1);
  BOOST_TEST(is(f.write({core::insert_task_lease{second.spec.id, of_second}, first,
                         core::insert_task_lease{first.spec.id, lease}, second, unclaimed,
                         core::insert_task_lease{older, of_older}}),
                committed));
  BOOST_TEST(same(*f.load_live(first.spec.id).held(), lease));
  BOOST_TEST(same(*f.load_live(second.spec.id).held(), of_second));
  BOOST_TEST(same(*f.load_live(older).held(), of_older));
  BOOST_TEST(f.load_live(unclaimed.spec.id).held() == nullptr);

  const auto refused_one = made();
  for (const auto& wrong : {f.new_lease("", 1), f.new_lease("worker-1", 0)})
    BOOST_TEST(
        is(f.write({refused_one, core::insert_task_lease{refused_one.spec.id, wrong}}), refused));
  BOOST_TEST(is(f.write({refused_one, core::insert_task_lease{refused_one.spec.id, lease},
                         core::insert_task_lease{refused_one.spec.id, of_second}}),
                refused));
  BOOST_TEST(value_of(f.db->count_tasks("mail")).leased == 3U);
}

// I-3
BOOST_AUTO_TEST_CASE_TEMPLATE(task_lease_is_extended_under_its_token_only, World, worlds) {
  task_fixture<World> f;
  const auto task = f.given_task();
  f.given_task_lease(task, "worker-1", 5);
  for (const core::token stale : {0, 4, 6})
    BOOST_TEST(is(f.write({core::extend_task_lease{task, stale, at(99)}}), refused));
  BOOST_TEST((f.load_live(task).held()->expires_at == at(70)));
  BOOST_TEST(is(f.write({core::extend_task_lease{task, 5, at(99)}}), committed));
  BOOST_TEST((f.load_live(task).held()->expires_at == at(99)));
  // The clock was set back since it was granted: finding R4.
  BOOST_TEST(is(f.write({core::extend_task_lease{task, 5, at(5)}}), committed));
  BOOST_TEST((f.load_live(task).held()->expires_at == at(5)));
  BOOST_TEST((f.load_live(task).held()->granted_at == at(5) - 1us));
}

// I-3, B55: what somebody writes of an earlier lease changes nothing
BOOST_AUTO_TEST_CASE_TEMPLATE(task_lease_ends_under_its_token_only, World, worlds) {
  task_fixture<World> f;
  const auto task = f.given_task();
  const auto lease = f.given_task_lease(task, "worker-1", 5);
  for (const core::token stale : {0, 4, 6})
    BOOST_TEST(is(f.end(task, stale), refused));
  BOOST_TEST((f.load_live(task).held() != nullptr));
  BOOST_TEST(is(f.end(task, 5), committed));
  BOOST_TEST(is(f.end(task, 5), refused));

  const auto history = value_of(f.db->load_task(task));
  BOOST_TEST((history.live->held() == nullptr));
  // The counter lives on in the history: the next grant must not repeat a token.
  BOOST_TEST(history.live->leases.last_token == 5U);
  BOOST_TEST(value_of(f.db->load_queue("mail")).tasks.at(0).leases.last_token == 5U);
  BOOST_REQUIRE_EQUAL(history.attempts.size(), 1U);
  const auto& attempt = history.attempts[0];
  BOOST_TEST(same(attempt.lease, lease));
  BOOST_TEST(attempt.ending == "Failed");
  BOOST_TEST(attempt.error.code == "REMOTE_TIMEOUT");
  BOOST_TEST(attempt.error.detail == "after 3 s");
  BOOST_TEST((attempt.ended_at == at(20)));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(attempts_are_kept_in_order_of_their_tokens, World, worlds) {
  task_fixture<World> f;
  const auto task = f.given_task();
  using ending = core::attempt_ending;
  const std::vector<ending> endings{ending::released, ending::failed, ending::rate_limited,
                                    ending::expired,  ending::lost,   ending::ejected,
                                    ending::canceled};
  core::token token = 0;
  for (const auto how : endings) {
    f.given_task_lease(task, "worker-1", ++token);
    BOOST_TEST(is(f.end(task, token, how), committed));
  }
  f.given_task_lease(task, "worker-2", ++token);
  const auto history = value_of(f.db->load_task(task));
  BOOST_TEST(history.live->leases.last_token == token);
  BOOST_REQUIRE_EQUAL(history.attempts.size(), endings.size());
  for (std::size_t i = 0; i < endings.size(); ++i) {
    BOOST_TEST(history.attempts[i].lease.token == i + 1);
    BOOST_TEST(history.attempts[i].ending == to_string(endings[i]));
  }
}

// I-13
BOOST_AUTO_TEST_CASE_TEMPLATE(task_finishes_with_its_lease, World, worlds) {
  task_fixture<World> f;
  auto made = f.new_task();
  made.spec.priority = 3;
  made.spec.owner_id = "ana";
  const auto id = made.spec.id;
  BOOST_TEST(is(f.write({made}), committed));
  f.given_task_lease(id, "worker-1", 1);
  BOOST_TEST(is(f.end(id, 1), committed));
  const auto lease = f.given_task_lease(id, "worker-2", 2);
  for (const core::token stale : {0, 1, 3})
    BOOST_TEST(is(f.finish(id, stale), refused)); // I-3
  BOOST_TEST((f.load_live(id).held() != nullptr));

  auto done = f.finishing(id, 2, core::task_ending::completed);
  done.progress = far_along();
  BOOST_TEST(is(f.write({done}), committed));
  BOOST_TEST(is(f.write({done}), refused));
  const auto history = value_of(f.db->load_task(id));
  BOOST_TEST(history.queue == "mail");
  BOOST_TEST(!history.live);
  BOOST_REQUIRE(history.finished);
  const auto& finished = *history.finished;
  BOOST_TEST(finished.queue == "mail");
  BOOST_TEST(same(finished.spec, made.spec));
  BOOST_TEST(same(finished.progress, far_along()));
  BOOST_TEST((finished.ending == core::task_ending::completed));
  BOOST_TEST(finished.last_token == 2U);
  BOOST_TEST(finished.result == R"({"sent":true})");
  BOOST_TEST(finished.error.code.empty());
  BOOST_TEST((finished.finished_at == at(30)));
  BOOST_REQUIRE_EQUAL(history.attempts.size(), 2U);
  BOOST_TEST(history.attempts[0].ending == "Failed");
  BOOST_TEST(same(history.attempts[1].lease, lease));
  BOOST_TEST(history.attempts[1].ending == "Completed");
  BOOST_TEST((history.attempts[1].ended_at == at(30)));
  BOOST_TEST(value_of(f.db->load_queue("mail")).tasks.empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(task_finishes_without_a_lease_only_when_it_has_none, World, worlds) {
  task_fixture<World> f;
  const auto task = f.given_task();
  BOOST_TEST(is(f.finish(task, 1, core::task_ending::dead), refused));
  f.given_task_lease(task, "worker-1", 1);
  BOOST_TEST(is(f.finish(task, 0, core::task_ending::dead), refused));
  BOOST_TEST(is(f.end(task, 1, core::attempt_ending::lost), committed));
  BOOST_TEST(is(f.finish(task, 0, core::task_ending::dead), committed));
  const auto history = value_of(f.db->load_task(task));
  BOOST_TEST(history.finished->last_token == 1U);
  BOOST_TEST(history.finished->error.code == "GONE");
  BOOST_TEST(history.finished->error.detail == "no such mailbox");
  BOOST_TEST(history.finished->result.empty());
  BOOST_REQUIRE_EQUAL(history.attempts.size(), 1U);
  BOOST_TEST(history.attempts[0].ending == "Lost");
  BOOST_TEST(is(f.finish({f.ids.next(at(0))}, 0), refused));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(lease_ends_and_its_task_finishes_in_one_batch, World, worlds) {
  task_fixture<World> f;
  const auto task = f.given_task();
  f.given_task_lease(task, "worker-1", 1);
  BOOST_TEST(is(f.write({f.finishing(task, 0, core::task_ending::dead), core::update_task{task, {}},
                         core::end_task_lease{task, 1, core::attempt_ending::expired, {}, at(70)}}),
                committed));
  BOOST_TEST(f.load_finished(task).last_token == 1U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(refused_batch_leaves_tasks_as_they_were, World, worlds) {
  task_fixture<World> f;
  auto keyed = f.new_task();
  keyed.spec.unique_key = "welcome-ana";
  const auto id = keyed.spec.id;
  BOOST_TEST(is(f.write({keyed}), committed));
  const auto lease = f.given_task_lease(id, "worker-1", 1);
  const auto over = f.given_task();
  f.given_task_lease(over, "worker-1", 1);
  BOOST_TEST(is(f.finish(over, 1, core::task_ending::dead), committed));
  auto row = f.queue_row("mail");
  row.paused = true;

  // The last of them is refused, when all the others are done.
  BOOST_TEST(is(f.write({row, f.new_task(), core::revive_task{over, far_along(), {}},
                         core::update_task{id, far_along()}, core::extend_task_lease{id, 1, at(99)},
                         core::end_task_lease{id, 1, core::attempt_ending::released, {}, at(20)},
                         f.finishing(id, 0, core::task_ending::dead),
                         f.finishing({f.ids.next(at(0))}, 0, core::task_ending::dead)}),
                refused));
  const auto queue = value_of(f.db->load_queue("mail"));
  BOOST_TEST(!queue.row.paused);
  BOOST_REQUIRE_EQUAL(queue.tasks.size(), 1U);
  BOOST_TEST(same(queue.tasks[0].spec, keyed.spec));
  BOOST_TEST(same(queue.tasks[0].progress, keyed.progress));
  BOOST_TEST(same(*queue.tasks[0].held(), lease));
  BOOST_TEST(value_of(f.db->load_task(id)).attempts.empty());
  BOOST_TEST(f.load_finished(over).last_token == 1U);
  BOOST_TEST(value_of(f.db->load_task(over)).attempts.size() == 1U);
  auto twin = f.new_task();
  twin.spec.unique_key = "welcome-ana";
  BOOST_TEST(is(f.write({twin}), refused));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(impossible_endings_are_refused, World, worlds) {
  task_fixture<World> f;
  const auto task = f.given_task();
  const auto refuses = [&](core::task_ending ending, void (*change)(core::finish_task&)) {
    auto done = f.finishing(task, 0, ending);
    change(done);
    BOOST_TEST(is(f.write({done}), refused));
  };
  using ending = core::task_ending;
  // Only what is completed has a result, and nothing else than that has no error.
  refuses(ending::failed, [](auto& w) { w.result = "{}"; });
  refuses(ending::completed, [](auto& w) { w.error.code = "GONE"; });
  refuses(ending::completed, [](auto& w) { w.error.detail = "gone"; });
  refuses(ending::completed, [](auto& w) { w.result = not_text; });
  refuses(ending::failed, [](auto& w) { w.error.detail = not_text; });
  refuses(ending::failed, [](auto& w) { w.progress.state.clear(); });
  refuses(ending::failed, [](auto& w) { w.progress.percent = 101; });
  // A refused batch leaves everything as it was.
  BOOST_TEST(f.load_live(task).progress.state == "new");
  auto without_result = f.finishing(task, 0, ending::completed);
  without_result.result.clear();
  BOOST_TEST(is(f.write({without_result}), committed));
}

// I-13
BOOST_AUTO_TEST_CASE_TEMPLATE(finished_task_lives_again, World, worlds) {
  task_fixture<World> f;
  const auto made = f.new_task();
  const auto id = made.spec.id;
  BOOST_TEST(is(f.write({made}), committed));
  const core::revive_task back{id, far_along(), {}};
  BOOST_TEST(is(f.write({back}), refused)); // it is live
  f.given_task_lease(id, "worker-1", 1);
  BOOST_TEST(is(f.end(id, 1), committed));
  const auto last = f.given_task_lease(id, "worker-2", 2);
  BOOST_TEST(is(f.finish(id, 2, core::task_ending::failed), committed));
  BOOST_TEST(is(f.write({back}), committed));
  BOOST_TEST(is(f.write({back}), refused));

  const auto history = value_of(f.db->load_task(id));
  BOOST_REQUIRE(history.live);
  BOOST_TEST(!history.finished);
  BOOST_TEST(same(history.live->spec, made.spec));
  BOOST_TEST(same(history.live->progress, far_along()));
  BOOST_TEST((history.live->held() == nullptr));
  // I-3: what it was granted before still counts, and is told as it was.
  BOOST_TEST(history.live->leases.last_token == 2U);
  BOOST_REQUIRE_EQUAL(history.attempts.size(), 2U);
  BOOST_TEST(same(history.attempts[1].lease, last));
  BOOST_TEST(history.attempts[1].ending == "Failed");
  BOOST_TEST(history.attempts[1].error.code == "GONE");
  BOOST_TEST((history.attempts[1].ended_at == at(30)));
  BOOST_TEST(value_of(f.db->find_tasks({id})).front().live);
  BOOST_TEST(is(f.write({core::revive_task{{f.ids.next(at(0))}, {}, {}}}), refused));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(attempt_keeps_how_its_task_ended_when_that_lives_again, World,
                              worlds) {
  task_fixture<World> f;
  const auto task = f.given_task();
  using ending = core::task_ending;
  const std::vector<ending> endings{ending::completed, ending::failed, ending::canceled,
                                    ending::dead};
  core::token token = 0;
  for (const auto how : endings) {
    f.given_task_lease(task, "worker-1", ++token);
    BOOST_TEST(is(f.finish(task, token, how), committed));
    BOOST_TEST(is(f.write({core::revive_task{task, {}, {}}}), committed));
  }
  // Without a lease there is nothing to keep.
  BOOST_TEST(is(f.finish(task, 0, ending::canceled), committed));
  BOOST_TEST(is(f.write({core::revive_task{task, {}, {}}}), committed));
  const auto history = value_of(f.db->load_task(task));
  BOOST_REQUIRE_EQUAL(history.attempts.size(), endings.size());
  for (std::size_t i = 0; i < endings.size(); ++i)
    BOOST_TEST(history.attempts[i].ending == to_string(endings[i]));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(task_is_revived_and_claimed_in_one_batch, World, worlds) {
  task_fixture<World> f;
  const auto task = f.given_task();
  BOOST_TEST(is(f.finish(task, 0, core::task_ending::dead), committed));
  BOOST_TEST(is(f.write({core::insert_task_lease{task, f.new_lease("worker-1", 1)},
                         core::revive_task{task, {}, {}}}),
                committed));
  BOOST_TEST((f.load_live(task).held() != nullptr));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(late_results_are_recorded_and_change_nothing, World, worlds) {
  task_fixture<World> f;
  const auto task = f.given_task();
  f.given_task_lease(task, "worker-2", 2);
  const core::insert_late_result late{task, 1, "worker-1", "completed", "{}", at(99)};
  BOOST_TEST(is(f.write({late, late}), committed));
  BOOST_TEST((f.load_live(task).held()->token == 2U));
  BOOST_TEST(is(f.finish(task, 2), committed));
  BOOST_TEST(is(f.write({late}), committed));
  BOOST_TEST(f.load_finished(task).last_token == 2U);

  auto other = late;
  other.task = {f.ids.next(at(0))};
  BOOST_TEST(is(f.write({other}), refused));
  other = late;
  other.detail = not_text;
  BOOST_TEST(is(f.write({other}), refused));
  // With the task itself, in one batch.
  const auto fresh = f.new_task();
  other = late;
  other.task = fresh.spec.id;
  BOOST_TEST(is(f.write({other, fresh}), committed));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(tasks_are_found_by_id_wherever_they_are, World, worlds) {
  task_fixture<World> f;
  const auto live = f.given_task();
  const auto over = f.given_task();
  BOOST_TEST(is(f.finish(over, 0), committed));
  const auto found = value_of(f.db->find_tasks({live, over, {f.ids.next(at(0))}}));
  BOOST_REQUIRE_EQUAL(found.size(), 2U);
  for (const auto& known : found) {
    BOOST_TEST((known.task == live || known.task == over));
    BOOST_TEST(known.live == (known.task == live));
    BOOST_TEST(known.queue == value_of(f.db->load_task(live)).queue);
  }
  BOOST_TEST(value_of(f.db->find_tasks({})).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(finished_tasks_are_listed_by_filter_and_page, World, worlds) {
  task_fixture<World> f;
  BOOST_TEST(is(f.write({f.queue_row("other")}), committed));
  using ending = core::task_ending;
  std::vector<core::task_id> ids;
  for (const auto how : {ending::completed, ending::failed, ending::canceled, ending::dead,
                         ending::failed, ending::failed}) {
    auto task = f.new_task();
    if (ids.size() == 4)
      task.spec.type = "mail.delete";
    BOOST_TEST(is(f.write({task}), committed));
    auto done = f.finishing(task.spec.id, 0, how);
    if (ids.size() == 5)
      done.error.code = "QUOTA";
    BOOST_TEST(is(f.write({done}), committed));
    ids.push_back(task.spec.id);
  }
  BOOST_TEST(is(f.finish(f.given_task("other"), 0, ending::failed), committed));
  f.given_task();

  const auto listed = [&](persistence::finished_filter filter) {
    std::vector<std::size_t> places;
    for (const auto& task : value_of(f.db->list_finished(filter)))
      places.push_back(
          static_cast<std::size_t>(std::find(ids.begin(), ids.end(), task.spec.id) - ids.begin()));
    return places;
  };
  using places = std::vector<std::size_t>;
  persistence::finished_filter filter;
  filter.queue = "mail";
  BOOST_TEST(listed(filter) == (places{0, 1, 2, 3, 4, 5}));
  filter.endings = {ending::failed, ending::dead};
  BOOST_TEST(listed(filter) == (places{1, 3, 4, 5}));
  filter.limit = 2;
  BOOST_TEST(listed(filter) == (places{1, 3}));
  filter.after = ids[3];
  BOOST_TEST(listed(filter) == (places{4, 5}));
  filter.after = ids[5];
  BOOST_TEST(listed(filter).empty());
  filter.after = {};
  filter.type = "mail.delete";
  BOOST_TEST(listed(filter) == (places{4}));
  filter.type.clear();
  filter.error_code = "QUOTA";
  BOOST_TEST(listed(filter) == (places{5}));
  filter.endings = {ending::dead};
  BOOST_TEST(listed(filter).empty());
  filter = {};
  filter.queue = "no-such-queue";
  BOOST_TEST(listed(filter).empty());
}

/// Tasks of two queues, types and owners, of which some are over: what `list_tasks` is asked of.
template <class World>
class mixed_tasks : public task_fixture<World> {
public:
  mixed_tasks() {
    BOOST_TEST(is(this->write({this->queue_row("other")}), committed));
    using ending = core::task_ending;
    add("mail", "send", "ana", 10); // 0: waits
    add("mail", "send", "", 11);    // 1: is leased
    this->given_task_lease(ids_of[1], "w1", 1);
    add("other", "read", "ana", 12); // 2: waits
    add("mail", "read", "bob", 13, ending::completed);
    add("mail", "send", "ana", 14, ending::failed);
    add("other", "send", "ana", 15, ending::dead);
    add("mail", "send", "", 16, ending::canceled);
    add("mail", "read", "ana", 17, ending::dead);
  }

  /// By place in the order of their making; then `>` when there may be more.
  std::string listed(const persistence::task_filter& filter) {
    const auto page = value_of(this->db->list_tasks(filter));
    std::string text;
    for (const auto& task : page.tasks)
      text +=
          std::to_string(std::find(ids_of.begin(), ids_of.end(), task.spec.id) - ids_of.begin());
    last = page.last;
    return text + (page.more ? ">" : "");
  }

  std::vector<core::task_id> ids_of;
  core::task_id last; ///< Of the latest page.
  static inline const std::vector<core::task_ending> all_endings{
      core::task_ending::completed, core::task_ending::failed, core::task_ending::canceled,
      core::task_ending::dead};

private:
  void add(const std::string& queue, const std::string& type, const std::string& owner, int second,
           std::optional<core::task_ending> ending = {}) {
    auto task = this->new_task(queue);
    task.spec.type = type;
    task.spec.owner_id = owner;
    task.spec.created_at = at(second);
    BOOST_TEST(is(this->write({task}), committed));
    if (ending)
      BOOST_TEST(is(this->finish(task.spec.id, 0, *ending), committed));
    ids_of.push_back(task.spec.id);
  }
};

// B15, G-14
BOOST_AUTO_TEST_CASE_TEMPLATE(tasks_are_listed_by_what_is_asked_for, World, worlds) {
  mixed_tasks<World> f;
  persistence::task_filter all;
  all.endings = f.all_endings;
  BOOST_TEST(f.listed(all) == "01234567");
  BOOST_TEST((f.last == f.ids_of[7]));
  auto filter = all;
  filter.queue = "mail";
  BOOST_TEST(f.listed(filter) == "013467");
  filter.type = "read";
  BOOST_TEST(f.listed(filter) == "37");
  filter.owner_id = "bob";
  BOOST_TEST(f.listed(filter) == "3");
  filter = all;
  filter.owner_id = "ana";
  BOOST_TEST(f.listed(filter) == "02457");
  filter.endings = {core::task_ending::dead};
  BOOST_TEST(f.listed(filter) == "0257");
  filter.waiting = filter.leased = false;
  BOOST_TEST(f.listed(filter) == "57");
  filter.owner_id.clear();
  filter.queue = "mail";
  BOOST_TEST(f.listed(filter) == "7");
  filter.endings = {core::task_ending::failed, core::task_ending::dead};
  BOOST_TEST(f.listed(filter) == "47");
  filter = {};
  BOOST_TEST(f.listed(filter) == "012");
  filter.waiting = false;
  BOOST_TEST(f.listed(filter) == "1");
  filter = all;
  filter.leased = false;
  BOOST_TEST(f.listed(filter) == "0234567");
  // Both sides of both ends.
  filter = all;
  filter.created_from = at(12);
  filter.created_before = at(15);
  BOOST_TEST(f.listed(filter) == "234");
  filter.created_from = at(12, 1);
  filter.created_before = at(15, 1);
  BOOST_TEST(f.listed(filter) == "345");
  filter = all;
  filter.queue = "none";
  BOOST_TEST(f.listed(filter) == "");
  BOOST_TEST((f.last == f.ids_of[7]));
}

// B15
BOOST_AUTO_TEST_CASE_TEMPLATE(lists_of_tasks_come_page_by_page, World, worlds) {
  mixed_tasks<World> f;
  persistence::task_filter filter;
  filter.endings = f.all_endings;
  filter.limit = 3;
  BOOST_TEST(f.listed(filter) == "012>");
  filter.after = f.last;
  BOOST_TEST(f.listed(filter) == "345>");
  filter.after = f.last;
  BOOST_TEST(f.listed(filter) == "67");
  filter.after = f.last;
  BOOST_TEST(f.listed(filter) == "");
  BOOST_TEST((f.last == f.ids_of[7]));
  // However rare what is asked for is, a page looks at so many and no more.
  filter.after = {};
  filter.looks = 4;
  filter.type = "read";
  BOOST_TEST(f.listed(filter) == "23>");
  BOOST_TEST((f.last == f.ids_of[3]));
  filter.after = f.last;
  BOOST_TEST(f.listed(filter) == "7>");
  BOOST_TEST((f.last == f.ids_of[7]));
  filter.after = f.last;
  BOOST_TEST(f.listed(filter) == "");
  // Those of one owner, and failed ones of one queue, are all that is looked at.
  filter.after = {};
  filter.owner_id = "bob";
  BOOST_TEST(f.listed(filter) == "3");
  filter.owner_id.clear();
  filter.queue = "mail";
  filter.waiting = filter.leased = false;
  filter.endings = {core::task_ending::dead};
  BOOST_TEST(f.listed(filter) == "7");
}

// B15, B41
BOOST_AUTO_TEST_CASE_TEMPLATE(lists_of_tasks_begin_with_the_newest, World, worlds) {
  mixed_tasks<World> f;
  persistence::task_filter filter;
  filter.endings = f.all_endings;
  filter.newest_first = true;
  filter.limit = 3;
  BOOST_TEST(f.listed(filter) == "765>");
  BOOST_TEST((f.last == f.ids_of[5]));
  filter.after = f.last;
  BOOST_TEST(f.listed(filter) == "432>");
  // A task that is made meanwhile moves no other.
  f.given_task();
  filter.after = f.last;
  BOOST_TEST(f.listed(filter) == "10");
  filter.after = f.last;
  BOOST_TEST(f.listed(filter) == "");
  BOOST_TEST((f.last == f.ids_of[0]));
  filter.after = f.ids_of[7];
  filter.type = "read";
  filter.looks = 4;
  BOOST_TEST(f.listed(filter) == "3>");
  BOOST_TEST((f.last == f.ids_of[3]));
  filter = {};
  filter.newest_first = true;
  filter.queue = "mail";
  filter.waiting = filter.leased = false;
  filter.endings = {core::task_ending::failed, core::task_ending::dead};
  BOOST_TEST(f.listed(filter) == "74");
  filter.queue.clear();
  filter.owner_id = "ana";
  BOOST_TEST(f.listed(filter) == "754");
}

// B15
BOOST_AUTO_TEST_CASE_TEMPLATE(lists_of_tasks_are_filtered_by_key_and_error, World, worlds) {
  task_fixture<World> f;
  auto gold = f.new_task();
  gold.spec.key = "gold";
  auto silver = f.new_task();
  silver.spec.key = "silver";
  auto over = f.new_task();
  over.spec.key = "gold";
  BOOST_TEST(is(f.write({gold, silver, over}), committed));
  BOOST_TEST(is(f.finish(over.spec.id, 0, core::task_ending::dead), committed)); // GONE
  persistence::task_filter filter;
  filter.endings = {core::task_ending::dead};
  const auto listed = [&] {
    std::vector<core::task_id> ids;
    for (const auto& task : value_of(f.db->list_tasks(filter)).tasks)
      ids.push_back(task.spec.id);
    return ids;
  };
  using some = std::vector<core::task_id>;
  filter.key = "gold";
  BOOST_TEST((listed() == some{gold.spec.id, over.spec.id}));
  filter.key = "silver";
  BOOST_TEST((listed() == some{silver.spec.id}));
  filter.key.clear();
  filter.error_code = "GONE"; // live tasks have ended with none
  BOOST_TEST((listed() == some{over.spec.id}));
  filter.error_code = "BUSY";
  BOOST_TEST(listed().empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(finished_tasks_are_read_by_their_ids, World, worlds) {
  task_fixture<World> f;
  std::vector<core::task_id> over;
  for (int i = 0; i < 3; ++i) {
    over.push_back(f.given_task());
    BOOST_TEST(is(f.finish(over.back(), 0, core::task_ending::dead), committed));
  }
  persistence::finished_filter filter;
  filter.queue = "mail";
  BOOST_TEST(value_of(f.db->list_finished(filter)).size() == 3U);
  filter.only = {over[2], f.given_task(), over[0]};
  const auto found = value_of(f.db->list_finished(filter));
  BOOST_REQUIRE_EQUAL(found.size(), 2U);
  BOOST_TEST((found[0].spec.id == over[0]));
  BOOST_TEST((found[1].spec.id == over[2]));
}

// B15, B41, B42
BOOST_AUTO_TEST_CASE_TEMPLATE(a_listed_task_has_everything_but_its_documents, World, worlds) {
  task_fixture<World> f;
  auto task = f.new_task();
  task.spec.version = "2.1";
  task.spec.priority = -3;
  task.spec.key = "gold";
  task.spec.credential = "acme";
  task.spec.unique_key = "daily";
  task.spec.trace_id = "trace";
  task.spec.max_attempts = 7;
  task.spec.owner_id = "ana";
  task.spec.run_as_id = "root";
  task.progress = far_along();
  BOOST_TEST(is(f.write({task}), committed));
  f.given_task_lease(task.spec.id, "w1", 1);
  const auto shown = [&](core::task_spec spec, core::task_progress progress) {
    for (auto* text : {&spec.body, &spec.trace_id, &spec.span_id, &spec.unique_key})
      text->clear();
    progress.data.clear();
    progress.execution_state.clear();
    return std::pair{spec, progress};
  };
  persistence::task_filter filter;
  filter.endings = {core::task_ending::failed};
  auto found = value_of(f.db->list_tasks(filter)).tasks;
  BOOST_REQUIRE_EQUAL(found.size(), 1U);
  auto wanted = shown(task.spec, task.progress);
  BOOST_TEST(same(found[0].spec, wanted.first));
  BOOST_TEST(same(found[0].progress, wanted.second));
  BOOST_TEST(found[0].queue == "mail");
  BOOST_TEST(found[0].worker == "w1");
  BOOST_TEST(!found[0].ending);
  BOOST_TEST(found[0].error_code == "");

  auto over = f.finishing(task.spec.id, 1, core::task_ending::failed);
  over.progress = far_along();
  over.unique_key = "daily";
  BOOST_TEST(is(f.write({over}), committed));
  found = value_of(f.db->list_tasks(filter)).tasks;
  BOOST_REQUIRE_EQUAL(found.size(), 1U);
  wanted = shown(task.spec, over.progress);
  BOOST_TEST(same(found[0].spec, wanted.first));
  BOOST_TEST(same(found[0].progress, wanted.second));
  BOOST_TEST(found[0].worker == "");
  BOOST_TEST((found[0].ending == core::task_ending::failed));
  BOOST_TEST(found[0].error_code == "GONE");
  BOOST_TEST((found[0].finished_at == at(30)));
}

// C36: a node that starts must know what the world outside has asked for
BOOST_AUTO_TEST_CASE_TEMPLATE(a_queue_is_read_with_what_was_rate_limited_last, World, worlds) {
  task_fixture<World> f;
  const auto given = [&](core::attempt_ending how, core::instant last_action) {
    const auto task = f.new_task();
    BOOST_TEST(is(f.write({task}), committed));
    f.given_task_lease(task.spec.id, "w1", 1);
    BOOST_TEST(is(f.end(task.spec.id, 1, how), committed)); // at 20 s
    auto progress = task.progress;
    progress.last_action = last_action;
    progress.next_action = at(60);
    BOOST_TEST(is(f.write({core::update_task{task.spec.id, progress}}), committed));
    return task.spec.id;
  };
  using ending = core::attempt_ending;
  const auto limited = given(ending::rate_limited, at(20));
  given(ending::rate_limited, at(21)); // something has happened since
  given(ending::failed, at(20));
  const auto again = given(ending::rate_limited, at(20));
  f.given_task_lease(again, "w1", 2); // held by now
  const auto later = given(ending::rate_limited, at(20));
  f.given_task_lease(later, "w1", 2);
  BOOST_TEST(is(f.end(later, 2, ending::failed), committed));
  f.given_task();
  const auto loaded = value_of(f.db->load_queue("mail"));
  BOOST_TEST((loaded.rate_limited == std::vector{limited}));
  BOOST_TEST(loaded.tasks.size() == 6U);
}

// I-13
BOOST_AUTO_TEST_CASE_TEMPLATE(tasks_are_counted_by_what_became_of_them, World, worlds) {
  task_fixture<World> f;
  BOOST_TEST(is(f.write({f.queue_row("other")}), committed));
  f.given_task("other");
  f.given_task();
  f.given_task_lease(f.given_task(), "worker-1", 1);
  using ending = core::task_ending;
  for (const auto how : {ending::completed, ending::failed, ending::failed, ending::canceled,
                         ending::canceled, ending::canceled, ending::dead})
    BOOST_TEST(is(f.finish(f.given_task(), 0, how), committed));
  const auto counted = value_of(f.db->count_tasks("mail"));
  BOOST_TEST(counted.live == 2U);
  BOOST_TEST(counted.leased == 1U);
  BOOST_TEST(counted.completed == 1U);
  BOOST_TEST(counted.failed == 2U);
  BOOST_TEST(counted.canceled == 3U);
  BOOST_TEST(counted.dead == 1U);
  BOOST_TEST(value_of(f.db->count_tasks("other")).live == 1U);
  BOOST_TEST(fails_with(f.db->count_tasks("no-such-queue"), core::errc::not_found));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(many_tasks_go_through_their_life_in_large_batches, World, worlds) {
  task_fixture<World> f;
  std::vector<core::write_op> enqueued;
  std::vector<core::write_op> claimed;
  std::vector<core::write_op> finished;
  for (int i = 0; i < 1500; ++i) {
    auto task = f.new_task();
    if (i == 700)
      task.spec.body = '"' + std::string(3'000'000, 'x') + '"';
    enqueued.push_back(task);
    claimed.push_back(core::insert_task_lease{task.spec.id, f.new_lease("worker-1", 1)});
    finished.push_back(f.finishing(task.spec.id, 1, core::task_ending::completed));
  }
  BOOST_TEST(is(f.write(enqueued), committed));
  BOOST_TEST(is(f.write(claimed), committed));
  const auto tasks = value_of(f.db->load_queue("mail")).tasks;
  BOOST_REQUIRE_EQUAL(tasks.size(), 1500U);
  BOOST_TEST(tasks[700].spec.body.size() == 3'000'002U);
  BOOST_TEST((tasks[1499].held() != nullptr));
  BOOST_TEST(is(f.write(finished), committed));
  const auto counted = value_of(f.db->count_tasks("mail"));
  BOOST_TEST(counted.live == 0U);
  BOOST_TEST(counted.completed == 1500U);
}

// A170, B67, I-7
BOOST_AUTO_TEST_CASE_TEMPLATE(old_finished_tasks_are_pruned_and_no_others, World, worlds) {
  task_fixture<World> f;
  BOOST_TEST(is(f.write({f.queue_row("other")}), committed));
  const auto ended_at = [&](const core::insert_task& task, int second) {
    BOOST_TEST(is(f.write({task}), committed));
    const auto id = task.spec.id;
    f.given_task_lease(id, "worker-1", 1);
    BOOST_TEST(is(
        f.write({core::end_task_lease{id, 1, core::attempt_ending::failed, {"E", {}}, at(second)}}),
        committed));
    auto gone = f.finishing(id, 0, core::task_ending::failed);
    gone.at = at(second);
    BOOST_TEST(
        is(f.write({gone, core::insert_late_result{id, 1, "w", "completed", "", at(second)}}),
           committed));
    return id;
  };
  const auto first = ended_at(f.new_task(), 40);
  const auto second = ended_at(f.new_task(), 50);
  const auto third = ended_at(f.new_task(), 60);
  const auto elsewhere = ended_at(f.new_task("other"), 40);
  const auto live = f.given_task();
  const auto prune = [&](core::instant before, std::uint32_t rows) {
    return value_of(f.db->prune_tasks(0, f.node, "mail", before, rows));
  };
  const auto known = [&](const core::task_id& id) {
    return static_cast<bool>(f.db->load_task(id));
  };
  BOOST_TEST(prune(at(40), 100) == 0U);
  BOOST_TEST(prune(at(60), 1) == 1U);
  BOOST_TEST(known(first) != known(second));
  BOOST_TEST(prune(at(60), 100) == 1U);
  BOOST_TEST((!known(first) && !known(second) && known(third) && known(elsewhere) && known(live)));
  BOOST_TEST(value_of(f.db->load_task(third)).attempts.size() == 1U);

  const core::incarnation_id successor{f.ids.next(at(5))};
  value_of(f.db->register_node("b", successor, "127.0.0.1:2"));
  value_of(f.db->take_over("b", successor, {0}, 1h, {f.node}));
  BOOST_TEST(fails_with(f.db->prune_tasks(0, f.node, "mail", at(100), 9), core::errc::fenced));
  BOOST_TEST(fails_with(f.db->prune_tasks(77, f.node, "mail", at(100), 9), core::errc::fenced));
  BOOST_TEST(known(third));
  BOOST_TEST(value_of(f.db->prune_tasks(0, successor, "mail", at(100), 9)) == 1U);
}

core::put_schedule_row schedule_row(const std::string& name) {
  return {"mail", name, R"({"cron":"@daily"})", at(1), at(2, 3), {}, 1, at(4)};
}

bool same(const core::put_schedule_row& a, const core::put_schedule_row& b) {
  const auto members = [](const core::put_schedule_row& s) {
    return std::tie(s.queue, s.name, s.definition, s.created_at, s.handled_until, s.last_made,
                    s.revision, s.at);
  };
  return members(a) == members(b);
}

// D12
BOOST_AUTO_TEST_CASE_TEMPLATE(schedules_are_loaded_with_their_queue, World, worlds) {
  task_fixture<World> f;
  BOOST_TEST(is(f.write({f.queue_row("print")}), committed));
  const auto daily = schedule_row("daily");
  auto hourly = schedule_row("A hour");
  hourly.last_made = at(2);
  auto other = schedule_row("daily");
  other.queue = "print";
  BOOST_TEST(is(f.write({daily, hourly, other}), committed));
  const auto loaded = value_of(f.db->load_queue("mail")).schedules;
  BOOST_REQUIRE_EQUAL(loaded.size(), 2U);
  BOOST_TEST(same(loaded[0], hourly));
  BOOST_TEST(same(loaded[1], daily));
  BOOST_TEST(value_of(f.db->load_queue("print")).schedules.size() == 1U);
  BOOST_TEST(is(f.write({core::delete_schedule_row{"mail", "daily"}}), committed));
  BOOST_TEST(value_of(f.db->load_queue("mail")).schedules.size() == 1U);
  BOOST_TEST(value_of(f.db->load_queue("print")).schedules.size() == 1U);
  BOOST_TEST(is(f.write({core::delete_schedule_row{"mail", "daily"}}), committed));
}

// D12, I-13: a task is made and its occurrence dealt with in one change, or neither
BOOST_AUTO_TEST_CASE_TEMPLATE(a_schedule_moves_on_together_with_its_task, World, worlds) {
  task_fixture<World> f;
  auto row = schedule_row("daily");
  BOOST_TEST(is(f.write({row}), committed));
  const auto task = f.new_task();
  row.handled_until = row.last_made = at(86400);
  row.at = at(86401);
  BOOST_TEST(is(f.write({task, row}), committed));
  BOOST_TEST(same(value_of(f.db->load_queue("mail")).schedules.at(0), row));
  auto later = row;
  later.handled_until = at(2 * 86400);
  BOOST_TEST(is(f.write({task, later}), refused)); // such a task exists
  BOOST_TEST(same(value_of(f.db->load_queue("mail")).schedules.at(0), row));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(of_several_writes_of_a_schedule_the_last_counts, World, worlds) {
  task_fixture<World> f;
  const core::delete_schedule_row gone{"mail", "s"};
  auto first = schedule_row("s");
  auto last = first;
  last.created_at = at(50);
  last.revision = 2;
  last.definition = "[]";
  const auto left_by = [&](std::vector<core::change> changes) {
    const auto outcome = f.commit({{f.part(0, std::move(changes))}});
    BOOST_TEST(is(outcome, committed));
    return value_of(f.db->load_queue("mail")).schedules;
  };
  BOOST_TEST(left_by({{{first}, {}}, {{gone}, {}}}).empty());
  const auto remade = left_by({{{first}, {}}, {{gone}, {}}, {{last}, {}}});
  BOOST_REQUIRE_EQUAL(remade.size(), 1U);
  BOOST_TEST(same(remade[0], last));
  BOOST_TEST(left_by({{{last, gone}, {}}}).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(impossible_schedules_are_refused, World, worlds) {
  task_fixture<World> f;
  auto of_no_queue = schedule_row("s");
  of_no_queue.queue = "none";
  auto of_no_text = schedule_row("s");
  of_no_text.definition = not_text;
  auto of_no_revision = schedule_row("s");
  of_no_revision.revision = 0;
  for (const auto& row : {of_no_queue, of_no_text, of_no_revision, schedule_row(""),
                          schedule_row(std::string(129, 'x')), schedule_row(not_text)})
    BOOST_TEST(is(f.write({row}), refused));
  BOOST_TEST(is(f.write({schedule_row(std::string(128, 'x'))}), committed));
  // A queue may be made together with its schedules.
  auto of_new_queue = schedule_row("s");
  of_new_queue.queue = "new";
  BOOST_TEST(is(f.write({of_new_queue, f.queue_row("new")}), committed));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
