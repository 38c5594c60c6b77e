#include "client/courier.hpp"

#include "client/frame_guard.hpp"
#include "messages/errors.hpp"
#include "messages/registry.hpp"
#include "tests/client/testing_system.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/io/basp/header.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace client = holdfast::client;
namespace core = holdfast::core;
namespace msg = holdfast::msg;
using namespace std::chrono_literals;

namespace {

/// What the fake gateways saw and say.
struct script {
  std::vector<msg::end_session> seen;
  std::function<caf::result<msg::session_ended>()> answer = [] { return msg::session_ended{7}; };
};

constexpr std::uint32_t open_calls_max = 200;

struct courier_fixture {
  explicit courier_fixture(bool follows_placement = false) {
    sched.clock().current_time += 1h; // timers of CAF take zero for "none"
    client::courier_deps deps;
    deps.retry = {10s, 2s, 100ms, 400ms, open_calls_max};
    deps.on_lost = [this](client::way_number) { ++lost; };
    deps.follows_placement = follows_placement;
    deps.on_detours = [this] { ++detours; };
    courier = system.spawn(client::courier, std::move(deps));
  }

  ~courier_fixture() {
    caf::anon_send_exit(courier, caf::exit_reason::user_shutdown);
    for (const auto& gateway : gateways)
      caf::anon_send_exit(gateway, caf::exit_reason::user_shutdown);
    settle();
    gateways.clear();
    courier = nullptr;
  }

  void settle() {
    while (sched.try_run_once()) {
    }
  }

  void advance(std::chrono::milliseconds span) {
    settle();
    for (auto passed = 0ms; passed < span; passed += 10ms) {
      sched.advance_time(10ms);
      settle();
    }
  }

  /// A node comes up that follows the script.
  caf::actor connect(const std::shared_ptr<script>& plan) {
    const auto gateway = system.spawn([plan](caf::event_based_actor*) -> caf::behavior {
      return {[plan](const msg::end_session& request) -> caf::result<msg::session_ended> {
        plan->seen.push_back(request);
        return plan->answer();
      }};
    });
    gateways.push_back(gateway);
    caf::anon_send(courier, client::gateway_found{caf::actor_cast<msg::gateway_actor>(gateway)});
    settle();
    return gateway;
  }

  void kill(const caf::actor& gateway) {
    caf::anon_send_exit(gateway, caf::exit_reason::kill);
    settle();
  }

  /// Sends a request whose outcome will be in the result.
  std::shared_ptr<std::optional<core::failure>> request() {
    auto outcome = std::make_shared<std::optional<core::failure>>();
    system.spawn([=](caf::event_based_actor* self) {
      self->request(courier, 1min, msg::end_session{"ana"})
          .then([=](const msg::session_ended&) { outcome->emplace(); },
                [=](const caf::error& error) { outcome->emplace(msg::failure_of(error)); });
    });
    settle();
    return outcome;
  }

  holdfast::test::testing_system config;
  caf::actor_system system{config};
  caf::scheduler::test_coordinator& sched =
      dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  client::courier_actor courier;
  std::vector<caf::actor> gateways;
  int lost = 0;
  int detours = 0;
};

core::errc code_of(const std::shared_ptr<std::optional<core::failure>>& outcome) {
  BOOST_REQUIRE(outcome->has_value());
  return (*outcome)->code;
}

/// Three nodes; the node `n` hosts shard `n` of three.
struct several_nodes : courier_fixture {
  struct fake_node {
    core::incarnation_id id;
    std::vector<core::queue_name> seen;
    int questions = 0;         ///< After the placement.
    bool knows_hosts = true;   ///< Else it refuses to say.
    core::errc refusal{};      ///< Of requests.
    bool keeps_silent = false; ///< About requests.
    bool is_frozen = false;    ///< It keeps silent about the placement, too.
    std::vector<caf::response_promise> never;
    caf::actor gateway;
  };

