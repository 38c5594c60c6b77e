// Single values of messages as JSON, both ways.

#include "http/json_values.hpp"

#include "core/ids.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

using namespace holdfast;
using namespace holdfast::http;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view some_id = "018f2c5e-7c1a-7000-8000-000000000001";

std::string string_json(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

std::string number_json(double number) {
  std::string out;
  append_number(out, number);
  return out;
}

std::string seconds_json(core::duration span) {
  std::string out;
  append_seconds(out, span);
  return out;
}

std::string time_json(core::instant at) {
  std::string out;
  append_time(out, at);
  return out;
}

/// The value that `json` spells as a T; -1 stands for a refusal.
template <class T>
T whole_of(std::string_view json) {
  T value = 77;
  const auto why = read_value(json, value);
  if (!why.empty()) {
    BOOST_TEST(value == T{77}); // what is refused changes nothing
    return static_cast<T>(-1);
  }
  return value;
}

template <class T>
std::string objection_to_value(std::string_view json) {
  T value{};
  return read_value(json, value);
}

const word_list& colours() {
  static const word_list words{{"red", 1}, {"dark \"green\"", 7}};
  return words;
}

} // namespace

BOOST_AUTO_TEST_SUITE(json_values)

// --- writing ---

BOOST_AUTO_TEST_CASE(strings_are_escaped_where_json_demands_it) {
  BOOST_TEST(string_json("") == R"("")");
  BOOST_TEST(string_json("plain äöü €😀") == R"("plain äöü €😀")");
  BOOST_TEST(string_json("a\"b\\c/d") == R"("a\"b\\c/d")");
  BOOST_TEST(string_json("\n\r\t") == R"("\n\r\t")");
  BOOST_TEST(string_json({"\0\x01\x1f\x7f", 4}) == "\"\\u0000\\u0001\\u001f\x7f\"");
}

BOOST_AUTO_TEST_CASE(all_strings_of_one_byte_are_json) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    const auto read = nlohmann::json::parse(string_json(text), nullptr, false);
    BOOST_REQUIRE_MESSAGE(read.is_string(), "byte " << byte);
    if (byte < 0x80)
      BOOST_TEST(read.get<std::string>() == text);
    else
      BOOST_TEST(read.get<std::string>() == "\xEF\xBF\xBD");
  }
}

