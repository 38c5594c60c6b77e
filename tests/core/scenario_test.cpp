// Runs every tests/scenarios/*.scn. The language is explained in tests/scenarios/README.md.

#include "tests/core/gathering_world.hpp"
#include "tests/core/repair_world.hpp"
#include "tests/core/scenario_worlds.hpp"
#include "tests/core/schedule_world.hpp"
#include "tests/core/webhook_world.hpp"
#include "tests/core/workflow_world.hpp"
#include "tests/support/source_dir.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// One scenario on its way through its lines.
class scenario {
public:
  explicit scenario(std::string file) : file_(std::move(file)) {}

  /// Empty when everything happened as it should; else the first line that did not, where it is,
  /// what it expected and what it got.
  std::string run(const std::string& text) {
    std::istringstream lines{text};
    std::string line;
    for (number_ = 1; std::getline(lines, line); ++number_) {
      try {
        if (auto difference = carry_out(line); !difference.empty())
          return difference;
      } catch (const bad_line& mistake) {
        return place(line) + "\n  not understood: " + mistake.what();
      } catch (const broken_rule& broken) {
        return place(line) + "\n  broken rule: " + broken.what();
      } catch (const std::logic_error& broken) {
        return place(line) + "\n  invariant: " + broken.what();
      }
    }
    if (!described_)
      return file_ + ": has no line '# description: …'";
    if (expectations_ == 0)
      return file_ + ": expects nothing, so it cannot fail";
    return {};
  }

private:
  std::string carry_out(const std::string& line) {
    described_ = described_ || line.rfind("# description: ", 0) == 0;
    const auto first = line.find_first_not_of(" \t");
    if (first == std::string::npos || line[first] == '#')
      return {};
    const auto arrow = line.find("->");
    word_reader words{std::string_view{line}.substr(0, arrow)};
    if (words.take("given")) {
      if (arrow != std::string::npos)
        throw bad_line("'given' expects nothing");
      given(words);
      words.finish();
      return {};
    }
    if (arrow == std::string::npos)
      throw bad_line("every command says what is expected, behind '->'");
    if (!world_)
      throw bad_line("the file must begin with the machine that it is about: 'given a unit …', "
                     "'given a step', 'given a queue' or another one");
    if (words.take("at"))
      move_clock(words.time("a time"));
    const auto got = normalised(world_->carry_out(words, now_));
    words.finish();
    ++expectations_;
    const auto expected = normalised(line.substr(arrow + 2));
    if (got == expected)
      return {};
    return place(line) + "\n  expected: " + expected + "\n  got:      " + got;
  }

  void given(word_reader& words) {
    if (words.take("a unit with")) {
      start(std::make_unique<unit_world>(static_cast<std::uint32_t>(words.number("slots"))));
      if (!words.take("slots"))
        words.expect("slot");
    } else if (words.take("a unit that is repaired with")) {
      start(std::make_unique<repair_world>(static_cast<std::uint32_t>(words.number("slots"))));
      words.expect("slots");
    } else if (words.take("a step that gathers")) {
      start(std::make_unique<gathering_world>(words));
    } else if (words.take("a workflow of")) {
      start(std::make_unique<workflow_world>(words));
    } else if (words.take("a webhook")) {
      start(std::make_unique<webhook_world>());
    } else if (words.take("a schedule of")) {
      start(std::make_unique<schedule_world>(words.word("a cron expression")));
    } else if (words.take("a step")) {
      start(std::make_unique<step_world>());
    } else if (words.take("a ready set")) {
      start(std::make_unique<ready_world>());
    } else if (words.take("a queue")) {
      start(std::make_unique<queue_world>());
    } else if (!world_ || expectations_ > 0 || !world_->given(words)) {
      throw bad_line("this cannot be given here");
    }
  }

  void start(std::unique_ptr<world> fresh) {
    if (world_)
      throw bad_line("a file is about one machine");
    world_ = std::move(fresh);
  }

  void move_clock(core::instant to) {
    if (to < now_)
      throw bad_line("time does not run backwards: it is " + describe(now_) + " already");
    now_ = to;
  }

  std::string place(const std::string& line) const {
    return file_ + ":" + std::to_string(number_) + ": " + line;
  }

