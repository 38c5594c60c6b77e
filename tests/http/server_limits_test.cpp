// The bounds of the HTTP server: clients that send too much, or too slowly, or bytes that are not
// well formed.

#include "tests/http/server_fixture.hpp"

#include <boost/test/unit_test.hpp>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
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

BOOST_FIXTURE_TEST_SUITE(server_bounds, test::server_fixture)

BOOST_AUTO_TEST_CASE(header_beyond_its_bound_is_answered_431) {
  options.limits.header_bytes_max = 1000;
  open_echo();
  const auto fitting =
      get("/", "x: " + std::string(1000 - get("/", "x: \r\n").size(), 'h') + "\r\n");
  auto client = connect();
  client.send(fitting);
  BOOST_TEST(client.read().status == 200);
  client.send(get("/", "x: h" + std::string(1000 - get("/", "x: \r\n").size(), 'h') + "\r\n"));
  const auto reply = client.read();
  BOOST_TEST(reply.status == 431);
  BOOST_TEST(reply.header("content-type") == http::problem_type);
  BOOST_TEST(reply.header("connection") == "close");
  BOOST_TEST(client.is_closed());
  BOOST_TEST(counters().refused_for(refusal::header_too_large) == 1U);
  BOOST_TEST(lines_with("reason=header_too_large peer=127.0.0.1") == 1U);
}

BOOST_AUTO_TEST_CASE(endless_stream_of_short_header_fields_is_answered_431) {
  options.limits.linger_deadline = 50ms;
  open_echo();
  auto client = connect();
  std::size_t sent = 0;
  client.send("GET / HTTP/1.1\r\nHost: here\r\n");
  while (sent < 4'000'000 && client.send("a: b\r\n")) // one at a time, each complete
    sent += 6;
  BOOST_TEST(sent < 4'000'000U);
  BOOST_TEST(counters().refused_for(refusal::header_too_large) == 1U);
}

BOOST_AUTO_TEST_CASE(too_many_header_fields_are_answered_431) {
  open_echo();
  std::string lines;
  for (int i = 0; i < 200; ++i)
    lines += "a: b\r\n";
  auto client = connect();
  client.send(get("/", lines));
  BOOST_TEST(client.read().status == 431);
}

