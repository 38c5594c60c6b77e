// The HTTP server on real sockets: how requests arrive and answers leave.

#include "tests/http/server_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace std::chrono_literals;
using http::call_ptr;
using test::get;
using test::post;
using test::raw_client;
using test::text_answer;

BOOST_FIXTURE_TEST_SUITE(server, test::server_fixture)

BOOST_AUTO_TEST_CASE(connection_serves_one_request_after_another) {
  open_echo();
  auto client = connect();
  for (const std::string path : {"/a", "/b?x=1", "/c%20d"}) {
    client.send(get(path));
    const auto reply = client.read();
    BOOST_TEST(reply.status == 200);
    BOOST_TEST(reply.body == "GET " + path + ' ');
    BOOST_TEST(reply.header("content-type") == http::json_type);
    BOOST_TEST(reply.header("x-content-type-options") == "nosniff");
    BOOST_TEST(reply.header("cache-control") == "no-store");
    BOOST_TEST(!reply.has("connection"));
  }
  BOOST_TEST(counters().accepted == 1U);
  BOOST_TEST(counters().requests == 3U);
}

BOOST_AUTO_TEST_CASE(handler_gets_the_request_as_it_came_with_names_in_lower_case) {
  open();
  auto client = connect();
  client.send("PuRGE /x%2Fy?z=%20 HTTP/1.1\r\nHOST: here\r\nX-Two:  a b \r\nx-two: c\r\n"
              "Content-Length: 5\r\n\r\nab\r\nc");
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  const auto& asked = call->asked();
  BOOST_TEST(asked.method == "PuRGE");
  BOOST_TEST(asked.target == "/x%2Fy?z=%20");
  BOOST_TEST(asked.body == "ab\r\nc");
  BOOST_TEST(asked.peer == "127.0.0.1");
  std::string headers;
  for (const auto& one : asked.headers)
    headers += one.name + '=' + one.value + ';';
  BOOST_TEST(headers == "host=here;x-two=a b;x-two=c;content-length=5;");
}

BOOST_AUTO_TEST_CASE(pipelined_requests_reach_the_handler_one_at_a_time) {
  open();
  auto client = connect();
  client.send(get("/1") + post("/2", "two") + get("/3"));
  for (const std::string expected : {"/1", "/2", "/3"}) {
    const auto call = calls.take();
    BOOST_REQUIRE(call);
    BOOST_TEST(call->asked().target == expected);
    BOOST_TEST(!calls.take(20ms));
    call->answer(text_answer(expected));
    BOOST_TEST(client.read().body == expected);
  }
}

BOOST_AUTO_TEST_CASE(pipelined_answers_keep_their_order_when_many_threads_answer) {
  constexpr std::size_t clients = 8;
  constexpr std::size_t requests = 50;
  options.threads = 3;
  open();
  std::atomic<bool> is_over{false};
  std::vector<std::thread> answering;
  for (int i = 0; i < 4; ++i)
    answering.emplace_back([&] {
      while (!is_over) {
        auto first = calls.take(10ms);
        const auto second = calls.take(0ms);
        if (second) // the later one first
          second->answer(text_answer(second->asked().target));
        if (first)
          first->answer(text_answer(first->asked().target));
      }
    });
  std::vector<raw_client> all;
  for (std::size_t c = 0; c < clients; ++c) {
    all.push_back(connect());
    std::string bytes;
    for (std::size_t r = 0; r < requests; ++r)
      bytes += get('/' + std::to_string(c) + '/' + std::to_string(r));
    all.back().send(bytes);
  }
  std::size_t in_order = 0;
  for (std::size_t r = 0; r < requests; ++r)
    for (std::size_t c = 0; c < clients; ++c)
      if (all[c].read().body == '/' + std::to_string(c) + '/' + std::to_string(r))
        ++in_order;
  is_over = true;
  for (auto& one : answering)
    one.join();
  BOOST_TEST(in_order == clients * requests);
}

BOOST_AUTO_TEST_CASE(chunked_body_is_put_together_and_its_trailer_is_dropped) {
  open();
  auto client = connect();
  client.send("POST /c HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: Chunked\r\n\r\n"
              "5;name=value\r\nhello\r\n1\r\n \r\nA\r\n0123456789\r\n"
              "0\r\nAuthorization: Bearer late\r\n\r\n"
              + get("/next"));
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  BOOST_TEST(call->asked().body == "hello 0123456789");
  for (const auto& one : call->asked().headers)
    BOOST_TEST(one.name != "authorization");
  call->answer(text_answer("one"));
  BOOST_TEST(client.read().body == "one");
  const auto next = calls.take();
  BOOST_REQUIRE(next);
  BOOST_TEST(next->asked().target == "/next");
}

