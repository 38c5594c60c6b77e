#include "config/load.hpp"
#include "tests/config/files.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>

using namespace holdfast;
using namespace holdfast::config;
using namespace holdfast::test;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(loading, files)

// ── precedence and origins ────────────────────────────────────────────────────────────────────

BOOST_AUTO_TEST_CASE(nothing_given_means_the_defaults) {
  const auto result = load({});
  BOOST_TEST(result.usable(), said(result));
  BOOST_TEST(result.values.node.port == 4747U);
  BOOST_TEST(result.values.node.name == host_name());
  BOOST_TEST((result.values.node.lease_time == 5s));
  BOOST_TEST(to_string(result.origins.at("node.port")) == "default");
}

BOOST_AUTO_TEST_CASE(a_file_overrides_the_default_and_is_named_with_its_line) {
  const auto result = load_toml("# ports\n[node]\nport = 1\n");
  BOOST_TEST(result.usable(), said(result));
  BOOST_TEST(result.values.node.port == 1U);
  BOOST_TEST(to_string(result.origins.at("node.port"))
             == (directory / "node.toml").string() + ":3");
}

BOOST_AUTO_TEST_CASE(the_environment_overrides_the_file) {
  inputs given;
  given.file = write("node.toml", "[node]\nport = 1\n");
  given.environment = {{"HOLDFAST_NODE_PORT", "2"}};
  const auto result = load(given);
  BOOST_TEST(result.usable(), said(result));
  BOOST_TEST(result.values.node.port == 2U);
  BOOST_TEST(to_string(result.origins.at("node.port")) == "environment HOLDFAST_NODE_PORT");
}

BOOST_AUTO_TEST_CASE(a_flag_overrides_everything_and_the_last_of_two_holds) {
  inputs given;
  given.file = write("node.toml", "[node]\nport = 1\n");
  given.environment = {{"HOLDFAST_NODE_PORT", "2"}};
  given.flags = {{"node.port", "3"}, {"node.port", "4"}};
  const auto result = load(given);
  BOOST_TEST(result.usable(), said(result));
  BOOST_TEST(result.values.node.port == 4U);
  BOOST_TEST(to_string(result.origins.at("node.port")) == "flag --node.port");
}

BOOST_AUTO_TEST_CASE(a_flag_is_told_as_it_was_typed) {
  inputs given;
  given.flags = {{"node.port", "3", "port"}, {"log.format", "json", "set log.format"}};
  const auto result = load(given);
  BOOST_TEST(to_string(result.origins.at("node.port")) == "flag --port");
  BOOST_TEST(to_string(result.origins.at("log.format")) == "flag --set log.format");
}

BOOST_AUTO_TEST_CASE(each_option_keeps_its_own_origin) {
  inputs given;
  given.file = write("node.toml", "log.level = 'debug'\n");
  given.flags = {{"log.format", "json"}};
  const auto result = load(given);
  BOOST_TEST(result.usable(), said(result));
  BOOST_TEST((result.origins.at("log.level").from == origin::kind::file));
  BOOST_TEST((result.origins.at("log.format").from == origin::kind::flag));
  BOOST_TEST((result.origins.at("node.port").from == origin::kind::built_in));
}

BOOST_AUTO_TEST_CASE(a_variable_may_name_the_file_and_a_flag_names_another) {
  inputs given;
  given.environment = {{"HOLDFAST_CONFIG", write("a.toml", "node.port = 1\n")}};
  BOOST_TEST(load(given).values.node.port == 1U);
  BOOST_TEST(load(given).usable());
  given.file = write("b.toml", "node.port = 2\n");
  BOOST_TEST(load(given).values.node.port == 2U);
}

BOOST_AUTO_TEST_CASE(every_kind_of_value_is_read_from_a_file_and_from_text) {
  const auto from_file =
      load_toml("[log]\nlevel = 'warn'\n[writer]\nlanes = 3\nretry_min = '20ms'\n"
                "[node]\nname = 'ana \\u00e9'\n");
  BOOST_TEST(from_file.usable(), said(from_file));
  BOOST_TEST((from_file.values.log.level == log_level::warn));
  BOOST_TEST(from_file.values.writer.lanes == 3U);
  BOOST_TEST((from_file.values.writer.retry_min == 20ms));

  inputs given;
  given.environment = {{"HOLDFAST_LOG_LEVEL", "warn"},
                       {"HOLDFAST_WRITER_LANES", "3"},
                       {"HOLDFAST_WRITER_RETRY_MIN", "20ms"},
                       {"HOLDFAST_NODE_NAME", "ana"}};
  const auto from_text = load(given);
  BOOST_TEST(from_text.usable(), said(from_text));
  BOOST_TEST((from_text.values.log.level == log_level::warn));
  BOOST_TEST(from_text.values.writer.lanes == 3U);
  BOOST_TEST((from_text.values.writer.retry_min == 20ms));
  BOOST_TEST(from_text.values.node.name == "ana");
}

