// What the monitors of a step find, and whom they leave alone. A23 to A26, A28

#include "core/survey_pace.hpp"

#include "core/quality/seeded.hpp"
#include "core/step_survey.hpp"
#include "documents/workflow_document.hpp"
#include "tests/quality/recorded_sets.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace holdfast;
using core::monitor;
using core::surveyed_judgment;
using core::quality::seeded_source;

namespace {

core::unit_id unit(std::size_t n) {
  core::unit_id id;
  id.value.bytes[13] = 1;
  id.value.bytes[14] = static_cast<std::uint8_t>(n >> 8U);
  id.value.bytes[15] = static_cast<std::uint8_t>(n);
  return id;
}

surveyed_judgment judgment(const std::string& who, std::size_t n, const std::string& answer,
                           std::int64_t millis = 10'000) {
  return {who, unit(n), answer, core::duration{millis * 1000}, n};
}

/// Everybody in `people` judges `units` units, of three labels, right nine times in ten, in ten
/// seconds or so.
std::vector<surveyed_judgment> crowd(const std::vector<std::string>& people, std::size_t units,
                                     seeded_source& random) {
  static const std::vector<std::string> labels{"red", "green", "blue"};
  std::vector<surveyed_judgment> all;
  for (std::size_t n = 0; n < units; ++n) {
    const auto truth = random.below(3);
    for (const auto& who : people) {
      const auto said = random.below(10) == 0 ? random.below(3) : truth;
      all.push_back(
          judgment(who, n, labels[said], 6'000 + static_cast<std::int64_t>(random.below(9'000))));
    }
  }
  return all;
}

std::string flags_in(const core::step_survey& survey) {
  std::string text;
  for (const auto& one : survey.concerns) {
    BOOST_TEST(!one.why.empty());
    BOOST_TEST(one.why.size() <= 512U);
    text += (text.empty() ? "" : " ") + one.contributor + ":" + std::string{to_string(one.what)};
  }
  return text;
}

const std::vector<std::string> people{"ana", "bob", "cid", "dan"};

} // namespace

BOOST_AUTO_TEST_SUITE(step_surveys)

BOOST_AUTO_TEST_CASE(nothing_is_found_in_nothing) {
  const auto survey = core::survey({});
  BOOST_TEST(survey.judgments == 0U);
  BOOST_TEST(!survey.krippendorff_alpha);
  BOOST_TEST(!survey.fleiss_kappa);
  BOOST_TEST(survey.concerns.empty());
}

BOOST_AUTO_TEST_CASE(an_honest_crowd_is_left_alone) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    seeded_source random{seed};
    const auto survey = core::survey(crowd(people, 60, random));
    BOOST_TEST(flags_in(survey) == "", seed);
    BOOST_TEST(survey.judgments == 240U);
    BOOST_TEST(survey.units == 60U);
    BOOST_TEST(survey.labels == 3U);
    BOOST_TEST(survey.krippendorff_alpha.value() > 0.6);
    BOOST_TEST(survey.fleiss_kappa.value() > 0.6);
  }
}

// A26: the same answer to everything, and to the byte
BOOST_AUTO_TEST_CASE(contributor_with_one_answer_for_all_is_found_by_agreement_and_patterns) {
  seeded_source random{4};
  auto all = crowd(people, 60, random);
  for (std::size_t n = 0; n < 60; ++n) {
    all.push_back(judgment("lazy", n, "red"));
    all.back().payload = 7'000;
  }
  BOOST_TEST(flags_in(core::survey(all)) == "lazy:agreement lazy:patterns");
}

// finding Q4
BOOST_AUTO_TEST_CASE(contributor_with_an_unreadable_judgment_is_not_flagged) {
  using row = core::step_history::unreadable;
  const std::vector<core::concern> found{{"lazy", monitor::agreement, "agrees with nobody"},
                                         {"fast", monitor::speed, "took no time"},
                                         {"lazy", monitor::patterns, "one answer to all"}};
  const auto flagged = core::concerns_to_flag(
      found, {{row::row::vote, "lazy", unit(7), "gone"}, {row::row::vote, "fay", unit(8), "gone"}});
  BOOST_REQUIRE_EQUAL(flagged.size(), 1U);
  BOOST_TEST(flagged[0].contributor == "fast");
  BOOST_TEST(core::concerns_to_flag(found, {}).size() == 3U);
}

// A24: at random is no better
BOOST_AUTO_TEST_CASE(contributor_who_answers_at_random_is_found_by_agreement) {
  seeded_source random{5};
  auto all = crowd(people, 60, random);
  for (std::size_t n = 0; n < 60; ++n)
    all.push_back(
        judgment("dice", n, std::vector<std::string>{"red", "green", "blue"}.at(random.below(3))));
  BOOST_TEST(flags_in(core::survey(all)) == "dice:agreement");
}

