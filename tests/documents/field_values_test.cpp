// Fields of judgments: their definition, what judgments say about them, and files of such.

#include "documents/field_table.hpp"
#include "documents/field_values.hpp"
#include "documents/fields_document.hpp"
#include "documents/normal_text.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace holdfast::documents {

namespace {

using nlohmann::json;

/// The problems of a definition, `/place: problem` by line.
std::string problems_of_fields(const char* source) {
  std::vector<core::definition_problem> problems;
  read_fields(json::parse(source), "", problems);
  std::string listed;
  for (const auto& one : problems)
    listed += one.place + ": " + one.what + '\n';
  return listed;
}

field_values fields_in(const char* source) {
  std::vector<core::definition_problem> problems;
  auto rules = read_fields(json::parse(source), "", problems);
  BOOST_REQUIRE_MESSAGE(problems.empty(), problems_of_fields(source));
  return field_values{std::move(rules)};
}

/// The judgment as it comes back when it is written from what was read.
std::string read_and_written(const field_values& fields, const char* judgment) {
  const auto said = fields.read(json::parse(judgment));
  return said ? fields.document(*said).dump() : said.error().detail;
}

constexpr auto several_kinds = R"([
  {"name": "kind", "kind": "category", "labels": ["car", 10, true]},
  {"name": "colours", "at": "/look/colours", "kind": "set", "options": ["red", "blue", "green"]},
  {"name": "length", "kind": "number", "within": 0.5, "optional": true},
  {"name": "note", "kind": "text", "normalise": {"case": true, "punctuation": true}}])";

} // namespace

BOOST_AUTO_TEST_SUITE(fields_of_judgments)

BOOST_AUTO_TEST_CASE(answers_have_the_shape_and_the_types_of_judgments) {
  const auto fields = fields_in(several_kinds);
  BOOST_TEST(
      read_and_written(fields, R"({"kind": "10", "look": {"colours": ["green", "red"], "x": 1},
                             "length": 2.50, "note": "Hello,  World!", "other": 3})")
      == R"({"kind":10,"length":2.5,"look":{"colours":["red","green"]},)"
         R"("note":"Hello,  World!"})");
  BOOST_TEST(read_and_written(fields, R"({"kind": true, "look": {"colours": []}, "note": ""})")
             == R"({"kind":true,"look":{"colours":[]},"note":""})");
}

BOOST_AUTO_TEST_CASE(what_is_not_of_the_kind_is_refused_with_its_place) {
  const auto fields = fields_in(several_kinds);
  const auto refusal = [&](const char* judgment) { return read_and_written(fields, judgment); };
  BOOST_TEST(refusal(R"({"kind": "bus", "look": {"colours": []}, "note": ""})")
             == "/kind: is none of the values that the field lists");
  BOOST_TEST(refusal(R"({"look": {"colours": []}, "note": ""})")
             == "/kind: is missing; the step compares the value at this place");
  BOOST_TEST(refusal(R"({"kind": "car", "look": {"colours": ["red", "red"]}, "note": ""})")
             == "/look/colours/1: is in the list already");
  BOOST_TEST(refusal(R"({"kind": "car", "look": {"colours": []}, "length": "3", "note": ""})")
             == "/length: must be a number");
  const auto number = fields_in(R"([{"name": "n", "kind": "number"}])");
  BOOST_TEST(read_and_written(number, R"({"n": 0.1})") == R"({"n":0.1})");
  BOOST_TEST(read_and_written(number, R"({"n": 9007199254740992})") == R"({"n":9007199254740992})");
}

BOOST_AUTO_TEST_CASE(texts_are_compared_without_what_the_field_overlooks) {
  core::fields::text_normalisation how;
  BOOST_TEST(phrase_of(" a \t b\n", how).compared == "a b");
  BOOST_TEST(phrase_of("e\xCC\x81", how).compared == "\xC3\xA9"); // composed
  how.letter_case = true;
  BOOST_TEST(phrase_of("STRASSE", how).compared == phrase_of("Straße", how).compared);
  how.punctuation = true;
  const auto made = phrase_of("Well -- \"done\", he said.", how);
  BOOST_TEST(made.compared == "well done he said");
  BOOST_REQUIRE_EQUAL(made.words.size(), 4U);
  BOOST_TEST(made.words[1].written == "\"done\",");
  how = {};
  how.blanks = false;
  BOOST_TEST(phrase_of("a  b ", how).compared == "a  b ");
  how.nfc = false;
  BOOST_TEST(phrase_of("e\xCC\x81", how).compared == "e\xCC\x81");
}

