#include "persistence/postgres_store.hpp"

#include "core/backoff.hpp"
#include "persistence/postgres_batch.hpp"
#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_taken_ids.hpp"
#include "persistence/read_apart.hpp"

#include <algorithm>

namespace holdfast::persistence {

namespace {

// Keepalives, here the server's: a network that breaks in the middle of a batch would leave the
// server waiting for the rest of it, with the fence locked, for two hours.
constexpr const char* session_sql = R"sql(
  SET tcp_keepalives_idle = 1;
  SET tcp_keepalives_interval = 1;
  SET tcp_keepalives_count = 3;
  SET lock_timeout = '10s';
  SET statement_timeout = '20s';
)sql";

std::string session_settings(const postgres_options& options) {
  const auto frozen_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(options.frozen_timeout).count();
  return std::string{planner_settings} + session_sql
         + "SET idle_in_transaction_session_timeout = " + std::to_string(frozen_ms);
}

/// A batch as the calls of its pipeline.
struct encoded_calls : batch_encoding {
  encoded_calls(const write_batch& batch, const batch::row_types& row_types)
      : types(row_types), calls(batch_calls(batch, row_types)) {}

  batch::row_types types; ///< The numbers that are written into the calls.
  std::vector<call> calls;
};

constexpr statement server_time{"server_time", "SELECT clock_timestamp()"};

} // namespace

std::optional<core::failure> postgres_store::connect_if_needed() {
  if (connection_ && !connection_->lost())
    return std::nullopt;
  connection_.reset();
  row_types_.reset();
  place_seen_ = false;
  server_.clear();
  auto opened = connection::open(options_.conninfo(), options_.application_name,
                                 session_settings(options_), options_.call_timeout);
  if (!opened) {
    attempts_.not_before = std::chrono::steady_clock::now()
                           + core::backoff(attempts_.failed++, options_.reconnect_pause_min,
                                           options_.reconnect_pause_max);
    attempts_.why = opened.error().detail;
    return opened.error();
  }
  attempts_ = {};
  connection_ = std::move(*opened);
  return std::nullopt;
}

std::optional<core::failure> postgres_store::connect_in_time() {
  const bool open = connection_ && !connection_->lost();
  if (!open && std::chrono::steady_clock::now() < attempts_.not_before)
    return core::failure{core::errc::unavailable,
                         "the database was not reached a moment ago: " + attempts_.why};
  return connect_if_needed();
}

core::outcome<pipeline_results> postgres_store::run(const std::vector<call>& calls) {
  if (auto problem = connect_in_time())
    return *problem;
  return connection_->run(calls);
}

pipeline_results postgres_store::run_promptly(const std::vector<call>& calls,
                                              const std::function<void()>& meanwhile) {
  const auto patience = core::backoff(silences_, options_.prompt_timeout, options_.call_timeout);
  const auto began = std::chrono::steady_clock::now();
  auto answer = connection_->run(calls, meanwhile, patience);
  if (connection_->lost() && std::chrono::steady_clock::now() - began >= patience)
    ++silences_;
  return answer;
}

core::outcome<std::vector<query_result>> postgres_store::ask(const std::vector<call>& calls) {
  auto answer = run(calls);
  if (answer && answer->failed && may_be_damage(answer->failure))
    answer = run(calls); // a trouble of the server may have passed
  if (!answer)
    return answer.error();
  if (!answer->failed)
    return std::move(answer->results);
  // Also XX000, which says nothing of a row: a length in it that makes no sense is told so. Whoever
  // took it for a trouble that passes would read the same row for ever.
  if (may_be_damage(answer->failure))
    return core::failure{core::errc::damaged, answer->failure.text()};
  return error_of(answer->failure);
}

core::outcome<std::vector<query_result>>
postgres_store::ask_at_once(const std::vector<call>& calls) {
  if (auto problem = connect_if_needed())
    return *problem;
  auto answer = run(calls);
  if (!answer)
    return answer.error();
  if (answer->failed)
    return error_of(answer->failure);
  return std::move(answer->results);
}

core::failure postgres_store::error_of(const query_failure& failure) {
  if (failure.sqlstate == "XX001" || failure.sqlstate == "XX002")
    return {core::errc::damaged, failure.text()};
  return {failure.kind == failure_kind::refused ? core::errc::refused_by_store
                                                : core::errc::unavailable,
          failure.text()};
}

int postgres_store::backend_pid() const {
  return connection_ && !connection_->lost() ? connection_->backend_pid() : 0;
}

core::outcome<core::instant> postgres_store::now() {
  const auto answer = ask({{&server_time, {}}});
  if (!answer)
    return answer.error();
  return answer->front().get<core::instant>(0, 0);
}

commit_result postgres_store::commit(const write_batch& batch) {
  return commit_while(batch, [] {});
}

std::optional<core::failure> postgres_store::learn_row_types() {
  if (auto problem = connect_if_needed())
    return problem;
  if (row_types_)
    return std::nullopt;
  const auto answer = run_promptly({read_row_types_call()}, [] {});
  if (answer.failed)
    return error_of(answer.failure);
  row_types_ = row_types_of(answer.results.front());
  return std::nullopt;
}

