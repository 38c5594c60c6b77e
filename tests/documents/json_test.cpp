// What may enter the database as JSON or as a name. One text that PostgreSQL refuses would cost a
// whole group commit (finding 10 of the reliability study), so every rule is tried from both sides.

#include "core/invariant.hpp"
#include "documents/json.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

using namespace holdfast;
using documents::check_json;
using documents::check_text;
using documents::json_limits;

namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i)
    out += text;
  return out;
}

std::string nested_lists(std::size_t depth) { return repeated("[", depth) + repeated("]", depth); }

/// A text and what is expected of it; printed by the name only, because some texts are megabytes.
struct text_case {
  const char* name;
  std::string text;
  std::string detail; ///< Part of the message; for accepted texts empty.
};
std::ostream& operator<<(std::ostream& out, const text_case& c) { return out << c.name; }

const std::vector<text_case> accepted{
    {"null", "null", {}},
    {"a bare string", R"("text")", {}},
    {"blanks around a value", " \t\r\n{ } \n", {}},
    {"every kind of value", R"({"a":[true,false,null,1,-1.5e+3,"x",{}]})", {}},
    {"an escaped pair of surrogates", R"("\ud83d\ude00")", {}},
    {"four bytes of UTF-8", "\"\xf0\x9f\x98\x80\"", {}},
    {"the last code point", "\"\xf4\x8f\xbf\xbf\"", {}},
    {"noncharacters", R"("\uffff\ufffe")", {}},
    {"the control characters by escape", R"("\u0001\u001f")", {}},
    {"DEL", "\"\x7f\"", {}},
    {"an integer of 64 bits", "18446744073709551615", {}},
    {"an integer of 300 digits", repeated("9", 300), {}},
    {"the largest double", "1.7976931348623157e308", {}},
    {"the least exponent", "1e-400", {}},
    {"zero with the largest exponent", "0e400", {}},
    {"as many decimals as the database holds", "0." + repeated("0", 16382) + "1", {}},
    {"decimals and exponent together within bounds", "0." + repeated("1", 15983) + "e-400", {}},
    {"minus zero", "-0", {}},
    {"equal names in different objects", R"({"a":{"a":1},"b":{"a":1}})", {}},
    {"names that differ in case", R"({"a":1,"A":2})", {}},
    {"a name that is empty", R"({"":1})", {}},
    {"the deepest allowed nesting", nested_lists(64), {}},
    {"the longest allowed text", '"' + std::string(256 * 1024 - 2, 'x') + '"', {}},
};

