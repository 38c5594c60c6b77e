#include "client/peer_system.hpp"

#include <boost/test/unit_test.hpp>

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <future>

namespace {

/// What CAF keeps for other processes in case they should start actors.
std::size_t kept_for_others(caf::actor_system& system) {
  auto& middleman = system.middleman();
  auto found = middleman.named_broker<caf::io::basp_broker>(caf::atom("BASP"));
  std::promise<std::size_t> answer;
  middleman.run_later([&] {
    auto* broker = static_cast<caf::io::basp_broker*>(caf::actor_cast<caf::abstract_actor*>(found));
    answer.set_value(broker->spawn_servers.size());
  });
  return answer.get_future().get();
}

} // namespace

BOOST_AUTO_TEST_SUITE(peer_systems)

BOOST_AUTO_TEST_CASE(actors_have_half_of_the_cores_and_never_none) {
  BOOST_TEST(holdfast::client::threads_on(0) == 1U);
  BOOST_TEST(holdfast::client::threads_on(1) == 1U);
  BOOST_TEST(holdfast::client::threads_on(2) == 1U);
  BOOST_TEST(holdfast::client::threads_on(3) == 1U);
  BOOST_TEST(holdfast::client::threads_on(4) == 2U);
  BOOST_TEST(holdfast::client::threads_on(64) == 32U);
}

BOOST_AUTO_TEST_CASE(a_system_has_the_threads_that_it_was_given) {
  holdfast::client::peer_settings settings;
  settings.scheduler_threads = 3;
  holdfast::client::peer_system configuration{settings};
  caf::actor_system system{configuration};
  BOOST_TEST(system.scheduler().num_workers() == 3U);
}

BOOST_AUTO_TEST_CASE(nothing_is_kept_for_whoever_connects) {
  holdfast::client::peer_system here{{}};
  holdfast::client::peer_system there{{}};
  caf::actor_system listener{here};
  caf::actor_system dialer{there};
  const auto echo = listener.spawn([] { return caf::behavior{[](int number) { return number; }}; });
  const auto port = listener.middleman().publish(echo, 0, "127.0.0.1");
  BOOST_REQUIRE(port);
  const auto reached = dialer.middleman().remote_actor("127.0.0.1", *port);
  BOOST_REQUIRE(reached);
  int answer = 0;
  caf::scoped_actor {
    dialer
    } -> request(*reached, std::chrono::seconds{10}, 7)
        .receive([&](int number) { answer = number; },
                 [](const caf::error&) { BOOST_ERROR("no answer"); });
  BOOST_TEST(answer == 7);
  BOOST_TEST(kept_for_others(listener) == 0U);
  BOOST_TEST(kept_for_others(dialer) == 0U);
  caf::anon_send_exit(echo, caf::exit_reason::user_shutdown);
}

BOOST_AUTO_TEST_SUITE_END()
