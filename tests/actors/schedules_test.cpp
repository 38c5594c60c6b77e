// Schedules through a whole node in virtual time: what they make, what survives the node, and the
// clocks of a real place.

#include "calendar/time_zones.hpp"
#include "core/occurrence.hpp"
#include "core/schedule.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <ctime>
#include <set>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

const std::string every_minute = R"({"cron": "* * * * *", "task": {"type": "send"}})";

std::string hourly(const std::string& backfill, const std::string& more = "") {
  return R"({"cron": "0 * * * *", "task": {"type": "send"}, "backfill": ")" + backfill + '"' + more
         + "}";
}

struct node_with_schedules : node_fixture {
  node_with_schedules() {
    start_with_zones();
    BOOST_REQUIRE(call(msg::put_queue{"mail", "{}"}).value);
  }

  /// A new process, of which days pass quickly: what it does by itself it does seldom.
  void start_with_zones() {
    auto& settings = prepare().settings;
    settings.find_zone = calendar::find_zone;
    settings.heartbeat_interval = 20min;
    settings.lease_time = 1h;
    settings.intake_interval = 1h;
    settings.events_prune_interval = 6h;
    start();
  }

  msg::schedule_view put(const std::string& definition, const std::string& name = "s") {
    auto answered = call(msg::put_schedule{"mail", name, definition});
    BOOST_REQUIRE(answered.value);
    return *answered.value;
  }
  std::vector<msg::schedule_view> listed() {
    auto answered = call(msg::list_schedules{"mail", "", 100});
    BOOST_REQUIRE(answered.value);
    return answered.value->schedules;
  }

  /// To the next full hour, and a little beyond.
  void advance_to_the_hour() { advance(1h - now().time_since_epoch() % 1h + 1ms); }

