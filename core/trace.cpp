#include "core/trace.hpp"

#include <cstddef>

namespace holdfast::core {

namespace {

constexpr std::size_t trace_digits = 32;
constexpr std::size_t span_digits = 16;
/// Where the parts of the header begin, which every version has: version, ids, flags.
constexpr std::size_t trace_at = 3;
constexpr std::size_t span_at = trace_at + trace_digits + 1;
constexpr std::size_t flags_at = span_at + span_digits + 1;
constexpr std::size_t traceparent_size = flags_at + 2;

constexpr std::string_view trace_hex = "0123456789abcdef";

bool is_trace_hex(std::string_view text) {
  return text.find_first_not_of(trace_hex) == std::string_view::npos;
}

bool is_trace_part(std::string_view text, std::size_t length) {
  return text.size() == length && is_trace_hex(text)
         && text.find_first_not_of('0') != std::string_view::npos;
}

void append_trace_hex(std::string& to, std::uint64_t bits) {
  constexpr unsigned bits_of_all = 64;
  constexpr unsigned bits_of_digit = 4;
  constexpr std::uint64_t digit = 0xf;
  for (unsigned shift = bits_of_all; shift > 0; shift -= bits_of_digit)
    to += trace_hex[bits >> (shift - bits_of_digit) & digit];
}

} // namespace

std::optional<trace_context> parse_traceparent(std::string_view header) {
  if (header.size() < traceparent_size)
    return std::nullopt;
  const auto version = header.substr(0, 2);
  const auto flags = header.substr(flags_at, 2);
  const bool has_dashes =
      header[trace_at - 1] == '-' && header[span_at - 1] == '-' && header[flags_at - 1] == '-';
  // Later versions may add more behind another dash.
  const bool ends_well =
      header.size() == traceparent_size || (version != "00" && header[traceparent_size] == '-');
  if (!has_dashes || !ends_well || version == "ff" || !is_trace_hex(version)
      || !is_trace_hex(flags))
    return std::nullopt;
  auto found =
      trace_of_task(header.substr(trace_at, trace_digits), header.substr(span_at, span_digits));
  if (found)
    found->is_sampled = trace_hex.find(flags.back()) % 2 != 0;
  return found;
}

std::string to_traceparent(const trace_context& at) {
  if (!is_trace_part(at.trace_id, trace_digits) || !is_trace_part(at.span_id, span_digits))
    return {};
  return "00-" + at.trace_id + '-' + at.span_id + (at.is_sampled ? "-01" : "-00");
}

std::optional<trace_context> trace_of_task(std::string_view trace_id, std::string_view span_id) {
  if (!is_trace_part(trace_id, trace_digits) || !is_trace_part(span_id, span_digits))
    return std::nullopt;
  return trace_context{std::string{trace_id}, std::string{span_id}, true};
}

std::string traceparent_of_task(std::string_view trace_id, std::string_view span_id) {
  const auto at = trace_of_task(trace_id, span_id);
  return at ? to_traceparent(*at) : std::string{};
}

std::string trace_id_of(std::uint64_t high, std::uint64_t low) {
  std::string id;
  append_trace_hex(id, high);
  append_trace_hex(id, high == 0 && low == 0 ? 1 : low);
  return id;
}

std::string span_id_of(std::uint64_t bits) {
  std::string id;
  append_trace_hex(id, bits == 0 ? 1 : bits);
  return id;
}

bool decide_sampling(const std::optional<trace_context>& caller, std::uint32_t percent,
                     std::uint64_t random) {
  constexpr std::uint64_t whole = 100;
  return caller ? caller->is_sampled : random % whole < percent;
}

} // namespace holdfast::core
