// libFuzzer target of packed bodies of requests. The first byte of an input chooses the coding.
//
// A body is unpacked within its bounds or refused; no more room is taken than was asked for; and
// what was unpacked is the same after packing and unpacking it again.

#include "http/content_coding.hpp"
#include "tests/fuzz/oracle.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace holdfast;
using fuzz::demand;

constexpr std::size_t bytes_max = 100'000;
constexpr std::size_t room_bytes = 60'000;

void check(std::string_view packed, http::content_coding how, std::size_t room) {
  std::size_t taken = 0;
  const auto text = http::decoded(packed, how, bytes_max, [&](std::size_t bytes) {
    if (bytes > room - taken)
      return false;
    taken += bytes;
    return true;
  });
  demand(taken <= bytes_max && taken <= room, "no more is unpacked than may be");
  if (!text) {
    demand(!text.error().detail.empty(), "a refusal says why");
    return;
  }
  demand(text->size() == taken, "the room is counted");
  const auto encoder = http::piece_encoder::make(how);
  auto again = encoder->next(*text);
  again += encoder->last();
  const auto same = http::decoded(again, how, text->size(), [](std::size_t) { return true; });
  demand(same && *same == *text, "a text survives packing and unpacking");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1)
    return 0;
  const auto how = data[0] % 2 == 0 ? http::content_coding::gzip : http::content_coding::zstd;
  const std::string_view packed{reinterpret_cast<const char*>(data) + 1, size - 1};
  check(packed, how, bytes_max);
  check(packed, how, room_bytes);
  return 0;
}
