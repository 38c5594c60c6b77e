// The routes of tasks and queues, without sockets, nodes and a database: the messages that requests
// become, and the answers that come of them.

#include "core/errors.hpp"
#include "core/ids.hpp"
#include "core/task.hpp"
#include "core/time.hpp"
#include "core/uuid.hpp"
#include "messages/task_messages.hpp"
#include "tests/http/fake_gateway.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// The text of one of a few task ids.
std::string id_text(int number) {
  return "018f2c5e-7c1a-7000-8000-00000000000" + std::to_string(number);
}

core::task_id id_of(int number) { return {*core::parse_uuid(id_text(number))}; }

std::string on_task(int number, const std::string& verb) {
  return "/v1/tasks/" + id_text(number) + '/' + verb;
}

/// The answer of a queue to which every task is new.
msg::task_outcomes all_made(const msg::enqueue_tasks& m) {
  msg::task_outcomes made;
  for (const auto& one : m.tasks)
    made.outcomes.push_back({one.task, core::errc::none, {}, false});
  return made;
}

template <class Request>
msg::task_outcome done_one(const Request& m) {
  return {m.task.task, core::errc::none, {}, false};
}

/// The places that a problem names.
std::vector<std::string> places_of(const http_reply& reply) {
  std::vector<std::string> places;
  if (reply.json.is_object() && reply.json.contains("errors"))
    for (const auto& one : reply.json.at("errors"))
      places.push_back(one.at("place").get<std::string>());
  return places;
}

std::vector<std::string> names_in_order(std::initializer_list<std::string> all) { return all; }

struct task_routes_fixture : door_fixture {
  task_routes_fixture() {
    gateway.on<msg::enqueue_tasks>(all_made);
    gateway.on<msg::complete_tasks>([](const msg::complete_tasks& m) {
      msg::task_outcomes all;
      for (const auto& one : m.tasks)
        all.outcomes.push_back({one.task.task, core::errc::none, {}, false});
      return all;
    });
    gateway.on<msg::extend_tasks>([](const msg::extend_tasks& m) {
      msg::task_outcomes all;
      for (const auto& one : m.tasks)
        all.outcomes.push_back({one.task, core::errc::none, {}, false});
      return all;
    });
    gateway.on<msg::fail_task>(done_one<msg::fail_task>);
    gateway.on<msg::release_task>(done_one<msg::release_task>);
    gateway.on<msg::save_task>(done_one<msg::save_task>);
    gateway.on<msg::save_task_in_order>(done_one<msg::save_task_in_order>);
    gateway.on<msg::change_task>(
        [](const msg::change_task& m) { return msg::task_changed{m.task}; });
    gateway.on<msg::get_task>([](const msg::get_task& m) {
      msg::task_view view;
      view.task = m.task;
      view.queue = "mail";
      return view;
    });
    gateway.answers<msg::get_task_attempts>({});
    gateway.answers<msg::claim_tasks>({});
    gateway.answers<msg::follow_task>({});
    gateway.answers<msg::eject_task>({});
  }

  msg::leased_task leased(int number) const {
    msg::leased_task one;
    one.task = id_of(number);
    one.token = 7;
    one.expires_at = now + 30s;
    one.type = "send";
    one.version = "1.0";
    one.body = R"({"to":9400110200881234567890})";
    one.state = "new";
    one.data = "{}";
    one.execution_state = R"({"page":3})";
    one.attempt = 2;
    one.max_attempts = 10;
    one.created_at = now - 1min;
    return one;
  }
};

BOOST_FIXTURE_TEST_SUITE(task_routes, task_routes_fixture)

// --- making tasks ---

BOOST_AUTO_TEST_CASE(one_task_is_made_and_its_place_is_told) {
  const auto reply = ask("producer", "POST", "/v1/queues/mail/tasks",
                         R"({"type": "send", "body": {"to": 9400110200881234567890}, "id": ")"
                             + id_text(1) + R"(", "priority": -5, "delay": 1.5})");
  BOOST_TEST(reply.status == 201U, reply.body);
  BOOST_TEST(reply.header("Location") == "/v1/tasks/" + id_text(1));
  BOOST_TEST(reply.json == (json{{"id", id_text(1)}, {"repeated", false}}));

  const auto& asked = gateway.only<msg::enqueue_tasks>();
  BOOST_TEST(asked.queue == "mail");
  BOOST_REQUIRE_EQUAL(asked.tasks.size(), 1U);
  const auto& task = asked.tasks.front();
  BOOST_CHECK(task.task == id_of(1));
  BOOST_TEST(task.type == "send");
  BOOST_TEST(task.body == R"({"to": 9400110200881234567890})");
  BOOST_TEST(task.data == "{}");
  BOOST_TEST(task.version == "1.0");
  BOOST_TEST(task.priority == -5);
  BOOST_CHECK(task.run_at == now + 1500ms);
}

BOOST_AUTO_TEST_CASE(the_id_of_one_task_is_that_of_the_header_or_made) {
  const auto path = "/v1/queues/mail/tasks";
  const auto body = R"({"type": "send", "body": 1})";
  ask("producer", "POST", path, body, {{"idempotency-key", id_text(2)}});
  ask("producer", "POST", path, body);
  const auto& asked = gateway.seen<msg::enqueue_tasks>();
  BOOST_REQUIRE_EQUAL(asked.size(), 2U);
  BOOST_CHECK(asked[0].tasks.at(0).task == id_of(2));
  BOOST_CHECK(asked[1].tasks.at(0).task.value == made_id(1));
}

BOOST_AUTO_TEST_CASE(many_tasks_have_an_outcome_each_in_their_order) {
  gateway.on<msg::enqueue_tasks>([](const msg::enqueue_tasks& m) {
    auto made = all_made(m);
    made.outcomes.at(1) = {m.tasks.at(1).task, core::errc::already_exists, "taken", false};
    made.outcomes.at(2).repeated = true;
    return made;
  });
  const auto reply = ask("producer", "POST", "/v1/queues/mail/tasks",
                         R"({"tasks": [{"type": "a", "body": 1, "id": ")" + id_text(1)
                             + R"("}, {"type": "b", "body": 2, "id": ")" + id_text(2)
                             + R"("}, {"type": "c", "body": 3, "id": ")" + id_text(3) + R"("}]})");
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(reply.header("Location").empty());
  const json expected{{"outcomes",
                       {{{"task", id_text(1)}, {"repeated", false}},
                        {{"task", id_text(2)},
                         {"code", "already_exists"},
                         {"retryable", false},
                         {"detail", "taken"},
                         {"repeated", false}},
                        {{"task", id_text(3)}, {"repeated", true}}}}};
  BOOST_TEST(reply.json == expected, reply.body);
}