BOOST_AUTO_TEST_CASE(request_may_come_byte_by_byte) {
  open_echo();
  auto client = connect();
  for (const std::string bytes :
       {"POST /c HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "POST /c HTTP/1.1\r\nHost: here\r\nContent-Length: 3\r\n\r\nabc"}) {
    for (const char byte : bytes)
      client.send({&byte, 1});
    BOOST_TEST(client.read().body == "POST /c abc");
  }
}

BOOST_AUTO_TEST_CASE(client_that_expects_it_is_told_to_continue) {
  open_echo();
  auto client = connect();
  const std::string head =
      "POST /e HTTP/1.1\r\nHost: here\r\nExpect: 100-Continue\r\nContent-Length: 4\r\n\r\n";
  client.send(head);
  const auto invitation = client.read();
  BOOST_TEST(invitation.head == "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("body");
  BOOST_TEST(client.read().body == "POST /e body");
  client.send(head + "here"); // not waiting
  BOOST_TEST(client.read().body == "POST /e here");
}

BOOST_AUTO_TEST_CASE(client_that_expects_to_send_too_much_is_refused_before_it_does) {
  options.limits.body_bytes_max = 10;
  open_echo();
  auto client = connect();
  client.send("POST /e HTTP/1.1\r\nHost: here\r\nExpect: 100-continue\r\n"
              "Content-Length: 11\r\n\r\n");
  BOOST_TEST(client.read().status == 413);
  BOOST_TEST(client.is_closed());
}

BOOST_AUTO_TEST_CASE(head_is_asked_as_get_and_answered_without_the_body) {
  open_echo();
  auto client = connect();
  client.send("HEAD /h HTTP/1.1\r\nHost: here\r\n\r\n" + get("/after"));
  const auto reply = client.read(true);
  BOOST_TEST(reply.status == 200);
  BOOST_TEST(reply.header("content-length") == std::to_string(std::string{"GET /h "}.size()));
  BOOST_TEST(client.read().body == "GET /after ");
}

BOOST_AUTO_TEST_CASE(answers_204_and_304_have_no_body) {
  open([](const call_ptr& call) {
    const auto status = call->asked().target == "/204" ? 204U : 304U;
    call->answer(text_answer("must not be sent", status));
  });
  auto client = connect();
  for (const std::string path : {"/204", "/304"}) {
    client.send(get(path));
    const auto reply = client.read();
    BOOST_TEST('/' + std::to_string(reply.status) == path);
    BOOST_TEST(!reply.has("content-length"));
    BOOST_TEST(!reply.has("content-type"));
  }
  BOOST_TEST(client.is_silent_for(0ms));
}

BOOST_AUTO_TEST_CASE(answer_closes_the_connection_for_http_1_0_and_on_request) {
  open_echo();
  for (const std::string bytes :
       {"GET /old HTTP/1.0\r\n\r\n", "GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        "GET /old HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"}) {
    auto client = connect();
    client.send(bytes);
    const auto reply = client.read();
    BOOST_TEST(reply.body == "GET /old ");
    BOOST_TEST(reply.header("connection") == "close");
    BOOST_TEST(client.is_closed());
  }
}

BOOST_AUTO_TEST_CASE(empty_lines_may_come_before_a_request) {
  open_echo();
  auto client = connect();
  client.send("\r\n\r\n" + get("/a") + "\r\n" + get("/b"));
  BOOST_TEST(client.read().body == "GET /a ");
  BOOST_TEST(client.read().body == "GET /b ");
}

BOOST_AUTO_TEST_CASE(target_in_absolute_form_is_read_by_its_path) {
  open_echo();
  auto client = connect();
  client.send(get("http://here:80/a/b?c") + get("HTTPS://here"));
  BOOST_TEST(client.read().body == "GET /a/b?c ");
  BOOST_TEST(client.read().body == "GET / ");
}

BOOST_AUTO_TEST_CASE(large_body_and_large_answer_pass) {
  open_echo();
  auto client = connect();
  const std::string body(3'000'000, 'b');
  std::thread sending{[&] { client.send(post("/large", body)); }};
  const auto reply = client.read();
  sending.join();
  BOOST_TEST((reply.body == "POST /large " + body));
}

BOOST_AUTO_TEST_CASE(header_of_an_answer_cannot_hold_a_second_header) {
  open([](const call_ptr& call) {
    auto made = text_answer("x");
    made.headers.push_back({"Location", "/a\r\nSet-Cookie: b"});
    made.headers.push_back({"Content-Length", "7"});
    made.headers.push_back({"Cache-Control", "max-age=1"});
    call->answer(std::move(made));
  });
  auto client = connect();
  client.send(get("/"));
  const auto reply = client.read(); // throws where a field is there twice
  BOOST_TEST(reply.header("location") == "/a  Set-Cookie: b");
  BOOST_TEST(!reply.has("set-cookie"));
  BOOST_TEST(reply.body == "x");
  BOOST_TEST(reply.header("cache-control") == "max-age=1");
}

BOOST_AUTO_TEST_CASE(second_answer_to_a_request_is_ignored) {
  open();
  auto client = connect();
  client.send(get("/a") + get("/b"));
  const auto first = calls.take();
  BOOST_REQUIRE(first);
  first->answer(text_answer("first"));
  first->answer(text_answer("again"));
  BOOST_TEST(client.read().body == "first");
  const auto second = calls.take();
  BOOST_REQUIRE(second);
  first->answer(text_answer("once more"));
  BOOST_TEST(client.is_silent_for(20ms));
  second->answer(text_answer("second"));
  BOOST_TEST(client.read().body == "second");
}

BOOST_AUTO_TEST_CASE(request_that_is_dropped_is_answered_500) {
  open();
  auto client = connect();
  client.send(get("/dropped") + get("/next"));
  BOOST_REQUIRE(calls.take()); // and lets go of it
  const auto reply = client.read();
  BOOST_TEST(reply.status == 500);
  BOOST_TEST(reply.header("content-type") == http::problem_type);
  BOOST_TEST(refused(refusal::unanswered));
  const auto next = calls.take();
  BOOST_REQUIRE(next);
  next->answer(text_answer("next"));
  BOOST_TEST(client.read().body == "next");
}

BOOST_AUTO_TEST_CASE(exception_of_the_handler_is_answered_500_and_logged_without_its_text) {
  open([](call_ptr) { throw std::runtime_error("a secret"); });
  auto client = connect();
  client.send(get("/"));
  BOOST_TEST(client.read().status == 500);
  BOOST_TEST(counters().failures == 1U);
  BOOST_TEST(lines_with("http_handler_failed") == 1U);
  BOOST_TEST(lines_with("secret") == 0U);
}

BOOST_AUTO_TEST_CASE(five_hundred_connections_are_served_at_once) {
  constexpr std::size_t clients = 500;
  const test::descriptor_limit enough{4096};
  options.threads = 2;
  open();
  std::vector<raw_client> all;
  all.reserve(clients);
  for (std::size_t i = 0; i < clients; ++i) {
    all.push_back(connect());
    BOOST_REQUIRE(all.back().send(get('/' + std::to_string(i))));
  }
  std::vector<call_ptr> held;
  for (std::size_t i = 0; i < clients; ++i) {
    held.push_back(calls.take());
    BOOST_REQUIRE(held.back());
  }
  BOOST_TEST(counters().open == clients);
  for (const auto& one : held)
    one->answer(text_answer(one->asked().target));
  std::size_t right = 0;
  for (std::size_t i = 0; i < clients; ++i)
    if (all[i].read().body == '/' + std::to_string(i))
      ++right;
  BOOST_TEST(right == clients);
  all.clear();
  BOOST_TEST(test::comes_true([&] { return counters().open == 0U; }));
}

BOOST_AUTO_TEST_CASE(port_that_is_taken_and_address_that_is_none_are_told) {
  open_echo();
  http::server_options second;
  second.port = server->port();
  const auto taken = http::server::open(second, [](const call_ptr&) {});
  BOOST_REQUIRE(!taken);
  BOOST_TEST((taken.error().code == core::errc::already_exists));
  second.address = "localhost";
  const auto named = http::server::open(second, [](const call_ptr&) {});
  BOOST_REQUIRE(!named);
  BOOST_TEST((named.error().code == core::errc::invalid_argument));
}

BOOST_AUTO_TEST_SUITE_END()
