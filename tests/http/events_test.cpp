// Lists and streams of events, and waits for results, over a feed that the test writes: without
// sockets, nodes and a database.

#include "core/change.hpp"
#include "core/errors.hpp"
#include "core/ids.hpp"
#include "core/outcome.hpp"
#include "http/gateway_client.hpp"
#include "http/service.hpp"
#include "messages/errors.hpp"
#include "messages/event_messages.hpp"
#include "messages/workflow_messages.hpp"
#include "tests/http/fake_gateway.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// The events of two shards, and those who read them.
struct fake_feed {
  struct held_read {
    msg::read_events asked;
    caf::typed_response_promise<msg::event_page> promise;
  };

  std::map<core::shard_id, std::vector<msg::published_event>> events;
  core::event_seq pruned = 0; ///< Of each shard.
  std::map<core::unit_id, msg::unit_view> units;
  std::vector<core::step_id> steps; ///< Of the only workflow.
  std::vector<msg::read_events> asked;
  std::vector<held_read> waiting;
  std::size_t units_read = 0;
  core::failure fault; ///< Of every read of events, while it has a code.

  static constexpr std::uint32_t shards = 2;

  core::event_seq newest(core::shard_id shard) {
    const auto& all = events[shard];
    return all.empty() ? pruned : all.back().seq;
  }

  /// The answer to a read; none while there is nothing to tell.
  std::optional<core::outcome<msg::event_page>> answer_to(const msg::read_events& m) {
    if (fault.code != core::errc::none)
      return fault;
    const auto last = newest(m.shard);
    auto after = m.after;
    if (m.from != static_cast<std::uint8_t>(core::event_start::after))
      after = m.from == static_cast<std::uint8_t>(core::event_start::newest) ? last : pruned;
    if (after < pruned)
      return core::failure{core::errc::events_gone, "not kept any more"};
    if (after > last)
      return core::failure{core::errc::invalid_argument, "lies ahead"};
    msg::event_page page{m.shard, after, last, {}};
    for (const auto& one : events[m.shard])
      if (one.seq > after && page.events.size() < m.limit) {
        page.position = one.seq;
        const bool is_wanted = std::any_of(m.types.begin(), m.types.end(), [&](const auto& type) {
          return contains(one.event, type);
        });
        if (m.types.empty() || is_wanted)
          page.events.push_back(one);
      }
    if (page.position == after && m.wait > core::duration::zero())
      return std::nullopt;
    return page;
  }

  caf::result<msg::event_page> read(caf::event_based_actor* self, const msg::read_events& m) {
    asked.push_back(m);
    if (auto answer = answer_to(m)) {
      if (!*answer)
        return msg::to_error(answer->error());
      return std::move(**answer);
    }
    waiting.push_back({m, self->make_response_promise<msg::event_page>()});
    return waiting.back().promise;
  }

  /// Answers reads for which there is something now.
  void wake() {
    for (auto at = waiting.begin(); at != waiting.end();) {
      auto answer = answer_to(at->asked);
      if (!answer) {
        ++at;
        continue;
      }
      if (*answer)
        at->promise.deliver(std::move(**answer));
      else
        at->promise.deliver(msg::to_error(answer->error()));
      at = waiting.erase(at);
    }
  }
};

caf::behavior feed_actor(caf::event_based_actor* self, std::shared_ptr<fake_feed> feed) {
  return {
      [=](const msg::read_events& m) { return feed->read(self, m); },
      [=](const msg::get_node_status&) -> caf::result<msg::node_status> {
        msg::node_status status;
        status.shards_total = fake_feed::shards;
        return status;
      },
      [=](const msg::get_unit& m) -> caf::result<msg::unit_view> {
        ++feed->units_read;
        return feed->units.at(m.unit);
      },
      [=](const msg::get_workflow& m) -> caf::result<msg::workflow_view> {
        msg::workflow_view view;
        view.workflow = m.workflow;
        view.latest = 1;
        view.version = 1;
        for (const auto& one : feed->steps) {
          view.steps.emplace_back();
          view.steps.back().step = one;
        }
        return view;
      },
      [=](http::errand& what) { what.run(self); },
  };
}

