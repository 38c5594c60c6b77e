// A database that has forgotten commits: promoted from a standby that had not got them, or restored
// from a copy under a node that runs (docs/adr/0076).

#include "tests/persistence/conformance.hpp"
#include "tests/persistence/empty_database.hpp"

#include <algorithm>

namespace holdfast::test {

namespace {

constexpr auto history_lost = commit_status::history_lost;

/// The memory store, of whose database there is a copy.
class forgetful_memory {
public:
  std::unique_ptr<persistence::store> open() {
    return std::make_unique<persistence::memory_store>(database_);
  }
  void copy() { copy_ = database_->tables(); }
  void restore() { database_->restore(copy_); }
  void move_away() { database_->set_server("elsewhere"); }

private:
  std::shared_ptr<persistence::memory_database> database_ =
      std::make_shared<persistence::memory_database>([] {
        return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
      });
  persistence::memory::tables copy_;
};

/// A database of its own, restored by putting a copy of it in its place.
class forgetful_postgres {
public:
  forgetful_postgres() {
    const auto migrated =
        persistence::migrate(database_.conninfo, persistence::embedded_migrations());
    BOOST_REQUIRE_MESSAGE(migrated, (migrated ? "" : migrated.error().detail));
  }
  ~forgetful_postgres() { drop("copied"); }

  std::unique_ptr<persistence::store> open() {
    return std::make_unique<persistence::postgres_store>(
        persistence::postgres_options{database_.conninfo, "holdfast test"});
  }
  void copy() {
    drop("copied");
    server("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
           " WHERE datname = 'migrated'");
    server("CREATE DATABASE copied TEMPLATE migrated");
  }
  void restore() {
    drop("migrated");
    server("ALTER DATABASE copied RENAME TO migrated");
    // The copy is another database: that is another test.
    database_.sql("UPDATE holdfast.cluster SET server = holdfast.server_identity()");
  }
  void move_away() { database_.sql("UPDATE holdfast.cluster SET server = 'elsewhere'"); }

private:
  static void server(const std::string& sql) {
    empty_database::run(test_cluster::instance().conninfo(), sql);
  }
  static void drop(const std::string& name) {
    server("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
  }

  empty_database database_;
};

using forgetful_worlds = boost::mpl::list<forgetful_memory, forgetful_postgres>;

template <class World>
struct forgetful_fixture : store_fixture<World> {
  core::step_row step = this->given_step();
  std::uint64_t units = 0;