  explicit several_nodes(bool follows = true) : courier_fixture(follows) {
    for (std::uint8_t i = 0; i < nodes.size(); ++i)
      nodes[i].id.value.bytes.fill(static_cast<std::uint8_t>(i + 1));
    hosts = {nodes[0].id, nodes[1].id, nodes[2].id};
  }
  ~several_nodes() {
    for (auto& node : nodes) {
      node.never.clear();
      node.gateway = nullptr;
    }
  }

  void reach(client::way_number way) {
    auto& node = nodes.at(way);
    node.gateway = system.spawn([this, &node](caf::event_based_actor* self) -> caf::behavior {
      return {[this, &node, self](const msg::get_placement&) -> caf::result<msg::placement> {
                ++node.questions;
                if (node.is_frozen) {
                  auto promise = self->make_response_promise<msg::placement>();
                  node.never.push_back(promise);
                  return promise;
                }
                if (!node.knows_hosts)
                  return msg::to_error(core::errc::unavailable, "");
                return msg::placement{node.id, hosts};
              },
              [&node, self](const msg::put_queue& request) -> caf::result<msg::queue_view> {
                node.seen.push_back(request.queue);
                if (node.refusal != core::errc::none)
                  return msg::to_error(node.refusal, "");
                auto promise = self->make_response_promise<msg::queue_view>();
                if (node.keeps_silent)
                  node.never.push_back(promise);
                else
                  promise.deliver(msg::queue_view{});
                return promise;
              },
              [&node](const msg::list_queues&) {
                node.seen.emplace_back("all");
                return msg::queue_list{};
              },
              [&node](caf::ok_atom) {
                auto promise = std::move(node.never.front());
                node.never.erase(node.never.begin());
                if (node.refusal != core::errc::none)
                  promise.deliver(msg::to_error(node.refusal, ""));
                else
                  promise.deliver(msg::queue_view{});
              }};
    });
    gateways.push_back(node.gateway);
    caf::anon_send(courier,
                   client::gateway_found{caf::actor_cast<msg::gateway_actor>(node.gateway), way});
    advance(200ms); // time for another question
  }
  /// What it was silent about longest is answered now.
  void speak(client::way_number way, core::errc refusal = core::errc::none) {
    auto& node = nodes.at(way);
    BOOST_REQUIRE(!node.never.empty());
    node.refusal = refusal;
    caf::anon_send(node.gateway, caf::ok_atom::value);
    settle();
  }
  void reach_all() {
    for (client::way_number way = 0; way < nodes.size(); ++way)
      reach(way);
  }

  /// A queue of the shard.
  static core::queue_name queue_of(core::shard_id shard) {
    for (int number = 0;; ++number)
      if (auto queue = "q" + std::to_string(number); core::shard_of(queue, 3) == shard)
        return queue;
  }
  template <class Answer = msg::queue_view, class Request>
  std::shared_ptr<std::optional<core::failure>> ask(Request request) {
    auto outcome = std::make_shared<std::optional<core::failure>>();
    system.spawn([=](caf::event_based_actor* self) {
      self->request(courier, 1min, request)
          .then([=](const Answer&) { outcome->emplace(); },
                [=](const caf::error& error) { outcome->emplace(msg::failure_of(error)); });
    });
    settle();
    return outcome;
  }
  std::shared_ptr<std::optional<core::failure>> put(core::shard_id shard) {
    return ask(msg::put_queue{queue_of(shard), "{}"});
  }
  std::vector<std::size_t> requests() const {
    return {nodes[0].seen.size(), nodes[1].seen.size(), nodes[2].seen.size()};
  }

  std::array<fake_node, 3> nodes;
  std::vector<core::incarnation_id> hosts;
};

struct several_nodes_and_no_hints : several_nodes {
  several_nodes_and_no_hints() : several_nodes(false) {}
};

using counts = std::vector<std::size_t>;

const auto first_gateway = [] { return std::make_shared<script>(); };

} // namespace

BOOST_FIXTURE_TEST_SUITE(courier, courier_fixture)

