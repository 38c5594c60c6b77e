#pragma once

#include "messages/cluster_messages.hpp"
#include "tests/messages/samples.hpp"

namespace holdfast::test {

/// What nodes say to each other.
inline void add_cluster_samples(samples& into) {
  using namespace msg;
  const auto node = id_of<core::incarnation_id>(0x71);
  const auto step = id_of<core::step_id>(0x72);
  const auto unit = id_of<core::unit_id>(0x73);
  into.add("hf1.get_protocols", get_protocols{1, 3}, u32(1) + u32(3));
  into.add("hf1.protocols", protocols{2, 4, "0.3.0"}, u32(2) + u32(4) + text("0.3.0"));
  into.add("hf1.meet_node", meet_node{node}, id(0x71));
  // How CAF writes the handle of nobody: no actor, of no node.
  into.add("hf1.node_met", node_met{node, {}}, id(0x71) + u64(0) + u64(15));
  into.add("hf1.look_at_cluster", look_at_cluster{node}, id(0x71));
  into.add("hf1.events_applied", events_applied{2}, u32(2));
  const auto judgment = id_of<core::judgment_id>(0x74);
  into.add("hf1.apply_events",
           apply_events{"routing",
                        step,
                        {{{3, 4},
                          {core::event_type::unit_finalized, step, unit, judgment,
                           core::from_micros(0x00060a2418203040), "{}"}}}},
           text("routing") + id(0x72)
               + list({u32(3) + u64(4) + u8(3) + id(0x72) + id(0x73) + id(0x74) + "00060a2418203040"
                       + text("{}")}));
  into.add("hf1.add_children", add_children{"routing", step, {{{3, 4}, unit, 2}}, {{unit, 1}}},
           text("routing") + id(0x72) + list({u32(3) + u64(4) + id(0x73) + u32(2)})
               + list({id(0x73) + u32(1)}));
  into.add("hf1.upstream_progress", upstream_progress{step, 3, true}, id(0x72) + u32(3) + u8(1));
}

} // namespace holdfast::test
