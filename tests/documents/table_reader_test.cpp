// Files of rows: CSV, TSV, JSON lines and JSON arrays, in pieces of any size.

#include "documents/table_reader.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

using namespace holdfast;
using namespace holdfast::documents;
using namespace std::string_view_literals;

namespace {

/// What a reader has told, a line each: `1: a|b`, `2: {"a":1}`, or `3! why`.
struct told_table {
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::string failure;
};

told_table read_pieces(table_format format, std::string_view text, std::size_t piece,
                       const table_limits& limits = {}) {
  told_table told;
  table_reader reader{format, limits,
                      [&](const std::vector<std::string>& columns) {
                        told.columns = columns;
                        return core::failure{};
                      },
                      [&](table_row& row) {
                        auto line = std::to_string(row.line);
                        if (row.problem.code != core::errc::none) {
                          told.rows.push_back(line + "! " + row.problem.detail);
                          return core::failure{};
                        }
                        line += ": " + row.object;
                        for (std::size_t i = 0; i < row.cells.size(); ++i)
                          line += (i > 0 ? "|" : "") + row.cells[i];
                        told.rows.push_back(line);
                        return core::failure{};
                      }};
  core::failure why;
  while (!text.empty() && why.code == core::errc::none) {
    why = reader.read(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
  }
  if (why.code == core::errc::none)
    why = reader.end();
  told.failure = why.detail;
  return told;
}

/// Reads at once and in pieces of one to seven bytes, which must be the same.
told_table read_table(table_format format, std::string_view text, const table_limits& limits = {}) {
  auto whole = read_pieces(format, text, text.size() + 1, limits);
  for (std::size_t piece = 1; piece < 8; ++piece) {
    const auto other = read_pieces(format, text, piece, limits);
    BOOST_TEST(other.rows == whole.rows, boost::test_tools::per_element());
    BOOST_TEST(other.columns == whole.columns, boost::test_tools::per_element());
    BOOST_TEST(other.failure == whole.failure);
  }
  return whole;
}

using told_lines = std::vector<std::string>;

void check_rows(const told_table& told, const told_lines& rows) {
  BOOST_TEST(told.failure == "");
  BOOST_TEST(told.rows == rows, boost::test_tools::per_element());
}

std::string utf16(std::u16string_view text, bool is_big) {
  std::string bytes;
  for (const char16_t unit : text) {
    const auto high = static_cast<char>(unit >> 8);
    const auto low = static_cast<char>(unit & 0xff);
    bytes += is_big ? high : low;
    bytes += is_big ? low : high;
  }
  return bytes;
}

} // namespace

BOOST_AUTO_TEST_SUITE(table_reading)

// A3
BOOST_AUTO_TEST_CASE(csv_of_any_system_has_the_same_rows) {
  const auto columns = told_lines{"id", "text"};
  for (const auto* end : {"\n", "\r\n", "\r"}) {
    const std::string e = end;
    const auto told =
        read_table(table_format::csv,
                   "\xef\xbb\xbfid, text " + e + e + "1,\"a,\"\"b\"\"\"" + e + "2,c  " + e + "3,");
    BOOST_TEST(told.columns == columns, boost::test_tools::per_element());
    check_rows(told, {"3: 1|a,\"b\"", "4: 2|c", "5: 3|"});
  }
}

BOOST_AUTO_TEST_CASE(a_field_in_quotation_marks_may_have_lines_and_the_next_row_knows_its_line) {
  check_rows(read_table(table_format::csv, "id,text\n1,\"a\r\nb\n\"\n2,c\n"),
             {"2: 1|a\r\nb\n", "5: 2|c"});
}

BOOST_AUTO_TEST_CASE(tabs_separate_and_are_no_blanks_at_the_end_of_a_line) {
  check_rows(read_table(table_format::tsv, "a\tb\tc\n1\t\t\n\"x\ty\"\t2\t,\n"),
             {"2: 1||", "3: x\ty|2|,"});
}

BOOST_AUTO_TEST_CASE(a_row_with_another_number_of_fields_costs_that_row) {
  check_rows(read_table(table_format::csv, "a,b\n1\n1,2\n1,2,3\n3,4\n"),
             {"2! the row has 1 fields, and the first line has 2", "3: 1|2",
              "4! the row has 3 fields, and the first line has 2", "5: 3|4"});
}

BOOST_AUTO_TEST_CASE(a_quotation_mark_that_nobody_closes_costs_its_line) {
  check_rows(read_table(table_format::csv, "a,b\n1,\"x\n2,y\n3,z\n"),
             {"2! a quotation mark is never closed", "3: 2|y", "4: 3|z"});
  check_rows(read_table(table_format::csv, "a,b\n1,\"x\"y\n2,z\n"),
             {"2! text follows a closing quotation mark", "3: 2|z"});
  // Also in a file that is longer than a row may be, of which no more than a row is held.
  table_limits limits;
  limits.row_bytes_max = 32;
  std::string text = "a,b\n1,\"x\n";
  told_lines rows{"2! a quotation mark is not closed within the 32 bytes that a row may have"};
  for (int i = 3; i < 40; ++i) {
    text += std::to_string(i) + ",y\n";
    rows.push_back(std::to_string(i) + ": " + std::to_string(i) + "|y");
  }
  check_rows(read_table(table_format::csv, text, limits), rows);
}

BOOST_AUTO_TEST_CASE(a_row_that_is_too_long_costs_that_row_in_every_format) {
  table_limits limits;
  limits.row_bytes_max = 16;
  const std::string longer(40, 'x');
  const auto why = "the row has more than 16 bytes";
  check_rows(read_table(table_format::csv, "a,b\n" + longer + ",1\n2,3\n", limits),
             {std::string{"2! "} + why, "3: 2|3"});
  check_rows(read_table(table_format::csv, "a,b\n2,3\n" + longer, limits),
             {"2: 2|3", std::string{"3! "} + why});
  check_rows(read_table(table_format::ndjson, "{\"a\":\"" + longer + "\"}\n{\"a\":1}\n", limits),
             {std::string{"1! "} + why, "2: {\"a\":1}"});
  check_rows(read_table(table_format::json, "[{\"a\":\"" + longer + "\"},\n{\"a\":1}]", limits),
             {std::string{"1! "} + why, "2: {\"a\":1}"});
}

BOOST_AUTO_TEST_CASE(a_row_of_the_longest_length_is_taken) {
  table_limits limits;
  limits.row_bytes_max = 8;
  check_rows(read_table(table_format::csv, "a\n12345678\n123456789\n1\n", limits),
             {"2: 12345678", "3: 123456789", "4: 1"}); // with its line end a row may have two more
  check_rows(read_table(table_format::csv, "a\n12345678901\n1\n", limits),
             {"2! the row has more than 8 bytes", "3: 1"});
  check_rows(read_table(table_format::ndjson, "{\"a\":12}\n{\"a\":123}\n", limits),
             {"1: {\"a\":12}", "2! the row has more than 8 bytes"});
}

BOOST_AUTO_TEST_CASE(the_first_line_must_name_each_column_once) {
  const auto failure = [](std::string_view text, const table_limits& limits = {}) {
    return read_table(table_format::csv, text, limits).failure;
  };
  BOOST_TEST(failure("") == "line 1: there is no line with columns");
  BOOST_TEST(failure("\na,b,a\n")
             == "line 2: the column `a` appears twice; give one of them another name");
  BOOST_TEST(failure("a,,b\n") == "line 1: column 2 has no name in the first line; name it");
  BOOST_TEST(failure("a,b\xff\n")
             == "line 1: the name of column 2 is not UTF-8; save the file as UTF-8");
  BOOST_TEST(
      failure("a,\"b\n1,2\n")
      == "line 1: the names of the columns cannot be read: a quotation mark is never closed");
  table_limits limits;
  limits.columns_max = 2;
  BOOST_TEST(failure("a,b,c\n", limits) == "line 1: there are 3 columns; at most 2 are read");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_text_cost_their_row) {
  check_rows(read_table(table_format::csv, "a,b\n1,\xe4\n2,\xc3\xa4\n"),
             {"2! the column `b` has bytes that are not UTF-8", "3: 2|\xc3\xa4"});
  const auto told = read_table(table_format::ndjson, "{\"a\":\"\xe4\"}\n{}\n");
  BOOST_TEST_REQUIRE(told.rows.size() == 2U);
  BOOST_TEST(told.rows[0].rfind("1! ", 0) == 0U);
  BOOST_TEST(told.rows[1] == "2: {}");
}

BOOST_AUTO_TEST_CASE(utf_16_with_its_mark_is_decoded) {
  const std::u16string_view text = u"\ufeffid,text\r\n1,\u00e4\u20ac\U0001f600\n";
  for (const bool is_big : {false, true})
    check_rows(read_table(table_format::csv, utf16(text, is_big)),
               {"2: 1|\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"});
  // Half a character costs its row.
  const char16_t lone[] = {0xfeff, u'a', u'\n', 0xd83d, u'\n', u'b', u'\n', 0};
  check_rows(read_table(table_format::csv, utf16(lone, false)),
             {"2! the column `a` has bytes that are not UTF-8", "3: b"});
}

BOOST_AUTO_TEST_CASE(other_encodings_are_told) {
  BOOST_TEST(read_table(table_format::csv, utf16(u"id,text\n", false)).failure
             == "the text is encoded as UTF-16 without a byte order mark; save it as UTF-8, or as "
                "UTF-16 with the mark");
  BOOST_TEST(read_table(table_format::csv, "\xff\xfe\0\0a\0\0\0"sv).failure
             == "the text is encoded as UTF-32; save it as UTF-8");
}

BOOST_AUTO_TEST_CASE(the_mark_of_spreadsheets_for_texts_is_no_part_of_a_field) {
  check_rows(read_table(table_format::csv, "a\n'=1+1\n'it\n"), {"2: =1+1", "3: 'it"});
}

BOOST_AUTO_TEST_CASE(json_lines_are_objects_and_others_cost_their_line) {
  const auto told = read_table(
      table_format::ndjson, "\xef\xbb\xbf{\"a\": 1}\r\n\r\n  [1]\n{\"a\":\n{\"a\":2}\r{\"b\":3}");
  BOOST_TEST(told.failure == "");
  BOOST_TEST_REQUIRE(told.rows.size() == 5U);
  BOOST_TEST(told.rows[0] == "1: {\"a\": 1}");
  BOOST_TEST(told.rows[1] == "3! must be a JSON object");
  BOOST_TEST(told.rows[2].rfind("4! ", 0) == 0U);
  BOOST_TEST(told.rows[3] == "5: {\"a\":2}");
  BOOST_TEST(told.rows[4] == "6: {\"b\":3}");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_another_form_of_json_is_told_once) {
  BOOST_TEST(read_table(table_format::ndjson, "[{\"a\":1},\n{\"a\":2}]\n").failure
             == "line 1: this is a JSON array; read it as json and not as ndjson");
  BOOST_TEST(read_table(table_format::json, "\n{\"a\":1}\n{\"a\":2}\n").failure
             == "line 2: this is a JSON object and no array; read a file with one object on each "
                "line as ndjson");
  BOOST_TEST(read_table(table_format::json, "x").failure
             == "line 1: a JSON array must begin with [");
  BOOST_TEST(read_table(table_format::json, " \n").failure == "line 2: there is no JSON array");
}

BOOST_AUTO_TEST_CASE(the_elements_of_an_array_are_rows_however_they_are_laid_out) {
  check_rows(read_table(table_format::json,
                        "\xef\xbb\xbf [\n  {\n \"a\": [1, {\"b\": \"]}\\\"\"}]\r\n },"
                        "{}\n, {\"c\":\n2}]\n"),
             {"2: {\n \"a\": [1, {\"b\": \"]}\\\"\"}]\r\n }", "4: {}", "5: {\"c\":\n2}"});
  check_rows(read_table(table_format::json, "[]"), {});
}

BOOST_AUTO_TEST_CASE(an_element_that_is_no_object_costs_that_element) {
  const auto told = read_table(table_format::json, "[1, \"a\",\n{\"a\":},\n{\"a\":1},, {\"b\":2}\n"
                                                   "{\"c\":3}, {\"d\":4}]");
  BOOST_TEST(told.failure == "");
  BOOST_TEST_REQUIRE(told.rows.size() == 8U);
  BOOST_TEST(told.rows[0] == "1! must be a JSON object");
  BOOST_TEST(told.rows[1] == "1! must be a JSON object");
  BOOST_TEST(told.rows[2].rfind("2! ", 0) == 0U);
  BOOST_TEST(told.rows[3] == "3: {\"a\":1}");
  BOOST_TEST(told.rows[4] == "3! there is a comma without an element");
  BOOST_TEST(told.rows[5] == "3: {\"b\":2}");
  BOOST_TEST(told.rows[6] == "4! there is no comma in front of it");
  BOOST_TEST(told.rows[7] == "4: {\"d\":4}");
}

BOOST_AUTO_TEST_CASE(a_text_that_ends_with_its_line_costs_that_line_of_an_array) {
  check_rows(read_table(table_format::json, "[\n{\"a\":\"x},\n{\"a\":\"y\"},\n{\"a\":\"z\"}\n]"),
             {"2! a text ends with the line", "3: {\"a\":\"y\"}", "4: {\"a\":\"z\"}"});
  // Where the element ends cannot be told here.
  const auto told = read_table(table_format::json, "[{\"a\":1},\n{\n\"b\":\"x\n}, {\"c\":2}]");
  BOOST_TEST(told.rows == told_lines{"1: {\"a\":1}"}, boost::test_tools::per_element());
  BOOST_TEST(told.failure
             == "line 3: a text ends with the line; where the element that begins on line 2 ends "
                "cannot be told, and nothing behind it is read");
}

BOOST_AUTO_TEST_CASE(an_array_that_ends_early_is_told_behind_its_rows) {
  auto told = read_table(table_format::json, "[{\"a\":1},\n");
  BOOST_TEST(told.rows == told_lines{"1: {\"a\":1}"}, boost::test_tools::per_element());
  BOOST_TEST(told.failure == "line 2: the array is not closed by ]");
  told = read_table(table_format::json, "[{\"a\":1},\n{\"b\":");
  BOOST_TEST(told.failure == "line 2: the array ends within the element that begins here");
  told = read_table(table_format::json, "[{\"a\":1}]\n{}");
  BOOST_TEST(told.failure == "line 2: there is more behind the end of the array");
}

BOOST_AUTO_TEST_CASE(whoever_takes_rows_may_end_the_reading) {
  int taken = 0;
  table_reader reader{
      table_format::csv,
      {},
      [](const auto&) { return core::failure{}; },
      [&](table_row&) {
        return ++taken < 2 ? core::failure{} : core::failure{core::errc::limit_reached, "enough"};
      }};
  BOOST_TEST((reader.read("a\n1\n2\n3\n").code == core::errc::limit_reached));
  BOOST_TEST(taken == 2);
}

BOOST_AUTO_TEST_CASE(the_format_follows_from_the_name_of_a_file) {
  const auto name = [](std::string_view file) {
    const auto format = table_format_of_file(file);
    return format ? std::string{to_string(*format)} : "";
  };
  BOOST_TEST(name("a.b/rows.csv") == "csv");
  BOOST_TEST(name("rows.tsv") == "tsv");
  BOOST_TEST(name("rows.tab") == "tsv");
  BOOST_TEST(name("rows.jsonl") == "ndjson");
  BOOST_TEST(name("rows.ndjson") == "ndjson");
  BOOST_TEST(name("rows.json") == "json");
  BOOST_TEST(name("rows.xlsx") == "");
  BOOST_TEST(name("rows") == "");
}

BOOST_AUTO_TEST_SUITE_END()
