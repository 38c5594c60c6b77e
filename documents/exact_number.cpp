#include "documents/exact_number.hpp"

#include "core/invariant.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace holdfast::documents {

using nlohmann::json;

namespace {

/// Every number of so many digits is the shortest text of its nearest double.
constexpr std::ptrdiff_t digits_always_kept = 15;

std::string text_in(const json& value) {
  const auto& bytes = value.get_binary();
  return {bytes.begin(), bytes.end()};
}

} // namespace

json exact_number(double nearest, std::string_view literal) {
  const bool plain = literal.find_first_of("eE") == std::string_view::npos;
  if (plain && std::count_if(literal.begin(), literal.end(), [](unsigned char c) {
                 return std::isdigit(c) != 0;
               }) <= digits_always_kept)
    return nearest;
  const auto read = core::decimal::parse(literal);
  HOLDFAST_INVARIANT(read, "the lexer takes numbers only, and exponents are bounded");
  if (*read == core::decimal::of(nearest))
    return nearest;
  const auto text = read->text();
  return json::binary({text.begin(), text.end()});
}

bool is_number(const json& value) { return value.is_number() || value.is_binary(); }

core::decimal decimal_in(const json& value) {
  if (value.is_number_float())
    return core::decimal::of(value.get<double>());
  const auto read = core::decimal::parse(value.is_binary() ? text_in(value) : value.dump());
  HOLDFAST_INVARIANT(read, "the caller has seen that it is a number");
  return *read;
}

double nearest_in(const json& value) {
  return value.is_binary() ? decimal_in(value).nearest() : value.get<double>();
}

} // namespace holdfast::documents
