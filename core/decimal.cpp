#include "core/decimal.hpp"

#include "core/invariant.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace holdfast::core {

namespace {

/// Zeros that `decimal::text` writes at the end of a whole number.
constexpr std::int64_t zeros_max = 40;

/// Largest exponent that `decimal::text` writes, either way: JSON with a larger one is refused
/// (documents/parse.cpp), and what was accepted must be so in its canonical spelling.
constexpr std::int64_t exponent_written_max = 400;

/// Digits of a divisor whose remainders times ten fit into 64 bits.
constexpr std::size_t divisor_digits_max = 18;

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes the digits that `text` begins with off it.
std::string_view take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_decimal_digit(text[count]))
    ++count;
  const auto digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

bool take_char(std::string_view& text, char c) {
  const bool found = !text.empty() && text.front() == c;
  text.remove_prefix(found ? 1 : 0);
  return found;
}

/// The digits of a whole number of that many places, written out.
std::string padded(const std::string& digits, std::int64_t zeros_before, std::int64_t places) {
  std::string all(static_cast<std::size_t>(zeros_before), '0');
  all += digits;
  all.resize(static_cast<std::size_t>(places), '0');
  return all;
}

void add_digits(std::string& to, const std::string& what) {
  int carry = 0;
  for (std::size_t i = to.size(); i-- > 0;) {
    const int sum = (to[i] - '0') + (what[i] - '0') + carry;
    to[i] = static_cast<char>('0' + sum % 10);
    carry = sum / 10;
  }
}

/// `what` is not the greater one.
void subtract_digits(std::string& from, const std::string& what) {
  int borrow = 0;
  for (std::size_t i = from.size(); i-- > 0;) {
    const int left = (from[i] - '0') - (what[i] - '0') - borrow;
    from[i] = static_cast<char>('0' + (left + 10) % 10);
    borrow = left < 0 ? 1 : 0;
  }
}

} // namespace

std::optional<decimal> decimal::parse(std::string_view number) {
  auto rest = number;
  decimal read;
  read.negative_ = take_char(rest, '-');
  const auto whole = take_digits(rest);
  if (whole.empty() || (whole.size() > 1 && whole.front() == '0'))
    return std::nullopt;
  std::string_view fraction;
  if (take_char(rest, '.')) {
    fraction = take_digits(rest);
    if (fraction.empty())
      return std::nullopt;
  }
  std::int64_t exponent = 0;
  if (take_char(rest, 'e') || take_char(rest, 'E')) {
    const bool below = take_char(rest, '-');
    if (!below)
      take_char(rest, '+');
    const auto digits = take_digits(rest);
    if (digits.empty()
        || std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec != std::errc{}
        || exponent > exponent_max)
      return std::nullopt;
    exponent = below ? -exponent : exponent;
  }
  if (!rest.empty())
    return std::nullopt;
  read.digits_.reserve(whole.size() + fraction.size());
  read.digits_.append(whole).append(fraction);
  const auto first = read.digits_.find_first_not_of('0');
  if (first == std::string::npos)
    return decimal{};
  read.digits_.erase(read.digits_.find_last_not_of('0') + 1);
  read.digits_.erase(0, first);
  read.point_ =
      static_cast<std::int64_t>(whole.size()) - static_cast<std::int64_t>(first) + exponent;
  return read;
}

decimal decimal::of(double value) {
  HOLDFAST_INVARIANT(std::isfinite(value), "numbers of JSON are finite");
  char digits[32];
  // Scientific, or whole numbers would be written with all digits of the double.
  const auto written =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific);
  const auto read = parse({digits, static_cast<std::size_t>(written.ptr - digits)});
  HOLDFAST_INVARIANT(read, "the library writes numbers as JSON does");
  return *read;
}

bool decimal::is_whole() const { return static_cast<std::int64_t>(digits_.size()) <= point_; }

std::string decimal::text() const {
  if (is_zero())
    return "0";
  const auto count = static_cast<std::int64_t>(digits_.size());
  constexpr std::int64_t zeros_behind_point_max = 3;
  std::string out = negative_ ? "-" : "";
  const auto exponent = point_ - 1;
  const bool written_out = std::abs(exponent) > exponent_written_max;
  if (is_whole() && (point_ - count <= zeros_max || written_out))
    return out + padded(digits_, 0, point_);
  if (point_ > 0 && point_ < count)
    return out + digits_.substr(0, static_cast<std::size_t>(point_)) + '.'
           + digits_.substr(static_cast<std::size_t>(point_));
  if (point_ <= 0 && (point_ >= -zeros_behind_point_max || written_out))
    return out + "0." + padded(digits_, -point_, count - point_);
  out += digits_.front();
  if (count > 1)
    out.append(".").append(digits_, 1);
  const auto size = std::to_string(std::abs(exponent));
  out += exponent < 0 ? "e-" : "e+";
  return out + (size.size() < 2 ? "0" : "") + size;
}

double decimal::nearest() const { return std::strtod(text().c_str(), nullptr); }

decimal decimal::distance(const decimal& a, const decimal& b) {
  const auto end_of = [](const decimal& d) {
    return d.point_ - static_cast<std::int64_t>(d.digits_.size());
  };
  // One more place than either has, for what is carried.
  const auto top = std::max(a.point_, b.point_) + 1;
  const auto end = std::min(end_of(a), end_of(b));
  auto first = padded(a.digits_, top - a.point_, top - end);
  auto second = padded(b.digits_, top - b.point_, top - end);
  if (a.negative_ != b.negative_) {
    add_digits(first, second);
  } else {
    if (first < second)
      std::swap(first, second);
    subtract_digits(first, second);
  }
  decimal apart;
  const auto begin = first.find_first_not_of('0');
  if (begin == std::string::npos)
    return apart;
  apart.digits_ = first.substr(begin, first.find_last_not_of('0') + 1 - begin);
  apart.point_ = top - static_cast<std::int64_t>(begin);
  return apart;
}

std::optional<bool> decimal::is_multiple_of(const decimal& divisor) const {
  HOLDFAST_INVARIANT(!divisor.is_zero() && !divisor.negative_,
                     "the caller has checked the divisor");
  if (is_zero())
    return true;
  const auto end_of = [](const decimal& d) {
    return d.point_ - static_cast<std::int64_t>(d.digits_.size());
  };
  // A multiple ends no further to the right than what it is a multiple of.
  if (end_of(*this) < end_of(divisor))
    return false;
  const auto end = end_of(divisor);
  if (divisor.point_ - end > static_cast<std::int64_t>(divisor_digits_max))
    return std::nullopt;
  std::uint64_t by = 0;
  for (const auto c : padded(divisor.digits_, 0, divisor.point_ - end))
    by = by * 10 + static_cast<std::uint64_t>(c - '0');
  std::uint64_t left = 0;
  for (const auto c : padded(digits_, 0, point_ - end))
    left = (left * 10 + static_cast<std::uint64_t>(c - '0')) % by;
  return left == 0;
}

bool operator<(const decimal& a, const decimal& b) {
  if (a.negative_ != b.negative_)
    return a.negative_;
  const auto smaller = [](const decimal& x, const decimal& y) {
    if (x.is_zero() || y.is_zero())
      return x.is_zero() && !y.is_zero();
    return x.point_ != y.point_ ? x.point_ < y.point_ : x.digits_ < y.digits_;
  };
  return a.negative_ ? smaller(b, a) : smaller(a, b);
}

std::optional<std::string> canonical_number(std::string_view number) {
  const auto read = decimal::parse(number);
  return read ? std::optional{read->text()} : std::nullopt;
}

} // namespace holdfast::core
