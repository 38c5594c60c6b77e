// JSON Schema, drafts 2020-12 and 7, keyword by keyword: what fits, what does not, and what the
// message says. The cases are written as schema, value and message, so that they read like the
// specification.

#include "documents/schema.hpp"

#include "documents/format.hpp"
#include "documents/pattern.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <ostream>
#include <string>
#include <thread>
#include <vector>

using namespace holdfast;
using documents::schema;
using nlohmann::json;

namespace {

std::string text_of(const core::definition_problem& problem) {
  return problem.place.empty() ? problem.what : problem.place + ": " + problem.what;
}

schema compiled(const std::string& source) {
  std::vector<core::definition_problem> problems;
  auto result = schema::compile(json::parse(source), "", problems);
  for (const auto& problem : problems)
    BOOST_ERROR("schema " << source << ": " << text_of(problem));
  BOOST_REQUIRE(result);
  return std::move(*result);
}

/// "fits", or the message.
std::string verdict(const schema& checked, const std::string& value) {
  const auto violation = checked.violation_in(json::parse(value));
  return violation ? text_of(*violation) : "fits";
}

struct value_case {
  std::string schema;
  std::string value;
  std::string verdict;
};
std::ostream& operator<<(std::ostream& out, const value_case& c) {
  return out << c.value << " against " << c.schema;
}

const std::string fits = "fits";

const std::vector<value_case> value_cases{
    // boolean schemas
    {"true", "1", fits},
    {"{}", "null", fits},
    {"false", "1", "must not be here: the schema allows nothing at this place"},
    // type
    {R"({"type":"string"})", R"("a")", fits},
    {R"({"type":"string"})", "1", "must be a string, not an integer"},
    {R"({"type":"string"})", "1.5", "must be a string, not a number"},
    {R"({"type":"integer"})", "1", fits},
    {R"({"type":"integer"})", "1.0", fits},
    {R"({"type":"integer"})", "1e3", fits},
    {R"({"type":"integer"})", "18446744073709551615", fits},
    {R"({"type":"integer"})", "1.5", "must be an integer, not a number"},
    {R"({"type":"integer"})", R"("1")", "must be an integer, not a string"},
    {R"({"type":"number"})", "1", fits},
    {R"({"type":"number"})", "true", "must be a number, not true or false"},
    {R"({"type":"object"})", "{}", fits},
    {R"({"type":"object"})", "[]", "must be an object, not a list"},
    {R"({"type":"array"})", "[]", fits},
    {R"({"type":"array"})", "{}", "must be a list, not an object"},
    {R"({"type":"boolean"})", "false", fits},
    {R"({"type":"boolean"})", "0", "must be true or false, not an integer"},
    {R"({"type":"null"})", "null", fits},
    {R"({"type":"null"})", "false", "must be null, not true or false"},
    {R"({"type":["string","null"]})", "null", fits},
    {R"({"type":["string","null"]})", "1", "must be a string or null, not an integer"},
    // enum and const
    {R"({"enum":["cat","dog"]})", R"("dog")", fits},
    {R"({"enum":["cat","dog"]})", R"("bird")", R"(must be one of "cat", "dog", not "bird")"},
    {R"({"enum":["cat","dog"]})", R"("Cat")", R"(must be one of "cat", "dog", not "Cat")"},
    {R"({"enum":[1,"1"]})", R"("1")", fits},
    {R"({"enum":[1]})", R"("1")", R"(must be 1, not "1")"},
    {R"({"enum":[1]})", "1.0", fits},
    {R"({"enum":[true]})", "1", "must be true, not 1"},
    {R"({"enum":[{"a":1,"b":[2]}]})", R"({"b":[2.0],"a":1})", fits},
    {R"({"const":null})", "null", fits},
    {R"({"const":{"a":1}})", R"({"a":2})", R"(must be {"a":1}, not {"a":2})"},
    {R"({"const":18446744073709551615})", "-1", "must be 18446744073709551615, not -1"},
    {R"({"const":2,"enum":[1,2]})", "2", fits},
    {R"({"const":2,"enum":[1,2]})", "1", "must be 2, not 1"},
    // bounds on numbers
    {R"({"minimum":3})", "3", fits},
    {R"({"minimum":3})", "2.9", "must be at least 3, not 2.9"},
    {R"({"maximum":3})", "3", fits},
    {R"({"maximum":3})", "3.1", "must be at most 3, not 3.1"},
    {R"({"exclusiveMinimum":3})", "3.1", fits},
    {R"({"exclusiveMinimum":3})", "3", "must be greater than 3, not 3"},
    {R"({"exclusiveMaximum":3})", "2.9", fits},
    {R"({"exclusiveMaximum":3})", "3", "must be less than 3, not 3"},
    {R"({"minimum":3})", R"("2")", fits},
    {R"({"minimum":0})", "18446744073709551615", fits},
    {R"({"maximum":9007199254740992})", "9007199254740993",
     "must be at most 9007199254740992, not 9007199254740993"},
    {R"({"minimum":-9223372036854775808})", "-9223372036854775808", fits},
    // multipleOf
    {R"({"multipleOf":2})", "4", fits},
    {R"({"multipleOf":2})", "-4", fits},
    {R"({"multipleOf":2})", "0", fits},
    {R"({"multipleOf":2})", "5", "must be a multiple of 2, not 5"},
    {R"({"multipleOf":2})", R"("5")", fits},
    {R"({"multipleOf":0.01})", "19.99", fits},
    {R"({"multipleOf":0.01})", "19.995", "must be a multiple of 0.01, not 19.995"},
    {R"({"multipleOf":0.0001})", "0.0075", fits},
    {R"({"multipleOf":0.123456789})", "1e308", "must be a multiple of 0.123456789, not 1e+308"},
    {R"({"multipleOf":1})", "9223372036854775807", fits},
    {R"({"multipleOf":2})", "3000000001", "must be a multiple of 2, not 3000000001"},
    {R"({"multipleOf":1000})", "1700000000001", "must be a multiple of 1000, not 1700000000001"},
    {R"({"multipleOf":1})", "1234567890.5", "must be a multiple of 1, not 1234567890.5"},
    {R"({"multipleOf":0.1})", "0.30000000000000004", fits},
    // strings: characters, not bytes
    {R"({"minLength":2})", R"("äö")", fits},
    {R"({"minLength":2})", R"("ä")", "must have at least 2 characters, not 1"},
    {R"({"minLength":1})", R"("")", "must have at least 1 character, not 0"},
    {R"({"maxLength":2})", R"("äö")", fits},
    {R"({"maxLength":2})", R"("äöü")", "must have at most 2 characters, not 3"},
    {R"({"maxLength":1})", R"("😀")", fits},
    {R"({"maxLength":2.0})", "12345", fits},
    // pattern
    {R"({"pattern":"b"})", R"("abc")", fits},
    {R"({"pattern":"^b"})", R"("abc")", "must match the pattern ^b"},
    {R"({"pattern":"^.{2}$"})", R"("äö")", fits},
    {R"({"pattern":"^a$"})", "1", fits},
    // arrays
    {R"({"items":{"type":"integer"}})", "[1,2]", fits},
    {R"({"items":{"type":"integer"}})", "[]", fits},
    {R"({"items":{"type":"integer"}})", R"([1,"x"])", "/1: must be an integer, not a string"},
    {R"({"items":false})", "[]", fits},
    {R"({"items":false})", "[1]", "/0: must not be here: the schema allows nothing at this place"},
    {R"({"items":[{"type":"integer"},{"type":"string"}]})", R"([1,"a",null])", fits},
    {R"({"items":[{"type":"integer"},{"type":"string"}]})", R"([1])", fits},
    {R"({"items":[{"type":"integer"},{"type":"string"}]})", R"([1,2])",
     "/1: must be a string, not an integer"},
    {R"({"items":[true],"additionalItems":false})", "[1]", fits},
    {R"({"items":[true],"additionalItems":false})", "[1,2]",
     "/1: must not be here: the schema allows nothing at this place"},
    {R"({"items":[],"additionalItems":{"type":"null"}})", "[1]",
     "/0: must be null, not an integer"},
    {R"({"items":{},"additionalItems":false})", "[1,2]", fits},
    {R"({"additionalItems":false})", "[1]", fits},
    {R"({"minItems":1})", "[1]", fits},
    {R"({"minItems":1})", "[]", "must have at least 1 element, not 0"},
    {R"({"maxItems":1})", "[1]", fits},
    {R"({"maxItems":1})", "[1,2]", "must have at most 1 element, not 2"},
    {R"({"uniqueItems":true})", R"([1,"1",[1],{"a":1},true,null])", fits},
    {R"({"uniqueItems":true})", "[3,1,2,1.0]",
     "must not have equal elements, but 1 and 3 are equal"},
    {R"({"uniqueItems":true})", R"([{"a":1,"b":2},{"b":2,"a":1}])",
     "must not have equal elements, but 0 and 1 are equal"},
    {R"({"uniqueItems":false})", "[1,1]", fits},
    {R"({"contains":{"const":5}})", "[1,5]", fits},
    {R"({"contains":{"const":5}})", "[1,4]",
     "must have an element that fits the schema of 'contains'"},
    {R"({"contains":true})", "[]", "must have an element that fits the schema of 'contains'"},
    {R"({"contains":{"const":5}})", R"("no list")", fits},
    // objects
    {R"({"required":["a"]})", R"({"a":null})", fits},
    {R"({"required":["a","b"]})", R"({"a":1})", "needs the member 'b'"},
    {R"({"required":["a"]})", "[]", fits},
    {R"({"properties":{"a":{"type":"integer"}}})", R"({"b":"x"})", fits},
    {R"({"properties":{"a":{"type":"integer"}}})", R"({"a":"x"})",
     "/a: must be an integer, not a string"},
    {R"({"properties":{"a/b":{"properties":{"c~d":false}}}})", R"({"a/b":{"c~d":1}})",
     "/a~1b/c~0d: must not be here: the schema allows nothing at this place"},
    {R"({"properties":{"label":{}},"additionalProperties":false})", R"({"label":1})", fits},
    {R"({"properties":{"label":{}},"additionalProperties":false})", R"({"lable":1})",
     "/lable: is not a member that the schema knows; did you mean 'label'?"},
    {R"({"properties":{"label":{}},"additionalProperties":false})", R"({"colour":1})",
     "/colour: is not a member that the schema knows"},
    {R"({"properties":{"a":{}},"additionalProperties":{"type":"null"}})", R"({"a":1,"b":null})",
     fits},
    {R"({"properties":{"a":{}},"additionalProperties":{"type":"null"}})", R"({"a":1,"b":2})",
     "/b: must be null, not an integer"},
    {R"({"patternProperties":{"^x_":{"type":"integer"}}})", R"({"x_1":1,"y":"s"})", fits},
    {R"({"patternProperties":{"^x_":{"type":"integer"}}})", R"({"x_1":"s"})",
     "/x_1: must be an integer, not a string"},
    {R"({"patternProperties":{"^x":{}},"additionalProperties":false})", R"({"x1":1})", fits},
    {R"({"patternProperties":{"^x":{}},"additionalProperties":false})", R"({"y":1})",
     "/y: is not a member that the schema knows"},
    {R"({"properties":{"x1":{"minimum":3}},"patternProperties":{"^x":{"maximum":5}}})",
     R"({"x1":6})", "/x1: must be at most 5, not 6"},
    {R"({"propertyNames":{"maxLength":3}})", R"({"abc":1})", fits},
    {R"({"propertyNames":{"maxLength":3}})", R"({"abcd":1})",
     "/abcd: must have at most 3 characters, not 4"},
    {R"({"minProperties":1})", "{}", "must have at least 1 member, not 0"},
    {R"({"maxProperties":1})", R"({"a":1})", fits},
    {R"({"maxProperties":1})", R"({"a":1,"b":2})", "must have at most 1 member, not 2"},
    {R"({"dependencies":{"a":["b"]}})", R"({"a":1,"b":2})", fits},
    {R"({"dependencies":{"a":["b"]}})", R"({"b":2})", fits},
    {R"({"dependencies":{"a":["b"]}})", R"({"a":2})", "needs the member 'b' because it has 'a'"},
    {R"({"dependencies":{"a":{"required":["c"]}}})", R"({"b":1})", fits},
    {R"({"dependencies":{"a":{"required":["c"]}}})", R"({"a":1})", "needs the member 'c'"},
    {R"({"dependencies":{"a":{"required":["c"]}}})", "[]", fits},
    // combinations
    {R"({"allOf":[{"minimum":1},{"maximum":3}]})", "2", fits},
    {R"({"allOf":[{"minimum":1},{"maximum":3}]})", "4", "must be at most 3, not 4"},
    {R"({"anyOf":[{"type":"string"},{"minimum":5}]})", "5", fits},
    {R"({"anyOf":[{"type":"string"},{"minimum":5}]})", "4",
     "must be a string, not an integer (none of the 2 alternatives fits)"},
    {R"({"anyOf":[{"type":"string"}]})", "4", "must be a string, not an integer"},
    {R"({"anyOf":[{"type":"string"},{"properties":{"x":{"type":"null"}}}]})", R"({"x":1})",
     "/x: must be null, not an integer (none of the 2 alternatives fits)"},
    {R"({"oneOf":[{"multipleOf":2},{"multipleOf":3}]})", "4", fits},
    {R"({"oneOf":[{"multipleOf":2},{"multipleOf":3}]})", "6",
     "must fit exactly one of the 2 alternatives of 'oneOf', but fits 2"},
    {R"({"oneOf":[{"multipleOf":2},{"multipleOf":3}]})", "5",
     "must be a multiple of 2, not 5 (none of the 2 alternatives fits)"},
    {R"({"not":{"type":"string"}})", "1", fits},
    {R"({"not":{"type":"string"}})", R"("a")", "must not fit the schema of 'not'"},
    {R"({"if":{"minimum":10},"then":{"multipleOf":10},"else":{"maximum":5}})", "20", fits},
    {R"({"if":{"minimum":10},"then":{"multipleOf":10},"else":{"maximum":5}})", "21",
     "must be a multiple of 10, not 21"},
    {R"({"if":{"minimum":10},"then":{"multipleOf":10},"else":{"maximum":5}})", "5", fits},
    {R"({"if":{"minimum":10},"then":{"multipleOf":10},"else":{"maximum":5}})", "6",
     "must be at most 5, not 6"},
    {R"({"if":{"minimum":10},"then":false})", "9", fits},
    {R"({"then":false,"else":false})", "9", fits},
    // references
    {R"({"properties":{"a":{"$ref":"#/definitions/n"}},"definitions":{"n":{"minimum":1}}})",
     R"({"a":0})", "/a: must be at least 1, not 0"},
    {R"({"items":{"$ref":"#/definitions/a~1b"},"definitions":{"a/b":{"type":"null"}}})", "[1]",
     "/0: must be null, not an integer"},
    {R"({"items":{"$ref":"#/definitions/a%25b"},"definitions":{"a%b":{"type":"null"}}})", "[1]",
     "/0: must be null, not an integer"},
    {R"({"items":{"$ref":"#/$defs/x"},"$defs":{"x":false}})", "[1]",
     "/0: must not be here: the schema allows nothing at this place"},
    {R"({"properties":{"v":{"type":"integer"},"next":{"$ref":"#"}}})",
     R"({"v":1,"next":{"v":2,"next":{"v":"x"}}})",
     "/next/next/v: must be an integer, not a string"},
    {R"({"items":[{"type":"null"},{"$ref":"#/items/0"}]})", "[null,1]",
     "/1: must be null, not an integer"},
    // beside $ref nothing counts in draft 7, everything since
    {R"({"$schema":"http://json-schema.org/draft-07/schema#",
        "items":{"$ref":"#/definitions/x","maximum":1},"definitions":{"x":{"minimum":5}}})",
     "[7]", fits},
    {R"({"$schema":"https://json-schema.org/draft/2020-12/schema",
        "items":{"$ref":"#/$defs/x","maximum":9},"$defs":{"x":{"minimum":5}}})",
     "[7,10]", "/1: must be at most 9, not 10"},
    {R"({"items":{"$ref":"#/$defs/x","maximum":9},"$defs":{"x":{"minimum":5}}})", "[4]",
     "/0: must be at least 5, not 4"},
    // a definition with conditions, used by reference
    {R"({"items":{"$ref":"#/definitions/d"},"definitions":{"d":{"if":{"type":"string"},"then":
        {"maxLength":1},"propertyNames":{"maxLength":1}}}})",
     R"(["a",{"b":1},5])", fits},
    // draft 2020-12
    {R"({"prefixItems":[{"type":"integer"},{"type":"string"}]})", R"([1,"a",null])", fits},
    {R"({"prefixItems":[{"type":"integer"},{"type":"string"}]})", "[1]", fits},
    {R"({"prefixItems":[{"type":"integer"},{"type":"string"}]})", "[1,2]",
     "/1: must be a string, not an integer"},
    {R"({"prefixItems":[true],"items":false})", "[1]", fits},
    {R"({"prefixItems":[true],"items":false})", "[1,2]",
     "/1: must not be here: the schema allows nothing at this place"},
    {R"({"prefixItems":[true],"items":{"type":"null"}})", "[1,null,2]",
     "/2: must be null, not an integer"},
    {R"({"contains":{"const":5},"minContains":2})", "[5,1,5]", fits},
    {R"({"contains":{"const":5},"minContains":2})", "[5,1]",
     "must have at least 2 of the elements that fit the schema of 'contains', not 1"},
    {R"({"contains":{"const":5},"maxContains":1})", "[5,1]", fits},
    {R"({"contains":{"const":5},"maxContains":1})", "[5,5]",
     "must have at most 1 of the elements that fit the schema of 'contains', not 2"},
    {R"({"contains":{"const":5},"maxContains":1})", "[1]",
     "must have an element that fits the schema of 'contains'"},
    {R"({"contains":{"const":5},"minContains":0})", "[1]", fits},
    {R"({"minContains":2,"maxContains":1})", "[1]", fits},
    {R"({"dependentRequired":{"a":["b"]}})", R"({"a":1,"b":2})", fits},
    {R"({"dependentRequired":{"a":["b"]}})", R"({"a":2})",
     "needs the member 'b' because it has 'a'"},
    {R"({"dependentSchemas":{"a":{"required":["c"]}}})", R"({"a":1})", "needs the member 'c'"},
    {R"({"dependentSchemas":{"a":{"required":["c"]}}})", R"({"b":1})", fits},
    // as Pydantic writes it
    {R"({"$defs":{"Box":{"properties":{"x":{"title":"X","type":"number"},
        "kind":{"const":"box","default":"box","title":"Kind","type":"string"}},
        "required":["x"],"title":"Box","type":"object"}},
        "properties":{"boxes":{"items":{"$ref":"#/$defs/Box"},"title":"Boxes","type":"array"},
        "note":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"title":"Note"},
        "point":{"maxItems":2,"minItems":2,"prefixItems":[{"type":"number"},{"type":"number"}],
        "title":"Point","type":"array"},
        "at":{"format":"date-time","title":"At","type":"string"},
        "old":{"deprecated":true,"title":"Old","type":"integer"}},
        "required":["boxes"],"title":"Answer","type":"object"})",
     R"({"boxes":[{"x":1.5},{"x":"2"}],"note":null,"point":[1,2]})",
     "/boxes/1/x: must be a number, not a string"},
    // as zod writes it
    {R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
        "properties":{"label":{"type":"string","enum":["cat","dog"]},
        "count":{"type":"integer","exclusiveMinimum":0,"maximum":9007199254740991}},
        "required":["label","count"],"additionalProperties":false})",
     R"({"label":"cat","count":0})", "/count: must be greater than 0, not 0"},
    // as OpenAPI 3.1 writes it
    {R"({"oneOf":[{"$ref":"#/$defs/cat"},{"$ref":"#/$defs/dog"}],
        "discriminator":{"propertyName":"kind"},"example":{"kind":"cat"},
        "externalDocs":{"url":"https://e.org"},"xml":{"name":"pet"},
        "$defs":{"cat":{"properties":{"kind":{"const":"cat"}}},
                 "dog":{"properties":{"kind":{"const":"dog"}}}}})",
     R"({"kind":"dog"})", fits},
    // formats that are not checked here are annotations
    {R"({"type":"string","format":"hostname"})", R"("not a host")", fits},
    {R"({"type":"integer","format":"int32"})", "1", fits},
    // annotations and members of one's own
    {R"({"title":"t","description":"d","default":1,"examples":[],"$comment":"c","x-ui":{"any":1},
        "readOnly":true,"contentMediaType":"text/plain",
        "$schema":"http://json-schema.org/draft-07/schema#","$id":"https://e.org/s"})",
     "1", fits},
};

