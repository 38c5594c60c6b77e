// Webhooks: every event comes to its receiver at least once, in the order of its shard, whatever
// dies; what cannot be delivered is kept where people see it.

#include "tests/support/node_fixture.hpp"
#include "tests/support/recording_sender.hpp"

#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

const std::string webhook_definition =
    R"({"url":"https://example.com/","secret":"billing","start":"oldest",)"
    R"("retry":{"max_attempts":3,"least_seconds":1,"most_seconds":10},"failing_after":3,)"
    R"("batch":{"events":2}})";

struct webhook_node : node_fixture {
  webhook_node() {
    prepare();
    start_node();
  }

  void start_node() {
    node->settings.webhooks = receiver;
    start();
  }
  /// SIGKILL, and the next process.
  void restart_node() {
    node->kill();
    prepare();
    start_node();
    advance(2s);
  }
  void start_with_units(std::size_t units) {
    step = create();
    shard = core::shard_of(step, node->settings.shards);
    feed(step, units);
  }
  core::errc put(const std::string& what = webhook_definition,
                 const std::string& name = "billing") {
    const auto code = call(msg::put_webhook{name, what}).code();
    advance(2s);
    return code;
  }
  core::errc change(std::uint8_t verb) {
    const auto code = call(msg::change_webhook{"billing", verb}).code();
    advance(2s);
    return code;
  }
  msg::webhook_view view(const std::string& name = "billing") {
    const auto list = call(msg::list_webhooks{name});
    BOOST_REQUIRE(list.value);
    BOOST_REQUIRE_EQUAL(list.value->webhooks.size(), 1U);
    return list.value->webhooks.front();
  }
  msg::webhook_place place() { return view().places.at(shard); }
  core::event_seq newest() const { return database->tables().shards[shard].event_seq; }

  /// Events of `shard` in each attempt since `first`.
  std::vector<std::vector<core::event_seq>> posted(std::size_t first = 0) const {
    std::vector<std::vector<core::event_seq>> all;
    for (auto i = first; i < receiver->attempts.size(); ++i) {
      const auto body = nlohmann::json::parse(receiver->attempts[i].post.body);
      std::vector<core::event_seq> sent_seqs;
      for (const auto& e : body.at("events"))
        if (e.at("shard").get<core::shard_id>() == shard)
          sent_seqs.push_back(e.at("seq").get<core::event_seq>());
      if (!sent_seqs.empty())
        all.push_back(std::move(sent_seqs));
    }
    return all;
  }
  void always(std::uint32_t status) {
    receiver->at_once = [=](const connectors::webhook_post&) { return answered(status); };
  }
  msg::webhook_replayed replay(std::uint8_t what, core::event_seq after = 0,
                               std::uint32_t limit = 1000) {
    const auto answer = call(msg::replay_webhook{"billing", shard, what, after, limit});
    BOOST_REQUIRE_MESSAGE(answer.value, (answer.error ? answer.error->detail : ""));
    return *answer.value;
  }

  std::shared_ptr<recording_sender> receiver = std::make_shared<recording_sender>();
  core::step_id step;
  core::shard_id shard = 0;
};

using sent_seqs = std::vector<std::vector<core::event_seq>>;

} // namespace

BOOST_FIXTURE_TEST_SUITE(webhooks_of_a_node, webhook_node) // A159

BOOST_AUTO_TEST_CASE(events_are_posted_in_order_and_the_position_follows) {
  always(200);
  start_with_units(2); // three events: the step, two units
  BOOST_TEST((put() == core::errc::none));
  BOOST_TEST((posted() == sent_seqs{{1, 2}, {3}}));
  BOOST_TEST(place().position == 3U);
  work(step, "ana");
  settle();
  BOOST_TEST(place().position == newest());
  const auto& post = receiver->attempts.front().post;
  const auto body = nlohmann::json::parse(post.body);
  BOOST_TEST(body.at("webhook") == "billing");
  BOOST_TEST(body.at("events").at(0).at("event").at("type") == "JobStepUpdated");
  BOOST_TEST(post.url == "https://example.com/");
  BOOST_TEST(post.secret == "billing");
  BOOST_TEST((post.timeout == 30s));
  const auto id = core::to_string(database->tables().webhooks.begin()->first);
  BOOST_TEST(post.id == id + '-' + std::to_string(shard) + "-1-2");
  BOOST_TEST(view().state == "active");
}

