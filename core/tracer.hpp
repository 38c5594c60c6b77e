#pragma once

#include "core/time.hpp"
#include "core/trace.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::core {

/// The port to those who record traces. For any thread; nothing of it blocks or fails.
class tracer {
public:
  virtual ~tracer() = default;

  /// The wall clock of this machine, by which spans of several processes are put side by side.
  virtual instant now() const = 0;
  virtual std::uint64_t random() = 0;
  /// Whether something is to be traced: see `decide_sampling`.
  virtual bool samples(const std::optional<trace_context>& caller) = 0;
  /// A span that has ended. It may be dropped, which is counted.
  virtual void take(span ended) = 0;

  std::string new_trace_id() { return trace_id_of(random(), random()); }
  std::string new_span_id() { return span_id_of(random()); }
};

/// Null: nothing is traced.
using tracer_ptr = std::shared_ptr<tracer>;

} // namespace holdfast::core