  /// When each task was to be made, by the clocks of UTC.
  std::vector<std::string> occurrences() const {
    std::vector<std::string> times;
    for (const auto& [id, row] : database->tables().tasks) {
      std::int64_t millis = 0;
      for (std::size_t i = 0; i < 6; ++i)
        millis = millis << 8 | id.value.bytes[i];
      const auto seconds = static_cast<std::time_t>(millis / 1000);
      char text[32];
      std::tm parts{};
      std::strftime(text, sizeof text, "%m-%d %H:%M", gmtime_r(&seconds, &parts));
      times.emplace_back(text);
    }
    return times;
  }
  std::size_t tasks() const { return database->tables().tasks.size(); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(schedules, node_with_schedules)

// D12
BOOST_AUTO_TEST_CASE(a_schedule_is_answered_listed_and_removed) {
  const auto view = put(every_minute);
  BOOST_TEST(view.definition == every_minute);
  BOOST_TEST(view.revision == 1U);
  BOOST_TEST((view.last_made == core::instant{}));
  BOOST_TEST((view.next_due > now() && view.next_due <= now() + 1min));
  put(hourly("all", R"(, "paused": true)"), "paused");
  advance(61s);
  const auto list = listed();
  BOOST_REQUIRE_EQUAL(list.size(), 2U);
  BOOST_TEST(list[0].name == "paused");
  BOOST_TEST(list[0].paused);
  BOOST_TEST((list[0].next_due == core::instant{}));
  BOOST_TEST(list[1].name == "s");
  BOOST_TEST((list[1].last_made == view.next_due || list[1].last_made == view.next_due + 1min));
  BOOST_TEST((list[1].handled_until == list[1].last_made));
  const auto made = tasks();
  for (int time = 0; time < 2; ++time)
    BOOST_TEST(call(msg::remove_schedule{"mail", "s"}).value->name == "s");
  advance(10min);
  BOOST_TEST(tasks() == made);
  BOOST_TEST(listed().size() == 1U);
}

// What a queue decides about one message is one change, but for what its schedules make: who
// happens to ask when they are due is not refused with them.
BOOST_AUTO_TEST_CASE(request_that_arrives_with_a_due_schedule_does_not_share_its_failure) {
  const auto due = put(every_minute).next_due;
  held_back = "rescuer"; // nobody else tells the queue, now that its timer will be lost
  lose_next_timers();
  while (advance_to_next_timer(due)) {
    settle();
    lose_next_timers();
  }
  BOOST_TEST(tasks() == 0U);
  database->set_refusals([](const core::change& c) {
    return std::any_of(c.writes.begin(), c.writes.end(), [](const auto& write) {
      return std::holds_alternative<core::put_schedule_row>(write);
    });
  });
  msg::task_request asked;
  asked.task = fresh<core::task_id>();
  asked.type = "send";
  asked.body = "{}";
  const auto answered = call(msg::enqueue_tasks{"mail", {asked}});
  database->set_refusals(nullptr);
  held_back.clear();
  BOOST_REQUIRE(answered.value);
  BOOST_TEST((answered.value->outcomes.front().refusal == core::errc::none));
  advance(1min);
  BOOST_TEST(tasks() >= 2U);
}

// C24
BOOST_AUTO_TEST_CASE(impossible_schedules_are_refused) {
  BOOST_TEST((call(msg::put_schedule{"none", "s", every_minute}).code() == core::errc::not_found));
  BOOST_TEST((call(msg::list_schedules{"none", "", 10}).code() == core::errc::not_found));
  BOOST_TEST(
      (call(msg::put_schedule{"mail", "", every_minute}).code() == core::errc::invalid_argument));
  BOOST_TEST((call(msg::list_schedules{"mail", "", 0}).code() == core::errc::invalid_argument));
  const auto bad = call(msg::put_schedule{
      "mail", "s", R"({"cron": "99 * * * *", "time_zone": "Mars", "task": {"type": "t"}})"});
  BOOST_TEST((bad.code() == core::errc::payload_invalid));
  BOOST_TEST(bad.error->detail.find("/cron") != std::string::npos);
  BOOST_TEST(bad.error->detail.find("/time_zone") != std::string::npos);
  BOOST_TEST(listed().empty());
}

BOOST_AUTO_TEST_CASE(the_next_times_of_a_schedule_are_shown_without_its_pause) {
  put(R"({"cron": "0 12 * * *", "time_zone": "Europe/Berlin", "paused": true,
          "task": {"type": "send"}})");
  const auto ahead = call(msg::preview_schedule{"mail", "s", 3}).value;
  BOOST_REQUIRE(ahead);
  BOOST_TEST(ahead->time_zone == "Europe/Berlin");
  BOOST_TEST(ahead->paused);
  BOOST_REQUIRE_EQUAL(ahead->occurrences.size(), 3U);
  BOOST_TEST((ahead->occurrences[0] > now() && ahead->occurrences[0] <= now() + 25h));
  BOOST_TEST((ahead->occurrences[0] < ahead->occurrences[1]));
  for (const auto count : {0U, 101U})
    BOOST_TEST(
        (call(msg::preview_schedule{"mail", "s", count}).code() == core::errc::invalid_argument));
  BOOST_TEST((call(msg::preview_schedule{"mail", "none", 3}).code() == core::errc::not_found));
  BOOST_TEST((call(msg::preview_schedule{"none", "s", 3}).code() == core::errc::not_found));
}

BOOST_AUTO_TEST_CASE(a_schedule_is_run_by_hand_once_however_often_that_is_asked_for) {
  put(R"({"cron": "@yearly", "paused": true, "task": {"type": "send", "body": {"n": 1}}})");
  const msg::run_schedule request{"mail", "s", fresh<core::task_id>()};
  const auto ran = call(request).value;
  BOOST_REQUIRE(ran);
  BOOST_TEST((ran->task == request.task));
  BOOST_TEST(!ran->repeated);
  BOOST_TEST(call(request).value->repeated);
  BOOST_TEST(tasks() == 1U);
  node->kill();
  start_with_zones();
  BOOST_TEST(call(request).value->repeated);
  BOOST_REQUIRE(call(msg::change_task{"mail", request.task, 3}).value);
  BOOST_TEST(call(request).value->repeated);
  advance(10min); // the queue has forgotten how it ended
  BOOST_TEST(call(request).value->repeated);
  BOOST_TEST(tasks() == 0U);
}

BOOST_AUTO_TEST_CASE(a_run_by_hand_under_an_id_of_another_queue_is_refused) {
  put(every_minute);
  BOOST_REQUIRE(call(msg::put_queue{"post", "{}"}).value);
  msg::task_request asked;
  asked.task = fresh<core::task_id>();
  asked.type = "send";
  asked.body = "{}";
  BOOST_REQUIRE(call(msg::enqueue_tasks{"post", {asked}}).value);
  advance(1min); // an id that is not fresh any more is looked up
  BOOST_TEST(
      (call(msg::run_schedule{"mail", "s", asked.task}).code() == core::errc::already_exists));
  BOOST_TEST((call(msg::run_schedule{"mail", "none", fresh<core::task_id>()}).code()
              == core::errc::not_found));
  BOOST_TEST((call(msg::run_schedule{"mail", "s", {}}).code() == core::errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(long_lists_come_in_pages) {
  for (const auto* name : {"a", "b", "c"})
    put(every_minute, name);
  const auto first = call(msg::list_schedules{"mail", "", 2}).value;
  BOOST_REQUIRE(first);
  BOOST_TEST(first->more);
  BOOST_TEST(first->schedules.back().name == "b");
  const auto second = call(msg::list_schedules{"mail", "b", 2}).value;
  BOOST_REQUIRE(second);
  BOOST_TEST(!second->more);
  BOOST_TEST(second->schedules.size() == 1U);
}

// D12: a worker that waits gets what the clock makes
BOOST_AUTO_TEST_CASE(an_occurrence_goes_to_a_worker_that_waits) {
  put(R"({"cron": "* * * * *", "task": {"type": "send", "body": {"n": 1}, "key": "acme"}})");
  msg::claim_tasks c;
  c.queue = "mail";
  c.worker = "w1";
  c.claim = fresh<core::assignment_id>();
  c.wait = 60s;
  advance(10s);
  const auto claimed = send_to_node(c);
  settle();
  BOOST_TEST(!claimed->arrived());
  advance(60s);
  BOOST_REQUIRE(claimed->value);
  BOOST_REQUIRE_EQUAL(claimed->value->tasks.size(), 1U);
  BOOST_TEST(claimed->value->tasks[0].body == R"({"n":1})");
  BOOST_TEST(claimed->value->tasks[0].key == "acme");
}

BOOST_AUTO_TEST_CASE(two_days_make_a_task_each_hour_with_nobody_there) {
  put(hourly("latest"));
  advance(48h);
  BOOST_TEST(tasks() == 48U);
  const auto times = occurrences();
  BOOST_TEST(std::set<std::string>(times.begin(), times.end()).size() == 48U);
}

// B45
BOOST_AUTO_TEST_CASE(a_node_that_was_down_catches_up_by_the_policy) {
  put(hourly("none"), "none");
  put(hourly("latest"), "latest");
  put(hourly("all"), "all");
  advance_to_the_hour();
  BOOST_TEST(tasks() == 3U);
  node->kill();
  advance(5h + 30min);
  BOOST_TEST(tasks() == 3U);
  start_with_zones();
  BOOST_TEST(tasks() == 3U + 1U + 5U);
  for (const auto& schedule : listed())
    BOOST_TEST((schedule.next_due == now() + 1h - now().time_since_epoch() % 1h), schedule.name);
  start_with_zones();
  BOOST_TEST(tasks() == 3U + 1U + 5U);
}

// D12: killed around each occurrence, and each still makes one task
BOOST_AUTO_TEST_CASE(each_occurrence_makes_one_task_whatever_is_killed) {
  put(hourly("all"));
  const auto began = now();
  for (int kill = 0; kill < 24; ++kill) {
    advance(1h - now().time_since_epoch() % 1h - 1ms);
    advance_to_next_timer(now() + 2ms);
    for (int i = 0; i < kill; ++i)
      step();
    start_with_zones();
    settle();
    advance(1s);
  }
  const auto hours = now().time_since_epoch() / 1h - began.time_since_epoch() / 1h;
  BOOST_TEST(tasks() == static_cast<std::size_t>(hours));
}

BOOST_AUTO_TEST_CASE(while_the_database_is_away_nothing_gathers) {
  put(every_minute);
  node->cut_off(true);
  advance(5min + 1s);
  BOOST_TEST(tasks() == 0U);
  node->cut_off(false);
  advance(5s);
  // The first was made when it was due; of the others only the last is on time still.
  BOOST_TEST(tasks() == 2U);
  advance(10min);
  BOOST_TEST(tasks() == 12U);
}

BOOST_AUTO_TEST_CASE(a_full_queue_gets_the_task_when_it_has_room) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"depth_max": 1})"}).value);
  put(hourly("all"));
  advance_to_the_hour();
  advance_to_the_hour();
  BOOST_TEST(tasks() == 1U);
  BOOST_TEST(listed()[0].problem.find("overloaded") == 0U);
  BOOST_TEST(node->log.size() == 1U);
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"depth_max": 5})"}).value);
  advance(10s);
  BOOST_TEST(tasks() == 2U);
  BOOST_TEST(listed()[0].problem.empty());
}