BOOST_AUTO_TEST_CASE(the_position_is_stored_after_the_answer_and_not_before) {
  start_with_units(2);
  put();
  BOOST_TEST((posted() == sent_seqs{{1, 2}}));
  BOOST_TEST(place().position == 0U);
  restart_node();
  BOOST_TEST((posted(1) == sent_seqs{{1, 2}}));
  receiver->answer(answered(200));
  settle();
  BOOST_TEST(place().position == 2U);
  BOOST_TEST((posted(2) == sent_seqs{{3}}));
}

BOOST_AUTO_TEST_CASE(failed_delivery_is_tried_again_and_then_a_dead_letter) {
  always(503);
  start_with_units(2);
  put();
  advance(60s);
  BOOST_TEST((posted() == sent_seqs{{1, 2}, {1, 2}, {1, 2}, {3}, {3}, {3}}));
  // The third in a row stopped it, with nothing lost.
  BOOST_TEST(view().state == "failing");
  BOOST_TEST(place().stopped
             == "3 events in a row could not be delivered (failing_after); HTTP 503");
  BOOST_TEST(place().dead_letters == 3U);
  BOOST_TEST(place().position == 3U);
  const auto page = call(msg::list_dead_letters{"billing", shard, 0, 100});
  BOOST_REQUIRE(page.value);
  BOOST_REQUIRE_EQUAL(page.value->letters.size(), 3U);
  const auto& letter = page.value->letters.front();
  BOOST_TEST(letter.seq == 1U);
  BOOST_TEST(letter.status == 503U);
  BOOST_TEST(letter.reason == "HTTP 503");
  BOOST_TEST(nlohmann::json::parse(letter.event).at("type") == "JobStepUpdated");
}

BOOST_AUTO_TEST_CASE(stopped_webhook_goes_on_when_it_is_resumed) {
  always(410);
  start_with_units(2);
  put();
  advance(60s);
  BOOST_TEST(posted().size() == 1U);
  BOOST_TEST(place().stopped == "HTTP 410");
  BOOST_TEST(place().position == 0U);
  restart_node();
  advance(60s);
  BOOST_TEST(posted().size() == 1U); // nor after a crash
  always(200);
  BOOST_TEST((change(2) == core::errc::none));
  BOOST_TEST((posted(1) == sent_seqs{{1, 2}, {3}}));
  BOOST_TEST(view().state == "active");
  BOOST_TEST(place().stopped == "");
}

BOOST_AUTO_TEST_CASE(a_paused_webhook_waits_and_misses_nothing) {
  always(200);
  start_with_units(1);
  put();
  BOOST_TEST((change(1) == core::errc::none));
  BOOST_TEST(view().state == "paused");
  const auto before = posted().size();
  feed(step, 2, 1);
  advance(120s);
  BOOST_TEST(posted().size() == before);
  change(2);
  BOOST_TEST((posted(before) == sent_seqs{{3, 4}}));
}

BOOST_AUTO_TEST_CASE(a_removed_webhook_is_gone_with_its_dead_letters) {
  always(400);
  start_with_units(3);
  put();
  BOOST_TEST((change(3) == core::errc::none));
  BOOST_TEST(call(msg::list_webhooks{}).value->webhooks.empty());
  BOOST_TEST(database->tables().dead_letters.empty());
  BOOST_TEST((change(3) == core::errc::not_found));
  const auto before = posted().size();
  feed(step, 1, 3);
  advance(60s);
  BOOST_TEST(posted().size() == before);
  always(200);
  put(); // under the same name it is another one
  BOOST_TEST(place().position == newest());
}

