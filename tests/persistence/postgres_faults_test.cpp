// The PostgreSQL store while connections, backends and the server fail: what it answers, and that
// every batch that was acknowledged is there exactly once (I-12).

#include "tests/persistence/conformance.hpp"
#include "tests/support/socket_proxy.hpp"

#include <future>
#include <random>

namespace holdfast::test {

namespace {

constexpr auto in_doubt = commit_status::in_doubt;
constexpr auto unavailable = commit_status::unavailable;

/// PostgreSQL behind a proxy that cuts connections.
class proxied_world {
public:
  proxied_world() { test_cluster::instance().clean(); }

  std::unique_ptr<persistence::store> open() {
    persistence::postgres_options options{
        "host=" + directory_.path() + " dbname=postgres user=holdfast", "holdfast test"};
    options.call_timeout = call_timeout;
    options.prompt_timeout = prompt_timeout;
    options.frozen_timeout = frozen_timeout;
    return std::make_unique<persistence::postgres_store>(options);
  }

  core::duration call_timeout = 30s;
  core::duration prompt_timeout = 4s;
  core::duration frozen_timeout = 5s;

private:
  static std::string socket_directory() {
    const auto& conninfo = test_cluster::instance().conninfo(); // host='<directory>' port=...
    return conninfo.substr(6, conninfo.find('\'', 6) - 6);
  }

  scratch_directory directory_;

public:
  socket_proxy proxy{directory_.path(), socket_directory()};
};

template <class World>
struct fault_fixture : unit_batches<World> {
  /// Units and events that are in the database; both are one per batch.
  std::pair<std::int64_t, std::int64_t> stored() {
    const auto row =
        test_cluster::instance().sql("SELECT (SELECT count(*) FROM holdfast.units),"
                                     " (SELECT coalesce(sum(count), 0) FROM holdfast.outbox)");
    return {row[0][0].template as<std::int64_t>(), row[0][1].template as<std::int64_t>()};
  }
  void check_stored(std::int64_t batches) {
    const auto [unit_rows, events] = stored();
    BOOST_TEST(unit_rows == batches);
    BOOST_TEST(events == batches);
  }

