#include "client/id_source.hpp"

#include <chrono>
#include <random>

namespace holdfast::client {

std::uint64_t random_seed() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

id_source::id_source() : ids_(random_seed()) {}

core::uuid id_source::next() {
  return ids_.next(std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now()));
}

} // namespace holdfast::client
