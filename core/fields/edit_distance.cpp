#include "core/fields/edit_distance.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace holdfast::core::fields {

namespace {

constexpr std::size_t word_bits = 64;

/// One block of 64 rows of the table: which rows rise and which fall against the row above, in the
/// present column.
struct block {
  std::uint64_t rises = ~std::uint64_t{0};
  std::uint64_t falls = 0;
};

/// Goes on by one column. `carry` is by how much the row above the block has changed, and becomes
/// that of its row `last`.
void advance(block& of, std::uint64_t equal, int& carry, std::uint64_t last) {
  const auto falls_above = carry < 0 ? std::uint64_t{1} : 0;
  const auto rises_above = carry > 0 ? std::uint64_t{1} : 0;
  const auto x = equal | of.falls;
  equal |= falls_above;
  const auto zero = (((equal & of.rises) + of.rises) ^ of.rises) | equal;
  auto up = of.falls | ~(zero | of.rises);
  auto down = of.rises & zero;
  carry = (up & last) != 0 ? 1 : (down & last) != 0 ? -1 : 0;
  up = (up << 1U) | rises_above;
  down = (down << 1U) | falls_above;
  of.rises = down | ~(x | up);
  of.falls = up & x;
}

} // namespace

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const auto first = byte_at(i);
    const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    constexpr std::array<unsigned char, 5> masks{0, 0x7F, 0x1F, 0x0F, 0x07};
    char32_t point = first & masks[length];
    std::size_t read = 1;
    while (read < length && i + read < text.size() && (byte_at(i + read) & 0xC0U) == 0x80)
      point = (point << 6U) | (byte_at(i + read++) & 0x3FU);
    const bool whole = read == length && (first < 0x80 || first >= 0xC0);
    points.push_back(whole ? point : first);
    i += whole ? length : 1;
  }
  return points;
}

std::size_t edit_distance(const std::u32string& a, const std::u32string& b) {
  const auto& rows = a.size() < b.size() ? a : b; // fewer blocks
  const auto& columns = a.size() < b.size() ? b : a;
  if (rows.empty())
    return columns.size();
  const auto blocks = (rows.size() + word_bits - 1) / word_bits;
  std::unordered_map<char32_t, std::vector<std::uint64_t>> places;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    auto& of = places[rows[row]];
    of.resize(blocks);
    of[row / word_bits] |= std::uint64_t{1} << (row % word_bits);
  }
  const std::vector<std::uint64_t> nowhere(blocks);
  std::vector<block> table(blocks);
  constexpr auto last_of_block = std::uint64_t{1} << (word_bits - 1);
  const auto last_row = std::uint64_t{1} << ((rows.size() - 1) % word_bits);
  auto distance = rows.size();
  for (const auto letter : columns) {
    const auto found = places.find(letter);
    const auto& equal = found == places.end() ? nowhere : found->second;
    int carry = 1; // the row above all: one more letter of `columns` is put in
    for (std::size_t i = 0; i < blocks; ++i)
      advance(table[i], equal[i], carry, i + 1 == blocks ? last_row : last_of_block);
    if (carry > 0)
      ++distance;
    else if (carry < 0)
      --distance;
  }
  return distance;
}

} // namespace holdfast::core::fields