struct events_fixture : door_fixture {
  events_fixture() { feeder = system.spawn(feed_actor, feed); }
  ~events_fixture() {
    caf::anon_send_exit(feeder, caf::exit_reason::user_shutdown);
    settle();
  }

  void pass(core::duration span) {
    dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler()).advance_time(span);
    settle();
  }

  /// An event is committed.
  void commit(core::shard_id shard, std::string_view type = "UnitFinalized",
              const core::unit_id& about = {}, const core::step_id& in = {}) {
    json event{{"type", type}};
    if (in)
      event["step_id"] = core::to_string(in);
    if (about)
      event["unit_id"] = core::to_string(about);
    feed->events[shard].push_back({feed->newest(shard) + 1, event.dump()});
    wake();
  }
  /// A task of a queue has ended.
  void commit_end(core::shard_id shard, std::string_view type, std::string_view queue) {
    const json event{{"type", type},
                     {"queue", queue},
                     {"task_id", unit_text},
                     {"at", 1'700'000'000'123'456},
                     {"details", {{"task_type", "letter"}}}};
    feed->events[shard].push_back({feed->newest(shard) + 1, event.dump()});
    wake();
  }
  void wake() {
    caf::anon_send(feeder, http::errand{[feed = feed](caf::event_based_actor*) { feed->wake(); }});
    settle();
  }
  /// All reads of events fail from now on, also those that wait; with no code: no more.
  void break_feed(core::errc code) {
    feed->fault = {code, "of the test"};
    wake();
  }

  std::shared_ptr<fake_call> get(const std::string& target,
                                 std::vector<http::parameter> headers = {}) {
    http::request made;
    made.method = "GET";
    made.target = target;
    made.peer = "127.0.0.1";
    made.headers = std::move(headers);
    made.headers.push_back({"authorization", "Bearer requester"});
    auto call = std::make_shared<fake_call>(std::move(made));
    client.reach(caf::actor_cast<msg::gateway_actor>(feeder));
    http::serve(door, call);
    settle();
    return call;
  }
  std::shared_ptr<fake_call> stream(const std::string& query = "",
                                    const std::string& last_id = "") {
    std::vector<http::parameter> headers{{"accept", "text/event-stream"}};
    if (!last_id.empty())
      headers.push_back({"last-event-id", last_id});
    auto call = get("/v1/events" + query, std::move(headers));
    settle();
    return call;
  }

  static constexpr std::string_view unit_text = "018f0000-0000-7000-8000-0000000000b1";
  static constexpr std::string_view step_text = "018f0000-0000-7000-8000-0000000000a1";
  const core::unit_id unit{*core::parse_uuid(unit_text)};
  const core::step_id step{*core::parse_uuid(step_text)};
  const core::step_id other_step{*core::parse_uuid("018f0000-0000-7000-8000-0000000000a2")};

  const std::shared_ptr<fake_feed> feed = std::make_shared<fake_feed>();
  caf::actor feeder;
};

/// One event of a stream.
struct streamed {
  std::string id;
  std::string type;
  json data;

  std::string place() const {
    return std::to_string(data.at("shard").get<int>()) + '/'
           + std::to_string(data.at("seq").get<int>());
  }
};

/// The events of a stream's body, and the id that a client would come back with.
struct parsed_stream {
  std::vector<streamed> events;
  std::string last_id;

  explicit parsed_stream(std::string_view body) {
    streamed now;
    while (!body.empty()) {
      const auto end = body.find('\n');
      BOOST_REQUIRE(end != std::string_view::npos);
      const auto line = body.substr(0, end);
      body.remove_prefix(end + 1);
      const auto after = [&](std::string_view name) {
        return std::string{line.substr(name.size())};
      };
      if (line.empty()) {
        if (!now.id.empty())
          last_id = now.id;
        if (!now.data.is_null())
          events.push_back(now);
        now = {};
      } else if (line.substr(0, 4) == "id: ") {
        now.id = after("id: ");
      } else if (line.substr(0, 7) == "event: ") {
        now.type = after("event: ");
      } else if (line.substr(0, 6) == "data: ") {
        now.data = json::parse(after("data: "));
      }
    }
    BOOST_TEST(now.id.empty()); // pieces are whole events
  }