  /// What a writer does: the same batch until its fate is known.
  commit_result commit_until_known(const write_batch& batch) {
    commit_result result;
    for (int attempt = 0; attempt < 10; ++attempt) {
      result = this->commit(batch);
      if (result.status != in_doubt && result.status != unavailable)
        break;
    }
    return result;
  }
};

/// Waits until so many sessions of stores wait for a lock. Bounded; each look is a round trip.
bool waiting_for_a_lock(int sessions) {
  for (int look = 0; look < 5000; ++look)
    if (test_cluster::instance()
            .sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                 " AND application_name = 'holdfast test'")[0][0]
            .as<int>()
        == sessions)
      return true;
  return false;
}

BOOST_AUTO_TEST_SUITE(postgres_faults)

BOOST_AUTO_TEST_CASE(connection_cut_before_commit_leaves_the_batch_in_doubt_and_out) {
  fault_fixture<proxied_world> f;
  const auto batch = f.next_batch();
  f.world.proxy.arm(commit_cut::before);
  BOOST_TEST(is(f.commit(batch), in_doubt));
  BOOST_TEST(f.world.proxy.cuts() == 1);
  f.check_stored(0);
  BOOST_TEST(is(f.commit(batch), committed));
  f.check_stored(1);
}

BOOST_AUTO_TEST_CASE(connection_cut_after_commit_leaves_the_batch_in_doubt_and_in) {
  fault_fixture<proxied_world> f;
  const auto batch = f.next_batch();
  f.world.proxy.arm(commit_cut::after);
  BOOST_TEST(is(f.commit(batch), in_doubt));
  f.check_stored(1);
  BOOST_TEST(is(f.commit(batch), committed));
  f.check_stored(1);
  BOOST_TEST(is(f.commit(f.next_batch()), committed));
  f.check_stored(2);
}

// The old backend commits while the replay is under way: asking whether it had committed would have
// given a stale "no"; the fence makes the replay wait for the answer.
BOOST_AUTO_TEST_CASE(replay_overtaken_by_the_first_attempt_is_committed_once) {
  fault_fixture<proxied_world> f;
  const auto batch = f.next_batch();
  f.world.proxy.arm(commit_cut::held);
  BOOST_TEST(is(f.commit(batch), in_doubt));
  BOOST_TEST(is(f.commit(batch), committed));
  f.check_stored(1);
  BOOST_TEST(is(f.commit(f.next_batch()), committed));
  f.check_stored(2);
}

BOOST_AUTO_TEST_CASE(silent_server_counts_as_lost_after_the_call_timeout) {
  fault_fixture<proxied_world> f;
  f.world.call_timeout = 100ms;
  f.db = f.world.open();
  const auto batch = f.next_batch();
  f.world.proxy.arm(commit_cut::silent);
  BOOST_TEST(is(f.commit(batch), in_doubt));
  f.world.call_timeout = 30s;
  f.db = f.world.open();
  BOOST_TEST(is(f.commit(batch), committed));
  f.check_stored(1);
}

BOOST_AUTO_TEST_CASE(a_hanging_commit_is_given_up_long_before_a_read) {
  BOOST_TEST((persistence::postgres_options{}.prompt_timeout <= 5s));
  fault_fixture<proxied_world> f;
  f.world.prompt_timeout = 500ms;
  f.db = f.world.open();
  const auto batch = f.next_batch();
  f.world.proxy.arm(commit_cut::silent);
  const auto began = std::chrono::steady_clock::now();
  BOOST_TEST(is(f.commit(batch), in_doubt));
  BOOST_TEST((std::chrono::steady_clock::now() - began < 10s)); // and not the 30 s of a read
  BOOST_TEST(is(f.commit_until_known(batch), committed));
  f.check_stored(1);
}

// A disk that needs longer than the patience, for each attempt: nothing is done twice, and it ends.
BOOST_AUTO_TEST_CASE(a_batch_that_takes_longer_than_the_patience_gets_more_of_it) { // I-12
  fault_fixture<proxied_world> f;
  f.world.prompt_timeout = 100ms;
  f.db = f.world.open();
  const auto batch = f.next_batch();
  {
    pqxx::connection beside{test_cluster::instance().conninfo()};
    pqxx::work holding{beside};
    holding.exec("LOCK TABLE holdfast.units IN ACCESS EXCLUSIVE MODE");
    for (const auto least : {100ms, 200ms, 400ms}) {
      const auto began = std::chrono::steady_clock::now();
      const auto result = f.commit(batch);
      // Unavailable where the machine was too slow even for the question before the batch.
      BOOST_TEST((result.status == in_doubt || result.status == unavailable));
      BOOST_TEST((std::chrono::steady_clock::now() - began >= least));
    }
  }
  BOOST_TEST(is(f.commit_until_known(batch), committed));
  f.check_stored(1);
}

BOOST_AUTO_TEST_CASE(refusal_is_no_loss) {
  fault_fixture<proxied_world> f;
  auto batch = f.next_batch();
  const auto unit = std::get<core::insert_unit>(batch.shards[0].changes[0].writes[0]);
  batch.shards[0].changes.push_back({{unit}, {}});
  const auto result = f.commit(batch);
  BOOST_TEST(is(result, commit_status::refused));
  BOOST_TEST(result.reason.find("add_units") != std::string::npos);
  BOOST_TEST(result.reason.find("23505") != std::string::npos);
  // The session is usable at once, with nothing left of the failed transaction.
  const auto pid = static_cast<persistence::postgres_store&>(*f.db).backend_pid();
  batch.shards[0].changes.pop_back();
  BOOST_TEST(is(f.commit(batch), committed));
  BOOST_TEST(static_cast<persistence::postgres_store&>(*f.db).backend_pid() == pid);
}

BOOST_AUTO_TEST_CASE(backend_killed_between_batches_costs_one_attempt) { // A162
  fault_fixture<postgres_world> f;
  auto& postgres = static_cast<persistence::postgres_store&>(*f.db);
  const auto batch = f.next_batch();
  test_cluster::instance().sql("SELECT pg_terminate_backend("
                               + std::to_string(postgres.backend_pid()) + ", 10000)");
  int done = 0;
  const auto first = f.db->commit_while(batch, [&] { ++done; });
  BOOST_TEST((first.status == unavailable || first.status == in_doubt), name_of(first.status));
  BOOST_TEST(done == 1);
  BOOST_TEST(is(f.commit(batch), committed));
  f.check_stored(1);
  // The same for reads: one call fails, the next one has a fresh connection.
  test_cluster::instance().sql("SELECT pg_terminate_backend("
                               + std::to_string(postgres.backend_pid()) + ", 10000)");
  BOOST_TEST(fails_with(f.db->now(), core::errc::unavailable));
  BOOST_TEST(static_cast<bool>(f.db->now()));
}

BOOST_AUTO_TEST_CASE(backend_killed_within_a_batch_says_that_nothing_was_written) {
  fault_fixture<postgres_world> f;
  const auto batch = f.next_batch();
  const auto pid = static_cast<persistence::postgres_store&>(*f.db).backend_pid();
  {
    // The batch waits at its fence for as long as we hold the row.
    pqxx::connection beside{test_cluster::instance().conninfo()};
    pqxx::work holding{beside};
    holding.exec("SELECT 1 FROM holdfast.shard_leases WHERE shard = 0 FOR UPDATE");
    auto running = std::async(std::launch::async, [&] { return f.db->commit(batch); });
    BOOST_TEST(waiting_for_a_lock(1));
    test_cluster::instance().sql("SELECT pg_terminate_backend(" + std::to_string(pid) + ")");
    const auto result = running.get();
    BOOST_TEST(is(result, unavailable));
    BOOST_TEST(result.reason.find("57P01") != std::string::npos);
  }
  f.check_stored(0);
  BOOST_TEST(is(f.commit(batch), committed));
  f.check_stored(1);
}

BOOST_AUTO_TEST_CASE(takeover_waits_for_the_batch_in_flight_and_fences_the_next) { // I-7
  fault_fixture<postgres_world> f;
  const auto batch = f.next_batch();
  const core::incarnation_id other{f.ids.next(at(0))};
  auto beside = f.world.open();
  value_of(beside->register_node("b", other, ""));
  std::future<commit_result> running;
  std::future<core::outcome<std::vector<shard_fence>>> taking;
  {
    // Holds the batch between its fence and COMMIT, at the step that its unit refers to.
    pqxx::connection third{test_cluster::instance().conninfo()};
    pqxx::work holding{third};
    holding.exec("LOCK TABLE holdfast.units IN ACCESS EXCLUSIVE MODE");
    running = std::async(std::launch::async, [&] { return f.db->commit(batch); });
    BOOST_TEST(waiting_for_a_lock(1));
    taking = std::async(std::launch::async,
                        [&] { return beside->take_over("b", other, {0}, 1h, {f.node}); });
    BOOST_TEST(waiting_for_a_lock(2));
  }
  BOOST_TEST(is(running.get(), committed));
  const auto taken = value_of(taking.get());
  BOOST_REQUIRE_EQUAL(taken.size(), 1U);
  // It begins where the batch ended.
  BOOST_TEST(taken[0].batch_seq == batch.shards[0].batch_seq);
  BOOST_TEST(taken[0].last_event == batch.shards[0].first_event);
  f.fences[0].batch_seq = batch.shards[0].batch_seq;
  f.fences[0].last_event += 1;
  BOOST_TEST(is(f.commit(f.next_batch()), commit_status::fenced));
  f.check_stored(1);
}

// A host that stops between BEGIN and COMMIT, as one does that was suspended: its COMMIT is kept
// back for ever.
BOOST_AUTO_TEST_CASE(frozen_host_does_not_hold_up_its_successor) { // I-7
  fault_fixture<proxied_world> f;
  f.world.frozen_timeout = 100ms;
  f.db = f.world.open();
  const auto batch = f.next_batch();
  f.world.proxy.arm(commit_cut::held);
  BOOST_TEST(is(f.commit(batch), in_doubt));
  // Not through the proxy, which would let the COMMIT go.
  persistence::postgres_store successor{{test_cluster::instance().conninfo(), "holdfast test"}};
  const core::incarnation_id other{f.ids.next(at(0))};
  const auto taken = value_of(successor.take_over("b", other, {0}, 1h, {f.node}));
  BOOST_REQUIRE_EQUAL(taken.size(), 1U);
  BOOST_TEST(taken[0].batch_seq == batch.shards[0].batch_seq - 1);
  f.check_stored(0);
  BOOST_TEST(is(f.commit(batch), commit_status::fenced));
  f.check_stored(0);
}

// I-9: from then on it is asked to have swept what ended meanwhile.
BOOST_AUTO_TEST_CASE(a_node_that_was_silent_for_longer_than_its_lease_is_noted) {
  fault_fixture<postgres_world> f;
  const auto noted = [] {
    return test_cluster::instance()
        .sql("SELECT coalesce(resumed_at BETWEEN now() - interval '1 min' AND now(), false)"
             " FROM holdfast.nodes ORDER BY started_at LIMIT 1")[0][0]
        .as<bool>();
  };
  value_of(f.db->renew(f.node, 1h));
  BOOST_TEST(!noted());
  value_of(f.db->renew(f.node, core::duration{0}));
  BOOST_TEST(!noted());
  value_of(f.db->renew(f.node, 1h)); // nobody has taken its shards
  BOOST_TEST(noted());
}

BOOST_AUTO_TEST_CASE(batches_takeovers_and_renewals_never_deadlock) { // I-7
  fault_fixture<postgres_world> f;
  std::map<std::string, int> outcomes;
  auto taking = std::async(std::launch::async, [&f] {
    auto beside = f.world.open();
    std::mt19937 random{7};
    for (int i = 0; i < 150; ++i) {
      // in any order and of any number; the store brings them into order
      std::vector<core::shard_id> shards{0, 1, 2, 3};
      std::shuffle(shards.begin(), shards.end(), random);
      shards.resize(1 + random() % 4);
      if (!beside->take_over("a", f.node, shards, 1h, {}) || !beside->renew(f.node, 1h))
        return false;
    }
    return true;
  });
  auto resigning = f.world.open();
  const core::incarnation_id guest{f.ids.next(at(0))};
  const auto commit_to_all = [&] {
    for (const auto& row : test_cluster::instance().sql(
             "SELECT shard, epoch, batch_seq, event_seq FROM holdfast.shard_leases"))
      f.fences[row[0].as<core::shard_id>()] = {row[0].as<core::shard_id>(),
                                               row[1].as<core::epoch>(), row[2].as<std::uint64_t>(),
                                               row[3].as<core::event_seq>()};
    return f.db->commit({{f.part(0, {}), f.part(1, {}), f.part(2, {}), f.part(3, {})}});
  };
  while (taking.wait_for(0s) != std::future_status::ready) {
    const auto result = commit_to_all();
    ++outcomes[name_of(result.status)];
    BOOST_TEST((result.status == committed || result.status == commit_status::fenced),
               name_of(result.status) << ": " << result.reason);
    value_of(resigning->resign(guest));
  }
  BOOST_TEST(taking.get());
  BOOST_TEST(is(commit_to_all(), committed));
  BOOST_TEST_MESSAGE(outcomes["committed"] << " batches committed, " << outcomes["fenced"]
                                           << " fenced");
  BOOST_TEST(test_cluster::instance()
                 .sql("SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'")[0][0]
                 .as<int>()
             == 0);
}

BOOST_AUTO_TEST_CASE(free_shard_is_taken_by_one_of_many) { // I-7
  fault_fixture<postgres_world> f;
  value_of(f.db->resign(f.node));
  std::vector<std::future<std::size_t>> takers;
  for (std::uint8_t i = 1; i <= 4; ++i)
    takers.push_back(std::async(std::launch::async, [&f, i] {
      core::incarnation_id me;
      me.value.bytes[0] = i;
      auto db = f.world.open();
      const auto taken = db->take_over("node-" + std::to_string(i), me, {3, 1, 0, 2}, 1h, {});
      return taken ? taken->size() : 99;
    }));
  std::size_t taken = 0;
  for (auto& taker : takers)
    taken += taker.get();
  BOOST_TEST(taken == shard_count);
}

BOOST_AUTO_TEST_CASE(server_stopped_at_once_loses_nothing_that_was_acknowledged) { // I-12, A162
  fault_fixture<postgres_world> f;
  auto& server = test_cluster::instance().server();
  std::int64_t acknowledged = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 20; ++i) {
      BOOST_TEST(is(f.commit(f.next_batch()), committed));
      ++acknowledged;
    }
    value_of(server.stop(persistence::private_cluster::shutdown::immediate));
    const auto batch = f.next_batch();
    const auto result = f.commit(batch);
    BOOST_TEST((result.status == in_doubt || result.status == unavailable));
    BOOST_TEST(is(f.commit(batch), unavailable)); // nobody listens
    BOOST_TEST(fails_with(f.db->now(), core::errc::unavailable));
    value_of(server.start());
    BOOST_TEST(is(f.commit(batch), committed));
    ++acknowledged;
    f.check_stored(acknowledged);
  }
}

