// A real server that loses what it has committed under a store that is connected to it, and one
// whose commits a standby has not got (docs/adr/0076, I-12).

#include "tests/persistence/conformance.hpp"

#include "core/history.hpp"

#include <cstdlib>
#include <future>

namespace holdfast::test {

namespace {

using persistence::private_cluster;

/// A server of the test's own, of whose data directory there may be a copy.
class own_server {
public:
  own_server() : server_(options(directory_.path())) {
    start();
    const auto migrated =
        persistence::migrate(server_.conninfo(), persistence::embedded_migrations());
    BOOST_REQUIRE_MESSAGE(migrated, (migrated ? "" : migrated.error().detail));
  }

  std::unique_ptr<persistence::store> open() {
    persistence::postgres_options options{server_.conninfo(), "holdfast test"};
    options.prompt_timeout = 500ms;
    return std::make_unique<persistence::postgres_store>(options);
  }
  pqxx::result sql(const std::string& text) {
    pqxx::connection database{server_.conninfo()};
    pqxx::nontransaction tx{database};
    return tx.exec(text);
  }
  const std::string& conninfo() const { return server_.conninfo(); }
  void start() {
    const auto started = server_.start();
    BOOST_REQUIRE_MESSAGE(started, (started ? "" : started.error().detail));
  }
  void stop(private_cluster::shutdown how) { BOOST_REQUIRE(server_.stop(how)); }

  void copy() {
    stop(private_cluster::shutdown::fast);
    shell("cp -a " + data() + " " + directory_.path() + "/copy");
    start();
  }
  /// An older copy of the data directory under a server that died.
  void restore() {
    put_copy_in_place();
    start();
  }
  /// From now on a copy may become a standby.
  void write_for_standbys() {
    sql("ALTER SYSTEM SET wal_level = replica");
    sql("ALTER SYSTEM SET max_wal_senders = 2"); // without any, no commit waits for a standby
    stop(private_cluster::shutdown::fast);
    start();
  }
  /// A standby that had not got what came after the copy.
  void promote_copy() {
    put_copy_in_place();
    shell("touch " + data() + "/standby.signal && chown --reference=" + data() + "/PG_VERSION "
          + data() + "/standby.signal");
    start();
    sql("SELECT pg_promote()");
  }

private:
  static persistence::private_cluster_options options(const std::string& directory) {
    persistence::private_cluster_options made;
    made.directory = directory;
    made.shared_buffers = "32MB";
    return made;
  }
  static void shell(const std::string& command) {
    BOOST_REQUIRE_EQUAL(std::system(command.c_str()), 0);
  }
  std::string data() const { return directory_.path() + "/pgdata"; }
  void put_copy_in_place() {
    stop(private_cluster::shutdown::immediate);
    shell("rm -rf " + data() + " && mv " + directory_.path() + "/copy " + data());
  }

