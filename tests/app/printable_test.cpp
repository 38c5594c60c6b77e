// Names may hold whatever their sender chose. Finding D5: what a terminal obeys reached it.

#include "app/printable.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>

using holdfast::app::guarded_output;
using holdfast::app::printable;
using holdfast::app::printable_lines;

namespace {

const std::string hostile = "a\x1b[2J\x07\nready\r\tb\x7f\xc2\x9b"
                            "c\xe2\x80\xae"
                            "d\xff\xed\xa0\x80";

/// The text that `std::cout` passes on of `pieces`, through the guard.
std::string guarded(const std::vector<std::string>& pieces) {
  std::ostringstream bare;
  auto* before = std::cout.rdbuf(bare.rdbuf());
  {
    const guarded_output guard;
    for (const auto& piece : pieces)
      std::cout << piece;
    std::cout.flush();
  }
  std::cout.rdbuf(before);
  return bare.str();
}

} // namespace

BOOST_AUTO_TEST_SUITE(printable_text)

BOOST_AUTO_TEST_CASE(characters_that_a_terminal_obeys_are_written_out) {
  BOOST_TEST(printable(hostile)
             == "a\\u001b[2J\\u0007\\nready\\r\\tb\\u007f\\u009bc\\u202ed\xef\xbf\xbd\xef\xbf\xbd"
                "\xef\xbf\xbd\xef\xbf\xbd");
  BOOST_TEST(printable("plain äöü 日本 \xf0\x9f\x98\x80 שלום")
             == "plain äöü 日本 \xf0\x9f\x98\x80 שלום");
  BOOST_TEST(printable("") == "");
}

BOOST_AUTO_TEST_CASE(a_line_of_a_text_does_not_look_like_a_message_of_its_own) {
  BOOST_TEST(printable_lines("one\nholdfast: two\x1b\n") == "one\n  holdfast: two\\u001b");
}

BOOST_AUTO_TEST_CASE(lengths_are_those_of_the_printable_text) {
  std::ostringstream out;
  auto* before = std::cout.rdbuf(out.rdbuf());
  holdfast::app::print_formatted("%-6s|%3d|%s\n", std::string{"a\nb"}, 7, "fixed");
  std::cout.rdbuf(before);
  BOOST_TEST(out.str() == "a\\nb  |  7|fixed\n");
}

BOOST_AUTO_TEST_CASE(the_streams_let_nothing_through_that_commands_a_terminal) {
  BOOST_TEST(guarded({"x\ty\n", hostile})
             == "x\ty\na\\u001b[2J\\u0007\nready\\r\tb\\u007f\\u009bc\\u202ed\xef\xbf\xbd"
                "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

BOOST_AUTO_TEST_CASE(json_is_the_same_json_behind_the_guard) {
  const auto value = nlohmann::json{{"name", "a\x1b\n\xc2\x9b\xe2\x80\xae\x7fü"}};
  BOOST_TEST(nlohmann::json::parse(guarded({value.dump(2)})) == value);
}

BOOST_AUTO_TEST_CASE(the_guard_does_not_see_where_writes_begin_and_end) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    holdfast::test::random_source random{seed};
    static const std::vector<std::string> parts{
        "a",    "ü",        "\xe2\x80\xae", "\xc2\x9b", "\xf0\x9f\x98\x80",
        "\xc2", "\xf0\x9f", "\x1b",         "\n",       "\x80"};
    std::string text;
    for (int i = 0; i < 12; ++i)
      text += random.of(parts);
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < text.size();) {
      const auto size = 1 + random.below(3);
      pieces.push_back(text.substr(at, size));
      at += size;
    }
    BOOST_TEST_REQUIRE(guarded(pieces) == guarded({text}), seed);
  }
}

BOOST_AUTO_TEST_SUITE_END()