BOOST_AUTO_TEST_CASE(many_tasks_without_ids_get_the_same_ones_under_the_same_key) {
  const auto path = "/v1/queues/mail/tasks";
  const auto body = R"({"tasks": [{"type": "a", "body": 1}, {"type": "a", "body": 2}]})";
  ask("producer", "POST", path, body, {{"idempotency-key", id_text(5)}});
  ask("producer", "POST", path, body, {{"idempotency-key", id_text(5)}});
  ask("producer", "POST", path, body, {{"idempotency-key", id_text(6)}});
  ask("producer", "POST", path, body);
  const auto& asked = gateway.seen<msg::enqueue_tasks>();
  BOOST_REQUIRE_EQUAL(asked.size(), 4U);
  const auto id = [&](std::size_t request, std::size_t place) {
    return asked[request].tasks.at(place).task.value;
  };
  BOOST_CHECK(id(0, 0) == id(1, 0));
  BOOST_CHECK(id(0, 1) == id(1, 1));
  BOOST_CHECK(id(0, 0) != id(0, 1));
  BOOST_CHECK(id(0, 0) != id(2, 0));
  BOOST_CHECK(id(0, 1) != id(2, 1));
  // An id of version 7 still tells its time.
  BOOST_CHECK(core::version_of(id(0, 1)) == 7);
  BOOST_CHECK(core::time_of(id(0, 1)) == core::time_of(id_of(5).value));
  BOOST_TEST((id(0, 1).bytes[8] & 0xc0) == 0x80);
  BOOST_CHECK(id(3, 0) == made_id(1));
  BOOST_CHECK(id(3, 1) == made_id(2));
}

BOOST_AUTO_TEST_CASE(the_refusal_of_one_task_is_a_problem) {
  const auto answer_with = [&](core::errc code) {
    gateway.answers<msg::enqueue_tasks>({{{id_of(1), code, "the particulars", false}}});
    return ask("producer", "POST", "/v1/queues/mail/tasks", R"({"type": "send", "body": {}})");
  };
  const auto taken = answer_with(core::errc::already_exists);
  BOOST_TEST(taken.status == 409U);
  BOOST_TEST(taken.content_type == "application/problem+json");
  BOOST_TEST(taken.code() == "already_exists");
  BOOST_TEST(taken.detail() == "the particulars");
  BOOST_TEST(taken.header("Location").empty());
  const auto full = answer_with(core::errc::overloaded);
  BOOST_TEST(full.status == 503U);
  BOOST_TEST(!full.header("Retry-After").empty());
}

BOOST_AUTO_TEST_CASE(a_task_belongs_to_the_trace_of_its_request) {
  const std::string trace = "0af7651916cd43dd8448eb211c80319c";
  const std::string span = "b7ad6b7169203331";
  const auto traced = [&](const std::string& header, const std::string& own) {
    ask("producer", "POST", "/v1/queues/mail/tasks", R"({"type": "send", "body": {})" + own + '}',
        {{"traceparent", header}});
    const auto& task = gateway.seen<msg::enqueue_tasks>().back().tasks.at(0);
    return task.trace_id + ' ' + task.span_id;
  };
  BOOST_TEST(traced("00-" + trace + '-' + span + "-01", "") == trace + ' ' + span);
  BOOST_TEST(traced("00-" + trace + '-' + span + "-01", R"(, "trace_id": "mine")") == "mine ");
  // Headers that the standard does not allow count as left out.
  BOOST_TEST(traced("00-" + trace + '-' + span + "-0", "") == " ");
  BOOST_TEST(traced("00-" + trace + '-' + span + "-01-x", "") == " ");
  BOOST_TEST(traced("ff-" + trace + '-' + span + "-01", "") == " ");
  BOOST_TEST(traced("00-" + std::string(32, '0') + '-' + span + "-01", "") == " ");
  BOOST_TEST(traced("01-" + trace + '-' + span + "-01-x", "") == trace + ' ' + span);
}

BOOST_AUTO_TEST_CASE(each_thing_that_is_wrong_with_new_tasks_is_named_with_its_place) {
  const auto path = "/v1/queues/mail/tasks";
  const auto one = ask("producer", "POST", path,
                       R"({"type": 7, "priority": "high", "prioritty": 1, "run_at": "soon"})");
  BOOST_TEST(one.status == 400U);
  BOOST_TEST(one.code() == "invalid_argument");
  BOOST_TEST(places_of(one)
                 == names_in_order({"/type", "/body", "/priority", "/run_at", "/prioritty"}),
             boost::test_tools::per_element());
  BOOST_TEST(contains(one.detail(), "priority"));

  const auto many = ask("producer", "POST", path, R"({"tasks": {"type": "a"}})");
  BOOST_TEST(places_of(many).front() == "/tasks");
  // The members of one task have no place beside many.
  const auto both =
      ask("producer", "POST", path, R"({"tasks": [{"type": "a", "body": 1}], "type": "a"})");
  BOOST_TEST(places_of(both) == names_in_order({"/type"}), boost::test_tools::per_element());
  BOOST_TEST(gateway.seen<msg::enqueue_tasks>().empty());
}

BOOST_AUTO_TEST_CASE(a_task_that_cannot_be_read_harms_no_other) {
  gateway.on<msg::enqueue_tasks>([](const msg::enqueue_tasks& m) { return all_made(m); });
  const auto path = "/v1/queues/mail/tasks";
  const auto reply =
      ask("producer", "POST", path,
          R"({"tasks": [{"type": "b", "id": "x"}, {"type": "a", "body": 1, "id": ")" + id_text(1)
              + R"("}, 3, {"type": "c", "body": 2, "id": ")" + id_text(2) + R"("}]})");
  BOOST_TEST(reply.status == 200U, reply.body);
  const auto outcomes = reply.json.at("outcomes");
  BOOST_REQUIRE_EQUAL(outcomes.size(), 4U);
  BOOST_TEST(outcomes[0].at("code") == "invalid_argument");
  BOOST_TEST(contains(outcomes[0].at("detail").get<std::string>(), "/id must be a UUID"));
  BOOST_TEST(contains(outcomes[0].at("detail").get<std::string>(), "/body is missing"));
  BOOST_TEST(outcomes[1].at("task") == id_text(1));
  BOOST_TEST(!outcomes[1].contains("code"));
  BOOST_TEST(outcomes[2].at("detail") == "must be an object");
  BOOST_TEST(outcomes[3].at("task") == id_text(2));
  BOOST_TEST(gateway.only<msg::enqueue_tasks>().tasks.size() == 2U);

  // Of a batch without any good item nothing is asked.
  const auto none = ask("producer", "POST", path, R"({"tasks": [1, 2]})");
  BOOST_TEST(none.status == 200U, none.body);
  BOOST_TEST(none.json.at("outcomes").size() == 2U);
  BOOST_TEST(gateway.seen<msg::enqueue_tasks>().size() == 1U);
  BOOST_TEST(ask("worker", "POST", path, R"({"tasks": [1, 2]})").status == 403U);
}

