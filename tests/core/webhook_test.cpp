// What is done after each answer of a receiver: what tests/scenarios/webhook_* do not tell.

#include "core/webhook.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::core;
using namespace std::chrono_literals;
using then_do = delivery_verdict::way;

namespace {

webhook_policy small_policy() {
  webhook_policy policy;
  policy.attempts_max = 3;
  policy.least = 1s;
  policy.most = 60s;
  policy.failing_after = 4;
  policy.dead_letters_max = 5;
  policy.batch_events = 8;
  return policy;
}

post_answer answered(std::uint32_t status) {
  return {verdict_on(status), status, {}, "HTTP " + std::to_string(status)};
}

std::vector<outgoing_event> events_of(std::initializer_list<event_seq> seqs,
                                      std::size_t bytes = 10) {
  std::vector<outgoing_event> events;
  for (const auto seq : seqs)
    events.push_back({seq, std::string(bytes, 'x')});
  return events;
}

std::vector<std::string> places_of(const webhook_definition& definition) {
  std::vector<std::string> places;
  for (const auto& problem : problems_of(definition))
    places.push_back(problem.place);
  return places;
}

webhook_definition sound_definition() {
  webhook_definition definition;
  definition.url = "https://example.com/hooks";
  definition.secret = "billing";
  return definition;
}

/// A receiver and a shard with events, as a delivery sees them: batch after batch, each answered.
struct delivery_run {
  webhook_policy policy = small_policy();
  webhook_progress at;
  event_seq newest = 0;
  std::set<event_seq> delivered;
  std::set<event_seq> dead;
  std::string stopped;
  std::uint32_t attempts = 0;

