// What subscribers to the events of a shard get, and when.

#include "core/event_feed.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::core;
using namespace std::chrono_literals;
using holdfast::test::beginning;

namespace {

constexpr shard_id shard = 3;

step_id step_number(std::uint8_t n) {
  step_id id;
  id.value.bytes.fill(n);
  return id;
}

sequenced_event event_at(event_seq seq, std::uint8_t step = 1,
                         event_type type = event_type::unit_canceled, std::size_t bytes = 0) {
  sequenced_event e{{shard, seq}, {type, step_number(step), {}, {}, beginning, {}}};
  if (bytes > 0)
    e.event.details = R"({"text":")" + std::string(bytes, 'x') + "\"}";
  return e;
}

std::vector<sequenced_event> events_between(event_seq first, event_seq last) {
  std::vector<sequenced_event> events;
  for (auto seq = first; seq <= last; ++seq)
    events.push_back(event_at(seq));
  return events;
}

event_wish behind(event_seq position, std::uint32_t limit = 100) {
  return {{event_start::after, position}, limit, {}, {}};
}

/// `17: 18 19` is a page with the position 17 and two events; or the name of an error.
std::string text_of(const outcome<feed_page>& what) {
  if (!what)
    return std::string{to_string(what.error().code)};
  auto text = std::to_string(what->position) + ":";
  for (const auto& e : what->events)
    text += ' ' + std::to_string(e->seq);
  return text;
}

struct feed_fixture {
  shard_feed feed{shard, {4, 1 << 20, 1 << 20, 1 << 20}};