BOOST_AUTO_TEST_CASE(of_the_environment_of_the_process_only_our_variables_are_taken) {
  setenv("HOLDFAST_NODE_PORT", "81=2", 1);
  const auto found = process_environment();
  unsetenv("HOLDFAST_NODE_PORT");
  const std::pair<std::string, std::string> wanted{"HOLDFAST_NODE_PORT", "81=2"};
  BOOST_TEST((std::find(found.begin(), found.end(), wanted) != found.end()));
  BOOST_TEST(std::all_of(found.begin(), found.end(),
                         [](const auto& entry) { return entry.first.rfind("HOLDFAST_", 0) == 0; }));
}

// ── unknown keys ──────────────────────────────────────────────────────────────────────────────

BOOST_AUTO_TEST_CASE(an_unknown_key_in_the_file_is_an_error_with_line_and_suggestion) {
  const auto result = load_toml("[writer]\nbatchmax = 5\n");
  BOOST_TEST(said(result)
             == "writer.batchmax (" + (directory / "node.toml").string()
                    + ":2): there is no such option; did you mean writer.batch_max?\n");
}

BOOST_AUTO_TEST_CASE(an_unknown_variable_is_an_error_and_the_suggestion_is_a_variable) {
  BOOST_TEST(said(load_variable("HOLDFAST_NODE_PROT", "1"))
             == "HOLDFAST_NODE_PROT (environment HOLDFAST_NODE_PROT): there is no such option; did "
                "you mean HOLDFAST_NODE_PORT?\n");
}

BOOST_AUTO_TEST_CASE(an_unknown_flag_is_an_error_with_a_suggestion) {
  BOOST_TEST(said(load_flag("node.potr", "1"))
             == "node.potr (flag --node.potr): there is no such option; did you mean node.port?\n");
}

BOOST_AUTO_TEST_CASE(the_right_name_in_the_wrong_group_is_suggested) {
  BOOST_TEST(
      says(load_flag("lease.redeliver_after", "1s"), "did you mean events.redeliver_after?"));
  BOOST_TEST(says(load_flag("redeliver_after", "1s"), "did you mean events.redeliver_after?"));
}

BOOST_AUTO_TEST_CASE(nothing_is_suggested_for_a_key_that_is_like_no_other) {
  BOOST_TEST(said(load_flag("zzzzzzzz", "1"))
             == "zzzzzzzz (flag --zzzzzzzz): there is no such option\n");
}

BOOST_AUTO_TEST_CASE(an_empty_unknown_table_and_a_key_below_an_option_are_errors) {
  BOOST_TEST(says(load_toml("[writter]\n"), "writter ("));
  BOOST_TEST(says(load_toml("[node.port]\nx = 1\n"), "node.port.x ("));
  BOOST_TEST(says(load_toml("[[writer]]\nlanes = 1\n"), "writer ("));
}

BOOST_AUTO_TEST_CASE(a_group_whose_options_are_all_commented_out_is_no_mistake) {
  const auto result = load_toml("[writer]\n# lanes = 2\n[log]\n");
  BOOST_TEST(result.usable(), said(result));
}

// ── wrong types ───────────────────────────────────────────────────────────────────────────────

BOOST_AUTO_TEST_CASE(a_number_takes_whole_numbers_only) {
  const std::string refusal = "must be a whole number between 0 and 65535";
  for (const auto* toml : {"'4747'", "4747.0", "true", "[4747]", "1979-05-27", "{}"})
    BOOST_TEST(says(load_toml("node.port = " + std::string{toml} + "\n"), refusal), toml);
  for (const auto* text :
       {"", "x", "4747x", "0x10", "4.5", " 1", "1 ", "99999999999999999999", "-1"})
    BOOST_TEST(says(load_flag("node.port", text), refusal), text);
  BOOST_TEST(said(load_variable("HOLDFAST_NODE_PORT", "http"))
             == "node.port = \"http\" (environment HOLDFAST_NODE_PORT): " + refusal + "\n");
}

BOOST_AUTO_TEST_CASE(a_duration_needs_its_unit) {
  const std::string refusal = "must be a duration between 1ms and 1min, written like";
  for (const auto* toml : {"5", "'5'", "'5 s'", "'s'", "''", "'1.5s'", "'5sec'", "10:00:00"})
    BOOST_TEST(says(load_toml("writer.retry_min = " + std::string{toml} + "\n"), refusal), toml);
}

