#pragma once

#include "http/fields.hpp"
#include "messages/guard_messages.hpp"
#include "messages/placement_messages.hpp"
#include "messages/search_messages.hpp"
#include "messages/workflow_messages.hpp"

/// JSON of what a node says of itself and of the cluster.
namespace holdfast::http {

// --- the node ---

template <class Fields>
void describe(Fields& f, msg::get_node_status& x) {
  f.hidden(x.version);
}

template <class Fields>
void describe(Fields& f, msg::node_status& x) {
  f.required("name", x.name, "The name of the node.");
  f.required("incarnation_id", x.incarnation, "The id of this start of the node's process.");
  f.required("version", x.version, "The version of the program.");
  f.required("started_at", x.started_at, "The time at which the process started.");
  f.required("now", x.now, "The time of the cluster.");
  f.required("shards_hosted", x.shards_hosted, "The number of shards that the node hosts.");
  f.required("shards_total", x.shards_total, "The number of shards of the cluster.");
  f.required("commits", x.commits, "The number of commits since the start.");
  f.required("changes", x.changes, "The number of changes in these commits.");
  f.required("queued", x.queued, "The number of changes that wait for a commit now.");
  f.required("refused", x.refused, "The number of changes that the database refused.");
  f.required("overloaded", x.overloaded,
             "The number of requests that were turned away because too much waited.");
  f.required("live_units", x.live_units, "The number of units in memory.");
  f.required("sessions", x.sessions, "The number of contributors with a session here.");
  f.required("draining", x.draining,
             "Whether the node is about to stop and hands its shards over.");
}

// --- the TLS link ---

template <class Fields>
void describe(Fields& f, msg::get_link_status& x) {
  f.hidden(x.version);
}

template <class Fields>
void describe(Fields& f, msg::link_refusal& x) {
  f.required("reason", x.reason, "The reason, such as `name_not_allowed`.");
  f.required("connections", x.connections, "The number of connections refused or cut for it.");
}

template <class Fields>
void describe(Fields& f, msg::link_status& x) {
  f.required("secured", x.secured, "Whether the link uses TLS; without TLS all counts are 0.");
  f.required("accepted", x.accepted, "The number of connections since the start.");
  f.required("established", x.established,
             "The number of these connections whose peer has proved its identity.");
  f.required("open", x.open, "The number of established connections that are open now.");
  f.required("frames", x.frames, "The number of frames passed in both directions.");
  f.required("bytes_in", x.bytes_in, "The number of bytes received.");
  f.required("bytes_out", x.bytes_out, "The number of bytes sent.");
  f.required("reloads", x.reloads,
             "The number of times that certificates and revocations were read again.");
  f.required("refusals", x.refusals, "The reasons for which peers were refused or cut.");
}

// --- audits ---

template <class Fields>
void describe(Fields& f, msg::get_audit_status& x) {
  f.hidden(x.version);
}

template <class Fields>
void describe(Fields& f, msg::audit_finding& x) {
  f.required("invariant", x.invariant, "The name of the invariant, such as `I-1`.");
  f.required("violations", x.violations,
             "The number of rows that broke it, counted by each audit anew.");
}

template <class Fields>
void describe(Fields& f, msg::audit_status& x) {
  f.required("done", x.done, "The number of finished audits since the node started.");
  f.required("failed", x.failed, "The number of audits that failed, such as by a timeout.");
  f.optional("last_at", x.last_at, "The end of the last finished audit.");
  f.required("findings", x.findings, "The invariants that audits found broken.");
}

template <class Fields>
void describe(Fields& f, msg::verify_cluster& x) {
  f.hidden(x.version);
}

template <class Fields>
void describe(Fields& f, msg::broken_check& x) {
  f.required("invariant", x.invariant, "The name of the invariant, such as `I-1`.");
  f.required("check", x.check, "The check that found it, as `holdfast verify` names it.");
  f.required("rows", x.rows, "The number of rows that break it.");
  f.required("sample", x.sample, "One of the rows.");
}

template <class Fields>
void describe(Fields& f, msg::cluster_verified& x) {
  f.required("at", x.at, "The end of the audit.");
  f.required("broken", x.broken, "The checks that failed; empty when all invariants hold.");
}

// --- guards ---

template <class Fields>
void describe(Fields& f, msg::get_guard_status& x) {
  f.hidden(x.version);
}

template <class Fields>
void describe(Fields& f, msg::guard_status& x) {
  f.required("fenced", x.fenced,
             "Whether the node decides nothing now, because its lease may have run out.");
  f.optional("fenced_since", x.fenced_since, "The time since when the node is fenced.");
  f.optional("why", x.why, "The reason for which the node was fenced the last time.");
  f.required("fences", x.fences, "The number of times that the node was fenced.");
  f.required("in_doubt", x.in_doubt,
             "The number of commits whose outcome was unknown when the connection broke.");
  f.required("found_committed", x.found_committed,
             "The number of these commits that were found written.");
  f.required("found_not_committed", x.found_not_committed,
             "The number of these commits that were found not written.");
  f.required("never_found", x.never_found,
             "The number of these commits that another node's takeover left unknown.");
  f.required("stale_writes", x.stale_writes,
             "The number of changes that the database refused, because another node had taken the "
             "shard over.");
  f.required("peers_slowed", x.peers_slowed,
             "The number of pauses in reading from peers that sent too much.");
}

// --- the cluster ---

template <class Fields>
void describe(Fields& f, msg::get_placement& x) {
  f.hidden(x.version);
}

template <class Fields>
void describe(Fields& f, msg::list_nodes& x) {
  f.optional("limit", bounded{x.limit, 1, 1000}, "The most starts of the answer, 100 by default.");
}

template <class Fields>
void describe(Fields& f, msg::node_start& x) {
  f.required("incarnation_id", x.incarnation, "The id of this start, as the shards name it.");
  f.required("name", x.name, "The name of the node.");
  f.required("address", x.address, "The address at which other nodes reach it.");
  f.required("started_at", x.started_at, "The time at which the process started.");
  f.required("expires_at", x.expires_at, "The end of the node's lease.");
  f.optional("left_at", x.left_at, "The time of its planned stop; left out when there was none.");
  f.required("alive", x.alive, "Whether its lease runs and it has not left.");
  f.required("shards", x.shards, "The number of shards of which it is the last host.");
}

template <class Fields>
void describe(Fields& f, msg::node_list& x) {
  f.required("nodes", x.nodes, "The starts, the latest first.");
  f.required("more", x.more, "Whether earlier ones are left out.");
}

template <class Fields>
void describe(Fields& f, msg::placement& x) {
  f.required("incarnation_id", x.node, "The incarnation of the node that answers.");
  f.required("hosts", x.hosts,
             "The incarnation of the node that hosts each shard, in order of shards; `null` where "
             "none is known. A hint: every node takes every request.");
  f.required("epochs", x.epochs,
             "The number of the takeover of each shard, in order of shards; it grows with each.");
}

template <class Fields>
void describe(Fields& f, msg::rebuild_step_index& x) {
  f.hidden(x.version);
}

template <class Fields>
void describe(Fields& f, msg::step_index_rebuilt& x) {
  f.required("nodes", x.nodes, "The number of nodes that have listed all their steps.");
  f.required("steps", x.steps, "The number of open and paused steps that they have listed.");
  f.required("complete", x.complete,
             "False while a node is not reached, or has not listed its steps yet.");
}

} // namespace holdfast::http
