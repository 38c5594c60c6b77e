#include "config/value_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>
#include <vector>

namespace holdfast::config {

namespace {

struct time_unit {
  std::string_view name;
  std::int64_t micros;
};

/// Largest first: the order in which a text form is looked for.
constexpr std::array<time_unit, 4> time_units{{
    {"h", 3'600'000'000},
    {"min", 60'000'000},
    {"s", 1'000'000},
    {"ms", 1'000},
}};

} // namespace

std::optional<core::duration> parse_duration(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{})
    return {};
  const auto name = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const auto& unit : time_units) {
    if (name != unit.name)
      continue;
    const auto most = std::numeric_limits<std::int64_t>::max() / unit.micros;
    if (count > most || count < -most)
      return {};
    return core::duration{count * unit.micros};
  }
  return {};
}

std::string to_text(core::duration span) {
  const auto micros = span.count();
  if (micros == 0)
    return "0s";
  for (const auto& unit : time_units)
    if (micros % unit.micros == 0)
      return std::to_string(micros / unit.micros) + std::string{unit.name};
  return std::to_string(micros / 1000) + "ms";
}

std::string quote(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00";
      out += digits[byte >> 4];
      out += digits[byte & 0xf];
    } else {
      if (c == '"' || c == '\\')
        out += '\\';
      out += c;
    }
  }
  return out + '"';
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    rows[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j)
    rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t differs = a[i - 1] == b[j - 1] ? 0 : 1;
      auto least = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + differs});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        least = std::min(least, rows[i - 2][j - 2] + 1);
      rows[i][j] = least;
    }
  }
  return rows[a.size()][b.size()];
}

} // namespace holdfast::config
