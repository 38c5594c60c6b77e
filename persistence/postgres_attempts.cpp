// The attempts of a task, with the late results under their tokens.

#include "persistence/postgres_reads.hpp"
#include "persistence/read_parts.hpp"

#include <map>

namespace holdfast::persistence::reads {

namespace {

constexpr statement queue_of_task{"queue_of_task", R"sql(
  SELECT queue FROM holdfast.tasks WHERE task_id = $1::uuid
  UNION ALL
  SELECT queue FROM holdfast.finished_tasks WHERE task_id = $1::uuid)sql"};

// Attempts that left the task live, the one that ended with it, and the one that still runs; the
// ending of a task is stored as 0003_tasks.sql has it among attempts.
#define ATTEMPTS_AFTER                                                                             \
  "((SELECT a.token, a.claim_id, a.worker, a.granted_at, a.expires_at, a.ending, a.error_code,\n"  \
  "         a.error_detail, a.ended_at, 1 AS place\n"                                              \
  "    FROM holdfast.task_attempts a\n"                                                            \
  "   WHERE a.task_id = $1::uuid AND a.token > $2::bigint\n"                                       \
  "   ORDER BY a.token LIMIT $3::integer)\n"                                                       \
  " UNION ALL\n"                                                                                   \
  " SELECT f.token, f.claim_id, f.worker, f.granted_at, f.expires_at,\n"                           \
  "        (f.ending + 10)::smallint, f.error_code, f.error_detail, f.finished_at, 2\n"            \
  "   FROM holdfast.finished_tasks f\n"                                                            \
  "  WHERE f.task_id = $1::uuid AND f.token > $2::bigint\n"                                        \
  " UNION ALL\n"                                                                                   \
  " SELECT l.token, l.claim_id, l.worker, l.granted_at, l.expires_at, NULL::smallint,\n"           \
  "        NULL::text, NULL::text, NULL::timestamptz, 3\n"                                         \
  "   FROM holdfast.task_leases l\n"                                                               \
  "  WHERE l.task_id = $1::uuid AND l.token > $2::bigint\n"                                        \
  " ORDER BY token, place LIMIT $3::integer)"

constexpr statement attempts_after{
    "attempts_after",
    "SELECT token, claim_id, worker, granted_at, expires_at, ending, error_code, error_detail,\n"
    "       ended_at\n"
    "  FROM " ATTEMPTS_AFTER " page ORDER BY token, place"};

constexpr statement late_results_after{
    "late_results_after",
    "WITH page AS MATERIALIZED (SELECT DISTINCT token FROM " ATTEMPTS_AFTER " found)\n"
    "SELECT token, worker, outcome, left(detail, $5::integer), received_at, total\n"
    "  FROM (SELECT r.late_result_id, r.token, r.worker, r.outcome, r.detail, r.received_at,\n"
    "               row_number() OVER (PARTITION BY r.token ORDER BY r.late_result_id) AS place,\n"
    "               count(*) OVER (PARTITION BY r.token) AS total\n"
    "          FROM holdfast.late_results r JOIN page USING (token)\n"
    "         WHERE r.task_id = $1::uuid) late\n"
    " WHERE place <= $4::integer ORDER BY late_result_id"};

#undef ATTEMPTS_AFTER

struct late_results_of_token {
  std::uint64_t total = 0;
  std::vector<late_result> first;
};

} // namespace

std::vector<call> list_attempts(core::task_id task, core::token after, std::uint32_t limit) {
  const auto id = wire::scalar(task.value);
  const auto token = wire::scalar(static_cast<int8>(after));
  return long_read({{&queue_of_task, {id}},
                    {&attempts_after, {id, token, limit_parameter(limit)}},
                    {&late_results_after,
                     {id, token, limit_parameter(limit), limit_parameter(late_results_most),
                      limit_parameter(late_characters_most)}}});
}

core::outcome<recorded_attempts> list_attempts(const results& r) {
  const auto& queue = r[preamble_long];
  const auto& attempts = r[preamble_long + 1];
  const auto& late = r[preamble_long + 2];
  if (queue.rows() == 0)
    return core::failure{core::errc::not_found, "no such task"};
  std::map<core::token, late_results_of_token> by_token;
  for (std::size_t row = 0; row < late.rows(); ++row) {
    auto& kept = by_token[u64(late, row, 0)];
    kept.total = u64(late, row, 5);
    kept.first.push_back({late.get<std::string>(row, 1), late.get<std::string>(row, 2),
                          late.get<std::string>(row, 3), late.get<core::instant>(row, 4)});
  }
  recorded_attempts found;
  found.queue = queue.get<std::string>(0, 0);
  for (std::size_t row = 0; row < attempts.rows(); ++row) {
    found.attempts.push_back({read_attempt(attempts, row), 0, {}});
    auto& recorded = found.attempts.back();
    if (const auto kept = by_token.find(recorded.attempt.lease.token); kept != by_token.end()) {
      recorded.late = kept->second.total;
      recorded.first_late = kept->second.first;
    }
  }
  return found;
}

} // namespace holdfast::persistence::reads
