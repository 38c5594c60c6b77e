#pragma once

#include "persistence/connection.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

/// How the writes of a batch become the array parameters of its statements.
namespace holdfast::persistence::batch {

using text = std::string_view;
using int8 = std::int64_t;
using int4 = std::int32_t;
using int2 = std::int16_t;

inline int8 big(std::uint64_t value) { return static_cast<int8>(value); }
inline int4 plain(std::uint32_t value) { return static_cast<int4>(value); }

inline std::optional<int4> plain(std::optional<std::uint32_t> value) {
  return value ? std::optional{plain(*value)} : std::nullopt;
}

template <class Enum>
int2 small(Enum value) {
  return static_cast<int2>(value);
}

/// An array as PostgreSQL writes it: `{"a","b"}`.
inline std::string array_text(const std::vector<std::string>& terms) {
  std::string out = "{";
  for (const auto& term : terms) {
    out += out.size() == 1 ? "\"" : ",\"";
    for (const char c : term) {
      if (c == '"' || c == '\\')
        out += '\\';
      out += c;
    }
    out += '"';
  }
  return out + '}';
}

/// The columns of one statement, filled row by row.
template <class... Types>
struct columns {
  std::tuple<wire::array_of<Types>...> arrays;

  template <class... Values>
  void add(const Values&... values) {
    add_each(std::index_sequence_for<Types...>{}, values...);
  }

  bool empty() const { return std::get<0>(arrays).size() == 0; }

  /// Appends the statement with all columns as its parameters; nothing when there is no row.
  void append_to(std::vector<call>& calls, const statement& what) {
    if (empty())
      return;
    call made{&what, {}};
    append_to(made);
    calls.push_back(std::move(made));
  }

  void append_to(call& made) {
    std::apply([&](auto&... array) { (made.parameters.push_back(array.take()), ...); }, arrays);
  }

private:
  template <std::size_t... Index, class... Values>
  void add_each(std::index_sequence<Index...>, const Values&... values) {
    (std::get<Index>(arrays).add(static_cast<const Types&>(values)), ...);
  }
};

/// The numbers that this database gave to the composite types of `0005_row_types.sql`, and of
/// later ones where those were replaced.
struct row_types {
  std::uint32_t task = 0;
  std::uint32_t task_lease = 0;
  std::uint32_t task_end = 0;
  std::uint32_t lease = 0;
  std::uint32_t judgment = 0;

  bool operator==(const row_types& other) const {
    return std::tie(task, task_lease, task_end, lease, judgment)
           == std::tie(other.task, other.task_lease, other.task_end, other.lease, other.judgment);
  }
};

/// The rows of a statement that takes them as one array of a composite type: those of which there
/// are many.
template <class... Types>
struct rows {
  wire::rows_of<Types...> array;

  template <class... Values>
  void add(const Values&... values) {
    array.add(static_cast<const Types&>(values)...);
  }

  /// Appends the statement with its rows, which are of the type `type_oid`; nothing without any,
  /// and says so.
  bool append_to(std::vector<call>& calls, const statement& what, std::uint32_t type_oid) {
    if (array.size() == 0)
      return false;
    calls.push_back({&what, {array.take(type_oid)}});
    return true;
  }
};

} // namespace holdfast::persistence::batch
