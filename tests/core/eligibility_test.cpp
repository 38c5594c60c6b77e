// Who may work in a step: what it asks and what is known of people, from both sides of each bound.

#include "core/eligibility.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace holdfast::core;

namespace {

using terms = std::vector<std::string>;

/// One per line; empty when nothing is lacking.
std::string lacks(const requirements& asked, const contributor_profile& profile, double trust = 0) {
  std::string text;
  for (const auto& what : lacking(asked, profile, trust))
    text += (text.empty() ? "" : "\n") + what;
  BOOST_TEST(meets(asked, profile, trust) == text.empty());
  return text;
}

/// One per line; empty when there are none.
template <class Subject>
std::string problems(const Subject& subject) {
  std::string text;
  for (const auto& p : problems_of(subject))
    text += (text.empty() ? "" : "\n") + p.place + ": " + p.what;
  return text;
}

terms many(std::size_t count) {
  terms list;
  for (std::size_t i = 0; i < count; ++i)
    list.push_back("t" + std::to_string(i));
  return list;
}

const auto no_number = std::numeric_limits<double>::quiet_NaN();

} // namespace

BOOST_AUTO_TEST_SUITE(eligibility)

BOOST_AUTO_TEST_CASE(a_step_that_asks_nothing_is_open_to_everybody) {
  BOOST_TEST(requirements{}.ask_nothing());
  BOOST_TEST(lacks({}, {}) == "");
  BOOST_TEST(lacks({}, {{"web"}, {"ner"}, {"gdpr"}, "DE", 0.1}) == "");
}

BOOST_AUTO_TEST_CASE(all_skills_and_certifications_are_asked_for) {
  const requirements asked{{}, {"ner", "pos"}, {"gdpr", "iso"}, {}, 0};
  BOOST_TEST(!asked.ask_nothing());
  BOOST_TEST(lacks(asked, {{}, {"pos", "other", "ner"}, {"iso", "gdpr"}, "", {}}) == "");
  BOOST_TEST(lacks(asked, {{}, {"pos"}, {"gdpr"}, "", {}}) == "skill 'ner'\ncertification 'iso'");
  // A skill is no certification, and nothing is meant that is not said.
  BOOST_TEST(lacks(asked, {{"ner"}, {"gdpr", "iso", "NER"}, {"ner", "pos"}, "", {}})
             == "skill 'ner'\nskill 'pos'\ncertification 'gdpr'\ncertification 'iso'");
}

BOOST_AUTO_TEST_CASE(one_of_the_channels_is_enough) {
  const requirements asked{{"web", "agency"}, {}, {}, {}, 0};
  BOOST_TEST(lacks(asked, {{"other", "agency"}, {}, {}, "", {}}) == "");
  BOOST_TEST(lacks(asked, {{"other"}, {}, {}, "", {}}) == "one of the channels 'web', 'agency'");
  BOOST_TEST(lacks({{"web"}, {}, {}, {}, 0}, {}) == "the channel 'web'");
}

BOOST_AUTO_TEST_CASE(a_location_holds_what_is_within_it) {
  BOOST_TEST(is_within("DE", "DE"));
  BOOST_TEST(is_within("DE-BY", "DE"));
  BOOST_TEST(is_within("DE-BY", "DE-BY"));
  BOOST_TEST(is_within("DE-BY-M", "DE"));
  BOOST_TEST(!is_within("DE", "DE-BY"));
  BOOST_TEST(!is_within("DEX", "DE"));
  BOOST_TEST(!is_within("DE-BYX", "DE-BY"));
  BOOST_TEST(!is_within("D", "DE"));
  BOOST_TEST(!is_within("", "DE"));
  BOOST_TEST(!is_within("FR", "DE"));

  const requirements asked{{}, {}, {}, {"DE", "FR"}, 0};
  BOOST_TEST(lacks(asked, {{}, {}, {}, "FR-75", {}}) == "");
  BOOST_TEST(lacks(asked, {{}, {}, {}, "AT", {}}) == "a place in one of 'DE', 'FR'");
  BOOST_TEST(lacks(asked, {}) == "a place in one of 'DE', 'FR'");
  BOOST_TEST(lacks({{}, {}, {}, {"DE-BY"}, 0}, {{}, {}, {}, "DE", {}}) == "a place in 'DE-BY'");
}

BOOST_AUTO_TEST_CASE(trust_is_enough_from_the_bound_on) {
  const requirements asked{{}, {}, {}, {}, 0.8};
  BOOST_TEST(!asked.ask_nothing());
  BOOST_TEST(lacks(asked, {}, 0.8) == "");
  // finding D3: the contributor hears it, whose own figure tells of test questions.
  for (const auto too_little : {0.0, 0.29, 0.55, 0.7999})
    BOOST_TEST(lacks(asked, {}, too_little) == "a trust of 0.8");
  BOOST_TEST(lacks({}, {}, 0) == "");
}

BOOST_AUTO_TEST_CASE(missing_requirements_are_told_in_the_order_of_the_members) {
  BOOST_TEST(lacks({{"web"}, {"ner"}, {"gdpr"}, {"DE"}, 1}, {}, 2.0 / 3)
             == "the channel 'web'\nskill 'ner'\ncertification 'gdpr'\na place in 'DE'\n"
                "a trust of 1");
}

