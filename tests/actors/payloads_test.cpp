// Payloads that are too large for a row, through a whole node in virtual time (docs/adr/0011).

#include "core/object_ref.hpp"
#include "objects/sha256.hpp"
#include "tests/support/large_documents.hpp"
#include "tests/support/queue_fixture.hpp"

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

core::digest digest_of(const std::string& text) { return objects::sha256(text); }

/// A disk with one file that stays.
class stubborn_store : public holdfast::objects::memory_object_store {
public:
  using memory_object_store::memory_object_store;

  core::outcome<bool> remove_if_older(const core::digest& content, core::instant before) override {
    if (content == stubborn)
      return core::failure{core::errc::unavailable, "the file cannot be removed"};
    return memory_object_store::remove_if_older(content, before);
  }

  core::digest stubborn;
};

struct node_with_payloads : node_with_queue {
  const persistence::memory::live_task_row& row(const core::task_id& task) const {
    return database->tables().tasks.at(task);
  }
  const persistence::memory::finished_task_row& ended(const core::task_id& task) const {
    const auto found = database->tables().finished_tasks.find(task);
    BOOST_REQUIRE((found != database->tables().finished_tasks.end()));
    return found->second;
  }
  bool has_object(const std::string& text) {
    return bool{objects->get({digest_of(text), text.size()})};
  }
  /// What a disk that has lost the file does.
  void lose_object(const std::string& text) {
    const auto gone = objects->remove_if_older(digest_of(text), core::instant::max());
    BOOST_REQUIRE(gone);
    BOOST_REQUIRE(*gone);
  }
  msg::save_task save(const std::string& worker, const msg::leased_task& t, const std::string& data,
                      const std::string& bookmark = "") {
    msg::save_task s{"mail", worker, {t.task, t.token}, {}};
    s.update.data = data;
    s.update.execution_state = bookmark;
    return s;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(payloads, node_with_payloads)

// I-12, I-13
BOOST_AUTO_TEST_CASE(large_payloads_go_to_the_store_and_come_back_whole) {
  auto r = request(large('b'));
  r.data = large('d');
  const auto task = enqueued(r);
  BOOST_TEST(is_ref(row(task).spec.body));
  BOOST_TEST(is_ref(row(task).progress.data));
  const auto leased = one("w1");
  BOOST_TEST((leased.body == r.body));
  BOOST_TEST((leased.data == r.data));
  const auto saved = call(save("w1", leased, large('e'), large('x')));
  BOOST_REQUIRE(saved.value);
  BOOST_TEST((saved.value->refusal == core::errc::none));
  BOOST_TEST(is_ref(row(task).progress.execution_state));
  BOOST_TEST((view(task).data == large('e')));
  BOOST_TEST((complete("w1", leased, large('r')) == core::errc::none));
  BOOST_TEST(is_ref(ended(task).result));
  const auto shown = view(task);
  BOOST_TEST(shown.status == "COMPLETED");
  BOOST_TEST((shown.result == large('r')));
  BOOST_TEST((shown.body == r.body));
}

BOOST_AUTO_TEST_CASE(small_payloads_stay_in_their_rows) {
  const auto body = R"({"text":")" + std::string(65'536 - 11, 'x') + "\"}";
  BOOST_TEST(body.size() == 65'536U); // as large as may be
  const auto task = enqueued(request(body));
  BOOST_TEST((row(task).spec.body == body));
  BOOST_TEST(objects->list({}, 10)->empty());
}

BOOST_AUTO_TEST_CASE(a_restart_loads_references_only) {
  const auto task = enqueued(request(large('b')));
  restart();
  BOOST_TEST(is_ref(row(task).spec.body));
  BOOST_TEST((one("w1").body == large('b')));
}

BOOST_AUTO_TEST_CASE(schemas_see_the_whole_payload) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"types":{"send":{"versions":{"1":{"body":
      {"type":"object","required":["text"]}}}}}})"})
                    .value);
  BOOST_TEST((enqueue(request(large('b'))).refusal == core::errc::none));
  const auto wrong = enqueue(request(R"({"word":")" + std::string(large_bytes, 'x') + "\"}"));
  BOOST_TEST((wrong.refusal == core::errc::payload_invalid));
}

