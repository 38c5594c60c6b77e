// The reader of requests, without sockets: any cut of the bytes into pieces gives the same request.

#include "http/body_room.hpp"
#include "http/request_parser.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

using namespace holdfast;
using http::body_room;
using http::request_parser;
using http::server_refusal;

namespace {

/// The outcome of bytes that come to a parser in pieces.
struct parsed {
  std::string outcome; ///< `done`, `more` or the word of the refusal.
  std::string request; ///< All of it, when it is done.
  std::size_t used = 0;
};

std::string in_one_line(const http::request& asked) {
  auto text = asked.method + ' ' + asked.target + ' ';
  for (const auto& one : asked.headers)
    text += one.name + '=' + one.value + ';';
  return text + ' ' + asked.body;
}

parsed parse_in_pieces(std::string_view bytes, std::size_t first, std::size_t further,
                       const http::server_limits& limits) {
  parsed result;
  request_parser parser{limits, std::make_shared<body_room>(limits.bodies_bytes_max)};
  std::size_t end = 0;
  while (end < bytes.size() && !parser.is_done() && !parser.refused()) {
    end = std::min(end + (end == 0 ? first : further), bytes.size());
    result.used += parser.read(bytes.substr(result.used, end - result.used));
  }
  if (const auto why = parser.refused()) {
    result.outcome = http::to_string(*why);
  } else if (parser.is_done()) {
    result.outcome = "done";
    result.request = in_one_line(parser.take_request());
  } else {
    result.outcome = "more";
  }
  return result;
}

} // namespace

BOOST_AUTO_TEST_SUITE(server_request_parser)

BOOST_AUTO_TEST_CASE(every_cut_of_the_bytes_gives_the_same_request) {
  const http::server_limits limits;
  for (const std::string bytes :
       {"GET /a?b HTTP/1.1\r\nHost: h\r\nX: y\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        "2;a=b\r\n\r\n\r\n00A\r\n0123456789\r\n000;x\r\nA: b\r\nC: d\r\n\r\n"}) {
    const auto whole = parse_in_pieces(bytes, bytes.size(), 1, limits);
    BOOST_TEST(whole.outcome == "done");
    BOOST_TEST(whole.used == bytes.size());
    for (std::size_t first = 1; first < bytes.size(); ++first)
      for (const std::size_t further : {std::size_t{1}, std::size_t{3}, bytes.size()}) {
        const auto cut = parse_in_pieces(bytes, first, further, limits);
        BOOST_TEST(cut.outcome == "done", bytes << " cut at " << first);
        BOOST_TEST(cut.request == whole.request);
        BOOST_TEST(cut.used == whole.used);
      }
    for (std::size_t end = 1; end < bytes.size(); ++end)
      BOOST_TEST(parse_in_pieces(bytes.substr(0, end), end, 1, limits).outcome == "more");
  }
}

// Boost.Beast 1.74 never finishes such a line, and counts its chunk again for each byte behind it.
BOOST_AUTO_TEST_CASE(chunk_with_an_extension_in_quotes_is_refused_however_it_is_cut) {
  const http::server_limits limits;
  const std::string bytes = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                            "1\r\na\r\n5;a=\"b\"\r\n01234\r\n0\r\n\r\n";
  for (const std::size_t further : {std::size_t{1}, std::size_t{3}, bytes.size()}) {
    const auto cut = parse_in_pieces(bytes, further, further, limits);
    BOOST_TEST((cut.outcome != "done" && cut.outcome != "more"), cut.outcome);
  }
}

BOOST_AUTO_TEST_CASE(bytes_behind_a_request_are_left_alone) {
  const http::server_limits limits;
  const std::string next = "GET / HTTP/1.1\r\n";
  for (const std::string bytes :
       {"GET / HTTP/1.1\r\nHost: h\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"}) {
    const auto whole = parse_in_pieces(bytes + next, bytes.size() + next.size(), 1, limits);
    BOOST_TEST(whole.outcome == "done");
    BOOST_TEST(whole.used == bytes.size());
  }
}

BOOST_AUTO_TEST_CASE(header_is_bounded_however_it_is_cut) {
  http::server_limits limits;
  limits.header_bytes_max = 60;
  std::string bytes = "GET / HTTP/1.1\r\nHost: h\r\n";
  while (bytes.size() < 100)
    bytes += "a: b\r\n";
  bytes += "\r\n";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece)
    BOOST_TEST(parse_in_pieces(bytes, piece, piece, limits).outcome == "header_too_large");
}

BOOST_AUTO_TEST_CASE(room_of_a_body_is_given_back_with_its_share) {
  http::server_limits limits;
  const auto room = std::make_shared<body_room>(100);
  const std::string bytes = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 60\r\n\r\n";
  {
    request_parser parser{limits, room};
    parser.read(bytes + std::string(60, 'b'));
    BOOST_REQUIRE(parser.is_done());
    BOOST_TEST(room->bytes_free() == 40U);
    const auto share = parser.take_share();
    BOOST_TEST(share.bytes() == 60U);
    BOOST_TEST(room->bytes_free() == 40U);
    request_parser second{limits, room};
    second.read(bytes);
    BOOST_REQUIRE(second.refused().has_value());
    BOOST_TEST((*second.refused() == server_refusal::bodies_full));
  }
  BOOST_TEST(room->bytes_free() == 100U);
  request_parser unfinished{limits, room};
  unfinished.read(bytes + "b");
  BOOST_TEST(room->bytes_free() == 99U);
}

BOOST_AUTO_TEST_SUITE_END()