BOOST_AUTO_TEST_CASE(dead_letters_are_replayed_once_and_go_when_they_arrive) {
  always(400);
  start_with_units(2);
  put();
  BOOST_TEST(place().dead_letters == 3U);
  auto before = posted().size();
  const auto again = replay(1, 0, 2);
  BOOST_TEST(again.dead_letters == 2U);
  BOOST_TEST(again.last == 2U);
  advance(60s);
  BOOST_TEST((posted(before) == sent_seqs{{1, 2}})); // refused again: dead again
  BOOST_TEST(place().dead_letters == 3U);
  always(200);
  before = posted().size();
  BOOST_TEST(replay(1, again.last).dead_letters == 1U);
  advance(60s);
  BOOST_TEST((posted(before) == sent_seqs{{3}}));
  BOOST_TEST(place().dead_letters == 2U);
  BOOST_TEST(replay(2).dead_letters == 2U);
  BOOST_TEST(place().dead_letters == 0U);
  BOOST_TEST(view().state == "failing"); // it goes on when somebody says so
}

BOOST_AUTO_TEST_CASE(a_replay_that_was_accepted_survives_a_crash) {
  always(400);
  start_with_units(2);
  put();
  receiver->at_once = nullptr;
  replay(1);
  advance(2s);
  const auto before = receiver->attempts.size();
  always(200);
  restart_node();
  BOOST_TEST((posted(before) == sent_seqs{{1, 2}, {3}}));
  BOOST_TEST(place().dead_letters == 0U);
}

// A179: whoever took the request may be gone before it is durable
BOOST_AUTO_TEST_CASE(a_replay_that_becomes_durable_behind_a_crash_is_found) {
  always(400);
  start_with_units(2);
  put();
  always(200);
  bool held_up = false;
  database->set_commit_faults([&](const persistence::write_batch& batch) {
    for (const auto& part : batch.shards)
      for (const auto& change : part.changes)
        for (const auto& write : change.writes)
          if (std::holds_alternative<core::replay_dead_letter>(write)) {
            held_up = true;
            return persistence::commit_fault::unavailable; // the writer tries again in a moment
          }
    return persistence::commit_fault::none;
  });
  const auto asked = send_to_node(msg::replay_webhook{"billing", shard, 1, 0, 1000});
  settle();
  BOOST_REQUIRE(held_up);
  for (const auto& delivery : actors_named("webhook_delivery"))
    crash(delivery);
  advance(5s); // the next life has looked for such letters
  database->set_commit_faults(nullptr);
  const auto before = posted().size();
  advance(2min);
  BOOST_TEST((posted(before) == sent_seqs{{1, 2}, {3}}));
  BOOST_TEST(place().dead_letters == 0U);
}

BOOST_AUTO_TEST_CASE(letter_forgotten_during_its_delivery_does_not_come_back) {
  always(400);
  start_with_units(2);
  put();
  receiver->at_once = nullptr;
  BOOST_TEST(replay(1).dead_letters == 3U);
  advance(2s);
  BOOST_TEST(replay(2).dead_letters == 3U);
  receiver->answer(answered(400));
  advance(60s);
  BOOST_TEST(place().dead_letters == 0U);
  BOOST_TEST(call(msg::list_dead_letters{"billing", shard, 0, 100}).value->letters.empty());
}

// What was delivered and forgotten at once is not counted twice: the count would wrap, and stop it.
BOOST_AUTO_TEST_CASE(letter_forgotten_while_it_arrives_counts_once) {
  always(400);
  start_with_units(2);
  put(R"({"url":"https://example.com/","secret":"billing","start":"oldest",)"
      R"("failing_after":100,"batch":{"events":2}})");
  BOOST_TEST(place().dead_letters == 3U);
  receiver->at_once = nullptr;
  BOOST_TEST(replay(1).dead_letters == 3U);
  advance(2s);
  held_back = "writer";
  const auto forgotten = send_to_node(msg::replay_webhook{"billing", shard, 2, 0, 1000});
  settle();
  always(200); // it is tried once more while the other request is under way
  const auto before = posted().size();
  advance(2s);
  BOOST_TEST((posted(before) == sent_seqs{{1, 2}}));
  held_back.clear();
  advance(2s);
  BOOST_REQUIRE(forgotten->value);
  BOOST_TEST(place().dead_letters == 0U);
  always(400);
  work(step, "ana");
  advance(2s);
  BOOST_TEST(place().stopped == "");
  BOOST_TEST(place().dead_letters > 0U);
}

