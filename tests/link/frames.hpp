#pragma once

#include "link/frame_validator.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

/// Frames as CAF writes them, for both directions of a connection.
class frames {
public:
  using kind = link::frame_kind;

  /// Numbers in the byte order of the network.
  template <class Number>
  static void put(std::string& to, Number value) {
    for (std::size_t i = sizeof value; i > 0; --i)
      to += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * (i - 1)) & 0xff);
  }

  static std::string header(kind k, std::uint32_t payload, std::uint64_t data = 0,
                            std::uint64_t source = 0, std::uint64_t destination = 0,
                            std::uint8_t flags = 0) {
    std::string frame;
    put(frame, static_cast<std::uint8_t>(k));
    frame += std::string(2, '\0');
    put(frame, flags);
    put(frame, payload);
    put(frame, data);
    put(frame, source);
    put(frame, destination);
    return frame;
  }

  static std::string with_payload(kind k, const std::string& payload, std::uint64_t data = 0,
                                  std::uint64_t source = 0, std::uint64_t destination = 0,
                                  std::uint8_t flags = 0) {
    return header(k, static_cast<std::uint32_t>(payload.size()), data, source, destination, flags)
           + payload;
  }

  /// CAF's word in 64 bits.
  static std::uint64_t atom(std::string_view word) {
    constexpr std::string_view alphabet =
        " 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    std::uint64_t value = 0xF;
    for (const char c : word)
      value = value << 6 | alphabet.find(c);
    return value;
  }

  static std::string node_id(char who) {
    std::string id;
    put(id, atom("default"));
    put(id, std::uint32_t{4711});
    return id + std::string(20, who);
  }
  static std::string dialer_id() { return node_id('d'); }
  static std::string listener_id() { return node_id('l'); }

  static std::string greeting_of_dialer() {
    return with_payload(kind::client_handshake, dialer_id());
  }
  static std::string selection() {
    return with_payload(kind::client_handshake, dialer_id(), 0, 0, 0, link::select_connection_flag);
  }
  static std::string greeting_of_listener() {
    return with_payload(kind::server_handshake, listener_id() + std::string(900, 's'), 4);
  }

  /// What follows the header of a message of these types.
  static std::string content(const std::string& types, std::size_t bytes) {
    std::string text{"\0\0\0", 3};
    auto length = types.size();
    while (length > 0x7f) {
      text += static_cast<char>((length & 0x7f) | 0x80);
      length >>= 7;
    }
    text += static_cast<char>(length);
    return text + types + std::string(bytes, 'x');
  }
  static std::string message(const std::string& types = "@<>+hf1.claim_tasks",
                             std::size_t bytes = 100) {
    return with_payload(kind::direct_message, content(types, bytes), 1, 7, 9);
  }
  /// The number of a request's answer.
  static constexpr std::uint64_t response_flag = std::uint64_t{1} << 63;
  /// An answer to `message()`; from no actor, as it passes the link of who sends it.
  static std::string answer(const std::string& types = "@<>+hf1.leased_tasks",
                            std::size_t bytes = 100, std::uint64_t from = 0) {
    return with_payload(kind::direct_message, content(types, bytes), 1 | response_flag, from, 7);
  }
  /// A message to the actor with this number.
  static std::string message_to(std::uint64_t actor, std::uint64_t from = 7,
                                const std::string& types = "@<>+hf1.claim_tasks") {
    return with_payload(kind::direct_message, content(types, 100), 1, from, actor);
  }
  static std::string to_name(std::string_view name) {
    return with_payload(kind::direct_message, content("@<>+@atom+@atom+@str", 8), 0, 7, atom(name),
                        link::named_receiver_flag);
  }
  static std::string monitor(const std::string& from, const std::string& to,
                             std::uint64_t actor = 9) {
    return with_payload(kind::monitor_message, from + to, 0, 0, actor);
  }
  static std::string down(const std::string& from, const std::string& to) {
    return with_payload(kind::down_message, from + to + std::string(9, '\1'), 0, 9, 0);
  }
  static std::string heartbeat() { return header(kind::heartbeat, 0); }

  /// A whole life of a dialer, and the part of it that may pass.
  static std::string life_of_dialer(bool with_dropped = true) {
    return greeting_of_dialer() + selection()
           + (with_dropped ? to_name("SpawnServ") : std::string{})
           + monitor(dialer_id(), listener_id()) + message() + heartbeat()
           + message("@<>+hf1.enqueue_tasks", 70'000) + message("@<>+@error", 30)
           + message("@<>", 0) + down(dialer_id(), listener_id()) + heartbeat();
  }
};

/// Both directions of a connection of a process whose actor 9 is for everybody, and 11 for nodes.
struct validated {
  validated() {
    published.publish(9, link::audience::anybody);
    published.publish(11, link::audience::nodes);
    shared.published = &published;
    shared.open = &open;
  }

  link::published_actors published;
  link::open_requests open;
  link::conversation shared;
  link::frame_validator dialer{link::sender::dialer, shared};
  link::frame_validator listener{link::sender::listener, shared};

  link::frame_validator& of(link::sender from) {
    return from == link::sender::dialer ? dialer : listener;
  }
};

struct verdict {
  std::string passed;
  link::frame_fault fault = link::frame_fault::none;
};

/// What one direction makes of `bytes`, given in pieces whose sizes `piece` says.
template <class Piece>
verdict judge(link::frame_validator& direction, std::string_view bytes, Piece&& piece) {
  verdict result;
  while (!bytes.empty() && result.fault == link::frame_fault::none) {
    auto input = bytes.substr(0, piece());
    bytes.remove_prefix(input.size());
    while (!input.empty() && result.fault == link::frame_fault::none) {
      const auto step = direction.next(input);
      result.passed.append(step.pass);
      result.fault = step.fault;
      input.remove_prefix(step.consumed);
    }
  }
  return result;
}

inline verdict judge(link::frame_validator& direction, std::string_view bytes) {
  return judge(direction, bytes, [&] { return bytes.size(); });
}

/// What the first bytes of one direction are worth, while the other is silent.
inline link::frame_fault fault_of_start(link::sender from, std::string_view bytes) {
  validated both;
  return judge(both.of(from), bytes).fault;
}

/// A seeded change to a stream of frames: bits, bytes, numbers of headers, pieces that are lost,
/// doubled or swapped, and the end cut off.
std::string mutated(const std::vector<std::string>& stream, std::mt19937_64& random);

} // namespace holdfast::test
