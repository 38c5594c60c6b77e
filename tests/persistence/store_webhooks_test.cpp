// The store's promises about webhooks: what they are, how far they are, and their dead letters.

#include "tests/persistence/conformance.hpp"

namespace holdfast::test {

namespace {

const core::event event{core::event_type::job_step_updated, {}, {}, {}, at(1), {}};

template <class World>
struct webhooks_fixture : store_fixture<World> {
  using base = store_fixture<World>;

  core::put_webhook row(const std::string& name) {
    core::put_webhook w;
    w.id = {this->ids.next(at(0))};
    w.name = name;
    w.definition = R"({"url":"https://example.com"})";
    w.at = at(1);
    return w;
  }
  /// A webhook that is there.
  core::webhook_id given(const std::string& name = "billing",
                         core::event_start start = core::event_start::newest) {
    auto w = row(name);
    w.start = start;
    BOOST_TEST(is(this->write({w}), committed));
    return w.id;
  }
  /// Commits events of a shard.
  void happen(core::shard_id shard, int events) {
    const std::vector<core::event> all(static_cast<std::size_t>(events), event);
    BOOST_TEST(is(this->commit({{this->part(shard, {{{}, all}})}}), committed));
  }
  std::vector<persistence::webhook_place> places(core::webhook_id webhook) {
    return value_of(this->db->webhook_places(webhook));
  }
  core::put_dead_letter letter(core::webhook_id webhook, core::event_seq seq,
                               const std::string& reason = "HTTP 422") {
    return {webhook, {1, seq}, R"({"type":"JobStepUpdated"})", 422, reason, at(5)};
  }
  /// `3 4r`: the dead letters of shard 1, of which 4 is to be replayed.
  std::string letters(core::webhook_id webhook, core::event_seq after = 0,
                      std::uint32_t limit = 100, bool replayed_only = false) {
    std::string text;
    for (const auto& one :
         value_of(this->db->list_dead_letters({webhook, 1, after, limit, replayed_only})))
      text += (text.empty() ? "" : " ") + std::to_string(one.made.event.seq)
              + (one.replayed ? "r" : "");
    return text;
  }
};

BOOST_AUTO_TEST_SUITE(store_webhooks) // A159

BOOST_AUTO_TEST_CASE_TEMPLATE(webhooks_are_listed_by_name, World, worlds) {
  webhooks_fixture<World> f;
  BOOST_TEST(value_of(f.db->list_webhooks()).empty());
  const auto second = f.given("search");
  const auto first = f.given("billing");
  auto changed = f.row("billing");
  changed.id = first;
  changed.definition = "{}";
  changed.paused = true;
  changed.revision = 2;
  changed.at = at(9);
  BOOST_TEST(is(f.write({changed}), committed));
  const auto all = value_of(f.db->list_webhooks());
  BOOST_REQUIRE_EQUAL(all.size(), 2U);
  BOOST_TEST((all[0].id == first && all[1].id == second));
  BOOST_TEST(all[0].name == "billing");
  BOOST_TEST(all[0].definition == "{}");
  BOOST_TEST(all[0].paused);
  BOOST_TEST(all[0].revision == 2U);
  BOOST_TEST((all[0].created_at == at(1)));
  BOOST_TEST(!all[1].paused);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(impossible_webhooks_are_refused, World, worlds) {
  webhooks_fixture<World> f;
  const auto known = f.given("billing");
  auto no_revision = f.row("x");
  no_revision.revision = 0;
  auto not_there = f.row("x");
  not_there.revision = 2;
  auto renamed = f.row("x");
  renamed.id = known;
  renamed.revision = 2;
  auto no_text = f.row("x");
  no_text.definition = "\xff";
  for (const auto& row : {no_revision, not_there, renamed, no_text, f.row("billing"), f.row(""),
                          f.row("../x"), f.row(".x"), f.row("X"), f.row(std::string(65, 'x'))})
    BOOST_TEST(is(f.write({row}), refused), row.name);
  BOOST_TEST(is(f.write({f.row(std::string(64, 'x'))}), committed));
}

// Nothing that is committed after the webhook is missed, on any shard.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_new_webhook_begins_where_it_was_said_on_every_shard, World,
                              worlds) {
  webhooks_fixture<World> f;
  f.happen(1, 3);
  f.happen(2, 4);
  BOOST_TEST(is(f.write({core::advance_cursor{"x", 2, 4}}), committed));
  BOOST_TEST(value_of(f.db->prune_events(2, f.node, {{"x"}, at(1'000'000'000), 1})) == 1U);
  const auto newest = f.places(f.given("a"));
  const auto oldest = f.places(f.given("b", core::event_start::oldest));
  BOOST_REQUIRE_EQUAL(newest.size(), shard_count);
  BOOST_REQUIRE_EQUAL(oldest.size(), shard_count);
  for (core::shard_id shard = 0; shard < shard_count; ++shard) {
    const core::event_seq events[] = {0, 3, 4, 0};
    BOOST_TEST(newest[shard].shard == shard);
    BOOST_TEST(newest[shard].newest == events[shard]);
    BOOST_TEST(newest[shard].seq == events[shard]);
    BOOST_TEST(oldest[shard].seq == (shard == 2 ? 4U : 0U));
    BOOST_TEST(oldest[shard].stopped_revision == 0U);
  }
  f.happen(1, 1);
  BOOST_TEST(f.places(value_of(f.db->list_webhooks())[0].id)[1].newest == 4U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_position_moves_and_stops_with_a_reason, World, worlds) {
  webhooks_fixture<World> f;
  const auto webhook = f.given();
  BOOST_TEST(is(f.write({core::put_webhook_position{webhook, 1, 7, 0, {}, at(2)},
                         core::put_webhook_position{webhook, 2, 8, 3, "gone", at(2)},
                         core::put_webhook_position{webhook, 1, 5, 0, {}, at(2)}}),
                committed));
  auto places = f.places(webhook);
  BOOST_TEST(places[1].seq == 5U); // of several the last counts
  BOOST_TEST(places[1].reason == "");
  BOOST_TEST(places[2].seq == 8U);
  BOOST_TEST(places[2].stopped_revision == 3U);
  BOOST_TEST(places[2].reason == "gone");
  BOOST_TEST(places[3].seq == 0U);
  BOOST_TEST(is(f.write({core::put_webhook_position{webhook, 1, 1, 1, {}, at(2)}}), refused));
}

// A177
BOOST_AUTO_TEST_CASE_TEMPLATE(a_position_says_why_it_waits_until_it_moves_on, World, worlds) {
  webhooks_fixture<World> f;
  const auto webhook = f.given();
  BOOST_TEST(
      is(f.write({core::put_webhook_position{webhook, 1, 3, 0, "no queue", at(2)}}), committed));
  auto places = f.places(webhook);
  BOOST_TEST(places[1].seq == 3U);
  BOOST_TEST(places[1].stopped_revision == 0U);
  BOOST_TEST(places[1].reason == "no queue");
  BOOST_TEST(places[2].reason == "");
  BOOST_TEST(is(f.write({core::put_webhook_position{webhook, 1, 4, 0, {}, at(3)}}), committed));
  places = f.places(webhook);
  BOOST_TEST(places[1].seq == 4U);
  BOOST_TEST(places[1].reason == "");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(dead_letters_are_kept_in_order, World, worlds) {
  webhooks_fixture<World> f;
  const auto webhook = f.given();
  BOOST_TEST(
      is(f.write({f.letter(webhook, 9), f.letter(webhook, 3), f.letter(webhook, 12)}), committed));
  BOOST_TEST(f.letters(webhook) == "3 9 12");
  BOOST_TEST(f.letters(webhook, 3) == "9 12");
  BOOST_TEST(f.letters(webhook, 0, 2) == "3 9");
  BOOST_TEST(f.places(webhook)[1].dead_letters == 3U);
  BOOST_TEST(f.places(webhook)[2].dead_letters == 0U);
  const auto first = value_of(f.db->list_dead_letters({webhook, 1, 0, 1, false})).at(0);
  BOOST_TEST((first.made.webhook == webhook));
  BOOST_TEST((first.made.event == core::message_id{1, 3}));
  BOOST_TEST(first.made.json == R"({"type":"JobStepUpdated"})");
  BOOST_TEST(first.made.status == 422U);
  BOOST_TEST(first.made.reason == "HTTP 422");
  BOOST_TEST((first.made.at == at(5)));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(dead_letters_are_replayed_and_forgotten, World, worlds) {
  webhooks_fixture<World> f;
  const auto webhook = f.given();
  const auto other = f.given("other");
  f.write({f.letter(webhook, 3), f.letter(webhook, 9), f.letter(other, 3)});
  BOOST_TEST(is(f.write({core::replay_dead_letter{webhook, {1, 9}},
                         core::replay_dead_letter{webhook, {1, 4}}}),
                committed));
  BOOST_TEST(f.letters(webhook) == "3 9r");
  BOOST_TEST(f.letters(webhook, 0, 100, true) == "9r");
  BOOST_TEST(is(f.write({f.letter(webhook, 9, "HTTP 500")}), committed)); // it died again
  BOOST_TEST(f.letters(webhook) == "3 9");
  BOOST_TEST(is(f.write({core::delete_dead_letter{webhook, {1, 9}},
                         core::delete_dead_letter{webhook, {1, 4}}}),
                committed));
  BOOST_TEST(f.letters(webhook) == "3");
  BOOST_TEST(f.letters(other) == "3");
}

// A delivery and whoever removes the webhook do not wait for each other.
BOOST_AUTO_TEST_CASE_TEMPLATE(what_is_written_of_a_removed_webhook_is_nothing, World, worlds) {
  webhooks_fixture<World> f;
  const auto webhook = f.given();
  f.write({f.letter(webhook, 3)});
  BOOST_TEST(is(f.write({core::delete_webhook{webhook}}), committed));
  BOOST_TEST(value_of(f.db->list_webhooks()).empty());
  BOOST_TEST(f.places(webhook).empty());
  BOOST_TEST(f.letters(webhook) == "");
  BOOST_TEST(is(f.write({core::put_webhook_position{webhook, 1, 7, 0, {}, at(2)},
                         f.letter(webhook, 4), core::replay_dead_letter{webhook, {1, 3}},
                         core::delete_dead_letter{webhook, {1, 3}}, core::delete_webhook{webhook}}),
                committed));
  BOOST_TEST(f.letters(webhook) == "");
  BOOST_TEST(f.places(f.given()).size() == shard_count); // its name is free again
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
