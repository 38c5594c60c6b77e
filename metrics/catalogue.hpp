#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// All metrics of a node, each described once. The page that Prometheus reads, docs/METRICS.md and
/// the tests derive from this table.
namespace holdfast::metrics {

/// The kinds of metrics. The histograms differ in their buckets.
enum class kind : std::uint8_t {
  counter,
  gauge,
  short_times, ///< A histogram of seconds, from a millisecond to ten seconds.
  long_times,  ///< A histogram of seconds, from ten milliseconds to a day.
  sizes,       ///< A histogram of counts, from one to ten thousand.
};

// METRIC(name without the prefix `holdfast_`, kind, labels separated by commas, help)
#define HOLDFAST_METRICS(METRIC)                                                                   \
  METRIC(build_info, gauge, "version", "Always 1. The version of the node is its label.")          \
  METRIC(start_time_seconds, gauge, "", "When the process started, in seconds since 1970.")        \
  METRIC(process_resident_bytes, gauge, "", "Memory of the process that is in RAM.")               \
  METRIC(process_open_files, gauge, "", "File descriptors that the process has open.")             \
  METRIC(process_open_files_max, gauge, "", "File descriptors that the process may open.")         \
  METRIC(process_cpu_seconds_total, counter, "", "CPU time of the process, user and system.")      \
  METRIC(disk_free_bytes, gauge, "", "Free space of the file system of node.data_dir.")            \
  METRIC(disk_size_bytes, gauge, "", "Size of the file system of node.data_dir.")                  \
  METRIC(shards, gauge, "", "Shards of the cluster.")                                              \
  METRIC(shards_hosted, gauge, "", "Shards that this node hosts.")                                 \
  METRIC(                                                                                          \
      takeovers_total, counter, "reason",                                                          \
      "Shards that this node took over. free: nobody hosted the shard. host_gone: its host had "   \
      "ended, or its lease had run out.")                                                          \
  METRIC(shards_lost_total, counter, "", "Shards that this node lost without a hand-over.")        \
  METRIC(fenced, gauge, "", "1 while the node decides nothing because its lease may be over.")     \
  METRIC(fences_total, counter, "", "Times that the node has fenced itself.")                      \
  METRIC(database_up, gauge, "", "1 if the last commit or renewal reached the database, else 0.")  \
  METRIC(commit_seconds, short_times, "", "Time of a commit, from its start to its success.")      \
  METRIC(commit_changes, sizes, "", "Changes in one commit.")                                      \
  METRIC(changes_total, counter, "", "Changes that were committed and answered.")                  \
  METRIC(changes_refused_total, counter, "", "Changes that the writers or the database refused.")  \
  METRIC(changes_stale_total, counter, "", "Changes that a fence in the database refused.")        \
  METRIC(commits_in_doubt_total, counter, "", "Commits whose outcome was not known at first.")     \
  METRIC(writer_queued, gauge, "", "Rows that wait for a commit or are being committed.")          \
  METRIC(requests_overloaded_total, counter, "", "Requests refused as overloaded.")                \
  METRIC(units_live, gauge, "", "Units in memory.")                                                \
  METRIC(contributor_sessions, gauge, "", "Contributors with a session on this node.")             \
  METRIC(audits_total, counter, "outcome", "Audits of the database by this node: done or failed.") \
  METRIC(invariant_violations_total, counter, "id",                                                \
         "Rows that break an invariant, counted anew by each audit.")                              \
  METRIC(outbox_lag_events, gauge, "consumer",                                                     \
         "Committed events of the hosted shards that the consumer has not passed.")                \
  METRIC(tasks, gauge, "queue,state", "Live tasks: ready, later, leased or paused.")               \
  METRIC(queue_oldest_ready_seconds, gauge, "queue",                                               \
         "How long the task next in line has been ready; 0 if none is.")                           \
  METRIC(claims_waiting, gauge, "queue", "Claims of workers that wait for a task.")                \
  METRIC(tasks_made_total, counter, "queue,type", "Tasks that were made.")                         \
  METRIC(tasks_finished_total, counter, "queue,type,outcome",                                      \
         "Tasks that ended: completed, failed, canceled or dead.")                                 \
  METRIC(task_attempts_ended_total, counter, "queue,outcome",                                      \
         "Attempts that left their task live: released, failed, rate_limited, expired, lost, "     \
         "ejected or canceled.")                                                                   \
  METRIC(tasks_refused_total, counter, "queue", "Tasks staged by SQL that the queue refused.")     \
  METRIC(task_wait_seconds, long_times, "queue", "From when a task was due to its lease.")         \
  METRIC(task_run_seconds, long_times, "queue",                                                    \
         "From the lease of the last attempt to the end of the task.")                             \
  METRIC(units, gauge, "step,state", "Units of the steps that this node hosts: open or done.")     \
  METRIC(units_made_total, counter, "", "Units that were made.")                                   \
  METRIC(units_finalized_total, counter, "", "Results of units.")                                  \
  METRIC(units_reopened_total, counter, "", "Results of units that were taken back.")              \
  METRIC(assignments_total, counter, "outcome",                                                    \
         "Leases of units: granted, and by their ends submitted, expired, released, declined, "    \
         "ejected and canceled.")                                                                  \
  METRIC(judgments_total, counter, "outcome",                                                      \
         "Judgments: in_time, late (after the lease and counted) or surplus (kept, not counted).") \
  METRIC(leases_expired_total, counter, "item", "Leases that ran out, of a task or of a unit.")    \
  METRIC(webhook_posts_total, counter, "outcome",                                                  \
         "Posts of events: delivered, again, not_now, refused, gone or barred.")                   \
  METRIC(webhook_events_total, counter, "", "Events that receivers have accepted.")                \
  METRIC(webhook_dead_letters_total, counter, "", "Events that became dead letters of webhooks.")  \
  METRIC(                                                                                          \
      webhook_deliveries, gauge, "state",                                                          \
      "Deliveries, one for each webhook and hosted shard: running, waiting, paused or stopped.")   \
  METRIC(push_requests_total, counter, "queue,outcome",                                            \
         "Posts of tasks: completed, accepted, again, failed, rate_limited or blocked, and late "  \
         "for each whose lease had ended.")                                                        \
  METRIC(push_seconds, long_times, "queue", "From the post of a task to its answer.")              \
  METRIC(push_under_way, gauge, "queue", "Tasks that are being posted.")                           \
  METRIC(push_blocked, gauge, "queue",                                                             \
         "1 while the receiver of a queue cannot be posted to until somebody acts, else 0.")       \
  METRIC(http_connections, gauge, "", "Open connections of HTTP.")                                 \
  METRIC(http_requests_total, counter, "route,status",                                             \
         "Requests by the name of their operation and the status of the answer. other: requests "  \
         "without an operation.")                                                                  \
  METRIC(http_request_seconds, short_times, "route",                                               \
         "From a complete request to its answer, waits of the client included.")                   \
  METRIC(http_refusals_total, counter, "reason", "Requests that the HTTP server itself refused.")  \
  METRIC(http_abandoned_total, counter, "", "Requests whose client went before the answer.")       \
  METRIC(link_connections, gauge, "", "Open connections of peers over TLS.")                       \
  METRIC(link_refusals_total, counter, "reason", "Peers that the TLS link refused or cut.")        \
  METRIC(link_bytes_total, counter, "direction", "Bytes over the TLS link: in or out.")            \
  METRIC(trace_spans_total, counter, "outcome",                                                    \
         "Spans of traces: sent to the collector, or dropped.")                                    \
  METRIC(series_folded_total, counter, "", "Values that were counted under the label other.")

enum class metric : std::uint8_t {
#define HOLDFAST_METRIC_ID(id, of_kind, labels, help) id,
  HOLDFAST_METRICS(HOLDFAST_METRIC_ID)
#undef HOLDFAST_METRIC_ID
};

struct description {
  std::string_view name;
  metrics::kind kind;
  std::string_view labels; ///< Separated by commas.
  std::string_view help;
};

inline constexpr std::array catalogue{
#define HOLDFAST_METRIC_ROW(id, of_kind, labels, help)                                             \
  description{"holdfast_" #id, kind::of_kind, labels, help},
    HOLDFAST_METRICS(HOLDFAST_METRIC_ROW)
#undef HOLDFAST_METRIC_ROW
};

constexpr const description& describe(metric one) {
  return catalogue[static_cast<std::size_t>(one)];
}

/// The word of Prometheus: counter, gauge or histogram.
std::string_view type_of(kind one);
/// The upper bounds of the buckets, without the last one that takes all; empty but for histograms.
const std::vector<double>& bounds_of(kind one);
/// The names of the labels, in their order.
std::vector<std::string> label_names(const description& of);
/// Whether users choose the values of the label, which may then be of any number.
bool is_open_label(std::string_view name);

/// The table of docs/METRICS.md.
std::string reference_table();

} // namespace holdfast::metrics
