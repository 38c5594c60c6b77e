#pragma once

#include "core/trace.hpp"

#include <caf/allowed_unsafe_message_type.hpp>

#include <string>

namespace holdfast::msg {

/// Inside a node, in front of a request: the span of the HTTP request that it comes from, and the
/// principal for the audit log, where the request is audited. Never leaves the process.
struct traced_author {
  core::trace_ptr trace; ///< Not null.
  std::string who;       ///< The label of the principal; empty: the audit log does not want it.
};

} // namespace holdfast::msg

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::msg::traced_author)
