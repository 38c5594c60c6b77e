#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Traces: what belongs together of the work that one caller has caused, in this process and in
/// others. The ids are those of W3C Trace Context.
namespace holdfast::core {

/// A place in a trace, as the header `traceparent` tells it: `00-<trace id>-<span id>-<flags>`.
struct trace_context {
  std::string trace_id;    ///< 32 hexadecimal digits in lower case, not all zero.
  std::string span_id;     ///< 16 of them: the span under which others are to be.
  bool is_sampled = false; ///< Whoever began the trace records it.
};

/// Null: what happens is part of no trace that is recorded.
using trace_ptr = std::shared_ptr<const trace_context>;

/// None for a header that is not as the Recommendation says: such a header counts as left out. A
/// later version is read as far as this one goes.
std::optional<trace_context> parse_traceparent(std::string_view header);

/// The header for work under `at`; empty when its ids are none. Tasks keep any text as their ids.
std::string to_traceparent(const trace_context& at);

/// The place that a task names; none when what it keeps are no ids. Tasks keep no flags: the trace
/// counts as recorded, since somebody has named it.
std::optional<trace_context> trace_of_task(std::string_view trace_id, std::string_view span_id);

/// The header for the work of a task, at the place that it names; empty when that is none.
std::string traceparent_of_task(std::string_view trace_id, std::string_view span_id);

/// Ids from random bits. Of bits that are all zero another id is made, as no id is all zero.
std::string trace_id_of(std::uint64_t high, std::uint64_t low);
std::string span_id_of(std::uint64_t bits);

/// Whether a request is traced. `caller`: its own place in a trace, whose flag decides. Without
/// one, `percent` of the requests are, by `random` bits.
bool decide_sampling(const std::optional<trace_context>& caller, std::uint32_t percent,
                     std::uint64_t random);

/// The side of a request that a span tells of. The numbers are those of OTLP.
enum class span_kind : std::uint8_t {
  internal = 1,
  server = 2,   ///< Somebody has asked us.
  client = 3,   ///< We ask somebody.
  consumer = 5, ///< Something was taken from a queue and worked on.
};

/// Something that took its time, as part of a trace.
struct span {
  std::string trace_id;
  std::string span_id;
  std::string parent_id; ///< Empty: the first of its trace.
  std::string name;      ///< One of few: never an id, nor what a caller chooses at will.
  span_kind kind = span_kind::internal;
  instant began;
  instant ended;
  bool has_failed = false;
  std::vector<std::pair<std::string, std::string>> texts{};
  std::vector<std::pair<std::string, std::int64_t>> numbers{};
};

} // namespace holdfast::core