// A receiver that asked to be left alone is left alone, whatever else goes wrong meanwhile.
BOOST_AUTO_TEST_CASE(a_look_for_dead_letters_that_fails_shortens_no_pause) {
  always(503);
  start_with_units(2);
  put(R"({"url":"https://example.com/","secret":"billing","start":"oldest",)"
      R"("retry":{"max_attempts":5,"least_seconds":60,"most_seconds":60}})");
  BOOST_REQUIRE(posted().size() == 1U);
  int looks = 0; // the first is the request's own
  database->set_read_faults(
      [&](std::string_view read) { return read == "list_dead_letters" && ++looks == 2; });
  replay(1);
  BOOST_TEST(looks == 2);
  advance(10s);
  BOOST_TEST(looks == 3);
  BOOST_TEST(posted().size() == 1U);
  advance(60s);
  BOOST_TEST(posted().size() == 2U);
  database->set_read_faults(nullptr);
}

BOOST_AUTO_TEST_CASE(requests_for_a_webhook_that_goes_while_its_delivery_begins_are_refused) {
  start_with_units(2);
  bool away = true;
  int lists = 1000;
  database->set_read_faults([&](std::string_view read) {
    return (read == "webhook_places" && away) || (read == "list_webhooks" && lists-- <= 0);
  });
  put();
  const auto waiting = send_to_node(msg::replay_webhook{"billing", shard, 1, 0, 1000});
  advance(2s);
  BOOST_TEST(!waiting->arrived());
  lists = 1; // it is removed, and the node does not notice that
  BOOST_REQUIRE(call(msg::change_webhook{"billing", 3}).value);
  away = false;
  advance(2s);
  BOOST_TEST((waiting->code() == core::errc::not_found));
  BOOST_TEST(
      (call(msg::replay_webhook{"billing", shard, 1, 0, 1000}).code() == core::errc::not_found));
  database->set_read_faults(nullptr);
}

BOOST_AUTO_TEST_CASE(delivery_can_begin_again_behind_a_position) {
  always(200);
  start_with_units(3);
  put();
  const auto before = posted().size();
  BOOST_TEST(replay(3, 1).last == 1U);
  settle();
  BOOST_TEST((posted(before) == sent_seqs{{2, 3}, {4}}));
  BOOST_TEST(place().position == 4U);
  const auto ahead = call(msg::replay_webhook{"billing", shard, 3, 5, 1});
  BOOST_TEST((ahead.code() == core::errc::invalid_argument));
  BOOST_TEST(view().state == "active");
}

BOOST_AUTO_TEST_CASE(a_receiver_that_never_answers_holds_up_no_other) {
  receiver->at_once = nullptr;
  start_with_units(2);
  put();
  const auto before = receiver->attempts.size();
  always(200);
  put(webhook_definition, "search");
  BOOST_TEST((posted(before) == sent_seqs{{1, 2}, {3}}));
  BOOST_TEST(view("search").places.at(shard).position == 3U);
  BOOST_TEST(place().position == 0U);
}

