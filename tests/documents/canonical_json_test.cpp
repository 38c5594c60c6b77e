// The one spelling of an input: who wrote a row, and with which program, must not be seen in it.

#include "documents/canonical_json.hpp"
#include "documents/parse.hpp"
#include "documents/unit_input.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using documents::canonical_json;
using test::random_source;

namespace {

struct spelling {
  const char* text;
  const char* canonical;
};
std::ostream& operator<<(std::ostream& out, const spelling& s) { return out << s.text; }

const std::vector<spelling> spellings{
    {"{}", "{}"},
    {" { }\r", "{}"},
    {"{\"k\":\"u1\"}\r", R"({"k":"u1"})"},
    {"{\"b\" : 1,\t\"a\":[ 1 , 2 ]}", R"({"a":[1,2],"b":1})"},
    {R"({"b":{"d":1,"c":2},"a":{"z":0,"y":0}})", R"({"a":{"y":0,"z":0},"b":{"c":2,"d":1}})"},
    {R"(["\u00e9\/\ud83d\ude00\u0041\u000a"])", "[\"\u00e9/\U0001f600A\\n\"]"},
    {R"(["\u001b\b"])", R"(["\u001b\u0008"])"},
    {R"({"\u0061":1})", R"({"a":1})"},
    {"[1.0, 1e0, 10e-1, 0.1E+1, 1]", "[1,1,1,1,1]"},
    {"[-0, 0.00, -0e17, 0e-3]", "[0,0,0,0]"},
    {"[1.10, 0.5, 5e-1, 1e3, 1e20, 12e20, 1E60]",
     "[1.1,0.5,0.5,1000,100000000000000000000,1200000000000000000000,1e+60]"},
    {"[0.0001, 0.00001, 0.0000001, 1.5e-9, -250e-2]", "[0.0001,1e-05,1e-07,1.5e-09,-2.5]"},
    {"[9400110200881234567890, 9400110200881234567891.0]",
     "[9400110200881234567890,9400110200881234567891]"},
    {"[0.1000000000000000000000000001]", "[0.1000000000000000000000000001]"},
    {" true ", "true"},
    {"[null,false]", "[null,false]"},
};

std::string spaces(random_source& random) {
  static const std::vector<std::string> choices{"", "", " ", "\t", "\r\n", "  "};
  return random.of(choices);
}

/// A text with each of its characters as itself or as its escape.
std::string spelled_text(const std::string& text, random_source& random) {
  std::string out = "\"";
  for (const char c : text) {
    char escape[8];
    std::snprintf(escape, sizeof escape, random.one_in(2) ? "\\u%04x" : "\\u%04X",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    const bool must = c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
    if (c == '/' && random.one_in(2))
      out += "\\/";
    else if (must || random.one_in(4))
      out += escape;
    else
      out += c;
  }
  return out + '"';
}

/// Digits with the point somewhere, and the exponent that makes up for it.
std::string spelled_number(const std::string& digits, int exponent, random_source& random) {
  const auto moved = static_cast<int>(random.below(digits.size() + 1));
  const auto whole = digits.size() - static_cast<std::size_t>(moved);
  auto text = whole == 0 ? std::string{"0"} : digits.substr(0, whole);
  if (moved > 0)
    text += '.' + digits.substr(whole) + (random.one_in(2) ? "0" : "");
  const auto left = exponent + moved;
  if (left != 0 || random.one_in(3))
    text += (random.one_in(2) ? "e" : "E") + std::to_string(left);
  return text;
}

/// A value as text, spelled in two ways.
std::pair<std::string, std::string> two_spellings(random_source& random, int depth) {
  static const std::vector<std::string> texts{"a",     "b/c", "q\"uote", "back\\slash",
                                              "tab\t", "",    "$x"};
  const auto around = [&](const std::string& text) {
    return spaces(random) + text + spaces(random);
  };
  switch (random.below(depth > 3 ? 3 : 5)) {
  case 0: {
    const auto& text = random.of(texts);
    return {around(spelled_text(text, random)), around(spelled_text(text, random))};
  }
  case 1: {
    const std::string digits = std::to_string(1 + random.below(1'000'000'000'000ULL))
                               + (random.one_in(3) ? "000" : "")
                               + (random.one_in(3) ? "12345678901234567891" : "");
    const auto exponent = static_cast<int>(random.below(60)) - 30;
    const std::string sign = random.one_in(2) ? "-" : "";
    return {around(sign + spelled_number(digits, exponent, random)),
            around(sign + spelled_number(digits, exponent, random))};
  }
  case 2: {
    static const std::vector<std::string> words{"true", "false", "null", "0"};
    const auto& word = random.of(words);
    return {around(word), around(word)};
  }
  case 3: {
    std::pair<std::string, std::string> both{"[", "["};
    for (std::uint64_t i = 0, n = random.below(4); i < n; ++i) {
      const auto [one, other] = two_spellings(random, depth + 1);
      both.first += (i > 0 ? "," : "") + one;
      both.second += (i > 0 ? "," : "") + other;
    }
    return {around(both.first + ']'), around(both.second + ']')};
  }
  default: {
    std::vector<std::pair<std::string, std::string>> members;
    for (std::uint64_t i = 0, n = random.below(5); i < n; ++i) {
      const auto name = random.of(texts) + std::to_string(i);
      const auto [one, other] = two_spellings(random, depth + 1);
      members.emplace_back(around(spelled_text(name, random)) + ':' + one,
                           around(spelled_text(name, random)) + ':' + other);
    }
    std::pair<std::string, std::string> both{"{", "{"};
    for (const auto& member : members)
      both.first += (both.first.size() > 1 ? "," : "") + member.first;
    while (!members.empty()) {
      const auto at = members.begin() + static_cast<std::ptrdiff_t>(random.below(members.size()));
      both.second += (both.second.size() > 1 ? "," : "") + at->second;
      members.erase(at);
    }
    return {around(both.first + '}'), around(both.second + '}')};
  }
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(canonical_spelling)

// finding C7
BOOST_DATA_TEST_CASE(a_value_has_one_spelling, boost::unit_test::data::make(spellings)) {
  BOOST_TEST(canonical_json(sample.text) == sample.canonical);
  BOOST_TEST(canonical_json(sample.canonical) == sample.canonical);
}

// finding C7
BOOST_AUTO_TEST_CASE(equal_values_have_equal_texts_however_they_are_written) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    random_source random{seed};
    const auto [one, other] = two_spellings(random, 0);
    BOOST_TEST_REQUIRE(bool(documents::parse_json(one, {})), seed << ": " << one);
    const auto canonical = canonical_json(one);
    BOOST_TEST_REQUIRE(canonical == canonical_json(other), seed << ": " << one << " | " << other);
    BOOST_TEST_REQUIRE(canonical_json(canonical) == canonical, seed << ": " << canonical);
    const auto value = documents::parse_json(canonical, {});
    BOOST_TEST_REQUIRE(bool(value), seed << ": " << canonical);
    BOOST_TEST_REQUIRE((*value == *documents::parse_json(one, {})), seed << ": " << canonical);
  }
}

BOOST_AUTO_TEST_CASE(values_that_no_double_tells_apart_stay_apart) {
  BOOST_TEST(canonical_json("9400110200881234567890") != canonical_json("9400110200881234567891"));
  BOOST_TEST(canonical_json("1e-399") != canonical_json("1e-400"));
}

BOOST_AUTO_TEST_CASE(accepted_json_is_accepted_again_in_canonical_form) {
  const auto tiny = "0." + std::string(10'000, '0') + "1";
  const auto vast = "1" + std::string(300, '0') + ".5";
  for (const auto& text : {tiny, vast, std::string{"0.0001e-400"}, std::string{"1e-400"}}) {
    BOOST_TEST_REQUIRE(bool(documents::parse_json(text, {})));
    BOOST_TEST(bool(documents::parse_json(canonical_json(text), {})));
  }
}

BOOST_AUTO_TEST_CASE(an_input_is_within_its_limits_when_it_is_written_out) {
  const documents::json_limits limits{20, 8};
  BOOST_TEST(*documents::unit_input("[1e3, 1.50]", limits) == "[1000,1.5]");
  BOOST_TEST((documents::unit_input("[1e20,1e20]", limits).error().code == core::errc::too_large));
  BOOST_TEST((documents::unit_input("{", limits).error().code == core::errc::payload_invalid));
}

// In its canonical form an object may begin with a member that was not the first.
BOOST_AUTO_TEST_CASE(no_spelling_becomes_a_reference_to_the_object_store) {
  for (const auto* text : {R"({"a":1,"$holdfast.object":{}})", R"({"\u0024holdfast.object":{}})"})
    BOOST_TEST((documents::unit_input(text, {}).error().code == core::errc::payload_invalid));
}

BOOST_AUTO_TEST_SUITE_END()
