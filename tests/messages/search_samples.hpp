#pragma once

#include "messages/search_messages.hpp"
#include "tests/messages/samples.hpp"

namespace holdfast::test {

/// What is known of contributors, and the steps that are there for them.
inline void add_search_samples(samples& into) {
  using namespace msg;
  const auto step = id_of<core::step_id>(0x71);
  const auto workflow = id_of<core::workflow_id>(0x72);
  const auto half = u64(0x3fe0000000000000); // 0.5
  into.add("hf1.put_profile", put_profile{"ana", {"c"}, {"ner", "sql"}, {"x"}, "DE-BY", 0.5},
           text("ana") + list({text("c")}) + list({text("ner"), text("sql")}) + list({text("x")})
               + text("DE-BY") + half);
  into.add("hf1.get_profile", get_profile{"ana"}, text("ana"));
  into.add("hf1.profile_view",
           profile_view{"ana", {"c"}, {"ner"}, {"x"}, "DE", 0.5, true, 3, 4, core::from_micros(5)},
           text("ana") + list({text("c")}) + list({text("ner")}) + list({text("x")}) + text("DE")
               + half + u8(1) + u64(3) + u64(4) + u64(5));
  into.add("hf1.find_steps", find_steps{"ana", 20, 7, step},
           text("ana") + u32(20) + u32(7) + id(0x71));
  const step_offer offer{step, workflow, "key", "title", "form", 7};
  const auto offer_bytes =
      id(0x71) + id(0x72) + text("key") + text("title") + text("form") + u32(7);
  into.add("hf1.step_offer", offer, offer_bytes);
  into.add("hf1.step_offers", step_offers{{offer}, true}, list({offer_bytes}) + u8(1));
  into.add("hf1.rebuild_step_index", rebuild_step_index{1}, u32(1));
  into.add("hf1.step_index_rebuilt", step_index_rebuilt{3, 42, true}, u32(3) + u64(42) + u8(1));
}

} // namespace holdfast::test