BOOST_AUTO_TEST_CASE(a_payload_that_looks_like_a_reference_is_refused_alone) {
  const auto stolen = core::to_json({digest_of(large('s')), large('s').size()});
  auto in_data = request();
  in_data.data = R"({"$holdfast.object":7})";
  const auto answered =
      call(msg::enqueue_tasks{"mail", {request(stolen), request(), in_data, request(large('b'))}});
  BOOST_REQUIRE(answered.value);
  const auto& outcomes = answered.value->outcomes;
  BOOST_TEST((outcomes[0].refusal == core::errc::payload_invalid));
  BOOST_TEST(outcomes[0].detail.find("body: ") == 0U);
  BOOST_TEST((outcomes[1].refusal == core::errc::none));
  BOOST_TEST((outcomes[2].refusal == core::errc::payload_invalid));
  BOOST_TEST((outcomes[3].refusal == core::errc::none));
  const auto leased = claimed(claim("w1", 10));
  BOOST_REQUIRE_EQUAL(leased.size(), 2U);
  BOOST_TEST((complete("w1", leased[0], stolen) == core::errc::payload_invalid));
  BOOST_TEST((call(save("w1", leased[0], stolen)).code() == core::errc::payload_invalid));
  const auto scheduled = call(msg::put_schedule{
      "mail", "s", R"({"cron":"@daily","task":{"type":"send","body":)" + stolen + "}}"});
  BOOST_TEST((scheduled.code() == core::errc::payload_invalid));
}

BOOST_AUTO_TEST_CASE(a_store_that_fails_refuses_large_tasks_and_no_others) {
  objects->reachable(false);
  const auto answered =
      call(msg::enqueue_tasks{"mail", {request(), request(large('b')), request()}});
  BOOST_REQUIRE(answered.value);
  const auto& outcomes = answered.value->outcomes;
  BOOST_TEST((outcomes[0].refusal == core::errc::none));
  BOOST_TEST((outcomes[1].refusal == core::errc::unavailable));
  BOOST_TEST((outcomes[2].refusal == core::errc::none));
  BOOST_TEST(counts().live == 2U);
  const auto leased = one("w1");
  BOOST_TEST((call(save("w1", leased, large('d'))).code() == core::errc::unavailable));
  BOOST_TEST((complete("w1", leased, large('r')) == core::errc::unavailable));
  BOOST_TEST((complete("w1", leased) == core::errc::none));
}

// C22: order of one caller
BOOST_AUTO_TEST_CASE(requests_of_one_caller_are_decided_in_their_order) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    node_with_payloads world;
    world.reorder(seed);
    const auto task = world.enqueued(world.request());
    const auto leased = world.one("w1");
    const auto saved = world.send_to_node(world.save("w1", leased, large('d')));
    const auto done = world.send_to_node(
        msg::complete_tasks{"mail", "w1", {{{leased.task, leased.token}, "{}"}}});
    world.settle();
    BOOST_REQUIRE(saved->value);
    BOOST_TEST((saved->value->refusal == core::errc::none));
    BOOST_REQUIRE(done->value);
    BOOST_TEST((done->value->outcomes.front().refusal == core::errc::none));
    BOOST_TEST(is_ref(world.ended(task).task.progress.data));
  }
}

BOOST_AUTO_TEST_CASE(a_slow_store_keeps_nobody_waiting_but_its_own_callers) {
  enqueued(request());
  const auto leased = one("w1");
  advance(1s); // else there is nothing to extend
  held_back = "object_keeper";
  const auto saved = send_to_node(save("w1", leased, large('d')));
  const auto extended =
      send_to_node(msg::extend_tasks{"mail", "w1", {{leased.task, leased.token}}});
  const auto done =
      send_to_node(msg::complete_tasks{"mail", "w1", {{{leased.task, leased.token}, "{}"}}});
  client other{*this};
  const auto made = other.send(node->gateway, msg::enqueue_tasks{"mail", {request()}});
  advance(2s);
  BOOST_REQUIRE(made->value);
  BOOST_REQUIRE(extended->value);
  BOOST_TEST((extended->value->outcomes.front().refusal == core::errc::none));
  BOOST_TEST(!saved->arrived());
  BOOST_TEST(!done->arrived());
  held_back.clear();
  settle();
  BOOST_REQUIRE(saved->value);
  BOOST_TEST((saved->value->refusal == core::errc::none));
  BOOST_REQUIRE(done->value);
  BOOST_TEST((done->value->outcomes.front().refusal == core::errc::none));
}