BOOST_AUTO_TEST_CASE(an_enumeration_lists_its_words) {
  BOOST_TEST(said(load_flag("log.format", "xml"))
             == "log.format = \"xml\" (flag --log.format): must be one of text, json\n");
  BOOST_TEST(says(load_toml("log.level = 3\n"), "must be one of trace, debug, info, warn, error"));
}

BOOST_AUTO_TEST_CASE(text_is_text_without_control_characters) {
  BOOST_TEST(says(load_toml("node.name = 5\n"), "node.name = 5"));
  BOOST_TEST(says(load_toml("node.name = 5\n"), "must be text"));
  BOOST_TEST(says(load_toml("node.name = \"a\\u0000b\"\n"), "must not contain control characters"));
  BOOST_TEST(says(load_flag("node.name", "a\nb"), "\"a\\u000ab\""));
}

// ── files that cannot be read ─────────────────────────────────────────────────────────────────

BOOST_AUTO_TEST_CASE(a_file_that_is_not_there_or_is_a_directory_is_an_error) {
  inputs given;
  given.file = directory / "missing.toml";
  BOOST_TEST(says(load(given), "cannot read " + given.file->string()));
  given.file = directory;
  BOOST_TEST(says(load(given), "it is a directory"));
}

BOOST_AUTO_TEST_CASE(a_file_that_never_ends_is_refused) {
  inputs given;
  given.file = "/dev/zero";
  BOOST_TEST(says(load(given), "longer than"));
}

BOOST_AUTO_TEST_CASE(a_syntax_error_is_told_with_line_and_column_and_the_rest_is_still_checked) {
  inputs given;
  given.file = write("node.toml", "[node]\nport = \n");
  given.flags = {{"log.level", "loud"}};
  const auto result = load(given);
  BOOST_TEST(says(result, given.file->string() + ":2:"));
  BOOST_TEST(says(result, "log.level"));
}

BOOST_AUTO_TEST_CASE(all_mistakes_are_told_at_once_in_the_order_of_the_file) {
  inputs given;
  given.file = write("node.toml", "[zeta]\na = 1\n[node]\nport = -1\n[alpha]\nb = 2\n");
  given.environment = {{"HOLDFAST_LOG_LEVEL", "loud"}};
  given.flags = {{"writer.lanes", "9"}, {"nope", ""}};
  const auto result = load(given);
  BOOST_TEST(result.problems.size() == 6U, said(result));
  BOOST_TEST(said(result).find("zeta.a") < said(result).find("alpha.b"));
  BOOST_TEST(!result.usable());
}

BOOST_AUTO_TEST_CASE(a_wrong_value_is_an_error_although_a_flag_overrides_it) {
  inputs given;
  given.environment = {{"HOLDFAST_NODE_PORT", "x"}};
  given.flags = {{"node.port", "4"}};
  BOOST_TEST(load(given).problems.size() == 1U);
}

// ── secrets ───────────────────────────────────────────────────────────────────────────────────

BOOST_AUTO_TEST_CASE(a_secret_is_read_from_the_file_that_is_named_without_blanks_around_it) {
  const auto path = write("url", "\n  postgresql://db/x \r\n");
  const auto result = load_flag("database.url_file", path);
  BOOST_TEST(result.usable(), said(result));
  BOOST_TEST(result.values.database.url.value == "postgresql://db/x");
  BOOST_TEST(to_string(result.origins.at("database.url")) == "flag --database.url_file");
}

BOOST_AUTO_TEST_CASE(a_password_may_come_from_a_file_beside_a_plain_url) {
  const auto result = load_toml("[database]\nurl = 'postgresql://db/x'\npassword_file = '"
                                + write("password", "geheim\n") + "'\n");
  BOOST_TEST(result.usable(), said(result));
  BOOST_TEST(result.values.database.password.value == "geheim");
}

BOOST_AUTO_TEST_CASE(a_secret_and_its_file_together_are_refused_from_whatever_places) {
  inputs given;
  given.file =
      write("node.toml", "database.url_file = '" + write("url", "postgresql:///a") + "'\n");
  given.environment = {{"HOLDFAST_DATABASE_URL", "postgresql:///b"}};
  BOOST_TEST(
      said(load(given))
      == "database.url = (hidden) (environment HOLDFAST_DATABASE_URL) and database.url_file = \""
             + (directory / "url").string() + "\" (" + given.file->string()
             + ":1): give one of them, not both\n");
}

