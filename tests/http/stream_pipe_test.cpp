// The bounds, states and functions of a streamed answer, without sockets.

#include "http/stream_pipe.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>

using namespace holdfast;
using http::stream_pipe;
using http::write_result;

namespace {

using pipe_state = stream_pipe::state;

/// Writes as a producer does.
write_result write_to(stream_pipe& pipe, std::string piece,
                      std::function<void()> room_again = nullptr) {
  const auto fate = pipe.admit(room_again);
  return fate == write_result::taken ? pipe.put(std::move(piece), room_again) : fate;
}

} // namespace

BOOST_AUTO_TEST_SUITE(stream_pipes)

BOOST_AUTO_TEST_CASE(piece_is_taken_while_fewer_bytes_than_the_bound_wait_or_are_sent) {
  stream_pipe pipe{10};
  BOOST_TEST((write_to(pipe, "123456") == write_result::taken));
  BOOST_TEST((write_to(pipe, "789012") == write_result::taken));
  BOOST_TEST((write_to(pipe, "x") == write_result::full));
  BOOST_TEST(pipe.take().bytes == "123456789012");
  BOOST_TEST((write_to(pipe, "x") == write_result::full));
  pipe.sent(2);
  BOOST_TEST((write_to(pipe, "x") == write_result::full));
  pipe.sent(1);
  BOOST_TEST((write_to(pipe, "345") == write_result::taken));
  BOOST_TEST(pipe.take().bytes == "345");
}

BOOST_AUTO_TEST_CASE(producer_is_told_of_room_once_and_only_when_there_is_some) {
  stream_pipe pipe{10};
  int replaced = 0;
  int told = 0;
  write_to(pipe, "1234567890", [&] { ++replaced; });
  write_to(pipe, "x", [&] { ++told; });
  pipe.offer_room();
  pipe.take();
  pipe.offer_room();
  BOOST_TEST(told == 0);
  pipe.sent(10);
  pipe.offer_room();
  pipe.offer_room();
  BOOST_TEST(told == 1);
  BOOST_TEST(replaced == 0);
}

BOOST_AUTO_TEST_CASE(connection_is_woken_once_for_each_take) {
  stream_pipe pipe{10};
  write_to(pipe, "before");
  int woken = 0;
  pipe.attach([&] { ++woken; });
  BOOST_TEST(woken == 0);
  write_to(pipe, "1");
  write_to(pipe, "2");
  BOOST_TEST(woken == 1);
  pipe.take();
  write_to(pipe, ""); // a sign of life
  BOOST_TEST(woken == 2);
  pipe.take();
  pipe.finish({});
  BOOST_TEST(woken == 3);
}

BOOST_AUTO_TEST_CASE(bytes_before_the_end_are_sent_whether_the_stream_is_finished_or_aborted) {
  stream_pipe finished{10};
  write_to(finished, "1");
  finished.finish("last");
  auto taken = finished.take();
  BOOST_TEST(taken.bytes == "1last");
  BOOST_TEST((taken.then == pipe_state::finished));

  stream_pipe aborted{10};
  write_to(aborted, "1");
  aborted.abort();
  aborted.finish("last");
  taken = aborted.take();
  BOOST_TEST(taken.bytes == "1");
  BOOST_TEST((taken.then == pipe_state::aborted));
}

BOOST_AUTO_TEST_CASE(end_runs_one_function_and_drops_all) {
  for (const bool finishes : {false, true}) {
    stream_pipe pipe{10};
    const auto held = std::make_shared<int>(0);
    write_to(pipe, "1234567890", [held] {});
    int ended = 0;
    pipe.on_end([held, &ended] { ++ended; });
    pipe.on_drain([held] {});
    BOOST_TEST(held.use_count() == 4);
    if (finishes)
      pipe.finish({});
    else
      pipe.end();
    BOOST_TEST(held.use_count() == 1);
    pipe.end();
    BOOST_TEST(ended == (finishes ? 0 : 1));
    BOOST_TEST((write_to(pipe, "x", [held] {}) == write_result::ended));
    pipe.on_drain([held] {});
    BOOST_TEST(held.use_count() == 1);
  }
}

BOOST_AUTO_TEST_CASE(drain_that_has_begun_is_told_at_once) {
  stream_pipe pipe{10};
  int drained = 0;
  pipe.on_drain([&] { ++drained; });
  pipe.drain();
  pipe.drain();
  BOOST_TEST(drained == 1);
  pipe.on_drain([&] { ++drained; });
  BOOST_TEST(drained == 2);
  pipe.finish({});
  pipe.on_drain([&] { ++drained; });
  BOOST_TEST(drained == 2);
}

BOOST_AUTO_TEST_SUITE_END()
