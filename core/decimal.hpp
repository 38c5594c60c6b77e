#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::core {

/// A decimal number with all of its digits: what a number in JSON text is. A double holds 15 of
/// them at least and rounds what has more, so that an identifier of 22 digits becomes another one.
///
/// Two spellings of one value are equal: `1.10` is `1.1`, `1e2` is `100`, `-0` is `0`. Whoever has
/// names that only look like numbers, as versions do, sends them as strings.
class decimal {
public:
  /// Exponents of larger size are not read. JSON from outside has smaller ones
  /// (documents/parse.cpp), so that arithmetic is bounded by the lengths of the texts.
  static constexpr std::int64_t exponent_max = 20'000;

  decimal() = default; ///< Zero.

  /// Reads a number as JSON writes it; none of other text and of larger exponents.
  static std::optional<decimal> parse(std::string_view number);
  /// The shortest decimal that reads back as this finite double.
  static decimal of(double value);

  /// The canonical text: equal numbers have equal texts, and it is a JSON number of the same value.
  /// Whole numbers are written out, unless that took more than 40 zeros at the end; of fractions,
  /// those from 0.0001 on. Others have an exponent: `1.5e-07`, `1e+300`; but never one beyond 400,
  /// which JSON from outside may not have: such a number is written out.
  std::string text() const;
  /// The nearest double.
  double nearest() const;

  bool is_whole() const;
  bool is_zero() const { return digits_.empty(); }
  bool is_negative() const { return negative_; }

  /// How far the two are apart.
  static decimal distance(const decimal& a, const decimal& b);

  /// Whether it is a whole number of times `divisor`, which is above zero; none when that has more
  /// than 18 digits.
  std::optional<bool> is_multiple_of(const decimal& divisor) const;

  friend bool operator==(const decimal& a, const decimal& b) {
    return a.negative_ == b.negative_ && a.point_ == b.point_ && a.digits_ == b.digits_;
  }
  friend bool operator!=(const decimal& a, const decimal& b) { return !(a == b); }
  friend bool operator<(const decimal& a, const decimal& b);
  friend bool operator>(const decimal& a, const decimal& b) { return b < a; }
  friend bool operator<=(const decimal& a, const decimal& b) { return !(b < a); }
  friend bool operator>=(const decimal& a, const decimal& b) { return !(a < b); }

private:
  // The value is 0.<digits> times ten to the power of `point_`.
  bool negative_ = false;
  std::string digits_;     ///< Neither begins nor ends with a zero; empty: the number is zero.
  std::int64_t point_ = 0; ///< Of zero it is 0.
};

/// `decimal::text` of a number as JSON writes it; none of other text.
std::optional<std::string> canonical_number(std::string_view number);

} // namespace holdfast::core
