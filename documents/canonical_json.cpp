#include "documents/canonical_json.hpp"

#include "core/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace holdfast::documents {

namespace {

constexpr std::string_view blank_characters = " \t\r\n";

/// Exponents as ECMAScript chooses between the two forms of a number (Number::toString), except
/// that an integer is written out as far as its digits go.
constexpr std::int64_t integer_digits_max = 21;
constexpr std::int64_t leading_zeros_max = 6;

/// What `parse_json` takes as an exponent.
constexpr std::int64_t written_exponent_max = 400;

/// The value of a JSON number as `0.<digits>` times ten to the `point`; no digits: zero.
struct decimal_parts {
  bool negative = false;
  std::string digits; ///< Neither begins nor ends with a zero.
  std::int64_t point = 0;
};

decimal_parts parts_of(std::string_view literal) {
  decimal_parts parts;
  if (literal.front() == '-') {
    parts.negative = true;
    literal.remove_prefix(1);
  }
  const auto e = literal.find_first_of("eE");
  const auto mantissa = literal.substr(0, e);
  if (e != std::string_view::npos)
    parts.point = std::strtoll(std::string{literal.substr(e + 1)}.c_str(), nullptr, 10);
  const auto dot = mantissa.find('.');
  parts.digits = mantissa.substr(0, dot);
  parts.point += static_cast<std::int64_t>(parts.digits.size());
  if (dot != std::string_view::npos)
    parts.digits += mantissa.substr(dot + 1);
  parts.digits.erase(parts.digits.find_last_not_of('0') + 1);
  const auto zeros = std::min(parts.digits.find_first_not_of('0'), parts.digits.size());
  parts.digits.erase(0, zeros);
  parts.point -= static_cast<std::int64_t>(zeros);
  return parts;
}

std::string canonical_number(std::string_view literal) {
  const auto parts = parts_of(literal);
  const auto& digits = parts.digits;
  const auto point = parts.point;
  const auto count = static_cast<std::int64_t>(digits.size());
  if (count == 0)
    return "0";
  const auto zeros = [](std::int64_t so_many) {
    return std::string(static_cast<std::size_t>(so_many), '0');
  };
  const auto exponent = point - 1;
  const bool short_enough =
      point > 0 ? point <= std::max(count, integer_digits_max) : -point < leading_zeros_max;
  std::string text = parts.negative ? "-" : "";
  if (short_enough || std::abs(exponent) > written_exponent_max) {
    if (point <= 0)
      return text + "0." + zeros(-point) + digits;
    if (point >= count)
      return text + digits + zeros(point - count);
    const auto whole = static_cast<std::size_t>(point);
    return text + digits.substr(0, whole) + '.' + digits.substr(whole);
  }
  text += digits.front();
  if (count > 1)
    text.append(1, '.').append(digits, 1);
  return text + 'e' + std::to_string(exponent);
}

/// Goes through accepted JSON text once; whatever is not looked for here is known to be right. Goes
/// as deep as the text does, which was bounded when it was accepted.
class canonical_writer {
public:
  explicit canonical_writer(std::string_view text) : text_(text) { out_.reserve(text.size()); }

  std::string take() {
    write_value();
    return std::move(out_);
  }

private:
  struct written_member {
    std::string name;
    std::size_t begin = 0; ///< In `out_`, as is `end`.
    std::size_t end = 0;
  };

  char peek() {
    at_ = text_.find_first_not_of(blank_characters, at_);
    return text_[at_];
  }

  /// Whether another element comes; steps over the comma, or over the bracket that ends the list.
  bool another(bool first, char closing) {
    const char c = peek();
    if (c == closing) {
      ++at_;
      return false;
    }
    if (!first)
      ++at_;
    return true;
  }

  /// The string that comes next.
  std::string take_text() {
    peek();
    const auto begin = at_++;
    bool escaped = false;
    while (text_[at_] != '"') {
      escaped = escaped || text_[at_] == '\\';
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    const auto literal = text_.substr(begin, ++at_ - begin);
    return escaped ? nlohmann::json::parse(literal).get<std::string>()
                   : std::string{literal.substr(1, literal.size() - 2)};
  }

  void write_value() {
    switch (peek()) {
    case '{':
      return write_object();
    case '[':
      return write_array();
    case '"':
      out_ += core::json_quoted(take_text());
      return;
    default:
      const auto end = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
      const auto literal = text_.substr(at_, end - at_);
      at_ = end;
      if (literal.front() == 't' || literal.front() == 'f' || literal.front() == 'n')
        out_ += literal;
      else
        out_ += canonical_number(literal);
    }
  }

  void write_array() {
    ++at_;
    out_ += '[';
    for (bool first = true; another(first, ']'); first = false) {
      if (!first)
        out_ += ',';
      write_value();
    }
    out_ += ']';
  }

  void write_object() {
    ++at_;
    out_ += '{';
    std::vector<written_member> members;
    while (another(members.empty(), '}')) {
      if (!members.empty())
        out_ += ',';
      written_member one{take_text(), out_.size(), 0};
      peek();
      ++at_; // the colon
      out_ += core::json_quoted(one.name);
      out_ += ':';
      write_value();
      one.end = out_.size();
      members.push_back(std::move(one));
    }
    put_in_order(members);
    out_ += '}';
  }

  void put_in_order(std::vector<written_member>& members) {
    const auto by_name = [](const written_member& a, const written_member& b) {
      return a.name < b.name;
    };
    if (std::is_sorted(members.begin(), members.end(), by_name))
      return;
    const auto begin = members.front().begin;
    std::sort(members.begin(), members.end(), by_name);
    std::string in_order;
    in_order.reserve(out_.size() - begin);
    for (const auto& member : members) {
      if (!in_order.empty())
        in_order += ',';
      in_order.append(out_, member.begin, member.end - member.begin);
    }
    out_.replace(begin, std::string::npos, in_order);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

} // namespace

std::string canonical_json(std::string_view text) {
  if (text == "{}")
    return "{}";
  return canonical_writer{text}.take();
}

} // namespace holdfast::documents