BOOST_AUTO_TEST_CASE(request_waits_for_a_connection) {
  const auto outcome = request();
  advance(5s);
  BOOST_TEST(!outcome->has_value());
  const auto node = first_gateway();
  connect(node);
  BOOST_TEST((code_of(outcome) == core::errc::none));
  BOOST_TEST(node->seen.size() == 1U);
}

BOOST_AUTO_TEST_CASE(requests_beyond_the_bound_are_refused_at_once) {
  const auto plan = std::make_shared<script>();
  std::vector<std::shared_ptr<std::optional<core::failure>>> waiting;
  for (std::uint32_t i = 0; i < open_calls_max; ++i)
    waiting.push_back(request());
  for (const auto& one : waiting)
    BOOST_TEST(!one->has_value());
  BOOST_TEST((code_of(request()) == core::errc::overloaded));
  connect(plan); // those that were taken go on, and make room
  for (const auto& one : waiting)
    BOOST_TEST((code_of(one) == core::errc::none));
  BOOST_TEST(plan->seen.size() == open_calls_max);
  BOOST_TEST((code_of(request()) == core::errc::none));
}

BOOST_AUTO_TEST_CASE(request_without_a_connection_fails_at_its_deadline) {
  const auto outcome = request();
  caf::anon_send(courier, client::gateway_unreachable{"refused"});
  advance(9900ms);
  BOOST_TEST(!outcome->has_value());
  advance(300ms);
  BOOST_TEST((code_of(outcome) == core::errc::unavailable));
  BOOST_TEST((*outcome)->detail.find("refused") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(overload_is_waited_out_with_growing_pauses) {
  const auto node = first_gateway();
  node->answer = [&node]() -> caf::result<msg::session_ended> {
    if (node->seen.size() < 4)
      return msg::to_error(core::errc::overloaded, "");
    return msg::session_ended{0};
  };
  connect(node);
  const auto outcome = request();
  advance(2s);
  BOOST_TEST((code_of(outcome) == core::errc::none));
  BOOST_TEST(node->seen.size() == 4U);
}

BOOST_AUTO_TEST_CASE(refusal_goes_to_the_caller_at_once) {
  const auto node = first_gateway();
  node->answer = []() -> caf::result<msg::session_ended> {
    return msg::to_error(core::errc::stale_token, "why");
  };
  connect(node);
  const auto outcome = request();
  BOOST_TEST((code_of(outcome) == core::errc::stale_token));
  BOOST_TEST((*outcome)->detail == "why");
  BOOST_TEST(node->seen.size() == 1U);
}

BOOST_AUTO_TEST_CASE(error_that_lasts_is_given_up_at_the_deadline) {
  const auto node = first_gateway();
  node->answer = []() -> caf::result<msg::session_ended> {
    return msg::to_error(core::errc::fenced, "moved");
  };
  connect(node);
  const auto outcome = request();
  advance(9s);
  BOOST_TEST(!outcome->has_value());
  advance(2s);
  BOOST_TEST((code_of(outcome) == core::errc::unavailable));
  BOOST_TEST((*outcome)->detail.find("fenced: moved") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(request_under_way_when_the_node_dies_goes_to_the_next_one) {
  const auto dying = first_gateway();
  std::vector<caf::response_promise> never;
  const auto silent = system.spawn([&never, dying](caf::event_based_actor* self) -> caf::behavior {
    return {[&never, dying, self](const msg::end_session& request) {
      dying->seen.push_back(request);
      never.push_back(self->make_response_promise());
    }};
  });
  caf::anon_send(courier, client::gateway_found{caf::actor_cast<msg::gateway_actor>(silent)});
  const auto outcome = request();
  BOOST_TEST(dying->seen.size() == 1U);
  kill(silent);
  BOOST_TEST(lost == 1);
  BOOST_TEST(!outcome->has_value());

  const auto next = first_gateway();
  connect(next);
  BOOST_TEST((code_of(outcome) == core::errc::none));
  BOOST_REQUIRE(next->seen.size() == 1);
  BOOST_TEST(next->seen.front().contributor == "ana");
  never.clear();
}

BOOST_AUTO_TEST_CASE(answer_that_never_comes_is_asked_for_again) {
  const auto node = first_gateway();
  std::vector<caf::response_promise> never;
  const auto forgetful = system.spawn([&](caf::event_based_actor* self) -> caf::behavior {
    return {[&, self](const msg::end_session& request) -> caf::result<msg::session_ended> {
      node->seen.push_back(request);
      if (node->seen.size() > 1)
        return msg::session_ended{1};
      auto promise = self->make_response_promise<msg::session_ended>();
      never.push_back(promise);
      return promise;
    }};
  });
  gateways.push_back(forgetful);
  caf::anon_send(courier, client::gateway_found{caf::actor_cast<msg::gateway_actor>(forgetful)});
  const auto outcome = request();
  advance(1900ms);
  BOOST_TEST(node->seen.size() == 1U);
  advance(600ms);
  BOOST_TEST((code_of(outcome) == core::errc::none));
  never.clear();
}

BOOST_AUTO_TEST_CASE(request_that_fits_no_frame_is_refused_here) {
  connect(first_gateway());
  std::optional<core::failure> why;
  system.spawn([&, this](caf::event_based_actor* self) {
    msg::create_workflow large{{}, std::string(client::frame_bytes_max, 'x')};
    self->request(courier, 1min, large)
        .then([](const msg::workflow_created&) {},
              [&](const caf::error& error) { why = msg::failure_of(error); });
  });
  settle();
  BOOST_REQUIRE(why);
  BOOST_TEST((why->code == core::errc::too_large));
}

BOOST_AUTO_TEST_CASE(open_requests_fail_when_the_owner_closes_the_connection) {
  const auto outcome = request();
  caf::anon_send_exit(courier, caf::exit_reason::user_shutdown);
  settle();
  BOOST_TEST((code_of(outcome) == core::errc::unavailable));
}

// --- several ways ---

BOOST_FIXTURE_TEST_CASE(requests_go_to_the_hosts_of_their_shards, several_nodes) {
  reach_all();
  for (const core::shard_id shard : {0, 1, 2, 1})
    BOOST_TEST((code_of(put(shard)) == core::errc::none));
  BOOST_TEST((requests() == counts{1, 2, 1}));
  BOOST_TEST((code_of(ask<msg::queue_list>(msg::list_queues{})) == core::errc::none));
  BOOST_TEST((requests() == counts{2, 2, 1})); // of no single shard
  hosts = {nodes[0].id, nodes[2].id, nodes[2].id};
  advance(2s);
  put(1); // asks in passing
  put(1);
  BOOST_TEST((requests() == counts{2, 3, 2}));
}

BOOST_FIXTURE_TEST_CASE(placement_is_asked_for_at_a_pace_and_only_with_requests, several_nodes) {
  reach(0);
  BOOST_TEST(nodes[0].questions == 1);
  advance(1min);
  BOOST_TEST(nodes[0].questions == 1);
  for (int i = 0; i < 100; ++i) {
    put(0);
    advance(100ms);
  }
  BOOST_TEST(nodes[0].questions >= 5);
  BOOST_TEST(nodes[0].questions <= 7);
}

BOOST_FIXTURE_TEST_CASE(other_ways_are_opened_when_requests_are_passed_on, several_nodes) {
  reach(0);
  for (std::uint32_t i = 1; i < client::shard_routes::detours_max; ++i)
    put(1);
  BOOST_TEST(detours == 0);
  put(1);
  BOOST_TEST(detours == 1);
  BOOST_TEST((requests() == counts{client::shard_routes::detours_max, 0, 0}));
  reach(1);
  put(1);
  BOOST_TEST((requests() == counts{client::shard_routes::detours_max, 1, 0}));
}

BOOST_FIXTURE_TEST_CASE(without_hints_all_go_home, several_nodes_and_no_hints) {
  reach_all();
  for (core::shard_id shard = 0; shard < 3; ++shard)
    BOOST_TEST((code_of(put(shard)) == core::errc::none));
  BOOST_TEST((requests() == counts{3, 0, 0}));
  BOOST_TEST(nodes[0].questions == 0);
}

BOOST_FIXTURE_TEST_CASE(node_that_does_not_say_who_hosts_what_takes_all, several_nodes) {
  for (auto& node : nodes)
    node.knows_hosts = false;
  reach_all();
  BOOST_TEST((code_of(put(1)) == core::errc::none));
  BOOST_TEST((requests() == counts{1, 0, 0}));
}

BOOST_FIXTURE_TEST_CASE(request_at_a_host_that_dies_goes_home_at_once, several_nodes) {
  reach_all();
  nodes[1].keeps_silent = true;
  const auto outcome = put(1);
  BOOST_TEST(!outcome->has_value());
  kill(nodes[1].gateway);
  BOOST_TEST((code_of(outcome) == core::errc::none));
  BOOST_TEST((requests() == counts{1, 1, 0}));
  BOOST_TEST(lost == 1);
}

BOOST_FIXTURE_TEST_CASE(another_node_is_home_when_the_first_dies, several_nodes) {
  reach_all();
  nodes[0].keeps_silent = true;
  const auto outcome = put(0);
  kill(nodes[0].gateway);
  BOOST_TEST((code_of(outcome) == core::errc::none));
  BOOST_TEST((code_of(ask<msg::queue_list>(msg::list_queues{})) == core::errc::none));
  BOOST_TEST((requests() == counts{1, 2, 0}));
}

BOOST_FIXTURE_TEST_CASE(request_that_its_host_does_not_take_goes_home, several_nodes) {
  reach_all();
  nodes[1].refusal = core::errc::unavailable; // it ends
  const auto outcome = put(1);
  advance(500ms);
  BOOST_TEST((code_of(outcome) == core::errc::none));
  BOOST_TEST((requests() == counts{1, 1, 0}));
}

BOOST_FIXTURE_TEST_CASE(request_that_its_host_does_not_answer_goes_home, several_nodes) {
  reach_all();
  nodes[1].keeps_silent = true;
  const auto outcome = put(1);
  advance(2500ms);
  BOOST_TEST((code_of(outcome) == core::errc::none));
  BOOST_TEST((requests() == counts{1, 1, 0}));
}

BOOST_FIXTURE_TEST_CASE(overload_is_waited_out_at_the_host, several_nodes) {
  reach_all();
  nodes[1].refusal = core::errc::overloaded;
  const auto outcome = put(1);
  advance(200ms);
  nodes[1].refusal = core::errc::none;
  advance(500ms);
  BOOST_TEST((code_of(outcome) == core::errc::none));
  BOOST_TEST(nodes[0].seen.empty());
}

// A host that is stopped answers nothing, and its connection stays open.
BOOST_FIXTURE_TEST_CASE(requests_at_a_host_that_stopped_follow_the_shard, several_nodes) {
  reach_all();
  nodes[1].keeps_silent = true;
  nodes[1].is_frozen = true;
  const auto first = put(1);
  const auto second = ask(msg::put_queue{queue_of(1), "{ }"});
  advance(500ms);
  BOOST_TEST((requests() == counts{0, 2, 0}));
  hosts[1] = nodes[2].id;
  advance(1400ms); // nobody asks for anything; less than the time of a try
  BOOST_TEST((requests() == counts{0, 2, 2}));
  BOOST_TEST((code_of(first) == core::errc::none));
  BOOST_TEST((code_of(second) == core::errc::none));
}

BOOST_FIXTURE_TEST_CASE(home_that_stopped_is_not_the_only_one_that_is_asked, several_nodes) {
  reach_all();
  advance(2s); // the next request asks in passing
  nodes[0].keeps_silent = true;
  nodes[0].is_frozen = true;
  hosts[0] = nodes[1].id;
  const auto outcome = put(0);
  advance(1100ms);
  BOOST_TEST((requests() == counts{1, 1, 0}));
  BOOST_TEST((code_of(outcome) == core::errc::none));
}

BOOST_FIXTURE_TEST_CASE(late_answer_of_an_earlier_host_is_ignored, several_nodes) {
  reach_all();
  nodes[1].keeps_silent = true;
  nodes[2].keeps_silent = true;
  const auto refused = put(1);
  const auto answered = put(1);
  hosts[1] = nodes[2].id;
  advance(1100ms);
  BOOST_TEST((requests() == counts{0, 2, 2}));
  speak(1, core::errc::wrong_state);
  speak(1);
  BOOST_TEST(!refused->has_value());
  BOOST_TEST(!answered->has_value());
  speak(2);
  speak(2);
  BOOST_TEST((code_of(refused) == core::errc::none));
  BOOST_TEST((code_of(answered) == core::errc::none));
  BOOST_TEST((requests() == counts{0, 2, 2}));
}

BOOST_FIXTURE_TEST_CASE(hosts_are_looked_after_only_while_they_owe_answers, several_nodes) {
  reach_all();
  nodes[1].keeps_silent = true;
  const auto asked = nodes[0].questions;
  put(1);
  advance(1900ms);
  BOOST_TEST(nodes[0].questions == asked + 1); // it still is the host
  BOOST_TEST((requests() == counts{0, 1, 0}));
  speak(1);
  advance(1min);
  BOOST_TEST(nodes[0].questions == asked + 1);
}

// What the caller sent first arrives first, also if the placement was learned in between.
BOOST_FIXTURE_TEST_CASE(requests_stay_behind_one_that_went_home_before_the_hints, several_nodes) {
  hosts[2] = nodes[1].id;
  nodes[0].knows_hosts = false;
  nodes[0].keeps_silent = true;
  reach(0);
  const auto first = put(1);
  nodes[0].knows_hosts = true;
  reach(1);
  const auto second = put(1);
  BOOST_TEST((requests() == counts{2, 0, 0}));
  BOOST_TEST((code_of(put(2)) == core::errc::none)); // another shard
  BOOST_TEST((requests() == counts{2, 1, 0}));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(frame_guard)

using caf::io::basp::header;
using caf::io::basp::message_type;

BOOST_AUTO_TEST_CASE(handshakes_need_a_payload) {
  BOOST_TEST(!valid(header{message_type::client_handshake, 0, 0, 0, 0, 0}));
  BOOST_TEST(valid(header{message_type::client_handshake, 0, 1, 0, 0, 0}));
  BOOST_TEST(!valid(header{message_type::server_handshake, 0, 0, 4, 0, 0}));
  BOOST_TEST(valid(header{message_type::server_handshake, 0, 1, 4, 0, 0}));
}

BOOST_AUTO_TEST_CASE(payloads_are_bounded) {
  const auto most = client::frame_bytes_max;
  BOOST_TEST(valid(header{message_type::direct_message, 0, most, 0, 0, 1}));
  BOOST_TEST(!valid(header{message_type::direct_message, 0, most + 1, 0, 0, 1}));
  BOOST_TEST(!valid(header{message_type::routed_message, 0, 0xfffffff0U, 0, 0, 1}));
}

BOOST_AUTO_TEST_CASE(messages_need_a_receiver_and_heartbeats_nothing) {
  BOOST_TEST(!valid(header{message_type::direct_message, 0, 8, 0, 1, 0}));
  BOOST_TEST(valid(header{message_type::heartbeat, 0, 0, 0, 0, 0}));
  BOOST_TEST(!valid(header{message_type::heartbeat, 0, 1, 0, 0, 0}));
  BOOST_TEST(!valid(header{message_type::monitor_message, 0, 0, 0, 0, 1}));
  BOOST_TEST(!valid(header{message_type::down_message, 0, 8, 0, 0, 0}));
  BOOST_TEST(!valid(header{static_cast<message_type>(0x7f), 0, 8, 0, 0, 1}));
}

BOOST_AUTO_TEST_SUITE_END()
