#pragma once

#include "core/tracer.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <utility>

namespace holdfast::actors {

/// The span of the decision about a traced request: from when the actor that decides takes it up,
/// waits for its state and for payloads included, until what was decided is handed to the writer,
/// or the answer is given. One actor after the other holds it, at any time one.
class decision_span {
public:
  /// `under`: the request.
  decision_span(core::tracer_ptr tracer, const core::trace_context& under, std::string operation)
      : tracer_(std::move(tracer)) {
    place_->trace_id = under.trace_id;
    place_->span_id = tracer_->new_span_id();
    place_->is_sampled = true;
    told_.parent_id = under.span_id;
    told_.name = "decide " + operation;
    told_.texts.emplace_back("holdfast.operation", std::move(operation));
  }
  decision_span(const decision_span&) = delete;
  decision_span& operator=(const decision_span&) = delete;
  ~decision_span() { end(); }

  /// Again: nothing, so that a request that was put off has waited since the first time.
  void begin() {
    if (told_.began == core::instant{})
      told_.began = tracer_->now();
  }
  void end() {
    if (told_.began == core::instant{} || has_ended_.exchange(true))
      return;
    told_.trace_id = place_->trace_id;
    told_.span_id = place_->span_id;
    told_.ended = tracer_->now();
    tracer_->take(std::move(told_));
  }

  /// Of what follows from the decision.
  core::trace_ptr place() const { return place_; }

private:
  const core::tracer_ptr tracer_;
  const std::shared_ptr<core::trace_context> place_ = std::make_shared<core::trace_context>();
  core::span told_;
  std::atomic<bool> has_ended_{false};
};
using decision_span_ptr = std::shared_ptr<decision_span>;

} // namespace holdfast::actors
