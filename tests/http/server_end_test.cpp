// The ends of requests and connections of the HTTP server: clients that hang up, a server that
// drains, and a server that is destroyed.

#include "tests/http/server_fixture.hpp"

#include <boost/test/unit_test.hpp>
#include <poll.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace std::chrono_literals;
using http::call_ptr;
using test::comes_true;
using test::get;
using test::post;
using test::raw_client;
using test::text_answer;

namespace {

/// Time of the processor that this process has used.
std::chrono::microseconds processor_time_used() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return std::chrono::seconds{used.ru_utime.tv_sec + used.ru_stime.tv_sec}
         + std::chrono::microseconds{used.ru_utime.tv_usec + used.ru_stime.tv_usec};
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(server_ends, test::server_fixture)

BOOST_AUTO_TEST_CASE(client_that_hangs_up_abandons_its_request) {
  open();
  for (const bool by_reset : {false, true}) {
    auto client = connect();
    client.send(get("/wait"));
    const auto call = calls.take();
    BOOST_REQUIRE(call);
    std::atomic<int> replaced{0};
    std::atomic<int> abandoned{0};
    call->on_abandoned([&] { ++replaced; });
    call->on_abandoned([&] { ++abandoned; });
    if (by_reset)
      client.reset();
    else
      client.close();
    BOOST_TEST(comes_true([&] { return abandoned == 1; }));
    call->on_abandoned([&] { ++abandoned; }); // at once
    BOOST_TEST(abandoned == 2);
    BOOST_TEST(replaced == 0);
    call->answer(text_answer("nobody reads this"));
    BOOST_TEST(comes_true([&] { return counters().open == 0U; }));
  }
  BOOST_TEST(counters().abandoned == 2U);
  auto other = connect();
  other.send(get("/other"));
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  call->answer(text_answer("other"));
  BOOST_TEST(other.read().body == "other");
}

BOOST_AUTO_TEST_CASE(function_that_holds_its_own_call_is_dropped_with_the_answer) {
  open();
  auto client = connect();
  client.send(get("/"));
  std::weak_ptr<http::call> watched;
  {
    const auto call = calls.take();
    BOOST_REQUIRE(call);
    watched = call;
    call->on_abandoned([call] { call->answer(text_answer("gone")); });
    call->answer(text_answer("answer"));
  }
  BOOST_TEST(client.read().body == "answer");
  BOOST_TEST(comes_true([&] { return watched.expired(); }));
}

BOOST_AUTO_TEST_CASE(client_that_only_stops_sending_still_gets_its_answer) {
  open();
  auto client = connect();
  client.send(get("/half"));
  client.finish();
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  std::atomic<bool> abandoned{false};
  call->on_abandoned([&] { abandoned = true; });
  BOOST_TEST(comes_true([&] { return abandoned.load(); }));
  call->answer(text_answer("half"));
  const auto reply = client.read();
  BOOST_TEST(reply.body == "half");
  BOOST_TEST(reply.header("connection") == "close");
  BOOST_TEST(client.is_closed());
}

BOOST_AUTO_TEST_CASE(client_that_resets_while_its_answer_is_sent_abandons_it) {
  open();
  raw_client client{server->port(), 0, 4096};
  client.send(get("/"));
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  std::atomic<bool> abandoned{false};
  call->on_abandoned([&] { abandoned = true; });
  call->answer(text_answer(std::string(50'000'000, 'a')));
  BOOST_TEST(client.read_bytes(1) > 0U);
  client.reset();
  BOOST_TEST(comes_true([&] { return abandoned.load(); }));
}

BOOST_AUTO_TEST_CASE(pipelined_bytes_neither_abandon_a_request_nor_keep_the_server_busy) {
  open();
  auto client = connect();
  client.send(get("/first"));
  const auto first = calls.take();
  BOOST_REQUIRE(first);
  std::atomic<bool> abandoned{false};
  first->on_abandoned([&] { abandoned = true; });
  client.send(get("/second"));
  const auto before = processor_time_used();
  BOOST_TEST(client.is_silent_for(300ms));
  BOOST_TEST((processor_time_used() - before < 150ms));
  BOOST_TEST(!abandoned);
  first->answer(text_answer("first"));
  BOOST_TEST(client.read().body == "first");
  const auto second = calls.take();
  BOOST_REQUIRE(second);
  BOOST_TEST(second->asked().target == "/second");
  second->answer(text_answer("second"));
  BOOST_TEST(client.read().body == "second");
}

BOOST_AUTO_TEST_CASE(client_that_hangs_up_within_a_request_is_counted) {
  open();
  for (const std::string bytes :
       {"GET / HT", "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\n1234"}) {
    auto client = connect();
    client.send(bytes);
    client.finish();
    BOOST_TEST(client.is_closed());
  }
  BOOST_TEST(counters().incomplete == 2U);
  BOOST_TEST(calls.empty());
  BOOST_TEST(server->wait_until_idle(10s));
}

BOOST_AUTO_TEST_CASE(draining_server_answers_what_it_has_and_takes_nothing_new) {
  options.threads = 2;
  open();
  auto idle = connect();
  idle.send(get("/idle"));
  const auto first = calls.take();
  BOOST_REQUIRE(first);
  first->answer(text_answer("idle"));
  BOOST_TEST(idle.read().body == "idle");
  auto running = connect();
  running.send(get("/running") + get("/behind"));
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  auto arriving = connect();
  arriving.send("GET /arriving HTTP/1.1\r\n");
  auto uploading = connect();
  uploading.send("POST /up HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\n1234");
  // Whether the bytes of these two have been read is open; they reach no handler either way.
  BOOST_TEST(comes_true([&] { return counters().open == 4U; }));
  BOOST_TEST(!server->wait_until_idle(10ms));

  server->drain();
  BOOST_TEST(!raw_client::is_open(server->port()));
  BOOST_TEST(idle.is_closed());
  BOOST_TEST(!server->wait_until_idle(10ms));
  call->answer(text_answer("running"));
  const auto reply = running.read();
  BOOST_TEST(reply.body == "running");
  BOOST_TEST(reply.header("connection") == "close");
  BOOST_TEST(running.is_closed());
  BOOST_TEST(server->wait_until_idle(10s));
  BOOST_TEST(calls.empty());
  server->drain(); // once more does no harm
}

BOOST_AUTO_TEST_CASE(request_that_arrives_while_the_server_drains_is_answered_503) {
  open();
  auto running = connect();
  running.send(get("/running"));
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  auto uploading = connect();
  uploading.send("POST /up HTTP/1.1\r\nHost: here\r\nExpect: 100-continue\r\n"
                 "Content-Length: 9\r\n\r\n");
  BOOST_TEST(uploading.read().status == 100);
  server->drain();
  const auto reply = uploading.read();
  BOOST_TEST(reply.status == 503);
  BOOST_TEST(reply.has("retry-after"));
  BOOST_TEST(reply.header("connection") == "close");
  BOOST_TEST(uploading.is_closed());
  BOOST_TEST(counters().refused_for(refusal::draining) == 1U);
}

BOOST_AUTO_TEST_CASE(destroyed_server_abandons_its_calls_which_may_be_answered_later) {
  options.threads = 2;
  open();
  std::vector<raw_client> clients;
  std::vector<call_ptr> held;
  std::atomic<int> abandoned{0};
  for (int i = 0; i < 20; ++i) {
    clients.push_back(connect());
    clients.back().send(i % 2 == 0 ? get("/") : post("/", std::string(1000, 'b')));
    held.push_back(calls.take());
    BOOST_REQUIRE(held.back());
    held.back()->on_abandoned([&, own = held.back()] { ++abandoned; });
  }
  auto idle = connect();
  server.reset();
  BOOST_TEST(abandoned == 20);
  for (auto& one : clients)
    BOOST_TEST(one.is_closed());
  BOOST_TEST(idle.is_closed());
  for (std::size_t i = 0; i < held.size(); ++i)
    if (i % 3 != 0)
      held[i]->answer(text_answer("late"));
  held.front()->on_abandoned([&] { ++abandoned; }); // at once
  BOOST_TEST(abandoned == 21);
  BOOST_TEST(held[1]->asked().body.size() == 1000U);
  held.clear();
}

BOOST_AUTO_TEST_CASE(server_may_end_while_threads_answer_and_clients_come_and_go) {
  for (int round = 0; round < 10; ++round) {
    options.threads = 1 + static_cast<std::size_t>(round % 3);
    open();
    std::atomic<bool> is_over{false};
    std::vector<std::thread> busy;
    for (int i = 0; i < 2; ++i)
      busy.emplace_back([&] {
        while (!is_over)
          if (const auto call = calls.take(5ms)) {
            call->on_abandoned([call] { call->answer(text_answer("gone")); });
            call->answer(text_answer("here"));
          }
      });
    const auto port = server->port();
    for (int i = 0; i < 2; ++i)
      busy.emplace_back([&, port] {
        while (!is_over && raw_client::is_open(port)) {
          try {
            raw_client client{port};
            client.send(get("/1") + get("/2"));
            client.read();
            if (client.is_silent_for(0ms))
              client.reset();
          } catch (const std::exception&) {
            // The server has gone.
          }
        }
      });
    BOOST_TEST(comes_true([&] { return counters().requests > 50U; }));
    if (round % 2 == 0)
      server->drain();
    server.reset();
    is_over = true;
    for (auto& one : busy)
      one.join();
    calls.clear();
  }
}

BOOST_AUTO_TEST_SUITE_END()
