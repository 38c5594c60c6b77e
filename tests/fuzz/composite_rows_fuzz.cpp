// libFuzzer target of the rows that go to the database as arrays of composites (ADR 0010), in
// PostgreSQL's binary format. The input is the values of the columns.
//
// A decoder of its own, made from what PostgreSQL's `array_recv` and `record_recv` read, finds in
// the parameter the very values that were put in, and nothing besides.

#include "persistence/wire_format.hpp"
#include "tests/fuzz/oracle.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

using namespace holdfast;
namespace wire = persistence::wire;
using fuzz::demand;

using row =
    std::tuple<core::uuid, std::string, std::int64_t, std::int32_t, std::int16_t, double, bool,
               core::instant, std::optional<std::string>, std::optional<std::int64_t>>;

constexpr std::uint32_t row_oid = 70'001;

/// 2000-01-01 in microseconds since 1970.
constexpr std::int64_t postgres_epoch_us = 946'684'800'000'000;

/// Takes values off the input; zeros behind its end.
class value_source {
public:
  explicit value_source(std::string_view from) : from_(from) {}

  bool empty() const { return from_.empty(); }
  std::string bytes(std::size_t count) {
    std::string taken{from_.substr(0, count)};
    from_.remove_prefix(taken.size());
    taken.resize(count, '\0');
    return taken;
  }
  template <class T>
  T value() {
    T result;
    std::memcpy(&result, bytes(sizeof result).data(), sizeof result);
    return result;
  }
  std::string text() { return bytes(value<std::uint8_t>()); }

private:
  std::string_view from_;
};

row next_row(value_source& from) {
  row made;
  std::memcpy(std::get<0>(made).bytes.data(), from.bytes(16).data(), 16);
  std::get<1>(made) = from.text();
  std::get<2>(made) = from.value<std::int64_t>();
  std::get<3>(made) = from.value<std::int32_t>();
  std::get<4>(made) = from.value<std::int16_t>();
  std::get<5>(made) = from.value<double>();
  const auto choices = from.value<std::uint8_t>();
  std::get<6>(made) = (choices & 1) != 0;
  std::get<7>(made) = core::from_micros(from.value<std::int64_t>());
  if ((choices & 2) != 0)
    std::get<8>(made) = from.text();
  if ((choices & 4) != 0)
    std::get<9>(made) = from.value<std::int64_t>();
  return made;
}

/// Reads what a server would.
class decoder {
public:
  explicit decoder(std::string_view bytes) : bytes_(bytes) {}

  std::uint32_t number() {
    std::uint32_t value = 0;
    for (const char byte : take(4))
      value = value << 8 | static_cast<unsigned char>(byte);
    return value;
  }
  std::string_view take(std::size_t count) {
    demand(count <= bytes_.size(), "lengths stay within the parameter");
    const auto taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  bool empty() const { return bytes_.empty(); }

private:
  std::string_view bytes_;
};

bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }
template <class T>
bool same(const T& a, const T& b) {
  return a == b;
}
/// A time that is sent is cut off at the ends of the range that a server can be told.
bool same(core::instant a, core::instant b) {
  constexpr auto epoch = std::int64_t{946'684'800'000'000};
  return a == b || core::to_micros(b) < INT64_MIN + epoch + 1
         || core::to_micros(b) > INT64_MAX - epoch;
}

template <class T>
void check_column(decoder& from, const T& expected) {
  demand(from.number() == wire::type<T>::oid, "a column has the type of its value");
  const auto length = from.number();
  const auto bytes = from.take(length);
  demand(same(T(wire::type<T>::get(bytes)), expected), "a column has its value");
}
template <class T>
void check_column(decoder& from, const std::optional<T>& expected) {
  if (expected)
    return check_column(from, *expected);
  demand(from.number() == wire::type<T>::oid, "a null has a type");
  demand(from.number() == wire::null_length, "a null has no bytes");
}

void check_array(const std::string& parameter, const std::vector<row>& rows) {
  decoder from{parameter};
  demand(from.number() == 1, "an array has one dimension");
  demand(from.number() == 0, "no row is null");
  demand(from.number() == row_oid, "its elements are of the type that was asked for");
  demand(from.number() == rows.size(), "it has as many elements as rows were added");
  demand(from.number() == 1, "it begins with element 1");
  for (const auto& expected : rows) {
    decoder element{from.take(from.number())};
    demand(element.number() == std::tuple_size_v<row>, "a row has all columns");
    std::apply([&](const auto&... columns) { (check_column(element, columns), ...); }, expected);
    demand(element.empty(), "a row has nothing else");
  }
  demand(from.empty(), "the array has nothing else");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  value_source from{{reinterpret_cast<const char*>(data), size}};
  wire::rows_of<core::uuid, std::string, std::int64_t, std::int32_t, std::int16_t, double, bool,
                core::instant, std::optional<std::string>, std::optional<std::int64_t>>
      rows;
  std::vector<row> added;
  while (!from.empty()) {
    added.push_back(next_row(from));
    std::apply([&](const auto&... columns) { rows.add(columns...); }, added.back());
  }
  demand(rows.size() == added.size(), "rows are counted");
  check_array(rows.take(row_oid), added);
  // Numbers that come from a server go back as they came.
  if (size >= 8) {
    const std::string_view eight{reinterpret_cast<const char*>(data), 8};
    demand(wire::scalar(wire::type<std::int64_t>::get(eight)) == eight, "a number is its bytes");
    demand(wire::scalar(wire::type<double>::get(eight)) == eight, "a double is its bits");
    // The infinities are sent as the nearest times, which the server refuses.
    const auto micros = wire::type<std::int64_t>::get(eight);
    const auto at = wire::type<core::instant>::get(eight);
    demand(micros == INT64_MIN || micros > INT64_MAX - postgres_epoch_us
               || wire::scalar(at) == eight,
           "a time is its microseconds");
  }
  return 0;
}
