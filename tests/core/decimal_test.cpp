// finding Q1: numbers of JSON text are compared and shown with all of their digits.

#include "core/decimal.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>

using holdfast::core::canonical_number;
using holdfast::core::decimal;
using holdfast::test::random_source;

namespace {

decimal number_of(const std::string& text) {
  const auto read = decimal::parse(text);
  BOOST_REQUIRE_MESSAGE(read, text);
  return *read;
}

std::string canonical(const std::string& text) { return number_of(text).text(); }

std::string random_digits(random_source& random, std::uint64_t most) {
  std::string digits;
  for (auto left = 1 + random.below(most); left > 0; --left)
    digits += static_cast<char>('0' + (random.one_in(3) ? 0 : random.below(10)));
  return digits;
}

/// A number as whole digits and an exponent, without zeros at either end.
struct digits_and_exponent {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
};

digits_and_exponent random_number(random_source& random) {
  digits_and_exponent n{random.one_in(2), random_digits(random, 40),
                        static_cast<std::int64_t>(random.below(60)) - 30};
  n.digits.front() = static_cast<char>('1' + random.below(9));
  n.digits.back() = static_cast<char>('1' + random.below(9));
  return n;
}

/// One of the many ways to write it.
std::string spelled(const digits_and_exponent& n, random_source& random) {
  auto digits = n.digits;
  auto exponent = n.exponent;
  for (auto more = random.below(5); more > 0; --more, --exponent)
    digits += '0';
  // The point may stand anywhere, also before or behind all digits.
  const auto point = random.below(digits.size() + 4);
  std::string text = n.negative ? "-" : "";
  if (point == 0) {
    text += "0." + digits;
    exponent += static_cast<std::int64_t>(digits.size());
  } else if (point < digits.size()) {
    text += digits.substr(0, point) + '.' + digits.substr(point);
    exponent += static_cast<std::int64_t>(digits.size() - point);
  } else {
    text += digits;
  }
  if (exponent == 0 && random.one_in(2))
    return text;
  return text + (random.one_in(2) ? "e" : "E")
         + (exponent < 0       ? "-"
            : random.one_in(2) ? "+"
                               : "")
         + std::to_string(exponent < 0 ? -exponent : exponent);
}

} // namespace

BOOST_AUTO_TEST_SUITE(decimals)

BOOST_AUTO_TEST_CASE(equal_numbers_have_one_canonical_text) {
  BOOST_TEST(canonical("2") == "2");
  BOOST_TEST(canonical("2.0") == "2");
  BOOST_TEST(canonical("20e-1") == "2");
  BOOST_TEST(canonical("1.10") == "1.1");
  BOOST_TEST(canonical("1E2") == "100");
  BOOST_TEST(canonical("-0.0") == "0");
  BOOST_TEST(canonical("0e300") == "0");
  BOOST_TEST(canonical("0.00012") == "0.00012");
  BOOST_TEST(canonical("0.000012") == "1.2e-05");
  BOOST_TEST(canonical("-1.5e-7") == "-1.5e-07");
  BOOST_TEST(canonical("1e300") == "1e+300");
  BOOST_TEST(canonical("9400110200881234567891") == "9400110200881234567891");
  BOOST_TEST(canonical("0.12345678901234567890123") == "0.12345678901234567890123");
  BOOST_TEST(canonical("18446744073709551617.5") == "18446744073709551617.5");
  BOOST_TEST(canonical("1" + std::string(40, '0')) == "1" + std::string(40, '0'));
  BOOST_TEST(canonical("1" + std::string(41, '0')) == "1e+41");
}

BOOST_AUTO_TEST_CASE(only_what_json_calls_a_number_is_read) {
  for (const auto* text : {"", "-", "+1", "01", "1.", ".5", "1e", "1e+", "0x10", "1 ", " 1", "nan",
                           "inf", "1,5", "1e20001", "1e99999999999999999999", "--1", "1.5.2"})
    BOOST_TEST(!canonical_number(text), text);
}