BOOST_AUTO_TEST_CASE(body_beyond_its_bound_is_answered_413_also_while_the_client_still_sends) {
  options.limits.body_bytes_max = 100'000;
  open_echo();
  auto client = connect();
  client.send(post("/", std::string(100'000, 'b')));
  BOOST_TEST(client.read().status == 200);
  const auto send_all = [&](const std::string& bytes) {
    std::thread sending{[&] { client.send(bytes); }};
    const auto status = client.read().status;
    sending.join();
    return status;
  };
  BOOST_TEST(send_all(post("/", std::string(5'000'000, 'b'))) == 413);
  BOOST_TEST(client.is_closed());
  client = connect();
  std::string chunked = "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 1000; ++i)
    chunked += "400\r\n" + std::string(0x400, 'c') + "\r\n";
  BOOST_TEST(send_all(chunked) == 413);
  BOOST_TEST(client.is_closed());
  BOOST_TEST(counters().refused_for(refusal::body_too_large) == 2U);
}

BOOST_AUTO_TEST_CASE(bodies_share_a_bound_and_give_their_room_back) {
  options.limits.bodies_bytes_max = 1000;
  open();
  auto first = connect();
  first.send(post("/first", std::string(700, 'b')));
  auto held = calls.take();
  BOOST_REQUIRE(held);

  auto second = connect();
  second.send(post("/second", std::string(301, 'b')));
  const auto reply = second.read();
  BOOST_TEST(reply.status == 503);
  BOOST_TEST(reply.has("retry-after"));
  BOOST_TEST(second.is_closed());
  auto chunked = connect();
  chunked.send("POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n12d\r\n"
               + std::string(301, 'c') + "\r\n");
  BOOST_TEST(chunked.read().status == 503);
  BOOST_TEST(counters().refused_for(refusal::bodies_full) == 2U);

  held->answer(text_answer("done"));
  BOOST_TEST(first.read().body == "done");
  held.reset(); // the body goes with the call
  auto third = connect();
  third.send(post("/third", std::string(1000, 'b')));
  const auto next = calls.take();
  BOOST_REQUIRE(next);
  BOOST_TEST(next->asked().body.size() == 1000U);
}

BOOST_AUTO_TEST_CASE(connection_beyond_the_bound_is_answered_503) {
  options.limits.connections_max = 2;
  open_echo();
  auto first = connect();
  auto second = connect();
  for (auto* client : {&first, &second}) {
    client->send(get("/"));
    BOOST_TEST(client->read().status == 200);
  }
  auto third = connect();
  const auto reply = third.read();
  BOOST_TEST(reply.status == 503);
  BOOST_TEST(reply.has("retry-after"));
  BOOST_TEST(third.is_closed());
  BOOST_TEST(counters().refused_for(refusal::connections_full) == 1U);
  first.close();
  BOOST_TEST(comes_true([&] { return counters().open == 1U; }));
  auto fourth = connect();
  fourth.send(get("/"));
  BOOST_TEST(fourth.read().status == 200);
}

BOOST_AUTO_TEST_CASE(connections_of_one_address_are_bounded_apart) {
  options.limits.connections_per_address_max = 1;
  open_echo();
  raw_client first{server->port(), 2};
  first.send(get("/"));
  BOOST_TEST(first.read().status == 200);
  raw_client second{server->port(), 2};
  BOOST_TEST(second.read().status == 503);
  raw_client other{server->port(), 3};
  other.send(get("/"));
  BOOST_TEST(other.read().status == 200);
  BOOST_TEST(counters().refused_for(refusal::address_full) == 1U);
}

BOOST_AUTO_TEST_CASE(flood_of_refused_connections_costs_one_log_line_a_second) {
  options.limits.connections_max = 1;
  open_echo();
  auto first = connect();
  first.send(get("/"));
  BOOST_TEST(first.read().status == 200);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 40; ++i)
    BOOST_TEST(connect().read().status == 503);
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin)
          .count();
  BOOST_TEST(counters().refused_for(refusal::connections_full) == 40U);
  BOOST_TEST(lines_with("connections_full") <= static_cast<std::size_t>(seconds) + 1);
}

BOOST_AUTO_TEST_CASE(ambiguous_and_malformed_requests_are_answered_400_and_not_handled) {
  open();
  const std::string host = "Host: here\r\n";
  const std::string chunks = "\r\n0\r\n\r\n";
  const std::vector<std::string> all{
      "POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n" + chunks,
      "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n" + chunks,
      "POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
      "POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
      "POST / HTTP/1.1\r\n" + host + "Content-Length: 3, 3\r\n\r\nabc",
      "POST / HTTP/1.1\r\n" + host + "Content-Length: +3\r\n\r\nabc",
      "POST / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\nabc",
      "POST / HTTP/1.1\r\n" + host + "Content-Length: 99999999999999999999\r\n\r\nabc",
      "POST / HTTP/1.1\r\n" + host + "Content-Length: 0x3\r\n\r\nabc",
      "POST / HTTP/1.1\r\n" + host + "Content-Length:\r\n\r\nabc",
      "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n" + chunks,
      "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked, chunked\r\n" + chunks,
      "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: xchunked\r\n" + chunks,
      "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"
          + chunks,
      "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding : chunked\r\n" + chunks,
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n" + chunks,
      "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\n" + host
          + "Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 3\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\n" + host + host + "\r\n",
      "GET / HTTP/1.1\n" + host + "\r\n",
      "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding:\r\n chunked\r\n" + chunks,
      "GET / HTTP/1.1\r\n" + host + "a: b\r\n\tc\r\n\r\n",
      "GET / HTTP/1.1\r\n " + host + host + "\r\n",
      "GET / HTTP/1.1\r\n" + host + "a b: c\r\n\r\n",
      "GET / HTTP/1.1\r\n" + host + ": c\r\n\r\n",
      "GET / HTTP/1.1\r\n" + host + "no colon\r\n\r\n",
      std::string{"GET / HTTP/1.1\r\n"} + host + std::string{"a: b\0c\r\n\r\n", 10},
      "GET / HTTP/2.0\r\n" + host + "\r\n",
      "GET / HTTP/0.9\r\n" + host + "\r\n",
      "GET /\r\n\r\n",
      "GET  / HTTP/1.1\r\n" + host + "\r\n",
      "GET /a b HTTP/1.1\r\n" + host + "\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      std::string{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11}, // the hello of TLS
      std::string(300, '\xff'),
      "{}\r\n\r\n",
  };
  for (const auto& bytes : all) {
    auto client = connect();
    client.send(bytes + get("/smuggled"));
    const auto reply = client.read();
    BOOST_TEST(reply.status == 400, bytes);
    BOOST_TEST(reply.header("connection") == "close");
    BOOST_TEST(client.is_closed());
  }
  BOOST_TEST(counters().refused_for(refusal::malformed) == all.size());
  BOOST_TEST(calls.empty());
}

BOOST_AUTO_TEST_CASE(chunk_header_without_end_is_refused) {
  options.limits.header_bytes_max = 1000;
  open_echo();
  auto client = connect();
  client.send("POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n1;"
              + std::string(2000, 'x'));
  BOOST_TEST(client.read().status == 431);
  BOOST_TEST(client.is_closed());
}

BOOST_AUTO_TEST_CASE(slow_header_is_answered_408_and_a_silent_connection_is_closed) {
  options.limits.header_deadline = 50ms;
  open_echo();
  auto silent = connect();
  auto slow = connect();
  slow.send("GET / HTTP/1.1\r\nHost: he");
  const auto reply = slow.read();
  BOOST_TEST(reply.status == 408);
  BOOST_TEST(reply.header("connection") == "close");
  BOOST_TEST(slow.is_closed());
  BOOST_TEST(silent.is_closed());
  BOOST_TEST(counters().refused_for(refusal::header_timeout) == 1U);
}

BOOST_AUTO_TEST_CASE(slow_body_is_answered_408_although_bytes_keep_coming) {
  options.limits.body_deadline = 100ms;
  open();
  auto client = connect();
  client.send("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 100000\r\n\r\n");
  std::size_t sent = 0;
  while (sent < 10'000 && client.is_silent_for(5ms) && client.send("b"))
    ++sent;
  BOOST_TEST(client.read().status == 408);
  BOOST_TEST(sent > 0U);
  BOOST_TEST(sent < 10'000U);
  BOOST_TEST(counters().refused_for(refusal::body_timeout) == 1U);
  BOOST_TEST(calls.empty());
}

BOOST_AUTO_TEST_CASE(idle_connection_is_closed_without_a_word) {
  options.limits.idle_deadline = 50ms;
  open_echo();
  auto client = connect();
  client.send(get("/"));
  BOOST_TEST(client.read().status == 200);
  BOOST_TEST(client.is_closed());
}

BOOST_AUTO_TEST_CASE(client_that_does_not_read_its_answer_is_cut) {
  options.limits.write_deadline = 100ms;
  open([](const call_ptr& call) { call->answer(text_answer(std::string(50'000'000, 'a'))); });
  raw_client client{server->port(), 0, 4096};
  client.send(get("/"));
  BOOST_TEST(refused(refusal::unread));
  BOOST_TEST(comes_true([&] { return counters().open == 0U; }));
  BOOST_TEST(client.read_to_end() < 50'000'000U);
}

BOOST_AUTO_TEST_CASE(client_that_reads_on_gets_an_answer_that_takes_longer_than_the_deadline) {
  constexpr std::size_t bytes = 20'000'000;
  options.limits.write_deadline = 500ms;
  open([](const call_ptr& call) { call->answer(text_answer(std::string(bytes, 'a'))); });
  raw_client client{server->port(), 0, 65536};
  client.send(get("/"));
  std::size_t read = 0;
  const auto begin = std::chrono::steady_clock::now();
  const auto reply_head = client.read(true);
  BOOST_TEST(reply_head.status == 200);
  while (read < bytes) { // about a second and a half in all
    const auto more = client.read_bytes(std::min<std::size_t>(1'000'000, bytes - read));
    BOOST_REQUIRE(more > 0U);
    read += more;
    if (std::chrono::steady_clock::now() - begin < 1500ms)
      ::poll(nullptr, 0, 70);
  }
  BOOST_TEST(counters().refused_for(refusal::unread) == 0U);
}

BOOST_AUTO_TEST_CASE(handler_that_does_not_answer_in_time_costs_503_and_hears_of_it) {
  options.limits.answer_deadline = 300ms;
  open();
  auto client = connect();
  client.send(get("/late"));
  auto late = calls.take();
  BOOST_REQUIRE(late);
  std::atomic<int> abandoned{0};
  late->on_abandoned([&] { ++abandoned; });
  const auto reply = client.read();
  BOOST_TEST(reply.status == 503);
  BOOST_TEST(reply.has("retry-after"));
  BOOST_TEST(comes_true([&] { return abandoned == 1; }));
  BOOST_TEST(counters().refused_for(refusal::answer_timeout) == 1U);
  late->answer(text_answer("too late"));
  late->on_abandoned([&] { ++abandoned; }); // at once
  BOOST_TEST(abandoned == 2);
  client.send(get("/next"));
  const auto next = calls.take();
  BOOST_REQUIRE(next);
  next->answer(text_answer("next"));
  BOOST_TEST(client.read().body == "next");
}

BOOST_AUTO_TEST_CASE(want_of_descriptors_pauses_accepting_and_no_more) {
  open_echo();
  auto client = raw_client::unconnected();
  std::vector<int> taken;
  {
    const test::descriptor_limit few{256};
    const auto take_one = [] { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); };
    for (int one = take_one(); one >= 0; one = take_one())
      taken.push_back(one);
    client.connect(server->port());
    BOOST_TEST(comes_true([&] { return counters().accept_pauses > 0U; }));
  }
  for (const int one : taken)
    ::close(one);
  client.send(get("/"));
  BOOST_TEST(client.read().status == 200);
  BOOST_TEST(lines_with("http_accept_paused") > 0U);
}

BOOST_AUTO_TEST_SUITE_END()
