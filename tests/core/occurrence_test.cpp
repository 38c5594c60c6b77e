// Ids of the tasks that schedules make: their own, the same for ever, and what they tell.

#include "core/occurrence.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

using namespace holdfast;
using namespace holdfast::core;
using namespace std::chrono_literals;

namespace {

const instant midnight{std::chrono::seconds{1'700'006'400}};

} // namespace

BOOST_AUTO_TEST_SUITE(occurrence)

BOOST_AUTO_TEST_CASE(the_id_of_an_occurrence_is_its_own) {
  // Written down: it must be the same in every version.
  BOOST_TEST(to_string(occurrence_id({"mail", "daily", midnight}, midnight))
             == "018bd047-1000-8e4f-9ef7-b54e3801af56");
  std::set<task_id> ids;
  for (const auto* queue : {"mail", "maild"})
    for (const auto* name : {"daily", "aily"})
      for (int minute = 0; minute < 100; ++minute)
        for (const auto created : {midnight, midnight + 1us})
          BOOST_TEST(
              ids.insert(occurrence_id({queue, name, created}, midnight + minute * 1min)).second);
}

BOOST_AUTO_TEST_CASE(an_id_tells_its_occurrence_and_only_its_schedule_makes_it) {
  const schedule_identity daily{"mail", "daily", midnight};
  for (const auto at : {instant{}, midnight, midnight + 23h + 59min, midnight + 24h * 365 * 100}) {
    const auto id = occurrence_id(daily, at);
    BOOST_TEST((occurrence_of(id) == at));
    BOOST_TEST(makes(daily, id));
    BOOST_TEST(!makes({"mail", "daily", midnight + 1us}, id)); // made again
    BOOST_TEST(!makes({"mail", "weekly", midnight}, id));
    BOOST_TEST(!makes({"post", "daily", midnight}, id));
  }
}

BOOST_AUTO_TEST_CASE(ids_that_no_schedule_has_made_tell_nothing) {
  BOOST_TEST(!occurrence_of(task_id{}).has_value());
  const task_id of_a_producer{*parse_uuid("018bd047-1000-7e4f-9ef7-b54e3801af56")};
  BOOST_TEST(!occurrence_of(of_a_producer).has_value());
  const task_id of_another_variant{*parse_uuid("018bd047-1000-8e4f-def7-b54e3801af56")};
  BOOST_TEST(!occurrence_of(of_another_variant).has_value());
  // Of version 8, but made by somebody else.
  const task_id like_one{*parse_uuid("018bd047-1000-8e4f-9ef7-b54e3801af57")};
  BOOST_TEST(!makes({"mail", "daily", midnight}, like_one));
}

BOOST_AUTO_TEST_SUITE_END()