// Any sequence of cuts: every batch exactly once, in order.
BOOST_AUTO_TEST_CASE(batches_survive_random_cuts_exactly_once) { // I-12, I-4
  fault_fixture<proxied_world> f;
  std::mt19937 random{20240611};
  constexpr int batches = 150;
  for (int i = 0; i < batches; ++i) {
    const auto batch = f.next_batch();
    f.world.proxy.arm(static_cast<commit_cut>(random() % 4));
    BOOST_TEST(is(f.commit_until_known(batch), committed));
  }
  BOOST_TEST(f.world.proxy.cuts() > batches / 2);
  f.world.proxy.arm(commit_cut::none);
  f.check_stored(batches);
  const auto events = value_of(f.db->events_after(0, 0, 1000));
  BOOST_REQUIRE_EQUAL(events.size(), batches);
  for (std::size_t i = 0; i < events.size(); ++i)
    BOOST_TEST(events[i].id.seq == i + 1);
}

// Any number of readers would otherwise greet the server with as many attempts when it comes back.
BOOST_AUTO_TEST_CASE(reads_from_a_server_that_is_down_do_not_knock_at_each_call) {
  using clock = std::chrono::steady_clock;
  persistence::postgres_options options{"host=/nonexistent", "holdfast test"};
  options.reconnect_pause_min = 100ms;
  options.reconnect_pause_max = 400ms;
  persistence::postgres_store nobody{options};
  const auto knocks = [&] {
    const auto read = nobody.now();
    BOOST_REQUIRE(!read);
    BOOST_TEST((read.error().code == core::errc::unavailable));
    return read.error().detail.find("a moment ago") == std::string::npos;
  };
  std::vector<std::pair<clock::time_point, clock::time_point>> tries; // before and after
  while (tries.size() < 4) {
    const auto before = clock::now();
    if (knocks())
      tries.emplace_back(before, clock::now());
  }
  BOOST_TEST((tries[1].second - tries[0].first >= 100ms));
  BOOST_TEST((tries[2].second - tries[1].first >= 200ms)); // it grows
  BOOST_TEST((tries[3].second - tries[2].first >= 400ms));
  // Who waits by itself is not held up.
  const auto refused = nobody.renew({}, 1s);
  BOOST_REQUIRE(!refused);
  BOOST_TEST(refused.error().detail.find("a moment ago") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(unreadable_url_is_an_error_and_no_crash) {
  persistence::postgres_store db{{"postgres://[", "holdfast test"}};
  BOOST_TEST(fails_with(db.now(), core::errc::invalid_argument));
  persistence::postgres_store nobody{{"host=/nonexistent", "holdfast test"}};
  BOOST_TEST(fails_with(nobody.now(), core::errc::unavailable));
  int done = 0;
  BOOST_TEST(is(nobody.commit_while({{shard_batch{}}}, [&] { ++done; }), unavailable));
  BOOST_TEST(done == 1);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