// D12: the clocks of Berlin, from the system's own time zone database
BOOST_AUTO_TEST_CASE(a_daily_time_stays_when_the_clocks_are_changed) {
  std::tm parts{};
  strptime("2027-03-26 12:00:00", "%Y-%m-%d %H:%M:%S", &parts);
  const core::instant before{std::chrono::seconds{timegm(&parts)}};
  BOOST_REQUIRE((now() < before));
  node->kill();
  advance(before - now());
  start_with_zones();
  put(R"({"cron": "30 6 * * *", "time_zone": "Europe/Berlin", "task": {"type": "send"}})", "six");
  put(R"({"cron": "30 2 * * *", "time_zone": "Europe/Berlin", "task": {"type": "send"}})", "gap");
  advance(72h);
  // On the 28th, 02:30 does not exist in Berlin: the task comes when the clocks jump to 03:00.
  const std::vector<std::string> expected{"03-27 01:30", "03-27 05:30", "03-28 01:00",
                                          "03-28 04:30", "03-29 00:30", "03-29 04:30"};
  BOOST_TEST(occurrences() == expected, boost::test_tools::per_element());
}

// finding Q14
BOOST_AUTO_TEST_CASE(a_schedule_without_any_occurrence_says_so) {
  put(hourly("all", R"(, "until": "2000-01-01T00:00:00Z")"), "over");
  BOOST_TEST(listed()[0].problem.find("never due") == 0U, listed()[0].problem);
  node->kill();
  prepare();
  start();
  BOOST_TEST(listed()[0].problem.find("never due") == 0U, listed()[0].problem);
  put(every_minute, "over");
  BOOST_TEST(listed()[0].problem.empty());
}

