#pragma once

#include "http/call.hpp"
#include "http/door.hpp"

#include <memory>
#include <string_view>

namespace holdfast::http {

/// A call that belongs to a trace. Its problems get a `trace_id`: that of the trace, or one made
/// for the problem; `door_settings::on_problem` hears of each. Where the door has a tracer, and the
/// request is one to be traced, its span is told with its answer; of a stream, with the head.
class traced_call : public call {
public:
  /// The path of its route, as the table of routes has it: `/v1/tasks/{task}`. It must stay valid.
  virtual void on_path(std::string_view path) = 0;
};

/// The settings must outlive the call.
std::shared_ptr<traced_call> traced(call_ptr call, const door_settings& settings);

} // namespace holdfast::http