const std::vector<text_case> refused{
    {"nothing", "", "the text is empty"},
    {"blanks only", " \n\t ", "the text is empty"},
    {"a comma before the end of a list", "[1,]", "line 1, column 4"},
    {"a comma before the end of an object", R"({"a":1,})", "line 1, column 8"},
    {"two values", "1 2", "expected end of input"},
    {"text behind the value", R"({"a":1}x)", "line 1, column 8"},
    {"single quotes", "{'a':1}", "line 1, column 2"},
    {"a name without quotes", "{a:1}", "line 1, column 2"},
    {"a comment", "/* no */ 1", "line 1, column 1"},
    {"NaN", "NaN", "invalid literal"},
    {"Infinity", "[Infinity]", "/0: "},
    {"a leading zero", "01", "expected end of input"},
    {"a leading plus", "+1", "invalid literal"},
    {"a point without decimals", "1.", "invalid number"},
    {"only a sign", "-", "invalid number"},
    {"hexadecimal", "0x10", "expected end of input"},
    {"a cut literal", "tru", "invalid literal"},
    {"a cut string", R"({"a":"b)", "/a: "},
    {"a cut object", R"({"a":{"b":1)", "/a"},
    {"a cut escape", R"("\u12)", "line 1"},
    {"an unknown escape", R"("\x41")", "line 1"},
    {"a byte order mark", "\xef\xbb\xbf{}", "byte order mark"},
    {"a NUL byte behind the value", std::string("{}\0", 3), "NUL byte"},
    {"a NUL byte inside a string", std::string("\"a\0b\"", 5), "NUL byte"},
    {"only a NUL byte", std::string(1, '\0'), "NUL byte"},
    {"an escaped NUL", R"({"a":["x\u0000y"]})", "/a/0: the string contains \\u0000"},
    {"an escaped NUL in a name", R"({"b":{"x\u0000":1}})", "/b: a member's name"},
    {"a tab inside a string", "\"\t\"", "control character"},
    {"a line break inside a string", "\"\n\"", "control character"},
    {"a lone high surrogate", R"("\ud800")", "surrogate"},
    {"a lone low surrogate", R"("\udc00")", "surrogate"},
    {"surrogates in the wrong order", R"("\ude00\ud83d")", "surrogate"},
    {"a high surrogate before a letter", R"("\ud800a")", "surrogate"},
    {"a surrogate in UTF-8", "\"\xed\xa0\x80\"", "invalid string"},
    {"an overlong slash", "\"\xc0\xaf\"", "invalid string"},
    {"beyond the last code point", "\"\xf4\x90\x80\x80\"", "invalid string"},
    {"a lone continuation byte", "\"\x80\"", "invalid string"},
    {"a cut sequence", "\"\xe2\x82\"", "invalid string"},
    {"Latin-1 outside a string", "\xe4", "line 1, column 1"},
    {"a number beyond a double", "[1,1e309]", "/1: the number is beyond the range"},
    {"a number beyond numeric", "1e400000", "the number is beyond the range"},
    {"a number of 400 digits", repeated("9", 400), "the number is beyond the range"},
    {"an exponent below the least", "1e-401", "exponent"},
    {"an exponent above the largest", "0e401", "exponent"},
    {"an exponent that overflows", "0e99999999999999999999", "exponent"},
    {"an exponent that underflows", "1e-99999999999999999999", "exponent"},
    {"one decimal too many", "0." + repeated("0", 16383) + "1", "decimals"},
    {"decimals and exponent too many together", "0." + repeated("1", 15984) + "e-400", "decimals"},
    {"a name twice", R"({"a":1,"b":2,"a":3})", "/a: the member appears twice"},
    {"a name twice further down", R"([{},{"x":[{"k":1,"k":1}]}])", "/1/x/0/k: the member"},
    {"a name twice by escape", R"({"a":1,"\u0061":2})", "/a: the member appears twice"},
    {"one level too deep", nested_lists(65), "deeper than 64 levels"},
    {"one level too deep in objects", repeated(R"({"a":)", 65) + "1" + repeated("}", 65),
     "deeper than 64 levels"},
    {"a hundred thousand levels", nested_lists(100'000), "deeper than 64 levels"},
    {"a hundred thousand levels, never closed", repeated("[", 100'000), "deeper than 64 levels"},
    {"a hundred thousand objects, never closed", repeated(R"({"":)", 50'000), "deeper than"},
};

} // namespace

BOOST_AUTO_TEST_SUITE(json_text)

// A8, B21
BOOST_DATA_TEST_CASE(accepts_what_the_database_can_hold, boost::unit_test::data::make(accepted),
                     sample) {
  const auto verdict = check_json(sample.text, json_limits{});
  BOOST_TEST(core::to_string(verdict.code) == "none");
  BOOST_TEST(verdict.detail == "");
}

BOOST_DATA_TEST_CASE(refuses_what_would_cost_a_batch, boost::unit_test::data::make(refused),
                     sample) {
  const auto verdict = check_json(sample.text, json_limits{});
  BOOST_TEST(core::to_string(verdict.code) == "payload_invalid");
  BOOST_TEST(verdict.detail.find(sample.detail) != std::string::npos, verdict.detail);
}

BOOST_AUTO_TEST_CASE(too_long_a_text_is_refused_unread) {
  const json_limits limits{10, 64};
  BOOST_TEST(core::to_string(check_json("[1,2,3,45]", limits).code) == "none");
  const auto verdict = check_json("[1,2,3,456]", limits);
  BOOST_TEST(core::to_string(verdict.code) == "too_large");
  BOOST_TEST(verdict.detail == "the JSON text has 11 bytes; send at most 10");
  // Not even looked at: the text is garbage.
  BOOST_TEST(core::to_string(check_json(std::string(10 << 20, '\xff'), limits).code)
             == "too_large");
}

// A80, A81: what stands for a document in the object store comes from nobody but us.
BOOST_AUTO_TEST_CASE(reserved_members_are_refused_wherever_they_stand_in_the_outermost_object) {
  for (const auto* text : {R"({"a":1,"$holdfast.object":7})", R"({ "$holdfast.object" : 7})",
                           R"({"$holdfast.x":1})", R"({"\u0024holdfast.object":7})"})
    BOOST_TEST(core::to_string(check_json(text, json_limits{}).code) == "payload_invalid", text);
  for (const auto* text : {R"({"$holdfast":1})", R"(["$holdfast.object"])", R"({"holdfast.x":1})"})
    BOOST_TEST(core::to_string(check_json(text, json_limits{}).code) == "none", text);
}

BOOST_AUTO_TEST_CASE(text_that_begins_like_a_reference_is_refused) {
  const auto verdict = check_json(R"({"$holdfast.object":7})", json_limits{});
  BOOST_TEST(core::to_string(verdict.code) == "payload_invalid");
  BOOST_TEST(verdict.detail.find("$holdfast.object") != std::string::npos);
  const auto within = check_json(R"({"see":{"$holdfast.object":7}})", json_limits{});
  BOOST_TEST(core::to_string(within.code) == "none");
}

BOOST_AUTO_TEST_CASE(ten_megabytes_of_string_pass_where_the_limit_allows_them) {
  const json_limits limits{11 << 20, 64};
  const auto text = '"' + std::string(10 << 20, 'x') + '"';
  BOOST_TEST(core::to_string(check_json(text, limits).code) == "none");
}

BOOST_AUTO_TEST_CASE(messages_about_long_texts_stay_short_and_valid) {
  // The parser quotes what it read last: here megabytes, and not UTF-8.
  const json_limits limits{11 << 20, 64};
  for (const auto& text : {'"' + std::string(10 << 20, 'x') + '\n', "[" + repeated("1", 1 << 20),
                           '"' + repeated("\xf0\x9f\x98\x80", 1000) + "\xff\"",
                           R"({")" + std::string(1 << 20, 'k') + R"(":nul})"}) {
    const auto detail = check_json(text, limits).detail;
    BOOST_TEST(detail.size() < 600U);
    BOOST_TEST(core::to_string(check_text(detail, "detail", 600).code) == "none");
  }
}

BOOST_AUTO_TEST_CASE(nesting_is_counted_to_the_level) {
  BOOST_TEST(core::to_string(check_json("[]", json_limits{100, 1}).code) == "none");
  BOOST_TEST(core::to_string(check_json("[[]]", json_limits{100, 1}).code) == "payload_invalid");
  BOOST_TEST(core::to_string(check_json("[{}]", json_limits{100, 2}).code) == "none");
  // Siblings do not add up.
  BOOST_TEST(core::to_string(check_json("[[],[],[]]", json_limits{100, 2}).code) == "none");
  // With a limit of nothing only scalars pass.
  BOOST_TEST(core::to_string(check_json("1", json_limits{100, 0}).code) == "none");
}

BOOST_AUTO_TEST_CASE(places_are_json_pointers) {
  const auto place_of = [](const char* text) {
    const auto detail = check_json(text, json_limits{}).detail;
    return detail.substr(0, detail.find(": "));
  };
  BOOST_TEST(place_of(R"({"a/b":{"c~d":["x", "\u0000"]}})") == "/a~1b/c~0d/1");
  BOOST_TEST(place_of(R"([[1,2],[3,["\u0000"]]])") == "/1/1/0");
  BOOST_TEST(place_of(R"([{"a":1},{"a":nope}])") == "/1/a");
  BOOST_TEST(place_of(R"([{"a":[]},"\u0000"])") == "/1");
}

BOOST_AUTO_TEST_CASE(lines_and_columns_are_counted_from_one) {
  const auto detail = check_json("{\n  \"a\": 1,\n  \"b\": ?\n}", json_limits{}).detail;
  BOOST_TEST(detail.find("line 3, column 8") != std::string::npos, detail);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(names_and_keys)

BOOST_AUTO_TEST_CASE(a_name_is_utf8_without_nul_and_of_bounded_length) {
  const auto code = [](std::string_view text) {
    return core::to_string(check_text(text, "contributor", 8).code);
  };
  BOOST_TEST(code("a") == "none");
  BOOST_TEST(code("12345678") == "none");
  BOOST_TEST(code("\xf0\x9f\x98\x80\xf0\x9f\x98\x80") == "none");
  BOOST_TEST(code("\x01\x7f") == "none"); // ugly, but storable
  BOOST_TEST(code("") == "invalid_argument");
  BOOST_TEST(code("123456789") == "invalid_argument");
  BOOST_TEST(code(std::string_view("a\0b", 3)) == "invalid_argument");
  BOOST_TEST(code("\xff") == "invalid_argument");
  BOOST_TEST(code("a\xc3") == "invalid_argument");
}

BOOST_AUTO_TEST_CASE(the_message_names_the_field_and_the_byte) {
  BOOST_TEST(check_text("", "key", 8).detail == "key must not be empty");
  BOOST_TEST(check_text("123456789", "key", 8).detail == "key has 9 bytes; at most 8 are allowed");
  BOOST_TEST(check_text(std::string_view("ab\0", 3), "key", 8).detail
             == "key contains a NUL at byte 2; leave it out");
  BOOST_TEST(check_text("abc\xfe", "key", 8).detail
             == "key is not valid UTF-8 at byte 3; encode it as UTF-8");
}

BOOST_AUTO_TEST_CASE(utf8_is_checked_at_the_edges_of_every_length) {
  const auto valid = [](std::string_view text) {
    return check_text(text, "key", 8).code == core::errc::none;
  };
  // First and last code point of each length.
  BOOST_TEST(valid("\x7f"));
  BOOST_TEST(valid("\xc2\x80"));
  BOOST_TEST(valid("\xdf\xbf"));
  BOOST_TEST(valid("\xe0\xa0\x80"));
  BOOST_TEST(valid("\xed\x9f\xbf"));
  BOOST_TEST(valid("\xee\x80\x80"));
  BOOST_TEST(valid("\xef\xbf\xbf"));
  BOOST_TEST(valid("\xf0\x90\x80\x80"));
  BOOST_TEST(valid("\xf4\x8f\xbf\xbf"));
  // Their neighbours: overlong forms, surrogates, beyond Unicode, bytes that never occur.
  BOOST_TEST(!valid("\x80"));
  BOOST_TEST(!valid("\xbf"));
  BOOST_TEST(!valid("\xc1\xbf"));
  BOOST_TEST(!valid("\xe0\x9f\xbf"));
  BOOST_TEST(!valid("\xed\xa0\x80"));
  BOOST_TEST(!valid("\xed\xbf\xbf"));
  BOOST_TEST(!valid("\xf0\x8f\xbf\xbf"));
  BOOST_TEST(!valid("\xf4\x90\x80\x80"));
  BOOST_TEST(!valid("\xf5\x80\x80\x80"));
  BOOST_TEST(!valid("\xfe"));
  // Cut after each byte, and continued by something else.
  BOOST_TEST(!valid("\xc2"));
  BOOST_TEST(!valid("\xe0\xa0"));
  BOOST_TEST(!valid("\xf0\x90\x80"));
  BOOST_TEST(!valid("\xc2z"));
  BOOST_TEST(!valid("\xe0\xa0z"));
  BOOST_TEST(!valid("\xe0z\x80"));
  BOOST_TEST(!valid("\xf0\x90\x80z"));
  BOOST_TEST(!valid("\xf0\x90z\x80"));
  BOOST_TEST(!valid("\xf0z\x80\x80"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(chained_inputs)

static std::string chained(std::string_view parent_input, bool parent_was_chained,
                           std::string_view parent_result, std::string_view item = {}) {
  return documents::chained_input({parent_input, parent_was_chained, parent_result}, item);
}

// A45, A77
BOOST_AUTO_TEST_CASE(the_second_unit_of_a_chain_gets_the_source_data_and_the_result) {
  BOOST_TEST(chained(R"({"url": "x"})", false, R"({"answer":"cat"})")
             == R"({"data":{"url": "x"},"result":{"answer":"cat"}})");
  BOOST_TEST(chained("[1, 2]", false, "null") == R"({"data":[1, 2],"result":null})");
}

BOOST_AUTO_TEST_CASE(further_units_keep_the_source_data_and_replace_the_result) {
  const auto second = chained(R"({"url":"x"})", false, R"({"answer":"cat"})");
  BOOST_TEST(chained(second, true, R"({"answer":"ok"})")
             == R"({"data":{"url":"x"},"result":{"answer":"ok"}})");
}

BOOST_AUTO_TEST_CASE(source_data_passes_through_unchanged_however_the_database_writes_it) {
  // Digits that no type of ours holds, blanks as jsonb puts them, quotes and braces in strings.
  const std::vector<std::string> sources{
      "123456789012345678901234567890.10",
      R"({"a": "\"}, \\", "b": [{}, "]"]})",
      R"("data")",
      R"({"data": {"data": 1}, "result": 2})",
      "[]",
      "-1.50e+10",
  };
  for (const auto& source : sources) {
    BOOST_TEST(chained(R"({"data": )" + source + R"(, "result": {"x": 1}})", true, "7")
               == R"({"data":)" + source + R"(,"result":7})");
    BOOST_TEST(chained("{ \"result\" : [1, {\"data\": 0}],\n\"data\" :" + source + " } ", true, "7")
               == R"({"data":)" + source + R"(,"result":7})");
  }
}

BOOST_AUTO_TEST_CASE(an_input_that_was_not_chained_but_has_a_member_data_is_source_data) {
  BOOST_TEST(chained(R"({"data":1})", false, "2") == R"({"data":{"data":1},"result":2})");
}

BOOST_AUTO_TEST_CASE(a_chained_input_without_data_is_a_bug_of_ours) {
  BOOST_CHECK_THROW(chained(R"({"result":1})", true, "2"), core::broken_invariant);
  BOOST_CHECK_THROW(chained("[]", true, "2"), core::broken_invariant);
  BOOST_CHECK_THROW(chained("", true, "2"), core::broken_invariant);
}

// G-4: fan-out
BOOST_AUTO_TEST_CASE(an_item_stays_with_its_chain) {
  const auto first = chained(R"({"url":"x"})", false, R"({"answer":"[1,2]"})", "1");
  BOOST_TEST(first == R"({"data":{"url":"x"},"item":1,"result":{"answer":"[1,2]"}})");
  const auto second = chained(first, true, R"({"answer":"ok"})");
  BOOST_TEST(second == R"({"data":{"url":"x"},"item":1,"result":{"answer":"ok"}})");
  BOOST_TEST(chained(second, true, "{}", R"("a")")
             == R"({"data":{"url":"x"},"item":"a","result":{}})");
}

// G-4: batch join
BOOST_AUTO_TEST_CASE(a_batch_has_a_list_in_place_of_each_member) {
  using documents::batch_data;
  const std::vector<std::string_view> inputs{R"({"data":{"url": "x"},"result":{"answer":"cat"}})",
                                             R"({"data":[1],"item":7,"result":{"answer":"dog"}})"};
  const auto both = documents::gathered_input(inputs, batch_data::of_each, 1000);
  BOOST_TEST(both.units == 2U);
  BOOST_TEST(both.input
             == R"({"data":[{"url": "x"},[1]],"item":[null,7],)"
                R"("result":[{"answer":"cat"},{"answer":"dog"}]})");
  const auto plain = documents::gathered_input({inputs[0]}, batch_data::of_each, 1000);
  BOOST_TEST(plain.input == R"({"data":[{"url": "x"}],"result":[{"answer":"cat"}]})");
  // What comes of it goes on as from any other unit.
  BOOST_TEST(chained(plain.input, true, "7") == R"({"data":[{"url": "x"}],"result":7})");
}

BOOST_AUTO_TEST_CASE(items_of_one_list_share_their_source_data) {
  const std::vector<std::string_view> inputs{R"({"data":"x","item":1,"result":{"answer":"a"}})",
                                             R"({"data":"x","item":2,"result":{"answer":"b"}})"};
  BOOST_TEST(documents::gathered_input(inputs, documents::batch_data::in_common, 1000).input
             == R"({"data":"x","item":[1,2],"result":[{"answer":"a"},{"answer":"b"}]})");
}

BOOST_AUTO_TEST_CASE(a_batch_is_as_long_as_may_be) {
  using documents::batch_data;
  const std::string one = R"({"data":"0123456789","result":"0123456789"})";
  const std::vector<std::string_view> inputs(20, one);
  for (const auto data_is : {batch_data::of_each, batch_data::in_common})
    for (std::size_t most = 100; most < 900; most += 7) {
      const auto made = documents::gathered_input(inputs, data_is, most);
      BOOST_TEST(made.input.size() <= most);
      BOOST_TEST(made.units >= 1U);
      BOOST_TEST(made.units <= 20U);
    }
  BOOST_TEST(documents::gathered_input(inputs, batch_data::of_each, 1000).units == 20U);
  BOOST_TEST(documents::gathered_input(inputs, batch_data::of_each, 1).units == 1U);
}

static std::string mapped(std::string_view input, const std::vector<core::input_member>& members,
                          bool with_result = false) {
  return documents::mapped_input(input, members, with_result);
}

static const std::string default_input =
    R"({"data":{"text":"t","secret":{"k":1}},"item":[7,8],"result":{"answer":"cat"}})";

// A88, G-4: input mapping
BOOST_AUTO_TEST_CASE(a_mapped_input_has_what_is_named_and_nothing_else) {
  BOOST_TEST(mapped(default_input,
                    {{"first", "/item/0"}, {"said", "/result/answer"}, {"text", "/data/text"}})
             == R"({"data":{"first":7,"said":"cat","text":"t"}})");
  BOOST_TEST(mapped(default_input, {{"all", ""}}) == R"({"data":{"all":)" + default_input + "}}");
  // What needs the result has it beside the data, as ever.
  BOOST_TEST(mapped(default_input, {{"text", "/data/text"}}, true)
             == R"({"data":{"text":"t"},"result":{"answer":"cat"}})");
}

BOOST_AUTO_TEST_CASE(pointer_that_finds_nothing_gives_null) {
  for (const auto* pointer :
       {"/date", "/data/text/x", "/data/secret/j", "/item/2", "/item/-", "/item/00", "/item/-1",
        "/item/x", "/result/answer/0", "/", "/data/", "/item/18446744073709551616"})
    BOOST_TEST(mapped(default_input, {{"x", pointer}}) == R"({"data":{"x":null}})", pointer);
  BOOST_TEST(mapped(R"({"data":[],"result":{}})", {{"x", "/data/0"}, {"y", "/item"}})
             == R"({"data":{"x":null,"y":null}})");
}

BOOST_AUTO_TEST_CASE(names_and_pointers_are_escaped_each_in_its_way) {
  const std::string input =
      R"({"data":{"a/b":1,"c~d":2,"~1":3,"":4,"e\"f":5,"\u00fc":6,"g\\":7},"result":{}})";
  BOOST_TEST(mapped(input, {{"1", "/data/a~1b"},
                            {"2", "/data/c~0d"},
                            {"3", "/data/~01"},
                            {"4", "/data/"},
                            {"5", "/data/e\"f"},
                            {"6", "/data/\xc3\xbc"},
                            {"7", "/data/g\\"}})
             == R"({"data":{"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7}})");
  BOOST_TEST(mapped(input, {{"say \"x\"\\\n", "/data/a~1b"}}) == R"({"data":{"say \"x\"\\\n":1}})");
}

