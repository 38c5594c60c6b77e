#pragma once

#include "messages/lineage_messages.hpp"
#include "tests/messages/samples.hpp"

namespace holdfast::test {

/// What became of an item.
inline void add_lineage_samples(samples& into) {
  using namespace msg;
  const auto unit = id_of<core::unit_id>(0x52);
  const auto root = id_of<core::unit_id>(0x53);
  const auto at = core::from_micros(0x00060a2418203040);
  const std::string at_bytes = "00060a2418203040";

  into.add("hf1.get_lineage", get_lineage{unit, root, 9}, id(0x52) + id(0x53) + u32(9));
  const lineage_lease lease{id_of<core::assignment_id>(0x55), "ana", 7, "Expired", at, at, at};
  const auto lease_bytes =
      id(0x55) + text("ana") + u64(7) + text("Expired") + at_bytes + at_bytes + at_bytes;
  into.add("hf1.lineage_lease", lease, lease_bytes);
  const lineage_judgment judgment{id_of<core::judgment_id>(0x56),
                                  "ana",
                                  "{}",
                                  "red",
                                  0.5,
                                  at,
                                  false,
                                  at,
                                  "right",
                                  "Tainted",
                                  7,
                                  0.75};
  const auto judgment_bytes = id(0x56) + text("ana") + text("{}") + text("red") + "3fe0000000000000"
                              + at_bytes + u8(0) + at_bytes + text("right") + text("Tainted")
                              + u32(7) + "3fe8000000000000";
  into.add("hf1.lineage_judgment", judgment, judgment_bytes);
  const lineage_unit whole{unit,
                           root,
                           id_of<core::step_id>(0x51),
                           "k",
                           1,
                           2,
                           3,
                           core::unit_state::finalized,
                           true,
                           4,
                           at,
                           at,
                           "[1]",
                           "{}",
                           0.75,
                           2,
                           "why",
                           {lease},
                           {judgment},
                           {"bob"},
                           5,
                           id_of<core::unit_id>(0x58)};
  const auto whole_bytes = id(0x52) + id(0x53) + id(0x51) + text("k") + u32(1) + u32(2) + u32(3)
                           + u8(3) + u8(1) + u32(4) + at_bytes + at_bytes + text("[1]") + text("{}")
                           + "3fe8000000000000" + "0002" + text("why") + list({lease_bytes})
                           + list({judgment_bytes}) + list({text("bob")}) + u32(5) + id(0x58);
  into.add("hf1.lineage_unit", whole, whole_bytes);
  into.add("hf1.unit_lineage", unit_lineage{root, {whole}, true},
           id(0x53) + list({whole_bytes}) + u8(1));
}

} // namespace holdfast::test
