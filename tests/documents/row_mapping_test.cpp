// Rows of files as units: which columns become which members, and what names a row.

#include "documents/row_mapping.hpp"

#include "core/sha256.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace holdfast::documents;

namespace {

using texts = std::vector<std::string>;

row_mapper mapper_of(const texts& entries, const texts& key, const texts& columns = {}) {
  auto mapping = parse_row_mapping(entries, key);
  BOOST_REQUIRE(mapping);
  row_mapper mapper{std::move(*mapping)};
  if (!columns.empty()) {
    const auto why = mapper.bind(columns);
    BOOST_REQUIRE_MESSAGE(why.code == core::errc::none, why.detail);
  }
  return mapper;
}

/// `key input`, with the judgments where some are wanted, or the reason against it.
std::string outcome_of(const mapped_row& row) {
  if (row.problem.code != core::errc::none)
    return "! " + row.problem.detail;
  return row.key + ' ' + row.input
         + (row.judgments > 0 ? ' ' + std::to_string(row.judgments) : std::string{});
}

std::string map_cells(const texts& entries, const texts& key, const texts& columns,
                      const texts& cells) {
  table_row row;
  row.line = 2;
  row.cells = cells;
  return outcome_of(mapper_of(entries, key, columns).map(row));
}

std::string map_object(const texts& entries, const texts& key, const std::string& object) {
  table_row row;
  row.line = 2;
  row.object = object;
  return outcome_of(mapper_of(entries, key).map(row));
}

std::string mapping_refusal(const texts& entries, const texts& key) {
  const auto mapping = parse_row_mapping(entries, key);
  return mapping ? "" : mapping.error().detail;
}

} // namespace

BOOST_AUTO_TEST_SUITE(row_mappings)

// A45
BOOST_AUTO_TEST_CASE(columns_become_members_of_the_types_that_are_asked_for) {
  const texts columns{"n", "t", "f", "j", "id"};
  const texts entries{"input.count=n:number", "input.text=t", "input.flag=f:boolean",
                      "input.tags=j:json"};
  BOOST_TEST(map_cells(entries, {"id"}, columns, {" 1.50 ", "a\"b", "Yes", "[1, 2]", "k"})
             == R"(k {"count":1.50,"text":"a\"b","flag":true,"tags":[1, 2]})");
  // An empty field is a text, and no number.
  BOOST_TEST(map_cells(entries, {"id"}, columns, {"", "", "", "", "k"}) == R"(k {"text":""})");
  BOOST_TEST(map_cells(entries, {"id"}, columns, {"1,5", "", "", "", "k"})
             == "! the column `n` must be a number, and not `1,5`");
  BOOST_TEST(map_cells(entries, {"id"}, columns, {"", "", "perhaps", "", "k"})
             == "! the column `f` must be true or false, and not `perhaps`");
  BOOST_TEST(map_cells(entries, {"id"}, columns, {"", "", "", "[1", "k"})
                 .rfind("! the column `j` must be JSON: ", 0)
             == 0U);
}

BOOST_AUTO_TEST_CASE(without_a_mapping_all_columns_but_that_of_the_key_are_members) {
  BOOST_TEST(map_cells({}, {}, {"key", "a", "b"}, {"k", "1", "2"}) == R"(k {"a":"1","b":"2"})");
  BOOST_TEST(map_cells({"judgments=n"}, {"b"}, {"a", "b", "n"}, {"1", "2", "3"})
             == R"(2 {"a":"1"} 3)");
}

BOOST_AUTO_TEST_CASE(a_key_of_several_columns_is_joined_so_that_no_two_are_alike) {
  const texts columns{"a", "b", "c"};
  BOOST_TEST(map_cells({"input.c=c"}, {"a", "b"}, columns, {"x", "y", "z"}) == R"(x:y {"c":"z"})");
  BOOST_TEST(map_cells({"input.c=c"}, {"a", "b"}, columns, {"x:y", "z", ""})
             == R"(x%3Ay:z {"c":""})");
  BOOST_TEST(map_cells({"input.c=c"}, {"a", "b"}, columns, {"x", "y:z", ""})
             == R"(x:y%3Az {"c":""})");
  BOOST_TEST(map_cells({"input.c=c"}, {"a", "b"}, columns, {"x%3Ay", "z", ""})
             == R"(x%253Ay:z {"c":""})");
}

BOOST_AUTO_TEST_CASE(without_a_key_the_value_of_the_input_names_the_row) {
  const auto digest = "sha256:" + core::to_string(core::sha256_of(R"({"a":1})"));
  BOOST_TEST(map_object({}, {}, R"({"a": 1.0})") == digest + R"( {"a":1.0})");
  BOOST_TEST(map_object({}, {}, R"({"a":1})") == digest + R"( {"a":1})");
  // Also where there is a column `key`, if that is asked for.
  BOOST_TEST(map_object({"input.a=a"}, {"digest()"}, R"({"a":1,"key":"k"})")
             == digest + R"( {"a":1})");
}