commit_result postgres_store::commit_while(const write_batch& batch,
                                           const std::function<void()>& meanwhile) {
  const auto problem = batch.shards.empty() ? std::nullopt : learn_row_types();
  if (batch.shards.empty() || problem) {
    meanwhile();
    return problem ? commit_result{commit_status::unavailable, {}, problem->detail}
                   : commit_result{};
  }
  const auto* known = dynamic_cast<const encoded_calls*>(batch.encoding.get());
  const auto encoded = known != nullptr && known->types == *row_types_
                           ? std::shared_ptr<const encoded_calls>{batch.encoding, known}
                           : std::make_shared<const encoded_calls>(batch, *row_types_);
  const auto& calls = encoded->calls;
  const auto answer = run_promptly(calls, meanwhile);
  if (!connection_->lost()) // the batch itself: that a new connection answers says nothing
    silences_ = 0;
  if (answer.failed)
    return failed_commit(batch, calls, answer.failure);
  // A COMMIT that warns has not done all that it should: somebody has canceled its wait for a
  // standby. It is written here, and nobody knows whether anywhere else.
  if (!answer.warning.empty())
    return {commit_status::in_doubt, {}, "COMMIT warns: " + answer.warning};
  return {};
}

void postgres_store::encode(write_batch& batch) {
  if (row_types_)
    batch.encoding = std::make_shared<const encoded_calls>(batch, *row_types_);
}

bool postgres_store::fails_for_good(const write_batch& batch) {
  const auto& first = batch.shards.front();
  auto& known = failures_;
  if (known.shard != first.shard || known.epoch != first.epoch
      || known.batch_seq != first.batch_seq)
    known = {first.shard, first.epoch, first.batch_seq, 0};
  if (++known.count < server_failures_max)
    return false;
  known.count = 0;
  return true;
}

commit_result postgres_store::failed_commit(const write_batch& batch,
                                            const std::vector<call>& calls,
                                            const query_failure& failure) {
  const auto commit_at = calls.size() - 1;
  switch (failure.kind) {
  case failure_kind::lost: {
    // Whatever the server said before it got to COMMIT proves that it never got there; silence
    // proves nothing, since it may be committing at this moment.
    const bool before_commit = failure.at < commit_at && !failure.sqlstate.empty();
    return {!failure.sent || before_commit ? commit_status::unavailable : commit_status::in_doubt,
            {},
            failure.text()};
  }
  case failure_kind::transient:
    // Nothing of the batch is written: the transaction has failed.
    if (may_be_damage(failure) && fails_for_good(batch))
      return {commit_status::refused,
              {},
              "the server has failed on it " + std::to_string(server_failures_max)
                  + " times in a row: " + failure.text()};
    return {commit_status::unavailable, {}, failure.text()};
  case failure_kind::refused:
    break;
  }
  if (!failed_at_fence(calls, failure)) {
    const auto where = failure.at < calls.size() ? purpose_of(calls[failure.at]) : "sync";
    commit_result result{commit_status::refused, {}, where + ": " + failure.text()};
    const auto chosen = may_be_taken(failure) ? chosen_in(batch) : chosen_ids{};
    if (chosen.empty())
      return result;
    // A found id has committed: a transaction that still wrote that id has made this batch wait.
    const auto found = run_promptly({find_taken_call(chosen)}, [] {});
    if (found.failed) // it is refused once more at the next try
      return {commit_status::unavailable, {}, found.failure.text()};
    result.taken = taken_in(batch, taken_of(found.results.front()));
    return result;
  }
  const auto fences = run_promptly({read_fences_call(batch)}, [] {});
  // This try wrote nothing, but an earlier one may have: only the fence row could tell.
  if (fences.failed)
    return {commit_status::in_doubt, {}, fences.failure.text()};
  auto judged = judge_fences(batch, fences.results.front());
  // Another server may have answered than the name leads to by now.
  if (judged.status == commit_status::history_lost)
    connection_.reset();
  return judged.before ? confirmed(batch, std::move(judged)) : judged;
}

// A visible row need not be replicated: after a restart the server shows all rows that it has
// written itself, also rows that a standby has not got. A write of our own that is committed on the
// same server has waited for the standby, if commits do, and with it for all that was written
// before.
commit_result postgres_store::confirmed(const write_batch& batch, commit_result found) {
  const auto answer = run_promptly({confirm_call(batch)}, [] {});
  if (answer.failed)
    return {commit_status::in_doubt, {}, "committed before, as it seems: " + answer.failure.text()};
  if (!answer.warning.empty())
    return {commit_status::in_doubt, {}, "committed before, as it seems: " + answer.warning};
  return found;
}

core::outcome<std::vector<core::unit_record>>
postgres_store::load_units(const std::vector<core::unit_id>& units,
                           const core::lease_policies& policies) {
  const auto answer = ask_for_row(reads::load_units(units, policies));
  if (!answer)
    return answer.error();
  return reads::load_units(*answer, units, policies);
}

