#pragma once

#include "core/time.hpp"
#include "http/door.hpp"
#include "messages/task_messages.hpp"

#include <functional>

namespace holdfast::http {

/// Has `then` get the end of the lease as it is stored; the epoch where it cannot be read. The
/// answer to an extension does not have it.
void look_up_end(const door& through, const msg::task_ref& lease,
                 std::function<void(core::instant)> then);

} // namespace holdfast::http