  const std::string file_;
  std::size_t number_ = 0;
  std::unique_ptr<world> world_;
  core::instant now_ = beginning;
  std::size_t expectations_ = 0;
  bool described_ = false;
};

std::vector<std::string> scenario_files() {
  const std::filesystem::path folder = source_dir() + "/tests/scenarios";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator{folder})
    if (entry.path().extension() == ".scn")
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string text_of_file(const std::string& name) {
  std::ifstream in{source_dir() + "/tests/scenarios/" + name};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::string run(const std::string& text) {
  return scenario{"x.scn"}.run("# description: x\n" + text);
}

/// Whether the file that begins with `machine` fails at its next line, which is not the language.
bool not_understood(const std::string& machine, const std::string& line) {
  const auto failure = run(machine + "\n" + line + "\n");
  return failure.find("x.scn:3: ") == 0 && failure.find("not understood: ") != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(scenarios)

BOOST_DATA_TEST_CASE(everything_happens_as_the_file_says,
                     boost::unit_test::data::make(scenario_files()), file) {
  const auto difference = scenario{"tests/scenarios/" + file}.run(text_of_file(file));
  if (!difference.empty())
    BOOST_ERROR(difference);
}

BOOST_AUTO_TEST_CASE(there_are_scenarios_for_every_machine) {
  const auto files = scenario_files();
  for (const auto* machine : {"lease_", "unit_", "step_", "ready_", "queue_", "workflow_",
                              "gathering_", "repair_", "webhook_", "schedule_"})
    BOOST_TEST(std::any_of(files.begin(), files.end(),
                           [&](const auto& file) { return file.rfind(machine, 0) == 0; }),
               machine);
}

BOOST_AUTO_TEST_SUITE_END()

// The runner itself: a scenario that is wrong must not pass.
BOOST_AUTO_TEST_SUITE(scenario_runner)

BOOST_AUTO_TEST_CASE(a_difference_is_told_with_its_place) {
  BOOST_TEST(run("given a unit with 1 slot\n"
                 "given leases of 30s\n"
                 "at 1s ana asks -> granted token 1 until 31s\n")
             == "");
  BOOST_TEST(run("given a unit with 1 slot\n"
                 "given leases of 30s\n"
                 "at 1s ana asks -> granted token 2 until 31s\n")
             == "x.scn:4: at 1s ana asks -> granted token 2 until 31s\n"
                "  expected: granted token 2 until 31s\n"
                "  got:      granted token 1 until 31s");
}

BOOST_AUTO_TEST_CASE(spans_of_time_are_compared_by_value) {
  BOOST_TEST(run("given a unit with 1 slot\ngiven leases of 1m30s\n"
                 "at 0s ana asks -> granted  token 1\tuntil 90s\n")
             == "");
  BOOST_TEST(normalised("until 3600s, or 1500ms; or 0.000001s")
             == "until 1h, or 1.5s; or 0.000001s");
  BOOST_TEST(normalised("1h30m 90m 61s 2us") == "1h30m 1h30m 1m1s 0.000002s");
}

BOOST_AUTO_TEST_CASE(text_outside_the_language_fails) {
  const auto misunderstood = [](const std::string& line) {
    return not_understood("given a unit with 1 slot", line);
  };
  BOOST_TEST(misunderstood("at 0s ana asks"));
  BOOST_TEST(misunderstood("at 0s ana dances -> granted"));
  BOOST_TEST(misunderstood("at 0s ana asks twice -> granted"));
  BOOST_TEST(misunderstood("at soon ana asks -> granted"));
  BOOST_TEST(misunderstood("at 0s ana extends -> extended"));
  BOOST_TEST(misunderstood("at 0s ana extends under token one -> extended"));
  BOOST_TEST(misunderstood("at 0s ana submits \"cat under token 1 -> accepted"));
  BOOST_TEST(misunderstood("at 0s -> granted"));
  BOOST_TEST(misunderstood("given a step"));
  BOOST_TEST(misunderstood("given patience"));
  const auto misunderstood_of_queue = [](const std::string& line) {
    return not_understood("given a queue", line);
  };
  BOOST_TEST(misunderstood_of_queue("given leases of one"));
  BOOST_TEST(misunderstood_of_queue("at 0s m1 is enqueued twice -> enqueued"));
  BOOST_TEST(misunderstood_of_queue("at 0s m1 is praised -> praised"));
  BOOST_TEST(misunderstood_of_queue("at 0s w1 sings m1 under token 1 -> sung"));
  BOOST_TEST(misunderstood_of_queue("at 0s w1 claims all -> m1 token 1"));
  BOOST_TEST(misunderstood_of_queue("at 0s m1 is redriven -> live again"));
  BOOST_TEST(run("at 0s ana asks -> granted\n").find("must begin with") != std::string::npos);
  BOOST_TEST(run("given a unit with 1 slot\nat 2s time passes -> expired nobody\n"
                 "at 1s time passes -> expired nobody\n")
                 .find("does not run backwards: it is 2s already")
             != std::string::npos);
  BOOST_TEST(run("given a unit with 1 slot\nat 2s time passes -> expired nobody\n"
                 "given leases of 3s\n")
                 .find("cannot be given here")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(each_machine_refuses_the_words_of_others) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> lines{
      {"given a workflow of a b",
       {"given c leads to a", "given a leads to b when the moon is full", "given version 3 of a",
        "at 0s a is sealed -> sealed", "at 0s version 2 is put -> version 2",
        "at 0s the receiver answers 200 -> delivered 1; position 1"}},
      {"given a step that gathers 2 units",
       {"given version 2 gathers dust", "at 0s u1 arrives late -> 1 waits",
        "at 0s b1 finishes -> Open, 1 of 1, revision 1", "at 0s u1 is withdrawn -> 0 wait",
        "at 0s the batch of u1 cannot be made -> tried again at 2s"}},
      {"given a unit that is repaired with 3 slots",
       {"given the repair policy forget", "at 0s ana and bob judge \"cat\" -> judged",
        "at 0s ana is promoted -> promoted", "at 0s ana is trusted much -> trusted"}},
      {"given a webhook",
       {"given attempts 0", "given batches of many events", "at 0s 2 event happens -> event 1",
        "at 0s the queue answers maybe -> delivered", "at 0s the queue answers -> delivered",
        "at 0s the webhook is praised -> praised"}},
      {"given a schedule of \"0 * * * *\"",
       {"given backfill some", "given no occurrence before noon", "given clocks 1h ahead",
        "at 2026-13-01T00:00Z time passes -> makes nothing; next never",
        "at 2026-01-01 time passes -> makes nothing; next never",
        "at 0s the schedule is praised -> praised"}}};
  for (const auto& [machine, all] : lines)
    for (const auto& line : all)
      BOOST_TEST(not_understood(machine, line), machine << ": " << line);
  BOOST_TEST(run("given a schedule of \"* * * *\"\n").find("needs five fields")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(times_are_read_and_told_in_utc) {
  BOOST_TEST((parse_utc("2026-03-29T01:00Z") == parse_utc("2026-03-29T01:00:00.000000Z")));
  BOOST_TEST(!parse_utc("2026-03-29T01:00"));
  BOOST_TEST(!parse_utc("2026-03-29"));
  for (const auto* text :
       {"2026-03-29T01:00Z", "2026-03-29T01:00:01Z", "2026-03-29T01:00:00.000001Z"})
    BOOST_TEST(utc_text(*parse_utc(text)) == text);
}

BOOST_AUTO_TEST_CASE(a_file_must_describe_itself_and_expect_something) {
  BOOST_TEST(
      scenario{"x.scn"}.run("given a step\nat 0s 1 units arrive -> Open, 0 of 1, revision 1\n")
      == "x.scn: has no line '# description: …'");
  BOOST_TEST(run("given a step\n") == "x.scn: expects nothing, so it cannot fail");
}

BOOST_AUTO_TEST_CASE(a_machine_that_breaks_is_told_with_the_place) {
  const auto failure = run("given a step\nat 0s 1 units finish -> Open, 1 of 0, revision 1\n");
  BOOST_TEST(failure.find("x.scn:3: ") == 0U, failure);
  BOOST_TEST(failure.find("invariant: ") != std::string::npos, failure);
}

BOOST_AUTO_TEST_SUITE_END()