BOOST_AUTO_TEST_CASE(an_envelope_that_cannot_be_read_harms_no_other) {
  gateway.answers<msg::enqueue_envelopes>({{{id_of(1), core::errc::none, {}, false}}});
  const auto reply = ask("producer", "POST", "/v1/queues/mail/envelopes",
                         R"({"envelopes": [{"priority": "high"}, {"envelope": {}}]})");
  BOOST_TEST(reply.status == 200U, reply.body);
  const auto outcomes = reply.json.at("outcomes");
  BOOST_REQUIRE_EQUAL(outcomes.size(), 2U);
  BOOST_TEST(outcomes[0].at("code") == "invalid_argument");
  BOOST_TEST(outcomes[1].at("task") == id_text(1));
  BOOST_TEST(gateway.only<msg::enqueue_envelopes>().envelopes.size() == 1U);
}

// --- claims ---

BOOST_AUTO_TEST_CASE(a_claim_gets_leased_tasks) {
  auto granted = leased(1);
  granted.trace_id = "0af7651916cd43dd8448eb211c80319c";
  granted.span_id = "b7ad6b7169203331";
  gateway.answers<msg::claim_tasks>({{granted}});
  const auto reply = ask("worker", "POST", "/v1/queues/mail/claims?wait=20",
                         R"({"worker": "w1", "limit": 3, "types": ["send", "fax"]})",
                         {{"idempotency-key", id_text(9)}});
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_REQUIRE_EQUAL(reply.json.at("tasks").size(), 1U);
  const auto task = reply.json.at("tasks").at(0);
  BOOST_TEST(task.at("id") == id_text(1));
  BOOST_TEST(task.at("type") == "send");
  BOOST_TEST(task.at("version") == "1.0");
  BOOST_TEST(contains(reply.body, R"("body":{"to":9400110200881234567890})"), reply.body);
  BOOST_TEST(task.at("state") == "new");
  BOOST_TEST(task.at("data") == json::object());
  BOOST_TEST(task.at("checkpoint").at("page") == 3);
  BOOST_TEST(task.at("attempt") == 2);
  BOOST_TEST(task.at("max_attempts") == 10);
  BOOST_TEST(task.at("token") == 7);
  BOOST_TEST(task.at("lease_seconds") == 30);
  BOOST_TEST(task.at("traceparent") == "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  BOOST_TEST(!task.contains("key"));

  const auto& asked = gateway.only<msg::claim_tasks>();
  BOOST_TEST(asked.queue == "mail");
  BOOST_TEST(asked.worker == "w1");
  BOOST_CHECK(asked.claim.value == id_of(9).value);
  BOOST_TEST(asked.most == 3U);
  BOOST_TEST(asked.types == names_in_order({"send", "fax"}), boost::test_tools::per_element());
  BOOST_CHECK(asked.wait == 20s);
  BOOST_TEST(!asked.tied);
}

BOOST_AUTO_TEST_CASE(a_claim_that_gets_nothing_is_told_so) {
  const auto body = R"({"worker": "w1"})";
  const auto at_once = ask("worker", "POST", "/v1/queues/mail/claims", body);
  BOOST_TEST(at_once.status == 404U);
  BOOST_TEST(at_once.code() == "no_unit_available");
  for (const auto wait : {"0", "20"}) {
    const auto later =
        ask("worker", "POST", std::string{"/v1/queues/mail/claims?wait="} + wait, body);
    BOOST_TEST(later.status == 204U);
    BOOST_TEST(later.body.empty());
    BOOST_TEST(later.content_type.empty());
  }
  const auto& asked = gateway.seen<msg::claim_tasks>();
  BOOST_TEST(asked.front().most == 1U);
  BOOST_CHECK(asked.front().wait == 0s);
  BOOST_CHECK(asked.front().claim.value == made_id(1));
}

BOOST_AUTO_TEST_CASE(tasks_that_come_after_the_client_hung_up_are_given_back) {
  gateway.holds<msg::claim_tasks>();
  const auto call = send("worker", "POST", "/v1/queues/mail/claims?wait=20", R"({"worker": "w1"})");
  BOOST_TEST(call->answers.empty());
  call->abandon();
  settle();
  // The same claim, which does not wait, calls the first off.
  const auto& claims = gateway.seen<msg::claim_tasks>();
  BOOST_REQUIRE_EQUAL(claims.size(), 2U);
  BOOST_CHECK(claims[1].claim == claims[0].claim);
  BOOST_TEST(claims[1].worker == "w1");
  BOOST_CHECK(claims[1].wait == 0s);

  gateway.answer_held<msg::claim_tasks>(msg::leased_tasks{{leased(1), leased(2)}});
  settle();
  const auto& back = gateway.seen<msg::release_task>();
  BOOST_REQUIRE_EQUAL(back.size(), 2U);
  BOOST_CHECK(back[0].task.task == id_of(1));
  BOOST_CHECK(back[1].task.task == id_of(2));
  BOOST_TEST(back[0].task.token == 7U);
  BOOST_TEST(back[0].queue == "mail");
  BOOST_TEST(back[0].worker == "w1");
  BOOST_CHECK(back[0].next_action == core::instant{});
  // Tasks that only the second claim has brought.
  gateway.answer_held<msg::claim_tasks>(msg::leased_tasks{{leased(3)}});
  settle();
  BOOST_REQUIRE_EQUAL(back.size(), 3U);
  BOOST_CHECK(back[2].task.task == id_of(3));
  BOOST_TEST(reply_of(call).status == 204U);
}

BOOST_AUTO_TEST_CASE(tasks_that_were_answered_stay_when_the_client_hangs_up) {
  gateway.answers<msg::claim_tasks>({{leased(1)}});
  const auto call = send("worker", "POST", "/v1/queues/mail/claims?wait=20", R"({"worker": "w1"})");
  BOOST_TEST(reply_of(call).status == 200U);
  call->abandon();
  settle();
  BOOST_TEST(gateway.seen<msg::claim_tasks>().size() == 1U);
  BOOST_TEST(gateway.seen<msg::release_task>().empty());
}

BOOST_AUTO_TEST_CASE(a_call_that_repeats_the_claim_keeps_the_tasks) {
  gateway.holds<msg::claim_tasks>();
  const std::vector<http::parameter> key{{"idempotency-key", id_text(9)}};
  const auto path = "/v1/queues/mail/claims?wait=20";
  const auto first = send("worker", "POST", path, R"({"worker": "w1"})", key);
  const auto second = send("worker", "POST", path, R"({"worker": "w1"})", key);
  first->abandon(); // The door notices late that this connection is gone.
  settle();
  BOOST_TEST(gateway.seen<msg::claim_tasks>().size() == 2U);
  gateway.answer_held<msg::claim_tasks>(msg::leased_tasks{{leased(1)}});
  gateway.answer_held<msg::claim_tasks>(msg::leased_tasks{{leased(1)}});
  BOOST_TEST(reply_of(second).json.at("tasks").size() == 1U);
  BOOST_TEST(reply_of(first).status == 204U);
  BOOST_TEST(gateway.seen<msg::release_task>().empty());
}

BOOST_AUTO_TEST_CASE(a_claim_that_failed_is_not_called_off) {
  gateway.fails<msg::claim_tasks>(core::errc::overloaded, "too many claims");
  const auto call = send("worker", "POST", "/v1/queues/mail/claims?wait=20", R"({"worker": "w1"})");
  BOOST_TEST(reply_of(call).status == 503U);
  call->abandon();
  settle();
  BOOST_TEST(gateway.seen<msg::claim_tasks>().size() == 1U);
}

// --- many reports ---

BOOST_AUTO_TEST_CASE(reports_of_all_kinds_have_their_outcomes_in_order) {
  gateway.on<msg::complete_tasks>([](const msg::complete_tasks& m) {
    msg::task_outcomes all;
    for (const auto& one : m.tasks)
      all.outcomes.push_back({one.task.task, core::errc::none, {}, one.task.token == 16});
    return all;
  });
  gateway.fails<msg::extend_tasks>(core::errc::unavailable, "the shard moves");
  gateway.answers<msg::fail_task>({id_of(2), core::errc::stale_token, "an old lease", false});
  const auto report = [](int task, int token, const std::string& more) {
    return R"({"task": ")" + id_text(task) + R"(", "token": )" + std::to_string(token) + more + '}';
  };
  const auto reply =
      ask("worker", "POST", "/v1/queues/mail/completions",
          R"({"worker": "w1", "outcomes": [)" + report(1, 11, R"(, "result": {"sent": true})") + ','
              + report(2, 12,
                       R"(, "do": "fail", "kind": "rate_limited", "code": "BUSY", "detail": "429",
                          "retry_after": 2.5, "state": "HELD")")
              + ',' + report(3, 13, R"(, "do": "extend")") + ','
              + report(4, 14, R"(, "do": "save", "number": 3, "percent": 40)") + ','
              + report(5, 15, R"(, "do": "release", "delay": 60)") + ','
              + report(6, 16, R"(, "do": "complete")") + ','
              + report(7, 17, R"(, "do": "save", "checkpoint": {"page": 4})") + "]}");
  BOOST_TEST(reply.status == 200U, reply.body);
  const auto good = [](int task, bool repeated = false) {
    return json{{"task", id_text(task)}, {"repeated", repeated}};
  };
  const auto bad = [&](int task, const char* code, const char* detail) {
    auto one = good(task);
    one["code"] = code;
    one["retryable"] = std::string_view{code} == "unavailable";
    one["detail"] = detail;
    return one;
  };
  const json expected{
      {"outcomes",
       {good(1), bad(2, "stale_token", "an old lease"), bad(3, "unavailable", "the shard moves"),
        good(4), good(5), good(6, true), good(7)}}};
  BOOST_TEST(reply.json == expected, reply.body);

  const auto& completed = gateway.only<msg::complete_tasks>();
  BOOST_TEST(completed.queue == "mail");
  BOOST_TEST(completed.worker == "w1");
  BOOST_REQUIRE_EQUAL(completed.tasks.size(), 2U);
  BOOST_TEST(completed.tasks[0].result == R"({"sent": true})");
  BOOST_TEST(completed.tasks[0].task.token == 11U);
  BOOST_TEST(completed.tasks[1].result.empty());
  const auto& failed = gateway.only<msg::fail_task>();
  BOOST_CHECK(failed.kind == static_cast<std::uint8_t>(core::failure_kind::rate_limited));
  BOOST_TEST(failed.error_code == "BUSY");
  BOOST_TEST(failed.detail == "429");
  BOOST_CHECK(failed.retry_after == 2500ms);
  BOOST_TEST(failed.update.state == "HELD");
  BOOST_TEST(failed.task.token == 12U);
  BOOST_CHECK(gateway.only<msg::extend_tasks>().tasks.at(0).task == id_of(3));
  const auto& numbered = gateway.only<msg::save_task_in_order>();
  BOOST_TEST(numbered.number == 3U);
  BOOST_TEST(numbered.update.percent == 40U);
  BOOST_CHECK(gateway.only<msg::release_task>().next_action == now + 1min);
  const auto& saved = gateway.only<msg::save_task>();
  BOOST_TEST(saved.update.execution_state == R"({"page": 4})");
  BOOST_TEST(saved.update.percent == 255U);
}

BOOST_AUTO_TEST_CASE(a_report_takes_only_the_members_of_its_kind) {
  gateway.answers<msg::complete_tasks>({{{id_of(1), core::errc::none, {}, false}}});
  const auto token = R"({"task": ")" + id_text(1) + R"(", "token": 1, )";
  const auto reply = ask("worker", "POST", "/v1/queues/mail/completions",
                         R"({"worker": "w1", "outcomes": [)" + token + R"("result": {}}, )" + token
                             + R"("do": "extend", "result": {}}, )" + token
                             + R"("do": "fail", "kind": "odd"}, )" + token + R"("do": "sing"}]})");
  BOOST_TEST(reply.status == 200U, reply.body);
  const auto outcomes = reply.json.at("outcomes");
  BOOST_REQUIRE_EQUAL(outcomes.size(), 4U);
  const auto detail = [&](std::size_t place) {
    BOOST_TEST(outcomes[place].at("code") == "invalid_argument");
    return outcomes[place].at("detail").get<std::string>();
  };
  BOOST_TEST(!outcomes[0].contains("code"));
  BOOST_TEST(contains(detail(1), "/result is unknown here"));
  BOOST_TEST(contains(detail(2), "/kind must be one of"));
  BOOST_TEST(contains(detail(2), "/code is missing"));
  BOOST_TEST(contains(detail(3), "/do must be one of"));
  // The good report is carried out.
  BOOST_TEST(gateway.only<msg::complete_tasks>().tasks.size() == 1U);
  BOOST_TEST(gateway.names().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_request_has_a_thousand_reports_at_most) {
  const auto of_reports = [&](std::size_t count) {
    json reports = json::array();
    for (std::size_t i = 0; i < count; ++i)
      reports.push_back({{"task", id_text(1)}, {"token", i}, {"do", "extend"}});
    return ask("worker", "POST", "/v1/queues/mail/completions",
               json{{"worker", "w1"}, {"outcomes", reports}}.dump());
  };
  const auto most = of_reports(1000);
  BOOST_TEST(most.status == 200U);
  BOOST_TEST(most.json.at("outcomes").size() == 1000U);
  const auto more = of_reports(1001);
  BOOST_TEST(more.status == 413U);
  BOOST_TEST(more.code() == "too_large");
  BOOST_TEST(gateway.seen<msg::extend_tasks>().size() == 1U);
  const auto none = of_reports(0);
  BOOST_TEST(none.status == 200U);
  BOOST_TEST(none.json.at("outcomes").empty());
}

BOOST_AUTO_TEST_CASE(an_extension_tells_how_long_the_lease_is) {
  gateway.on<msg::get_task_attempts>([&](const msg::get_task_attempts& m) {
    msg::task_attempts found;
    found.task = m.task;
    auto& attempt = found.attempts.emplace_back();
    attempt.token = m.after + 1;
    attempt.expires_at = now + 45s;
    return found;
  });
  const auto one = ask("worker", "POST", on_task(1, "extend"), R"({"worker": "w1", "token": 7})");
  BOOST_TEST(one.status == 200U, one.body);
  BOOST_TEST(one.json == (json{{"id", id_text(1)}, {"repeated", false}, {"lease_seconds", 45}}));
  BOOST_TEST(gateway.only<msg::get_task_attempts>().after == 6U);

  json reports = json::array();
  for (int i = 0; i < 101; ++i)
    reports.push_back({{"task", id_text(1)}, {"token", i + 1}, {"do", "extend"}});
  reports.push_back({{"task", id_text(2)}, {"token", 5}});
  const auto many = ask("worker", "POST", "/v1/queues/mail/completions",
                        json{{"worker", "w1"}, {"outcomes", reports}}.dump());
  BOOST_TEST(many.status == 200U, many.body);
  const auto outcomes = many.json.at("outcomes");
  BOOST_REQUIRE_EQUAL(outcomes.size(), 102U);
  BOOST_TEST(outcomes[0].at("lease_seconds") == 45);
  BOOST_TEST(outcomes[99].at("lease_seconds") == 45);
  BOOST_TEST(!outcomes[100].contains("lease_seconds"));
  BOOST_TEST(!outcomes[101].contains("lease_seconds"));
  BOOST_TEST(gateway.seen<msg::get_task_attempts>().size() == 101U);
}

BOOST_AUTO_TEST_CASE(an_extension_whose_end_cannot_be_read_is_told_without_it) {
  gateway.fails<msg::get_task_attempts>(core::errc::overloaded, "too many reads");
  const auto one = ask("worker", "POST", on_task(1, "extend"), R"({"worker": "w1", "token": 7})");
  BOOST_TEST(one.status == 200U, one.body);
  BOOST_TEST(one.json == (json{{"id", id_text(1)}, {"repeated", false}}));
}

// --- one task by its id ---

BOOST_AUTO_TEST_CASE(a_request_that_names_the_queue_spares_the_database) {
  const auto reply = ask("worker", "POST", on_task(1, "complete"),
                         R"({"worker": "w1", "token": 7, "queue": "fax", "result": {"n": 1.50}})");
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(reply.json == (json{{"id", id_text(1)}, {"repeated", false}}));
  const auto& asked = gateway.only<msg::complete_tasks>();
  BOOST_TEST(asked.queue == "fax");
  BOOST_TEST(asked.worker == "w1");
  BOOST_REQUIRE_EQUAL(asked.tasks.size(), 1U);
  BOOST_CHECK(asked.tasks[0].task.task == id_of(1));
  BOOST_TEST(asked.tasks[0].task.token == 7U);
  BOOST_TEST(asked.tasks[0].result == R"({"n": 1.50})");
  BOOST_TEST(gateway.seen<msg::get_task>().empty());
}

BOOST_AUTO_TEST_CASE(a_queue_that_is_left_out_is_looked_up_once) {
  const auto body = R"({"worker": "w1", "token": 7})";
  // A worker may not read tasks, and still need not know the queue.
  BOOST_TEST(ask("worker", "GET", "/v1/tasks/" + id_text(1)).status == 403U);
  BOOST_TEST(ask("worker", "POST", on_task(1, "extend"), body).status == 200U);
  BOOST_TEST(ask("worker", "POST", on_task(1, "complete"), body).status == 200U);
  BOOST_CHECK(gateway.only<msg::get_task>().task == id_of(1));
  BOOST_TEST(gateway.only<msg::extend_tasks>().queue == "mail");
  BOOST_TEST(gateway.only<msg::complete_tasks>().queue == "mail");
}

BOOST_AUTO_TEST_CASE(the_queue_of_a_claimed_task_is_known) {
  gateway.answers<msg::claim_tasks>({{leased(1)}});
  ask("worker", "POST", "/v1/queues/fax/claims", R"({"worker": "w1"})");
  const auto done =
      ask("worker", "POST", on_task(1, "complete"), R"({"worker": "w1", "token": 7})");
  BOOST_TEST(done.status == 200U, done.body);
  BOOST_TEST(gateway.only<msg::complete_tasks>().queue == "fax");
  BOOST_TEST(gateway.seen<msg::get_task>().empty());
}

BOOST_AUTO_TEST_CASE(a_task_that_is_not_there_is_not_found) {
  gateway.fails<msg::get_task>(core::errc::not_found, "no such task");
  const auto reply =
      ask("worker", "POST", on_task(1, "complete"), R"({"worker": "w1", "token": 7})");
  BOOST_TEST(reply.status == 404U);
  BOOST_TEST(reply.code() == "not_found");
  BOOST_TEST(gateway.seen<msg::complete_tasks>().empty());
}

BOOST_AUTO_TEST_CASE(a_caller_without_the_role_learns_nothing_of_a_task) {
  const auto report =
      ask("contributor", "POST", on_task(1, "complete"), R"({"worker": "w1", "token": 7})");
  BOOST_TEST(report.status == 403U);
  BOOST_TEST(ask("worker", "POST", on_task(1, "cancel")).status == 403U);
  BOOST_TEST(ask("worker", "GET", on_task(1, "explanation")).status == 403U);
  BOOST_TEST(gateway.names().empty());
}

BOOST_AUTO_TEST_CASE(the_refusal_of_a_report_is_a_problem) {
  gateway.answers<msg::complete_tasks>(
      {{{id_of(1), core::errc::lease_expired, "ran out a second ago", false}}});
  gateway.answers<msg::fail_task>({id_of(1), core::errc::stale_token, "an old lease", false});
  const auto completed =
      ask("worker", "POST", on_task(1, "complete"), R"({"worker": "w1", "token": 7})");
  BOOST_TEST(completed.status == 409U);
  BOOST_TEST(completed.code() == "lease_expired");
  BOOST_TEST(completed.detail() == "ran out a second ago");
  const auto failed =
      ask("worker", "POST", on_task(1, "fail"), R"({"worker": "w1", "token": 7, "code": "X"})");
  BOOST_TEST(failed.status == 409U);
  BOOST_TEST(failed.code() == "stale_token");
}

BOOST_AUTO_TEST_CASE(a_failure_has_its_kind_and_its_code) {
  const auto reply = ask("worker", "POST", on_task(1, "fail"),
                         R"({"worker": "w1", "token": 7, "kind": "permanent", "code": "NO_SUCH",
                             "detail": "gone", "retry_after": 3, "data": {"tried": 1}})");
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(reply.json == (json{{"id", id_text(1)}, {"repeated", false}}));
  const auto& asked = gateway.only<msg::fail_task>();
  BOOST_TEST(asked.queue == "mail");
  BOOST_CHECK(asked.kind == static_cast<std::uint8_t>(core::failure_kind::permanent));
  BOOST_TEST(asked.error_code == "NO_SUCH");
  BOOST_TEST(asked.detail == "gone");
  BOOST_CHECK(asked.retry_after == 3s);
  BOOST_TEST(asked.update.data == R"({"tried": 1})");
}

BOOST_AUTO_TEST_CASE(a_save_has_a_number_or_none) {
  BOOST_TEST(ask("worker", "POST", on_task(1, "save"),
                 R"({"worker": "w1", "token": 7, "number": 9, "checkpoint": [1], "percent": 50})")
                 .status
             == 200U);
  const auto& numbered = gateway.only<msg::save_task_in_order>();
  BOOST_TEST(numbered.number == 9U);
  BOOST_TEST(numbered.queue == "mail");
  BOOST_TEST(numbered.update.execution_state == "[1]");
  BOOST_TEST(numbered.update.percent == 50U);
  BOOST_TEST(gateway.seen<msg::save_task>().empty());

  BOOST_TEST(
      ask("worker", "POST", on_task(1, "save"), R"({"worker": "w1", "token": 7, "state": "HALF"})")
          .status
      == 200U);
  const auto& saved = gateway.only<msg::save_task>();
  BOOST_TEST(saved.update.state == "HALF");
  BOOST_TEST(saved.worker == "w1");
  BOOST_TEST(saved.queue == "mail");
  BOOST_CHECK(saved.task.task == id_of(1));
  BOOST_TEST(saved.task.token == 7U);
}

BOOST_AUTO_TEST_CASE(a_released_task_comes_back_when_its_worker_says) {
  BOOST_TEST(ask("worker", "POST", on_task(1, "release"),
                 R"({"worker": "w1", "token": 7, "run_at": "2027-01-15T09:00:00Z"})")
                 .status
             == 200U);
  BOOST_CHECK(gateway.only<msg::release_task>().next_action == now + 1h);
  BOOST_TEST(gateway.only<msg::release_task>().task.token == 7U);
}

BOOST_AUTO_TEST_CASE(a_task_that_follows_is_leased_to_the_same_worker) {
  gateway.on<msg::follow_task>([&](const msg::follow_task& m) {
    auto next = leased(2);
    next.task = m.next.task;
    return msg::leased_tasks{{next}};
  });
  const auto body = R"({"worker": "w1", "token": 7, "result": {"ok": true},
                        "follow": {"type": "index", "body": {"page": 2}}})";
  const auto reply =
      ask("worker", "POST", on_task(1, "complete"), body, {{"idempotency-key", id_text(5)}});
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(reply.json.at("id") == id_text(1));
  BOOST_TEST(!reply.json.contains("repeated"));
  const auto follower = reply.json.at("follower");
  BOOST_TEST(follower.at("lease_seconds") == 30);
  BOOST_TEST(gateway.seen<msg::complete_tasks>().empty());

  const auto asked = gateway.only<msg::follow_task>();
  BOOST_TEST(follower.at("id") == core::to_string(asked.next.task));
  BOOST_TEST(asked.queue == "mail");
  BOOST_TEST(asked.worker == "w1");
  BOOST_CHECK(asked.done.task.task == id_of(1));
  BOOST_TEST(asked.done.task.token == 7U);
  BOOST_TEST(asked.done.result == R"({"ok": true})");
  BOOST_TEST(asked.next.type == "index");
  BOOST_TEST(asked.next.body == R"({"page": 2})");
  BOOST_CHECK(asked.claim.value == id_of(5).value);
  BOOST_CHECK(asked.next.task);

  // Under the same key the request comes with the same ids, and without a key with new ones.
  ask("worker", "POST", on_task(1, "complete"), body, {{"idempotency-key", id_text(5)}});
  ask("worker", "POST", on_task(1, "complete"), body);
  const auto& all = gateway.seen<msg::follow_task>();
  BOOST_REQUIRE_EQUAL(all.size(), 3U);
  BOOST_CHECK(all[1].next.task == asked.next.task);
  BOOST_CHECK(all[1].claim == asked.claim);
  BOOST_CHECK(all[2].next.task != asked.next.task);
  BOOST_CHECK(all[2].claim != asked.claim);
  // The queue of the follower is known.
  ask("worker", "POST", "/v1/tasks/" + core::to_string(asked.next.task) + "/extend",
      R"({"worker": "w1", "token": 7})");
  BOOST_TEST(gateway.seen<msg::get_task>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_task_may_be_followed_by_one_that_is_there_already) {
  const auto reply = ask("worker", "POST", on_task(1, "complete"),
                         R"({"worker": "w1", "token": 7, "follow": {"type": "index", "body": 1}})");
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(reply.json == (json{{"id", id_text(1)}}));
  const auto wrong = ask("worker", "POST", on_task(1, "complete"),
                         R"({"worker": "w1", "token": 7, "follow": {"type": "index"}})");
  BOOST_TEST(places_of(wrong) == names_in_order({"/follow/body"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_task_is_changed_by_the_verb_in_its_path) {
  const std::vector<std::string> verbs{"pause", "resume", "cancel", "retry"};
  for (const auto& one : verbs) {
    const auto reply = ask("operator", "POST", on_task(1, one));
    BOOST_TEST(reply.status == 200U, reply.body);
    BOOST_TEST(reply.json == (json{{"id", id_text(1)}}));
  }
  const auto& asked = gateway.seen<msg::change_task>();
  BOOST_REQUIRE_EQUAL(asked.size(), verbs.size());
  const core::task_verb expected[]{core::task_verb::pause, core::task_verb::resume,
                                   core::task_verb::cancel, core::task_verb::retry};
  for (std::size_t i = 0; i < asked.size(); ++i) {
    BOOST_CHECK(asked[i].verb == static_cast<std::uint8_t>(expected[i]));
    BOOST_TEST(asked[i].queue == "mail");
    BOOST_CHECK(asked[i].task == id_of(1));
  }
  BOOST_TEST(ask("operator", "POST", on_task(1, "cancel"), R"({"queue": "fax"})").status == 200U);
  BOOST_TEST(gateway.seen<msg::change_task>().back().queue == "fax");
}

BOOST_AUTO_TEST_CASE(an_ejected_task_goes_to_the_named_worker) {
  gateway.answers<msg::eject_task>({{leased(1)}});
  const auto reply =
      ask("operator", "POST", on_task(1, "eject"),
          R"({"worker": "w2", "state": "DONE", "delay": 5})", {{"idempotency-key", id_text(4)}});
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(reply.json.at("tasks").at(0).at("id") == id_text(1));
  const auto& asked = gateway.only<msg::eject_task>();
  BOOST_TEST(asked.queue == "mail");
  BOOST_CHECK(asked.task == id_of(1));
  BOOST_TEST(asked.worker == "w2");
  BOOST_TEST(asked.update.state == "DONE");
  BOOST_CHECK(asked.next_action == now + 5s);
  BOOST_CHECK(asked.claim.value == id_of(4).value);
}

BOOST_AUTO_TEST_CASE(an_explanation_takes_the_queue_from_the_query) {
  msg::task_explanation why;
  why.task = id_of(1);
  why.status = "QUEUED";
  why.reasons.push_back({"queue_paused", "the queue is paused"});
  gateway.answers<msg::explain_task>(why);
  const auto reply = ask("producer", "GET", on_task(1, "explanation") + "?queue=fax");
  BOOST_TEST(reply.status == 200U, reply.body);
  const json expected{{"id", id_text(1)},
                      {"status", "QUEUED"},
                      {"reasons", {{{"code", "queue_paused"}, {"text", "the queue is paused"}}}}};
  BOOST_TEST(reply.json == expected, reply.body);
  BOOST_TEST(gateway.only<msg::explain_task>().queue == "fax");
  ask("producer", "GET", on_task(1, "explanation"));
  BOOST_TEST(gateway.seen<msg::explain_task>().back().queue == "mail");
}

BOOST_AUTO_TEST_CASE(things_that_are_wrong_with_a_report_are_named) {
  const auto reply = ask("worker", "POST", on_task(1, "fail"),
                         R"({"worker": 3, "token": -1, "kind": "bad", "retry_after": "soon",
                             "percent": 1.5, "tokn": 4})");
  BOOST_TEST(reply.status == 400U);
  BOOST_TEST(places_of(reply)
                 == names_in_order(
                     {"/worker", "/token", "/kind", "/code", "/retry_after", "/percent", "/tokn"}),
             boost::test_tools::per_element());
  const auto path =
      ask("worker", "POST", "/v1/tasks/seven/extend", R"({"worker": "w", "token": 1})");
  BOOST_TEST(places_of(path) == names_in_order({"id"}), boost::test_tools::per_element());
  BOOST_TEST(gateway.names().empty());
}

// --- names of workers ---

BOOST_AUTO_TEST_CASE(a_worker_with_a_name_speaks_for_nobody_else) {
  const auto other = R"({"worker": "bob", "token": 7, "queue": "mail"})";
  BOOST_TEST(ask("worker:ann", "POST", on_task(1, "complete"), other).status == 403U);
  BOOST_TEST(ask("worker:ann", "POST", on_task(1, "release"), other).status == 403U);
  BOOST_TEST(ask("worker:ann", "POST", "/v1/queues/mail/claims", R"({"worker": "bob"})").status
             == 403U);
  const auto reports = R"({"worker": "bob", "outcomes": [{"task": ")" + id_text(1)
                       + R"(", "token": 7, "do": "release"}]})";
  BOOST_TEST(ask("worker:ann", "POST", "/v1/queues/mail/completions", reports).status == 403U);
  BOOST_TEST(gateway.names().empty());
}

