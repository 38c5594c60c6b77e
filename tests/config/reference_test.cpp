#include "config/option_table.hpp"
#include "config/reference.hpp"
#include "tests/config/files.hpp"
#include "tests/support/source_dir.hpp"

#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <string>

using namespace holdfast;
using namespace holdfast::config;
using namespace holdfast::test;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(reference, files)

BOOST_AUTO_TEST_CASE(the_committed_reference_is_the_generated_one) {
  std::ifstream in{source_dir() + "/docs/CONFIG.md", std::ios::binary};
  const std::string committed{std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
  BOOST_TEST((committed == reference_markdown()),
             "docs/CONFIG.md is stale: run `holdfast config --reference > docs/CONFIG.md`");
}

BOOST_AUTO_TEST_CASE(the_reference_is_the_same_on_every_machine) {
  BOOST_TEST(has(reference_markdown(), "- default: the name of the host\n"));
}

BOOST_AUTO_TEST_CASE(the_example_is_valid_and_changes_nothing) {
  const auto result = load_toml(example_toml());
  BOOST_TEST(result.usable(), said(result));
  const auto defaults = option_table(settings{});
  const auto rows = option_table(result.values);
  BOOST_REQUIRE(rows.size() == defaults.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    BOOST_TEST(rows[i].value == defaults[i].value, rows[i].key);
}

BOOST_AUTO_TEST_CASE(the_example_names_every_option) {
  for (const auto& row : option_table(settings{}))
    BOOST_TEST(has(example_toml(), row.key.substr(row.key.find('.') + 1) + " = "), row.key);
}

BOOST_AUTO_TEST_CASE(the_effective_configuration_shows_each_value_with_its_origin) {
  inputs given;
  given.flags = {{"node.lease_time", "1min"}, {"log.format", "json"}};
  const auto text = effective_text(load(given));
  BOOST_TEST(has(text, "node.lease_time = \"1min\" "));
  BOOST_TEST(has(text, "# flag --node.lease_time\n"));
  BOOST_TEST(has(text, "log.format = \"json\" "));
  BOOST_TEST(has(text, "node.port = 4747 "));
  BOOST_TEST(has(text, "# default\n"));
}

BOOST_AUTO_TEST_CASE(the_effective_configuration_as_json_keeps_numbers_and_order) {
  inputs given;
  given.environment = {{"HOLDFAST_NODE_PORT", "5"}};
  const auto json = nlohmann::ordered_json::parse(effective_json(load(given)));
  BOOST_TEST(json["node.port"]["value"] == 5);
  BOOST_TEST(json["node.port"]["origin"] == "environment HOLDFAST_NODE_PORT");
  BOOST_TEST(json["node.lease_time"]["value"] == "5s");
  BOOST_TEST(json["log.level"]["value"] == "info");
  BOOST_TEST(json["database.url"]["value"].is_null());
  BOOST_TEST(json.begin().key() == "node.name");
  BOOST_TEST(json.size() == option_table(settings{}).size());
}

BOOST_AUTO_TEST_CASE(secrets_are_shown_nowhere) {
  inputs given;
  given.flags = {{"database.url", "postgresql://u:geheim@db/x"}, {"database.password", "geheim"}};
  const auto result = load(given);
  BOOST_TEST(result.usable(), said(result));
  BOOST_TEST(!has(effective_text(result), "geheim"));
  BOOST_TEST(!has(effective_json(result), "geheim"));
  BOOST_TEST(has(effective_text(result), "database.url = (hidden)"));
  BOOST_TEST(has(effective_text(load({})), "database.url = (none)"));
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_utf8_do_not_stop_the_printing) {
  const auto result = load_flag("node.name", "caf\xe9");
  BOOST_TEST(nlohmann::json::accept(effective_json(result)));
}

BOOST_AUTO_TEST_SUITE_END()