core::outcome<std::vector<gathered_unit>>
postgres_store::gathered_with(const std::vector<core::unit_id>& units) {
  const auto answer = ask_for_row(reads::gathered_with(units));
  if (!answer)
    return answer.error();
  return reads::gathered_with(*answer);
}

core::outcome<std::vector<unit_chain>>
postgres_store::load_chains(const std::vector<core::unit_id>& units) {
  const auto answer = ask_for_row(reads::load_chains(units));
  if (!answer)
    return answer.error();
  return reads::load_chains(*answer);
}

core::outcome<stored_workflow> postgres_store::load_workflow(core::workflow_id workflow) {
  const auto answer = ask_for_row(reads::load_workflow(workflow));
  if (!answer)
    return answer.error();
  return reads::load_workflow(*answer, workflow);
}

core::outcome<std::vector<std::pair<std::string, core::unit_id>>>
postgres_store::find_source_keys(core::step_id step, const std::vector<std::string>& keys) {
  const auto answer = ask(reads::find_source_keys(step, keys));
  if (!answer)
    return answer.error();
  return reads::find_source_keys(*answer);
}

core::outcome<std::vector<source_unit>>
postgres_store::find_source_units(core::step_id step, const std::vector<std::string>& keys) {
  const auto answer = ask(reads::find_source_units(step, keys));
  if (!answer)
    return answer.error();
  return reads::find_source_units(*answer);
}

core::outcome<step_statistics> postgres_store::statistics(core::step_id step) {
  const auto answer = ask_for_row(reads::statistics(step));
  if (!answer)
    return answer.error();
  return reads::statistics(*answer);
}

core::outcome<std::vector<known_task>>
postgres_store::find_tasks(const std::vector<core::task_id>& tasks) {
  const auto answer = ask(reads::find_tasks(tasks));
  if (!answer)
    return answer.error();
  return reads::find_tasks(*answer);
}

core::outcome<listed_tasks> postgres_store::list_tasks(const task_filter& filter) {
  const auto answer = ask(reads::list_tasks(filter));
  if (!answer)
    return answer.error();
  return reads::list_tasks(*answer, filter);
}

core::outcome<task_history> postgres_store::load_task(core::task_id task) {
  const auto answer = ask_for_row(reads::load_task(task));
  if (!answer)
    return answer.error();
  return reads::load_task(*answer);
}

core::outcome<recorded_attempts>
postgres_store::list_attempts(core::task_id task, core::token after, std::uint32_t limit) {
  const auto answer = ask_for_row(reads::list_attempts(task, after, limit));
  if (!answer)
    return answer.error();
  return reads::list_attempts(*answer);
}

core::outcome<queue_counts> postgres_store::count_tasks(const core::queue_name& queue) {
  const auto answer = ask(reads::count_tasks(queue));
  if (!answer)
    return answer.error();
  return reads::count_tasks(*answer);
}

core::outcome<std::vector<core::assignment_id>>
postgres_store::find_over(const std::vector<core::assignment_id>& assignments,
                          core::instant since) {
  const auto answer = ask(reads::find_over(assignments, since));
  if (!answer)
    return answer.error();
  return reads::find_over(*answer);
}

core::outcome<std::vector<core::hosted_item>>
postgres_store::find_overdue(core::instant ended_before, std::uint32_t limit) {
  const auto answer = ask(reads::find_overdue(ended_before, limit));
  if (!answer)
    return answer.error();
  return reads::find_overdue(*answer);
}

core::outcome<due_page> postgres_store::find_due(core::task_id after, core::instant due_before,
                                                 std::uint32_t limit) {
  const auto answer = ask(reads::find_due(after, due_before, limit));
  if (!answer)
    return answer.error();
  return reads::find_due(*answer);
}

core::outcome<core::event_bounds> postgres_store::event_bounds(core::shard_id shard) {
  const auto answer = ask(reads::event_bounds(shard));
  if (!answer)
    return answer.error();
  return reads::event_bounds(*answer);
}

core::outcome<core::event_seq> postgres_store::cursor(const std::string& consumer,
                                                      core::shard_id shard) {
  const auto answer = ask(reads::cursor(consumer, shard));
  if (!answer)
    return answer.error();
  const auto& row = answer->front();
  return row.rows() == 0 ? core::event_seq{0}
                         : static_cast<core::event_seq>(row.get<std::int64_t>(0, 0));
}

core::outcome<std::vector<core::event_seq>> postgres_store::inbox_after(const std::string& consumer,
                                                                        core::shard_id shard,
                                                                        core::event_seq after) {
  const auto answer = ask(reads::inbox_after(consumer, shard, after));
  if (!answer)
    return answer.error();
  return reads::inbox_after(*answer);
}

core::outcome<std::vector<webhook_place>> postgres_store::webhook_places(core::webhook_id webhook) {
  const auto answer = ask(reads::webhook_places(webhook));
  if (!answer)
    return answer.error();
  return reads::webhook_places(*answer);
}

} // namespace holdfast::persistence
