#pragma once

#include "client/courier.hpp"
#include "messages/long_poll.hpp"

#include <algorithm>

namespace holdfast::client {

/// How long a request through the courier may wait at the node for what it asks for. Half of the
/// shortest time after which the courier thinks a request lost: the other half is for the way
/// there, the commit and the way back. Never more than the node allows.
inline core::duration wait_at_node(const retry_policy& retry) {
  return std::min(std::min(retry.try_timeout, retry.deadline) / 2, msg::wait_max);
}

} // namespace holdfast::client
