#pragma once

#include "messages/queue_action_messages.hpp"
#include "tests/messages/samples.hpp"

namespace holdfast::test {

/// Bulk actions of queues.
inline void add_queue_action_samples(samples& into) {
  using namespace msg;
  const auto action = id_of<core::queue_action_id>(0x71);
  const auto task = id_of<core::task_id>(0x61);
  const auto at = [](std::int64_t micros) { return core::from_micros(micros); };
  const queue_action_filter filter{"send", "gold", "ERROR", "E1", at(0x40), at(0x41)};
  const auto filter_bytes =
      text("send") + text("gold") + text("ERROR") + text("E1") + u64(0x40) + u64(0x41);
  into.add("hf1.start_queue_action", start_queue_action{"mail", action, 5, filter, true},
           text("mail") + id(0x71) + u8(5) + filter_bytes + u8(1));
  const queue_action_view view{
      "mail",  action,   5,        filter, 2,    9,     6, 1, {{core::errc::already_exists, 2}},
      "admin", at(0x42), at(0x43), "why",  true, {task}};
  const auto view_bytes = text("mail") + id(0x71) + u8(5) + filter_bytes + u8(2) + u64(9) + u64(6)
                          + u64(1) + list({u8(11) + u64(2)}) + text("admin") + u64(0x42) + u64(0x43)
                          + text("why") + u8(1) + list({id(0x61)});
  into.add("hf1.queue_action_view", view, view_bytes);
  into.add("hf1.get_queue_action", get_queue_action{"mail", action}, text("mail") + id(0x71));
  into.add("hf1.list_queue_actions", list_queue_actions{"mail", action, 50},
           text("mail") + id(0x71) + u32(50));
  into.add("hf1.queue_action_page", queue_action_page{{view}, true}, list({view_bytes}) + u8(1));
  into.add("hf1.stop_queue_action", stop_queue_action{"mail", action}, text("mail") + id(0x71));
}

} // namespace holdfast::test
