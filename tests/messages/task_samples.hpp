#pragma once

#include "messages/interfaces.hpp"
#include "tests/messages/samples.hpp"

#include <chrono>

namespace holdfast::test {

/// What producers and workers of tasks send.
inline void add_task_samples(samples& into) {
  using namespace msg;
  const auto task = id_of<core::task_id>(0x61);
  const auto other = id_of<core::task_id>(0x62);
  const auto claim = id_of<core::assignment_id>(0x63);
  const core::duration pause = std::chrono::microseconds{0x0102030405};
  const std::string pause_bytes = "0000000102030405";
  // Five instants, told apart by their last byte.
  const auto at = [](std::uint8_t n) { return core::from_micros(0x00060a2418203000 + n); };
  const auto at_bytes = [](std::uint8_t n) { return "00060a24182030" + u8(n); };

  // Queues.
  into.add("hf1.put_queue", put_queue{"mail", "{}"}, text("mail") + text("{}"));
  const queue_view view{"mail", "{}", true, {"bulk", "news"}, 9};
  const auto view_bytes =
      text("mail") + text("{}") + u8(1) + list({text("bulk"), text("news")}) + u64(9);
  into.add("hf1.queue_view", view, view_bytes);
  into.add("hf1.pause_queue", pause_queue{"mail", "bulk", true},
           text("mail") + text("bulk") + u8(1));
  into.add("hf1.remove_queue", remove_queue{"mail"}, text("mail"));
  into.add("hf1.queue_removed", queue_removed{"mail", true, 2, 3},
           text("mail") + u8(1) + u64(2) + u64(3));
  into.add("hf1.list_queues", list_queues{"ma"}, text("ma"));
  into.add("hf1.queue_list", queue_list{{view, view}}, list({view_bytes, view_bytes}));
  into.add("hf1.get_queue_statistics", get_queue_statistics{"mail"}, text("mail"));
  into.add("hf1.queue_statistics", queue_statistics{1, 2, 3, 4, 5, 6},
           u64(1) + u64(2) + u64(3) + u64(4) + u64(5) + u64(6));
  into.add("hf1.get_queue_intake", get_queue_intake{"mail"}, text("mail"));
  into.add("hf1.queue_intake", queue_intake{1, at(0x40), 2, 3, "why"},
           u64(1) + at_bytes(0x40) + u64(2) + u64(3) + text("why"));

  into.add("hf1.get_queue_metrics", get_queue_metrics{"mail", pause}, text("mail") + pause_bytes);
  into.add("hf1.queue_metrics",
           queue_metrics{1, 2, 3, 4, at(0x40), at(0x41), at(0x42), 5, 6, 7, 8, 9, 10, 11, 12, 13,
                         0.5, 0.25, 0.125},
           u64(1) + u64(2) + u64(3) + u64(4) + at_bytes(0x40) + at_bytes(0x41) + at_bytes(0x42)
               + u64(5) + u64(6) + u64(7) + u64(8) + u64(9) + u64(10) + u64(11) + u64(12) + u64(13)
               + u64(0x3fe0000000000000) + u64(0x3fd0000000000000) + u64(0x3fc0000000000000));

  // Schedules.
  into.add("hf1.put_schedule", put_schedule{"mail", "daily", "{}"},
           text("mail") + text("daily") + text("{}"));
  const schedule_view scheduled{"mail",   "daily",  "{}",     true,     4,
                                at(0x40), at(0x41), at(0x42), at(0x43), "why"};
  const auto scheduled_bytes = text("mail") + text("daily") + text("{}") + u8(1) + u64(4)
                               + at_bytes(0x40) + at_bytes(0x41) + at_bytes(0x42) + at_bytes(0x43)
                               + text("why");
  into.add("hf1.schedule_view", scheduled, scheduled_bytes);
  into.add("hf1.remove_schedule", remove_schedule{"mail", "daily"}, text("mail") + text("daily"));
  into.add("hf1.schedule_removed", schedule_removed{"mail", "daily"}, text("mail") + text("daily"));
  into.add("hf1.list_schedules", list_schedules{"mail", "daily", 50},
           text("mail") + text("daily") + u32(50));
  into.add("hf1.schedule_list", schedule_list{{scheduled, scheduled}, true},
           list({scheduled_bytes, scheduled_bytes}) + u8(1));
  into.add("hf1.preview_schedule", preview_schedule{"mail", "daily", 7},
           text("mail") + text("daily") + u32(7));
  into.add("hf1.schedule_preview",
           schedule_preview{"mail", "daily", "Europe/Berlin", true, {at(0x40), at(0x41)}},
           text("mail") + text("daily") + text("Europe/Berlin") + u8(1)
               + list({at_bytes(0x40), at_bytes(0x41)}));
  into.add("hf1.run_schedule", run_schedule{"mail", "daily", task},
           text("mail") + text("daily") + id(0x61));
  into.add("hf1.schedule_ran", schedule_ran{"mail", "daily", task, true},
           text("mail") + text("daily") + id(0x61) + u8(1));

  // Producers.
  const task_request request{task,     "send", "1.2",    "[1]",   "NEW", "{}",
                             -2,       "gold", "paid",   "u1",    true,  3,
                             at(0x40), "own",  "run_as", "trace", "span"};
  const auto request_bytes = id(0x61) + text("send") + text("1.2") + text("[1]") + text("NEW")
                             + text("{}") + i16(-2) + text("gold") + text("paid") + text("u1")
                             + u8(1) + u32(3) + at_bytes(0x40) + text("own") + text("run_as")
                             + text("trace") + text("span");
  into.add("hf1.enqueue_tasks", enqueue_tasks{"mail", {request}},
           text("mail") + list({request_bytes}));
  const task_envelope enveloped{"{}", -2, "gold", "paid", "u1", true, at(0x40), "own", "run_as"};
  into.add("hf1.enqueue_envelopes", enqueue_envelopes{"mail", {enveloped}},
           text("mail")
               + list({text("{}") + i16(-2) + text("gold") + text("paid") + text("u1") + u8(1)
                       + at_bytes(0x40) + text("own") + text("run_as")}));
  const task_outcome outcome{task, core::errc::wrong_state, "why", true};
  const auto outcome_bytes = id(0x61) + u8(12) + text("why") + u8(1);
  into.add("hf1.task_outcome", outcome, outcome_bytes);
  into.add("hf1.task_outcomes", task_outcomes{{outcome, outcome}},
           list({outcome_bytes, outcome_bytes}));
  into.add("hf1.get_task", get_task{task}, id(0x61));
  into.add("hf1.await_task", await_task{"mail", task, claim, pause},
           text("mail") + id(0x61) + id(0x63) + pause_bytes);
  into.add("hf1.task_awaited", task_awaited{task, true}, id(0x61) + u8(1));
  into.add("hf1.list_tasks",
           list_tasks{"mail", "send", "ERROR", "own", at(0x40), at(0x41), task, 50},
           text("mail") + text("send") + text("ERROR") + text("own") + at_bytes(0x40)
               + at_bytes(0x41) + id(0x61) + u32(50));
  into.add(
      "hf1.search_tasks",
      search_tasks{"mail", "send", "ERROR", "own", "gold", "E1", at(0x40), at(0x41), 2, task, 50},
      text("mail") + text("send") + text("ERROR") + text("own") + text("gold") + text("E1")
          + at_bytes(0x40) + at_bytes(0x41) + u8(2) + id(0x61) + u32(50));
  const task_summary listed{task, "mail",   "send",   "1.2",    "NEW",    "FAILURE", 50,
                            2,    1,        true,     300,      "own",    "run_as",  "w1",
                            "E1", at(0x40), at(0x41), at(0x42), at(0x43), at(0x44)};
  const auto listed_bytes =
      id(0x61) + text("mail") + text("send") + text("1.2") + text("NEW") + text("FAILURE") + u32(50)
      + u32(2) + u32(1) + u8(1) + i16(300) + text("own") + text("run_as") + text("w1") + text("E1")
      + at_bytes(0x40) + at_bytes(0x41) + at_bytes(0x42) + at_bytes(0x43) + at_bytes(0x44);
  into.add("hf1.task_summary", listed, listed_bytes);
  into.add("hf1.task_page", task_page{{listed, listed}, other, true},
           list({listed_bytes, listed_bytes}) + id(0x62) + u8(1));
  into.add("hf1.get_task_attempts", get_task_attempts{task, 7, 50}, id(0x61) + u64(7) + u32(50));
  const late_result late{"w2", "completed", "[2]", at(0x40)};
  const auto late_bytes = text("w2") + text("completed") + text("[2]") + at_bytes(0x40);
  into.add("hf1.late_result", late, late_bytes);
  const task_attempt attempt{8,        "w1", at(0x40), at(0x41), at(0x42),
                             "Failed", "E1", "why",    5,        {late, late}};
  const auto attempt_bytes = u64(8) + text("w1") + at_bytes(0x40) + at_bytes(0x41) + at_bytes(0x42)
                             + text("Failed") + text("E1") + text("why") + u64(5)
                             + list({late_bytes, late_bytes});
  into.add("hf1.task_attempt", attempt, attempt_bytes);
  into.add("hf1.task_attempts", task_attempts{task, "mail", {attempt, attempt}, true},
           id(0x61) + text("mail") + list({attempt_bytes, attempt_bytes}) + u8(1));
  into.add("hf1.explain_task", explain_task{"q", task}, text("q") + id(0x61));
  into.add("hf1.task_explanation", task_explanation{task, "QUEUED", {{"paused", "it is"}}},
           id(0x61) + text("QUEUED") + list({text("paused") + text("it is")}));
  task_view seen;
  seen.task = task;
  seen.queue = "mail";
  seen.type = "send";
  seen.version = "1.2";
  seen.body = "[1]";
  seen.state = "NEW";
  seen.data = "{}";
  seen.status = "FAILURE";
  seen.percent = 50;
  seen.attempts = 2;
  seen.crashes = 1;
  seen.paused = true;
  seen.priority = 300;
  seen.owner_id = "own";
  seen.run_as_id = "run_as";
  seen.worker = "w1";
  seen.result = "[2]";
  seen.error_code = "E1";
  seen.created_at = at(0x40);
  seen.next_action = at(0x41);
  seen.last_change = at(0x42);
  seen.last_action = at(0x43);
  seen.finished_at = at(0x44);
  into.add("hf1.task_view", seen,
           id(0x61) + text("mail") + text("send") + text("1.2") + text("[1]") + text("NEW")
               + text("{}") + text("FAILURE") + u32(50) + u32(2) + u32(1) + u8(1) + i16(300)
               + text("own") + text("run_as") + text("w1") + text("[2]") + text("E1")
               + at_bytes(0x40) + at_bytes(0x41) + at_bytes(0x42) + at_bytes(0x43)
               + at_bytes(0x44));
  into.add("hf1.change_task", change_task{"mail", task, 4}, text("mail") + id(0x61) + u8(4));
  into.add("hf1.task_changed", task_changed{task}, id(0x61));
  const task_update update{"DONE", "{}", "[3]", 75};
  const auto update_bytes = text("DONE") + text("{}") + text("[3]") + u32(75);
  into.add("hf1.eject_task", eject_task{"mail", task, update, at(0x41), "w1", claim},
           text("mail") + id(0x61) + update_bytes + at_bytes(0x41) + text("w1") + id(0x63));
  into.add("hf1.redrive_tasks", redrive_tasks{"mail", "send", "E1", task, 50},
           text("mail") + text("send") + text("E1") + id(0x61) + u32(50));
  into.add("hf1.tasks_redriven", tasks_redriven{7, task, true}, u32(7) + id(0x61) + u8(1));

  // Workers.
  const task_ref ref{task, 7};
  const auto ref_bytes = id(0x61) + u64(7);
  into.add("hf1.claim_tasks", claim_tasks{"mail", "w1", claim, 20, {"send", "bulk"}, pause, true},
           text("mail") + text("w1") + id(0x63) + u32(20) + list({text("send"), text("bulk")})
               + pause_bytes + u8(1));
  const leased_task leased{task, 7,  at(0x45), "send", "1.2",  "[1]", "NEW",    "{}",    "[3]",
                           2,    10, at(0x40), "gold", "paid", "own", "run_as", "trace", "span"};
  into.add("hf1.leased_tasks", leased_tasks{{leased}},
           list({id(0x61) + u64(7) + at_bytes(0x45) + text("send") + text("1.2") + text("[1]")
                 + text("NEW") + text("{}") + text("[3]") + u32(2) + u32(10) + at_bytes(0x40)
                 + text("gold") + text("paid") + text("own") + text("run_as") + text("trace")
                 + text("span")}));
  into.add("hf1.extend_tasks", extend_tasks{"mail", "w1", {ref, {other, 8}}},
           text("mail") + text("w1") + list({ref_bytes, id(0x62) + u64(8)}));
  into.add("hf1.save_task", save_task{"mail", "w1", ref, update},
           text("mail") + text("w1") + ref_bytes + update_bytes);
  into.add("hf1.save_task_in_order", save_task_in_order{"mail", "w1", ref, 9, update},
           text("mail") + text("w1") + ref_bytes + u64(9) + update_bytes);
  into.add("hf1.release_task", release_task{"mail", "w1", ref, update, at(0x41)},
           text("mail") + text("w1") + ref_bytes + update_bytes + at_bytes(0x41));
  into.add("hf1.complete_tasks", complete_tasks{"mail", "w1", {{ref, "[2]"}, {{other, 8}, ""}}},
           text("mail") + text("w1")
               + list({ref_bytes + text("[2]"), id(0x62) + u64(8) + text("")}));
  into.add("hf1.follow_task", follow_task{"mail", "w1", {{other, 8}, "[2]"}, request, claim},
           text("mail") + text("w1") + id(0x62) + u64(8) + text("[2]") + request_bytes + id(0x63));
  into.add("hf1.fail_task", fail_task{"mail", "w1", ref, 3, "E1", "detail", pause, update},
           text("mail") + text("w1") + ref_bytes + u8(3) + text("E1") + text("detail") + pause_bytes
               + update_bytes);
  into.add("hf1.tasks_lost", tasks_lost{"mail", {ref, {other, 8}}},
           text("mail") + list({ref_bytes, id(0x62) + u64(8)}));
}

} // namespace holdfast::test