  /// The next answer, which must be the only one.
  std::string answer() {
    const auto answers = feed.take_answers();
    if (answers.empty())
      return "nothing";
    BOOST_TEST(answers.size() == 1U);
    return text_of(answers.front().what);
  }
  /// Asks, where the table holds the events from `first` to `last`.
  std::string asked(event_wish wish, event_seq first, event_seq last) {
    feed.ask(1, std::move(wish), beginning);
    look(first, last);
    feed.expire(beginning);
    return answer();
  }
  void look(event_seq first, event_seq last) {
    const auto place = feed.next_look();
    BOOST_REQUIRE(place);
    const event_bounds bounds{first - 1, last};
    const auto from = std::max(beginning_of(*place, bounds) + 1, first);
    feed.looked(table_view{bounds, events_between(from, last)});
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(event_feed, feed_fixture)

// A174, A175
BOOST_AUTO_TEST_CASE(the_first_read_looks_at_the_table) {
  BOOST_TEST(asked(behind(0), 1, 3) == "3: 1 2 3");
  BOOST_TEST(asked(behind(1), 1, 3) == "3: 2 3");
  BOOST_TEST(!feed.next_look());
}

BOOST_AUTO_TEST_CASE(reader_that_has_got_all_waits_for_the_next_commit) {
  BOOST_TEST(asked(behind(0), 1, 3) == "3: 1 2 3");
  feed.ask(1, behind(3), beginning + 10s);
  BOOST_TEST(!feed.next_look());
  BOOST_TEST((feed.next_deadline() == beginning + 10s));
  feed.expire(beginning + 10s - 1us);
  BOOST_TEST(answer() == "nothing");
  feed.committed(events_between(4, 5));
  BOOST_TEST(answer() == "5: 4 5");
  BOOST_TEST(feed.is_idle());
  BOOST_TEST((feed.next_deadline() == instant::max()));
}

BOOST_AUTO_TEST_CASE(waiting_ends_at_its_time_with_the_position_it_came_from) {
  BOOST_TEST(asked(behind(0), 1, 3) == "3: 1 2 3");
  feed.ask(1, behind(3), beginning + 10s);
  feed.expire(beginning + 10s);
  BOOST_TEST(answer() == "3:");
}

BOOST_AUTO_TEST_CASE(reader_that_keeps_up_is_served_from_memory) {
  BOOST_TEST(asked(behind(0), 1, 1) == "1: 1");
  feed.committed(events_between(2, 4));
  feed.ask(1, behind(1), beginning);
  BOOST_TEST(!feed.next_look());
  BOOST_TEST(answer() == "4: 2 3 4");
  // Four events stay in memory: behind these the table is needed.
  feed.committed(events_between(5, 8));
  BOOST_TEST(asked(behind(3), 1, 8) == "8: 4 5 6 7 8");
}

BOOST_AUTO_TEST_CASE(where_to_begin_may_be_said_in_words) {
  BOOST_TEST(asked({{event_start::oldest, 0}, 100, {}, {}}, 5, 7) == "7: 5 6 7");
  BOOST_TEST(asked({{event_start::newest, 0}, 100, {}, {}}, 5, 7) == "7:");
  feed.ask(1, {{event_start::newest, 0}, 100, {}, {}}, beginning + 1s);
  look(5, 9);
  feed.committed({event_at(10)});
  BOOST_TEST(answer() == "10: 10");
}

BOOST_AUTO_TEST_CASE(an_empty_shard_is_waited_for) {
  BOOST_TEST(asked(behind(0), 1, 0) == "0:");
  feed.ask(1, behind(0), beginning + 1s);
  feed.committed({event_at(1)});
  BOOST_TEST(answer() == "1: 1");
}

BOOST_AUTO_TEST_CASE(a_position_that_is_not_kept_any_more_is_told_what_is) {
  feed.ask(1, behind(3), beginning);
  look(5, 7);
  auto answers = feed.take_answers();
  BOOST_REQUIRE(answers.size() == 1U);
  BOOST_TEST((answers.front().what.error().code == errc::events_gone));
  BOOST_TEST(answers.front().what.error().detail
             == "events of shard 3 up to 4 are not kept any more; the first that is there is 5");
  BOOST_TEST(asked(behind(4), 5, 7) == "7: 5 6 7");
  feed.ask(1, behind(3), beginning);
  look(8, 7); // all are gone
  answers = feed.take_answers();
  BOOST_REQUIRE(answers.size() == 1U);
  BOOST_TEST(answers.front().what.error().detail
             == "events of shard 3 up to 7 are not kept any more; the first that will be there is"
                " 8");
}

BOOST_AUTO_TEST_CASE(a_position_ahead_of_all_events_is_no_position_of_this_shard) {
  feed.ask(1, behind(8), beginning + 10s);
  look(5, 7);
  const auto answers = feed.take_answers();
  BOOST_REQUIRE(answers.size() == 1U);
  BOOST_TEST((answers.front().what.error().code == errc::invalid_argument));
  BOOST_TEST(answers.front().what.error().detail.find("ahead of the newest event 7")
             != std::string::npos);
  // It may only be ahead of what was heard of.
  BOOST_TEST(asked(behind(8), 5, 9) == "9: 9");
}

BOOST_AUTO_TEST_CASE(a_page_has_no_more_events_than_asked_for) {
  BOOST_TEST(asked(behind(0, 2), 1, 5) == "2: 1 2");
  BOOST_TEST(asked(behind(2, 2), 1, 5) == "4: 3 4");
}

BOOST_AUTO_TEST_CASE(a_page_has_about_as_many_bytes_as_allowed) {
  shard_feed small{shard, {100, 1 << 20, 1000, 5000}};
  const std::vector<sequenced_event> events{event_at(1, 1, event_type::unit_canceled, 600),
                                            event_at(2, 1, event_type::unit_canceled, 600),
                                            event_at(3, 1, event_type::unit_canceled, 3000),
                                            event_at(4, 1, event_type::unit_canceled, 6000),
                                            event_at(5)};
  const auto read = [&](event_seq position) {
    small.ask(1, behind(position), beginning);
    if (const auto place = small.next_look())
      small.looked(table_view{{0, 5}, {events.begin() + static_cast<int>(position), events.end()}});
    return text_of(small.take_answers().at(0).what);
  };
  BOOST_TEST(read(0) == "1: 1");
  BOOST_TEST(read(1) == "2: 2");
  BOOST_TEST(read(2) == "3: 3");      // alone, however large
  BOOST_TEST(read(3) == "too_large"); // for any message
  BOOST_TEST(read(4) == "5: 5");
}

BOOST_AUTO_TEST_CASE(a_filter_moves_the_position_past_what_it_leaves_out) {
  event_wish wish{{event_start::after, 0}, 100, {step_number(2)}, {event_type::unit_finalized}};
  feed.ask(1, wish, beginning + 1s);
  BOOST_REQUIRE(feed.next_look());
  feed.looked(table_view{{0, 3},
                         {event_at(1, 2), event_at(2, 2, event_type::unit_finalized),
                          event_at(3, 1, event_type::unit_finalized)}});
  BOOST_TEST(answer() == "3: 2");
  wish.place.after = 3;
  feed.ask(1, wish, beginning + 1s);
  feed.committed({event_at(4, 2), event_at(5, 1, event_type::unit_finalized)});
  BOOST_TEST(answer() == "nothing");
  feed.expire(beginning + 1s);
  BOOST_TEST(answer() == "5:");
  wish.place.after = 5;
  feed.ask(1, wish, beginning + 1s);
  feed.committed({event_at(6, 1), event_at(7, 2, event_type::unit_finalized)});
  BOOST_TEST(answer() == "7: 7");
}

BOOST_AUTO_TEST_CASE(events_of_tasks_are_wanted_by_queue) {
  const auto of_task = [](event_seq seq, const char* queue) {
    auto e = event_at(seq, 1, event_type::task_completed);
    e.event.step = {};
    e.event.queue = queue;
    e.event.task = {step_number(9).value};
    return e;
  };
  const std::vector<sequenced_event> events{event_at(1), of_task(2, "mail"), of_task(3, "orders"),
                                            event_at(4, 1, event_type::event_unreadable)};
  const auto got = [&](event_wish wish) {
    wish.place = {event_start::after, 0};
    wish.limit = 100;
    feed.ask(1, std::move(wish), beginning);
    BOOST_REQUIRE(feed.next_look());
    feed.looked(table_view{{0, 4}, events});
    return answer();
  };
  event_wish of_mail;
  of_mail.queues = {"mail"};
  BOOST_TEST(got(of_mail) == "4: 2 4");
  event_wish of_both;
  of_both.queues = {"mail", "orders"};
  BOOST_TEST(got(of_both) == "4: 2 3 4");
  event_wish of_a_step;
  of_a_step.steps = {step_number(1)};
  BOOST_TEST(got(of_a_step) == "4: 1 4");
  event_wish but_mail;
  but_mail.but_of = "mail";
  BOOST_TEST(got(but_mail) == "4: 1 3 4");
  event_wish no_tasks;
  no_tasks.tasks = false;
  BOOST_TEST(got(no_tasks) == "4: 1 4");
  BOOST_TEST(got({}) == "4: 1 2 3 4");
}

// The work of one request is bounded, whatever it filters out.
BOOST_AUTO_TEST_CASE(a_look_that_finds_nothing_wanted_is_an_answer) {
  feed.ask(1, {{event_start::after, 0}, 100, {step_number(9)}, {}}, beginning + 1h);
  BOOST_REQUIRE(feed.next_look());
  feed.looked(table_view{{0, 500}, events_between(1, 50)});
  BOOST_TEST(answer() == "50:");
}

BOOST_AUTO_TEST_CASE(one_look_serves_all_who_are_at_the_same_place) {
  feed.ask(1, behind(0), beginning);
  feed.ask(2, behind(0, 1), beginning);
  feed.ask(3, behind(1), beginning);
  look(1, 3);
  const auto answers = feed.take_answers();
  BOOST_REQUIRE(answers.size() == 2U);
  BOOST_TEST(text_of(answers[0].what) == "3: 1 2 3");
  BOOST_TEST(text_of(answers[1].what) == "1: 1");
  look(1, 3);
  BOOST_TEST(answer() == "3: 2 3");
}

BOOST_AUTO_TEST_CASE(one_look_is_under_way_at_a_time) {
  feed.ask(1, behind(0), beginning);
  feed.ask(2, behind(1), beginning);
  BOOST_TEST(feed.next_look().has_value());
  BOOST_TEST(!feed.next_look());
}

BOOST_AUTO_TEST_CASE(a_look_that_fails_fails_only_those_who_wanted_it) {
  feed.ask(1, behind(0), beginning);
  feed.ask(2, behind(1), beginning);
  BOOST_REQUIRE(feed.next_look());
  feed.looked(failure{errc::unavailable, "no database"});
  BOOST_TEST(answer() == "unavailable");
  look(1, 3);
  BOOST_TEST(answer() == "3: 2 3");
}

// The table's answer is older than what was heard meanwhile.
BOOST_AUTO_TEST_CASE(commits_during_a_look_are_not_missed) {
  feed.ask(1, behind(3), beginning + 1s);
  BOOST_REQUIRE(feed.next_look());
  feed.committed({event_at(4)});
  feed.looked(table_view{{0, 3}, {}});
  BOOST_TEST(answer() == "4: 4");
}

// Where it begins is known by the table's answer alone.
BOOST_AUTO_TEST_CASE(commits_during_the_first_look_do_not_say_where_to_begin) {
  feed.ask(1, {{event_start::newest, 0}, 100, {}, {}}, beginning + 1s);
  BOOST_REQUIRE(feed.next_look());
  feed.committed(events_between(1, 2));
  BOOST_TEST(answer() == "nothing");
  feed.looked(table_view{{0, 2}, {}});
  BOOST_TEST(answer() == "nothing");
  feed.committed({event_at(3)});
  BOOST_TEST(answer() == "3: 3");
}

BOOST_AUTO_TEST_CASE(events_left_out_by_news_are_looked_up) {
  BOOST_TEST(asked(behind(0), 1, 1) == "1: 1");
  feed.committed(events_between(2, 3));
  feed.committed({event_at(6)});
  BOOST_TEST(asked(behind(2), 1, 6) == "6: 3 4 5 6");
  feed.ask(1, behind(5), beginning);
  BOOST_TEST(answer() == "6: 6");
}

// The table is ahead of what was heard so far.
BOOST_AUTO_TEST_CASE(events_told_by_the_table_first_do_not_come_twice) {
  BOOST_TEST(asked(behind(0), 1, 3) == "3: 1 2 3");
  feed.ask(1, behind(3), beginning + 1s);
  feed.committed({event_at(2)}); // late news
  feed.ask(2, behind(3), beginning + 1s);
  BOOST_TEST(!feed.next_look());
  feed.expire(beginning + 1s);
  BOOST_TEST(feed.take_answers().size() == 2U);
  feed.ask(1, behind(3), beginning + 1s);
  feed.committed({event_at(3)});
  BOOST_TEST(answer() == "nothing");
  feed.committed({event_at(4)});
  BOOST_TEST(answer() == "4: 4");
}

BOOST_AUTO_TEST_CASE(events_pruned_during_a_look_make_it_look_again) {
  feed.ask(1, behind(0), beginning);
  BOOST_REQUIRE(feed.next_look());
  feed.looked(table_view{{0, 9}, events_between(5, 9)});
  BOOST_TEST(answer() == "nothing");
  look(5, 9);
  BOOST_TEST(answer() == "events_gone");
  feed.ask(1, {{event_start::oldest, 0}, 100, {}, {}}, beginning);
  BOOST_REQUIRE(feed.next_look());
  feed.looked(table_view{{4, 9}, {}});
  look(10, 9);
  feed.expire(beginning);
  BOOST_TEST(answer() == "9:");
}

BOOST_AUTO_TEST_CASE(the_end_of_a_feed_is_the_end_of_all_who_wait) {
  BOOST_TEST(asked(behind(0), 1, 1) == "1: 1");
  feed.ask(1, behind(1), beginning + 1h);
  feed.ask(2, behind(0), beginning + 1h);
  feed.end({errc::unavailable, "it moves"});
  const auto answers = feed.take_answers();
  BOOST_REQUIRE(answers.size() == 2U);
  for (const auto& a : answers)
    BOOST_TEST(text_of(a.what) == "unavailable");
  BOOST_TEST(feed.is_idle());
}

// finding Q4: it may stand for one that is wanted
BOOST_AUTO_TEST_CASE(event_that_cannot_be_read_comes_to_every_reader_of_its_shard) {
  BOOST_TEST(asked(behind(1), 1, 1) == "1:");
  feed.committed({event_at(2), event_at(3, 0, event_type::event_unreadable), event_at(4)});
  auto wish = behind(1);
  wish.steps = {step_number(9)};
  wish.types = {event_type::unit_finalized};
  feed.ask(1, wish, beginning);
  BOOST_TEST(answer() == "4: 3");
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

/// A shard's table, news of its commits that take their time, and subscribers who read for ever.
struct random_shard {
  explicit random_shard(std::uint64_t seed) : random(seed) {
    for (std::uint64_t i = random.below(20); i > 0; --i)
      commit(false); // before anybody listens
    for (std::size_t i = 0; i < 5; ++i) {
      readers.push_back({});
      if (random.below(2) == 0)
        readers[i].wanted_step = step_number(static_cast<std::uint8_t>(random.below(3)));
      if (random.below(2) == 0)
        readers[i].wanted_type = event_type::unit_finalized;
      if (random.below(3) == 0)
        readers[i].place = {event_start::newest, 0};
      readers[i].start =
          readers[i].place.from == event_start::newest ? std::nullopt : std::optional{event_seq{0}};
    }
  }

  struct reader {
    event_place place{event_start::after, 0};
    step_id wanted_step;
    std::optional<event_type> wanted_type;
    bool asking = false;
    std::optional<event_seq> start; ///< Behind which it has read; none so far.
    std::vector<event_seq> got;
    bool lost = false; ///< It was too slow for the pruning.
  };

  test::random_source random;
  shard_feed feed{shard, {3, 1 << 20, 1 << 20, 1 << 20}};
  std::vector<sequenced_event> table;
  event_seq pruned = 0;
  std::deque<std::vector<sequenced_event>> news;
  std::optional<std::pair<event_place, event_bounds>> look;
  std::vector<reader> readers;
  instant now = beginning;

  event_bounds bounds() const { return {pruned, table.size()}; }

  void commit(bool told = true) {
    std::vector<sequenced_event> batch;
    for (auto i = 1 + random.below(4); i > 0; --i) {
      batch.push_back(
          event_at(table.size() + 1, static_cast<std::uint8_t>(random.below(3)),
                   random.below(2) == 0 ? event_type::unit_finalized : event_type::unit_canceled));
      table.push_back(batch.back());
    }
    if (told)
      news.push_back(batch);
  }

  void ask(std::size_t i) {
    auto& r = readers[i];
    if (r.asking || r.lost)
      return;
    r.asking = true;
    event_wish wish{r.place, static_cast<std::uint32_t>(1 + random.below(5)), {}, {}};
    if (r.wanted_step)
      wish.steps = {r.wanted_step};
    if (r.wanted_type)
      wish.types = {*r.wanted_type};
    feed.ask(i, wish, now + random.below(3) * 1s);
  }

  void take_answers() {
    for (const auto& a : feed.take_answers()) {
      auto& r = readers[a.who];
      r.asking = false;
      if (!a.what) {
        BOOST_TEST((a.what.error().code == errc::events_gone));
        BOOST_TEST(r.place.after < pruned);
        r.lost = true;
        continue;
      }
      BOOST_TEST(a.what->position >= r.place.after);
      BOOST_TEST(a.what->newest <= table.size());
      if (!r.start)
        r.start = a.what->events.empty() ? a.what->position : a.what->events.front()->seq - 1;
      r.place = {event_start::after, a.what->position};
      for (const auto& e : a.what->events)
        r.got.push_back(e->seq);
    }
  }

  void act() {
    switch (random.below(8)) {
    case 0:
      commit();
      break;
    case 1:
      if (!news.empty()) {
        feed.committed(news.front());
        news.pop_front();
      }
      break;
    case 2:
    case 3:
      ask(random.below(readers.size()));
      break;
    case 4:
      now += 1s;
      feed.expire(now);
      break;
    case 5:
      if (!look)
        if (const auto place = feed.next_look())
          look = {*place, bounds()};
      break;
    case 6:
      if (random.below(10) == 0)
        pruned = std::min<event_seq>(pruned + random.below(4), table.size());
      break;
    default:
      finish_look();
    }
    take_answers();
  }

  void finish_look() {
    if (!look)
      return;
    const auto [place, seen] = *look;
    look.reset();
    table_view view{seen, {}};
    const auto after = beginning_of(place, seen);
    const auto first = std::max(after, pruned);
    if (after >= seen.pruned)
      for (auto seq = first; seq < std::min<event_seq>(table.size(), after + 6); ++seq)
        view.events.push_back(table[seq]);
    feed.looked(view);
  }

  void check(const reader& r) const {
    if (!r.start)
      return;
    std::vector<event_seq> expected;
    for (auto seq = *r.start; seq < r.place.after; ++seq) {
      const auto& e = table[seq].event;
      if ((!r.wanted_step || e.step == r.wanted_step)
          && (!r.wanted_type || e.type == *r.wanted_type))
        expected.push_back(seq + 1);
    }
    BOOST_TEST(r.got == expected, boost::test_tools::per_element());
  }
};

} // namespace

// Whatever comes when: nobody misses an event, gets one twice, or out of order; and nobody is
// forgotten.
BOOST_AUTO_TEST_CASE(everybody_gets_all_that_they_want_once_and_in_order) {
  std::size_t got = 0;
  std::size_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    random_shard world{seed};
    for (int i = 0; i < 400; ++i)
      world.act();
    while (!world.news.empty()) {
      world.feed.committed(world.news.front());
      world.news.pop_front();
    }
    // Reading on without commits, everybody comes to the end.
    for (int round = 0; round < 400; ++round) {
      for (std::size_t i = 0; i < world.readers.size(); ++i)
        world.ask(i);
      world.finish_look();
      if (const auto place = world.feed.next_look())
        world.look = {*place, world.bounds()};
      world.now += 1s;
      world.feed.expire(world.now);
      world.take_answers();
    }
    for (const auto& r : world.readers) {
      world.check(r);
      if (!r.lost)
        BOOST_TEST(r.place.after == world.table.size(), "seed " << seed);
      got += r.got.size();
      lost += r.lost ? 1 : 0;
    }
  }
  BOOST_TEST(got > 50'000U);
  BOOST_TEST(lost > 20U);
}