BOOST_AUTO_TEST_CASE(a_worker_with_a_name_may_leave_it_out) {
  BOOST_TEST(ask("worker:ann", "POST", on_task(1, "complete"), R"({"token": 7})").status == 200U);
  BOOST_TEST(gateway.only<msg::complete_tasks>().worker == "ann");
  ask("worker:ann", "POST", "/v1/queues/mail/claims", "{}");
  BOOST_TEST(gateway.only<msg::claim_tasks>().worker == "ann");
  const auto nameless = ask("worker", "POST", on_task(1, "complete"), R"({"token": 7})");
  BOOST_TEST(nameless.status == 400U);
  BOOST_TEST(places_of(nameless) == names_in_order({"/worker"}), boost::test_tools::per_element());
}

// --- queues ---

BOOST_AUTO_TEST_CASE(a_queue_is_found_by_its_whole_name) {
  msg::queue_view longer;
  longer.queue = "mail-fast";
  longer.policy = "{}";
  auto exact = longer;
  exact.queue = "mail";
  exact.policy = R"({"running_max": 5})";
  exact.paused_types = {"send"};
  exact.revision = 3;
  gateway.answers<msg::list_queues>({{longer, exact}});
  const auto reply = ask("operator", "GET", "/v1/queues/mail");
  BOOST_TEST(reply.status == 200U, reply.body);
  const json expected{{"queue", "mail"},
                      {"policy", {{"running_max", 5}}},
                      {"paused", false},
                      {"paused_types", {"send"}},
                      {"revision", 3}};
  BOOST_TEST(reply.json == expected, reply.body);
  BOOST_TEST(gateway.only<msg::list_queues>().prefix == "mail");

  gateway.answers<msg::list_queues>({{longer}});
  const auto none = ask("operator", "GET", "/v1/queues/mail");
  BOOST_TEST(none.status == 404U);
  BOOST_TEST(none.code() == "not_found");
}

