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
  const auto read = persistence::events_from_text(
      {3, 7, static_cast<std::uint32_t>(written.size()), core::from_micros(5)},
      persistence::events_to_text(part));
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

// finding Q4
BOOST_AUTO_TEST_CASE(rows_that_are_no_events_are_told_as_unreadable_in_their_places) {
  const auto at = core::from_micros(5);
  for (const std::string text :
       {"", "{", "[1]", "[[]]", R"(["details"])", R"([{"type":1}])", "[]",
        R"([{"type":"UnitFinalized","details":{}}])", R"([{"type":"UnitFinalized","at":1},{}])",
        R"([{"type":"TaskDead","at":1,"queue":7}])", R"([{"type":"TaskDead","at":1,"task_id":7}])",
        "[{\"type\":\"UnitFinalized\",\"at\":1,\"details\":{\"a\":\"\xe9\"}}]"}) {
    const auto read = persistence::events_from_text({3, 7, 1, at}, text);
    BOOST_REQUIRE_MESSAGE(read, text);
    BOOST_REQUIRE_EQUAL(read->size(), 1U);
    BOOST_TEST((read->front().id == core::message_id{3, 7}));
    const auto& event = read->front().event;
    BOOST_TEST((event.type == core::event_type::event_unreadable), text);
    BOOST_TEST((event.at == at));
    BOOST_TEST(event.details.find(R"({"shard":3,"seq":7,"problem":"the stored text is no)") == 0U);
  }
}

// finding Q4
BOOST_AUTO_TEST_CASE(event_that_cannot_be_read_keeps_none_of_its_row_from_being_read) {
  const auto read =
      persistence::events_from_text({3, 7, 3, core::from_micros(5)},
                                    R"([{"type":"UnitFinalized","at":1},{"type":"UnitFinalized"},)"
                                    R"({"type":"UnitCanceled","at":2}])");
  BOOST_REQUIRE(read);
  BOOST_REQUIRE_EQUAL(read->size(), 3U);
  BOOST_TEST(((*read)[0].event.type == core::event_type::unit_finalized));
  BOOST_TEST(((*read)[1].event.type == core::event_type::event_unreadable));
  BOOST_TEST(((*read)[1].id.seq == 8U));
  BOOST_TEST(((*read)[2].event.type == core::event_type::unit_canceled));
}

BOOST_AUTO_TEST_CASE(event_of_a_task_is_read_back_with_its_queue_and_its_task) {
  core::event told;
  told.type = core::event_type::task_dead;
  told.at = core::from_micros(3);
  told.details = R"({"error_code":"GONE"})";
  told.queue = "mail";
  told.task = {*core::parse_uuid("018f2c5e-7c1a-7000-8000-000000000004")};
  persistence::shard_batch part;
  part.changes.push_back({{}, {told}});
  const auto text = persistence::events_to_text(part);
  BOOST_TEST(text
             == R"([{"type":"TaskDead","queue":"mail",)"
                R"("task_id":"018f2c5e-7c1a-7000-8000-000000000004","at":3,)"
                R"("details":{"error_code":"GONE"}}])");
  const auto read = persistence::events_from_text({3, 7, 1, core::from_micros(5)}, text);
  BOOST_REQUIRE(read);
  BOOST_REQUIRE_EQUAL(read->size(), 1U);
  BOOST_TEST(core::to_json(read->front().event) == core::to_json(told));
  BOOST_TEST(read->front().event.queue == "mail");
  BOOST_TEST((read->front().event.task == told.task));
  BOOST_TEST(!read->front().event.step);
}

// Only a newer version writes such: it knows them.
BOOST_AUTO_TEST_CASE(events_of_a_type_that_is_not_known_are_refused) {
  const auto read = persistence::events_from_text({3, 7, 1, core::from_micros(5)},
                                                  R"([{"type":"UnitPainted","at":1}])");
  BOOST_REQUIRE(!read);
  BOOST_TEST((read.error().code == core::errc::wrong_state));
}

BOOST_AUTO_TEST_SUITE_END()
