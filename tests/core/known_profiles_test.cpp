// For how long a step goes by what it has read of contributors. A95, A101

#include "core/known_profiles.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace holdfast::core;
using namespace std::chrono_literals;
using holdfast::test::beginning;

namespace {

requirements asking_for(const std::string& skill) {
  requirements asked;
  asked.skills = {skill};
  return asked;
}

contributor_profile with(const std::string& skill) {
  contributor_profile profile;
  profile.skills = {skill};
  return profile;
}

} // namespace

BOOST_AUTO_TEST_SUITE(known_contributors)

BOOST_AUTO_TEST_CASE(step_without_requirements_needs_no_profile) {
  BOOST_TEST(known_profiles{}.lacks({}, "ana", beginning)->empty());
  BOOST_TEST(!known_profiles{}.lacks(asking_for("ner"), "ana", beginning));
}

BOOST_AUTO_TEST_CASE(eligibility_is_known_for_a_minute_and_its_lack_for_a_second) {
  known_profiles known;
  known.learn("ana", with("ner"), 0, beginning);
  const auto lacks = [&](const std::string& skill, duration later) {
    return known.lacks(asking_for(skill), "ana", beginning + later);
  };
  BOOST_TEST(lacks("ner", 60s - 1us)->empty());
  BOOST_TEST(!lacks("ner", 60s));
  BOOST_TEST(lacks("sql", 1s - 1us)->size() == 1U);
  BOOST_TEST(!lacks("sql", 1s));
  // The word of later counts.
  known.learn("ana", with("sql"), 0, beginning + 2s);
  BOOST_TEST(lacks("ner", 2s)->size() == 1U);
  BOOST_TEST(lacks("sql", 61s)->empty());
}

// finding R4, Q9
BOOST_AUTO_TEST_CASE(contributor_read_by_a_clock_that_was_set_back_is_read_again) {
  known_profiles known;
  known.learn("ana", with("ner"), 0.5, beginning + 24h, 0.7);
  BOOST_TEST(!known.lacks(asking_for("ner"), "ana", beginning));
  BOOST_TEST(!known.lacks(asking_for("sql"), "ana", beginning));
  BOOST_TEST(!known.trust_by_others("ana", beginning));
  BOOST_TEST(known.eligible(asking_for("ner"), beginning).known == 0U);
  known.learn("ana", with("ner"), 0.5, beginning, 0.7);
  BOOST_TEST(known.lacks(asking_for("ner"), "ana", beginning)->empty());
}

BOOST_AUTO_TEST_CASE(profiles_read_within_a_minute_are_counted_eligible_or_not) {
  known_profiles known;
  const auto counted = [&](const requirements& asked, duration later) {
    const auto [read, eligible] = known.eligible(asked, beginning + later);
    return std::to_string(eligible) + " of " + std::to_string(read);
  };
  BOOST_TEST(counted(asking_for("ner"), 0s) == "0 of 0");
  known.learn("ana", with("ner"), 0.5, beginning);
  known.learn("bob", with("sql"), 0.9, beginning + 10s);
  known.learn("cid", with("ner"), 0.9, beginning + 20s);
  BOOST_TEST(counted(asking_for("ner"), 60s - 1us) == "2 of 3");
  BOOST_TEST(counted(asking_for("ner"), 60s) == "1 of 2");
  BOOST_TEST(counted(asking_for("sql"), 60s) == "1 of 2");
  BOOST_TEST(counted(asking_for("ner"), 80s) == "0 of 0");
  auto trusted = asking_for("ner");
  trusted.trust = 0.8;
  BOOST_TEST(counted(trusted, 30s) == "1 of 3");
}

BOOST_AUTO_TEST_CASE(a_step_remembers_a_bounded_number_of_contributors) {
  known_profiles known;
  const auto fill = [&](const std::string& prefix, instant at) {
    for (std::size_t i = 0; i < known_profiles::contributors_max; ++i)
      known.learn(prefix + std::to_string(i), with("ner"), 0, at);
  };
  const auto is_known = [&](const std::string& who, instant at) {
    return known.lacks(asking_for("ner"), who, at).has_value();
  };
  fill("a", beginning);
  BOOST_TEST(known.size() == known_profiles::contributors_max);
  known.learn("a0", with("ner"), 0, beginning + 30s); // of those that are there
  BOOST_TEST(known.size() == known_profiles::contributors_max);
  // Those that are old go, and the others stay.
  known.learn("b", with("ner"), 0, beginning + 60s);
  BOOST_TEST(known.size() == 2U);
  BOOST_TEST(is_known("a0", beginning + 60s));
  // When none is old, all are read again.
  fill("c", beginning + 61s);
  BOOST_TEST(known.size() <= known_profiles::contributors_max);
  known.learn("d", with("ner"), 0, beginning + 61s);
  BOOST_TEST(known.size() <= known_profiles::contributors_max);
  BOOST_TEST(is_known("d", beginning + 61s));
}

BOOST_AUTO_TEST_SUITE_END()
