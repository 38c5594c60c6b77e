#pragma once

// The parts of the store's conformance suite: one fixture for both implementations. Every test case
// of store_*_test.cpp is a template that runs against each type of `worlds`.

#include "examples/shared/exec_params.hpp"
#include "persistence/memory_store.hpp"
#include "persistence/postgres_store.hpp"
#include "tests/persistence/test_cluster.hpp"

#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::test {

using namespace std::chrono_literals;
using persistence::commit_result;
using persistence::commit_status;
using persistence::shard_batch;
using persistence::shard_fence;
using persistence::write_batch;

inline constexpr auto committed = commit_status::committed;
inline constexpr auto refused = commit_status::refused;

/// The memory store on a fresh database.
class memory_world {
public:
  std::unique_ptr<persistence::store> open() {
    return std::make_unique<persistence::memory_store>(database_);
  }

  /// A producer's transaction that stages a task and commits.
  core::outcome<core::task_id> stage(const core::queue_name& queue, const core::new_task& task) {
    return database_->stage(queue, task);
  }

  /// Somebody has put something else in the place of the events of a row.
  void damage_events(const core::message_id& first) {
    database_->set_damaged_events([=](const core::message_id& id) { return id == first; });
  }
  persistence::memory_database& database() { return *database_; }

private:
  std::shared_ptr<persistence::memory_database> database_ =
      std::make_shared<persistence::memory_database>([] {
        return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
      });
};

/// PostgreSQL, emptied.
class postgres_world {
public:
  postgres_world() { test_cluster::instance().clean(); }

  std::unique_ptr<persistence::store> open() {
    return std::make_unique<persistence::postgres_store>(
        persistence::postgres_options{test_cluster::instance().conninfo(), "holdfast test"});
  }

  core::outcome<core::task_id> stage(const core::queue_name& queue, const core::new_task& task) {
    const auto& s = task.spec;
    pqxx::connection database{test_cluster::instance().conninfo()};
    pqxx::work tx{database};
    try {
      const auto rows = examples::exec_params(
          tx,
          "SELECT holdfast.enqueue($1, $2, $3::jsonb, $4::uuid, $5::jsonb, $6, $7, $8,"
          " $9, $10, $11, $12, $13, to_timestamp(0) + nullif($14::bigint, 0)"
          " * interval '1 us', $15, $16, $17, $18)",
          queue, s.type, s.body, to_string(s.id), task.data, task.state, s.version, s.priority,
          s.key, s.credential, s.unique_key, task.conflict == core::on_conflict::reject,
          s.max_attempts, core::to_micros(task.run_at), s.owner_id, s.run_as_id, s.trace_id,
          s.span_id);
      tx.commit();
      return core::task_id{core::parse_uuid(rows[0][0].as<std::string>()).value()};
    } catch (const pqxx::sql_error& error) {
      return core::failure{error.sqlstate() == "42704"   ? core::errc::not_found
                           : error.sqlstate() == "23505" ? core::errc::already_exists
                                                         : core::errc::refused_by_store,
                           error.what()};
    }
  }

  void damage_events(const core::message_id& first) {
    test_cluster::instance().sql(
        "UPDATE holdfast.outbox SET events = left(events, 20) WHERE shard = "
        + std::to_string(first.shard) + " AND first_seq = " + std::to_string(first.seq));
  }
};

using worlds = boost::mpl::list<memory_world, postgres_world>;

inline const char* name_of(commit_status status) {
  switch (status) {
  case commit_status::committed:
    return "committed";
  case commit_status::fenced:
    return "fenced";
  case commit_status::history_lost:
    return "history lost";
  case commit_status::refused:
    return "refused";
  case commit_status::unavailable:
    return "unavailable";
  case commit_status::in_doubt:
    return "in_doubt";
  }
  return "?";
}

/// For BOOST_TEST: whether the commit ended so; tells how it ended if not.
inline boost::test_tools::predicate_result is(const commit_result& result, commit_status wanted) {
  boost::test_tools::predicate_result matches{result.status == wanted};
  if (!matches)
    matches.message() << name_of(result.status) << " instead of " << name_of(wanted) << " ("
                      << result.reason << ')';
  return matches;
}

/// For BOOST_TEST: whether the outcome is a failure of that code.
template <class T>
boost::test_tools::predicate_result fails_with(const core::outcome<T>& outcome, core::errc wanted) {
  boost::test_tools::predicate_result matches{!outcome && outcome.error().code == wanted};
  if (!matches)
    matches.message() << (outcome ? std::string{"success"}
                                  : std::string{core::to_string(outcome.error().code)} + ": "
                                        + outcome.error().detail)
                      << " instead of " << std::string{core::to_string(wanted)};
  return matches;
}

/// The value, or a failed test that tells why there is none.
template <class T>
T value_of(core::outcome<T> outcome) {
  BOOST_REQUIRE_MESSAGE(outcome, (outcome ? "" : outcome.error().detail));
  return std::move(*outcome);
}

constexpr std::uint32_t shard_count = 4;

