#pragma once

#include "messages/removal_messages.hpp"
#include "tests/messages/samples.hpp"

namespace holdfast::test {

/// Removals of contributors from a step, a workflow or everywhere.
inline void add_removal_samples(samples& into) {
  using namespace msg;
  const auto workflow = id_of<core::workflow_id>(0x72);
  const auto step = id_of<core::step_id>(0x71);
  into.add("hf1.put_removal",
           put_removal{"ana", workflow, step, core::from_micros(5), core::duration{6}, true, "r"},
           text("ana") + id(0x72) + id(0x71) + u64(5) + u64(6) + u8(1) + text("r"));
  into.add("hf1.reinstate_contributor", reinstate_contributor{"ana", workflow, step},
           text("ana") + id(0x72) + id(0x71));
  const removal_view view{"ana",
                          "step",
                          workflow,
                          step,
                          "active",
                          true,
                          "r",
                          "rita",
                          core::from_micros(1),
                          core::from_micros(2),
                          core::from_micros(3)};
  const auto view_bytes = text("ana") + text("step") + id(0x72) + id(0x71) + text("active") + u8(1)
                          + text("r") + text("rita") + u64(1) + u64(2) + u64(3);
  into.add("hf1.removal_view", view, view_bytes);
  into.add("hf1.list_removals", list_removals{"ana", 50}, text("ana") + u32(50));
  into.add("hf1.removal_page", removal_page{{view}, true}, list({view_bytes}) + u8(1));
}

} // namespace holdfast::test
