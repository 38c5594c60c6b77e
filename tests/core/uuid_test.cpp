// Ids: their order, their text, and that no two are alike.

#include "core/ids.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

using namespace holdfast;
using namespace holdfast::core;
using namespace std::chrono_literals;
using holdfast::test::beginning;

namespace {

std::uint64_t millis_in(const uuid& id) {
  std::uint64_t millis = 0;
  for (std::size_t i = 0; i < 6; ++i)
    millis = millis << 8 | id.bytes[i];
  return millis;
}

/// Whether version and variant are those of RFC 9562, version 7.
bool well_formed(const uuid& id) { return id.bytes[6] >> 4 == 7 && id.bytes[8] >> 6 == 2; }

} // namespace

BOOST_AUTO_TEST_SUITE(uuids)

BOOST_AUTO_TEST_CASE(a_scattered_id_says_its_time_and_nothing_else) {
  uuid_source source{1};
  std::set<uuid> ids;
  bool fell = false;
  for (int i = 0; i < 1000; ++i) {
    const auto id = source.scattered(beginning + 1234567us);
    BOOST_TEST(well_formed(id));
    BOOST_TEST((time_of(id) == beginning + 1234ms));
    fell = fell || (!ids.empty() && id < *ids.rbegin());
    BOOST_TEST(ids.insert(id).second);
  }
  BOOST_TEST(fell); // their order is not that of their making
}

// A41
BOOST_AUTO_TEST_CASE(an_id_begins_with_its_millisecond) {
  uuid_source source{1};
  const auto id = source.next(beginning + 1234567us);
  BOOST_TEST(millis_in(id) == 1'700'000'001'234U);
  BOOST_TEST(well_formed(id));
  BOOST_TEST(to_string(id).substr(0, 15) == "018bcfe5-6cd2-7");
}

BOOST_AUTO_TEST_CASE(ids_of_one_source_grow_whatever_the_clock_does) {
  uuid_source source{2};
  test::random_source random{2};
  auto now = beginning;
  auto last = source.next(now);
  for (int i = 0; i < 50'000; ++i) {
    // Mostly standing still; now and then forward, or back by up to a second.
    if (random.one_in(50))
      now += std::chrono::milliseconds{random.below(3)};
    if (random.one_in(500))
      now -= std::chrono::milliseconds{random.below(1000)};
    const auto id = source.next(now);
    BOOST_TEST((last < id));
    BOOST_TEST(well_formed(id));
    last = id;
  }
}

BOOST_AUTO_TEST_CASE(a_millisecond_holds_4096_ids_and_then_borrows_the_next) {
  uuid_source source{3};
  std::map<std::uint64_t, int> per_milli;
  for (int i = 0; i < 3 * 4096; ++i)
    ++per_milli[millis_in(source.next(beginning))];
  BOOST_TEST(per_milli.size() == 3U);
  for (const auto& [milli, count] : per_milli)
    BOOST_TEST(count == 4096);
  BOOST_TEST(per_milli.begin()->first == 1'700'000'000'000U);
  // Once the clock is past what was borrowed, it counts again.
  BOOST_TEST(millis_in(source.next(beginning + 3ms)) == 1'700'000'000'003U);
}

BOOST_AUTO_TEST_CASE(ids_are_unique_under_a_standing_clock_and_between_sources) {
  std::unordered_set<uuid> seen;
  std::vector<uuid_source> sources;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    sources.emplace_back(seed);
  for (int i = 0; i < 5000; ++i)
    for (auto& source : sources)
      BOOST_TEST(seen.insert(source.next(beginning)).second);
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_ids) {
  uuid_source a{42};
  uuid_source b{42};
  uuid_source c{43};
  const auto from_a = a.next(beginning);
  BOOST_TEST((from_a == b.next(beginning)));
  BOOST_TEST((from_a != c.next(beginning)));
}

BOOST_AUTO_TEST_CASE(text_and_id_are_one_to_one) {
  const std::string text = "018f2c5e-7c1a-7000-8000-0123456789ab";
  const auto id = parse_uuid(text);
  BOOST_REQUIRE(id);
  BOOST_TEST(to_string(*id) == text);
  const auto upper = parse_uuid("018F2C5E-7C1A-7000-8000-0123456789AB");
  BOOST_REQUIRE(upper);
  BOOST_TEST((*upper == *id));
  uuid_source source{5};
  for (int i = 0; i < 1000; ++i) {
    const auto any = source.next(beginning);
    BOOST_TEST((parse_uuid(to_string(any)) == any));
  }
}

