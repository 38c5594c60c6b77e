// finding Q1: events come back from their row as they were written, digit by digit.

#include "persistence/event_text.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast;

namespace {

std::vector<std::string> details_of(const std::vector<std::string>& written) {
  persistence::shard_batch part;
  core::change change;
  for (const auto& details : written) {
    core::event event;
    event.type = core::event_type::unit_finalized;
    event.details = details;
    change.events.push_back(event);
  }
  part.changes.push_back(change);
  const auto read = persistence::events_from_text(3, 7, persistence::events_to_text(part));
  if (!read)
    BOOST_FAIL(read.error().detail);
  std::vector<std::string> all;
  for (const auto& event : *read)
    all.push_back(event.event.details);
  return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(event_texts)

BOOST_AUTO_TEST_CASE(numbers_of_events_keep_all_of_their_digits) {
  const std::vector<std::string> written{
      R"({"result":{"correction":9400110200881234567890,"confidence":0.10}})",
      {},
      R"({"a":"}],\"details\":{","details":{"details":[1e400,{}]},"b":"\\"})",
      R"({"list":[[],[{"details":1.50}]]})"};
  BOOST_TEST(details_of(written) == written, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(rows_that_are_no_events_are_refused) {
  for (const auto* text : {"", "{", "[1]", "[[]]", R"(["details"])", R"([{"type":1}])",
                           R"([{"type":"UnitFinalized","details":{}}])"})
    BOOST_TEST(!persistence::events_from_text(3, 7, text), text);
}

BOOST_AUTO_TEST_SUITE_END()
