#include "client/courier.hpp"

#include "client/frame_guard.hpp"
#include "messages/errors.hpp"
#include "messages/registry.hpp"

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

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace client = holdfast::client;
namespace core = holdfast::core;
namespace msg = holdfast::msg;
using namespace std::chrono_literals;

namespace {

/// One thread and the clock of the test.
struct testing_system : caf::actor_system_config {
  testing_system() {
    set("scheduler.policy", caf::atom("testing"));
    msg::register_messages(*this);
  }
};

/// What the fake gateways saw and say.
struct script {
  std::vector<msg::end_session> seen;
  std::function<caf::result<msg::session_ended>()> answer = [] { return msg::session_ended{7}; };
};

struct courier_fixture {
  courier_fixture() {
    sched.clock().current_time += 1h; // timers of CAF take zero for "none"
    client::courier_deps deps;
    deps.retry = {10s, 2s, 100ms, 400ms};
    deps.on_lost = [this](client::way_number) { ++lost; };
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

  testing_system config;
  caf::actor_system system{config};
  caf::scheduler::test_coordinator& sched =
      dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  client::courier_actor courier;
  std::vector<caf::actor> gateways;
  int lost = 0;
};

core::errc code_of(const std::shared_ptr<std::optional<core::failure>>& outcome) {
  BOOST_REQUIRE(outcome->has_value());
  return (*outcome)->code;
}

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
