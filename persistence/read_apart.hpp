#pragma once

#include "core/outcome.hpp"
#include "persistence/connection.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

/// Reads rows of which the server does not give back some, without those.
namespace holdfast::persistence {

/// Whether a statement that ended with this SQLSTATE may have failed because of what is in one row:
/// it is damaged on the server's disk, or holds text that the server cannot send.
inline bool may_be_of_a_row(std::string_view sqlstate) {
  const auto error_class = sqlstate.substr(0, 2);
  return error_class == "XX" || error_class == "22";
}

inline bool may_be_of_a_row(const query_failure& failure) {
  return failure.kind != failure_kind::lost && may_be_of_a_row(failure.sqlstate);
}

/// Whether the server itself failed on a statement. So it does on some damaged rows, and now and
/// then for a reason that passes.
inline bool may_be_damage(const query_failure& failure) {
  return failure.kind != failure_kind::lost && failure.sqlstate.compare(0, 2, "XX") == 0;
}

/// Whether a read of some rows succeeded: none, or why the server refused it. A failure when the
/// server was not reached.
using read_end = core::outcome<std::optional<query_failure>>;

/// How a read of some rows ended; hands what was read to `keep`.
template <class Keep>
read_end end_of(core::outcome<pipeline_results> answer, Keep keep) {
  if (!answer)
    return answer.error();
  if (answer->failed)
    return std::optional{std::move(answer->failure)};
  keep(answer->results);
  return std::optional<query_failure>{};
}

/// How rows are read by their keys.
template <class Key>
struct apart_reader {
  std::function<read_end(const std::vector<Key>&)> read; ///< Keeps what it has read.
  std::function<void(const Key&, const query_failure&)> give_up;
};

/// Reads the rows of `keys` in their order: by halves where the server does not give them back
/// together. One that it does not give back alone, twice in a row, is given up. Answers a failure
/// that is not that of a row; then some rows may not have been read.
template <class Key>
std::optional<core::failure> read_apart(const std::vector<Key>& keys,
                                        const apart_reader<Key>& rows) {
  if (keys.empty())
    return std::nullopt;
  auto end = rows.read(keys);
  if (end && *end && keys.size() == 1 && may_be_of_a_row(**end))
    end = rows.read(keys); // a trouble of the server may have passed
  if (!end)
    return end.error();
  if (!*end)
    return std::nullopt;
  if (!may_be_of_a_row(**end))
    return core::failure{core::errc::unavailable, (*end)->text()};
  if (keys.size() == 1) {
    rows.give_up(keys.front(), **end);
    return std::nullopt;
  }
  const auto middle = keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 2);
  if (auto failed = read_apart(std::vector<Key>(keys.begin(), middle), rows))
    return failed;
  return read_apart(std::vector<Key>(middle, keys.end()), rows);
}

} // namespace holdfast::persistence