  std::vector<std::string> places() const {
    std::vector<std::string> all;
    for (const auto& one : events)
      all.push_back(one.place());
    return all;
  }
};

using place_list = std::vector<std::string>;

parsed_stream parsed(const std::shared_ptr<fake_call>& call) {
  BOOST_REQUIRE(call->stream);
  return parsed_stream{call->stream->body};
}

place_list event_places_of(const json& list) {
  place_list all;
  for (const auto& one : list.at("events"))
    all.push_back(std::to_string(one.at("shard").get<int>()) + '/'
                  + std::to_string(one.at("seq").get<int>()));
  return all;
}

BOOST_FIXTURE_TEST_SUITE(events, events_fixture)

// --- streams ---

BOOST_AUTO_TEST_CASE(a_stream_gets_new_events_of_all_shards) {
  commit(0);
  const auto call = stream();
  BOOST_REQUIRE(call->stream);
  BOOST_TEST(call->stream->head.status == 200U);
  BOOST_TEST(call->stream->head.content_type == "text/event-stream");
  BOOST_TEST(parsed(call).events.empty());
  commit(1, "UnitFinalized", unit, step);
  commit(0, "JudgmentReceived");
  pass(20ms);
  const auto got = parsed(call);
  BOOST_TEST(got.places() == (place_list{"1/1", "0/2"}), boost::test_tools::per_element());
  BOOST_TEST(got.events[0].type == "UnitFinalized");
  BOOST_TEST(got.events[0].data.at("event").at("unit_id") == unit_text);
  BOOST_TEST(!call->stream->is_finished);
}