BOOST_AUTO_TEST_CASE(marks_and_spans_have_the_forms_of_the_labelling_page) {
  const auto fields = fields_in(R"([
    {"name": "boxes", "kind": "boxes", "labels": ["car", "bus"]},
    {"name": "point", "kind": "points", "single": true},
    {"name": "areas", "kind": "polygons", "optional": true},
    {"name": "tags", "kind": "spans", "labels": ["date"]},
    {"name": "order", "kind": "ranking", "items": ["a", "b"]}])");
  BOOST_TEST(read_and_written(fields,
                              R"({"boxes": [{"label": "car", "box": [30, 10.5, 1, 2]},
                                     {"label": "bus", "x": 1, "y": 2, "width": 3, "height": 4}],
                           "point": [4, 5], "areas": [{"polygon": [[0, 0], [4, 0], [0, 4]]}],
                           "tags": [{"start": 3, "end": 7, "label": "date", "text": "2024"}],
                           "order": ["b", "a"]})")
             == R"({"areas":[{"polygon":[[0,0],[4,0],[0,4]]}],)"
                R"("boxes":[{"box":[1,2,30,10.5],"label":"car"},{"box":[1,2,4,6],"label":"bus"}],)"
                R"("order":["b","a"],"point":[4,5],"tags":[{"end":7,"label":"date","start":3}]})");
  const auto refusal = [&](const char* boxes, const char* tags) {
    const auto judgment = json{{"boxes", json::parse(boxes)},
                               {"point", {1, 2}},
                               {"tags", json::parse(tags)},
                               {"order", json::array()}};
    return read_and_written(fields, judgment.dump().c_str());
  };
  BOOST_TEST(refusal(R"([{"label": "car", "box": [1, 2, 3]}])", "[]")
             == "/boxes/0/box: must be [left, top, right, bottom], numbers of at most 1e9");
  BOOST_TEST(refusal(R"([{"label": "van", "box": [1, 2, 3, 4]}])", "[]")
             == "/boxes/0/label: is none of the labels of the field");
  BOOST_TEST(refusal(R"([[1, 2, 3, 1e10]])", "[]")
             == "/boxes/0: must be an object with label and box");
  BOOST_TEST(refusal("[]", R"([{"start": 3, "end": 3, "label": "date"}])")
             == "/tags/0: must have a start and an end behind it, both whole numbers of characters "
                "from 0");
}

BOOST_AUTO_TEST_CASE(a_definition_that_cannot_be_used_is_refused_with_each_place) {
  BOOST_TEST(problems_of_fields(R"([
    {"name": "A b", "kind": "colour"},
    {"name": "n", "kind": "number", "method": "majority", "within": -1, "labels": ["x"]},
    {"name": "n", "at": "n", "kind": "ordinal"},
    {"name": "s", "kind": "set", "options": ["10", 10], "share": 2},
    {"name": "p", "kind": "pairwise", "labels": ["a"], "between": ["/x"]}])")
             == "/0/name: must be 1 to 64 of a-z 0-9 _ -\n"
                "/0/kind: must be one of category, set, number, ordinal, text, boxes, points, "
                "polygons, spans, pairwise, ranking, none\n"
                "/1/method: must be one of weighted_median, mean, trimmed_mean for a field of kind "
                "number\n"
                "/1/within: must be from 0 to 1e15\n"
                "/1/labels: is not a member that is known here\n"
                "/2/at: must be a JSON pointer into the judgment, such as /answer/kind\n"
                "/2/labels: is missing: list the labels, the lowest first\n"
                "/2/name: is the name of another field, too\n"
                "/3/options/1: is in the list already\n"
                "/3/share: must be from 0 to 1\n"
                "/4/labels: must have two labels, and a third one if both may be as good\n"
                "/4/between: must be two JSON pointers into the input of a unit, to the items that "
                "it compares\n");
  BOOST_TEST(problems_of_fields("[]") == ": must be a list of 1 to 64 fields\n");
}

