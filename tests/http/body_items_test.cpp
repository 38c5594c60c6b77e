// Bodies with one item on each line.

#include "http/body_items.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

using namespace holdfast;
using http::item_form;

namespace {

constexpr std::size_t depth_max = 64;
constexpr std::size_t row_bytes_max = 1'000'000;

http::body_items read_lines(std::string_view body) {
  auto read = http::items_of_lines(body, "rows", depth_max);
  BOOST_REQUIRE(read);
  return *read;
}

http::body_items read_csv_rows(std::string_view body) {
  auto read = http::source_rows_of_csv(body, row_bytes_max);
  BOOST_REQUIRE_MESSAGE(read, "the body is read");
  return *read;
}

core::errc csv_error_of(std::string_view body, std::size_t bytes_max = row_bytes_max) {
  const auto read = http::source_rows_of_csv(body, bytes_max);
  return read ? core::errc::none : read.error().code;
}

} // namespace

BOOST_AUTO_TEST_SUITE(items_of_bodies)

BOOST_AUTO_TEST_CASE(form_of_a_body_is_its_content_type) {
  BOOST_TEST((http::item_form_of("") == item_form::json));
  BOOST_TEST((http::item_form_of("application/json") == item_form::json));
  BOOST_TEST((http::item_form_of("Application/X-NDJSON ; charset=utf-8") == item_form::ndjson));
  BOOST_TEST((http::item_form_of("text/csv") == item_form::csv));
}

BOOST_AUTO_TEST_CASE(lines_become_the_array_of_items_byte_for_byte) {
  const auto read = read_lines("{\"a\": 1.50}\r\n\n  {\"b\":12345678901234567890123}  \n{}");
  BOOST_TEST(read.json == R"({"rows":[{"a": 1.50},{"b":12345678901234567890123},{}]})");
  BOOST_TEST(read.unreadable.empty());
  BOOST_TEST(read_lines("").json == R"({"rows":[]})");
}

BOOST_AUTO_TEST_CASE(line_that_is_no_object_leaves_a_null_and_its_reason) {
  const auto read = read_lines("{\"a\":1}\n{\"a\":\n\n[1]\n\"\\u0000\"\n{\"b\":2}");
  BOOST_TEST(read.json == R"({"rows":[{"a":1},null,null,null,{"b":2}]})");
  BOOST_REQUIRE_EQUAL(read.unreadable.size(), 3U);
  BOOST_TEST(read.unreadable.at(1).find("line 2: ") == 0U);
  BOOST_TEST(read.unreadable.at(2) == "line 4: must be an object");
  BOOST_TEST(read.unreadable.at(3).find("line 5: ") == 0U);
}

BOOST_AUTO_TEST_CASE(reasons_of_lines_take_the_place_of_the_reasons_of_nulls) {
  const auto read = read_lines("{}\n[1]");
  std::vector<http::request_problem> problems{{"/rows/0/key", "is missing"},
                                              {"/rows/1", "must be an object"},
                                              {"/rows/1x", "must be an object"},
                                              {"step_id", "is missing"}};
  http::explain_items(problems, "rows", read);
  BOOST_TEST(problems[0].what == "is missing");
  BOOST_TEST(problems[1].what == "line 2: must be an object");
  BOOST_TEST(problems[2].what == "must be an object");
  BOOST_TEST(problems[3].what == "is missing");
}

BOOST_AUTO_TEST_CASE(body_with_too_many_lines_is_refused) {
  std::string body;
  for (std::size_t i = 0; i < http::body_lines_max; ++i)
    body += "{}\n";
  BOOST_TEST(read_lines(body).unreadable.empty());
  const auto read = http::items_of_lines(body + "x", "rows", depth_max);
  BOOST_REQUIRE(!read);
  BOOST_TEST((read.error().code == core::errc::too_large));

  std::string csv = "key\n";
  for (std::size_t i = 0; i < http::body_lines_max; ++i)
    csv += "k\n";
  BOOST_TEST((csv_error_of(csv, row_bytes_max * 100) == core::errc::none));
  BOOST_TEST((csv_error_of(csv + "k\n", row_bytes_max * 100) == core::errc::too_large));
  BOOST_TEST((csv_error_of(csv + "\"k\"x\n", row_bytes_max * 100) == core::errc::too_large));
}

BOOST_AUTO_TEST_CASE(records_become_rows_with_texts_as_input) {
  const auto read = read_csv_rows("text,key,judgments,lang\r\n"
                                  "\"a \"\"b\"\",\nc\",k1,3,de\r\n"
                                  ",k2,,\r\n"
                                  "x,k3,many,en\r\n"
                                  "x,k4,007,en\r\n");
  BOOST_TEST(read.unreadable.empty());
  BOOST_TEST(read.json
             == R"({"rows":[{"key":"k1","judgments":3,"input":{"text":"a \"b\",\nc","lang":"de"}},)"
                R"({"key":"k2","input":{"text":"","lang":""}},)"
                R"({"key":"k3","judgments":"many","input":{"text":"x","lang":"en"}},)"
                R"({"key":"k4","judgments":"007","input":{"text":"x","lang":"en"}}]})");
  BOOST_TEST(read_csv_rows("key\nk1\n").json == R"({"rows":[{"key":"k1","input":{}}]})");
}

BOOST_AUTO_TEST_CASE(record_that_cannot_be_read_harms_no_other) {
  const auto read = read_csv_rows("key,text\nk1,a\nk2\n\"k3\"x,a\nk4,\xff\nk5,b\n");
  BOOST_TEST(read.json
             == R"({"rows":[{"key":"k1","input":{"text":"a"}},null,null,null,)"
                R"({"key":"k5","input":{"text":"b"}}]})");
  BOOST_REQUIRE_EQUAL(read.unreadable.size(), 3U);
  BOOST_TEST(read.unreadable.at(1).find("body:3: ") == 0U);
  BOOST_TEST(read.unreadable.at(2).find("body:4: ") == 0U);
  BOOST_TEST(read.unreadable.at(3).find("body:5: ") == 0U);
}

BOOST_AUTO_TEST_CASE(csv_whose_header_cannot_be_used_is_refused) {
  BOOST_TEST((csv_error_of("") == core::errc::invalid_argument));
  BOOST_TEST((csv_error_of("\n\n") == core::errc::invalid_argument));
  BOOST_TEST((csv_error_of("name,text\nk,a\n") == core::errc::invalid_argument));
  BOOST_TEST((csv_error_of("key,text,text\nk,a,b\n") == core::errc::invalid_argument));
  BOOST_TEST((csv_error_of("key,\xff\nk,a\n") == core::errc::invalid_argument));
  BOOST_TEST((csv_error_of("key,judgments\n") == core::errc::none));
}

BOOST_AUTO_TEST_CASE(long_column_names_do_not_multiply_beyond_the_bound) {
  const std::string column(10'000, 'c');
  std::string body = "key," + column + '\n';
  for (int i = 0; i < 1000; ++i)
    body += "k,v\n";
  BOOST_TEST((csv_error_of(body) == core::errc::too_large));
}

BOOST_AUTO_TEST_SUITE_END()
