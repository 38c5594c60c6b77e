#include "documents/parse.hpp"

#include "documents/exact_number.hpp"
#include "documents/pointer.hpp"
#include "documents/text.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace holdfast::documents {

namespace {

using nlohmann::json;

/// Digits behind the decimal point that PostgreSQL's `numeric` can hold (NUMERIC_DSCALE_MAX).
constexpr std::int64_t decimals_max = 16383;

/// Largest exponent, either way. No double needs a larger one, and `jsonb` writes exponents out:
/// without this bound, 256 KiB of `1e-16383` would come back from the database as 450 MiB.
constexpr std::int64_t exponent_max = 400;

/// Whether `jsonb` takes the literal; the lexer has made sure that it is a JSON number.
bool fits_numeric(std::string_view literal) {
  const auto e = literal.find_first_of("eE");
  const auto mantissa = literal.substr(0, e);
  const auto point = mantissa.find('.');
  const auto decimals =
      point == std::string_view::npos ? 0 : static_cast<std::int64_t>(mantissa.size() - point - 1);
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    const std::string digits{literal.substr(e + 1)};
    exponent = std::strtoll(digits.c_str(), nullptr, 10); // saturates, which is refused as well
  }
  return exponent >= -exponent_max && exponent <= exponent_max
         && decimals - exponent <= decimals_max;
}

/// Builds the value from the parser's events and applies the rules that its grammar does not have.
class builder : public nlohmann::json_sax<json> {
public:
  explicit builder(const json_limits& limits) : limits_(limits) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }

  bool number_float(number_float_t value, const string_t& literal) override {
    if (!fits_numeric(literal))
      return refuse(place(), "the number has too large an exponent or too many decimals; send an "
                             "exponent from -400 to 400 and at most 16383 decimals");
    return put(exact_number(value, literal));
  }

  bool string(string_t& value) override {
    if (value.find('\0') != string_t::npos)
      return refuse(place(), "the string contains \\u0000, which the database cannot hold; leave "
                             "it out");
    return put(std::move(value));
  }

  bool binary(binary_t&) override { return false; } // text has none

  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (name.find('\0') != string_t::npos)
      return refuse(place(), "a member's name contains \\u0000, which the database cannot hold; "
                             "leave it out");
    auto& object = *open_.back();
    const auto [at, fresh] = object.emplace(std::move(name), nullptr);
    member_ = &at.value();
    if (!fresh)
      return refuse(place(), "the member appears twice in its object; send it once");
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    constexpr int number_overflow = 406; // of the library's numbered errors
    if (error.id == number_overflow)
      return refuse(place(), "the number is beyond the range of a double (1.8e308)");
    error_position_ = position;
    syntax_error_ = error.what();
    return false;
  }

  json& value() { return root_; }
  const core::failure& refusal() const { return refusal_; }
  const std::string& syntax_error() const { return syntax_error_; }
  std::size_t error_position() const { return error_position_; }

  /// JSON pointer of what is being read.
  std::string place() const {
    std::string pointer;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const bool innermost = i + 1 == open_.size();
      if (open_[i]->is_array()) {
        append_token(pointer, std::to_string(open_[i]->size() - (innermost ? 0 : 1)));
        continue;
      }
      const auto* inside = innermost ? member_ : open_[i + 1];
      for (auto at = open_[i]->begin(); at != open_[i]->end(); ++at)
        if (&at.value() == inside)
          append_token(pointer, at.key());
    }
    return pointer;
  }

private:
  /// Where the next value goes.
  template <class Value>
  json* place_value(Value&& value) {
    if (open_.empty())
      return &(root_ = std::forward<Value>(value));
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::forward<Value>(value));
      return &open_.back()->back();
    }
    *member_ = std::forward<Value>(value);
    return member_;
  }

  template <class Value>
  bool put(Value&& value) {
    place_value(json(std::forward<Value>(value)));
    member_ = nullptr;
    return true;
  }

  bool open(json empty) {
    if (open_.size() == limits_.depth_max)
      return refuse(place(),
                    "the nesting is deeper than " + std::to_string(limits_.depth_max) + " levels");
    open_.push_back(place_value(std::move(empty)));
    member_ = nullptr;
    return true;
  }

  bool close() {
    open_.pop_back();
    member_ = nullptr;
    return true;
  }

  bool refuse(const std::string& pointer, const std::string& what) {
    refusal_ = {core::errc::payload_invalid, at_place(pointer, what)};
    return false;
  }

  const json_limits& limits_;
  json root_;
  std::vector<json*> open_; ///< Objects and arrays being read, outermost first.
  json* member_ = nullptr;  ///< The member whose value comes next.
  core::failure refusal_;
  std::string syntax_error_;
  std::size_t error_position_ = 0;
};

/// "line 3, column 14" of the byte at `position`, both from 1.
std::string line_and_column(std::string_view text, std::size_t position) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (const char c : text.substr(0, position > 0 ? position - 1 : 0)) {
    if (c == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// The reason inside the parser's message, without its number, its own place and the text last
/// read, which may be megabytes of anything.
std::string reason_of(const std::string& message) {
  constexpr std::string_view read_marker = "; last read: '";
  constexpr std::string_view expected_marker = "; expected ";
  auto reason = message;
  if (const auto colon = reason.find(": "); colon != std::string::npos)
    reason.erase(0, colon + 2);
  if (const auto read = reason.find(read_marker); read != std::string::npos) {
    const auto expected = reason.rfind(expected_marker);
    reason.erase(read, expected == std::string::npos || expected < read ? std::string::npos
                                                                        : expected - read);
  }
  return printable(reason, 200);
}

core::failure invalid(const std::string& pointer, const std::string& what) {
  return {core::errc::payload_invalid, at_place(pointer, what)};
}

} // namespace

core::outcome<json> parse_json(std::string_view text, const json_limits& limits) {
  if (text.size() > limits.bytes_max)
    return core::failure{core::errc::too_large, "the JSON text has " + std::to_string(text.size())
                                                    + " bytes; send at most "
                                                    + std::to_string(limits.bytes_max)};
  // The parser takes a NUL for the end of the text and skips a byte order mark; PostgreSQL does
  // neither.
  if (text.find('\0') != std::string_view::npos)
    return invalid("", "the text contains a NUL byte; JSON has none");
  if (text.substr(0, 3) == "\xef\xbb\xbf")
    return invalid("", "the text begins with a byte order mark; send it without");
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return invalid("", "the text is empty; a JSON value is expected");

  builder events{limits};
  if (json::sax_parse(text.data(), text.data() + text.size(), &events))
    return std::move(events.value());
  if (events.refusal().code != core::errc::none)
    return events.refusal();
  return invalid(events.place(), reason_of(events.syntax_error()) + " at "
                                     + line_and_column(text, events.error_position()));
}

} // namespace holdfast::documents