BOOST_AUTO_TEST_CASE(a_row_as_the_api_takes_it_is_taken_as_it_is) {
  BOOST_TEST(map_object({}, {}, R"({"key":"k","input":{"a":1}})") == R"(k {"a":1})");
  BOOST_TEST(map_object({}, {}, R"({"key":7,"input":[1],"judgments":3})") == "7 [1] 3");
  BOOST_TEST(map_object({}, {}, R"({"key":"k","input":1,"more":2})")
             == R"(k {"input":1,"more":2})");
}

BOOST_AUTO_TEST_CASE(values_of_json_keep_their_types_unless_others_are_asked_for) {
  const std::string row =
      R"({"id":7,"n":"12","b":1,"t":[1],"z":null,"big":12345678901234567890.10})";
  BOOST_TEST(map_object({"input.big=big", "input.z=z:number"}, {"id"}, row)
             == R"(7 {"big":12345678901234567890.10,"z":null})");
  BOOST_TEST(map_object({"input.n=n:number", "input.b=b:boolean", "input.t=t:text"}, {"id"}, row)
             == R"(7 {"n":12,"b":true,"t":"[1]"})");
  BOOST_TEST(map_object({"input.x=x"}, {"id"}, row) == "! the column `x` is missing");
  BOOST_TEST(map_object({}, {"t"}, row)
             == "! the column `t` must be a text or a number: it names the row");
  BOOST_TEST(map_object({}, {"x"}, row) == "! the column `x` is missing; it names the row");
}

BOOST_AUTO_TEST_CASE(a_row_without_a_good_key_is_refused) {
  BOOST_TEST(map_cells({}, {"a"}, {"a", "b"}, {"", "1"})
             == "! the column `a` is empty; it names the row");
  const auto too_long = map_cells({}, {"a"}, {"a", "b"}, {std::string(513, 'x'), "1"});
  BOOST_TEST(too_long.rfind("! the key", 0) == 0U);
}

BOOST_AUTO_TEST_CASE(judgments_are_a_whole_number) {
  BOOST_TEST(map_cells({"judgments=n"}, {"a"}, {"a", "n"}, {"k", "many"})
             == "! the column `n` must be a whole number of judgments, and not `many`");
  BOOST_TEST(map_cells({"judgments=n"}, {"a"}, {"a", "n"}, {"k", ""}) == "k {}");
}

BOOST_AUTO_TEST_CASE(nothing_reaches_the_input_that_the_database_refuses) {
  BOOST_TEST(map_cells({}, {"a"}, {"a", "b"}, {"k", std::string{'\0'}})[0] == '!');
  BOOST_TEST(map_object({}, {"a"}, R"({"a":"k","$holdfast.object":"x"})")[0] == '!');
}

BOOST_AUTO_TEST_CASE(a_column_that_is_not_there_is_told_with_those_that_are) {
  auto mapping = parse_row_mapping({"input.text=txt"}, {"id"});
  BOOST_REQUIRE(mapping);
  row_mapper mapper{std::move(*mapping)};
  BOOST_TEST(mapper.bind({"id", "text"}).detail
             == "there is no column `txt`; did you mean 'text'?; the file has `id`, `text`");
}

BOOST_AUTO_TEST_CASE(mappings_that_say_nothing_clear_are_refused) {
  BOOST_TEST(mapping_refusal({"text"}, {})
             == "the mapping 'text' must be input.MEMBER=COLUMN, input.MEMBER=COLUMN:KIND or "
                "judgments=COLUMN");
  BOOST_TEST(mapping_refusal({"output.a=b"}, {})
             == "the mapping 'output.a=b' must begin with input. and the name of a member, or with "
                "judgments");
  BOOST_TEST(mapping_refusal({"input.a=b", "input.a=c"}, {})
             == "the mapping 'input.a=c' fills a member that another column fills");
  BOOST_TEST(mapping_refusal({"input.a.b=c"}, {})
             == "the mapping 'input.a.b=c' names a member with a dot; members of members are made "
                "by a column of the kind json");
  BOOST_TEST(mapping_refusal({"judgments=a", "judgments=b"}, {})
             == "the mapping 'judgments=b' names a second column of judgments");
  BOOST_TEST(mapping_refusal({}, {"digest()", "a"})
             == "the key is digest() or columns, and not both");
  BOOST_TEST(mapping_refusal({}, {""}) == "a column of the key has no name");
}

BOOST_AUTO_TEST_CASE(a_colon_in_the_name_of_a_column_is_no_kind) {
  BOOST_TEST(map_cells({"input.a=x:y"}, {"k"}, {"x:y", "k"}, {"1", "2"}) == R"(2 {"a":"1"})");
  BOOST_TEST(map_cells({"input.a=x:number:value"}, {"k"}, {"x:number", "k"}, {"1", "2"})
             == R"(2 {"a":"1"})");
}

BOOST_AUTO_TEST_CASE(the_mapping_is_told_column_by_column) {
  const texts with_key{"text -> input.text", "key -> key"};
  BOOST_TEST(mapper_of({}, {}, {"key", "text"}).told() == with_key,
             boost::test_tools::per_element());
  const texts typed{"n -> input.count as number", "the SHA-256 of the input -> key"};
  BOOST_TEST(mapper_of({"input.count=n:number"}, {"digest()"}, {"key", "n"}).told() == typed,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