BOOST_AUTO_TEST_CASE(a_stream_goes_on_exactly_behind_each_of_its_ids) {
  const auto first = stream();
  const auto begin = parsed(first).last_id;
  for (int i = 0; i < 6; ++i)
    commit(i % 2 == 0 ? 0 : 1);
  pass(1s);
  const auto all = parsed(first);
  BOOST_REQUIRE_EQUAL(all.events.size(), 6U);
  for (std::size_t i = 0; i <= all.events.size(); ++i) {
    const auto again = stream("", i == 0 ? begin : all.events[i - 1].id);
    auto rest = all.places();
    rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(i));
    auto got = parsed(again).places();
    std::sort(rest.begin(), rest.end());
    std::sort(got.begin(), got.end());
    BOOST_TEST(got == rest, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(readers_share_the_reads_of_each_shard) {
  std::vector<std::shared_ptr<fake_call>> all;
  for (int i = 0; i < 20; ++i)
    all.push_back(stream());
  commit(0);
  pass(1s);
  for (const auto& one : all)
    BOOST_TEST(parsed(one).events.size() == 1U);
  // For each shard one read that finds the newest event, and those of its tail.
  BOOST_TEST(feed->asked.size() == 5U);
}

BOOST_AUTO_TEST_CASE(a_reader_that_is_behind_reads_by_itself_and_then_with_the_others) {
  for (int i = 0; i < 1500; ++i)
    feed->events[0].push_back({static_cast<core::event_seq>(i + 1), R"({"type":"UnitFinalized"})"});
  const auto call = stream("?from=oldest");
  settle();
  commit(0);
  commit(1);
  pass(1s);
  auto got = parsed(call).places();
  BOOST_REQUIRE_EQUAL(got.size(), 1502U);
  BOOST_TEST(got.front() == "0/1");
  std::sort(got.begin(), got.end());
  BOOST_TEST((std::unique(got.begin(), got.end()) == got.end()));
}

BOOST_AUTO_TEST_CASE(nothing_is_skipped_while_the_host_of_a_shard_is_away) {
  const auto call = stream();
  commit(0);
  pass(1s);
  break_feed(core::errc::unavailable);
  feed->events[0].push_back({2, R"({"type":"UnitFinalized"})"});
  feed->events[0].push_back({3, R"({"type":"UnitFinalized"})"});
  pass(3s);
  BOOST_TEST(parsed(call).events.size() == 1U);
  break_feed(core::errc::none);
  pass(3s);
  pass(3s);
  BOOST_TEST(parsed(call).places() == (place_list{"0/1", "0/2", "0/3"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_stream_has_the_events_that_its_filter_lets_through) {
  feed->steps = {step};
  const auto of_type = stream("?types=UnitCanceled");
  const auto of_step = stream("?step_id=" + std::string{step_text});
  const auto of_unit = stream("?unit_id=" + std::string{unit_text});
  const auto of_workflow = stream("?workflow_id=018f0000-0000-7000-8000-0000000000c1");
  commit(0, "UnitFinalized", unit, step);
  commit(0, "UnitCanceled", {}, other_step);
  commit(1, "EventUnreadable");
  pass(1s);
  pass(1s);
  BOOST_TEST(parsed(of_type).places() == (place_list{"0/2", "1/1"}),
             boost::test_tools::per_element());
  BOOST_TEST(parsed(of_step).places() == (place_list{"0/1", "1/1"}),
             boost::test_tools::per_element());
  BOOST_TEST(parsed(of_unit).places() == (place_list{"0/1", "1/1"}),
             boost::test_tools::per_element());
  BOOST_TEST(parsed(of_workflow).places() == (place_list{"0/1", "1/1"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_stream_of_a_queue_has_the_ends_of_its_tasks_alone) {
  const auto of_mail = stream("?queue=mail");
  const auto dead_of_mail = stream("?queue=mail&types=TaskDead");
  const auto of_step = stream("?step_id=" + std::string{step_text});
  commit_end(0, "TaskCompleted", "mail");
  commit_end(0, "TaskDead", "mail");
  commit_end(1, "TaskDead", "orders");
  commit(1, "UnitFinalized", unit, step);
  commit(1, "EventUnreadable");
  pass(1s);
  pass(1s);
  BOOST_TEST(parsed(of_mail).places() == (place_list{"0/1", "0/2", "1/3"}),
             boost::test_tools::per_element());
  BOOST_TEST(parsed(dead_of_mail).places() == (place_list{"0/2", "1/3"}),
             boost::test_tools::per_element());
  BOOST_TEST(parsed(of_step).places() == (place_list{"1/2", "1/3"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_stream_has_cloudevents_on_request) {
  const auto call = stream("?envelope=cloudevents");
  commit_end(1, "TaskDead", "mail");
  commit(0, "UnitFinalized", unit, step);
  pass(1s);
  const auto got = parsed(call);
  BOOST_REQUIRE_EQUAL(got.events.size(), 2U);
  const auto& dead = got.events[0];
  BOOST_TEST(dead.type == "TaskDead");
  BOOST_TEST(dead.data.at("specversion") == "1.0");
  BOOST_TEST(dead.data.at("id") == "1-1");
  BOOST_TEST(dead.data.at("source") == "https://example.org/holdfast");
  BOOST_TEST(dead.data.at("type") == "holdfast.TaskDead");
  BOOST_TEST(dead.data.at("subject") == "queues/mail/tasks/" + std::string{unit_text});
  BOOST_TEST(dead.data.at("time") == "2023-11-14T22:13:20.123456Z");
  BOOST_TEST(dead.data.at("data").at("details").at("task_type") == "letter");
  BOOST_TEST(got.events[1].data.at("type") == "holdfast.UnitFinalized");
  // The stream goes on behind its ids as any other.
  const auto again = parsed(stream("?envelope=cloudevents", dead.id));
  BOOST_REQUIRE_EQUAL(again.events.size(), 1U);
  BOOST_TEST(again.events[0].data.at("id") == "0-1");
}

BOOST_AUTO_TEST_CASE(a_step_that_joins_a_workflow_later_is_among_its_events) {
  feed->steps = {step};
  const auto call = stream("?workflow_id=018f0000-0000-7000-8000-0000000000c1");
  commit(0, "UnitFinalized", unit, step);
  pass(1s);
  feed->steps.push_back(other_step);
  commit(0, "UnitFinalized", unit, other_step);
  pass(1s);
  BOOST_TEST(parsed(call).places() == (place_list{"0/1", "0/2"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_quiet_stream_says_that_it_is_there_and_where_it_is) {
  const auto call = stream();
  const auto before = call->stream->body.size();
  pass(15s);
  pass(15s);
  const auto said = call->stream->body.substr(before);
  BOOST_TEST(said.substr(0, 2) == ":\n");
  BOOST_TEST(!parsed(call).last_id.empty());
  BOOST_TEST(parsed(call).events.empty());
}

BOOST_AUTO_TEST_CASE(a_stream_ends_with_a_hint_when_the_node_drains) {
  const auto call = stream();
  call->stream->drain();
  settle();
  BOOST_TEST(call->stream->is_finished);
  BOOST_TEST(contains(call->stream->body, "retry: "));
  const auto length = call->stream->body.size();
  commit(0);
  pass(1s);
  BOOST_TEST(call->stream->body.size() == length);
}

BOOST_AUTO_TEST_CASE(tails_stop_when_the_last_reader_has_gone) {
  const auto call = stream();
  call->stream->hang_up();
  pass(15s);
  commit(0); // the reads that wait are answered, and no others follow
  commit(1);
  const auto before = feed->asked.size();
  commit(0);
  pass(1s);
  BOOST_TEST(feed->asked.size() == before);
}

BOOST_AUTO_TEST_CASE(a_place_that_is_not_kept_any_more_is_told) {
  const auto first = stream();
  const auto id = parsed(first).last_id;
  first->stream->hang_up();
  feed->pruned = 5;
  for (const core::shard_id shard : {0U, 1U})
    feed->events[shard] = {{6, R"({"type":"UnitFinalized"})"}};
  wake();
  pass(1s);
  const auto reply = reply_of(get("/v1/events?cursor=" + id));
  BOOST_TEST(reply.status == 410U, reply.body);
  BOOST_TEST(reply.code() == "events_gone");
}

// --- lists ---

BOOST_AUTO_TEST_CASE(a_list_goes_on_with_its_cursor) {
  for (int i = 0; i < 5; ++i)
    commit(static_cast<core::shard_id>(i % 2));
  const auto first = reply_of(get("/v1/events?from=oldest&limit=3")).json;
  BOOST_TEST(first.at("events").size() == 3U);
  const auto second =
      reply_of(get("/v1/events?limit=3&cursor=" + first.at("cursor").get<std::string>())).json;
  auto all = event_places_of(first);
  for (const auto& one : event_places_of(second))
    all.push_back(one);
  std::sort(all.begin(), all.end());
  BOOST_TEST(all == (place_list{"0/1", "0/2", "0/3", "1/1", "1/2"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_list_waits_for_its_first_event) {
  const auto call = get("/v1/events?wait=20");
  BOOST_TEST(call->answers.empty());
  commit(1);
  pass(20ms);
  BOOST_TEST(event_places_of(reply_of(call).json) == (place_list{"1/1"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_list_without_events_has_a_cursor_all_the_same) {
  const auto at_once = reply_of(get("/v1/events")).json;
  BOOST_TEST(at_once.at("events").empty());
  const auto call = get("/v1/events?wait=20&cursor=" + at_once.at("cursor").get<std::string>());
  pass(20s);
  const auto later = reply_of(call).json;
  BOOST_TEST(later.at("events").empty());
  commit(0);
  const auto next = get("/v1/events?cursor=" + later.at("cursor").get<std::string>());
  pass(20ms);
  const auto then = reply_of(next).json;
  BOOST_TEST(event_places_of(then) == (place_list{"0/1"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_list_has_cloudevents_in_place_of_events_on_request) {
  commit_end(1, "TaskCompleted", "mail");
  commit(0, "UnitFinalized", unit, step);
  const auto list = reply_of(get("/v1/events?from=oldest&envelope=cloudevents&queue=mail")).json;
  BOOST_TEST(event_places_of(list) == (place_list{"1/1"}), boost::test_tools::per_element());
  // What is behind is read for this reader alone, and nothing but ends of tasks.
  BOOST_TEST(std::any_of(feed->asked.begin(), feed->asked.end(),
                         [](const auto& read) { return read.types.size() == 4U; }));
  const auto& envelope = list.at("events").at(0).at("event");
  BOOST_TEST(envelope.at("id") == "1-1");
  BOOST_TEST(envelope.at("type") == "holdfast.TaskCompleted");
  BOOST_TEST(envelope.at("source") == "https://example.org/holdfast");
  const auto plain = reply_of(get("/v1/events?from=oldest&envelope=plain&queue=mail")).json;
  BOOST_TEST(plain.at("events").at(0).at("event") == envelope.at("data"));
}

BOOST_AUTO_TEST_CASE(wrong_requests_for_events_are_refused) {
  BOOST_TEST(reply_of(get("/v1/events?envelope=xml")).status == 400U);
  BOOST_TEST(contains(reply_of(get("/v1/events?queue=Mail")).body, "must be 1 to 64 of"));
  for (const auto& other :
       {"step_id=" + std::string{step_text}, "unit_id=" + std::string{unit_text},
        std::string{"workflow_id=018f0000-0000-7000-8000-0000000000c1"}}) {
    const auto reply = reply_of(get("/v1/events?queue=mail&" + other));
    BOOST_TEST(reply.status == 400U);
    BOOST_TEST(contains(reply.body, "an event is of a queue or of a step"));
  }
  BOOST_TEST(reply_of(get("/v1/events?cursor=nonsense")).status == 400U);
  BOOST_TEST(reply_of(get("/v1/events?types=Nothing")).status == 400U);
  BOOST_TEST(reply_of(get("/v1/events?wait=61")).status == 400U);
  BOOST_TEST(reply_of(get("/v1/events?from=after")).status == 400U);
}

// --- results of units ---

BOOST_AUTO_TEST_CASE(a_result_is_told_when_its_unit_is_finalized) {
  auto& view = feed->units[unit];
  view.unit = unit;
  view.step = step;
  const auto shard = core::shard_of(step, fake_feed::shards);
  const auto target =
      "/v1/units/" + std::string{unit_text} + "/result?wait=20&step_id=" + std::string{step_text};
  const auto call = get(target);
  BOOST_TEST(call->answers.empty());
  const auto reads = feed->units_read;
  commit(shard, "UnitFinalized", {}, step); // of another unit
  BOOST_TEST(feed->units_read == reads);
  view.state = core::unit_state::finalized;
  view.result = R"({"answer":"cat"})";
  commit(shard, "UnitFinalized", unit, step);
  const auto reply = reply_of(call);
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.json.at("result").at("answer") == "cat");
  BOOST_TEST(reply_of(get(target)).status == 200U); // there already
}

BOOST_AUTO_TEST_CASE(a_unit_that_gets_no_result_ends_the_wait) {
  auto& view = feed->units[unit];
  view.unit = unit;
  view.step = step;
  const auto target =
      "/v1/units/" + std::string{unit_text} + "/result?wait=20&step_id=" + std::string{step_text};
  const auto call = get(target);
  const auto other = get(target);
  pass(20s);
  BOOST_TEST(reply_of(call).status == 204U);
  BOOST_TEST(reply_of(other).status == 204U);
  const auto last = get(target);
  view.state = core::unit_state::canceled;
  commit(core::shard_of(step, fake_feed::shards), "UnitCanceled", unit, step);
  BOOST_TEST(reply_of(last).status == 404U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
