// finding Q1: commands print stored numbers with all of their digits.

#include "app/pretty_json.hpp"
#include "app/row_intake.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using holdfast::app::key_in_line;
using holdfast::app::on_one_line;
using holdfast::app::pretty;
using holdfast::app::stored_json;

BOOST_AUTO_TEST_SUITE(printed_documents)

BOOST_AUTO_TEST_CASE(numbers_are_printed_as_they_are_stored) {
  const std::string stored =
      R"({"id": 18446744073709551617, "price": 0.10, "tiny": 0.12345678901234567890123,)"
      R"( "list": [1,)"
      R"( -2.50, {}], "none": [], "text": "a\"\u00e4"})";
  BOOST_TEST(pretty(stored_json(stored)) == R"({
  "id": 18446744073709551617,
  "price": 0.10,
  "tiny": 0.12345678901234567890123,
  "list": [
    1,
    -2.50,
    {}
  ],
  "none": [],
  "text": "a\"ä"
})");
  BOOST_TEST(pretty({{"input", stored_json("9400110200881234567890")}, {"confidence", 0.5}}) == R"({
  "input": 9400110200881234567890,
  "confidence": 0.5
})");
}

BOOST_AUTO_TEST_CASE(lines_have_the_same_digits_and_no_blanks) {
  const std::string stored =
      R"({"id":18446744073709551617,"price":0.10,"list":[1,-2.50,{}],"none":[],"text":"a\"b"})";
  BOOST_TEST(on_one_line(stored_json(stored)) == stored);
}

BOOST_AUTO_TEST_CASE(missing_or_invalid_json_is_printed_as_before) {
  BOOST_TEST(pretty(stored_json("")) == "null");
  BOOST_TEST(pretty(stored_json("{")) == "<discarded>");
  BOOST_TEST(pretty(nlohmann::ordered_json("\xff")) == "\"\xef\xbf\xbd\"");
}

// `step add --key` names rows by it: two identifiers must not become one.
BOOST_AUTO_TEST_CASE(keys_of_rows_have_all_digits) {
  const auto key = [](const std::string& line) {
    const auto read = key_in_line(line, "id");
    return read ? *read : read.error().detail;
  };
  BOOST_TEST(key(R"({"id": 9400110200881234567890})") == "9400110200881234567890");
  BOOST_TEST(key(R"({"id": 9400110200881234567891})") == "9400110200881234567891");
  BOOST_TEST(key(R"({"id": 0.12345678901234567890123})") == "0.12345678901234567890123");
  BOOST_TEST(key(R"({"id": 2.0})") == "2");
  BOOST_TEST(key(R"({"id": "1.10"})") == "1.10");
}

BOOST_AUTO_TEST_SUITE_END()
