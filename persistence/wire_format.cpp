#include "persistence/wire_format.hpp"

#include "core/invariant.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace holdfast::persistence::wire {

namespace {

/// 2000-01-01, where PostgreSQL counts its microseconds from, in microseconds since 1970.
constexpr std::int64_t postgres_epoch_us = 946'684'800'000'000;

void put_big_endian(std::string& out, std::uint64_t value, int size) {
  std::array<char, 8> bytes{};
  for (int i = 0; i < size; ++i)
    bytes[static_cast<std::size_t>(i)] = static_cast<char>(value >> 8 * (size - 1 - i) & 0xff);
  out.append(bytes.data(), static_cast<std::size_t>(size));
}

std::uint64_t get_big_endian(std::string_view bytes, std::size_t size) {
  HOLDFAST_INVARIANT(bytes.size() == size, "the query casts its columns to the type that is read");
  std::uint64_t value = 0;
  for (const char byte : bytes)
    value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

} // namespace

void put_u32(std::string& out, std::uint32_t value) { put_big_endian(out, value, 4); }

void overwrite_u32(std::string& out, std::size_t at, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out[at++] = static_cast<char>(value >> shift & 0xff);
}

void type<core::uuid>::put(std::string& out, const core::uuid& value) {
  out.append(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
}

core::uuid type<core::uuid>::get(std::string_view bytes) {
  core::uuid value;
  HOLDFAST_INVARIANT(bytes.size() == value.bytes.size(),
                     "the query casts its columns to the type that is read");
  std::memcpy(value.bytes.data(), bytes.data(), bytes.size());
  return value;
}

void type<std::int64_t>::put(std::string& out, std::int64_t value) {
  put_big_endian(out, static_cast<std::uint64_t>(value), 8);
}

std::int64_t type<std::int64_t>::get(std::string_view bytes) {
  return static_cast<std::int64_t>(get_big_endian(bytes, 8));
}

void type<std::int32_t>::put(std::string& out, std::int32_t value) {
  put_big_endian(out, static_cast<std::uint32_t>(value), 4);
}

std::int32_t type<std::int32_t>::get(std::string_view bytes) {
  return static_cast<std::int32_t>(get_big_endian(bytes, 4));
}

void type<std::int16_t>::put(std::string& out, std::int16_t value) {
  put_big_endian(out, static_cast<std::uint16_t>(value), 2);
}

std::int16_t type<std::int16_t>::get(std::string_view bytes) {
  return static_cast<std::int16_t>(get_big_endian(bytes, 2));
}

void type<double>::put(std::string& out, double value) {
  static_assert(sizeof value == 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  put_big_endian(out, bits, 8);
}

double type<double>::get(std::string_view bytes) {
  const auto bits = get_big_endian(bytes, 8);
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

bool type<bool>::get(std::string_view bytes) { return get_big_endian(bytes, 1) != 0; }

void type<core::instant>::put(std::string& out, core::instant value) {
  // Clamped so that the subtraction cannot overflow, one above `-infinity`: the server refuses it.
  const auto micros = std::max(core::to_micros(value), INT64_MIN + postgres_epoch_us + 1);
  type<std::int64_t>::put(out, micros - postgres_epoch_us);
}

core::instant type<core::instant>::get(std::string_view bytes) {
  // `infinity` is INT64_MAX on the wire; adding the epoch to it must not overflow.
  const auto micros = std::min(type<std::int64_t>::get(bytes), INT64_MAX - postgres_epoch_us);
  return core::from_micros(micros + postgres_epoch_us);
}

} // namespace holdfast::persistence::wire