BOOST_AUTO_TEST_CASE(a_queue_is_paused_as_a_whole_or_by_type) {
  msg::queue_view view;
  view.queue = "mail";
  view.policy = "{}";
  view.paused = true;
  gateway.answers<msg::pause_queue>(view);
  const auto reply = ask("operator", "POST", "/v1/queues/mail/pause");
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(reply.json.at("paused") == true);
  ask("operator", "POST", "/v1/queues/mail/resume", R"({"type": "send"})");
  const auto& asked = gateway.seen<msg::pause_queue>();
  BOOST_REQUIRE_EQUAL(asked.size(), 2U);
  BOOST_TEST(asked[0].queue == "mail");
  BOOST_TEST(asked[0].type.empty());
  BOOST_TEST(asked[0].paused);
  BOOST_TEST(asked[1].type == "send");
  BOOST_TEST(!asked[1].paused);
}

BOOST_AUTO_TEST_CASE(a_policy_is_the_body_as_it_stands) {
  msg::queue_view view;
  view.queue = "mail";
  view.policy = "{}";
  gateway.answers<msg::put_queue>(view);
  const auto policy = R"({"running_max": 5, "weights": {"gold": 3.0}})";
  const auto reply = ask("operator", "PUT", "/v1/queues/mail", policy);
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(gateway.only<msg::put_queue>().policy == policy);
  BOOST_TEST(gateway.only<msg::put_queue>().queue == "mail");
}