struct schema_case {
  std::string schema;
  std::string problem;
};
std::ostream& operator<<(std::ostream& out, const schema_case& c) {
  return out << c.schema.substr(0, 200);
}

std::string chain_of_references(std::size_t length) {
  auto source = json{{"$ref", "#/definitions/0"}, {"definitions", json::object()}};
  for (std::size_t i = 0; i < length; ++i)
    source["definitions"][std::to_string(i)] = {{"$ref", "#/definitions/" + std::to_string(i + 1)}};
  source["definitions"][std::to_string(length)] = true;
  return source.dump();
}

const std::vector<schema_case> refused_schemas{
    {"1", "must be a schema: an object, true or false"},
    {R"({"items":3})", "/items: must be a schema: an object, true or false"},
    {R"({"propertis":{}})",
     "/propertis: is not a keyword of JSON Schema; did you mean 'properties'? (members of "
     "your own begin with x-)"},
    {R"({"properties":{"a":{"minLenght":1}}})",
     "/properties/a/minLenght: is not a keyword of JSON Schema; did you mean 'minLength'? "
     "(members of your own begin with x-)"},
    {R"({"unevaluatedProperties":false})",
     "/unevaluatedProperties: is not checked here; write additionalProperties or items in each "
     "alternative"},
    {R"({"type":"strnig"})",
     "/type: must be one of null, boolean, object, array, number, string, integer; did you mean "
     "'string'?"},
    {R"({"type":["string",1]})",
     "/type/1: must be one of null, boolean, object, array, number, string, integer"},
    {R"({"type":[]})", "/type: must name at least one type"},
    {R"({"enum":[]})", "/enum: must be a list of at least one value"},
    {R"({"enum":"a"})", "/enum: must be a list of at least one value"},
    {R"({"minimum":"1"})", "/minimum: must be a number"},
    {R"({"maximum":null})", "/maximum: must be a number"},
    {R"({"exclusiveMinimum":true})", "/exclusiveMinimum: must be a number"},
    {R"({"exclusiveMaximum":true})", "/exclusiveMaximum: must be a number"},
    {R"({"multipleOf":0})", "/multipleOf: must be greater than 0"},
    {R"({"multipleOf":-1})", "/multipleOf: must be greater than 0"},
    {R"({"multipleOf":"2"})", "/multipleOf: must be a number"},
    {R"({"minLength":-1})", "/minLength: must be a whole number from 0 to 1000000000000000"},
    {R"({"maxLength":1.5})", "/maxLength: must be a whole number from 0 to 1000000000000000"},
    {R"({"minItems":"1"})", "/minItems: must be a whole number from 0 to 1000000000000000"},
    {R"({"maxItems":1e300})", "/maxItems: must be a whole number from 0 to 1000000000000000"},
    {R"({"minProperties":null})",
     "/minProperties: must be a whole number from 0 to 1000000000000000"},
    {R"({"maxProperties":-0.5})",
     "/maxProperties: must be a whole number from 0 to 1000000000000000"},
    {R"({"uniqueItems":1})", "/uniqueItems: must be true or false"},
    {R"({"pattern":1})", "/pattern: must be a string"},
    {R"({"pattern":"("})",
     "/pattern: is not a usable regular expression: Mismatched '(' and ')' in "
     "regular expression"},
    {R"({"patternProperties":{"[":true}})",
     "/patternProperties/[: is not a usable regular expression: Mismatched '(' and ')' in regular "
     "expression"},
    {R"({"required":"a"})", "/required: must be a list of member names"},
    {R"({"required":["a",1]})", "/required/1: must be a string"},
    {R"({"properties":[]})", "/properties: must be an object"},
    {R"({"dependencies":{"a":1}})", "/dependencies/a: must be a schema: an object, true or false"},
    {R"({"allOf":[]})", "/allOf: must be a list of at least one schema"},
    {R"({"anyOf":{}})", "/anyOf: must be a list of at least one schema"},
    {R"({"oneOf":[1]})", "/oneOf/0: must be a schema: an object, true or false"},
    {R"({"definitions":{"a":{"type":"x"}}})",
     "/definitions/a/type: must be one of null, boolean, object, array, number, string, integer"},
    {R"({"$ref":1})", "/$ref: must be a string"},
    {R"({"$ref":"other.json"})", "/$ref: must point into this schema, as '#/$defs/label' does; "
                                 "other documents are not fetched"},
    {R"({"$ref":""})", "/$ref: must point into this schema, as '#/$defs/label' does; other "
                       "documents are not fetched"},
    {R"({"$ref":"#/definitions/x"})", "/$ref: points to nothing in this schema"},
    {R"({"$ref":"#name"})", "/$ref: must be a JSON pointer behind '#', as in '#/$defs/label'"},
    {R"({"$ref":"#/%zz"})", "/$ref: must be a JSON pointer behind '#', as in '#/$defs/label'"},
    {R"({"$ref":"#/%"})", "/$ref: must be a JSON pointer behind '#', as in '#/$defs/label'"},
    {R"({"$ref":"#/%ff"})", "/$ref: must be a JSON pointer behind '#', as in '#/$defs/label'"},
    {R"({"items":{"$ref":"#/required"},"required":["a"]})",
     "/required: must be a schema: an object, true or false"},
    {R"({"items":{"$id":"x"}})", "/items/$id: may stand only at the root of a schema"},
    {R"({"id":"x"})", "/id: is not a keyword of JSON Schema; did you mean '$id'? (members "
                      "of your own begin with x-)"},
    {R"({"$schema":"http://json-schema.org/draft-04/schema#"})",
     "/$schema: must be https://json-schema.org/draft/2020-12/schema or "
     "http://json-schema.org/draft-07/schema#, the drafts that are understood here"},
    {R"({"type":"string","nullable":true})",
     "/nullable: is of OpenAPI 3.0: give a type with null, as in {\"type\": [\"string\", "
     "\"null\"]}"},
    {R"({"$anchor":"a"})", "/$anchor: is not supported here; point with $ref to a place, as "
                           "'#/$defs/label' does"},
    {R"({"prefixItems":[]})", "/prefixItems: must be a list of at least one schema"},
    {R"({"prefixItems":[true],"items":[true]})",
     "/prefixItems: excludes a list as items: both say the same"},
    {R"({"prefixItems":[true],"additionalItems":false})",
     "/additionalItems: is said by items beside prefixItems"},
    {R"({"minContains":-1})", "/minContains: must be a whole number from 0 to 1000000000000000"},
    {R"({"dependentRequired":{"a":"b"}})", "/dependentRequired/a: must be a list of member names"},
    {R"({"dependentSchemas":{"a":["b"]}})",
     "/dependentSchemas/a: must be a schema: an object, true or false"},
    // schemas that would never come to an end
    {R"({"$ref":"#"})", "refers to itself without going down into the value"},
    {R"({"allOf":[{"$ref":"#"}]})", "refers to itself without going down into the value"},
    {R"({"anyOf":[true,{"not":{"$ref":"#/anyOf/1"}}]})",
     "/anyOf/1: refers to itself without going down into the value"},
    {R"({"if":{"$ref":"#"}})", "refers to itself without going down into the value"},
    {R"({"if":true,"then":{"$ref":"#"}})", "refers to itself without going down into the value"},
    {R"({"if":true,"else":{"$ref":"#"}})", "refers to itself without going down into the value"},
    {R"({"oneOf":[{"$ref":"#"}]})", "refers to itself without going down into the value"},
    {R"({"dependencies":{"a":{"$ref":"#"}}})",
     "refers to itself without going down into the value"},
    {R"({"items":{"$ref":"#/definitions/a"},"definitions":{"a":{"$ref":"#/definitions/b"},
        "b":{"$ref":"#/definitions/a"}}})",
     "/definitions/a: refers to itself without going down into the value"},
    {chain_of_references(1000), "has more than 1000 subschemas"},
};

} // namespace

BOOST_AUTO_TEST_SUITE(schemas)

// A8, A56
BOOST_DATA_TEST_CASE(a_value_fits_or_the_message_says_where_and_why,
                     boost::unit_test::data::make(value_cases), sample) {
  BOOST_TEST(verdict(compiled(sample.schema), sample.value) == sample.verdict);
}

BOOST_DATA_TEST_CASE(a_schema_that_would_not_check_what_it_says_is_refused,
                     boost::unit_test::data::make(refused_schemas), sample) {
  std::vector<core::definition_problem> problems;
  BOOST_TEST(!schema::compile(json::parse(sample.schema), "", problems));
  BOOST_REQUIRE(!problems.empty());
  BOOST_TEST(text_of(problems.front()) == sample.problem);
}

BOOST_AUTO_TEST_CASE(every_problem_is_listed_with_the_place_of_the_schema_in_front) {
  std::vector<core::definition_problem> problems;
  BOOST_TEST(!schema::compile(json::parse(R"({"type":"x","properties":{"a":{"minimum":"1"}}})"),
                              "/steps/2/judgment_schema", problems));
  BOOST_REQUIRE(problems.size() == 2U);
  BOOST_TEST(problems[0].place == "/steps/2/judgment_schema/properties/a/minimum");
  BOOST_TEST(problems[1].place == "/steps/2/judgment_schema/type");
}

BOOST_AUTO_TEST_CASE(recursion_through_the_value_is_allowed_and_bounded) {
  // Each level of the value passes through 100 references: five levels fit into the bound on
  // nesting (512), the sixth does not. Nothing overflows.
  auto source = json{{"items", {{"$ref", "#/definitions/0"}}}, {"definitions", json::object()}};
  for (int i = 0; i < 100; ++i)
    source["definitions"][std::to_string(i)] = {
        {"$ref", i < 99 ? "#/definitions/" + std::to_string(i + 1) : "#"}};
  const auto checked = compiled(source.dump());
  BOOST_TEST(verdict(checked, "[[[[[1]]]]]") == "fits");
  const auto message = verdict(checked, "[[[[[[1]]]]]]");
  BOOST_TEST(message.find("takes too much work") != std::string::npos, message);
}

BOOST_AUTO_TEST_CASE(a_schema_that_doubles_its_work_at_every_level_is_stopped) {
  // 2^40 checks if nobody counted.
  auto source = json{{"$ref", "#/definitions/0"}, {"definitions", json::object()}};
  for (int i = 0; i < 40; ++i) {
    const json next{{"$ref", "#/definitions/" + std::to_string(i + 1)}};
    source["definitions"][std::to_string(i)] = {{"allOf", {next, next}}};
  }
  source["definitions"]["40"] = true;
  const auto message = verdict(compiled(source.dump()), "1");
  BOOST_TEST(message.find("takes too much work") != std::string::npos, message);

  // Nor does running out of work inside 'not' turn into "fits".
  source["not"] = {{"$ref", "#/definitions/0"}};
  source.erase("$ref");
  const auto inverted = verdict(compiled(source.dump()), "1");
  BOOST_TEST(inverted.find("takes too much work") != std::string::npos, inverted);
}

BOOST_AUTO_TEST_CASE(explaining_nested_alternatives_is_bounded_as_well) {
  // 2^14 ways to fail are tried silently within bounds; explaining each of them again is not.
  auto source = json{{"$ref", "#/definitions/0"}, {"definitions", json::object()}};
  for (int i = 0; i < 14; ++i) {
    const json next{{"$ref", "#/definitions/" + std::to_string(i + 1)}};
    source["definitions"][std::to_string(i)] = {{"anyOf", {next, next}}};
  }
  source["definitions"]["14"] = {{"const", 1}};
  const auto checked = compiled(source.dump());
  BOOST_TEST(verdict(checked, "1") == "fits");
  BOOST_TEST(checked.violation_in(json(2)).has_value());
}

BOOST_AUTO_TEST_CASE(a_list_as_long_as_a_judgment_may_be_is_within_the_work) {
  json list = json::array();
  for (int i = 0; i < 130'000; ++i)
    list.push_back(i);
  BOOST_TEST(!compiled(R"({"items":{"type":"integer"},"uniqueItems":true})").violation_in(list));
  list.push_back(129'999);
  const auto violation =
      compiled(R"({"items":{"type":"integer"},"uniqueItems":true})").violation_in(list);
  BOOST_REQUIRE(violation);
  BOOST_TEST(violation->what == "must not have equal elements, but 129999 and 130000 are equal");
}

BOOST_AUTO_TEST_CASE(a_pattern_is_not_tried_on_texts_beyond_its_bound) {
  const auto checked = compiled(R"({"pattern":"^(a|1)*$"})");
  const auto quoted = [](std::size_t length) { return '"' + std::string(length, '1') + '"'; };
  BOOST_TEST(verdict(checked, quoted(4096)) == "fits");
  BOOST_TEST(verdict(checked, quoted(4097))
             == "has 4097 characters; where a pattern has to match, at most 4096 are allowed");
  const auto names = compiled(R"({"patternProperties":{"^(a|1)*$":true}})");
  BOOST_TEST(verdict(names, "{" + quoted(4096) + ":1}") == "fits");
  const auto message = verdict(names, "{" + quoted(4097) + ":1}");
  BOOST_TEST(message.find("has too long a name") != std::string::npos, message);
}

BOOST_AUTO_TEST_CASE(messages_quote_no_more_than_a_line) {
  const auto long_text = '"' + std::string(100'000, 'x') + '"';
  BOOST_TEST(verdict(compiled(R"({"const":)" + long_text + "}"), R"("y")").size() < 400U);
  BOOST_TEST(verdict(compiled(R"({"const":1})"), long_text).size() < 400U);
  BOOST_TEST(verdict(compiled(R"({"required":[)" + long_text + "]}"), "{}").size() < 400U);
}

BOOST_AUTO_TEST_CASE(one_schema_serves_several_threads_at_once) {
  const auto checked = compiled(
      R"({"properties":{"a":{"pattern":"^[a-z]+$"},"b":{"enum":[1,2]}},"required":["a"]})");
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (auto& mistakes : wrong)
    threads.emplace_back([&checked, &mistakes] {
      for (int i = 0; i < 500; ++i) {
        mistakes += checked.violation_in(json{{"a", "abc"}, {"b", 2}}) ? 1 : 0;
        mistakes += checked.violation_in(json{{"a", "ABC"}}) ? 0 : 1;
        mistakes += checked.violation_in(json{{"b", 1}}) ? 0 : 1;
      }
    });
  for (auto& thread : threads)
    thread.join();
  for (const auto mistakes : wrong)
    BOOST_TEST(mistakes == 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(formats)

BOOST_AUTO_TEST_CASE(each_format_takes_what_it_should_and_nothing_near_it) {
  struct row {
    const char* format;
    std::vector<std::string> good;
    std::vector<std::string> bad;
  };
  const std::vector<row> rows{
      {"date",
       {"2024-02-29", "2000-02-29", "0000-01-01", "9999-12-31", "2023-04-30"},
       {"2023-02-29", "1900-02-29", "2023-04-31", "2023-13-01", "2023-00-01", "2023-01-00",
        "2023-1-01", "20230101", "2023-01-01 ", "", "+023-01-01", "2023-01-32"}},
      {"time",
       {"00:00:00Z", "23:59:59z", "23:59:60Z", "12:30:45.123456+05:30", "01:29:60+01:30",
        "15:59:60-08:00"},
       {"24:00:00Z", "12:60:00Z", "12:00:61Z", "12:00:00", "12:00:00.Z", "12:00:00+24:00",
        "12:00:00+01:60", "12:00:00+1:00", "22:59:60Z", "1:00:00Z", "12-00-00Z", "12:00:00Z ",
        "12:00:00.", ""}},
      {"date-time",
       {"2024-02-29T16:52:45Z", "2024-02-29t16:52:45.5+02:00"},
       {"2024-02-29 16:52:45Z", "2024-02-30T16:52:45Z", "2024-02-29T16:52:45", "2024-02-29T",
        "2024-02-29"}},
      {"email",
       {"ana@example.org", "a.b+c@x-y.z", "o'neil@e.org", "a@b"},
       {"@e.org", "a@", "a", "a..b@e.org", ".a@e.org", "a.@e.org", "a b@e.org", "a@e..org",
        "a@.org", "a@b@c", std::string(65, 'a') + "@e.org"}},
      {"uri",
       {"https://example.org/a?b=c#d", "urn:isbn:0451450523", "mailto:a@b", "x:%20"},
       {"/relative", "example.org", ":x", "1http://x", "http://a b", "http://a\"", "x:%2", "x:%zz",
        "http://ä", "h\xc3\xa4:x", ""}},
      {"uuid",
       {"018f2c5e-7c1a-7000-8000-000000000001", "018F2C5E-7C1A-7000-8000-00000000000A"},
       {"018f2c5e7c1a70008000000000000001", "018f2c5e-7c1a-7000-8000-00000000000g",
        "018f2c5e-7c1a-7000-8000-0000000000010", "018f2c5e-7c1a-7000-80000-00000000001"}},
  };
  for (const auto& r : rows) {
    const auto* format = documents::format_named(r.format);
    BOOST_REQUIRE(format != nullptr);
    BOOST_TEST(format->accepts(format->example), r.format << ": its own example");
    for (const auto& text : r.good)
      BOOST_TEST(format->accepts(text), r.format << " should accept " << text);
    for (const auto& text : r.bad)
      BOOST_TEST(!format->accepts(text), r.format << " should refuse " << text);
  }
  BOOST_TEST(documents::format_named("ipv4") == nullptr);
}

BOOST_AUTO_TEST_CASE(a_format_speaks_of_strings_only_and_gives_an_example) {
  const auto checked = compiled(R"({"format":"date"})");
  BOOST_TEST(verdict(checked, "3") == "fits");
  BOOST_TEST(verdict(checked, R"("2024-02-29")") == "fits");
  BOOST_TEST(verdict(checked, R"("29.2.2024")") == "must have the format date, like 2024-02-29");
  // A quarter of a megabyte of digits overflows the stack of a matcher that backtracks.
  BOOST_TEST(verdict(checked, '"' + std::string(256 * 1024, '1') + '"')
             == "must have the format date, like 2024-02-29");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(patterns)

using documents::pattern;

namespace {

bool found(const std::string& expression, const std::string& subject) {
  const auto compiled_pattern = pattern::compile(expression);
  BOOST_REQUIRE_MESSAGE(compiled_pattern, expression);
  return compiled_pattern->found_in(subject);
}

std::string refusal_of(const std::string& expression) {
  const auto compiled_pattern = pattern::compile(expression);
  return compiled_pattern ? "compiled" : compiled_pattern.error().detail;
}

} // namespace

BOOST_AUTO_TEST_CASE(an_expression_is_searched_unless_it_is_anchored) {
  BOOST_TEST(found("b", "abc"));
  BOOST_TEST(!found("^b", "abc"));
  BOOST_TEST(!found("b$", "abc"));
  BOOST_TEST(found("^a|b$", "xb"));
  BOOST_TEST(found("^a|b$", "ax"));
  BOOST_TEST(!found("^a|b$", "xax"));
  BOOST_TEST(found("", "anything"));
  BOOST_TEST(found("^$", ""));
  BOOST_TEST(!found("^$", "x"));
  BOOST_TEST(found("b", "a\nb\nc"));
  BOOST_TEST(!found("^b", "a\nb"));
}

BOOST_AUTO_TEST_CASE(characters_are_code_points) {
  BOOST_TEST(found("^.{3}$", "äöü"));
  BOOST_TEST(found("^.$", "\xf0\x9f\x98\x80"));
  BOOST_TEST(found("^[ä-ö]$", "ö"));
  BOOST_TEST(!found("^[ä-ö]$", "ü"));
  BOOST_TEST(found("^\\u00e4$", "ä"));
}

BOOST_AUTO_TEST_CASE(nested_repetitions_cost_no_more_than_their_size) {
  // Exponential for a matcher that backtracks.
  BOOST_TEST(!found("(a+)+$", std::string(4095, 'a') + "b"));
  BOOST_TEST(!found("^(([a-z])+.)+[A-Z]([a-z])+$", std::string(4096, 'a')));
  BOOST_TEST(!found("(.*)(.*)(.*)(.*)(.*)x", std::string(4096, 'a')));
  BOOST_TEST(found("^(a|aa)+$", std::string(4096, 'a')));
}

BOOST_AUTO_TEST_CASE(the_largest_expression_on_the_largest_subject_needs_no_more_than_the_stack) {
  BOOST_TEST(found("^(a?){1300}$", std::string(1300, 'a')));
  BOOST_TEST(!found("^(a?){1300}$", std::string(1301, 'a')));
  BOOST_TEST(found("^" + std::string(200, '(') + "a" + std::string(200, ')') + "*$", "aaa"));
  BOOST_TEST(found("^[a-z]{4000}$", std::string(4000, 'z')));
}

BOOST_AUTO_TEST_CASE(expressions_without_a_bound_are_refused) {
  BOOST_TEST(refusal_of("(a)\\1")
             == "is not a usable regular expression: back-references are not supported");
  BOOST_TEST(refusal_of("(?=a)")
             == "is not a usable regular expression: lookahead is not supported");
  BOOST_TEST(refusal_of("(?!a)")
             == "is not a usable regular expression: lookahead is not supported");
  const std::string too_large =
      "is not a usable regular expression: its repetitions add up to more than 4096 characters";
  BOOST_TEST(refusal_of("a{4096}") == "compiled");
  BOOST_TEST(refusal_of("a{4097}") == too_large);
  BOOST_TEST(refusal_of("(a{64}){63}") == "compiled");
  BOOST_TEST(refusal_of("(a{64}){64}") == too_large);
  BOOST_TEST(refusal_of("a{100}{100}") == too_large);
  BOOST_TEST(refusal_of("((((a{9}){9}){9}){9}){9}") == too_large);
  BOOST_TEST(refusal_of("[a-z]{1,2000}[a-z]{1,2000}") == "compiled");
  BOOST_TEST(refusal_of("[a-z]{1,2000}[a-z]{1,2000}[a-z]{1,2000}") == too_large);
  BOOST_TEST(refusal_of("a{99999999999999999999}") == too_large);
  BOOST_TEST(refusal_of("\\{9999\\}") == "compiled");
  BOOST_TEST(refusal_of("[{9999}]") == "compiled");
  BOOST_TEST(refusal_of(std::string(512, 'a')) == "compiled");
  BOOST_TEST(refusal_of(std::string(513, 'a'))
             == "is not a usable regular expression: it has 513 characters; at most 512 are "
                "allowed");
}

BOOST_AUTO_TEST_CASE(nonsense_is_refused_with_a_reason) {
  for (const auto* expression : {"(", ")", "[", "a{2,1}", "*", "a{", "\\", "[z-a]", "(?"})
    BOOST_TEST(refusal_of(expression).rfind("is not a usable regular expression: ", 0) == 0U,
               expression);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(canonical_texts)

BOOST_AUTO_TEST_CASE(equal_values_have_equal_texts) {
  const auto text = [](const char* source) {
    return documents::canonical_text(json::parse(source));
  };
  BOOST_TEST(text("2") == "2");
  BOOST_TEST(text("2.0") == "2");
  BOOST_TEST(text("2e0") == "2");
  BOOST_TEST(text("-0.0") == "0");
  BOOST_TEST(text("-0") == "0");
  BOOST_TEST(text("1e15") == "1000000000000000");
  BOOST_TEST(text("9007199254740993") == "9007199254740993");
  BOOST_TEST(text("18446744073709551615") == "18446744073709551615");
  BOOST_TEST(text("0.1") == "0.1");
  BOOST_TEST(text("1e300") == "1e+300");
  BOOST_TEST(text(R"({"b":1,"a":[]})") == R"({"a":[],"b":1})");
  BOOST_TEST(text(R"([ {}, [ ], null, true, "\u00e4\n" ])") == "[{},[],null,true,\"ä\\n\"]");
  BOOST_TEST(text(R"({"a":{"d":1,"c":2}})") == R"({"a":{"c":2,"d":1}})");
}

BOOST_AUTO_TEST_SUITE_END()
