#pragma once

#include "messages/registry.hpp"

#include <boost/test/unit_test.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

#include <string>
#include <vector>

namespace holdfast::test {

using bytes = std::vector<char>;

struct registered_config : caf::actor_system_config {
  registered_config() {
    set("scheduler.policy", caf::atom("testing")); // no threads: nothing runs here
    msg::register_messages(*this);
  }
};

struct wire_fixture {
  registered_config config;
  caf::actor_system system{config};

  template <class T>
  bytes written(T value) {
    bytes buffer;
    caf::binary_serializer sink{system, buffer};
    BOOST_REQUIRE(!sink(value));
    return buffer;
  }

  template <class T>
  caf::error read(const bytes& buffer, T& value) {
    caf::binary_deserializer source{system, buffer};
    return source(value);
  }
};

inline std::string hex(const bytes& buffer) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char c : buffer) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 0x0f];
  }
  return text;
}

} // namespace holdfast::test
