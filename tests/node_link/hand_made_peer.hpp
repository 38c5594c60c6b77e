#pragma once

#include "link/frame_rules.hpp"
#include "messages/inspect.hpp"
#include "tests/link/frames.hpp"
#include "tests/link/sockets.hpp"
#include "tests/node_link/secure_node.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/binary_serializer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace holdfast::test {

inline constexpr std::size_t mebibyte = 1024 * 1024;

/// A peer that has greeted and knows the number of the gateway.
struct hand_made_peer {
  explicit hand_made_peer(std::uint32_t process = 4711)
      : wire(stream::to(secure_node::current().process->port())) {
    auto& node = secure_node::current();
    BOOST_REQUIRE(wire.secure({node.file("ana.crt"), node.file("ana.key"), 0}));
    own = frames::node_id('d');
    own.resize(8); // the number of the process comes next
    frames::put(own, process);
    own += std::string(20, 'd');
    BOOST_REQUIRE(wire.write(frames::with_payload(frames::kind::client_handshake, own)
                             + frames::with_payload(frames::kind::client_handshake, own, 0, 0, 0,
                                                    link::select_connection_flag)));
    const auto greeting = next_payload();
    others = greeting.substr(0, link::node_key::size);
    auto at = link::node_key::size;
    const auto identifiers = static_cast<unsigned char>(greeting.at(at++));
    for (unsigned i = 0; i < identifiers; ++i)
      at += 1 + static_cast<unsigned char>(greeting.at(at));
    BOOST_REQUIRE(at + sizeof gateway <= greeting.size());
    gateway = link::read_number(greeting.data() + at);
  }

  /// Of the next frame that has one.
  std::string next_payload() {
    for (;;) {
      const auto header = wire.read(link::frame_header_bytes);
      BOOST_REQUIRE(header.size() == link::frame_header_bytes);
      if (const auto bytes = link::read_header(header.data()).payload_bytes; bytes > 0)
        return wire.read(bytes);
    }
  }
  /// A request that is answered whatever follows its one number.
  std::string request(std::size_t bytes, std::uint64_t from = 7) const {
    auto content = frames::content("@<>+hf1.get_placement", 0);
    frames::put(content, std::uint32_t{1});
    content.append(bytes, 'x');
    return frames::with_payload(frames::kind::direct_message, content, 1, from, gateway);
  }
  /// `message` as a request, with `padding` bytes behind the part that is read of it.
  template <class Message>
  std::string request_of(Message message, std::size_t padding, std::uint64_t number) const {
    caf::binary_serializer::container_type fields;
    caf::binary_serializer sink{nullptr, fields};
    BOOST_REQUIRE(!sink(message));
    auto content = frames::content(std::string{"@<>+"} + wire_name(&message), 0);
    content.append(fields.begin(), fields.end());
    content.append(padding, 'x');
    return frames::with_payload(frames::kind::direct_message, content, number, 7, gateway);
  }
  bool is_answered() {
    for (int frame = 0; frame < 100; ++frame)
      if (next_payload().find("hf1.placement") != std::string::npos)
        return true;
    return false;
  }

  stream wire;
  std::string own;
  std::string others;
  std::uint64_t gateway = 0;
};

} // namespace holdfast::test