// What waits behind a slow store is bounded by what it weighs, too.
BOOST_AUTO_TEST_CASE(requests_that_wait_for_a_slow_store_take_bounded_memory) {
  prepare().settings.object_bytes_most = 3 * large_bytes;
  start();
  held_back = "object_keeper";
  std::vector<std::shared_ptr<answer<msg::task_outcomes>>> made;
  for (int i = 0; i < 5; ++i)
    made.push_back(send_to_node(msg::enqueue_tasks{"mail", {request(large('m'))}}));
  const auto small = send_to_node(msg::enqueue_tasks{"mail", {request()}});
  settle();
  for (std::size_t i = 0; i < 3; ++i) // one is being stored, two wait
    BOOST_TEST(!made[i]->arrived());
  for (std::size_t i = 3; i < 5; ++i)
    BOOST_TEST((made[i]->code() == core::errc::overloaded));
  BOOST_TEST(!small->arrived());
  held_back.clear();
  settle();
  for (std::size_t i = 0; i < 3; ++i)
    BOOST_TEST(made[i]->value.has_value());
  BOOST_TEST(small->value.has_value());
  enqueued(request(large('m'))); // there is room again
}

BOOST_AUTO_TEST_CASE(a_store_that_hangs_does_not_look_like_a_dead_worker) {
  const auto large_one = enqueued(request(large('b')));
  const auto small_one = enqueued(request());
  held_back = "object_keeper";
  const auto claiming = send_to_node(claim("w1", 2));
  advance(14s);
  BOOST_TEST(!claiming->arrived());
  advance(2s); // half of the lease
  BOOST_REQUIRE(claiming->value);
  BOOST_REQUIRE_EQUAL(claiming->value->tasks.size(), 1U);
  BOOST_TEST((claiming->value->tasks.front().task == small_one));
  BOOST_TEST(row(large_one).progress.crashes == 0U);
  BOOST_TEST(database->tables().task_leases.count(large_one) == 0U);
  held_back.clear();
}

// B29, B53
BOOST_AUTO_TEST_CASE(a_missing_or_damaged_payload_ends_its_task_and_no_other) {
  const auto lost = enqueued(request(large('l')));
  const auto damaged = enqueued(request(large('d')));
  const auto small = enqueued(request());
  const auto whole = enqueued(request(large('w')));
  lose_object(large('l'));
  objects->overwrite(digest_of(large('d')), large('x'));
  const auto leased = claimed(claim("w1", 10));
  BOOST_REQUIRE_EQUAL(leased.size(), 2U);
  BOOST_TEST((leased[0].task == small));
  BOOST_TEST((leased[1].task == whole));
  BOOST_TEST((leased[1].body == large('w')));
  BOOST_TEST(view(lost).status == "FAILURE");
  BOOST_TEST(view(lost).error_code == "PAYLOAD_MISSING");
  BOOST_TEST(is_ref(view(lost).body));
  BOOST_TEST(view(damaged).error_code == "PAYLOAD_DAMAGED");
  BOOST_TEST((complete("w1", leased[0]) == core::errc::none));
  BOOST_TEST((complete("w1", leased[1]) == core::errc::none));
  // Once the payload is there again, so is the task.
  objects->put(large('l'));
  BOOST_REQUIRE(call(msg::redrive_tasks{"mail", "", "PAYLOAD_MISSING", {}, 10}).value);
  const auto again = one("w1");
  BOOST_TEST((again.task == lost));
  BOOST_TEST((again.body == large('l')));
}

BOOST_AUTO_TEST_CASE(while_the_store_is_away_tasks_wait_and_no_try_is_counted) {
  const auto task = enqueued(request(large('b')));
  objects->reachable(false);
  BOOST_TEST(claimed(claim("w1")).empty());
  BOOST_TEST(row(task).progress.attempts == 0U);
  const auto history = database->tables().task_attempts;
  BOOST_REQUIRE_EQUAL(history.size(), 1U);
  BOOST_TEST(history.begin()->second.error.code == "PAYLOAD_UNREACHABLE");
  BOOST_TEST((call(msg::get_task{task}).code() == core::errc::unavailable));
  objects->reachable(true);
  advance(2min);
  const auto leased = one("w1");
  BOOST_TEST((leased.body == large('b')));
  BOOST_TEST(leased.attempt == 1U);
}

