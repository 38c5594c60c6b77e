// The public JSON-Schema-Test-Suite (https://github.com/json-schema-org/JSON-Schema-Test-Suite), as
// Debian packages it (`json-schema-test-suite`: draft 7): each schema is checked as the suite says,
// or refused for a reason that docs/API.md names.

#include "documents/parse.hpp"
#include "documents/schema.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace holdfast;
using documents::schema;
using nlohmann::json;

namespace {

const std::filesystem::path suite = "/usr/share/json-schema-test-suite/tests/draft7";

/// The reasons for which a schema of the suite may be refused.
constexpr std::array<std::string_view, 5> stricter{
    "other documents are not fetched", "may stand only at the root of a schema",
    "must be a JSON pointer behind '#'", "is not a keyword of JSON Schema",
    "is not a usable regular expression"};

std::vector<json> groups_in(const std::filesystem::path& file) {
  std::ifstream in{file};
  BOOST_REQUIRE_MESSAGE(in, "cannot read " << file << ": install json-schema-test-suite");
  return json::parse(in).get<std::vector<json>>();
}

/// Numbers as the product reads them.
json as_received(const json& value) {
  const auto read = documents::parse_json(value.dump(), {1 << 20, 512});
  BOOST_REQUIRE(read);
  return *read;
}

} // namespace

BOOST_AUTO_TEST_SUITE(schema_suite)

BOOST_AUTO_TEST_CASE(schemas_are_checked_as_the_public_suite_says_or_refused) {
  std::size_t checked = 0;
  std::map<std::string, std::size_t> refused; // by file
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator{suite})
    if (entry.path().extension() == ".json")
      files.push_back(entry.path());
  BOOST_REQUIRE(files.size() > 30U);
  for (const auto& file : files) {
    for (const auto& group : groups_in(file)) {
      auto source = as_received(group.at("schema"));
      if (source.is_object() && !source.contains("$schema"))
        source["$schema"] = "http://json-schema.org/draft-07/schema#";
      const auto named =
          file.filename().string() + ": " + group.at("description").get<std::string>();
      std::vector<core::definition_problem> problems;
      const auto compiled = schema::compile(source, "", problems);
      if (!compiled) {
        ++refused[file.stem().string()];
        for (const auto& problem : problems)
          BOOST_TEST(std::any_of(stricter.begin(), stricter.end(),
                                 [&](std::string_view reason) {
                                   return problem.what.find(reason) != std::string::npos;
                                 }),
                     named << ": " << problem.place << ": " << problem.what);
        continue;
      }
      for (const auto& one : group.at("tests")) {
        const auto violation = compiled->violation_in(as_received(one.at("data")));
        BOOST_TEST(!violation.has_value() == one.at("valid").get<bool>(),
                   named << ": " << one.at("description").get<std::string>() << ": "
                         << (violation ? violation->what : "fits"));
        ++checked;
      }
    }
  }
  // References to other documents, most of all.
  const std::map<std::string, std::size_t> expected{
      {"definitions", 2}, {"ref", 3}, {"refRemote", 7}};
  for (const auto& [file, groups] : refused)
    BOOST_TEST(expected.count(file) == 1U, file << " refuses " << groups);
  BOOST_TEST((refused == expected));
  BOOST_TEST(checked > 390U);
}

BOOST_AUTO_TEST_SUITE_END()