BOOST_AUTO_TEST_CASE(mapped_members_pass_unchanged_however_the_database_writes_them) {
  const std::string digits = "123456789012345678901234567890.10";
  BOOST_TEST(mapped(R"( { "data" : { "n" : )" + digits + R"( , "l" : [ [ ] , "]" , { } ] } ,
                          "result" : { "answer" : "x" } } )",
                    {{"list", "/data/l"},
                     {"none", "/data/l/0/0"},
                     {"number", "/data/n"},
                     {"object", "/data/l/2"},
                     {"string", "/data/l/1"}},
                    true)
             == R"({"data":{"list":[ [ ] , "]" , { } ],"none":null,"number":)" + digits
                    + R"(,"object":{ },"string":"]"},"result":{ "answer" : "x" }})");
}

BOOST_AUTO_TEST_CASE(mapped_members_are_the_source_data_from_then_on) {
  const auto second = mapped(default_input, {{"text", "/data/text"}});
  const auto third = chained(second, true, R"({"answer":"ok"})");
  BOOST_TEST(third == R"({"data":{"text":"t"},"result":{"answer":"ok"}})");
  BOOST_TEST(mapped(third, {{"item", "/item"}, {"secret", "/data/secret"}, {"t", "/data/text"}})
             == R"({"data":{"item":null,"secret":null,"t":"t"}})");
}

