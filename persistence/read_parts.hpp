#pragma once

#include "persistence/connection.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the reads of the store are made of.
namespace holdfast::persistence::reads {

using text = std::string_view;
using int8 = std::int64_t;
using int4 = std::int32_t;
using int2 = std::int16_t;

// One snapshot for all statements of a read.
inline constexpr statement begin_read{"begin_read",
                                      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
inline constexpr statement end_read{"end_read", "COMMIT"};
// The session is set up for batches: generic plans that look rows up by key. A read over a whole
// step or queue needs hash joins and plans made for it.
inline constexpr statement free_planner{"free_planner", R"sql(
  SELECT set_config('enable_hashjoin', 'on', true), set_config('enable_mergejoin', 'on', true),
         set_config('enable_seqscan', 'on', true), set_config('enable_bitmapscan', 'on', true),
         set_config('enable_sort', 'on', true),
         set_config('plan_cache_mode', 'force_custom_plan', true))sql"};
// How many results of a pipeline precede those of the reads themselves.
inline constexpr std::size_t preamble_long = 2;
inline constexpr std::size_t preamble_short = 1;

inline std::vector<call> long_read(std::vector<call> calls) {
  calls.insert(calls.begin(), {{&begin_read, {}}, {&free_planner, {}}});
  calls.push_back({&end_read, {}});
  return calls;
}

inline std::vector<call> short_read(std::vector<call> calls) {
  calls.insert(calls.begin(), {&begin_read, {}});
  calls.push_back({&end_read, {}});
  return calls;
}

inline std::string limit_parameter(std::uint32_t limit) {
  return wire::scalar(static_cast<int4>(std::min<std::uint32_t>(limit, INT32_MAX)));
}

inline std::uint32_t u32(const query_result& r, std::size_t row, int column) {
  return static_cast<std::uint32_t>(r.get<int4>(row, column));
}

/// Null is none.
inline std::optional<std::uint32_t> count_of(const query_result& r, std::size_t row, int column) {
  return r.is_null(row, column) ? std::nullopt : std::optional{u32(r, row, column)};
}

inline std::uint64_t u64(const query_result& r, std::size_t row, int column) {
  return static_cast<std::uint64_t>(r.get<int8>(row, column));
}

} // namespace holdfast::persistence::reads
