// Files come from other systems, and a bad line is nobody else's fault.

#include "app/line_reader.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using holdfast::app::file_line;
using holdfast::app::line_reader;
namespace core = holdfast::core;

namespace {

constexpr std::size_t bytes_max = 20;

/// "1 first|3 second" of the lines; those without text as "2!", and why reading ended.
std::string lines_of(const std::string& text) {
  std::istringstream from{text};
  line_reader reader{from, bytes_max};
  std::string out;
  for (file_line line; reader.next(line);)
    out += (out.empty() ? "" : "|") + std::to_string(line.number)
           + (line.problem.code == core::errc::none ? ' ' + line.text : std::string{'!'});
  if (reader.failure().code != core::errc::none)
    out += " then " + reader.failure().detail;
  return out;
}

struct spelled_file {
  std::string text;
  const char* lines;
};
std::ostream& operator<<(std::ostream& out, const spelled_file& f) { return out << f.lines; }

std::string utf16(const std::string& text) {
  std::string wide;
  for (const char c : text)
    wide += {c, '\0'};
  return wide;
}

// findings C7 and C8
const std::vector<spelled_file> files{
    {"", ""},
    {"\xef\xbb\xbf", ""},
    {"{}\n{}\n", "1 {}|2 {}"},
    {"{}\r\n{}\r\n", "1 {}|2 {}"},
    {"{}\r{}\r", "1 {}|2 {}"},
    {"\xef\xbb\xbf{}\r\n{}", "1 {}|2 {}"},
    {"\n\r\n {} \t\r\n\r\n\t\n{}", "3 {}|6 {}"},
    {"a\n\r\nb", "1 a|3 b"},
    {"a\r\rb", "1 a|3 b"},
    {"a\n" + std::string(21, 'x') + "\nb\n", "1 a|2!|3 b"},
    {"a\n" + std::string(20, 'x') + "\nb", "1 a|2 xxxxxxxxxxxxxxxxxxxx|3 b"},
    {std::string(100, 'x'), "1!"},
    {"a\n\xff\xfe\nb", "1 a|2 \xff\xfe|3 b"},
    {std::string("a\n\0b\nc", 6), "1 a|2 \0b|3 c"},
    {"\xff\xfe" + utf16("{}\n"), " then the text is encoded as UTF-16; save it as UTF-8"},
    {utf16("{}\n"), " then the text is encoded as UTF-16; save it as UTF-8"},
    {std::string("\xff\xfe\0\0{\0\0\0", 8),
     " then the text is encoded as UTF-32; save it as UTF-8"},
};

} // namespace

BOOST_AUTO_TEST_SUITE(lines_of_files)

BOOST_DATA_TEST_CASE(additions_of_systems_are_no_part_of_a_line,
                     boost::unit_test::data::make(files)) {
  const std::string expected = sample.lines;
  const auto found = lines_of(sample.text);
  BOOST_TEST(found.substr(0, expected.size()) == expected);
}

BOOST_AUTO_TEST_CASE(a_directory_is_told_and_not_taken_for_an_empty_file) {
  std::ifstream from{"/tmp", std::ios::binary};
  line_reader reader{from, bytes_max};
  file_line line;
  BOOST_TEST(!reader.next(line));
  BOOST_TEST((reader.failure().code == core::errc::not_found));
}

BOOST_AUTO_TEST_CASE(a_line_that_is_too_long_is_told_by_its_length) {
  std::istringstream from{std::string(1'000'000, 'x') + "\nb"};
  line_reader reader{from, bytes_max};
  file_line line;
  BOOST_REQUIRE(reader.next(line));
  BOOST_TEST(line.number == 1U);
  BOOST_TEST((line.problem.code == core::errc::too_large));
  BOOST_TEST(line.problem.detail == "the line has 1000000 bytes; at most 20 are read");
  BOOST_REQUIRE(reader.next(line));
  BOOST_TEST(line.text == "b");
  BOOST_TEST((line.problem.code == core::errc::none));
}

BOOST_AUTO_TEST_SUITE_END()
