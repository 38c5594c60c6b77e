#include "http/trace_context.hpp"

#include "core/traceparent.hpp"

#include <algorithm>
#include <cstddef>

namespace holdfast::http {

namespace {

constexpr std::size_t trace_digits = 32;
constexpr std::size_t span_digits = 16;
/// The beginning that every version of the header has: version, ids, flags.
constexpr std::size_t traceparent_size = 2 + 1 + trace_digits + 1 + span_digits + 1 + 2;

bool is_hexadecimal(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

} // namespace

std::optional<trace_context> trace_of(std::string_view traceparent) {
  if (traceparent.size() < traceparent_size)
    return std::nullopt;
  const auto version = traceparent.substr(0, 2);
  const auto trace = traceparent.substr(3, trace_digits);
  const auto span = traceparent.substr(3 + trace_digits + 1, span_digits);
  const auto flags = traceparent.substr(traceparent_size - 2, 2);
  const bool has_dashes = traceparent[2] == '-' && traceparent[3 + trace_digits] == '-'
                          && traceparent[traceparent_size - 3] == '-';
  // Later versions may add more behind another dash.
  const bool ends_well = traceparent.size() == traceparent_size
                         || (version != "00" && traceparent[traceparent_size] == '-');
  if (!has_dashes || !ends_well || version == "ff" || !is_hexadecimal(version)
      || !is_hexadecimal(flags) || !core::is_trace_id(trace) || !core::is_span_id(span))
    return std::nullopt;
  return trace_context{std::string{trace}, std::string{span}};
}

std::string traceparent_of(const std::string& trace_id, const std::string& span_id) {
  return core::traceparent_of(trace_id, span_id);
}

} // namespace holdfast::http