  webhook_batch next() const {
    std::vector<outgoing_event> wanted;
    for (auto seq = at.position + 1; seq <= newest; ++seq)
      wanted.push_back({seq, "{}"});
    return batch_of(std::move(wanted), newest, next_batch_events(policy, at), policy.batch_bytes);
  }
  delivery_verdict attempt(const post_answer& answer, std::uint64_t random) {
    const auto batch = next();
    auto verdict = judge_delivery(policy, at, batch.events.size(), batch.through, answer, random);
    ++attempts;
    for (const auto& e : batch.events) {
      if (answer.verdict == post_verdict::delivered)
        delivered.insert(e.seq);
      if (verdict.dead)
        dead.insert(e.seq);
    }
    at = verdict.then;
    if (verdict.how == then_do::stop)
      stopped = verdict.reason;
    return verdict;
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(delivery_of_webhooks) // A159

BOOST_AUTO_TEST_CASE(every_status_has_its_meaning) {
  const std::map<post_verdict, std::vector<std::uint32_t>> meanings{
      {post_verdict::delivered, {200, 202, 204, 299}},
      {post_verdict::again, {408, 425, 429, 500, 503, 599}},
      {post_verdict::refused, {199, 301, 302, 307, 308, 400, 401, 404, 409, 411, 422, 499}},
      {post_verdict::gone, {410}}};
  for (const auto& [verdict, statuses] : meanings)
    for (const auto status : statuses)
      BOOST_TEST((verdict_on(status) == verdict), status);
}

BOOST_AUTO_TEST_CASE(a_batch_holds_as_much_as_one_delivery_may) {
  const auto all = batch_of(events_of({4, 7}), 9, 10, 1000);
  BOOST_TEST(all.events.size() == 2U);
  BOOST_TEST(all.through == 9U); // nothing is wanted of 8 and 9
  const auto few = batch_of(events_of({4, 7, 9}), 9, 2, 1000);
  BOOST_TEST(few.events.size() == 2U);
  BOOST_TEST(few.through == 7U);
  BOOST_TEST(batch_of(events_of({4, 7, 9}), 9, 10, 20).through == 7U);
  BOOST_TEST(batch_of(events_of({4, 7, 9}), 9, 10, 19).through == 4U);
  const auto large = batch_of(events_of({4, 7}), 9, 10, 1);
  BOOST_TEST(large.events.size() == 1U); // or it would never go out
  const auto none = batch_of({}, 9, 10, 1000);
  BOOST_TEST(none.through == 9U);
}

// Whatever a receiver answers: up to the position every event was delivered or is a dead letter, in
// order, and the number of attempts is bounded.
BOOST_AUTO_TEST_CASE(no_event_is_skipped_whatever_the_answers) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    test::random_source random{seed};
    delivery_run run;
    run.newest = random.below(60);
    run.policy.batch_events = static_cast<std::uint32_t>(1 + random.below(12));
    run.policy.failing_after = static_cast<std::uint32_t>(1 + random.below(30));
    run.policy.dead_letters_max = static_cast<std::uint32_t>(1 + random.below(40));
    const auto health = 1 + random.below(20);
    const auto bound = (run.newest + 1) * run.policy.attempts_max * 8;
    while (run.at.position < run.newest && run.stopped.empty()) {
      const auto before = run.at;
      const auto answer =
          random.one_in(health)
              ? answered(random.of<std::uint32_t>({400, 404, 429, 500, 503, 410, 301}))
              : answered(200);
      const auto verdict = run.attempt(answer, random.below(~0ULL));
      BOOST_TEST_REQUIRE(run.at.position >= before.position, seed);
      BOOST_TEST_REQUIRE(
          (verdict.how != then_do::wait
           || (verdict.wait >= run.policy.least && verdict.wait <= run.policy.most + 1s)),
          seed);
      BOOST_TEST_REQUIRE(run.attempts <= bound, seed);
    }
    std::set<event_seq> done = run.delivered;
    done.insert(run.dead.begin(), run.dead.end());
    for (event_seq seq = 1; seq <= run.at.position; ++seq)
      BOOST_TEST_REQUIRE(done.count(seq) == 1U, seed);
    BOOST_TEST_REQUIRE(run.at.dead_letters == run.dead.size(), seed);
    BOOST_TEST_REQUIRE(run.dead.size() <= run.policy.dead_letters_max, seed);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(events_that_become_tasks) // A177

BOOST_AUTO_TEST_CASE(every_refusal_of_a_queue_has_its_meaning) {
  const std::map<post_verdict, std::vector<errc>> meanings{
      {post_verdict::delivered, {errc::none, errc::already_exists}},
      {post_verdict::not_now,
       {errc::not_found, errc::overloaded, errc::unavailable, errc::fenced, errc::limit_reached}},
      {post_verdict::refused,
       {errc::payload_invalid, errc::too_large, errc::invalid_argument, errc::wrong_state,
        errc::refused_by_store}}};
  for (const auto& [verdict, codes] : meanings)
    for (const auto code : codes)
      BOOST_TEST((answer_of({code, "why"}).verdict == verdict), to_string(code));
  BOOST_TEST(answer_of({errc::overloaded, "why"}).reason == "overloaded: why");
  BOOST_TEST(answer_of({}).reason == "");
}

BOOST_AUTO_TEST_CASE(events_taken_by_the_queue_go_on_and_the_rest_comes_again) {
  const failure taken;
  const failure full{errc::overloaded, "full"};
  const failure wrong{errc::payload_invalid, "wrong"};
  struct expected {
    std::vector<failure> outcomes;
    post_verdict verdict;
    std::size_t events;
  };
  const expected all[] = {
      {{taken, taken}, post_verdict::delivered, 2},
      {{taken, full, full}, post_verdict::delivered, 1},
      {{taken, wrong}, post_verdict::delivered, 1},
      {{full, full}, post_verdict::not_now, 2},
      {{full, taken}, post_verdict::not_now, 2},
      {{wrong, taken, full}, post_verdict::refused, 1},
      {{wrong}, post_verdict::refused, 1},
  };
  for (const auto& one : all) {
    const auto judged = judge_tasks(one.outcomes);
    BOOST_TEST((judged.answer.verdict == one.verdict));
    BOOST_TEST(judged.events == one.events);
  }
}

BOOST_AUTO_TEST_CASE(a_task_has_the_id_of_its_event_and_of_no_other) {
  uuid_source source{7};
  const auto at = from_micros(1'700'000'000'000'000);
  const webhook_id first{source.next(at)};
  const webhook_id second{source.next(at)};
  BOOST_TEST((event_task_id(first, 3, 17) == event_task_id(first, 3, 17)));
  std::set<task_id> ids;
  std::size_t made = 0;
  for (const auto& webhook : {first, second})
    for (const shard_id shard : {0U, 1U, 2U, 1023U})
      for (const event_seq seq :
           {event_seq{1}, event_seq{2}, event_seq{255}, event_seq{256}, event_seq{1} << 40U}) {
        const auto id = event_task_id(webhook, shard, seq);
        ids.insert(id);
        ++made;
        BOOST_TEST((time_of(id.value) == time_of(webhook.value)));
        BOOST_TEST((id.value.bytes[6] >> 4) == 8); // RFC 9562: version 8, variant 10
        BOOST_TEST((id.value.bytes[8] >> 6) == 2);
      }
  BOOST_TEST(ids.size() == made);
}

BOOST_AUTO_TEST_CASE(a_task_has_its_event_as_it_is_posted) {
  const outgoing_event e{17, R"({"type":"UnitFinalized"})"};
  const auto body = event_body(3, e);
  BOOST_TEST(body == R"({"shard":3,"seq":17,"event":{"type":"UnitFinalized"}})");
  BOOST_TEST(post_body("billing", 3, {{e}, 17})
             == R"({"webhook":"billing","events":[)" + body + "]}");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(definitions_of_webhooks)

BOOST_AUTO_TEST_CASE(a_name_is_that_of_a_file_and_of_nothing_else) {
  for (const auto* name : {"a", "billing-2", "0.x_y"})
    BOOST_TEST(is_webhook_name(name), name);
  BOOST_TEST(is_webhook_name(std::string(64, 'a')));
  for (const auto* name : {"", ".", "..", "../x", "a/b", "A", "-x", "_x", "a b"})
    BOOST_TEST(!is_webhook_name(name), name);
  BOOST_TEST(!is_webhook_name(std::string(65, 'a')));
}

BOOST_AUTO_TEST_CASE(a_url_is_http_and_shows_no_password) {
  for (const auto* url : {"https://example.com", "http://[::1]:8080/a?b=c", "https://x/a@b"}) {
    auto definition = sound_definition();
    definition.url = url;
    BOOST_TEST(places_of(definition).empty(), url);
  }
  for (const auto* url :
       {"", "example.com", "ftp://x/", "file:///etc/passwd", "https://", "https:///x",
        "https://u:p@x/", "https://u@x", "https://x/\n", "https://x/\xc3\xa4", "https://x/a b"}) {
    auto definition = sound_definition();
    definition.url = url;
    const auto places = places_of(definition);
    BOOST_TEST(!places.empty(), url);
    for (const auto& place : places)
      BOOST_TEST(place == "/url");
  }
}

// A177
BOOST_AUTO_TEST_CASE(a_queue_has_the_name_of_one_and_needs_no_receiver) {
  webhook_definition definition;
  for (const auto* name : {"mail", "a-b.c_1", "-"}) {
    definition.tasks = event_tasks{name, "event"};
    BOOST_TEST(places_of(definition).empty(), name);
  }
  for (const auto& name :
       {std::string{}, std::string{"Mail"}, std::string{"a/b"}, std::string(65, 'a')}) {
    definition.tasks = event_tasks{name, "event"};
    BOOST_TEST(places_of(definition) == std::vector<std::string>{"/queue"},
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_webhook_wants_events_of_queues_that_can_have_some) {
  auto definition = sound_definition();
  definition.queues = {"mail", "orders"};
  BOOST_TEST(places_of(definition).empty());
  definition.types = {event_type::unit_finalized, event_type::task_dead};
  BOOST_TEST(places_of(definition).empty());
  // All that is wanted would be left out.
  definition.types = {event_type::unit_finalized};
  BOOST_TEST(places_of(definition) == std::vector<std::string>{"/types"},
             boost::test_tools::per_element());
  definition.types.clear();
  definition.queues = {"mail", "Mail"};
  BOOST_TEST(places_of(definition) == std::vector<std::string>{"/queues/1"},
             boost::test_tools::per_element());
  definition.queues.assign(webhook_queues_max, "mail");
  BOOST_TEST(places_of(definition).empty());
  definition.queues.emplace_back("mail");
  BOOST_TEST(places_of(definition) == std::vector<std::string>{"/queues"},
             boost::test_tools::per_element());
}

// Each task of an event would make an event, and that a task.
BOOST_AUTO_TEST_CASE(a_queue_gets_no_events_of_its_own_tasks) {
  webhook_definition definition;
  definition.tasks = event_tasks{"mail", "event"};
  definition.queues = {"orders"};
  BOOST_TEST(places_of(definition).empty());
  definition.queues = {"orders", "mail"};
  BOOST_TEST(places_of(definition) == std::vector<std::string>{"/queues/1"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_number_has_bounds) {
  struct bound {
    const char* place;
    void (*break_it)(webhook_definition&);
  };
  const bound bounds[] = {
      {"/secret", [](auto& d) { d.secret = "whsec_abc="; }},
      {"/retry/max_attempts", [](auto& d) { d.policy.attempts_max = 0; }},
      {"/retry/max_attempts", [](auto& d) { d.policy.attempts_max = 1001; }},
      {"/retry/least_seconds", [](auto& d) { d.policy.least = 0s; }},
      {"/retry/most_seconds", [](auto& d) { d.policy.most = d.policy.least - 1us; }},
      {"/retry/most_seconds", [](auto& d) { d.policy.most = 24h + 1us; }},
      {"/timeout_seconds", [](auto& d) { d.policy.timeout = 99ms; }},
      {"/timeout_seconds", [](auto& d) { d.policy.timeout = 301s; }},
      {"/failing_after", [](auto& d) { d.policy.failing_after = 0; }},
      {"/dead_letters_max", [](auto& d) { d.policy.dead_letters_max = 1'000'001; }},
      {"/batch/events", [](auto& d) { d.policy.batch_events = 1001; }},
      {"/batch/bytes", [](auto& d) { d.policy.batch_bytes = 0; }},
  };
  BOOST_TEST(places_of(sound_definition()).empty());
  for (const auto& [place, break_it] : bounds) {
    auto definition = sound_definition();
    break_it(definition);
    BOOST_TEST(places_of(definition) == std::vector<std::string>{place},
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()