// --- reading ---

BOOST_AUTO_TEST_CASE(a_task_is_read_without_what_it_does_not_have) {
  msg::task_view view;
  view.task = id_of(1);
  view.queue = "mail";
  view.type = "send";
  view.version = "1.0";
  view.body = R"({"to": 1e2})";
  view.state = "new";
  view.data = "{}";
  view.status = "QUEUED";
  view.crashes = 2;
  view.created_at = now;
  gateway.answers<msg::get_task>(view);
  const auto reply = ask("auditor", "GET", "/v1/tasks/" + id_text(1));
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(contains(reply.body, R"("body":{"to": 1e2})"), reply.body);
  BOOST_TEST(reply.json.at("id") == id_text(1));
  BOOST_TEST(reply.json.at("status") == "QUEUED");
  BOOST_TEST(reply.json.at("lost_attempts") == 2);
  BOOST_TEST(reply.json.at("created_at") == "2027-01-15T08:00:00.000000Z");
  for (const auto absent : {"result", "worker", "error_code", "finished_at", "run_at"})
    BOOST_TEST(!reply.json.contains(absent), absent);
}

BOOST_AUTO_TEST_CASE(tasks_are_listed_by_the_filters_of_the_query) {
  msg::task_page page;
  page.last = id_of(8);
  page.more = true;
  page.tasks.emplace_back();
  page.tasks.back().task = id_of(8);
  page.tasks.back().status = "ERROR";
  gateway.answers<msg::search_tasks>(page);
  const auto reply =
      ask("operator", "GET",
          "/v1/tasks?queue=mail&status=ERROR&created_from=2027-01-15T07:00:00Z&after=" + id_text(3)
              + "&limit=5");
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(reply.json.at("tasks").at(0).at("id") == id_text(8));
  BOOST_TEST(reply.json.at("last") == id_text(8));
  BOOST_TEST(reply.json.at("more") == true);
  const auto& asked = gateway.only<msg::search_tasks>();
  BOOST_TEST(asked.queue == "mail");
  BOOST_TEST(asked.status == "ERROR");
  BOOST_CHECK(asked.created_from == now - 1h);
  BOOST_CHECK(asked.created_before == core::instant{});
  BOOST_CHECK(asked.after == id_of(3));
  BOOST_TEST(asked.limit == 5U);
  BOOST_TEST(asked.order == 1U);
  const auto wrong = ask("operator", "GET", "/v1/tasks?limit=many&quue=mail");
  BOOST_TEST(places_of(wrong) == names_in_order({"limit", "quue"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(lists_of_tasks_begin_with_the_newest_where_asked) {
  gateway.answers<msg::search_tasks>({});
  const auto reply = ask("operator", "GET",
                         "/v1/tasks?order=newest&key=gold&error_code=GONE"
                         "&since=2027-01-15T07:00:00Z");
  BOOST_TEST(reply.status == 200U, reply.body);
  const auto& asked = gateway.only<msg::search_tasks>();
  BOOST_TEST(asked.order == 2U);
  BOOST_TEST(asked.key == "gold");
  BOOST_TEST(asked.error_code == "GONE");
  BOOST_CHECK(asked.created_from == now - 1h);
  const auto wrong = ask("operator", "GET", "/v1/tasks?order=latest");
  BOOST_TEST(wrong.status == 400U, wrong.body);
  BOOST_TEST(places_of(wrong) == names_in_order({"order"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