BOOST_AUTO_TEST_CASE(files_of_judgments_are_read_line_by_line) {
  const auto fields = fields_in(R"([{"name": "kind", "kind": "category", "labels": ["a", "b"]},
                                    {"name": "n", "kind": "number"}])");
  const auto lines = read_field_table("{\"unit\": 1, \"contributor\": \"w\", \"judgment\": "
                                      "{\"kind\": \"a\", \"n\": 3}, \"trust\": 0.5}\r\n"
                                      "\n"
                                      "{\"task\": \"1\", \"worker\": \"v\", \"judgment\": "
                                      "{\"kind\": \"b\", \"n\": 4}}\n"
                                      "{\"unit\": 1, \"contributor\": \"w\", \"judgment\": "
                                      "{\"kind\": \"b\", \"n\": 9}}\n",
                                      judgment_format::json_lines, "f", fields, true);
  BOOST_REQUIRE_MESSAGE(lines, (lines ? "" : lines.error().detail));
  BOOST_TEST(lines->units.size() == 1U);
  BOOST_TEST(lines->contributors.size() == 2U);
  BOOST_TEST(lines->repeated == 1U);
  BOOST_TEST(lines->judgments[1].size() == 2U);
  BOOST_TEST(lines->judgments[1][0].weight == 0.5);
  // The same by columns, and as an export of judgments has them.
  for (const auto* csv : {"worker,task,kind,n\nw,1,a,3\nv,1,b,4\n",
                          "worker,task,label\nw,1,\"{\"\"kind\"\":\"\"a\"\",\"\"n\"\":3}\"\n"
                          "v,1,\"{\"\"n\"\":4,\"\"kind\"\":\"\"b\"\"}\"\n"}) {
    const auto table = read_field_table(csv, judgment_format::csv, "f", fields, false);
    BOOST_REQUIRE_MESSAGE(table, (table ? "" : table.error().detail));
    BOOST_TEST(std::get<double>(table->judgments[1][1].said) == 4);
    BOOST_TEST(std::get<std::string>(table->judgments[0][0].said) == "\"a\"");
  }
  const auto truths =
      read_field_truths("task,kind,n\n1,b,4\n2,a,1\n", judgment_format::csv, "t", fields, *lines);
  BOOST_REQUIRE(truths);
  BOOST_REQUIRE_EQUAL(truths->size(), 1U);
  BOOST_TEST(std::get<double>(truths->front()->at(1)) == 4);
}

BOOST_AUTO_TEST_CASE(a_bad_line_of_a_file_is_named_and_costs_that_line) {
  const auto fields = fields_in(R"([{"name": "n", "kind": "number"}])");
  const auto whole = read_field_table("worker,task,n\nw,1,3\nw,2,x\n", judgment_format::csv,
                                      "f.csv", fields, false);
  BOOST_REQUIRE(!whole);
  BOOST_TEST(whole.error().detail == "f.csv:3: n: must be a number");
  std::vector<std::string> refused;
  const auto rest =
      read_field_table("{\"unit\": 1}\n{\"unit\": 1, \"worker\": 2, \"judgment\": {\"n\": 1}}\n{\n",
                       judgment_format::json_lines, "f", fields, false,
                       [&](const core::failure& why) { refused.push_back(why.detail); });
  BOOST_REQUIRE(rest);
  BOOST_TEST(rest->units.size() == 1U);
  BOOST_REQUIRE_EQUAL(refused.size(), 2U);
  BOOST_TEST(refused[0] == "f:1: there is no member contributor or worker");
  BOOST_TEST(refused[1].rfind("f:3: ", 0) == 0);
  const auto headless = read_field_table("a,b\n1,2\n", judgment_format::csv, "f", fields, false);
  BOOST_TEST(!headless);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::documents