/// A point in time of the test's own, in seconds and to the microsecond.
inline core::instant at(std::int64_t seconds, std::int64_t micros = 0) {
  return core::from_micros(1'700'000'000'000'000 + seconds * 1'000'000 + micros);
}

/// A store with one node that hosts all shards, and the means to write to it as a host does.
template <class World>
class store_fixture {
public:
  store_fixture() {
    value_of(db->ensure_shards(shard_count));
    value_of(db->register_node("a", node, "127.0.0.1:1"));
    for (const auto& fence : value_of(db->take_over("a", node, {0, 1, 2, 3}, 1h, {})))
      fences[fence.shard] = fence;
    BOOST_REQUIRE_EQUAL(fences.size(), shard_count);
  }

  /// The next batch of a shard, with these changes. `fences` stay as they are.
  shard_batch part(core::shard_id shard, std::vector<core::change> changes) const {
    const auto& fence = fences.at(shard);
    return {shard, fence.epoch, fence.batch_seq + 1, fence.last_event + 1, std::move(changes)};
  }

  /// Commits; after a success the fences have moved on.
  commit_result commit(write_batch batch) {
    auto result = db->commit(batch);
    if (result.status == commit_status::committed)
      for (const auto& done : batch.shards) {
        fences[done.shard].batch_seq = done.batch_seq;
        fences[done.shard].last_event += done.event_count();
      }
    return result;
  }

  /// Commits one change of shard 0.
  commit_result write(std::vector<core::write_op> writes, std::vector<core::event> events = {}) {
    return commit({{part(0, {{std::move(writes), std::move(events)}})}});
  }

  core::step_row new_step(core::workflow_id workflow, std::uint32_t position) {
    core::step_row row;
    row.id = {ids.next(at(0))};
    row.workflow = workflow;
    row.key = "step-" + std::to_string(position);
    row.position = position;
    return row;
  }

  /// Writes a workflow of one step and returns the step.
  core::step_row given_step() {
    const core::workflow_id workflow{ids.next(at(0))};
    auto step = new_step(workflow, 0);
    BOOST_TEST(is(write({core::insert_workflow{workflow, "w", R"({"steps":[]})", at(0)},
                         core::insert_step{step, at(0)}}),
                  commit_status::committed));
    return step;
  }

  core::insert_unit new_unit(core::step_id step, std::uint64_t ordinal, std::uint32_t slots = 3) {
    core::insert_unit unit;
    unit.id = {ids.next(at(1))};
    unit.step = step;
    unit.root = unit.id;
    unit.ordinal = ordinal;
    unit.source_key = "key-" + std::to_string(ordinal);
    unit.input = R"({"n":1})";
    unit.slots = slots;
    unit.created_at = at(1);
    return unit;
  }

  /// Writes a unit and returns its id.
  core::unit_id given_unit(core::step_id step, std::uint64_t ordinal = 1, std::uint32_t slots = 3) {
    const auto unit = new_unit(step, ordinal, slots);
    BOOST_TEST(is(write({unit}), commit_status::committed));
    return unit.id;
  }

  core::lease new_lease(const std::string& owner, core::token token) {
    return {{ids.next(at(2))}, owner, token, at(10), at(70)};
  }

  core::lease given_lease(core::unit_id unit, const std::string& owner, core::token token) {
    auto lease = new_lease(owner, token);
    BOOST_TEST(is(write({core::insert_lease{unit, lease}}), commit_status::committed));
    return lease;
  }

  core::insert_judgment judgment(core::unit_id unit, const std::string& owner, core::token token) {
    return {{ids.next(at(3))}, unit, owner, token, R"({"label":"x"})", "x", 1.0, at(20)};
  }

  core::unit_record load(core::unit_id unit) {
    auto units = value_of(db->load_units({unit}, policy));
    BOOST_REQUIRE_EQUAL(units.size(), 1U);
    return units.front();
  }

  persistence::stored_step load_step(core::step_id step) {
    return value_of(db->load_step(step, [&](const auto&, const auto&) { return policy; }));
  }

  World world;
  std::unique_ptr<persistence::store> db = world.open();
  core::uuid_source ids{7};
  core::incarnation_id node{ids.next(at(0))};
  core::lease_policy policy;
  std::map<core::shard_id, shard_fence> fences;
};

inline core::event event_about(core::unit_id unit, core::event_type type,
                               std::string details = {}) {
  core::event event{type, {}, unit, {}, at(30), std::move(details)};
  event.step.value.bytes[0] = 1;
  return event;
}

/// A store whose batches are alike, so that they can be counted: each adds one unit and its event.
template <class World>
struct unit_batches : store_fixture<World> {
  write_batch next_batch() {
    const auto unit = this->new_unit(step.id, ++units);
    return {{this->part(
        0, {{{unit}, {event_about(unit.id, core::event_type::unit_ready_for_assignment)}}})}};
  }

  core::step_row step = this->given_step();
  std::uint64_t units = 0;
};

} // namespace holdfast::test
