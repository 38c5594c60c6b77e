#pragma once

#include "tests/messages/wire_fixture.hpp"

#include <caf/deep_to_string.hpp>
#include <caf/make_message.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace holdfast::test {

// --- published bytes, put together by hand ---

/// The id whose sixteen bytes are all `n`, and those bytes on the wire.
template <class Id>
Id id_of(std::uint8_t n) {
  Id id;
  id.value.bytes.fill(n);
  return id;
}
inline std::string id(std::uint8_t n) { return hex(bytes(16, static_cast<char>(n))); }

/// Numbers are sent highest byte first, in their full width; negative ones as two's complement.
template <class Integer>
std::string fixed(Integer value, int width) {
  bytes buffer;
  for (int i = width - 1; i >= 0; --i)
    buffer.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i)));
  return hex(buffer);
}
inline std::string u8(std::uint8_t n) { return fixed(n, 1); }
inline std::string i16(std::int16_t n) { return fixed(n, 2); }
inline std::string u32(std::uint32_t n) { return fixed(n, 4); }
inline std::string u64(std::uint64_t n) { return fixed(n, 8); }

/// Texts and lists of less than 128 elements are sent behind one byte that counts them.
inline std::string text(const std::string& s) {
  return u8(static_cast<std::uint8_t>(s.size())) + hex({s.begin(), s.end()});
}
inline std::string list(std::initializer_list<std::string> elements) {
  auto all = u8(static_cast<std::uint8_t>(elements.size()));
  for (const auto& element : elements)
    all += element;
  return all;
}

// --- samples ---

/// One message of one type, with values that differ from field to field.
struct sample {
  std::string name;      ///< As registered.
  caf::message message;  ///< The message alone.
  bytes wire;            ///< As written.
  std::string published; ///< As first published, in hex. Never changes.
  std::string printed;   ///< With all fields.
  /// Reads bytes as this type: whether they are one, and what it says.
  std::function<bool(const bytes&)> readable;
  std::function<std::string(const bytes&)> reread;
};

/// Collects samples.
class samples {
public:
  explicit samples(wire_fixture& wire) : wire_(wire) {}

  template <class T>
  void add(const char* name, const T& value, const std::string& published) {
    auto* wire = &wire_;
    const auto readable = [wire](const bytes& buffer) {
      T copy{};
      return !wire->read(buffer, copy);
    };
    const auto reread = [wire](const bytes& buffer) {
      T copy{};
      return wire->read(buffer, copy) ? "error" : caf::deep_to_string(copy);
    };
    all.push_back({name, caf::make_message(value), wire->written(value), published,
                   caf::deep_to_string(value), readable, reread});
  }

  std::vector<sample> all;

private:
  wire_fixture& wire_;
};

} // namespace holdfast::test
