#pragma once

#include "core/ids.hpp"
#include "persistence/connection.hpp"
#include "persistence/wire_format.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

/// Finds a judgment: its contributor, and the unit.
using judgment_key = std::pair<core::contributor_id, core::unit_id>;

/// Of rows that begin with a contributor and a unit.
inline std::vector<judgment_key> judgment_keys(const query_result& r) {
  std::vector<judgment_key> keys;
  for (std::size_t row = 0; row < r.rows(); ++row)
    keys.emplace_back(r.get<std::string>(row, 0), core::unit_id{r.get<core::uuid>(row, 1)});
  return keys;
}

/// Parameters of a statement about some judgments: their units, then their contributors.
inline std::vector<std::string> parameters_of(const std::vector<judgment_key>& keys) {
  wire::array_of<core::uuid> units;
  wire::array_of<std::string> contributors;
  for (const auto& [contributor, unit] : keys) {
    units.add(unit.value);
    contributors.add(contributor);
  }
  return {units.take(), contributors.take()};
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
