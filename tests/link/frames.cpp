#include "tests/link/frames.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace holdfast::test {

namespace {

/// Values at which parsers stumble.
constexpr std::array<std::uint64_t, 10> numbers{
    0, 1, 0x7f, 0xff, 0xffff, 0x1000000, 0x1000001, 0x7fffffff, 0xfffffff0, 0xffffffffff};

void change_bytes(std::string& text, std::mt19937_64& random) {
  const auto at = random() % text.size();
  switch (random() % 4) {
  case 0:
    text[at] = static_cast<char>(text[at] ^ 1 << random() % 8);
    return;
  case 1:
    text[at] = static_cast<char>(random());
    return;
  case 2:
    text.erase(at, 1 + random() % 8);
    return;
  default:
    text.insert(at, 1 + random() % 8, static_cast<char>(random()));
  }
}

/// Replaces one of the numbers of a header.
void change_number(std::string& frame, std::mt19937_64& random) {
  constexpr std::array<std::pair<std::size_t, std::size_t>, 6> fields{
      {{0, 1}, {3, 1}, {4, 4}, {8, 8}, {16, 8}, {24, 8}}};
  const auto [offset, size] = fields[random() % fields.size()];
  const auto value = numbers[random() % numbers.size()];
  for (std::size_t i = 0; i < size && offset + i < frame.size(); ++i)
    frame[offset + i] = static_cast<char>(value >> (8 * (size - 1 - i)) & 0xff);
}

} // namespace

std::string mutated(const std::vector<std::string>& stream, std::mt19937_64& random) {
  auto frames = stream;
  const auto changes = 1 + random() % 3;
  for (std::size_t i = 0; i < changes && !frames.empty(); ++i) {
    const auto at = random() % frames.size();
    switch (random() % 6) {
    case 0:
    case 1:
      if (!frames[at].empty())
        change_bytes(frames[at], random);
      break;
    case 2:
    case 3:
      change_number(frames[at], random);
      break;
    case 4:
      std::swap(frames[at], frames[random() % frames.size()]);
      break;
    default:
      frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  std::string text;
  for (const auto& frame : frames)
    text += frame;
  if (random() % 4 == 0)
    text.resize(random() % (text.size() + 1));
  return text;
}

} // namespace holdfast::test
