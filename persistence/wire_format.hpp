#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// PostgreSQL's binary format for the types Holdfast uses. Binary parameters cost the client a
/// third of what text costs, and nothing needs escaping.
namespace holdfast::persistence::wire {

/// How one C++ type is sent and read: `oid` is PostgreSQL's number for it, `put` appends a value
/// without its length, `get` reads what the server sent (exactly its bytes).
template <class T>
struct type;

template <>
struct type<core::uuid> {
  static constexpr std::uint32_t oid = 2950;
  static void put(std::string& out, const core::uuid& value);
  static core::uuid get(std::string_view bytes);
};

template <>
struct type<std::string_view> {
  static constexpr std::uint32_t oid = 25;
  static void put(std::string& out, std::string_view value) { out.append(value); }
  static std::string_view get(std::string_view bytes) { return bytes; }
};

template <>
struct type<std::string> : type<std::string_view> {
  static std::string get(std::string_view bytes) { return std::string{bytes}; }
};

template <>
struct type<std::int64_t> {
  static constexpr std::uint32_t oid = 20;
  static void put(std::string& out, std::int64_t value);
  static std::int64_t get(std::string_view bytes);
};

template <>
struct type<std::int32_t> {
  static constexpr std::uint32_t oid = 23;
  static void put(std::string& out, std::int32_t value);
  static std::int32_t get(std::string_view bytes);
};

template <>
struct type<std::int16_t> {
  static constexpr std::uint32_t oid = 21;
  static void put(std::string& out, std::int16_t value);
  static std::int16_t get(std::string_view bytes);
};

template <>
struct type<double> {
  static constexpr std::uint32_t oid = 701;
  static void put(std::string& out, double value);
  static double get(std::string_view bytes);
};

template <>
struct type<bool> {
  static constexpr std::uint32_t oid = 16;
  static void put(std::string& out, bool value) { out.push_back(value ? '\1' : '\0'); }
  static bool get(std::string_view bytes);
};

/// `timestamptz`. An instant outside PostgreSQL's range is refused by the server.
template <>
struct type<core::instant> {
  static constexpr std::uint32_t oid = 1184;
  static void put(std::string& out, core::instant value);
  static core::instant get(std::string_view bytes);
};

/// One value as a parameter.
template <class T>
std::string scalar(const T& value) {
  std::string out;
  type<T>::put(out, value);
  return out;
}

/// Where a length is expected: there is no value.
inline constexpr std::uint32_t null_length = 0xffffffffU;

/// Appends a 4-byte big-endian number, the frame of everything else.
void put_u32(std::string& out, std::uint32_t value);
void overwrite_u32(std::string& out, std::size_t at, std::uint32_t value);

/// Begins a one-dimensional array of such elements, unless `out` has begun already. A batch has
/// room for the rows of some hundred statements, and needs a few of them.
inline void begin_array(std::string& out, std::uint32_t element_oid) {
  if (!out.empty())
    return;
  put_u32(out, 1); // dimensions
  put_u32(out, 0); // has nulls
  put_u32(out, element_oid);
  put_u32(out, 0); // count, known in the end
  put_u32(out, 1); // lower bound
}

/// Collects the values of a one-dimensional array parameter, e.g. for `unnest($1::uuid[])`.
template <class T>
class array_of {
public:
  void add(const T& value) {
    begin_array(bytes_, type<T>::oid);
    const auto length_at = bytes_.size();
    put_u32(bytes_, 0);
    type<T>::put(bytes_, value);
    overwrite_u32(bytes_, length_at, static_cast<std::uint32_t>(bytes_.size() - length_at - 4));
    ++count_;
  }

  void add_null() {
    begin_array(bytes_, type<T>::oid);
    put_u32(bytes_, null_length);
    overwrite_u32(bytes_, 4, 1);
    ++count_;
  }

  std::uint32_t size() const { return count_; }

  /// The finished parameter; the array is empty afterwards and must not be used again.
  std::string take() {
    begin_array(bytes_, type<T>::oid);
    overwrite_u32(bytes_, 12, count_);
    return std::move(bytes_);
  }

private:
  std::string bytes_;
  std::uint32_t count_ = 0;
};

/// Collects the rows of one array of a composite type, e.g. for `unnest($1::holdfast.task_row[])`.
/// The server needs half the time that arrays of the single columns cost it.
template <class... Types>
class rows_of {
public:
  void add(const Types&... values) {
    begin_array(bytes_, 0); // its type is written by take()
    const auto length_at = begin_value();
    put_u32(bytes_, sizeof...(Types));
    (add_column(values), ...);
    end_value(length_at);
    ++count_;
  }

  std::uint32_t size() const { return count_; }

  /// The finished parameter, of the composite type with this number in the database; the array is
  /// empty afterwards and must not be used again.
  std::string take(std::uint32_t type_oid) {
    begin_array(bytes_, 0);
    overwrite_u32(bytes_, 8, type_oid);
    overwrite_u32(bytes_, 12, count_);
    return std::move(bytes_);
  }

private:
  std::size_t begin_value() {
    put_u32(bytes_, 0); // length, written by end_value()
    return bytes_.size();
  }
  void end_value(std::size_t begin) {
    overwrite_u32(bytes_, begin - 4, static_cast<std::uint32_t>(bytes_.size() - begin));
  }

  template <class T>
  void add_column(const T& value) {
    put_u32(bytes_, type<T>::oid);
    const auto begin = begin_value();
    type<T>::put(bytes_, value);
    end_value(begin);
  }

  /// Null when there is no value.
  template <class T>
  void add_column(const std::optional<T>& value) {
    if (value) {
      add_column(*value);
    } else {
      put_u32(bytes_, type<T>::oid);
      put_u32(bytes_, null_length);
    }
  }

  std::string bytes_;
  std::uint32_t count_ = 0;
};

} // namespace holdfast::persistence::wire
