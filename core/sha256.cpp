#include "core/sha256.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace holdfast::core {

namespace {

constexpr std::size_t sha_block_bytes = 64;

// The fractional parts of the cube roots of the first 64 primes, and of the square roots of the
// first 8 (FIPS 180-4, 4.2.2 and 5.3.3).
constexpr std::array<std::uint32_t, 64> sha_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using sha_state = std::array<std::uint32_t, 8>;
constexpr sha_state sha_begin{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

constexpr std::uint32_t turned(std::uint32_t word, unsigned by) {
  return (word >> by) | (word << (32U - by));
}

std::uint32_t word_at(const char* bytes) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i)
    word = (word << 8U) | static_cast<unsigned char>(bytes[i]);
  return word;
}

void add_block(sha_state& state, const char* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i)
    w[i] = word_at(block + 4 * i);
  for (std::size_t i = 16; i < w.size(); ++i) {
    const auto a = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ (w[i - 15] >> 3U);
    const auto b = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ (w[i - 2] >> 10U);
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const auto first = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g))
                       + sha_constants[i] + w[i];
    const auto second =
        (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const sha_state mixed{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i)
    state[i] += mixed[i];
}

} // namespace

digest sha256_of(std::string_view bytes) {
  auto state = sha_begin;
  std::size_t at = 0;
  for (; bytes.size() - at >= sha_block_bytes; at += sha_block_bytes)
    add_block(state, bytes.data() + at);
  // The rest, one bit, and the number of bits at the end of a block.
  std::array<char, 2 * sha_block_bytes> tail{};
  const auto rest = bytes.substr(at);
  for (std::size_t i = 0; i < rest.size(); ++i)
    tail[i] = rest[i];
  tail[rest.size()] = static_cast<char>(0x80);
  const auto size = rest.size() + 9 <= sha_block_bytes ? sha_block_bytes : tail.size();
  auto bits = static_cast<std::uint64_t>(bytes.size()) * 8;
  for (std::size_t i = 0; i < 8; ++i, bits >>= 8U)
    tail[size - 1 - i] = static_cast<char>(bits & 0xffU);
  for (std::size_t done = 0; done < size; done += sha_block_bytes)
    add_block(state, tail.data() + done);
  digest made;
  for (std::size_t i = 0; i < made.bytes.size(); ++i)
    made.bytes[i] = static_cast<std::uint8_t>(state[i / 4] >> (24U - 8U * (i % 4)));
  return made;
}

} // namespace holdfast::core
