#include "http/json_values.hpp"

#include "core/time_text.hpp"
#include "documents/json_slices.hpp"
#include "documents/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace holdfast::http {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD"; // U+FFFD

/// Valid UTF-8 of `text`.
std::string repaired(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto bad = documents::first_invalid_utf8(text);
    out += text.substr(0, bad);
    if (bad == std::string_view::npos)
      break;
    out += replacement;
    text.remove_prefix(bad + 1);
  }
  return out;
}

bool is_text(std::string_view json) { return !json.empty() && json.front() == '"'; }

bool is_whole(std::string_view json) {
  if (!json.empty() && json.front() == '-')
    json.remove_prefix(1);
  return !json.empty()
         && std::all_of(json.begin(), json.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

void append_string(std::string& out, std::string_view text) {
  if (documents::first_invalid_utf8(text) != std::string_view::npos)
    return append_string(out, repaired(text));
  constexpr std::string_view hex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      if (byte >= 0x20) {
        out += c;
      } else {
        out += "\\u00";
        out += hex[byte >> 4];
        out += hex[byte & 15];
      }
    }
  }
  out += '"';
}

void append_number(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  std::array<char, 32> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), written.ptr);
}

void append_seconds(std::string& out, core::duration span) {
  auto micros = span.count();
  if (micros < 0) {
    out += '-';
    micros = -micros;
  }
  out += std::to_string(micros / 1'000'000);
  auto fraction = std::to_string(1'000'000 + micros % 1'000'000).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  if (!fraction.empty())
    out += '.' + fraction;
}

void append_time(std::string& out, core::instant at) {
  if (at == core::instant{}) {
    out += "null";
    return;
  }
  out += '"';
  out += core::to_rfc3339(at);
  out += '"';
}

objection read_value(std::string_view json, bool& into) {
  if (json != "true" && json != "false")
    return "must be true or false";
  into = json == "true";
  return {};
}

objection read_value(std::string_view json, double& into) {
  const auto read = std::from_chars(json.data(), json.data() + json.size(), into);
  if (read.ec != std::errc{} || read.ptr != json.data() + json.size() || !std::isfinite(into))
    return "must be a number";
  return {};
}

objection read_value(std::string_view json, std::string& into) {
  if (!is_text(json))
    return "must be a string";
  into = documents::unquoted(json);
  return {};
}

objection read_value(std::string_view json, core::uuid& into) {
  const auto id =
      is_text(json) ? core::parse_uuid(documents::unquoted(json)) : std::optional<core::uuid>{};
  if (!id)
    return "must be a UUID, such as \"018f2c5e-7c1a-7000-8000-000000000001\"";
  into = *id;
  return {};
}

objection read_value(std::string_view json, core::instant& into) {
  const auto at = is_text(json) ? core::parse_rfc3339(documents::unquoted(json))
                                : std::optional<core::instant>{};
  if (!at)
    return "must be a time as in RFC 3339, such as \"2026-11-28T12:00:00Z\"";
  into = *at;
  return {};
}

objection read_value(std::string_view json, core::duration& into) {
  double seconds = 0;
  if (!read_value(json, seconds).empty() || seconds < 0
      || seconds > static_cast<double>(seconds_max))
    return outside("seconds,", 0, seconds_max);
  into = core::duration{std::llround(seconds * 1e6)};
  return {};
}

objection outside(std::string_view noun, std::int64_t least, std::int64_t most) {
  objection why = "must be ";
  why += noun;
  return why + (noun.back() == ',' ? " " : " from ") + std::to_string(least) + " to "
         + std::to_string(most);
}

objection read_whole(std::string_view json, std::int64_t least, std::uint64_t most,
                     std::int64_t& negative, std::uint64_t& positive) {
  auto refused =
      "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  if (!is_whole(json))
    return refused;
  const auto* end = json.data() + json.size();
  if (json.front() == '-') {
    const auto read = std::from_chars(json.data(), end, negative);
    if (read.ec != std::errc{} || negative < least)
      return refused;
    positive = 0;
    return {};
  }
  const auto read = std::from_chars(json.data(), end, positive);
  if (read.ec != std::errc{} || positive > most
      || (least > 0 && positive < static_cast<std::uint64_t>(least)))
    return refused;
  return {};
}

std::optional<std::uint64_t> number_of_word(std::string_view json, const word_list& words) {
  if (!is_text(json))
    return std::nullopt;
  const auto text = documents::unquoted(json);
  for (const auto& one : words)
    if (one.text == text)
      return one.number;
  return std::nullopt;
}

std::string_view word_for(std::uint64_t number, const word_list& words) {
  for (const auto& one : words)
    if (one.number == number)
      return one.text;
  return {};
}

objection not_one_of(const word_list& words) {
  objection why = "must be one of";
  for (const auto& one : words) {
    why += &one == &words.front() ? " \"" : ", \"";
    why += one.text;
    why += '"';
  }
  return why;
}

objection read_value(std::string_view json, const document& into) {
  into.text = json;
  return {};
}

std::string json_of_text(std::string_view text, bool is_plain) {
  if (is_plain)
    return std::string{text};
  std::string json;
  append_string(json, text);
  return json;
}

} // namespace holdfast::http
