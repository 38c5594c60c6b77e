#include "client/middleman_memory.hpp"
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

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <limits>
#include <string>

namespace {

/// Runs `look` on the broker of all connections, where nothing else touches it.
template <class Look>
std::size_t at_broker(caf::actor_system& system, Look look) {
  auto& middleman = system.middleman();
  const auto found = middleman.named_broker<caf::io::basp_broker>(caf::atom("BASP"));
  std::promise<std::size_t> answer;
  middleman.run_later([&] {
    auto* broker = caf::actor_cast<caf::abstract_actor*>(found);
    answer.set_value(look(*static_cast<caf::io::basp_broker*>(broker)));
  });
  return answer.get_future().get();
}

/// What is kept for other processes in case they should start actors.
std::size_t kept_for_others(caf::actor_system& system) {
  return at_broker(system, [](auto& broker) { return broker.spawn_servers.size(); });
}

struct open_broker : caf::io::basp_broker {
  /// A function of the base: what it finds may be looked at through any broker.
  static constexpr auto finder() { return &open_broker::by_id<caf::io::connection_handle>; }
};

/// Memory of the buffers of all connections, but for the one that is being written.
std::size_t bytes_of_buffers(caf::actor_system& system) {
  return at_broker(system, [](caf::io::basp_broker& broker) {
    constexpr auto find = open_broker::finder();
    std::size_t bytes = 0;
    for (const auto& known : broker.ctx)
      if (auto open = (broker.*find)(known.first))
        bytes += open->rd_buf().capacity() + open->wr_buf().capacity();
    return bytes;
  });
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

// finding B6
BOOST_AUTO_TEST_CASE(connection_does_not_keep_the_memory_of_a_large_frame) {
  holdfast::client::peer_system here{{}};
  holdfast::client::peer_system there{{}};
  caf::actor_system listener{here};
  caf::actor_system dialer{there};
  const auto echo =
      listener.spawn([] { return caf::behavior{[](const std::string& text) { return text; }}; });
  const auto port = listener.middleman().publish(echo, 0, "127.0.0.1");
  BOOST_REQUIRE(port);
  const auto reached = dialer.middleman().remote_actor("127.0.0.1", *port);
  BOOST_REQUIRE(reached);
  const caf::scoped_actor self{dialer};
  const auto say = [&](std::size_t bytes) {
    self->request(*reached, std::chrono::seconds{30}, std::string(bytes, 'x'))
        .receive([&](const std::string& text) { BOOST_TEST(text.size() == bytes); },
                 [](const caf::error&) { BOOST_ERROR("no answer"); });
  };
  say(8'000'000);
  for (int i = 0; i < 2; ++i) { // CAF writes from two buffers by turns
    say(10);
    BOOST_TEST(bytes_of_buffers(listener) < 200'000U);
    BOOST_TEST(bytes_of_buffers(dialer) < 200'000U);
  }
  caf::anon_send_exit(echo, caf::exit_reason::user_shutdown);
}

// finding B6
BOOST_AUTO_TEST_CASE(connection_with_too_much_unread_is_closed) {
  holdfast::client::peer_system here{{}};
  holdfast::client::peer_system there{{}};
  caf::actor_system listener{here};
  caf::actor_system dialer{there};
  const auto echo = listener.spawn([] { return caf::behavior{[](int number) { return number; }}; });
  const auto port = listener.middleman().publish(echo, 0, "127.0.0.1");
  BOOST_REQUIRE(port);
  const auto reached = dialer.middleman().remote_actor("127.0.0.1", *port);
  BOOST_REQUIRE(reached);
  const caf::scoped_actor self{dialer};
  self->monitor(*reached);
  std::atomic<int> closed{0};
  holdfast::client::bound_unread(100'000,
                                 [&](std::uint16_t other) { closed += other > 0 ? 1 : 0; });
  const auto goes_on = at_broker(listener, [](caf::io::basp_broker& broker) {
    const auto connection = broker.ctx.begin()->first;
    auto& waiting = broker.wr_buf(connection);
    waiting.resize(100'000);
    const bool allowed = &broker.wr_buf(connection) == &waiting;
    waiting.resize(100'001);
    const auto kept = broker.wr_buf(connection).size();
    waiting.clear(); // else the other end would close the connection for what it gets
    return kept + (allowed ? 0U : 1U);
  });
  holdfast::client::bound_unread(std::numeric_limits<std::size_t>::max(), nullptr);
  BOOST_TEST(goes_on == 0U); // what comes now is thrown away
  BOOST_TEST(closed.load() >= 1);
  bool gone = false;
  self->receive([&](const caf::down_msg&) { gone = true; },
                caf::after(std::chrono::seconds{10}) >> [] {});
  BOOST_TEST(gone);
  caf::anon_send_exit(echo, caf::exit_reason::user_shutdown);
}

BOOST_AUTO_TEST_CASE(nothing_is_kept_of_what_goes_to_a_closed_connection) {
  holdfast::client::peer_system configuration{{}};
  caf::actor_system system{configuration};
  const auto kept = at_broker(system, [](caf::io::basp_broker& broker) {
    const auto closed = caf::io::connection_handle::from_int(77);
    const std::string frame(1000, 'x');
    for (int i = 0; i < 2; ++i)
      broker.write(closed, frame.size(), frame.data());
    return broker.wr_buf(closed).size();
  });
  BOOST_TEST(kept == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
