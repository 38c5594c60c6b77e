#pragma once

#include "messages/audit_messages.hpp"
#include "tests/messages/samples.hpp"

namespace holdfast::test {

/// The audit log.
inline void add_audit_samples(samples& into) {
  using namespace msg;
  const auto at = core::from_micros(0x3040);
  into.add("hf1.author", author{"admin"}, text("admin"));
  into.add("hf1.list_audit", list_audit{at, "admin", "pause_queue", "queue mail", 9, 50},
           u64(0x3040) + text("admin") + text("pause_queue") + text("queue mail") + u64(9)
               + u32(50));
  const audit_entry entry{8, at, "admin", "pause_queue", "queue mail", "paused"};
  const auto entry_bytes = u64(8) + u64(0x3040) + text("admin") + text("pause_queue")
                           + text("queue mail") + text("paused");
  into.add("hf1.audit_entry", entry, entry_bytes);
  into.add("hf1.audit_page", audit_page{{entry}, true}, list({entry_bytes}) + u8(1));
}

} // namespace holdfast::test