BOOST_AUTO_TEST_CASE(all_spellings_of_a_number_are_equal_and_no_others) {
  random_source random{3};
  for (int round = 0; round < 20'000; ++round) {
    const auto n = random_number(random);
    const auto first = spelled(n, random);
    const auto second = spelled(n, random);
    BOOST_TEST_CONTEXT(first << " " << second) {
      BOOST_TEST((number_of(first) == number_of(second)));
      BOOST_TEST(canonical(first) == canonical(second));
      BOOST_TEST(canonical(canonical(first)) == canonical(first));
      auto other = n;
      auto& digit = other.digits[random.below(other.digits.size())];
      digit = digit == '5' ? '6' : '5';
      BOOST_TEST(canonical(spelled(other, random)) != canonical(first));
    }
  }
}

// A number whose double had one text has the same text now.
BOOST_AUTO_TEST_CASE(short_numbers_are_the_shortest_text_of_their_double) {
  random_source random{4};
  for (int round = 0; round < 20'000; ++round) {
    auto n = random_number(random);
    n.digits.resize(std::min<std::size_t>(n.digits.size(), 15));
    n.digits.back() = '7';
    const auto text = spelled(n, random);
    BOOST_TEST(decimal::of(std::stod(text)).text() == canonical(text), text);
    BOOST_TEST(number_of(text).nearest() == std::stod(text), text);
  }
}

BOOST_AUTO_TEST_CASE(order_and_distance_are_those_of_the_numbers) {
  BOOST_TEST((number_of("9400110200881234567890") < number_of("9400110200881234567891")));
  BOOST_TEST((number_of("-1e5") < number_of("-99999.9")));
  BOOST_TEST((number_of("-1") < number_of("0")));
  BOOST_TEST((number_of("0") < number_of("1e-30")));
  const auto apart = [](const char* a, const char* b) {
    return decimal::distance(number_of(a), number_of(b)).text();
  };
  BOOST_TEST(apart("9400110200881234567890", "9400110200881234567899") == "9");
  BOOST_TEST(apart("1.1", "1.0") == "0.1");
  BOOST_TEST(apart("-1", "1") == "2");
  BOOST_TEST(apart("99.5", "-0.5") == "100");
  BOOST_TEST(apart("1e30", "1") == std::string(30, '9'));
  BOOST_TEST(apart("7", "7.00") == "0");
  random_source random{5};
  for (int round = 0; round < 20'000; ++round) {
    const auto a = static_cast<std::int64_t>(random.below(2'000'001)) - 1'000'000;
    const auto b = static_cast<std::int64_t>(random.below(2'000'001)) - 1'000'000;
    const auto x = number_of(std::to_string(a) + "e-3");
    const auto y = number_of(std::to_string(b) + "e-3");
    BOOST_TEST((x < y) == (a < b));
    BOOST_TEST((x == y) == (a == b));
    const auto expected = number_of(std::to_string(a > b ? a - b : b - a) + "e-3");
    BOOST_TEST((decimal::distance(x, y) == expected), a << " " << b);
  }
}

BOOST_AUTO_TEST_CASE(multiples_are_told_by_the_last_digit) {
  const auto multiple = [](const char* value, const char* divisor) {
    return number_of(value).is_multiple_of(number_of(divisor));
  };
  BOOST_TEST((multiple("9400110200881234567890", "10") == true));
  BOOST_TEST((multiple("9400110200881234567891", "10") == false));
  BOOST_TEST((multiple("0.3", "0.1") == true));
  BOOST_TEST((multiple("0", "7") == true));
  BOOST_TEST((multiple("1e300", "3") == false));
  BOOST_TEST(!multiple("1", "1234567890123456789").has_value());
  BOOST_TEST((multiple("3.00000000000000000000001", "1") == false));
  BOOST_TEST((multiple("9007199254740993", "2") == false));
}

BOOST_AUTO_TEST_SUITE_END()
