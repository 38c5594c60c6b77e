#include "core/occurrence.hpp"

#include <chrono>
#include <cstdint>

namespace holdfast::core {

namespace {

// SplitMix64's finalizer (Steele, Lea, Flood 2014), because FNV-1a does not mix the last bytes.
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27U) * 0x94d049bb133111ebULL;
  return z ^ z >> 31U;
}

} // namespace

task_id occurrence_id(const schedule_identity& schedule, instant occurrence) {
  // Neither name has a NUL, so no two pairs of them are one text.
  const auto whose =
      schedule.queue + '\0' + schedule.name + '\0' + std::to_string(to_micros(schedule.created_at));
  const auto hash = mixed(fnv1a(whose));
  const auto millis = static_cast<std::uint64_t>(
      std::chrono::floor<std::chrono::milliseconds>(occurrence).time_since_epoch().count());
  task_id id;
  auto& bytes = id.value.bytes;
  for (std::size_t i = 0; i < 6; ++i)
    bytes[i] = static_cast<std::uint8_t>(millis >> (40 - 8 * i));
  // 4 bits of version and 2 of variant are taken: the hash lies around them.
  bytes[6] = static_cast<std::uint8_t>(0x80 | hash >> 60U);
  bytes[7] = static_cast<std::uint8_t>(hash >> 52U);
  bytes[8] = static_cast<std::uint8_t>(0x80 | (hash >> 46U & 0x3fU));
  for (std::size_t i = 9; i < 16; ++i)
    bytes[i] = static_cast<std::uint8_t>(hash >> (8 * (15 - i)));
  return id;
}

std::optional<instant> occurrence_of(const task_id& task) {
  const auto& bytes = task.value.bytes;
  if (bytes[6] >> 4U != 8 || bytes[8] >> 6U != 2)
    return std::nullopt;
  return time_of(task.value);
}

bool makes(const schedule_identity& schedule, const task_id& task) {
  const auto occurrence = occurrence_of(task);
  return occurrence && occurrence_id(schedule, *occurrence) == task;
}

} // namespace holdfast::core