  write_batch next_batch(core::shard_id shard = 0) {
    const auto unit = this->new_unit(step.id, ++units);
    return {{this->part(
        shard, {{{unit}, {event_about(unit.id, core::event_type::unit_ready_for_assignment)}}})}};
  }
  /// As a writer does it: a connection that was cut costs an attempt.
  commit_result commit_to_the_end(const write_batch& batch) {
    commit_result result;
    for (int attempt = 0; attempt < 5; ++attempt) {
      result = this->commit(batch);
      if (result.status != commit_status::unavailable && result.status != commit_status::in_doubt)
        break;
    }
    return result;
  }
  core::cluster_view view() {
    for (int attempt = 0; attempt < 5; ++attempt)
      if (auto seen = this->db->renew(this->node, 1h))
        return *seen;
    BOOST_FAIL("the database does not answer");
    return {};
  }
  persistence::known_history known() {
    persistence::known_history all{1, {}};
    for (const auto& [shard, fence] : this->fences)
      all.shards.push_back(fence);
    return all;
  }
  void take_all_anew() {
    for (const auto& fence : value_of(this->db->take_over("a", this->node, {0, 1, 2, 3}, 1h, {})))
      this->fences[fence.shard] = fence;
  }
  std::vector<core::event_seq> seqs(core::event_seq after = 0, std::uint32_t limit = 100) {
    std::vector<core::event_seq> found;
    for (const auto& event : value_of(this->db->events_after(0, after, limit)))
      found.push_back(event.id.seq);
    return found;
  }
};

BOOST_AUTO_TEST_SUITE(store_history)

// findings R1, Q2: no takeover, so no way out but to begin anew.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_batch_that_follows_from_forgotten_ones_finds_its_history_lost,
                              World, forgetful_worlds) {
  forgetful_fixture<World> f;
  BOOST_TEST(is(f.commit(f.next_batch()), committed));
  f.world.copy();
  for (int i = 0; i < 3; ++i)
    BOOST_TEST(is(f.commit_to_the_end(f.next_batch()), committed));
  BOOST_TEST(is(f.commit_to_the_end(f.next_batch(1)), committed));
  f.world.restore();
  const auto result = f.commit_to_the_end(f.next_batch());
  BOOST_TEST(is(result, history_lost));
  BOOST_TEST((result.fenced == std::vector<core::shard_id>{0}));
  // A batch in which another shard has lost nothing names the one that has.
  auto both = f.next_batch();
  both.shards.push_back(f.part(2, {}));
  const auto mixed = f.commit_to_the_end(both);
  BOOST_TEST(is(mixed, history_lost));
  BOOST_TEST((mixed.fenced == std::vector<core::shard_id>{0}));
  // A shard that has lost nothing goes on.
  BOOST_TEST(is(f.commit_to_the_end({{f.part(2, {})}}), committed));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_batch_of_a_forgotten_epoch_finds_its_history_lost, World,
                              forgetful_worlds) {
  forgetful_fixture<World> f;
  f.world.copy();
  f.view(); // on a new connection
  f.take_all_anew();
  f.world.restore();
  BOOST_TEST(is(f.commit_to_the_end(f.next_batch()), history_lost));
  f.view();
  f.take_all_anew(); // even if nobody begins a generation, this is a way out
  BOOST_TEST(is(f.commit_to_the_end(f.next_batch()), committed));
}

// finding R3
BOOST_AUTO_TEST_CASE_TEMPLATE(a_new_generation_gives_no_number_twice, World, forgetful_worlds) {
  forgetful_fixture<World> f;
  BOOST_TEST(is(f.commit(f.next_batch()), committed));
  f.world.copy();
  BOOST_TEST(is(f.commit_to_the_end(f.next_batch()), committed));
  BOOST_TEST(is(f.commit_to_the_end(f.next_batch()), committed));
  const auto known = f.known();
  f.world.restore();
  BOOST_TEST(f.view().generation == 1U);
  BOOST_TEST(value_of(f.db->begin_generation(known, false)));
  const auto view = f.view();
  BOOST_TEST(view.generation == 2U);
  BOOST_TEST(!view.moved);
  for (const auto& shard : view.shards) {
    const auto& before = f.fences.at(shard.shard);
    BOOST_TEST(shard.at > before.epoch);
    BOOST_TEST(shard.batches > before.batch_seq);
    BOOST_TEST(shard.events > before.last_event);
    BOOST_TEST((shard.host == f.node)); // who may write it only by taking it anew
  }
  BOOST_TEST(is(f.commit_to_the_end(f.next_batch()), commit_status::fenced));
  f.take_all_anew();
  BOOST_TEST(f.fences.at(0).tokens_above > 1'000'000U); // more than a task is ever leased
  BOOST_TEST(is(f.commit(f.next_batch()), committed));
  BOOST_TEST(is(f.commit(f.next_batch()), committed));
  std::vector<core::event_seq> seqs; // page by page: a gap ends one
  for (auto page = f.seqs(); !page.empty(); page = f.seqs(seqs.back()))
    seqs.insert(seqs.end(), page.begin(), page.end());
  BOOST_REQUIRE_EQUAL(seqs.size(), 3U);
  BOOST_TEST(seqs[0] == 1U);
  BOOST_TEST(seqs[1] > 3U);
  BOOST_TEST(seqs[2] == seqs[1] + 1);
}

// finding R3: the clock stood ahead when the lost generation began, and was set back since.
BOOST_AUTO_TEST_CASE_TEMPLATE(no_token_of_a_lost_generation_is_given_again, World,
                              forgetful_worlds) {
  forgetful_fixture<World> f;
  f.world.copy();
  BOOST_TEST(is(f.commit_to_the_end(f.next_batch()), committed));
  auto known = f.known();
  f.world.restore();
  const auto ahead = static_cast<std::uint64_t>(core::to_micros(f.view().now + 1h));
  known.shards.front().epoch = ahead;
  BOOST_TEST(value_of(f.db->begin_generation(known, false)));
  f.view();
  f.take_all_anew();
  const auto first = f.fences.at(0).tokens_above;
  BOOST_TEST(first > ahead + 1'000'000U);
  BOOST_TEST(value_of(f.db->begin_generation(known, true)));
  f.view();
  f.take_all_anew();
  BOOST_TEST(f.fences.at(0).tokens_above > first + 1'000'000U); // more than a task is ever leased
}

BOOST_AUTO_TEST_CASE_TEMPLATE(events_behind_a_gap_are_found_from_before_it, World,
                              forgetful_worlds) {
  forgetful_fixture<World> f;
  BOOST_TEST(is(f.commit(f.next_batch()), committed));
  BOOST_TEST(value_of(f.db->begin_generation({}, true)));
  BOOST_TEST(value_of(f.db->begin_generation({}, true))); // without an event in between: one gap
  f.take_all_anew();
  BOOST_TEST(is(f.commit(f.next_batch()), committed));
  BOOST_TEST(is(f.commit(f.next_batch()), committed));
  const auto bounds = value_of(f.db->event_bounds(0));
  BOOST_REQUIRE_EQUAL(bounds.gaps.size(), 1U);
  BOOST_TEST(bounds.gaps[0].first == 2U);
  const auto first = bounds.gaps[0].last + 1;
  BOOST_TEST(bounds.newest == first + 1);
  using list = std::vector<core::event_seq>;
  BOOST_TEST((f.seqs(0, 1) == list{1, first} || f.seqs(0, 1) == list{1}));
  BOOST_TEST((f.seqs(1, 1) == list{first} || f.seqs(1, 1) == list{first, first + 1}));
  BOOST_TEST((f.seqs(1) == list{first} || f.seqs(1) == list{first, first + 1}));
  BOOST_TEST((f.seqs(77, 1).front() == first));
  BOOST_TEST((f.seqs(first, 1) == list{first + 1}));
  BOOST_TEST(f.seqs(first + 1).empty());
  // Pruning goes on across it.
  BOOST_TEST(is(f.write({core::advance_cursor{"a", 0, first}}), committed));
  const auto later = value_of(f.db->now()) + 1h;
  BOOST_TEST(value_of(f.db->prune_events(0, f.node, {{"a"}, later, 100})) == 2U);
  BOOST_TEST((f.seqs() == list{first + 1}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(who_knows_no_more_than_the_database_begins_no_generation, World,
                              forgetful_worlds) {
  forgetful_fixture<World> f;
  BOOST_TEST(is(f.commit(f.next_batch()), committed));
  BOOST_TEST(!value_of(f.db->begin_generation(f.known(), false)));
  BOOST_TEST(!value_of(f.db->begin_generation({}, false)));
  BOOST_TEST(f.view().generation == 1U);
  BOOST_TEST(is(f.commit(f.next_batch()), committed));
  // Two find the same loss: the second finds it mended.
  auto known = f.known();
  known.shards[2].batch_seq += 1;
  BOOST_TEST(value_of(f.db->begin_generation(known, false)));
  BOOST_TEST(!value_of(f.db->begin_generation(known, false)));
  known.generation = 9; // of which the database knows nothing
  BOOST_TEST(value_of(f.db->begin_generation(known, false)));
  BOOST_TEST(f.view().generation == 10U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_database_that_is_elsewhere_says_so_until_a_generation_begins, World,
                              forgetful_worlds) {
  forgetful_fixture<World> f;
  BOOST_TEST(!f.view().moved);
  f.world.move_away();
  f.db = f.world.open();
  BOOST_TEST(f.view().moved);
  BOOST_TEST(f.view().moved);
  BOOST_TEST(value_of(f.db->begin_generation(f.known(), false)));
  BOOST_TEST(!f.view().moved);
  BOOST_TEST(!value_of(f.db->begin_generation({}, false)));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(no_generation_begins_where_there_is_no_cluster, World,
                              forgetful_worlds) {
  World world;
  auto db = world.open();
  BOOST_TEST(fails_with(db->begin_generation({}, true), core::errc::not_found));
}

// finding R3: also by a dump and on the very same server
BOOST_AUTO_TEST_CASE(a_database_that_was_put_in_the_place_of_another_is_elsewhere) {
  forgetful_fixture<forgetful_postgres> f;
  BOOST_TEST(!f.view().moved);
  f.world.copy();
  empty_database::run(test_cluster::instance().conninfo(), "DROP DATABASE migrated WITH (FORCE)");
  empty_database::run(test_cluster::instance().conninfo(),
                      "ALTER DATABASE copied RENAME TO migrated");
  BOOST_TEST(f.view().moved);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
