#pragma once

#include "messages/event_messages.hpp"
#include "tests/messages/samples.hpp"

namespace holdfast::test {

/// What subscribers to events send and get.
inline void add_event_samples(samples& into) {
  using namespace msg;
  const auto step = id_of<core::step_id>(0x81);
  const core::duration wait{0x2010};
  into.add("hf1.read_events",
           read_events{3, 2, 17, 50, wait, step, {"UnitFinalized", "JobStepUpdated"}},
           u32(3) + u8(2) + u64(17) + u32(50) + u64(0x2010) + id(0x81)
               + list({text("UnitFinalized"), text("JobStepUpdated")}));
  into.add("hf1.published_event", published_event{18, "{}"}, u64(18) + text("{}"));
  into.add("hf1.event_page", event_page{3, 19, 20, {{18, "{}"}, {19, "[]"}}},
           u32(3) + u64(19) + u64(20) + list({u64(18) + text("{}"), u64(19) + text("[]")}));
}

} // namespace holdfast::test