  scratch_directory directory_;
  private_cluster server_;
};

struct own_server_fixture : unit_batches<own_server> {
  commit_result commit_to_the_end(const write_batch& batch) {
    commit_result result;
    for (int attempt = 0; attempt < 8; ++attempt) {
      result = commit(batch);
      if (result.status != commit_status::unavailable && result.status != commit_status::in_doubt)
        break;
    }
    return result;
  }
  core::cluster_view view() {
    for (int attempt = 0; attempt < 5; ++attempt)
      if (auto seen = db->renew(node, 1h))
        return *seen;
    BOOST_FAIL("the database does not answer");
    return {};
  }
  /// As a node does it that has noticed.
  void begin_anew() {
    persistence::known_history known{1, {}};
    for (const auto& [shard, fence] : fences)
      known.shards.push_back(fence);
    BOOST_TEST(value_of(db->begin_generation(known, false)));
    for (const auto& fence : value_of(db->take_over("a", node, {0, 1, 2, 3}, 1h, {})))
      fences[fence.shard] = fence;
    BOOST_TEST(is(commit(next_batch()), committed));
  }
  std::int64_t stored_units() {
    return world.sql("SELECT count(*) FROM holdfast.units")[0][0].as<std::int64_t>();
  }
};

BOOST_FIXTURE_TEST_SUITE(postgres_history, own_server_fixture)

// findings R1, Q2
BOOST_AUTO_TEST_CASE(an_older_copy_under_a_store_that_runs_is_noticed_and_gone_on_from) {
  BOOST_TEST(is(commit(next_batch()), committed));
  world.copy();
  for (int i = 0; i < 3; ++i)
    BOOST_TEST(is(commit_to_the_end(next_batch()), committed));
  world.restore();
  BOOST_TEST(is(commit_to_the_end(next_batch()), commit_status::history_lost));
  // The same server, timeline and database: only what the node knows tells.
  BOOST_TEST(!view().moved);
  begin_anew();
  BOOST_TEST(stored_units() == 2);
}

BOOST_AUTO_TEST_CASE(a_standby_that_was_promoted_without_the_last_commits_is_elsewhere) {
  world.write_for_standbys();
  BOOST_TEST(is(commit_to_the_end(next_batch()), committed));
  world.copy();
  for (int i = 0; i < 3; ++i)
    BOOST_TEST(is(commit_to_the_end(next_batch()), committed));
  const auto before = core::server_place_in(view().server);
  BOOST_REQUIRE(before);
  BOOST_TEST(!view().generation_began);
  world.promote_copy();
  BOOST_TEST(is(commit_to_the_end(next_batch()), commit_status::history_lost));
  BOOST_TEST(view().moved);
  // F13: by which a node tells the old primary, if it is led there again.
  const auto after = core::server_place_in(view().server);
  BOOST_REQUIRE(after);
  BOOST_TEST(after->origin == before->origin);
  BOOST_TEST(after->timeline == before->timeline + 1);
  begin_anew();
  BOOST_TEST(!view().moved);
  BOOST_TEST(core::server_place_in(view().server)->timeline == after->timeline);
  BOOST_TEST(view().generation_began.has_value());
  BOOST_TEST(stored_units() == 2);
}

// review: between a look and the takeover that follows from it
BOOST_AUTO_TEST_CASE(no_shard_is_taken_over_a_connection_at_which_no_renewal_has_looked) {
  world.write_for_standbys();
  BOOST_TEST(is(commit_to_the_end(next_batch()), committed));
  world.copy();
  BOOST_TEST(!view().moved);
  world.promote_copy();
  for (int attempt = 0; attempt < 5; ++attempt) // the first one finds the connection broken
    BOOST_TEST(fails_with(db->take_over("a", node, {0, 1, 2, 3}, 1h, {}), core::errc::unavailable));
  BOOST_TEST(view().moved);
  begin_anew();
  BOOST_TEST(stored_units() == 2);
}

// finding R2, I-12: the commit waits for a standby that is away; the server is started again, and
// shows what it has written itself.
BOOST_AUTO_TEST_CASE(a_commit_that_no_standby_has_is_not_known_to_be_committed_by_being_visible) {
  world.write_for_standbys();
  BOOST_TEST(is(commit_to_the_end(next_batch()), committed));
  world.sql("ALTER SYSTEM SET synchronous_standby_names = 'away'");
  world.sql("SELECT pg_reload_conf()");
  auto batch = next_batch();
  std::int64_t before = 1; // the server hears of it in its own time
  while (commit(batch).status == committed && before < 10'000) {
    ++before;
    batch = next_batch();
  }
  world.stop(private_cluster::shutdown::immediate);
  world.start();
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto result = commit(batch);
    BOOST_TEST(
        (result.status == commit_status::in_doubt || result.status == commit_status::unavailable),
        name_of(result.status));
  }
  BOOST_TEST(stored_units() == before + 1); // visible, and nowhere else
  world.sql("ALTER SYSTEM RESET synchronous_standby_names");
  world.sql("SELECT pg_reload_conf()");
  const auto found = commit_to_the_end(batch);
  BOOST_TEST(is(found, committed));
  BOOST_TEST(found.before);
  BOOST_TEST(is(commit(next_batch()), committed));
  BOOST_TEST(stored_units() == before + 2);
}

// finding R2: a person cancels the wait; the server then answers with success and a warning.
BOOST_AUTO_TEST_CASE(a_wait_for_a_standby_that_was_canceled_leaves_the_commit_in_doubt) {
  world.write_for_standbys();
  persistence::postgres_options options{world.conninfo(), "holdfast test"};
  options.prompt_timeout = 30s;
  db = std::make_unique<persistence::postgres_store>(options);
  BOOST_TEST(is(commit(next_batch()), committed));
  world.sql("ALTER SYSTEM SET synchronous_standby_names = 'away'");
  world.sql("SELECT pg_reload_conf()");
  // Commits that the server takes before it has heard of it are over at once.
  write_batch batch;
  auto running = std::async(std::launch::async, [&] {
    commit_result last;
    for (int i = 0; i < 10'000 && last.status == commit_status::committed; ++i)
      last = commit(batch = next_batch());
    return last;
  });
  bool canceled = false;
  for (int look = 0; look < 20'000 && !canceled; ++look)
    canceled = world
                   .sql("SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity"
                        " WHERE wait_event = 'SyncRep'")[0][0]
                   .as<int>()
               == 1;
  BOOST_TEST(canceled);
  const auto result = running.get();
  BOOST_TEST(is(result, commit_status::in_doubt));
  BOOST_TEST(result.reason.find("COMMIT warns") != std::string::npos);
  world.sql("ALTER SYSTEM RESET synchronous_standby_names");
  world.sql("SELECT pg_reload_conf()");
  BOOST_TEST(is(commit_to_the_end(batch), committed));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
