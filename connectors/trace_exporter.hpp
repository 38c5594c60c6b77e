#pragma once

#include "core/outcome.hpp"
#include "core/time.hpp"
#include "core/tracer.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::connectors {

/// The name of a node and its version, which go with its spans.
struct trace_resource {
  std::string service_version;
  std::string instance; ///< The node's name.
};

struct trace_exporter_options {
  std::string endpoint; ///< URL of http or https; the operator has chosen it, wherever it is.
  /// Headers as `name=value`, with commas between; asked for before every request. Empty: none.
  std::function<std::string()> headers;
  std::string ca_file; ///< PEM; empty: the system's.
  std::string user_agent = "Holdfast";
  trace_resource resource;
  std::uint32_t sample_percent = 100;
  std::size_t queue_max = 8192;
  std::size_t batch_max = 512;
  core::duration flush_interval = std::chrono::seconds{2};
  core::duration timeout = std::chrono::seconds{10};
  /// The pause before a request is repeated: of the first time, doubled with each up to the last.
  core::duration retry_min = std::chrono::seconds{1};
  core::duration retry_max = std::chrono::seconds{30};
  unsigned tries_max = 5; ///< Of one request; then its spans are dropped.
  std::uint64_t seed = 1; ///< Of the ids.
  /// Hears on the exporter's thread that the collector takes no spans, with the reason, and with an
  /// empty text that it takes them again; once for each change. May be null.
  std::function<void(const std::string& why)> report;
};

/// Sends spans to a collector by OTLP over HTTP, encoded as JSON, from one thread of its own.
///
/// The work of a trace never waits for the collector: a span goes into a queue with a
/// bound, or is dropped. One request is under way at a time. As OTLP asks, a request that was
/// answered 429, 502, 503 or 504, or not at all, is repeated, after the time that the collector
/// names; any other answer drops its spans. Redirects are not followed and no proxy is used.
class trace_exporter : public core::tracer {
public:
  /// Spans that were sent, and that were dropped.
  virtual std::uint64_t sent() const = 0;
  virtual std::uint64_t dropped() const = 0;

  /// Sends all that waits, for `time` at most; the rest, and all that comes later, is dropped.
  /// Returns when the thread has ended. A second call does nothing.
  virtual void finish(core::duration time) = 0;
};

std::shared_ptr<trace_exporter> open_trace_exporter(trace_exporter_options options);

/// The body of a request of OTLP/HTTP: `ExportTraceServiceRequest` in the JSON mapping of Protobuf,
/// with ids in hexadecimal digits and 64-bit numbers as texts, as OTLP says.
std::string otlp_json(const trace_resource& from, const std::vector<core::span>& spans);

/// The headers in `text`: `name=value`, with commas between; `invalid_argument` for what is no
/// header. Values may be percent-encoded.
core::outcome<std::vector<std::pair<std::string, std::string>>>
parse_headers(std::string_view text);

} // namespace holdfast::connectors