BOOST_AUTO_TEST_CASE(each_byte_that_is_no_utf8_becomes_a_replacement_character) {
  BOOST_TEST(string_json("a\xff") == "\"a\xEF\xBF\xBD\"");
  BOOST_TEST(string_json("\xc3x\xc3\xa4") == "\"\xEF\xBF\xBDx\xc3\xa4\"");
  // A surrogate and an overlong form are no UTF-8 either.
  BOOST_TEST(string_json("\xed\xa0\x80") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
  BOOST_TEST(string_json("\xc0\xaf\"") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\\\"\"");
}

BOOST_AUTO_TEST_CASE(numbers_keep_their_value_and_are_null_where_json_has_none) {
  BOOST_TEST(number_json(0) == "0");
  BOOST_TEST(number_json(0.1) == "0.1");
  BOOST_TEST(number_json(-2.5) == "-2.5");
  BOOST_TEST(number_json(std::numeric_limits<double>::quiet_NaN()) == "null");
  BOOST_TEST(number_json(std::numeric_limits<double>::infinity()) == "null");
  BOOST_TEST(number_json(-std::numeric_limits<double>::infinity()) == "null");
  for (const double number : {1.0 / 3, 1e300, 5e-324, 123456789012345678.0, -1e-7}) {
    const auto read = nlohmann::json::parse(number_json(number), nullptr, false);
    BOOST_REQUIRE_MESSAGE(read.is_number(), number_json(number));
    BOOST_TEST(read.get<double>() == number);
  }
}

BOOST_AUTO_TEST_CASE(seconds_have_as_many_digits_as_it_takes) {
  BOOST_TEST(seconds_json(0s) == "0");
  BOOST_TEST(seconds_json(20s) == "20");
  BOOST_TEST(seconds_json(1500ms) == "1.5");
  BOOST_TEST(seconds_json(1us) == "0.000001");
  BOOST_TEST(seconds_json(100ms) == "0.1");
  BOOST_TEST(seconds_json(10ms) == "0.01");
  BOOST_TEST(seconds_json(-1500ms) == "-1.5");
  BOOST_TEST(seconds_json(-1us) == "-0.000001");
}

BOOST_AUTO_TEST_CASE(times_are_rfc3339_and_the_epoch_is_null) {
  BOOST_TEST(time_json(core::instant{}) == "null");
  BOOST_TEST(time_json(core::from_micros(1'700'000'000'000'042))
             == R"("2023-11-14T22:13:20.000042Z")");
  BOOST_TEST(time_json(core::from_micros(1)) == R"("1970-01-01T00:00:00.000001Z")");
}

// --- reading ---

BOOST_AUTO_TEST_CASE(only_true_and_false_are_booleans) {
  bool value = false;
  BOOST_TEST(read_value("true", value) == "");
  BOOST_TEST(value);
  BOOST_TEST(read_value("false", value) == "");
  BOOST_TEST(!value);
  for (const std::string_view bad : {"", "1", "\"true\"", "TRUE", "truer", "null"})
    BOOST_TEST(read_value(bad, value) == "must be true or false");
}

BOOST_AUTO_TEST_CASE(integers_are_taken_up_to_the_bounds_of_their_type) {
  BOOST_TEST(whole_of<std::uint8_t>("0") == 0);
  BOOST_TEST(whole_of<std::uint8_t>("255") == 255);
  BOOST_TEST(objection_to_value<std::uint8_t>("256") == "must be a whole number from 0 to 255");
  BOOST_TEST(objection_to_value<std::uint8_t>("-1") == "must be a whole number from 0 to 255");
  BOOST_TEST(whole_of<std::int16_t>("-32768") == -32768);
  BOOST_TEST(whole_of<std::int16_t>("32767") == 32767);
  BOOST_TEST(objection_to_value<std::int16_t>("32768")
             == "must be a whole number from -32768 to 32767");
  BOOST_TEST(objection_to_value<std::int16_t>("-32769")
             == "must be a whole number from -32768 to 32767");
  BOOST_TEST(whole_of<std::int32_t>("-2147483648") == std::numeric_limits<std::int32_t>::min());
  BOOST_TEST(whole_of<std::uint32_t>("4294967295") == std::numeric_limits<std::uint32_t>::max());
  BOOST_TEST(!objection_to_value<std::uint32_t>("4294967296").empty());
  BOOST_TEST(whole_of<std::int64_t>("-9223372036854775808")
             == std::numeric_limits<std::int64_t>::min());
  BOOST_TEST(whole_of<std::int64_t>("9223372036854775807")
             == std::numeric_limits<std::int64_t>::max());
  BOOST_TEST(!objection_to_value<std::int64_t>("9223372036854775808").empty());
  BOOST_TEST(!objection_to_value<std::int64_t>("-9223372036854775809").empty());
  // 2^53 + 1, which a double cannot hold.
  BOOST_TEST(whole_of<std::uint64_t>("9007199254740993") == 9007199254740993ULL);
  BOOST_TEST(whole_of<std::uint64_t>("18446744073709551615")
             == std::numeric_limits<std::uint64_t>::max());
  BOOST_TEST(!objection_to_value<std::uint64_t>("18446744073709551616").empty());
}

BOOST_AUTO_TEST_CASE(minus_zero_is_zero) {
  BOOST_TEST(whole_of<std::uint32_t>("-0") == 0U);
  BOOST_TEST(whole_of<std::int32_t>("-0") == 0);
}

BOOST_AUTO_TEST_CASE(numbers_that_are_not_whole_are_no_integers) {
  for (const std::string_view bad :
       {"", "-", "1.0", "1.5", "1e3", "\"1\"", "true", "null", "[1]", "0x10", " 1", "1 ", "+1"})
    BOOST_TEST(whole_of<std::int32_t>(bad) == -1, bad);
}

BOOST_AUTO_TEST_CASE(numbers_are_finite) {
  double value = 0;
  BOOST_TEST(read_value("0.25", value) == "");
  BOOST_TEST(value == 0.25);
  BOOST_TEST(read_value("-1e3", value) == "");
  BOOST_TEST(value == -1000);
  for (const std::string_view bad :
       {"", "nan", "inf", "-inf", "infinity", "1e999", "\"1\"", "true", "null", "1x", "0x1p3"})
    BOOST_TEST(read_value(bad, value) == "must be a number", bad);
}

BOOST_AUTO_TEST_CASE(strings_are_unescaped) {
  std::string value;
  BOOST_TEST(read_value(R"("a\"\\\/\n\u00e4\ud83d\ude00")", value) == "");
  BOOST_TEST(value == "a\"\\/\nä😀");
  BOOST_TEST(read_value(R"("")", value) == "");
  BOOST_TEST(value.empty());
  for (const std::string_view bad : {"", "1", "true", "{}", "null"})
    BOOST_TEST(read_value(bad, value) == "must be a string");
}

BOOST_AUTO_TEST_CASE(a_written_string_reads_as_what_it_was) {
  for (const std::string text : {"", "plain", "\"\\\n\r\t\x01", "äöü €😀"}) {
    std::string read;
    BOOST_TEST(read_value(string_json(text), read) == "");
    BOOST_TEST(read == text);
  }
}

BOOST_AUTO_TEST_CASE(ids_are_uuids_in_either_case) {
  core::uuid id;
  BOOST_TEST(read_value('"' + std::string{some_id} + '"', id) == "");
  BOOST_TEST(core::to_string(id) == some_id);
  core::task_id task;
  BOOST_TEST(read_value(R"("018F2C5E-7C1A-7000-8000-000000000001")", task) == "");
  BOOST_TEST(core::to_string(task) == some_id);
  for (const std::string_view bad :
       {R"("")", R"("018f2c5e7c1a70008000000000000001")", "18", "null",
        R"("018f2c5e-7c1a-7000-8000-00000000000g")", R"("018f2c5e-7c1a-7000-8000-0000000000011")"})
    BOOST_TEST(objection_to_value<core::task_id>(bad)
               == "must be a UUID, such as \"018f2c5e-7c1a-7000-8000-000000000001\"");
}

BOOST_AUTO_TEST_CASE(times_are_read_in_any_zone) {
  core::instant at;
  BOOST_TEST(read_value(R"("2023-11-14T22:13:20.000042Z")", at) == "");
  BOOST_TEST(core::to_micros(at) == 1'700'000'000'000'042);
  BOOST_TEST(read_value(R"("2023-11-14T23:13:20+01:00")", at) == "");
  BOOST_TEST(core::to_micros(at) == 1'700'000'000'000'000);
  for (const std::string_view bad : {R"("2023-11-14")", R"("2023-11-14T22:13:20")",
                                     R"("2023-13-14T22:13:20Z")", "1700000000", R"("")", "null"})
    BOOST_TEST(read_value(bad, at)
               == "must be a time as in RFC 3339, such as \"2026-11-28T12:00:00Z\"");
}

BOOST_AUTO_TEST_CASE(durations_are_seconds_of_a_century_at_most) {
  core::duration span{};
  BOOST_TEST(read_value("0", span) == "");
  BOOST_TEST((span == 0s));
  BOOST_TEST(read_value("1.5", span) == "");
  BOOST_TEST((span == 1500ms));
  BOOST_TEST(read_value("0.000001", span) == "");
  BOOST_TEST((span == 1us));
  BOOST_TEST(read_value("3162240000", span) == "");
  BOOST_TEST((span == 3162240000s));
  for (const std::string_view bad :
       {"-0.000001", "-1", "3162240000.1", "1e30", "nan", "inf", "\"1\"", "null", ""})
    BOOST_TEST(read_value(bad, span) == "must be seconds, 0 to 3162240000", bad);
}

BOOST_AUTO_TEST_CASE(words_stand_for_numbers) {
  std::uint8_t colour = 0;
  BOOST_TEST(read_value(R"("red")", word{colour, colours()}) == "");
  BOOST_TEST(colour == 1);
  BOOST_TEST(read_value(R"("dark \"green\"")", word{colour, colours()}) == "");
  BOOST_TEST(colour == 7);
  for (const std::string_view bad : {R"("Red")", R"("")", "1", "null"})
    BOOST_TEST(read_value(bad, word{colour, colours()})
               == "must be one of \"red\", \"dark \"green\"\"");
  BOOST_TEST(colour == 7);
  BOOST_TEST(word_for(1, colours()) == "red");
  BOOST_TEST(word_for(2, colours()) == "");
}

BOOST_AUTO_TEST_CASE(a_number_outside_its_bounds_is_refused) {
  std::uint32_t limit = 7;
  for (const std::string_view good : {"1", "1000"})
    BOOST_TEST(read_value(good, bounded{limit, 1, 1000}) == "");
  BOOST_TEST(limit == 1000U);
  for (const std::string_view bad : {"0", "1001", "-1", "1.5", "\"1\"", "99999999999999999999"})
    BOOST_TEST(read_value(bad, bounded{limit, 1, 1000}) == "must be a whole number from 1 to 1000");
  BOOST_TEST(limit == 1000U);
  std::int16_t priority = 0;
  BOOST_TEST(read_value("-1000", bounded{priority, -1000, 1000}) == "");
  BOOST_TEST(priority == -1000);
  for (const std::string_view bad : {"-1001", "1001"})
    BOOST_TEST(read_value(bad, bounded{priority, -1000, 1000})
               == "must be a whole number from -1000 to 1000");
  double trust = 0.5;
  BOOST_TEST(read_value("1.0", bounded{trust, 0, 1}) == "");
  BOOST_TEST(trust == 1.0);
  for (const std::string_view bad : {"1.01", "-0.01", "true"})
    BOOST_TEST(read_value(bad, bounded{trust, 0, 1}) == "must be a number from 0 to 1");
}

BOOST_AUTO_TEST_CASE(seconds_outside_their_bounds_are_refused) {
  core::duration wait{0};
  BOOST_TEST(read_value("60", bounded{wait, 0, 60}) == "");
  BOOST_TEST((wait == 60s));
  for (const std::string_view bad : {"60.1", "-1", "\"20\""})
    BOOST_TEST(read_value(bad, bounded{wait, 0, 60}) == "must be seconds, 0 to 60");
  BOOST_TEST((wait == 60s));
}

BOOST_AUTO_TEST_CASE(documents_keep_every_byte) {
  const std::string_view json = R"({ "n": 1234567890.123456789012345678901,  "e": 1E400 })";
  std::string text;
  BOOST_TEST(read_value(json, document{text}) == "");
  BOOST_TEST(text == json);
}

BOOST_AUTO_TEST_CASE(values_of_a_query_are_quoted_unless_they_are_plain) {
  BOOST_TEST(json_of_text("12", true) == "12");
  BOOST_TEST(json_of_text("12", false) == R"("12")");
  BOOST_TEST(json_of_text("a\"b", false) == R"("a\"b")");
  BOOST_TEST(json_of_text("", true) == "");
  BOOST_TEST(is_plain_value<bool>::value);
  BOOST_TEST(is_plain_value<double>::value);
  BOOST_TEST(is_plain_value<std::uint64_t>::value);
  BOOST_TEST(is_plain_value<core::duration>::value);
  BOOST_TEST(is_plain_value<bounded<std::uint32_t>>::value);
  BOOST_TEST(!is_plain_value<std::string>::value);
  BOOST_TEST(!is_plain_value<core::uuid>::value);
  BOOST_TEST(!is_plain_value<core::instant>::value);
  BOOST_TEST(!is_plain_value<word<std::uint8_t>>::value);
}

BOOST_AUTO_TEST_SUITE_END()