BOOST_AUTO_TEST_CASE(a_list_has_items_and_anything_else_is_one) {
  const auto items = [](const std::string& result) {
    std::string text;
    for (const auto& item : documents::items_of(result))
      text += item.json + " is " + item.result + "\n";
    return text;
  };
  BOOST_TEST(items(R"({"answer":"[1,\"b\",{\"c\":[]}]","confidence":1})")
             == "1 is {\"answer\":\"1\"}\n"
                "\"b\" is {\"answer\":\"b\"}\n"
                "{\"c\":[]} is {\"answer\":\"{\\\"c\\\":[]}\"}\n");
  BOOST_TEST(items(R"({"answer":"[]"})") == "");
  BOOST_TEST(items(R"({"answer":"cat"})") == "\"cat\" is {\"answer\":\"cat\"}\n");
  BOOST_TEST(items(R"({"answer":"[1,"})") == "\"[1,\" is {\"answer\":\"[1,\"}\n");
  BOOST_TEST(items(R"({"answer":"{}"})") == "\"{}\" is {\"answer\":\"{}\"}\n");
}

// A18, A19, A20
BOOST_AUTO_TEST_CASE(answer_that_a_review_leaves_standing_goes_on) {
  const std::string input = R"({"data":1,"result":{"answer":"cat","confidence":0.5}})";
  const auto after = [&](const std::string& review) {
    return documents::reviewed_result({input, true, review});
  };
  BOOST_TEST(after(R"({"answer":"approve"})") == R"({"answer":"cat","confidence":0.5})");
  BOOST_TEST(after(R"({"answer":"reject"})") == R"({"answer":"cat","confidence":0.5})");
  BOOST_TEST(after(R"({"answer":"correct","correction":"dog"})")
             == R"({"answer":"dog","corrected":true})");
  BOOST_TEST(after(R"({"answer":"correct","correction":{"b":[1]}})")
             == R"({"answer":"{\"b\":[1]}","corrected":true})");
}

BOOST_AUTO_TEST_SUITE_END()