BOOST_AUTO_TEST_CASE(a_worker_that_waits_gets_the_next_task_in_place_of_one_without_payload) {
  auto patient = claim("w1");
  patient.wait = 30s;
  const auto answered = send_to_node(patient);
  settle();
  const auto lost = large('l');
  const auto sent = send_to_node(msg::enqueue_tasks{"mail", {request(lost)}});
  while (database->tables().tasks.empty())
    BOOST_REQUIRE(step());
  lose_object(lost);
  settle();
  BOOST_TEST(!answered->arrived());
  const auto small = enqueued(request());
  BOOST_REQUIRE(answered->value);
  BOOST_REQUIRE_EQUAL(answered->value->tasks.size(), 1U);
  BOOST_TEST((answered->value->tasks.front().task == small));
}

BOOST_AUTO_TEST_CASE(follow_up_and_eject_carry_large_payloads) {
  enqueued(request());
  const auto first = one("w1");
  msg::follow_task f{"mail",
                     "w1",
                     {{first.task, first.token}, large('r')},
                     request(large('n')),
                     fresh<core::assignment_id>()};
  const auto followed = call(f);
  BOOST_REQUIRE(followed.value);
  BOOST_REQUIRE_EQUAL(followed.value->tasks.size(), 1U);
  BOOST_TEST((followed.value->tasks.front().body == large('n')));
  const auto repeated = call(f);
  BOOST_REQUIRE(repeated.value);
  BOOST_TEST((repeated.value->tasks.front().body == large('n')));
  msg::eject_task e{"mail", f.next.task, {}, {}, "w2", fresh<core::assignment_id>()};
  e.update.data = large('e');
  const auto ejected = call(e);
  BOOST_REQUIRE(ejected.value);
  BOOST_REQUIRE_EQUAL(ejected.value->tasks.size(), 1U);
  BOOST_TEST((ejected.value->tasks.front().data == large('e')));
  BOOST_TEST((ejected.value->tasks.front().body == large('n')));
}

// I-12: another ejection takes the lease while the payload of the first one is fetched
BOOST_AUTO_TEST_CASE(end_of_a_lease_is_told_by_no_answer_before_it_is_durable) {
  const auto task = enqueued(request(large('b')));
  held_back = "object_keeper";
  const auto first =
      send_to_node(msg::eject_task{"mail", task, {}, {}, "w1", fresh<core::assignment_id>()});
  settle();
  BOOST_REQUIRE(database->tables().task_leases.count(task) == 1U);
  database->set_reachable(false);
  client other{*this};
  const auto second = other.send(
      node->gateway, msg::eject_task{"mail", task, {}, {}, "w2", fresh<core::assignment_id>()});
  settle();
  held_back.clear();
  settle();
  BOOST_TEST(!first->arrived());
  database->set_reachable(true);
  advance(2s);
  BOOST_REQUIRE(first->value);
  BOOST_TEST(first->value->tasks.empty());
  BOOST_REQUIRE(second->value);
  BOOST_REQUIRE_EQUAL(second->value->tasks.size(), 1U);
  BOOST_TEST((second->value->tasks.front().body == large('b')));
}

BOOST_AUTO_TEST_CASE(a_late_result_is_kept_whole) {
  const auto task = enqueued(request());
  const auto leased = one("w1");
  advance(31s);
  BOOST_TEST((complete("w1", leased, large('r')) != core::errc::none));
  const auto& late = database->tables().late_results;
  BOOST_REQUIRE_EQUAL(late.size(), 1U);
  BOOST_TEST((late.front().task == task));
  BOOST_TEST((late.front().detail == core::to_json({digest_of(large('r')), large('r').size()})));
  BOOST_TEST(has_object(large('r')));
}

BOOST_AUTO_TEST_CASE(an_envelope_brings_a_large_body) {
  const auto id = fresh<core::task_id>();
  msg::task_envelope sent;
  sent.envelope = R"({"header":{"job_id":")" + to_string(id)
                  + R"(","type":"send","version":"1.0"},"body":)" + large('b')
                  + R"(,"tracing":{"trace_id":"t","span_id":"s"}})";
  const auto answered = call(msg::enqueue_envelopes{"mail", {sent}});
  BOOST_REQUIRE(answered.value);
  BOOST_TEST((answered.value->outcomes.front().refusal == core::errc::none));
  BOOST_TEST(is_ref(row(id).spec.body));
  BOOST_TEST((one("w1").body == large('b')));
}

