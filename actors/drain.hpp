#pragma once

#include <caf/allowed_unsafe_message_type.hpp>

namespace holdfast::actors {

/// Sent to the root: stop taking requests, let what was accepted become durable, give the shards
/// free, end. The root quits with `user_shutdown` when done.
struct drain {};

} // namespace holdfast::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::actors::drain)
