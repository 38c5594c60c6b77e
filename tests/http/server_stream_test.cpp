// Streamed answers of the HTTP server over real sockets.

#include "tests/http/server_fixture.hpp"

#include <boost/test/unit_test.hpp>
#include <poll.h>
#include <zlib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace std::chrono_literals;
using http::answer_stream_ptr;
using http::write_result;
using test::comes_true;
using test::get;
using test::raw_client;
using test::text_answer;

namespace {

constexpr std::string_view line_type = "application/x-ndjson";

http::stream_head head_of_lines() { return {200, std::string{line_type}, {}}; }

/// Writes a number of equal pieces, each when there is room.
class patient_producer : public std::enable_shared_from_this<patient_producer> {
public:
  patient_producer(answer_stream_ptr to, std::string piece, int pieces)
      : to_(std::move(to)), piece_(std::move(piece)), left_(pieces) {}

  void write() {
    if (left_ == 0)
      return to_->finish();
    --left_;
    ++written;
    const auto fate =
        to_->write(std::string{piece_}, [self = shared_from_this()] { self->write(); });
    if (fate != write_result::taken)
      ++refused;
  }

  std::atomic<int> written{0};
  std::atomic<int> refused{0};

private:
  const answer_stream_ptr to_;
  const std::string piece_;
  int left_;
};

/// The text of packed bytes that may go on.
std::string unpacked_so_far(z_stream& stream, std::string packed) {
  std::array<char, 4096> out{};
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::inflate(&stream, Z_SYNC_FLUSH);
  return {out.data(), out.size() - stream.avail_out};
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(server_streams, test::server_fixture)

BOOST_AUTO_TEST_CASE(pieces_arrive_as_they_are_written_and_the_connection_goes_on) {
  open();
  auto client = connect();
  client.send(get("/list") + get("/next"));
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  const auto stream = call->begin_stream(head_of_lines());
  const auto head = client.read_head();
  BOOST_TEST(head.status == 200);
  BOOST_TEST(head.header("content-type") == line_type);
  BOOST_TEST(head.header("transfer-encoding") == "chunked");
  BOOST_TEST(!head.has("content-length"));
  BOOST_TEST((stream->write("one\n") == write_result::taken));
  BOOST_TEST(client.read_chunk() == "one\n");
  BOOST_TEST((stream->write("two\n") == write_result::taken));
  BOOST_TEST(client.read_chunk() == "two\n");
  BOOST_TEST(calls.empty());
  stream->finish();
  BOOST_TEST(client.read_chunk() == "");
  BOOST_TEST(!client.is_cut());
  BOOST_TEST((stream->write("late\n") == write_result::ended));
  const auto next = calls.take();
  BOOST_REQUIRE(next);
  next->answer(text_answer("next"));
  BOOST_TEST(client.read().body == "next");
}

BOOST_AUTO_TEST_CASE(slow_reader_holds_its_producer_back) {
  open();
  raw_client client{server->port(), 0, 4096};
  client.send(get("/large"));
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  constexpr int pieces = 2000;
  const std::string piece(32UL * 1024, 'p');
  const auto producer =
      std::make_shared<patient_producer>(call->begin_stream(head_of_lines()), piece, pieces);
  producer->write();
  // The buffers of the system fill up, and then nothing moves.
  BOOST_TEST(comes_true([&] {
    const int before = producer->written;
    ::poll(nullptr, 0, 50);
    return producer->written == before;
  }));
  BOOST_TEST(producer->written < pieces);
  const auto reply = client.read();
  BOOST_TEST(reply.body.size() == pieces * piece.size());
  BOOST_TEST(!reply.is_cut);
  BOOST_TEST(producer->refused == 0);
  BOOST_TEST(producer->written == pieces);
}

BOOST_AUTO_TEST_CASE(producer_that_does_not_wait_is_told_that_the_stream_is_full) {
  options.limits.stream_bytes_max = 1000;
  open();
  auto client = connect();
  client.send(get("/events"));
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  const auto stream = call->begin_stream(head_of_lines());
  const std::string piece(100'000, 'p');
  int writes = 0;
  std::atomic<int> told{0}; // The write after which there was room again.
  auto fate = write_result::taken;
  while (fate == write_result::taken && writes < 1000) {
    ++writes;
    fate = stream->write(std::string{piece}, [&told, writes] { told = writes; });
  }
  BOOST_TEST((fate == write_result::full));
  std::thread reader{[&] { client.read_bytes(static_cast<std::size_t>(writes - 1) * 100'000); }};
  BOOST_TEST(comes_true([&] { return told == writes; }));
  reader.join();
  stream->finish();
}

BOOST_AUTO_TEST_CASE(client_that_hangs_up_ends_the_producer) {
  open();
  for (const bool by_reset : {false, true}) {
    auto client = connect();
    client.send(get("/events"));
    const auto call = calls.take();
    BOOST_REQUIRE(call);
    const auto stream = call->begin_stream(head_of_lines());
    std::atomic<int> replaced{0};
    std::atomic<int> ended{0};
    stream->on_end([&] { ++replaced; });
    stream->on_end([&ended, own = stream] { ++ended; });
    client.read_head();
    if (by_reset)
      client.reset();
    else
      client.close();
    BOOST_TEST(comes_true([&] { return ended == 1; }));
    BOOST_TEST((stream->write("late\n") == write_result::ended));
    stream->on_end([&] { ++ended; }); // at once
    BOOST_TEST(ended == 2);
    BOOST_TEST(replaced == 0);
    BOOST_TEST(comes_true([&] { return counters().open == 0U; }));
  }
  BOOST_TEST(server->wait_until_idle(10s));
}

BOOST_AUTO_TEST_CASE(client_that_has_gone_before_the_stream_begins_ends_the_producer) {
  open();
  auto client = connect();
  client.send(get("/events"));
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  std::atomic<bool> abandoned{false};
  call->on_abandoned([&] { abandoned = true; });
  client.close();
  BOOST_TEST(comes_true([&] { return abandoned.load(); }));
  std::atomic<bool> ended{false};
  const auto stream = call->begin_stream(head_of_lines());
  stream->on_end([&] { ended = true; });
  BOOST_TEST(comes_true([&] { return ended.load(); }));
}

BOOST_AUTO_TEST_CASE(aborted_stream_is_cut_before_its_last_chunk) {
  open();
  for (const bool by_letting_go : {false, true}) {
    auto client = connect();
    client.send(get("/list"));
    const auto call = calls.take();
    BOOST_REQUIRE(call);
    auto stream = call->begin_stream(head_of_lines());
    std::atomic<bool> ended{false};
    stream->on_end([&] { ended = true; });
    stream->write("one\n");
    if (!by_letting_go)
      stream->abort();
    stream.reset();
    const auto reply = client.read();
    BOOST_TEST(reply.body == "one\n");
    BOOST_TEST(reply.is_cut);
    BOOST_TEST(!ended);
  }
}

BOOST_AUTO_TEST_CASE(client_of_http_1_0_reads_to_the_end_of_the_connection) {
  open();
  for (const bool aborts : {false, true}) {
    auto client = connect();
    client.send("GET /list HTTP/1.0\r\n\r\n");
    const auto call = calls.take();
    BOOST_REQUIRE(call);
    const auto stream = call->begin_stream(head_of_lines());
    const auto head = client.read_head();
    BOOST_TEST(!head.has("transfer-encoding"));
    BOOST_TEST(!head.has("content-length"));
    BOOST_TEST(head.header("connection") == "close");
    stream->write("one\n");
    BOOST_TEST(client.read_bytes(4) == 4U);
    if (aborts)
      stream->abort();
    else
      stream->finish();
    BOOST_TEST(client.is_closed());
    BOOST_TEST(client.is_reset() == aborts);
  }
}

BOOST_AUTO_TEST_CASE(head_request_gets_no_body_and_ends_the_producer) {
  open();
  auto client = connect();
  client.send("HEAD /list HTTP/1.1\r\nHost: here\r\n\r\n");
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  const auto stream = call->begin_stream(head_of_lines());
  std::atomic<bool> ended{false};
  stream->on_end([&] { ended = true; });
  BOOST_TEST(client.read(true).status == 200);
  BOOST_TEST(comes_true([&] { return ended.load(); }));
  client.send(get("/next"));
  const auto next = calls.take();
  BOOST_REQUIRE(next);
  next->answer(text_answer("next"));
  BOOST_TEST(client.read().body == "next");
}

BOOST_AUTO_TEST_CASE(draining_server_asks_its_streams_to_finish) {
  open();
  auto events = connect();
  events.send(get("/events"));
  const auto first = calls.take();
  BOOST_REQUIRE(first);
  const auto stream = first->begin_stream(head_of_lines());
  stream->on_drain([stream] {
    stream->write("come again\n");
    stream->finish();
  });
  events.read_head();
  auto list = connect();
  list.send(get("/list"));
  const auto second = calls.take();
  BOOST_REQUIRE(second);

  server->drain();
  BOOST_TEST(events.read_chunk() == "come again\n");
  BOOST_TEST(events.read_chunk() == "");
  BOOST_TEST(!events.is_cut());
  BOOST_TEST(events.is_closed());
  BOOST_TEST(!server->wait_until_idle(1ms));
  // A stream that begins now hears of it at once, and may go on to its end.
  const auto late = second->begin_stream(head_of_lines());
  std::atomic<bool> drained{false};
  late->on_drain([&] { drained = true; });
  BOOST_TEST(comes_true([&] { return drained.load(); }));
  late->write("last\n");
  late->finish();
  BOOST_TEST(list.read().body == "last\n");
  BOOST_TEST(server->wait_until_idle(10s));
}

BOOST_AUTO_TEST_CASE(destroyed_server_ends_its_streams) {
  open();
  auto client = connect();
  client.send(get("/events"));
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  const auto stream = call->begin_stream(head_of_lines());
  std::atomic<int> ended{0};
  stream->on_end([&] { ++ended; });
  client.read_head();
  server.reset();
  BOOST_TEST(ended == 1);
  BOOST_TEST((stream->write("late\n") == write_result::ended));
  BOOST_TEST(client.read_chunk() == "");
  BOOST_TEST(client.is_cut());
}

BOOST_AUTO_TEST_CASE(client_that_does_not_read_its_stream_is_cut) {
  options.limits.write_deadline = 200ms;
  open();
  raw_client client{server->port(), 0, 4096};
  client.send(get("/large"));
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  const auto stream = call->begin_stream(head_of_lines());
  std::atomic<bool> ended{false};
  stream->on_end([&] { ended = true; });
  stream->write(std::string(50'000'000, 'p'));
  BOOST_TEST(refused(refusal::unread));
  BOOST_TEST(comes_true([&] { return ended.load(); }));
}

BOOST_AUTO_TEST_CASE(producer_that_falls_silent_is_cut_off) {
  options.limits.answer_deadline = 500ms;
  open();
  auto client = connect();
  client.send(get("/list"));
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  const auto stream = call->begin_stream(head_of_lines());
  std::atomic<bool> ended{false};
  stream->on_end([&] { ended = true; });
  stream->write("one\n");
  const auto reply = client.read();
  BOOST_TEST(reply.body == "one\n");
  BOOST_TEST(reply.is_cut);
  BOOST_TEST(refused(refusal::answer_timeout));
  BOOST_TEST(comes_true([&] { return ended.load(); }));
}

BOOST_AUTO_TEST_CASE(call_that_is_answered_already_gets_a_stream_that_has_ended) {
  open();
  auto client = connect();
  client.send(get("/"));
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  call->answer(text_answer("first"));
  const auto stream = call->begin_stream(head_of_lines());
  BOOST_TEST((stream->write("second\n") == write_result::ended));
  BOOST_TEST(client.read().body == "first");
}

BOOST_AUTO_TEST_CASE(each_piece_of_a_packed_stream_can_be_unpacked_at_once) {
  open();
  auto client = connect();
  client.send(get("/events", "Accept-Encoding: gzip\r\n"));
  const auto call = calls.take();
  BOOST_REQUIRE(call);
  const auto stream = call->begin_stream(head_of_lines());
  const auto head = client.read_head();
  BOOST_TEST(head.header("content-encoding") == "gzip");
  BOOST_TEST(head.header("vary") == "Accept-Encoding");
  z_stream unpacking{};
  BOOST_REQUIRE_EQUAL(inflateInit2(&unpacking, MAX_WBITS + 16), Z_OK);
  for (const std::string text : {"one\n", "two\n", "three\n"}) {
    stream->write(std::string{text});
    BOOST_TEST(unpacked_so_far(unpacking, client.read_chunk()) == text);
  }
  stream->finish();
  unpacked_so_far(unpacking, client.read_chunk());
  BOOST_TEST(client.read_chunk() == "");
  BOOST_TEST(!client.is_cut());
  inflateEnd(&unpacking);
}

BOOST_AUTO_TEST_CASE(server_may_end_while_threads_write_and_clients_come_and_go) {
  for (int round = 0; round < 10; ++round) {
    options.threads = 1 + static_cast<std::size_t>(round % 3);
    open();
    std::atomic<bool> is_over{false};
    std::vector<std::thread> busy;
    for (int i = 0; i < 2; ++i)
      busy.emplace_back([&] {
        while (!is_over)
          if (const auto call = calls.take(5ms)) {
            const auto stream = call->begin_stream(head_of_lines());
            stream->on_end([stream] { stream->abort(); });
            stream->on_drain([stream] { stream->finish(); });
            std::make_shared<patient_producer>(stream, std::string(10'000, 'p'), 5)->write();
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
    BOOST_TEST(comes_true([&] { return counters().requests > 20U; }));
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