BOOST_AUTO_TEST_CASE(requirements_are_told_in_the_words_of_missing_ones) {
  BOOST_TEST(text_of(requirements{}) == "");
  BOOST_TEST(text_of(requirements{{"web"}, {"ner", "sql"}, {"gdpr"}, {"DE"}, 1})
             == "the channel 'web', skill 'ner', skill 'sql', certification 'gdpr', "
                "a place in 'DE', a trust of 1");
  BOOST_TEST(text_of(requirements{{"web", "app"}, {}, {}, {"DE", "AT"}, 0.8})
             == "one of the channels 'web', 'app', a place in one of 'DE', 'AT', "
                "a trust of 0.8");
}

BOOST_AUTO_TEST_CASE(trust_is_as_the_profile_says_or_else_as_the_test_questions_do) {
  contributor_profile profile;
  BOOST_TEST(trust_in(profile, {}) == 0);
  BOOST_TEST(trust_in(profile, {4, 4}) == 0.8);                                      // 8 of 10
  BOOST_TEST(trust_in(profile, {0, 4}) == 0.4, boost::test_tools::tolerance(1e-12)); // 4 of 10
  profile.trust = 0.3;
  BOOST_TEST(trust_in(profile, {4, 4}) == 0.3);
  profile.trust = 0;
  BOOST_TEST(trust_in(profile, {4, 4}) == 0);
}

BOOST_AUTO_TEST_CASE(terms_are_short_and_plain) {
  const std::string refused = ": must be 1 to 64 characters of a-z, A-Z, 0-9, _, ., : and -";
  for (const auto* good : {"a", "Z", "0", "_", ".", ":", "-", "iso-27001:2022_v1.b"}) {
    BOOST_TEST(problems(requirements{{}, {good}, {}, {}, 0}) == "", good);
    BOOST_TEST(problems(contributor_profile{{}, {}, {}, good, {}}) == "", good);
  }
  for (const auto* bad : {"", " ", "a b", "ä", "a/b", "a,b", "*", "'", "@", "[", "`", "{", ";"}) {
    BOOST_TEST(problems(requirements{{}, {"fine", bad}, {}, {}, 0}) == "/skills/1" + refused, bad);
    BOOST_TEST(
        problems(contributor_profile{{}, {}, {bad}, "", {}}) == "/certifications/0" + refused, bad);
  }
  BOOST_TEST(problems(contributor_profile{{}, {}, {}, "a b", {}}) == "/location" + refused);
  BOOST_TEST(problems(requirements{{std::string(64, 'x')}, {}, {}, {}, 0}) == "");
  BOOST_TEST(problems(requirements{{std::string(65, 'x')}, {}, {}, {}, 0})
             == "/channels/0" + refused);
  BOOST_TEST(problems(requirements{{}, {}, {}, {std::string(1, '\0')}, 0})
             == "/locations/0" + refused);
}

BOOST_AUTO_TEST_CASE(lists_have_at_most_sixty_four_terms) {
  BOOST_TEST(problems(requirements{many(64), many(64), many(64), many(64), 0}) == "");
  BOOST_TEST(problems(requirements{many(65), many(65), many(65), many(65), 0})
             == "/channels: must be at most 64\n/skills: must be at most 64\n"
                "/certifications: must be at most 64\n/locations: must be at most 64");
  BOOST_TEST(problems(contributor_profile{many(64), many(64), many(64), "", {}}) == "");
  BOOST_TEST(problems(contributor_profile{many(65), many(65), many(65), "", {}})
             == "/channels: must be at most 64\n/skills: must be at most 64\n"
                "/certifications: must be at most 64");
}

BOOST_AUTO_TEST_CASE(a_step_names_a_term_once_and_a_profile_as_often_as_it_likes) {
  BOOST_TEST(problems(requirements{{"a", "b", "a"}, {"a"}, {"a"}, {"a", "a", "a"}, 0})
             == "/channels/2: names 'a' twice\n/locations/1: names 'a' twice\n"
                "/locations/2: names 'a' twice");
  BOOST_TEST(problems(contributor_profile{{"a", "a"}, {"a", "a"}, {"a", "a"}, "a", {}}) == "");
}

BOOST_AUTO_TEST_CASE(trust_is_a_share) {
  const auto infinite = std::numeric_limits<double>::infinity();
  for (const double good : {0.0, 0.5, 1.0}) {
    BOOST_TEST(problems(requirements{{}, {}, {}, {}, good}) == "");
    BOOST_TEST(problems(contributor_profile{{}, {}, {}, "", good}) == "");
  }
  for (const double bad : {std::nextafter(0.0, -1), std::nextafter(1.0, 2), infinite, no_number}) {
    BOOST_TEST(problems(requirements{{}, {}, {}, {}, bad}) == "/trust: must be from 0 to 1");
    BOOST_TEST(problems(contributor_profile{{}, {}, {}, "", bad}) == "/trust: must be from 0 to 1");
  }
  BOOST_TEST(problems(contributor_profile{}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
