// The command that a verdict names runs the same again.

#include "bench/soak/run_options.hpp"

#include <boost/test/unit_test.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace holdfast::soak {

namespace {

/// Reads a command whose words have no spaces in them.
run_options read_command(const std::string& command) {
  std::istringstream text{command};
  std::string dev;
  std::string name;
  text >> dev >> name;
  BOOST_TEST(dev == "./dev");
  std::vector<std::string> words{name};
  for (std::string word; text >> word;)
    words.push_back(word);
  std::vector<const char*> arguments;
  for (const auto& word : words)
    arguments.push_back(word.c_str());
  run_options read;
  BOOST_TEST(!read_options(static_cast<int>(arguments.size()), arguments.data(), read));
  return read;
}

} // namespace

BOOST_AUTO_TEST_SUITE(soak_options)

BOOST_AUTO_TEST_CASE(the_command_has_everything_that_makes_the_run) {
  run_options o;
  o.seed = 7;
  o.minutes = 1.0 / 3;
  o.nodes = 5;
  o.lease_seconds = 0.7;
  o.lazy_disk = true;
  o.faults = {"kill", "one-way partition", "rolling-restart"};
  o.load.enqueues_per_second = 123.25;
  o.load.units_per_second = 0.1;
  o.program = "/bin/sh";
  o.upgrade_from = "/bin/true";
  const auto again = read_command(command_of(o));
  BOOST_TEST(again.seed == 7U);
  BOOST_TEST(again.load.seed == 7U);
  BOOST_TEST(again.minutes == 1.0 / 3);
  BOOST_TEST(again.nodes == 5U);
  BOOST_TEST(again.lease_seconds == 0.7);
  BOOST_TEST(again.lazy_disk);
  BOOST_TEST(
      (again.faults == std::vector<std::string>{"kill", "one-way-partition", "rolling-restart"}));
  BOOST_TEST(again.load.enqueues_per_second == 123.25);
  BOOST_TEST(again.load.units_per_second == 0.1);
  BOOST_TEST(again.program == "/bin/sh");
  BOOST_TEST(again.upgrade_from == "/bin/true");
}

BOOST_AUTO_TEST_CASE(options_at_their_defaults_are_not_named) {
  run_options o;
  o.seed = 3;
  o.minutes = 0.7;
  BOOST_TEST(command_of(o) == "./dev soak --seed 3 --minutes 0.7 --nodes 3");
}

BOOST_AUTO_TEST_CASE(a_scorecard_has_a_longer_lease_unless_one_is_named) {
  const auto usual = read_command("./dev soak --scorecard --minutes 2 --seed 3");
  BOOST_TEST(usual.scorecard);
  BOOST_TEST(usual.lease_seconds == 5);
  BOOST_TEST(read_command("./dev soak --scorecard --lease 2").lease_seconds == 2);
  BOOST_TEST(read_command("./dev soak --seed 3").lease_seconds == 2);
  BOOST_TEST(read_command(command_of(usual)).scorecard);
}

BOOST_AUTO_TEST_CASE(the_command_of_a_total_names_its_files) {
  const auto read = read_command("./dev soak --total /bin/sh /bin/true --out sum");
  BOOST_TEST((read.total == std::vector<std::string>{"/bin/sh", "/bin/true"}));
  BOOST_TEST(read.out == "sum");
  BOOST_TEST(command_of(read) == "./dev soak --total /bin/sh /bin/true");
  BOOST_TEST((read_command(command_of(read)).total == read.total));
  run_options o;
  const char* words[] = {"soak", "--total", "/no/such/file"};
  BOOST_TEST(read_options(3, words, o).value_or(0) != 0);
}

BOOST_AUTO_TEST_CASE(a_path_with_a_space_is_one_word) {
  run_options o;
  o.program = "/a b/it's";
  BOOST_TEST(command_of(o).find(R"(--program '/a b/it'\''s')") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_mistake_ends_with_a_status_of_its_own) {
  run_options o;
  const char* words[] = {"soak", "--faults", "kil"};
  const auto status = read_options(3, words, o);
  BOOST_REQUIRE(status);
  BOOST_TEST(*status != 0);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::soak
