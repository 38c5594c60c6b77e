#pragma once

#include "http/call.hpp"
#include "http/door.hpp"

namespace holdfast::http {

/// Takes a request of HTTP: finds its route and the principal behind its token, and has the route
/// read the message, ask the gateway and answer. Answers the call now or later, on any thread.
/// `through` must live until all calls are answered or forgotten (`gateway_client::stop`).
void serve(const door& through, call_ptr call);

} // namespace holdfast::http