BOOST_AUTO_TEST_CASE(only_what_is_wanted_is_posted_and_the_rest_is_passed) {
  always(200);
  start_with_units(2);
  put(R"({"url":"https://example.com/","secret":"s","start":"oldest","types":["UnitFinalized"]})");
  advance(120s);
  BOOST_TEST(posted().empty());
  BOOST_TEST(place().position == newest());
  work(step, "ana");
  work(step, "bob");
  settle();
  BOOST_REQUIRE_EQUAL(posted().size(), 1U);
}

BOOST_AUTO_TEST_CASE(of_one_workflow_or_of_none_that_exists) {
  always(200);
  start_with_units(2);
  const auto workflow = database->tables().steps.begin()->second.row.workflow;
  const auto of = [](const core::workflow_id& id) {
    return R"({"url":"https://example.com/","secret":"s","start":"oldest","workflow":")"
           + core::to_string(id) + "\"}";
  };
  BOOST_TEST((put(of({ids.next(now())})) == core::errc::not_found));
  BOOST_TEST((put(of(workflow)) == core::errc::none));
  const auto other = create();
  feed(other, 2);
  advance(120s);
  for (const auto& one : receiver->attempts) {
    const auto body = nlohmann::json::parse(one.post.body);
    for (const auto& e : body.at("events"))
      BOOST_TEST(e.at("event").at("step_id") == core::to_string(step));
  }
  BOOST_TEST((posted() == sent_seqs{{1, 2, 3}}));
}

// A step that comes with a later version of the workflow is the workflow's, too. A72, A159
BOOST_AUTO_TEST_CASE(steps_that_a_workflow_gets_later_are_followed_from_their_first_event) {
  always(200);
  const auto steps =
      create_steps(workflow_json("w", {step_json("a", 1, {"b"}), step_json("b", 1, {})}));
  const auto workflow = core::to_string(database->tables().steps.begin()->second.row.workflow);
  BOOST_TEST((put(R"({"url":"https://example.com/","secret":"s","start":"oldest","workflow":")"
                  + workflow + "\"}")
              == core::errc::none));
  const auto changed = call(
      msg::update_workflow{steps[0], 1,
                           workflow_json("w", {step_json("a", 1, {"c"}), step_json("c", 1, {"b"}),
                                               step_json("b", 1, {})}),
                           false});
  BOOST_REQUIRE(changed.value);
  const auto added = core::to_string(changed.value->steps.at(1).step);
  feed(steps[0], 1);
  work(steps[0], "ana");
  advance(120s);
  std::multiset<std::string> of_added;
  for (const auto& one : receiver->attempts) {
    const auto body = nlohmann::json::parse(one.post.body);
    for (const auto& e : body.at("events"))
      if (e.at("event").at("step_id") == added)
        of_added.insert(e.at("event").at("type").get<std::string>());
  }
  BOOST_TEST((of_added == std::multiset<std::string>{"JobStepUpdated", "UnitReadyForAssignment"}));
}

// As steps and queues that keep crashing: others are not to pay for its restarts.
BOOST_AUTO_TEST_CASE(a_delivery_that_keeps_crashing_is_left_alone_for_a_while) {
  always(200);
  start_with_units(1);
  put();
  const auto running = [&] { return actors_named("webhook_delivery").size(); };
  const auto all = running();
  BOOST_REQUIRE(all > 0);
  const auto crash_all = [&] {
    for (const auto& one : actors_named("webhook_delivery"))
      crash(one);
    advance(2s);
  };
  for (int crashed = 0; crashed < 5; ++crashed) { // so many restarts in a minute are tried
    crash_all();
    BOOST_TEST(running() == all);
  }
  crash_all();
  BOOST_TEST(running() == 0U);
  advance(50s);
  BOOST_TEST(running() == 0U);
  advance(10s);
  BOOST_TEST(running() == all);
  for (int crashed = 0; crashed < 6; ++crashed)
    crash_all();
  BOOST_TEST(running() == 0U);
  // Somebody has changed it: that may have been the reason.
  auto other = webhook_definition;
  other.insert(1, R"("timeout_seconds":5,)");
  put(other);
  BOOST_TEST(running() == all);
  feed(step, 1, 1);
  advance(1s);
  BOOST_TEST(place().position == newest());
}

// The writer takes nothing more from an actor that it has refused.
BOOST_AUTO_TEST_CASE(a_change_that_the_database_refuses_costs_only_that_change) {
  always(200);
  database->set_refusals([](const core::change& c) {
    return !c.writes.empty() && std::holds_alternative<core::put_webhook>(c.writes[0]);
  });
  BOOST_TEST((call(msg::put_webhook{"billing", webhook_definition}).code()
              == core::errc::refused_by_store));
  database->set_refusals(nullptr);
  BOOST_TEST(call(msg::put_webhook{"billing", webhook_definition}).value->revision == 1U);
  BOOST_TEST(call(msg::put_webhook{"other", webhook_definition}).value->revision == 1U);
}

BOOST_AUTO_TEST_CASE(the_same_definition_again_changes_nothing) {
  always(200);
  BOOST_TEST(call(msg::put_webhook{"billing", webhook_definition}).value->revision == 1U);
  BOOST_TEST(call(msg::put_webhook{"billing", webhook_definition}).value->revision == 1U);
  auto other = webhook_definition;
  other.insert(1, R"("timeout_seconds":5,)");
  BOOST_TEST(call(msg::put_webhook{"billing", other}).value->revision == 2U);
  BOOST_TEST(view().definition == other);
}

BOOST_AUTO_TEST_CASE(mistakes_are_refused_with_their_places) {
  const auto wrong = call(msg::put_webhook{"billing", R"({"url":"ftp://x","secrets":"y"})"});
  BOOST_TEST((wrong.code() == core::errc::payload_invalid));
  BOOST_TEST(
      (call(msg::put_webhook{"../x", webhook_definition}).code() == core::errc::invalid_argument));
  BOOST_TEST((call(msg::change_webhook{"billing", 4}).code() == core::errc::invalid_argument));
  BOOST_TEST((call(msg::change_webhook{"billing", 1}).code() == core::errc::not_found));
  BOOST_TEST((call(msg::list_dead_letters{"billing", 0, 0, 10}).code() == core::errc::not_found));
  BOOST_TEST(
      (call(msg::list_dead_letters{"billing", 0, 0, 101}).code() == core::errc::invalid_argument));
  BOOST_TEST((call(msg::replay_webhook{"billing", 0, 1, 0, 10}).code() == core::errc::not_found));
  BOOST_TEST(
      (call(msg::replay_webhook{"billing", 99, 1, 0, 10}).code() == core::errc::invalid_argument));
  BOOST_TEST(
      (call(msg::replay_webhook{"billing", 0, 4, 0, 10}).code() == core::errc::invalid_argument));
  for (std::size_t i = 0; i < core::webhooks_most; ++i)
    BOOST_TEST((call(msg::put_webhook{"w" + std::to_string(i), webhook_definition}).code()
                == core::errc::none));
  BOOST_TEST(
      (call(msg::put_webhook{"one-more", webhook_definition}).code() == core::errc::limit_reached));
}

// Whatever dies and whatever is answered: nothing is skipped, and what is new comes in order.
BOOST_AUTO_TEST_CASE(no_event_is_skipped_by_crashes) {
  std::mt19937_64 chance{7};
  always(200);
  start_with_units(1);
  put();
  std::set<core::event_seq> got;
  const auto take = [&](std::size_t first) {
    for (const auto& batch : posted(first))
      got.insert(batch.begin(), batch.end());
  };
  take(0);
  for (int round = 0; round < 15; ++round) {
    const auto first = receiver->attempts.size();
    switch (chance() % 3) {
    case 0:
      always(200);
      break;
    case 1:
      always(500);
      break;
    default:
      receiver->at_once = nullptr;
    }
    const bool delivers = receiver->at_once && receiver->at_once({}).status == 200;
    feed(step, 1 + chance() % 3, static_cast<std::size_t>(round) * 10 + 10);
    if (chance() % 2 == 0)
      restart_node();
    if (delivers)
      take(first);
    BOOST_TEST_REQUIRE(got.size() >= place().position - place().dead_letters);
  }
  always(200);
  change(2);
  restart_node();
  advance(60s);
  BOOST_TEST(place().position == newest());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