BOOST_AUTO_TEST_CASE(text_that_is_no_id_gives_none) {
  for (const auto* text :
       {"", "018f2c5e", "018f2c5e7c1a70008000000000000001", "018f2c5e-7c1a-7000-8000-00000000000",
        "018f2c5e-7c1a-7000-8000-0000000000011", "018f2c5e-7c1a-7000-8000-00000000000g",
        "018f2c5e_7c1a-7000-8000-000000000001", "018f2c5e-7c1a-7000-80000-00000000001",
        "{18f2c5e-7c1a-7000-8000-000000000001", "018f2c5e-7c1a-7000-8000-0000000000 1",
        "-018f2c5-e7c1a-7000-8000-00000000001"})
    BOOST_TEST(!parse_uuid(text), text);
}

BOOST_AUTO_TEST_CASE(the_nil_id_means_none) {
  BOOST_TEST(!uuid{});
  BOOST_TEST(!unit_id{});
  BOOST_TEST(to_string(uuid{}) == "00000000-0000-0000-0000-000000000000");
  BOOST_TEST(static_cast<bool>(*parse_uuid("00000000-0000-0000-0000-000000000001")));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(shards)

// A131
BOOST_AUTO_TEST_CASE(the_shard_of_a_step_never_changes) {
  // Rows are placed by it. If this fails, the function has changed, and stored steps are lost.
  const auto shard = [](const char* id, std::uint32_t shards) {
    return shard_of(step_id{*parse_uuid(id)}, shards);
  };
  BOOST_TEST(shard("018f2c5e-7c1a-7000-8000-000000000001", 64) == 23U);
  BOOST_TEST(shard("018f2c5e-7c1a-7abc-9def-0123456789ab", 64) == 11U);
  BOOST_TEST(shard("00000000-0000-0000-0000-000000000000", 64) == 63U);
  BOOST_TEST(shard("018f2c5e-7c1a-7000-8000-000000000001", 1) == 0U);
  BOOST_TEST(shard("018f2c5e-7c1a-7000-8000-000000000001", 1024) == 855U);
}

BOOST_AUTO_TEST_CASE(steps_made_together_spread_over_the_shards) {
  uuid_source source{9};
  std::map<shard_id, int> load;
  for (int i = 0; i < 6400; ++i)
    ++load[shard_of(step_id{source.next(beginning)}, 64)];
  BOOST_TEST(load.size() == 64U);
  for (const auto& [shard, steps] : load) {
    BOOST_TEST(shard < 64U);
    BOOST_TEST(steps > 50);
    BOOST_TEST(steps < 160);
  }
}

// A131
BOOST_AUTO_TEST_CASE(the_shard_of_a_queue_never_changes) {
  BOOST_TEST(shard_of(queue_name{"mail"}, 64) == 10U);
  BOOST_TEST(shard_of(queue_name{"kyc"}, 64) == 49U);
  BOOST_TEST(shard_of(queue_name{"a"}, 1024) == 603U);
  BOOST_TEST(shard_of(queue_name{"a"}, 1) == 0U);
}

BOOST_AUTO_TEST_CASE(queues_whose_names_differ_at_the_end_spread_over_the_shards) {
  std::map<shard_id, int> load;
  for (int i = 0; i < 6400; ++i)
    ++load[shard_of("queue-" + std::to_string(i), 64)];
  BOOST_TEST(load.size() == 64U);
  for (const auto& [shard, queues] : load)
    BOOST_TEST((queues > 50 && queues < 160), "shard " << shard << " has " << queues);
  std::set<shard_id> of_few;
  for (int i = 0; i < 10; ++i)
    of_few.insert(shard_of("mail-" + std::to_string(i), 64));
  BOOST_TEST(of_few.size() >= 7U);
}

BOOST_AUTO_TEST_CASE(message_ids_are_ordered_by_shard_and_place) {
  BOOST_TEST((message_id{1, 9} < message_id{2, 1}));
  BOOST_TEST((message_id{1, 1} < message_id{1, 2}));
  BOOST_TEST(!(message_id{1, 2} < message_id{1, 2}));
  BOOST_TEST(!(message_id{2, 1} < message_id{1, 9}));
  BOOST_TEST((message_id{1, 2} == message_id{1, 2}));
  BOOST_TEST(!(message_id{1, 2} == message_id{2, 2}));
}

BOOST_AUTO_TEST_SUITE_END()
