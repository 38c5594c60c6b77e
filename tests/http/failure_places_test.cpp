// The places in a request that the failures of actors speak of.

#include "http/failure_places.hpp"

#include "core/errors.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace holdfast;
using namespace holdfast::http;

namespace {

/// Each place with what is wrong there, a line each.
std::string places_told(const core::failure& why, const known_places& known) {
  std::string all;
  for (const auto& one : places_in(why, known))
    all += one.place + " | " + one.what + '\n';
  return all;
}

known_places places_of_policy() {
  known_places known;
  known.members = {{"queue", "queue"}};
  known.documents = {""};
  return known;
}

known_places places_of_task() {
  known_places known;
  known.members = {{"queue", "queue"},
                   {"type", "/type"},
                   {"body", "/body"},
                   {"data", "/data"},
                   {"id", "/id"},
                   {"priority", "/priority"},
                   {"checkpoint", "/checkpoint"}};
  known.documents = {"/body", "/data"};
  return known;
}

} // namespace

BOOST_AUTO_TEST_SUITE(failure_places)

BOOST_AUTO_TEST_CASE(each_line_of_a_refused_definition_is_a_place_in_it) {
  const core::failure why{core::errc::payload_invalid,
                          "/retry/max: must be a number\n/types/a~1b: is unknown: see /docs\n"
                          "and 3 further problems"};
  BOOST_TEST(places_told(why, places_of_policy())
             == "/retry/max | must be a number\n/types/a~1b | is unknown: see /docs\n");
}

BOOST_AUTO_TEST_CASE(a_document_inside_the_body_has_its_place_in_front) {
  known_places known;
  known.members = {{"data", "/data"}, {"unit_id", "/unit_id"}};
  known.documents = {"/data"};
  const core::failure why{core::errc::payload_invalid, "/answer: must be one of cat, dog"};
  BOOST_TEST(places_told(why, known) == "/data/answer | must be one of cat, dog\n");
}

BOOST_AUTO_TEST_CASE(a_document_that_is_wrong_as_a_whole_is_the_place) {
  const core::failure why{core::errc::payload_invalid, "must be an object"};
  BOOST_TEST(places_told(why, places_of_policy()) == " | must be an object\n");
  // Of two documents nobody knows which is meant.
  BOOST_TEST(places_told(why, places_of_task()) == "");
}

BOOST_AUTO_TEST_CASE(a_detail_that_begins_with_the_name_of_a_member_is_about_it) {
  const auto told = [](core::errc code, const char* detail) {
    return places_told({code, detail}, places_of_task());
  };
  BOOST_TEST(told(core::errc::payload_invalid, "body: /to: is missing")
             == "/body/to | is missing\n");
  BOOST_TEST(told(core::errc::payload_invalid, "data: must be JSON") == "/data | must be JSON\n");
  BOOST_TEST(told(core::errc::invalid_argument, "priority must be between -1000 and 1000")
             == "/priority | must be between -1000 and 1000\n");
  BOOST_TEST(told(core::errc::invalid_argument, "queue must not be empty")
             == "queue | must not be empty\n");
  // Actors have names of their own for some members.
  BOOST_TEST(told(core::errc::payload_invalid, "execution_state: must be JSON")
             == "/checkpoint | must be JSON\n");
  BOOST_TEST(told(core::errc::invalid_argument, "task must not be nil")
             == "/id | must not be nil\n");
}

BOOST_AUTO_TEST_CASE(other_failures_have_no_places) {
  const auto known = places_of_task();
  BOOST_TEST(places_told({core::errc::not_found, "queue x is not there"}, known) == "");
  BOOST_TEST(places_told({core::errc::invalid_argument, "the type is odd"}, known) == "");
  BOOST_TEST(places_told({core::errc::invalid_argument, "types are too many"}, known) == "");
  BOOST_TEST(places_told({core::errc::invalid_argument, "/x: of two documents"}, known) == "");
  BOOST_TEST(places_told({core::errc::invalid_argument, ""}, known) == "");
  BOOST_TEST(places_told({core::errc::invalid_argument, "type"}, known) == "");
}

BOOST_AUTO_TEST_SUITE_END()
