// Who may write: epochs, sequence numbers, replays; nodes and the shards they host; events.

#include "tests/persistence/conformance.hpp"

#include <algorithm>

namespace holdfast::test {

namespace {

constexpr auto fenced = commit_status::fenced;

std::vector<core::event_seq> seqs_of(const std::vector<core::sequenced_event>& events) {
  std::vector<core::event_seq> seqs;
  seqs.reserve(events.size());
  for (const auto& event : events)
    seqs.push_back(event.id.seq);
  return seqs;
}

std::size_t shards_of(const core::cluster_view& view, const core::incarnation_id& host) {
  return static_cast<std::size_t>(
      std::count_if(view.shards.begin(), view.shards.end(),
                    [&](const core::shard_seen& shard) { return shard.host == host; }));
}

BOOST_AUTO_TEST_SUITE(store_fence)

BOOST_AUTO_TEST_CASE_TEMPLATE(batch_without_shards_is_committed, World, worlds) {
  store_fixture<World> f;
  BOOST_TEST(is(f.db->commit({}), committed));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(what_a_commit_does_meanwhile_is_done_once, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  int done = 0;
  const auto commit_while = [&](const write_batch& batch) {
    done = 0;
    return f.db->commit_while(batch, [&] { ++done; });
  };
  BOOST_TEST(is(commit_while({}), committed));
  BOOST_TEST(done == 1);
  write_batch batch{{f.part(0, {{{f.new_unit(step.id, 1)}, {}}})}};
  BOOST_TEST(is(commit_while(batch), committed));
  BOOST_TEST(done == 1);
  // Known already, then refused.
  BOOST_TEST(is(commit_while(batch), committed));
  BOOST_TEST(done == 1);
  batch.shards[0].batch_seq += 7;
  BOOST_TEST(is(commit_while(batch), commit_status::history_lost));
  BOOST_TEST(done == 1);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_batch_encoded_beforehand_is_committed_like_any_other, World,
                              worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  write_batch first{{f.part(0, {{{f.new_unit(step.id, 1)}, {}}})}};
  write_batch second{{f.part(0, {{{f.new_unit(step.id, 2)}, {}}})}};
  second.shards[0].batch_seq += 1;
  f.db->encode(first); // perhaps before there is a connection
  BOOST_TEST(is(f.db->commit_while(first, [&] { f.db->encode(second); }), committed));
  BOOST_TEST(is(f.db->commit(second), committed));
  BOOST_TEST(is(f.db->commit(second), committed));
  BOOST_TEST(f.db->statistics(step.id)->judgable == 2U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(one_refused_change_leaves_nothing_of_its_batch, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.given_unit(step.id);
  f.given_lease(unit, "ana", 1);
  const auto fresh = f.new_unit(step.id, 2);
  const auto before = f.fences;
  write_batch batch{
      {f.part(0, {{{fresh}, {event_about(fresh.id, core::event_type::unit_ready_for_assignment)}},
                  {{f.judgment(unit, "ana", 1)}, {}},
                  {{core::end_lease_row{unit, "bob", 9, core::lease_end::released, at(9)}}, {}}})}};
  BOOST_TEST(is(f.commit(batch), refused));
  BOOST_TEST(value_of(f.db->load_units({fresh.id}, f.policy)).empty());
  BOOST_TEST(f.load(unit).leases.active.size() == 1U);
  BOOST_TEST(value_of(f.db->events_after(0, 0, 100)).empty());
  // The sequence number has not been used up.
  batch.shards[0].changes.pop_back();
  BOOST_TEST(is(f.commit(batch), committed));
  BOOST_TEST(f.load(unit).judgments.size() == 1U);
}

// I-12
BOOST_AUTO_TEST_CASE_TEMPLATE(batch_committed_before_is_committed_again_without_effect, World,
                              worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.new_unit(step.id, 1);
  const write_batch batch{
      {f.part(0, {{{unit}, {event_about(unit.id, core::event_type::unit_ready_for_assignment)}}})}};
  BOOST_TEST(is(f.commit(batch), committed));
  BOOST_TEST(is(f.db->commit(batch), committed));
  BOOST_TEST(f.load_step(step.id).open_units.size() == 1U);
  BOOST_TEST(value_of(f.db->events_after(0, 0, 100)).size() == 1U);
  // Also after later batches, and also for a batch without writes.
  const write_batch empty{{f.part(0, {})}};
  BOOST_TEST(is(f.commit(empty), committed));
  BOOST_TEST(is(f.db->commit(batch), committed));
  BOOST_TEST(is(f.db->commit(empty), committed));
}

// I-7, findings R1, Q2: alone, and beside a shard that is as it should be. Whoever sent it knows of
// commits that the database does not have.
BOOST_AUTO_TEST_CASE_TEMPLATE(batch_out_of_sequence_is_not_applied, World, worlds) {
  store_fixture<World> f;
  f.given_step();
  const auto refuses = [&](const shard_batch& wrong) {
    BOOST_TEST(is(f.db->commit({{wrong}}), commit_status::history_lost));
    BOOST_TEST(is(f.db->commit({{wrong, f.part(1, {})}}), commit_status::history_lost));
  };
  auto skipping = f.part(0, {});
  ++skipping.batch_seq;
  refuses(skipping);
  auto unknown_epoch = f.part(0, {});
  ++unknown_epoch.epoch;
  refuses(unknown_epoch);
  auto unknown_shard = f.part(0, {});
  unknown_shard.shard = 77;
  refuses(unknown_shard);
  // events must continue where the last batch ended
  for (const int off : {-1, 1}) {
    auto gap = f.part(0, {{{}, {event_about({}, core::event_type::job_step_updated)}}});
    gap.first_event += static_cast<core::event_seq>(off);
    refuses(gap);
  }
  BOOST_TEST(is(f.commit({{f.part(0, {}), f.part(1, {})}}), committed));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(batch_of_an_old_epoch_is_fenced, World, worlds) { // I-7
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.new_unit(step.id, 1);
  const core::incarnation_id other{f.ids.next(at(0))};
  value_of(f.db->register_node("b", other, ""));
  const auto taken = value_of(f.db->take_over("b", other, {0, 2}, 1h, {f.node}));
  BOOST_REQUIRE_EQUAL(taken.size(), 2U);
  BOOST_TEST(taken[0].epoch == f.fences[0].epoch + 1);
  BOOST_TEST(taken[0].batch_seq == f.fences[0].batch_seq);

  const auto result = f.db->commit({{f.part(0, {{{unit}, {}}}), f.part(1, {}), f.part(2, {})}});
  BOOST_TEST(is(result, fenced));
  BOOST_TEST((result.fenced == std::vector<core::shard_id>{0, 2}));
  BOOST_TEST(value_of(f.db->load_units({unit.id}, f.policy)).empty());
  // The shard that it still hosts is untouched and goes on; so does the new host.
  BOOST_TEST(is(f.commit({{f.part(1, {})}}), committed));
  for (const auto& fence : taken)
    f.fences[fence.shard] = fence;
  BOOST_TEST(is(f.commit({{f.part(0, {{{unit}, {}}})}}), committed));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(batch_over_several_shards_is_one, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto first = f.new_unit(step.id, 1);
  const auto second = f.new_unit(step.id, 2);
  const auto about = [](const core::insert_unit& unit) {
    return core::change{{unit},
                        {event_about(unit.id, core::event_type::unit_ready_for_assignment)}};
  };
  write_batch batch{{f.part(1, {about(first)}), f.part(3, {about(second)})}};
  batch.shards[1].batch_seq += 5;
  BOOST_TEST(is(f.commit(batch), commit_status::history_lost));
  BOOST_TEST(value_of(f.db->load_units({first.id}, f.policy)).empty());
  batch.shards[1].batch_seq -= 5;
  BOOST_TEST(is(f.commit(batch), committed));
  BOOST_TEST(is(f.db->commit(batch), committed));
  BOOST_TEST(value_of(f.db->events_after(1, 0, 10)).size() == 1U);
  BOOST_TEST(value_of(f.db->events_after(3, 0, 10)).size() == 1U);
  // Taken over meanwhile in one of its shards: the other one proves that it had been committed.
  const core::incarnation_id other{f.ids.next(at(0))};
  value_of(f.db->take_over("b", other, {3}, 1h, {f.node}));
  BOOST_TEST(is(f.db->commit(batch), committed));
}

// A167, A168
BOOST_AUTO_TEST_CASE_TEMPLATE(events_are_read_back_in_order_without_gaps, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.given_unit(step.id);
  core::event judged{
      core::event_type::judgment_received, step.id, unit, {f.ids.next(at(0))}, at(3, 7),
      R"({"b":"\"x\"","a":[1,0.5]})"};
  core::event updated{core::event_type::job_step_updated, step.id, {}, {}, at(4), {}};
  BOOST_TEST(is(f.commit({{f.part(0, {{{}, {judged, updated}}, {{}, {updated}}})}}), committed));
  BOOST_TEST(is(f.commit({{f.part(0, {})}}), committed)); // no events, no row
  BOOST_TEST(is(f.commit({{f.part(0, {{{}, {judged}}})}}), committed));

  const auto all = value_of(f.db->events_after(0, 0, 100));
  BOOST_TEST((seqs_of(all) == std::vector<core::event_seq>{1, 2, 3, 4}));
  const auto& read = all[0].event;
  BOOST_TEST((read.type == judged.type && read.step == judged.step && read.unit == judged.unit));
  BOOST_TEST((read.judgment == judged.judgment && read.at == judged.at));
  BOOST_TEST(read.details == judged.details);
  BOOST_TEST((!all[1].event.unit && !all[1].event.judgment && all[1].event.details.empty()));

  BOOST_TEST(
      (seqs_of(value_of(f.db->events_after(0, 1, 100))) == std::vector<core::event_seq>{2, 3, 4}));
  BOOST_TEST((seqs_of(value_of(f.db->events_after(0, 3, 1))) == std::vector<core::event_seq>{4}));
  // Whole rows: at least one, even if it holds more than asked for.
  BOOST_TEST(
      (seqs_of(value_of(f.db->events_after(0, 1, 1))) == std::vector<core::event_seq>{2, 3}));
  BOOST_TEST(value_of(f.db->events_after(0, 4, 100)).empty());
  BOOST_TEST(value_of(f.db->events_after(1, 0, 100)).empty());
}

// A181-A183, I-8
BOOST_AUTO_TEST_CASE_TEMPLATE(message_is_applied_once_per_consumer, World, worlds) {
  store_fixture<World> f;
  const auto apply = [&](const std::string& consumer, core::shard_id shard, core::event_seq seq) {
    return f.write({core::insert_inbox{consumer, {shard, seq}}});
  };
  BOOST_TEST(is(apply("aggregation", 0, 5), committed));
  BOOST_TEST(is(apply("aggregation", 0, 5), refused));
  BOOST_TEST(is(apply("aggregation", 0, 9), committed));
  BOOST_TEST(is(apply("aggregation", 1, 5), committed));
  BOOST_TEST(is(apply("steps", 0, 5), committed));
  BOOST_TEST(is(apply("steps", 0, 0), refused)); // events are numbered from 1
  BOOST_TEST(
      (value_of(f.db->inbox_after("aggregation", 0, 0)) == std::vector<core::event_seq>{5, 9}));
  BOOST_TEST((value_of(f.db->inbox_after("aggregation", 0, 5)) == std::vector<core::event_seq>{9}));
  BOOST_TEST(value_of(f.db->inbox_after("nobody", 0, 0)).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(cursor_never_moves_backwards, World, worlds) {
  store_fixture<World> f;
  BOOST_TEST(value_of(f.db->cursor("steps", 1)) == 0U);
  const auto advance = [&](core::event_seq seq) {
    return core::change{{core::advance_cursor{"steps", 1, seq}}, {}};
  };
  BOOST_TEST(is(f.commit({{f.part(0, {advance(3), advance(8), advance(7)})}}), committed));
  BOOST_TEST(value_of(f.db->cursor("steps", 1)) == 7U);
  BOOST_TEST(is(f.commit({{f.part(0, {advance(4)})}}), committed));
  BOOST_TEST(value_of(f.db->cursor("steps", 1)) == 7U);
  BOOST_TEST(is(f.commit({{f.part(0, {advance(8)})}}), committed));
  BOOST_TEST(value_of(f.db->cursor("steps", 1)) == 8U);
  BOOST_TEST(value_of(f.db->cursor("steps", 0)) == 0U);
  BOOST_TEST(value_of(f.db->cursor("other", 1)) == 0U);
}

// A170, A181
BOOST_AUTO_TEST_CASE_TEMPLATE(events_that_nobody_needs_are_pruned_and_no_others, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  for (std::uint64_t i = 1; i <= 5; ++i) { // five rows of two events
    const auto unit = f.new_unit(step.id, i);
    const auto event = event_about(unit.id, core::event_type::unit_ready_for_assignment);
    BOOST_TEST(is(f.write({unit, core::insert_inbox{"a", {0, 2 * i}},
                           core::insert_inbox{"a/step", {0, 2 * i}}},
                          {event, event}),
                  committed));
  }
  BOOST_TEST(is(f.write({core::insert_inbox{"a/step", {1, 2}}}), committed));
  const auto later = value_of(f.db->now()) + 1h;
  const auto prune = [&](std::vector<std::string> consumers, core::instant before,
                         std::uint32_t rows) {
    return value_of(f.db->prune_events(0, f.node, {std::move(consumers), before, rows}));
  };
  const auto left = [&] { return seqs_of(value_of(f.db->events_after(0, 0, 100))); };
  const std::vector<core::event_seq> all{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  // "b" has no cursor, then one in the middle of a row, which stays.
  BOOST_TEST(is(f.write({core::advance_cursor{"a", 0, 10}}), committed));
  BOOST_TEST(prune({"a", "b"}, later, 100) == 0U);
  BOOST_TEST((left() == all));
  BOOST_TEST(is(f.write({core::advance_cursor{"b", 0, 5}}), committed));
  // Too young.
  BOOST_TEST(prune({"a", "b"}, later - 2h, 100) == 0U);
  BOOST_TEST(prune({}, later, 100) == 0U);
  BOOST_TEST((left() == all));
  // No more than asked for.
  BOOST_TEST(prune({"a", "b"}, later, 1) == 1U);
  BOOST_TEST((left() == std::vector<core::event_seq>{3, 4, 5, 6, 7, 8, 9, 10}));
  BOOST_TEST(prune({"a", "b"}, later, 100) == 1U);
  BOOST_TEST(prune({"a", "b"}, later, 100) == 0U);
  BOOST_TEST((left() == std::vector<core::event_seq>{5, 6, 7, 8, 9, 10}));
  // Nor does anything stay that was noted about them, under whatever name; of all others it does.
  for (const auto* name : {"a", "a/step"})
    BOOST_TEST((value_of(f.db->inbox_after(name, 0, 0)) == std::vector<core::event_seq>{6, 8, 10}),
               name);
  BOOST_TEST((value_of(f.db->inbox_after("a/step", 1, 0)) == std::vector<core::event_seq>{2}));
  // Numbering goes on, and other shards are as they were.
  BOOST_TEST(is(f.write({}, {event_about({}, core::event_type::job_step_updated)}), committed));
  BOOST_TEST(left().back() == 11U);
}

// A174
BOOST_AUTO_TEST_CASE_TEMPLATE(which_events_are_kept_is_known, World, worlds) {
  store_fixture<World> f;
  const auto kept = [&](core::shard_id shard) {
    const auto bounds = value_of(f.db->event_bounds(shard));
    return std::pair{bounds.pruned, bounds.newest};
  };
  const std::pair<core::event_seq, core::event_seq> none{0, 0};
  BOOST_TEST((kept(0) == none));
  const auto event = event_about({}, core::event_type::job_step_updated);
  for (int row = 0; row < 2; ++row)
    BOOST_TEST(is(f.write({core::advance_cursor{"a", 0, 4}}, {event, event}), committed));
  BOOST_TEST((kept(0) == std::pair<core::event_seq, core::event_seq>{0, 4}));
  BOOST_TEST((kept(1) == none));
  const auto later = value_of(f.db->now()) + 1h;
  BOOST_TEST(value_of(f.db->prune_events(0, f.node, {{"a"}, later, 1})) == 1U);
  BOOST_TEST((kept(0) == std::pair<core::event_seq, core::event_seq>{2, 4}));
  BOOST_TEST(value_of(f.db->prune_events(0, f.node, {{"a"}, later, 1})) == 1U);
  BOOST_TEST((kept(0) == std::pair<core::event_seq, core::event_seq>{4, 4}));
  BOOST_TEST(fails_with(f.db->event_bounds(77), core::errc::not_found));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(only_the_host_prunes, World, worlds) { // I-7
  store_fixture<World> f;
  BOOST_TEST(is(f.write({core::advance_cursor{"a", 0, 1}},
                        {event_about({}, core::event_type::job_step_updated)}),
                committed));
  const core::incarnation_id successor{f.ids.next(at(5))};
  value_of(f.db->register_node("b", successor, "127.0.0.1:2"));
  value_of(f.db->take_over("b", successor, {0}, 1h, {f.node}));
  const persistence::prunable most{{"a"}, value_of(f.db->now()) + 1h, 100};
  BOOST_TEST(fails_with(f.db->prune_events(0, f.node, most), core::errc::fenced));
  BOOST_TEST(fails_with(f.db->prune_events(77, f.node, most), core::errc::fenced));
  BOOST_TEST(value_of(f.db->events_after(0, 0, 100)).size() == 1U);
  BOOST_TEST(value_of(f.db->prune_events(0, successor, most)) == 1U);
  BOOST_TEST(fails_with(f.db->prune_events(0, f.node, most), core::errc::fenced));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(number_of_shards_is_fixed_for_ever, World, worlds) {
  store_fixture<World> f;
  BOOST_TEST(value_of(f.db->ensure_shards(shard_count)));
  const auto other = f.db->ensure_shards(shard_count + 1);
  BOOST_TEST(fails_with(other, core::errc::invalid_argument));
  BOOST_TEST(other.error().detail.find("4 shards, not 5") != std::string::npos);
  BOOST_TEST(fails_with(f.db->ensure_shards(0), core::errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(live_host_keeps_its_shards_unless_believed_dead, World,
                              worlds) { // I-7
  store_fixture<World> f;
  const core::incarnation_id other{f.ids.next(at(0))};
  value_of(f.db->register_node("b", other, ""));
  BOOST_TEST(value_of(f.db->take_over("b", other, {0, 1, 99}, 1h, {})).empty());
  const auto taken = value_of(f.db->take_over("b", other, {1}, 1h, {f.node}));
  BOOST_REQUIRE_EQUAL(taken.size(), 1U);
  BOOST_TEST(shards_of(value_of(f.db->renew(f.node, 1h)), f.node) == 3U);
  BOOST_TEST(shards_of(value_of(f.db->renew(other, 1h)), other) == 1U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(shards_of_a_lapsed_host_are_free, World, worlds) {
  store_fixture<World> f;
  const core::incarnation_id other{f.ids.next(at(0))};
  BOOST_TEST(shards_of(value_of(f.db->renew(f.node, core::duration{0})), f.node) == 4U);
  const auto taken = value_of(f.db->take_over("b", other, {0, 1}, 1h, {}));
  BOOST_TEST(taken.size() == 2U);
  // The lapsed host comes back: what nobody took is still its own.
  BOOST_TEST(shards_of(value_of(f.db->renew(f.node, 1h)), f.node) == 2U);
  BOOST_TEST(value_of(f.db->take_over("b", other, {2}, 1h, {})).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(restarted_node_takes_its_shards_back_at_once, World, worlds) {
  store_fixture<World> f;
  f.given_step();
  const core::incarnation_id again{f.ids.next(at(0))};
  value_of(f.db->register_node("a", again, ""));
  const auto taken = value_of(f.db->take_over("a", again, {0, 1, 2, 3}, 1h, {}));
  BOOST_REQUIRE_EQUAL(taken.size(), 4U);
  BOOST_TEST(taken[0].batch_seq == 1U);
  BOOST_TEST(shards_of(value_of(f.db->renew(f.node, 1h)), f.node) == 0U);
  BOOST_TEST(is(f.db->commit({{f.part(0, {})}}), fenced));
  // Asking once more, e.g. because the answer was lost, gives fresh epochs.
  const auto twice = value_of(f.db->take_over("a", again, {3}, 1h, {}));
  BOOST_TEST(twice.at(0).epoch == taken[3].epoch + 1);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(resigned_node_leaves_its_shards_free, World, worlds) {
  store_fixture<World> f;
  value_of(f.db->resign(f.node));
  BOOST_TEST(shards_of(value_of(f.db->renew(f.node, 1h)), f.node) == 0U);
  const core::incarnation_id other{f.ids.next(at(0))};
  BOOST_TEST(value_of(f.db->take_over("b", other, {0, 1, 2, 3}, 1h, {})).size() == 4U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(renewal_tells_the_time, World, worlds) {
  store_fixture<World> f;
  const auto before = value_of(f.db->now());
  const auto renewed = value_of(f.db->renew(f.node, 1h));
  const auto after = value_of(f.db->now());
  BOOST_TEST((before <= renewed.now && renewed.now <= after));
  const core::incarnation_id stranger{f.ids.next(at(0))};
  BOOST_TEST(find_node(value_of(f.db->renew(stranger, 1h)), stranger) == nullptr);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(renewal_shows_the_cluster, World, worlds) {
  store_fixture<World> f;
  const core::incarnation_id other{f.ids.next(at(0))};
  value_of(f.db->register_node("b", other, "10.0.0.2:7000"));
  // Registered, but without a lease yet.
  BOOST_TEST(find_node(value_of(f.db->renew(f.node, 1h)), other) == nullptr);
  value_of(f.db->take_over("b", other, {}, 1h, {}));
  const auto view = value_of(f.db->renew(f.node, 1h));
  BOOST_REQUIRE_EQUAL(view.nodes.size(), 2U);
  BOOST_TEST(view.nodes[0].name == "a"); // the earlier one first
  BOOST_TEST((view.nodes[0].incarnation == f.node));
  BOOST_TEST(view.nodes[1].name == "b");
  BOOST_TEST(view.nodes[1].address == "10.0.0.2:7000");
  BOOST_REQUIRE_EQUAL(view.shards.size(), shard_count);
  BOOST_TEST(view.shards[3].shard == 3U);
  BOOST_TEST((view.shards[3].host == f.node));
  BOOST_TEST(view.shards[3].at == f.fences[3].epoch);
  value_of(f.db->resign(other));
  BOOST_TEST(find_node(value_of(f.db->renew(f.node, 1h)), other) == nullptr);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(starts_of_nodes_are_listed_also_when_they_are_gone, World, worlds) {
  store_fixture<World> f;
  const core::incarnation_id stopped{f.ids.next(at(0))};
  const core::incarnation_id silent{f.ids.next(at(0))};
  value_of(f.db->register_node("b", stopped, "10.0.0.2:7000"));
  value_of(f.db->take_over("b", stopped, {}, 1h, {}));
  value_of(f.db->resign(stopped));
  value_of(f.db->register_node("c", silent, "10.0.0.3:7000"));
  const auto listed = value_of(f.db->list_nodes(10));
  BOOST_REQUIRE_EQUAL(listed.size(), 3U);
  BOOST_TEST((listed[0].incarnation == silent)); // the latest first
  BOOST_TEST(!listed[0].alive);                  // it has no lease yet
  BOOST_TEST((listed[0].left_at == core::instant{}));
  BOOST_TEST(listed[1].name == "b");
  BOOST_TEST(listed[1].address == "10.0.0.2:7000");
  BOOST_TEST(!listed[1].alive);
  BOOST_TEST((listed[1].left_at >= listed[1].started_at));
  BOOST_TEST((listed[2].incarnation == f.node));
  BOOST_TEST(listed[2].alive);
  BOOST_TEST(listed[2].shards == shard_count);
  BOOST_TEST((listed[2].expires_at > listed[2].started_at));
  BOOST_TEST(value_of(f.db->list_nodes(2)).size() == 2U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(shards_are_handed_over_one_by_one, World, worlds) { // I-7
  store_fixture<World> f;
  const core::incarnation_id other{f.ids.next(at(0))};
  value_of(f.db->register_node("b", other, ""));
  value_of(f.db->hand_over(other, {0, 1})); // not its own: nothing happens
  BOOST_TEST(shards_of(value_of(f.db->renew(f.node, 1h)), f.node) == 4U);
  value_of(f.db->hand_over(f.node, {1, 3}));
  BOOST_TEST(is(f.db->commit({{f.part(0, {})}}), committed));
  const auto taken = value_of(f.db->take_over("b", other, {0, 1, 2, 3}, 1h, {}));
  BOOST_REQUIRE_EQUAL(taken.size(), 2U);
  BOOST_TEST(taken[0].shard == 1U);
  BOOST_TEST(taken[0].epoch == f.fences[1].epoch + 1);
  BOOST_TEST(is(f.db->commit({{f.part(1, {})}}), fenced));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(one_that_was_never_registered_hosts_nothing, World, worlds) {
  store_fixture<World> f;
  const core::incarnation_id stranger{f.ids.next(at(0))};
  BOOST_TEST(shards_of(value_of(f.db->renew(stranger, 1h)), stranger) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
