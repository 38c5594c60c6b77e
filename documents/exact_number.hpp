#pragma once

#include "core/decimal.hpp"

#include <nlohmann/json.hpp>

#include <string_view>

/// Numbers in parsed JSON that a double would round. `parse_json` keeps such a number as its
/// canonical text, in a value of the library's binary type, which text cannot have otherwise.
namespace holdfast::documents {

/// A number of JSON text that is neither a whole number of 64 bits. `nearest` is what the library
/// has read.
nlohmann::json exact_number(double nearest, std::string_view literal);

/// Whether the value is a number, whatever it is kept as.
bool is_number(const nlohmann::json& value);

/// Of a number: all of its digits.
core::decimal decimal_in(const nlohmann::json& value);

/// Of a number: the nearest double.
double nearest_in(const nlohmann::json& value);

} // namespace holdfast::documents
