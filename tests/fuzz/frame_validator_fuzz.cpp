// libFuzzer target of the frames' judge (Z4). New inputs worth keeping join the corpus by
// `-merge=1`.
//
// The first byte of an input seeds the pieces in which the rest arrives. Whatever arrives: no
// crash, and the pieces change neither what passes nor what is refused.

#include "link/frame_validator.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace holdfast;

struct verdict {
  std::string passed;
  link::frame_fault fault = link::frame_fault::none;
};

verdict judge(std::string_view bytes, std::size_t piece_max, link::sender from) {
  link::conversation shared;
  link::frame_validator direction{from, shared};
  verdict result;
  std::uint32_t state = 1;
  while (!bytes.empty() && result.fault == link::frame_fault::none) {
    state = state * 1'664'525U + 1'013'904'223U; // Numerical Recipes' generator: any will do
    const auto step = direction.next(bytes.substr(0, 1 + (state >> 8) % piece_max));
    result.passed.append(step.pass);
    result.fault = step.fault;
    bytes.remove_prefix(step.consumed);
  }
  return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0)
    return 0;
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
  const auto from = (data[0] & 1) != 0 ? link::sender::dialer : link::sender::listener;
  const auto whole = judge(bytes, size, from);
  const auto pieces = judge(bytes, 1 + (data[0] >> 1), from);
  if (whole.passed != pieces.passed || whole.fault != pieces.fault)
    std::abort();
  return 0;
}
