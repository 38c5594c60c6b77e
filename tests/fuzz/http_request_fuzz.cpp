// libFuzzer target of the reader of HTTP requests. Two bytes of an input say how the rest is cut
// into pieces.
//
// A request, and what is wrong with one, is the same however its bytes are cut; bytes that are not
// used stay few; a request that is taken is within the bounds and framed in one way only; and the
// room of its body is given back.

#include "http/body_room.hpp"
#include "http/request_parser.hpp"
#include "tests/fuzz/oracle.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace {

using namespace holdfast;
using fuzz::demand;

constexpr std::uint64_t room_bytes = 3000;

http::server_limits small_limits() {
  http::server_limits limits;
  limits.header_bytes_max = 1024;
  limits.body_bytes_max = 4096;
  limits.bodies_bytes_max = room_bytes;
  return limits;
}

struct parsed {
  bool is_done = false;
  bool is_refused = false;
  std::size_t used = 0;
  std::string request;
};

void check(const http::request& asked, const http::server_limits& limits) {
  demand(!asked.method.empty() && !asked.target.empty(), "a request has a method and a target");
  demand(asked.body.size() <= limits.body_bytes_max, "a body is within its bound");
  std::size_t bytes = asked.method.size() + asked.target.size();
  std::size_t lengths = 0;
  std::size_t codings = 0;
  std::size_t hosts = 0;
  for (const auto& one : asked.headers) {
    bytes += one.name.size() + one.value.size();
    lengths += one.name == "content-length" ? 1 : 0;
    codings += one.name == "transfer-encoding" ? 1 : 0;
    hosts += one.name == "host" ? 1 : 0;
    const auto is_control = [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    };
    demand(std::none_of(one.value.begin(), one.value.end(), is_control),
           "a header value has no control characters");
    if (one.name == "content-length")
      demand(one.value.find_first_not_of("0123456789") == std::string::npos
                 && std::stoull(one.value) == asked.body.size(),
             "a body has the length that was said");
  }
  demand(bytes <= limits.header_bytes_max, "a header is within its bound");
  demand(lengths + codings <= 1, "a request is framed in one way");
  demand(hosts <= 1, "a request has one host at most");
  demand(lengths + codings == 1 || asked.body.empty(), "no body comes without framing");
}

parsed parse(std::string_view bytes, std::size_t piece, const http::server_limits& limits) {
  const auto room = std::make_shared<http::body_room>(room_bytes);
  parsed result;
  {
    http::request_parser parser{limits, room};
    std::size_t end = 0;
    while (end < bytes.size() && !parser.is_done() && !parser.refused()) {
      end = std::min(end + piece, bytes.size());
      const auto given = bytes.substr(result.used, end - result.used);
      const auto used = parser.read(given);
      demand(used <= given.size(), "no more is used than is there");
      result.used += used;
      demand(parser.is_done() || parser.refused()
                 || given.size() - used <= limits.header_bytes_max + piece,
             "few bytes are left unused");
    }
    result.is_done = parser.is_done();
    result.is_refused = parser.refused().has_value();
    demand(!result.is_refused || !parser.objection().empty(), "a refusal says why");
    if (result.is_done) {
      const auto share = parser.take_share();
      const auto asked = parser.take_request();
      check(asked, limits);
      demand(share.bytes() == asked.body.size(), "a body takes its size of the room");
      demand(room->bytes_free() == room_bytes - asked.body.size(), "the room is counted");
      result.request = asked.method + '\n' + asked.target + '\n' + asked.body;
      for (const auto& one : asked.headers)
        result.request += '\n' + one.name + ':' + one.value;
    }
  }
  demand(room->bytes_free() == room_bytes, "the room is given back");
  return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3)
    return 0;
  static const auto limits = small_limits();
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 2, size - 2};
  const auto whole = parse(bytes, bytes.size(), limits);
  for (const std::size_t piece : {std::size_t{data[0]} + 1, std::size_t{data[1]} * 8 + 1}) {
    const auto cut = parse(bytes, piece, limits);
    demand(cut.is_done == whole.is_done && cut.is_refused == whole.is_refused,
           "the outcome does not depend on the cut");
    demand(!whole.is_done || (cut.request == whole.request && cut.used == whole.used),
           "the request does not depend on the cut");
  }
  return 0;
}