BOOST_AUTO_TEST_CASE(a_zone_that_is_gone_stops_its_schedules_and_nothing_else) {
  put(R"({"cron": "* * * * *", "time_zone": "Europe/Berlin", "task": {"type": "send"}})", "lost");
  put(every_minute);
  node->kill();
  prepare(); // knows UTC only
  start();
  const auto list = listed();
  BOOST_REQUIRE_EQUAL(list.size(), 2U);
  BOOST_TEST(list[0].problem.find("/time_zone") == 0U);
  BOOST_TEST(list[1].problem.empty());
  BOOST_TEST(node->log.size() == 1U);
  advance(10min);
  BOOST_TEST(tasks() == 10U);
}

// finding Q9: the queue was run by a clock that stood two days ahead, and what it made then is
// done.
BOOST_AUTO_TEST_CASE(a_schedule_that_is_further_than_the_clock_goes_on_and_makes_nothing_twice) {
  put(every_minute);
  advance(3min);
  BOOST_TEST(tasks() == 3U);
  auto stored = database->tables();
  auto& row = stored.schedules.begin()->second;
  // It has dealt with the next three minutes by then, and with all up to the day after tomorrow.
  row.handled_until = now() + 48h;
  row.last_made = now() + 48h;
  const auto last = stored.tasks.rbegin()->second;
  const auto minute = core::occurrence_of(stored.tasks.rbegin()->first).value() + 1min;
  for (int ahead = 0; ahead < 3; ++ahead) {
    auto done = last;
    done.spec.id =
        core::occurrence_id({row.queue, row.name, row.created_at}, minute + ahead * 1min);
    stored.finished_tasks[done.spec.id].task = done;
  }
  node->kill();
  database->restore(stored);
  start_with_zones();
  BOOST_REQUIRE_EQUAL(listed().size(), 1U);
  BOOST_TEST(listed().front().problem.find("the database's clock stood ahead") == 0U);
  advance(3min);
  BOOST_TEST(tasks() == 3U); // those are there already
  advance(2min);
  BOOST_TEST(tasks() == 5U);
  BOOST_TEST(listed().front().problem == "");
}

// review: everybody can compute the id of an occurrence
BOOST_AUTO_TEST_CASE(an_occurrence_whose_id_another_queue_has_is_passed_over_and_says_so) {
  BOOST_REQUIRE(call(msg::put_queue{"other", "{}"}).value);
  const auto view = put(every_minute);
  msg::task_request taken;
  taken.task = core::occurrence_id({"mail", "s", view.created_at}, view.next_due);
  taken.type = "send";
  taken.body = "{}";
  const auto enqueued = call(msg::enqueue_tasks{"other", {taken}});
  BOOST_REQUIRE(enqueued.value);
  BOOST_REQUIRE((enqueued.value->outcomes.front().refusal == core::errc::none));
  advance(1min);
  BOOST_TEST(tasks() == 1U); // that of the other queue
  BOOST_TEST(listed().front().problem.find("the queue other has one of its id")
             != std::string::npos);
  advance(1min);
  BOOST_TEST(tasks() == 2U);
  BOOST_TEST(listed().front().problem == "");
  BOOST_TEST(std::none_of(node->log.begin(), node->log.end(), [](const auto& line) {
    return line.find("item_down") != std::string::npos;
  }));
}

