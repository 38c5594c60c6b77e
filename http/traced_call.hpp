#pragma once

#include "http/call.hpp"
#include "http/door.hpp"

namespace holdfast::http {

/// A call whose problems get a `trace_id`: that of the request's `traceparent`, or one made for the
/// problem. `settings.on_problem` hears of each. The settings must outlive the call.
call_ptr traced(call_ptr call, const door_settings& settings);

} // namespace holdfast::http
