#include "connectors/trace_exporter.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <optional>

namespace holdfast::connectors {

namespace {

using nlohmann::ordered_json;

constexpr int status_error = 2;

ordered_json text_attribute(const std::string& key, const std::string& value) {
  return {{"key", key}, {"value", {{"stringValue", value}}}};
}

ordered_json number_attribute(const std::string& key, std::int64_t value) {
  return {{"key", key}, {"value", {{"intValue", std::to_string(value)}}}};
}

/// 64 bits, which JSON has as a text. Times before 1970 do not occur.
std::string unix_nanoseconds(core::instant at) {
  constexpr std::int64_t nanoseconds = 1000;
  return std::to_string(core::to_micros(at) * nanoseconds);
}

ordered_json span_json(const core::span& one) {
  auto made = ordered_json::object();
  made["traceId"] = one.trace_id;
  made["spanId"] = one.span_id;
  if (!one.parent_id.empty())
    made["parentSpanId"] = one.parent_id;
  made["name"] = one.name;
  made["kind"] = static_cast<int>(one.kind);
  made["startTimeUnixNano"] = unix_nanoseconds(one.began);
  // A clock that was set back must not make a span end before it began.
  made["endTimeUnixNano"] = unix_nanoseconds(std::max(one.began, one.ended));
  auto attributes = ordered_json::array();
  for (const auto& [key, value] : one.texts)
    attributes.push_back(text_attribute(key, value));
  for (const auto& [key, value] : one.numbers)
    attributes.push_back(number_attribute(key, value));
  made["attributes"] = std::move(attributes);
  made["status"] = ordered_json::object();
  if (one.has_failed)
    made["status"]["code"] = status_error;
  return made;
}

bool is_token_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0
         || std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
}

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<int> hexadecimal_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  const auto letter = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (letter >= 'a' && letter <= 'f')
    return letter - 'a' + 10;
  return std::nullopt;
}

/// None where a percent sign stands before no byte, or the byte may not be in a header.
std::optional<std::string> header_value(std::string_view text) {
  constexpr int sixteen = 16;
  constexpr unsigned char blank = 0x20;
  constexpr unsigned char deleted = 0x7f;
  std::string value;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    if (text[i] == '%') {
      if (i + 2 >= text.size())
        return std::nullopt;
      const auto high = hexadecimal_value(text[i + 1]);
      const auto low = hexadecimal_value(text[i + 2]);
      if (!high || !low)
        return std::nullopt;
      byte = static_cast<unsigned char>(*high * sixteen + *low);
      i += 2;
    }
    if (byte < blank || byte == deleted)
      return std::nullopt;
    value += static_cast<char>(byte);
  }
  return value;
}

} // namespace

std::string otlp_json(const trace_resource& from, const std::vector<core::span>& spans) {
  auto told = ordered_json::array();
  for (const auto& one : spans)
    told.push_back(span_json(one));
  auto scope = ordered_json::object();
  scope["scope"] = {{"name", "holdfast"}, {"version", from.service_version}};
  scope["spans"] = std::move(told);
  auto resource = ordered_json::object();
  resource["resource"]["attributes"] =
      ordered_json::array({text_attribute("service.name", "holdfast"),
                           text_attribute("service.version", from.service_version),
                           text_attribute("service.instance.id", from.instance)});
  resource["scopeSpans"] = ordered_json::array();
  resource["scopeSpans"].push_back(std::move(scope));
  auto whole = ordered_json::object();
  whole["resourceSpans"] = ordered_json::array();
  whole["resourceSpans"].push_back(std::move(resource));
  // Names of queues and types are text of others: bytes that are no UTF-8 must not throw.
  return whole.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

core::outcome<std::vector<std::pair<std::string, std::string>>>
parse_headers(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> headers;
  const auto wrong = [&] {
    // The text is a secret, and so stays untold.
    return core::failure{core::errc::invalid_argument,
                         "header " + std::to_string(headers.size() + 1)
                             + " for the collector must be name=value, with commas between several "
                               "and %2C for a comma in a value"};
  };
  while (!text.empty()) {
    const auto comma = text.find(',');
    const auto one = without_blanks(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    if (one.empty())
      continue;
    const auto mark = one.find('=');
    if (mark == std::string_view::npos)
      return wrong();
    const auto name = without_blanks(one.substr(0, mark));
    auto value = header_value(without_blanks(one.substr(mark + 1)));
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_token_character) || !value)
      return wrong();
    headers.emplace_back(name, std::move(*value));
  }
  return headers;
}

} // namespace holdfast::connectors
