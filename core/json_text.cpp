#include "core/json_text.hpp"

#include "core/invariant.hpp"

#include <cmath>
#include <cstdio>

namespace holdfast::core {

std::string json_quoted(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  out += '"';
  for (const char c : text) {
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
      if (static_cast<unsigned char>(c) < 0x20) {
        char escape[7];
        std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
        out += escape;
      } else {
        out += c;
      }
    }
  }
  out += '"';
  return out;
}

std::string json_number(double value) {
  HOLDFAST_INVARIANT(std::isfinite(value),
                     "JSON has no infinities; core computes shares of counts");
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6g", value);
  return digits;
}

void json_object::key(std::string_view name) {
  if (body_.size() > 1)
    body_ += ',';
  body_ += json_quoted(name);
  body_ += ':';
}

json_object& json_object::text(std::string_view name, std::string_view value) {
  key(name);
  body_ += json_quoted(value);
  return *this;
}

json_object& json_object::number(std::string_view name, std::int64_t value) {
  key(name);
  body_ += std::to_string(value);
  return *this;
}

json_object& json_object::number(std::string_view name, double value) {
  key(name);
  body_ += json_number(value);
  return *this;
}

json_object& json_object::boolean(std::string_view name, bool value) {
  key(name);
  body_ += value ? "true" : "false";
  return *this;
}

json_object& json_object::texts(std::string_view name, const std::vector<std::string>& values) {
  key(name);
  body_ += '[';
  for (const auto& value : values) {
    if (body_.back() != '[')
      body_ += ',';
    body_ += json_quoted(value);
  }
  body_ += ']';
  return *this;
}

json_object& json_object::raw(std::string_view name, std::string_view json) {
  key(name);
  body_ += json.empty() ? std::string_view{"null"} : json;
  return *this;
}

} // namespace holdfast::core