// review: also one that is due by the old plan when the schedule is put anew
BOOST_AUTO_TEST_CASE(schedule_is_replaced_although_another_queue_has_the_id_that_is_due) {
  // given: another queue has the id of the second occurrence, which is due while the task of the
  // first is still being written
  BOOST_REQUIRE(call(msg::put_queue{"other", "{}"}).value);
  const auto view = put(every_minute);
  msg::task_request taken;
  taken.task = core::occurrence_id({"mail", "s", view.created_at}, view.next_due + 1min);
  taken.type = "send";
  taken.body = "{}";
  BOOST_REQUIRE(call(msg::enqueue_tasks{"other", {taken}}).value);
  database->set_commit_faults(
      [](const persistence::write_batch&) { return persistence::commit_fault::unavailable; });
  advance(view.next_due + 1min - now() + 1ms);
  // when: the schedule is put with another task
  const std::string other_task = R"({"cron": "* * * * *", "task": {"type": "remind"}})";
  const auto replaced = send_to_node(msg::put_schedule{"mail", "s", other_task});
  settle();
  BOOST_TEST(!replaced->arrived());
  database->set_commit_faults(nullptr);
  advance(10s);
  // then: it is answered, with the problem, and goes on
  BOOST_REQUIRE(replaced->value);
  BOOST_TEST(replaced->value->definition == other_task);
  BOOST_TEST(replaced->value->problem.find("the queue other has one of its id")
             != std::string::npos);
  BOOST_TEST(listed().front().problem == replaced->value->problem);
  BOOST_TEST(tasks() == 2U); // that of the first occurrence, and that of the other queue
  advance(1min);
  BOOST_TEST(tasks() == 3U);
  BOOST_TEST(listed().front().problem == "");
  BOOST_TEST(std::none_of(node->log.begin(), node->log.end(), [](const auto& line) {
    return line.find("item_down") != std::string::npos;
  }));
}

// D12
BOOST_AUTO_TEST_CASE(schedule_that_is_replaced_makes_all_that_its_old_definition_owes) {
  // given: a queue that was full for hours has room again
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"depth_max": 1})"}).value);
  const auto first = put(R"({"cron": "* * * * *", "task": {"type": "send"}, "backfill": "all",
                             "backfill_max": 1000})")
                         .next_due;
  advance(first + 250min - now() + 1s);
  BOOST_TEST(tasks() == 1U);
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"depth_max": 1000})"}).value);
  BOOST_REQUIRE(tasks() == 1U);
  // when: the schedule is put with other times
  const auto replaced = send_to_node(msg::put_schedule{"mail", "s", hourly("none")});
  advance(1s);
  // then: each minute has made its task
  BOOST_REQUIRE(replaced->value);
  BOOST_TEST(replaced->value->definition == hourly("none"));
  BOOST_TEST(replaced->value->problem == "");
  BOOST_TEST(tasks() == 251U);
  const auto times = occurrences();
  BOOST_TEST(std::set<std::string>(times.begin(), times.end()).size() == 251U);
}

BOOST_AUTO_TEST_CASE(occurrences_that_are_dropped_when_a_schedule_is_replaced_are_told) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"depth_max": 1})"}).value);
  const auto first = put(hourly("all")).next_due;
  advance(first + 3h - now() + 1s);
  BOOST_TEST(tasks() == 1U);
  const auto before = node->log.size();
  const auto replaced = send_to_node(
      msg::put_schedule{"mail", "s", R"({"cron": "30 0 1 1 *", "task": {"type": "send"}})"});
  advance(1s);
  BOOST_REQUIRE(replaced->value);
  BOOST_TEST(replaced->value->problem.find("that have made no task: 3 (overloaded: ")
             != std::string::npos);
  BOOST_TEST(listed().front().problem == replaced->value->problem);
  BOOST_REQUIRE_EQUAL(node->log.size(), before + 1);
  BOOST_TEST(node->log.back().find("schedule_stuck") != std::string::npos);
}

// review: also one that was made in the schedule's own queue, and is done
BOOST_AUTO_TEST_CASE(an_occurrence_whose_task_somebody_has_made_and_finished_makes_none) {
  const auto view = put(every_minute);
  msg::task_request early;
  early.task = core::occurrence_id({"mail", "s", view.created_at}, view.next_due);
  early.type = "send";
  early.body = "{}";
  BOOST_REQUIRE(call(msg::enqueue_tasks{"mail", {early}}).value);
  BOOST_REQUIRE(
      call(msg::change_task{"mail", early.task, static_cast<std::uint8_t>(core::task_verb::cancel)})
          .value);
  advance(1min);
  BOOST_TEST(tasks() == 0U);
  advance(1min);
  BOOST_TEST(tasks() == 1U);
  BOOST_TEST(listed().front().problem == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
