#pragma once

#include "messages/token_messages.hpp"
#include "tests/messages/samples.hpp"

#include <chrono>

namespace holdfast::test {

/// Requests about API tokens.
inline void add_token_samples(samples& into) {
  using namespace msg;
  const auto token = id_of<core::api_token_id>(0x41);
  const auto workflow = id_of<core::workflow_id>(0x42);
  into.add("hf1.create_token",
           create_token{token,
                        "ab12",
                        "worker",
                        "w1",
                        {"mail", "sms-"},
                        {workflow},
                        core::duration{std::chrono::microseconds{0x5060}},
                        "ana"},
           id(0x41) + text("ab12") + text("worker") + text("w1")
               + list({text("mail"), text("sms-")}) + list({id(0x42)}) + u64(0x5060) + text("ana"));
  const token_view view{token,
                        "worker",
                        "w1",
                        {"mail"},
                        {workflow},
                        "good",
                        "ana",
                        core::from_micros(0x10),
                        core::from_micros(0x20),
                        core::from_micros(0x30),
                        core::from_micros(0x40)};
  const auto view_bytes = id(0x41) + text("worker") + text("w1") + list({text("mail")})
                          + list({id(0x42)}) + text("good") + text("ana") + u64(0x10) + u64(0x20)
                          + u64(0x30) + u64(0x40);
  into.add("hf1.token_view", view, view_bytes);
  into.add("hf1.list_tokens", list_tokens{token, 50}, id(0x41) + u32(50));
  into.add("hf1.token_page", token_page{{view}, true}, list({view_bytes}) + u8(1));
  into.add("hf1.revoke_token", revoke_token{token}, id(0x41));
  into.add("hf1.check_token", check_token{token, "ab12"}, id(0x41) + text("ab12"));
  into.add("hf1.token_identity",
           token_identity{1, "worker", "w1", {"mail"}, {workflow}, core::from_micros(0x20)},
           u8(1) + text("worker") + text("w1") + list({text("mail")}) + list({id(0x42)})
               + u64(0x20));
  into.add("hf1.note_token_use", note_token_use{token}, id(0x41));
  into.add("hf1.token_use_noted", token_use_noted{token}, id(0x41));
}

} // namespace holdfast::test
