#include "core/history.hpp"

#include "core/event_feed.hpp"

#include <boost/test/unit_test.hpp>

namespace holdfast::core {

namespace {

cluster_view seen_shards(std::vector<shard_seen> shards, std::uint64_t generation = 1) {
  cluster_view view;
  view.shards = std::move(shards);
  view.generation = generation;
  return view;
}

shard_seen shard_at(shard_id shard, epoch at, std::uint64_t batches, event_seq events) {
  return {shard, {}, at, batches, events};
}

} // namespace

BOOST_AUTO_TEST_SUITE(history)

// findings R1, Q2
BOOST_AUTO_TEST_CASE(a_database_that_only_goes_forward_has_forgotten_nothing) {
  seen_history known;
  BOOST_TEST(known.look(seen_shards({shard_at(0, 1, 4, 9), shard_at(1, 1, 0, 0)}), {}) == "");
  BOOST_TEST(known.look(seen_shards({shard_at(0, 1, 4, 9), shard_at(1, 2, 1, 0)}), {}) == "");
  BOOST_TEST(known.look(seen_shards({shard_at(0, 3, 7, 9), shard_at(1, 2, 1, 5)}), {}) == "");
}

BOOST_AUTO_TEST_CASE(a_database_that_goes_back_in_any_number_has_forgotten) {
  for (const auto& back : {shard_at(0, 2, 8, 9), shard_at(0, 3, 7, 9), shard_at(0, 3, 8, 8)}) {
    seen_history known;
    BOOST_TEST(known.look(seen_shards({shard_at(0, 3, 8, 9)}), {}) == "");
    BOOST_TEST(known.look(seen_shards({back}), {}) != "");
  }
}

BOOST_AUTO_TEST_CASE(commits_of_the_writers_before_the_look_must_be_there) {
  seen_history known;
  const shard_marks written{{0, {1, 5, 7}}};
  BOOST_TEST(known.look(seen_shards({shard_at(0, 1, 5, 7)}), written) == "");
  BOOST_TEST(known.look(seen_shards({shard_at(0, 1, 5, 7)}), {{0, {1, 6, 7}}})
             == "shard 0 is at epoch 1, batch 5, event 7, and was at epoch 1, batch 6, event 7");
}

BOOST_AUTO_TEST_CASE(a_row_or_a_generation_that_is_gone_is_forgotten) {
  seen_history known;
  BOOST_TEST(known.look(seen_shards({shard_at(0, 1, 1, 1), shard_at(1, 1, 1, 1)}, 3), {}) == "");
  BOOST_TEST(known.look(seen_shards({shard_at(0, 1, 1, 1)}, 3), {})
             == "shard 1 has no row, and was at epoch 1, batch 1, event 1");
  BOOST_TEST(known.look(seen_shards({shard_at(0, 1, 1, 1), shard_at(1, 1, 1, 1)}, 2), {})
             == "it is of generation 2, and generation 3 was seen");
}

// F13
BOOST_AUTO_TEST_CASE(a_server_in_whose_place_another_was_promoted_is_not_gone_on_with) {
  const auto at = [](const char* server, std::optional<std::int64_t> began = std::nullopt) {
    auto view = seen_shards({shard_at(0, 1, 1, 1)});
    view.server = server;
    if (began)
      view.generation_began = instant{duration{*began}};
    return view;
  };
  const auto first = at("71/00000009/5");
  const auto promoted = at("71/0000000A/5", 100);
  seen_history known;
  BOOST_TEST(known.replaced(first) == "");
  known.look(first, {});
  BOOST_TEST(known.replaced(first) == "");
  BOOST_TEST(known.replaced(promoted) == "");
  known.look(promoted, {});
  BOOST_TEST(known.replaced(promoted) == "");
  BOOST_TEST(
      known.replaced(first)
      == "the database is on timeline 9 of its server, and this node has worked on timeline "
         "10: a standby was promoted in its place, and what is committed here would be lost");
  // A generation that began before the promotion says nothing, one after it that this goes on.
  BOOST_TEST(known.replaced(at("71/00000009/5", 100)) != "");
  const auto restored = at("71/00000009/5", 101);
  BOOST_TEST(known.replaced(restored) == "");
  known.look(restored, {});
  BOOST_TEST(known.replaced(restored) == "");
  BOOST_TEST(known.replaced(promoted) == ""); // it is a promotion of that once more
}

BOOST_AUTO_TEST_CASE(timelines_of_other_servers_and_databases_are_not_compared) {
  seen_history known;
  auto view = seen_shards({});
  for (const auto* server :
       {"71/00000009/5", "72/00000001/5", "71/00000001/6", "", "here", "a/b"}) {
    view.server = server;
    BOOST_TEST(known.replaced(view) == "", server);
    known.look(view, {});
  }
  BOOST_TEST(!server_place_in("71/0000000G/5"));
  BOOST_TEST(!server_place_in("71//5"));
  BOOST_TEST(!server_place_in("71/100000000/5"));
  BOOST_TEST(server_place_in("71/0000000A/5")->timeline == 10U);
}

BOOST_AUTO_TEST_CASE(a_forgotten_history_stays_forgotten_until_the_numbers_are_above_it) {
  seen_history known;
  known.look(seen_shards({shard_at(0, 3, 8, 9)}), {});
  for (int look = 0; look < 3; ++look)
    BOOST_TEST(known.look(seen_shards({shard_at(0, 3, 7, 8)}), {}) != "");
  BOOST_TEST(known.look(seen_shards({shard_at(0, 100, 100, 100)}, 2), {}) == "");
  BOOST_TEST(known.marks().at(0).events == 100U);
}

// finding R3
BOOST_AUTO_TEST_CASE(subscribers_step_over_the_numbers_that_no_event_has) {
  const event_bounds bounds{0, 100, {{4, 50}, {70, 100}}};
  for (const auto& [position, next] :
       {std::pair{2, 2}, {3, 50}, {4, 50}, {50, 50}, {51, 51}, {69, 100}, {99, 100}, {100, 100}})
    BOOST_TEST(bounds.past_gaps(static_cast<event_seq>(position)) == static_cast<event_seq>(next));
}

BOOST_AUTO_TEST_CASE(a_read_that_ends_before_a_gap_goes_on_behind_it) {
  const instant beginning{};
  const auto event = [](event_seq seq) {
    return sequenced_event{{0, seq}, {event_type::unit_canceled, {}, {}, {}, {}, {}}};
  };
  shard_feed feed{0};
  const auto ask = [&](event_seq after, const event_bounds& bounds,
                       const std::vector<sequenced_event>& events) {
    feed.ask(1, {{event_start::after, after}, 10, {}, {}}, beginning);
    if (feed.next_look())
      feed.looked(table_view{bounds, events});
    feed.expire(beginning);
    const auto answers = feed.take_answers();
    BOOST_REQUIRE_EQUAL(answers.size(), 1U);
    BOOST_REQUIRE(answers.front().what);
    return std::pair{answers.front().what->position, answers.front().what->events.size()};
  };
  using page = std::pair<event_seq, std::size_t>;
  // Nothing has happened in the new generation yet; also of whoever had read what is lost.
  const event_bounds bounds{0, 50, {{4, 50}}};
  BOOST_TEST((ask(3, bounds, {}) == page{50, 0}));
  BOOST_TEST((ask(7, bounds, {}) == page{50, 0}));
  feed.committed({event(51)});
  BOOST_TEST((ask(50, bounds, {}) == page{51, 1}));
  BOOST_TEST((ask(2, {0, 51, {{4, 50}}}, {event(3), event(51)}) == page{51, 2}));
  BOOST_TEST((ask(3, {0, 51, {{4, 50}}}, {event(51)}) == page{51, 1}));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::core