BOOST_AUTO_TEST_CASE(staged_payloads_move_to_the_store_when_they_are_taken_in) {
  core::new_task task;
  task.spec.id = fresh<core::task_id>();
  task.spec.type = "send";
  task.spec.version = "1.0";
  task.spec.body = large('s');
  BOOST_REQUIRE(database->stage("mail", task));
  objects->reachable(false);
  advance(5s);
  BOOST_TEST(database->tables().tasks.empty());
  BOOST_TEST(database->tables().task_intake.size() == 1U);
  objects->reachable(true);
  advance(5s);
  BOOST_TEST(is_ref(row(task.spec.id).spec.body));
  BOOST_TEST((one("w1").body == large('s')));
}

// What was put and not committed is waste, and nothing else.
BOOST_AUTO_TEST_CASE(a_crash_between_put_and_commit_leaves_waste_only) {
  const auto body = large('b');
  const auto sent = send_to_node(msg::enqueue_tasks{"mail", {request(body)}});
  while (!has_object(body))
    BOOST_REQUIRE(step());
  BOOST_TEST(database->tables().tasks.empty());
  restart();
  BOOST_TEST(database->tables().tasks.empty());
  BOOST_TEST(has_object(body));
  advance(31h);
  BOOST_TEST(!has_object(body));
}

BOOST_AUTO_TEST_CASE(the_sweep_takes_what_no_row_refers_to_when_it_is_old) {
  const auto task = enqueued(request(large('b')));
  const auto leased = one("w1");
  BOOST_REQUIRE(call(save("w1", leased, large('1'))).value);
  BOOST_REQUIRE(call(save("w1", leased, large('2'))).value);
  BOOST_TEST((complete("w1", leased, large('r')) == core::errc::none));
  advance(23h);
  BOOST_TEST(has_object(large('1'))); // nobody refers to it any more, but it is young
  advance(8h);
  BOOST_TEST(!has_object(large('1')));
  for (const auto mark : {'b', '2', 'r'})
    BOOST_TEST(has_object(large(mark)));
  BOOST_TEST((view(task).result == large('r')));
}

// I-12
BOOST_AUTO_TEST_CASE(the_sweep_leaves_young_objects_although_the_clock_of_the_database_is_ahead) {
  const auto store =
      std::make_shared<holdfast::objects::memory_object_store>([this] { return now() - 48h; });
  prepare().settings.objects = store;
  start();
  const auto ref = store->put(large('x'));
  BOOST_REQUIRE(ref);
  advance(23h);
  BOOST_TEST(bool{store->get(*ref)});
  advance(8h);
  BOOST_TEST(!store->get(*ref));
}

BOOST_AUTO_TEST_CASE(an_object_that_cannot_be_removed_keeps_no_other_one) {
  const auto store = std::make_shared<stubborn_store>([this] { return now(); });
  prepare().settings.objects = store;
  start();
  for (const auto mark : {'x', 'y', 'z'})
    BOOST_REQUIRE(store->put(large(mark)));
  store->stubborn = store->list({}, 1)->front().content;
  advance(31h);
  const auto left = *store->list({}, 10);
  BOOST_REQUIRE_EQUAL(left.size(), 1U);
  BOOST_TEST((left[0].content == store->stubborn));
}

BOOST_AUTO_TEST_CASE(one_answer_holds_no_more_than_a_message_takes) {
  for (int i = 0; i < 60; ++i)
    enqueued(request(large('a')));
  const auto leased = claimed(claim("w1", 100));
  BOOST_TEST(leased.size() == 42U); // 4 MiB, and the one that passes it
}

BOOST_AUTO_TEST_CASE(payloads_under_way_have_a_bound) {
  prepare();
  node->settings.object_bytes_most = 150'000;
  start();
  // A request that comes alone is always taken; what comes beside it is told to wait.
  const auto two = [&] {
    return send_to_node(msg::enqueue_tasks{"mail", {request(large('x')), request(large('y'))}});
  };
  client other{*this};
  const auto first = two();
  const auto second = other.send(
      node->gateway, msg::enqueue_tasks{"mail", {request(large('x')), request(large('y'))}});
  settle();
  BOOST_REQUIRE(first->value);
  BOOST_REQUIRE(second->value);
  std::size_t made = 0;
  std::size_t overloaded = 0;
  for (const auto& answered : {first, second})
    for (const auto& outcome : answered->value->outcomes) {
      made += outcome.refusal == core::errc::none ? 1 : 0;
      overloaded += outcome.refusal == core::errc::overloaded ? 1 : 0;
    }
  BOOST_TEST(made == 2U);
  BOOST_TEST(overloaded == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