// A25
BOOST_AUTO_TEST_CASE(contributor_who_takes_no_time_or_for_ever_is_found_by_speed) {
  seeded_source random{6};
  auto all = crowd(people, 60, random);
  for (std::size_t n = 0; n < 20; ++n) {
    const auto right = all[n * people.size()].answer;
    all.push_back(judgment("hasty", n, right, n % 2 == 0 ? 50 : 9'000));
    all.push_back(judgment("asleep", n, right, n < 11 ? 900'000 : 9'000));
    all.push_back(judgment("paused", n, right, n < 3 ? 900'000 : 9'000));
  }
  const auto survey = core::survey(all);
  BOOST_TEST(flags_in(survey) == "asleep:speed hasty:speed");
  BOOST_TEST(survey.concerns[0].why == "11 of 20 judgments took far more time than usual");
  BOOST_TEST(survey.concerns[1].why == "10 of 20 judgments took far less time than usual");
}

// The export of a platform, as it came in. Agreement is what its definition gives by hand.
BOOST_AUTO_TEST_CASE(a_recorded_job_of_a_platform_is_surveyed) {
  std::map<std::string, std::size_t> units;
  std::vector<surveyed_judgment> all;
  for (const auto& one : test::platform_judgments()) {
    const auto number = units.emplace(one.unit, units.size()).first->second;
    const auto millis = static_cast<std::int64_t>(one.seconds * 1000);
    all.push_back(judgment(one.worker, number, one.label, millis));
  }
  const auto survey = core::survey(all);
  BOOST_TEST(survey.judgments == 1000U);
  BOOST_TEST(survey.units == 50U);
  BOOST_TEST(survey.labels == 2U);
  const auto close = boost::test_tools::tolerance(1e-12);
  BOOST_TEST(survey.krippendorff_alpha.value() == 0.7977272260291565, close);
  BOOST_TEST(survey.fleiss_kappa.value() == 0.7975247507799362, close);
  BOOST_TEST(flags_in(survey) == "");
}

BOOST_AUTO_TEST_CASE(contributor_who_shares_mistakes_of_another_is_found_with_them) {
  seeded_source random{7};
  std::vector<surveyed_judgment> all;
  for (const auto& one : crowd({"ana", "bob", "cid", "dan", "eve", "fay"}, 200, random)) {
    all.push_back(one);
    if (one.contributor == "fay") {
      all.push_back(one);
      all.back().contributor = "copy";
    }
  }
  BOOST_TEST(flags_in(core::survey(all)) == "copy:copying fay:copying");
}

// Free text has no labels: hundreds of different answers agree about nothing.
BOOST_AUTO_TEST_CASE(answers_that_all_differ_are_no_labels) {
  std::vector<surveyed_judgment> all;
  for (std::size_t n = 0; n < 300; ++n)
    for (const auto& who : people)
      all.push_back(judgment(who, n, who + std::to_string(n)));
  const auto survey = core::survey(all);
  BOOST_TEST(survey.labels == 1200U);
  BOOST_TEST(!survey.krippendorff_alpha);
  BOOST_TEST(survey.concerns.empty());
}

/// Four people write a thousand answers of which no two are equal; another one hands in `texts`.
std::vector<surveyed_judgment> free_text_and(const std::vector<std::string>& texts) {
  std::vector<surveyed_judgment> all;
  for (std::size_t n = 0; n < 1'000; ++n) {
    all.push_back(judgment(people[n % people.size()], n, "text " + std::to_string(n)));
    if (n >= texts.size())
      continue;
    all.push_back(judgment("eve", n, texts[n]));
    all.back().payload = std::hash<std::string>{}(texts[n]);
  }
  return all;
}

// A26: where answers are no labels, too
BOOST_AUTO_TEST_CASE(contributor_with_one_text_for_everything_is_found_by_patterns) {
  const auto survey =
      core::survey(free_text_and(std::vector<std::string>(500, "as described above")));
  BOOST_TEST(survey.labels == 1'001U);
  BOOST_TEST(!survey.krippendorff_alpha);
  BOOST_TEST(flags_in(survey) == "eve:patterns");
  BOOST_TEST(survey.concerns.at(0).why == "nearly all the same to the byte (of 500 judgments)");
  // Who takes it for most answers, and not for nearly all, may have met as many of a kind.
  std::vector<std::string> most(400, "as described above");
  for (int n = 0; n < 100; ++n)
    most.push_back("a text of its own, " + std::to_string(n));
  BOOST_TEST(flags_in(core::survey(free_text_and(most))) == "");
}

// What everybody says is nobody's habit.
BOOST_AUTO_TEST_CASE(a_text_that_is_right_for_nearly_all_units_is_left_alone) {
  std::vector<surveyed_judgment> all;
  for (std::size_t n = 0; n < 300; ++n)
    for (std::size_t i = 0; i < 16; ++i) {
      const bool rare = n % 15 == 0;
      const auto payload = rare ? 16 * n + i + 1 : 0;
      all.push_back(judgment("person-" + std::to_string(i), n,
                             rare ? "text " + std::to_string(payload) : "none"));
      all.back().payload = payload;
    }
  const auto survey = core::survey(all);
  BOOST_TEST(survey.labels > core::surveyed_labels_max);
  BOOST_TEST(flags_in(survey) == "");
}

BOOST_AUTO_TEST_CASE(too_little_work_says_nothing) {
  std::vector<surveyed_judgment> all;
  for (std::size_t n = 0; n < 9; ++n) {
    all.push_back(judgment("ana", n, "red"));
    all.push_back(judgment("bob", n, "red"));
    all.push_back(judgment("eve", n, "blue", 1));
  }
  BOOST_TEST(core::survey(all).concerns.empty());
}

// Recorded crowds: whoever disagrees so much is right less than three times in four.
BOOST_AUTO_TEST_CASE(contributors_flagged_by_agreement_in_recorded_jobs_are_often_wrong) {
  std::size_t flagged = 0;
  for (const auto* name : test::sets_with_truth) {
    const auto set = test::recorded_set(name);
    std::vector<surveyed_judgment> all;
    std::map<std::string, std::pair<double, double>> right_of;
    for (std::size_t n = 0; n < set.named.given.units(); ++n)
      for (const auto& vote : set.named.given.of(n)) {
        const auto& who = set.named.contributors[vote.contributor];
        all.push_back(judgment(who, n, set.named.labels[vote.label]));
        right_of[who].first += vote.label == set.truth[n] ? 1 : 0;
        right_of[who].second += 1;
      }
    for (const auto& one : core::survey(all).concerns)
      if (one.what == monitor::agreement) {
        ++flagged;
        const auto [right, all_of_theirs] = right_of.at(one.contributor);
        BOOST_TEST(right / all_of_theirs < 0.75, name << ' ' << one.contributor);
      }
  }
  BOOST_TEST(flagged >= 10U);
}

// However many judgments there are, each is looked at a few times only.
BOOST_AUTO_TEST_CASE(a_step_is_surveyed_again_when_a_quarter_has_come_in) {
  BOOST_TEST(core::next_survey_after(0) == 50U);
  BOOST_TEST(core::next_survey_after(100) == 150U);
  BOOST_TEST(core::next_survey_after(10'000) == 12'500U);
  double looked_at = 0;
  std::uint64_t judgments = 0;
  while ((judgments = core::next_survey_after(judgments)) < 1'000'000)
    looked_at += static_cast<double>(judgments);
  BOOST_TEST(looked_at < 5.5 * 1'000'000);
}

BOOST_AUTO_TEST_CASE(one_survey_is_under_way_at_a_time) {
  core::survey_pace pace;
  std::uint64_t begun = 0;
  for (int i = 0; i < 200; ++i)
    begun += pace.judged() ? 1 : 0;
  BOOST_TEST(begun == 1U);
  pace.ended(); // without having seen anything
  BOOST_TEST(!pace.judged());
  for (int i = 0; i < 48; ++i)
    BOOST_TEST(!pace.judged());
  BOOST_TEST(pace.judged());
}

// A survey sees the last judgments only; of a larger step that is not all there are.
BOOST_AUTO_TEST_CASE(large_steps_are_surveyed_ever_more_seldom) {
  core::survey_pace pace;
  pace.surveyed(core::surveyed_judgments_max); // an earlier life had that many or more
  std::uint64_t surveys = 0;
  for (std::uint64_t i = core::surveyed_judgments_max; i < 2'000'000; ++i)
    if (pace.judged()) {
      ++surveys;
      pace.ended();
      pace.surveyed(core::surveyed_judgments_max);
    }
  BOOST_TEST(surveys == 16U); // 50,000 times 1.25 to the sixteenth is 1.8 million
}

BOOST_AUTO_TEST_CASE(judgments_saved_are_those_that_the_rule_might_have_asked_for) {
  const auto asking_for = [](const std::string& how_many) {
    const auto read = documents::parse_workflow(
        R"({"name": "w", "steps": [{"key": "label", )" + how_many + "}]}", {});
    BOOST_REQUIRE(read);
    return *read;
  };
  core::versioned_workflow workflow{{asking_for(R"("stopping": {"min": 2, "max": 5})")}};
  BOOST_TEST(core::judgments_saved({}, workflow, 0) == 0);
  BOOST_TEST(core::judgments_saved({{1, {10, 31, 0}}}, workflow, 0) == 19);
  // What was finished before it took another form goes by what was asked then.
  workflow.add(asking_for(R"("stopping": {"min": 2, "max": 3})"));
  workflow.add(asking_for(R"("judgments_per_unit": 7)"));
  BOOST_TEST(
      core::judgments_saved({{1, {10, 31, 0}}, {2, {10, 21, 0}}, {3, {10, 70, 0}}}, workflow, 0)
      == 19 + 9);
}

BOOST_AUTO_TEST_CASE(finished_units_add_up_over_versions) {
  const auto sum = core::sum_of({{1, {10, 31, 2}}, {3, {5, 5, 1}}});
  BOOST_TEST(sum.units == 15U);
  BOOST_TEST(sum.judgments == 36U);
  BOOST_TEST(sum.unsure == 3U);
}

BOOST_AUTO_TEST_CASE(monitors_are_found_by_their_names) {
  for (const auto one : core::all_monitors)
    BOOST_TEST((core::monitor_named(to_string(one)) == one));
  BOOST_TEST(!core::monitor_named("Speed"));
}

BOOST_AUTO_TEST_SUITE_END()
