#pragma once

#include "messages/webhook_messages.hpp"
#include "tests/messages/samples.hpp"

namespace holdfast::test {

/// What is asked about webhooks.
inline void add_webhook_samples(samples& into) {
  using namespace msg;
  const auto at = core::from_micros(0x3040);
  into.add("hf1.put_webhook", put_webhook{"billing", "{}"}, text("billing") + text("{}"));
  into.add("hf1.change_webhook", change_webhook{"billing", 3}, text("billing") + u8(3));
  into.add("hf1.webhook_saved", webhook_saved{"billing", 4}, text("billing") + u64(4));
  into.add("hf1.list_webhooks", list_webhooks{"b"}, text("b"));
  const webhook_place place{3, 17, 20, 2, "HTTP 410", "full"};
  const auto place_bytes = u32(3) + u64(17) + u64(20) + u64(2) + text("HTTP 410") + text("full");
  into.add("hf1.webhook_place", place, place_bytes);
  const webhook_view view{"billing", "{}", "failing", 4, at, {place}};
  const auto view_bytes =
      text("billing") + text("{}") + text("failing") + u64(4) + u64(0x3040) + list({place_bytes});
  into.add("hf1.webhook_view", view, view_bytes);
  into.add("hf1.webhook_list", webhook_list{{view}}, list({view_bytes}));
  into.add("hf1.list_dead_letters", list_dead_letters{"billing", 3, 17, 50},
           text("billing") + u32(3) + u64(17) + u32(50));
  const dead_letter letter{18, "{}", 422, "HTTP 422", at, true};
  const auto letter_bytes =
      u64(18) + text("{}") + u32(422) + text("HTTP 422") + u64(0x3040) + u8(1);
  into.add("hf1.dead_letter", letter, letter_bytes);
  into.add("hf1.dead_letter_page", dead_letter_page{{letter}}, list({letter_bytes}));
  into.add("hf1.replay_webhook", replay_webhook{"billing", 3, 2, 17, 50},
           text("billing") + u32(3) + u8(2) + u64(17) + u32(50));
  into.add("hf1.webhook_replayed", webhook_replayed{2, 18}, u32(2) + u64(18));
}

} // namespace holdfast::test
