#pragma once

#include <string>
#include <string_view>

/// The ids of W3C Trace Context, and the header `traceparent` that brings them on:
/// `00-<trace id>-<span id>-<flags>`.
namespace holdfast::core {

/// Whether `text` is an id of a trace: 32 hexadecimal digits in lower case, not all zero.
bool is_trace_id(std::string_view text);

/// Whether `text` is an id of a span: 16 of them.
bool is_span_id(std::string_view text);

/// The header for work under these ids; empty when they are not such ids. Tasks keep any text as
/// their ids, and keep no flags: the trace counts as recorded, since somebody has named it.
std::string traceparent_of(const std::string& trace_id, const std::string& span_id);

} // namespace holdfast::core
