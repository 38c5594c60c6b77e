#include "core/traceparent.hpp"

#include <algorithm>
#include <cstddef>

namespace holdfast::core {

namespace {

constexpr std::size_t trace_id_digits = 32;
constexpr std::size_t span_id_digits = 16;

bool is_context_id(std::string_view text, std::size_t digits) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == digits && std::all_of(text.begin(), text.end(), is_digit)
         && text.find_first_not_of('0') != std::string_view::npos;
}

} // namespace

bool is_trace_id(std::string_view text) { return is_context_id(text, trace_id_digits); }

bool is_span_id(std::string_view text) { return is_context_id(text, span_id_digits); }

std::string traceparent_of(const std::string& trace_id, const std::string& span_id) {
  if (!is_trace_id(trace_id) || !is_span_id(span_id))
    return {};
  return "00-" + trace_id + '-' + span_id + "-01";
}

} // namespace holdfast::core
