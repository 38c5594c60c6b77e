#pragma once

#include <optional>
#include <string>
#include <string_view>

/// The trace to which a request belongs, as the header `traceparent` of W3C Trace Context tells it:
/// `00-<trace id>-<span id>-<flags>`.
namespace holdfast::http {

struct trace_context {
  std::string trace_id; ///< 32 hexadecimal digits in lower case, not all zero.
  std::string span_id;  ///< 16 of them.
};

/// None for a header that is not as the standard says: such a header counts as left out.
std::optional<trace_context> trace_of(std::string_view traceparent);

/// The header for work under these ids; empty when they are not such ids. Tasks keep any text as
/// their ids, and keep no flags: the trace counts as recorded, since somebody has named it.
std::string traceparent_of(const std::string& trace_id, const std::string& span_id);

} // namespace holdfast::http