BOOST_AUTO_TEST_CASE(a_secret_file_must_exist_and_hold_one_line) {
  const auto refusal = [&](const std::string& path) {
    return said(load_flag("database.url_file", path));
  };
  BOOST_TEST(refusal("/nowhere/url").find("cannot read /nowhere/url") != std::string::npos);
  BOOST_TEST(refusal(directory.string()).find("it is a directory") != std::string::npos);
  BOOST_TEST(refusal(write("a", " \n")).find("the file is empty") != std::string::npos);
  BOOST_TEST(refusal(write("b", "x\ny")).find("must hold one line") != std::string::npos);
  BOOST_TEST(refusal(write("c", std::string(4097, 'x'))).find("must hold one line")
             != std::string::npos);
  BOOST_TEST(refusal(write("d", std::string(4096, 'x'))).empty());
  BOOST_TEST(refusal("").find("must have between 1 and 4096 bytes") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_secret_is_known_as_its_file_has_it_now) { // finding Q10
  const auto path = write("url", "postgresql://db/first\n");
  const auto loaded = load_flag("database.url_file", path);
  BOOST_REQUIRE_MESSAGE(loaded.usable(), said(loaded));
  const auto& url = loaded.values.database.url;
  BOOST_TEST(current(url) == "postgresql://db/first");
  write("url", "postgresql://db/second\n");
  BOOST_TEST(current(url) == "postgresql://db/second");
  // While it is being replaced, what was there at first is the best guess.
  for (const auto* no_secret : {"", " \n", "x\ny"}) {
    write("url", no_secret);
    BOOST_TEST(current(url) == "postgresql://db/first");
  }
  std::filesystem::remove(path);
  BOOST_TEST(current(url) == "postgresql://db/first");
  // One that was given itself has no other place.
  BOOST_TEST(current(load_flag("database.url", "postgresql:///a").values.database.url)
             == "postgresql:///a");
}

BOOST_AUTO_TEST_CASE(a_refused_secret_is_not_printed) {
  const auto result = load_toml("[database]\nurl = \"geheim\\u0000\"\n");
  BOOST_TEST(says(result, "database.url = (hidden)"));
  BOOST_TEST(!says(result, "geheim"));
  BOOST_TEST(!says(load_toml("[database]\nurl = 271828\n"), "271828"));
}

// ── rules over several options ────────────────────────────────────────────────────────────────

BOOST_AUTO_TEST_CASE(a_conflict_names_both_keys_their_values_and_origins) {
  inputs given;
  given.environment = {{"HOLDFAST_NODE_LEASE_TIME", "3s"}};
  const auto result = load(given);
  BOOST_TEST(says(result,
                  "node.heartbeat_interval = \"1500ms\" (default) and node.lease_time = \"3s\" "
                  "(environment HOLDFAST_NODE_LEASE_TIME): "),
             said(result));
}

BOOST_AUTO_TEST_CASE(an_address_off_loopback_is_refused_and_says_what_it_would_take) {
  const auto result = load_flag("node.listen_address", "0.0.0.0");
  BOOST_TEST(says(result,
                  "node.listen_address = \"0.0.0.0\" (flag --node.listen_address): must be a "
                  "loopback address"),
             said(result));
  BOOST_TEST(says(result, "link.certificate, link.key, link.ca and link.peers"));
}

BOOST_AUTO_TEST_CASE(no_conflict_is_told_about_a_value_that_was_refused_already) {
  const auto result = load_flag("node.lease_time", "1ms");
  BOOST_TEST(result.problems.size() == 1U, said(result));
  inputs given;
  given.flags = {{"node.lease_time", "1ms"}, {"node.heartbeat_interval", "1min"}};
  BOOST_TEST(load(given).problems.size() == 1U, said(load(given)));
}

// finding D6
BOOST_AUTO_TEST_CASE(a_file_that_others_can_change_says_no_secret) {
  const auto path = write("url", "postgresql:///a");
  BOOST_REQUIRE(::chmod(path.c_str(), 0644) == 0);
  auto loaded = load_flag("database.url_file", path);
  BOOST_TEST(loaded.usable());
  const auto url = loaded.values.database.url;
  for (const mode_t mode : {0664U, 0646U}) {
    BOOST_REQUIRE(::chmod(path.c_str(), mode) == 0);
    BOOST_TEST(!load_flag("database.url_file", path).usable());
    // The value that a running node has already stays.
    std::ofstream{path} << "postgresql://elsewhere/a";
    BOOST_TEST(config::current(url) == "postgresql:///a");
  }
  BOOST_REQUIRE(::chmod(path.c_str(), 0600) == 0);
  BOOST_TEST(config::current(url) == "postgresql://elsewhere/a");
}

BOOST_AUTO_TEST_SUITE_END()
