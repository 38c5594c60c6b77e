#pragma once

#include "config/jwt_settings.hpp"
#include "core/time.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::config {

/// A value that is never printed. Its option `x` brings a second one, `x_file`: the path of a file
/// to read it from.
struct secret {
  std::string value; ///< As it was when the options were read; `current` has it as it is now.
  std::string file;  ///< The file that it comes from; empty when it was given itself.

  explicit operator bool() const { return !value.empty(); }
};

enum class log_level { trace, debug, info, warn, error };
enum class log_format { text, json };
/// Whether core dumps and debuggers of the same user get at what the process has in memory.
enum class memory_access { closed, open };
/// The readers of the metrics of a node.
enum class metrics_access { token, loopback };
/// How clients of HTTP reach a node.
enum class http_exposure { loopback, behind_proxy };

/// The words of an enumeration, in the order in which the reference lists them.
const std::vector<std::pair<std::string, log_level>>& words(log_level);
const std::vector<std::pair<std::string, log_format>>& words(log_format);
const std::vector<std::pair<std::string, memory_access>>& words(memory_access);
const std::vector<std::pair<std::string, http_exposure>>& words(http_exposure);
const std::vector<std::pair<std::string, metrics_access>>& words(metrics_access);

/// Every setting of a node. A new object holds the defaults, which stand in `describe` and nowhere
/// else. Numbers without a unit count things; sizes carry the unit in their name.
struct settings {
  settings();

  struct {
    std::string name;
    std::string data_dir;
    std::string listen_address;
    std::string advertised_address;
    std::uint32_t port;
    std::uint32_t scheduler_threads;
    std::uint32_t shards;
    core::duration drain_timeout;
    core::duration heartbeat_interval;
    core::duration lease_time;
    memory_access memory;
  } node{};

  struct {
    secret url;
    secret password;
    std::uint32_t private_shared_buffers_mb;
  } database{};

  struct {
    log_level level;
    log_format format;
  } log{};

  struct {
    core::duration dial_interval;
    core::duration forward_patience;
  } cluster{};

  struct {
    core::duration extension_delay;
    std::uint32_t claims_waiting_max;
    std::uint32_t claim_connections_max;
    std::uint32_t actions_running_max;
    std::uint32_t actions_kept;
    std::uint32_t action_chunk;
    core::duration intake_interval;
  } task{};

  struct {
    std::string directory;
    std::uint32_t inline_bytes;
    std::uint32_t lanes;
    std::uint32_t under_way_mb;
    core::duration sweep_after;
    core::duration sweep_interval;
  } objects{};

  struct {
    core::duration interval;
  } sweep{};

  struct {
    core::duration interval;
    core::duration time_max;
    core::duration retention;
  } audit{};

  struct {
    std::string secrets;
    std::string allowed_networks;
    std::string ca_file;
    core::duration connect_timeout;
    core::duration look_interval;
  } webhooks{};

  struct {
    std::uint32_t requests_max;
  } push{};

  struct {
    core::duration session_grace;
    std::uint32_t leases_max;
    std::uint32_t sessions_max;
    std::uint32_t sessions_per_client;
  } owner{};

  struct {
    core::duration idle_timeout;
    std::uint32_t live_max;
    std::uint32_t prefetch;
  } unit{};

  struct {
    std::uint32_t lanes;
  } reader{};

  struct {
    std::uint32_t batch_max;
    std::uint32_t high_water;
    core::duration rejoin_max;
    std::uint32_t lanes;
    core::duration retry_min;
    core::duration retry_max;
  } writer{};

  struct {
    std::uint32_t batch_max;
    core::duration redeliver_after;
    std::uint32_t high_water;
    core::duration retention;
    core::duration prune_interval;
    std::uint32_t reads_max;
    std::string source;
  } events{};

  struct {
    std::uint32_t payload_bytes;
    std::uint32_t json_depth;
    std::uint32_t batch_rows;
  } limits{};

  struct {
    std::uint32_t restarts_max;
    core::duration within;
  } supervision{};

  struct {
    core::duration heartbeat;
    core::duration connection_timeout;
    std::uint32_t waiting_mb;
    std::uint32_t waiting_per_peer_mb;
    std::uint32_t unread_mb;
  } peers{};

  struct {
    std::string certificate;
    std::string key;
    std::string ca;
    std::string crl;
    std::string peers;
    std::string roles_without_one;
    std::string local_users;
    core::duration handshake_deadline;
    core::duration dial_deadline;
    core::duration stall_deadline;
    std::uint32_t connections_max;
    std::uint32_t connections_per_address_max;
    std::uint32_t handshakes_max;
    std::uint32_t accepts_per_second;
    std::uint32_t messages_per_second;
    std::uint32_t bytes_per_second;
    std::uint32_t payloads_mb;
    std::uint32_t payloads_per_peer_mb;
    core::duration room_deadline;
    std::uint32_t actors_max;
  } link{};

  struct {
    std::uint32_t port;
    std::string listen_address;
    http_exposure exposure;
    std::uint32_t connections_max;
    std::uint32_t connections_per_address_max;
    std::uint32_t body_mb;
    std::uint32_t bodies_mb;
    core::duration header_deadline;
    core::duration body_deadline;
    core::duration write_deadline;
    core::duration idle_deadline;
    std::string media_origins;
  } http{};

  struct {
    metrics_access access;
  } metrics{};

  jwt_settings jwt{};

  struct {
    std::string endpoint;
    secret headers;
    std::string ca_file;
    std::uint32_t sample_percent;
    std::uint32_t queue_max;
    std::uint32_t batch_max;
    core::duration flush_interval;
    core::duration timeout;
  } traces{};
};

/// The default of a text option. One that depends on the machine is a function, and the reference
/// prints its description, so that the generated documents are the same everywhere.
struct text_default {
  text_default(const char* fixed) : text(fixed) {}
  text_default(std::string (*function)(), const char* in_words)
      : compute(function), text(in_words) {}

  std::string value() const { return compute != nullptr ? compute() : text; }

  std::string (*compute)() = nullptr;
  std::string text;
};

/// Name of this machine, cut to what `node.name` takes.
std::string host_name();

/// Calls `option` once for each option, in the order of the reference. A visitor takes five forms:
///
///   (key, text member,     default, shortest, longest, doc)    lengths in bytes
///   (key, number member,   default, least, greatest, doc)
///   (key, duration member, default, least, greatest, doc)
///   (key, enumeration,     default, doc)
///   (key, secret,          doc)
///
/// `Settings` is `settings` or `const settings`.
template <class Visitor, class Settings>
void describe(Visitor&& option, Settings& s) {
  using namespace std::chrono_literals;

  option("node.name", s.node.name, text_default{host_name, "the name of the host"}, 1, 128,
         "What the node is called in logs and in the `nodes` table, and by what shards are placed. "
         "Each node of a cluster needs its own: a process that starts under the name of a node "
         "that runs ends with exit code 5. Without one, a node with a `database.url` adds six "
         "letters to the name of the host, which it keeps in `node.data_dir`.");
  option("node.data_dir", s.node.data_dir, "./holdfast-data", 1, 1024,
         "Directory of what the node keeps itself: the private PostgreSQL cluster and its socket. "
         "Unused "
         "while `database.url` names a server.");
  option("node.listen_address", s.node.listen_address, "127.0.0.1", 1, 64,
         "IP address on which peers are accepted. Anything but a loopback address needs TLS: "
         "`link.certificate`, `link.key`, `link.ca` and `link.peers`.");
  option(
      "node.advertised_address", s.node.advertised_address, "", 0, 255,
      "Host name or IP address at which the other nodes of the cluster reach this one; with TLS, "
      "one that its certificate is for. Empty: `node.listen_address`.");
  option("node.port", s.node.port, 4747, 0, 65535,
         "TCP port for peers. 0 takes any free port and writes it to the log.");
  option("node.scheduler_threads", s.node.scheduler_threads, 0, 0, 1024,
         "Threads that run actors. 0 is one for every two cores, at least one: the database, links "
         "and workers want the rest.");
  option(
      "node.shards", s.node.shards, 16, 1, 1024,
      "Parts into which the work is divided; the most nodes that can share it. Fixed at the first "
      "start "
      "on a database, because rows are placed by it: a node started with another number refuses.");
  option("node.drain_timeout", s.node.drain_timeout, 20s, 0s, 10min,
         "How long a stop waits for requests under way and for the writer's last batch. Below the "
         "30 s "
         "after which process managers commonly kill.");
  option("node.heartbeat_interval", s.node.heartbeat_interval, 1500ms, 50ms, 1min,
         "Time between two renewals of the node's lease on its shards. Less than half of "
         "`node.lease_time`, "
         "so that one lost renewal never costs the lease.");
  option(
      "node.lease_time", s.node.lease_time, 5s, 200ms, 5min,
      "How long a silent node keeps its shards. The bound on takeover from a frozen or partitioned "
      "node; shorter is mistaken more often under load.");

  option(
      "node.memory", s.node.memory, memory_access::closed,
      "`closed`: the node leaves no core dumps, and no other process of its user reads its memory, "
      "which holds keys and passwords. `open`: core dumps and debuggers work as for any program.");

  option("cluster.dial_interval", s.cluster.dial_interval, 500ms, 10ms, 1min,
         "Pause between two attempts to reach another node of the cluster.");
  option("cluster.forward_patience", s.cluster.forward_patience, 3s, 0s, 1min,
         "How long a request waits inside the node while its shard moves to another host, before "
         "it is answered `unavailable`. Below the time after which clients try again.");

  option("database.url", s.database.url,
         "PostgreSQL connection URL, such as `postgresql://holdfast@db/holdfast`. Without one the "
         "node "
         "starts a private cluster in `node.data_dir`.");
  option(
      "database.password", s.database.password,
      "Password for `database.url`, so that the URL itself need not be secret. A file with it is "
      "read for each new connection, so a password may be changed while the node runs.");
  option("database.private_shared_buffers_mb", s.database.private_shared_buffers_mb, 128, 16, 65536,
         "`shared_buffers` of the private cluster, in MiB.");

  option("log.level", s.log.level, log_level::info, "The least severe entries that are written.");
  option("log.format", s.log.format, log_format::text,
         "`text` for people, `json` for one object on each line.");

  option("task.extension_delay", s.task.extension_delay, 1s, 0s, 10s,
         "How long extensions of tasks' leases gather before they are committed together. Leases "
         "live on meanwhile; only the answer waits. 0 commits each at once.");

  option(
      "task.claims_waiting_max", s.task.claims_waiting_max, 100000, 1, 10000000,
      "Claims that wait at a queue at most, each about 1 KB of memory; above it further ones that "
      "would have to wait are refused with `overloaded`.");
  option(
      "task.claim_connections_max", s.task.claim_connections_max, 100000, 1, 10000000,
      "Connections at most with which leases of a queue end (`tied`), each about 1 KB of memory; "
      "above it such claims of further ones are refused with `overloaded`. A connection counts "
      "from its first such claim until it closes.");

  option("task.actions_running_max", s.task.actions_running_max, 4, 1, 100,
         "Bulk actions of a queue that run at the same time, at most; above it further ones are "
         "refused with `overloaded`. They take turns, a chunk of tasks each.");
  option("task.actions_kept", s.task.actions_kept, 1000, 1, 100000,
         "Bulk actions of a queue that have ended and are still shown. When another one begins, "
         "the oldest above this number are forgotten.");
  option("task.action_chunk", s.task.action_chunk, 100, 1, 1000,
         "Tasks that a bulk action changes in one commit, at most. The queue decides about a chunk "
         "without a pause, some microseconds for each task; claims wait for that long.");

  option(
      "task.intake_interval", s.task.intake_interval, 100ms, 10ms, 1min,
      "Pause between two looks for tasks that producers have staged by SQL: how long such a task "
      "waits at most until its queue hears of it.");

  option("objects.directory", s.objects.directory, "", 0, 1024,
         "Directory of the object store, which holds documents that are larger than "
         "`objects.inline_bytes`: those of tasks, inputs of units, and judgments. All "
         "nodes of a database must share it. Empty: `objects` in `node.data_dir` for the "
         "private cluster; with a `database.url`, no object store, and every document is "
         "in its row.");
  option("objects.inline_bytes", s.objects.inline_bytes, 64 * 1024, 256, 64 * 1024 * 1024,
         "A task's document, a unit's input or a judgment with more bytes than this goes "
         "to the object store, and its row and the memory have a reference of 120 bytes. "
         "Each such document costs two writes to disk that wait, so it is for large "
         "ones.");
  option("objects.lanes", s.objects.lanes, 2, 1, 64,
         "Documents that are written to or read from the object store side by side.");
  option("objects.under_way_mb", s.objects.under_way_mb, 64, 1, 65536,
         "Documents that wait to be stored, all together, in MiB; above it requests with large "
         "documents are refused with `overloaded`.");
  option("objects.sweep_after", s.objects.sweep_after, 24h, 1h, 365 * 24h,
         "How long an object stays that no row refers to. Longer than any outage of the database "
         "that a node is to sit out: what it could not commit yet refers to objects, too.");
  option("objects.sweep_interval", s.objects.sweep_interval, 6h, 1min, 7 * 24h,
         "Pause between two sweeps of the object store, each of which reads all tasks, "
         "and what refers to it among units and judgments.");

  option("sweep.interval", s.sweep.interval, 15s, 1s, 1h,
         "Pause between two looks for leases that should be over, of tasks and of units. A "
         "backstop: timers end them at the instant they are due, so a find is logged as a warning. "
         "Whatever a lost timer leaves undone is done within two such pauses.");

  option("audit.interval", s.audit.interval, 1h, 0s, 30 * 24h,
         "Pause between two audits: one node of the cluster runs the checks of `holdfast verify`, "
         "but for those of objects, and logs `invariant_violated` for what it finds. 0: never.");
  option("audit.time_max", s.audit.time_max, 1min, 1s, 1h,
         "How long an audit may take. It keeps one connection of the database busy, and one "
         "snapshot open. One that takes longer is given up and logged as `audit_failed`; such a "
         "database is to be checked by `holdfast verify`, when little is going on.");
  option("audit.retention", s.audit.retention, 365 * 24h, 1s, 10 * 365 * 24h,
         "How long entries of the audit log stay in the database: who has had which administrative "
         "change made.");

  option("owner.session_grace", s.owner.session_grace, 30s, 0s, 1h,
         "How long a contributor's leases survive the loss of the connection. Long enough for a "
         "client to "
         "restart; afterwards its units go to others.");
  option("owner.leases_max", s.owner.leases_max, 16, 1, 10000,
         "Leases that one contributor may hold at once over all steps.");

  option("owner.sessions_max", s.owner.sessions_max, 200000, 1, 10000000,
         "Contributors with a session on this node at most, each about 2.5 KB of memory; above it "
         "requests of others are refused with `overloaded`.");
  option("owner.sessions_per_client", s.owner.sessions_per_client, 50000, 1, 10000000,
         "Contributors at most for whom one client, a program or what it runs for one connection, "
         "has sessions on this node; above it requests for others are refused with "
         "`limit_reached`.");

  option("unit.idle_timeout", s.unit.idle_timeout, 1min, 1s, 24h,
         "Time without a message after which a unit's actor is passivated. Its state is in the "
         "database.");
  option(
      "unit.live_max", s.unit.live_max, 50000, 100, 5000000,
      "Unit actors alive on this node; above it the idlest are passivated at once. Bounds memory.");
  option("unit.prefetch", s.unit.prefetch, 64, 1, 10000,
         "Ready units that a step loads ahead of requests, so that an assignment need not read the "
         "database.");

  option(
      "reader.lanes", s.reader.lanes, 3, 1, 64,
      "Database connections that read side by side for actors, and as many for lists and reports. "
      "A database that is far away answers each question that much later.");

  option(
      "writer.batch_max", s.writer.batch_max, 500, 1, 10000,
      "Decisions in one transaction at most. Larger batches commit more per second and make each "
      "caller wait longer.");
  option("writer.high_water", s.writer.high_water, 20000, 1, 1000000,
         "Decisions waiting for the writer at which new requests are refused with `overloaded`.");
  option(
      "writer.rejoin_max", s.writer.rejoin_max, 1ms, 0ms, 100ms,
      "How long a commit waits at most for the next requests of those whom the last one has "
      "answered, so that they share it. It is never longer than half of what a commit takes, and "
      "given up where they do not come. 0: no waiting.");
  option("writer.lanes", s.writer.lanes, 2, 1, 8,
         "Database connections that commit side by side, so that one works while another waits for "
         "the disk. A shard always uses the same one, which keeps its order.");
  option("writer.retry_min", s.writer.retry_min, 50ms, 1ms, 1min,
         "First pause before the writer reconnects; it doubles with every failure, with jitter.");
  option("writer.retry_max", s.writer.retry_max, 2s, 1ms, 5min,
         "Longest pause before the writer reconnects.");

  option("events.batch_max", s.events.batch_max, 1000, 1, 100000,
         "Events that a relay reads from the outbox at once.");
  option("events.redeliver_after", s.events.redeliver_after, 10s, 100ms, 1h,
         "Time without an acknowledgement after which an event is delivered again. Longer than the "
         "slowest consumer, or events arrive twice for nothing (the inbox drops the second).");
  option(
      "events.high_water", s.events.high_water, 100000, 1, 10000000,
      "Events on their way to consumers at which a relay stops reading. They wait in the outbox.");
  option("events.retention", s.events.retention, 7 * 24h, 1min, 10 * 365 * 24h,
         "How long events stay in the database after all consumers are done with them. `holdfast "
         "verify` can prove of judgments and results of that time that each has its one event.");
  option(
      "events.prune_interval", s.events.prune_interval, 1min, 1s, 24h,
      "Shortest pause between two rounds of pruning events; there is none while nothing happens.");
  option(
      "events.reads_max", s.events.reads_max, 1000, 1, 100000,
      "Reads of events by subscribers outside that a node lets wait, one for each subscriber and "
      "shard. Further ones are answered `overloaded`.");
  option("events.source", s.events.source, "urn:holdfast:cluster", 1, 1024,
         "The `source` of events in the envelope of CloudEvents: a URI reference that names this "
         "cluster among those whose events a receiver gets. Every node needs the same.");

  option("webhooks.secrets", s.webhooks.secrets, "", 0, 1024,
         "Directory with a file for each secret that webhooks are signed with, by its name: one "
         "line, or two while receivers change from one to the other, of `whsec_` and base64. Every "
         "node needs the same. Empty: `secrets` in `node.data_dir`.");
  option("webhooks.allowed_networks", s.webhooks.allowed_networks, "", 0, 4096,
         "Networks besides the internet where receivers of webhooks may be, separated by commas, "
         "such as `10.1.0.0/16,fd00::/8`. Whoever may make webhooks can have the node post there.");
  option("webhooks.ca_file", s.webhooks.ca_file, "", 0, 1024,
         "PEM file with the authorities that vouch for receivers of webhooks, instead of those of "
         "the system.");
  option("webhooks.connect_timeout", s.webhooks.connect_timeout, 5s, 100ms, 1min,
         "How long a connection to a receiver of webhooks may take, as part of the time that the "
         "webhook allows for the whole.");
  option("webhooks.look_interval", s.webhooks.look_interval, 1s, 10ms, 1min,
         "Pause between two looks at what webhooks there are: how long it takes at most until a "
         "change of one counts on all nodes.");

  option("push.requests_max", s.push.requests_max, 1000, 1, 9000,
         "Tasks that a node has under way to receivers at once, of all queues whose policy has "
         "`push`. Further ones wait in their queues.");

  option("limits.payload_bytes", s.limits.payload_bytes, 256 * 1024, 1024, 64 * 1024 * 1024,
         "Largest JSON document that is accepted, in bytes: unit data, judgments, schemas.");
  option("limits.json_depth", s.limits.json_depth, 64, 4, 512,
         "Deepest nesting of a JSON document. Deeper ones are refused unread, because parsers "
         "recurse.");
  option("limits.batch_rows", s.limits.batch_rows, 10000, 1, 1000000,
         "Rows of source data in one request at most.");

  option("supervision.restarts_max", s.supervision.restarts_max, 5, 0, 1000,
         "Restarts of one actor within `supervision.within` before its supervisor gives up and "
         "escalates.");
  option("supervision.within", s.supervision.within, 1min, 1s, 24h,
         "The sliding window in which `supervision.restarts_max` counts.");

  option("peers.heartbeat", s.peers.heartbeat, 1s, 100ms, 1min,
         "Time between two signs of life on an idle connection between peers.");
  option("peers.connection_timeout", s.peers.connection_timeout, 4s, 200ms, 10min,
         "Silence after which a peer's connection is closed. Several heartbeats, because a single "
         "late one "
         "means nothing.");
  option("peers.waiting_mb", s.peers.waiting_mb, 256, 32, 65536,
         "Requests of peers with certificates that wait for their answers, over all connections, "
         "in MiB; each counts its bytes and half a KiB, for 30 seconds at most. Above it a peer is "
         "not read, and loses its connection after `link.room_deadline`. Other nodes are not "
         "bounded.");
  option("peers.waiting_per_peer_mb", s.peers.waiting_per_peer_mb, 64, 32, 65536,
         "The part of `peers.waiting_mb` that one peer, known by the first name of its "
         "certificate, may have over all of its connections.");
  option("peers.unread_mb", s.peers.unread_mb, 64, 32, 65536,
         "Answers that wait until a peer or another node reads them, for each connection, in MiB, "
         "besides the part that is being written, which is no larger. Above it the connection "
         "is closed. The least is two of the largest messages.");

  option("link.certificate", s.link.certificate, "", 0, 1024,
         "PEM file with the certificate that this process shows to others. With it all connections "
         "of peers are under TLS 1.3, also those on loopback; without it they are plain, and only "
         "loopback addresses are possible. `holdfast certs` makes a first set of certificates.");
  option("link.key", s.link.key, "", 0, 1024,
         "PEM file with the key of `link.certificate`. It must not be readable by every user.");
  option("link.ca", s.link.ca, "", 0, 1024,
         "PEM file with the certificate of the private authority that has issued the certificates "
         "of all nodes and peers.");
  option("link.crl", s.link.crl, "", 0, 1024,
         "PEM file with the revocation list of `link.ca`. Without it nothing is ever revoked. A "
         "list that has run out refuses everybody.");
  option("link.peers", s.link.peers, "", 0, 65536,
         "Names of the certificates that are let in, separated by commas: of nodes, of peers, or "
         "roles that several certificates have. The node's own certificate always is.");
  option(
      "link.roles_without_one", s.link.roles_without_one, "none", 4, 128,
      "What peers may do whose certificate names no role, as those that were issued before there "
      "were roles: `none`, or roles separated by commas (`admin`, `operator`, `requester`, "
      "`producer`, `worker`, `contributor`, `auditor`). `admin` is what such a certificate could "
      "do before. `holdfast certs peer --access` makes certificates with roles.");
  option("link.local_users", s.link.local_users, "", 0, 4096,
         "Users of this machine, by name or number and separated by commas, whose processes may "
         "connect to a node without certificates, besides the node's own user and root; `*` is "
         "everybody. Who may connect may do everything.");
  option("link.handshake_deadline", s.link.handshake_deadline, 3s, 100ms, 1min,
         "How long a new connection may take to prove who it is, and then to say its first words.");
  option("link.dial_deadline", s.link.dial_deadline, 5s, 100ms, 1min,
         "How long a connection to another node may take until it is proven.");
  option(
      "link.stall_deadline", s.link.stall_deadline, 10s, 500ms, 10min,
      "How long a peer, or a node that this process has dialed, may take to read what is sent to "
      "it before it loses its connection. Meanwhile what waits for it is kept in memory.");
  option("link.connections_max", s.link.connections_max, 1000, 1, 100000,
         "Connections from outside at most; each takes two of the process's file descriptors.");
  option("link.connections_per_address_max", s.link.connections_per_address_max, 200, 1, 100000,
         "Connections from one IP address at most.");
  option("link.handshakes_max", s.link.handshakes_max, 64, 1, 10000,
         "Connections that are proving who they are at most; those beyond are closed at once. From "
         "one IP address a quarter of them, so that no single one can keep the others out.");
  option("link.accepts_per_second", s.link.accepts_per_second, 100, 1, 100000,
         "Connections that are taken in a second, which bounds what handshakes cost. Those beyond "
         "wait.");
  option("link.messages_per_second", s.link.messages_per_second, 200000, 1000, 10000000,
         "Messages that a peer, known by the first name of its certificate, may send in a second "
         "over all of its connections. What is beyond is read later: the peer waits, and loses "
         "nothing. Far above what a node deals with, so that only who floods it meets it.");
  option("link.bytes_per_second", s.link.bytes_per_second, 268435456, 1048576, 4000000000U,
         "Bytes that such a peer may send in a second, likewise.");
  option("link.payloads_mb", s.link.payloads_mb, 256, 16, 65536,
         "Room for large requests (more than 64 KiB) that are being received, over all connections "
         "with certificates, in MiB: CAF takes memory for a payload as soon as the payload is "
         "announced. A peer whose request finds no room is not read until there is some.");
  option("link.payloads_per_peer_mb", s.link.payloads_per_peer_mb, 64, 16, 65536,
         "The part of `link.payloads_mb` that one peer, known by the first name of its "
         "certificate, may have over all of its connections.");
  option("link.room_deadline", s.link.room_deadline, 3s, 100ms, 1min,
         "How long a peer may wait for room before it loses its connection. Shorter than "
         "`peers.connection_timeout`, after which CAF closes a connection that is not read.");
  option("link.actors_max", s.link.actors_max, 1024, 16, 1000000,
         "Actors that a peer may name as senders on one connection and that have not ended; one "
         "more costs the connection. Each takes about 500 bytes of the node's memory. A client "
         "names a few.");

  option("http.port", s.http.port, 0, 0, 65535,
         "TCP port for clients of the HTTP API. 0: the node does not listen for HTTP. The token of "
         "the first administrator is in the file `admin.token` of `node.data_dir`.");
  option("http.listen_address", s.http.listen_address, "127.0.0.1", 1, 64,
         "IP address on which HTTP is accepted. Anything but a loopback address needs "
         "`http.exposure` `behind_proxy`.");
  option(
      "http.exposure", s.http.exposure, http_exposure::loopback,
      "`loopback`: only this machine reaches the port, because HTTP is not encrypted. "
      "`behind_proxy`: a reverse proxy with TLS is in front of the node, and the network between "
      "the two is private.");
  option("http.connections_max", s.http.connections_max, 10000, 1, 1000000,
         "HTTP connections at most. A connection beyond is answered 503 and closed.");
  option("http.connections_per_address_max", s.http.connections_per_address_max, 10000, 1, 1000000,
         "HTTP connections from one IP address at most. A proxy is one address.");
  option("http.body_mb", s.http.body_mb, 16, 1, 1024,
         "Size of the body of one HTTP request at most, in MiB. A larger body is answered 413.");
  option("http.bodies_mb", s.http.bodies_mb, 256, 16, 65536,
         "Bodies of HTTP requests that are being received or answered, over all connections, in "
         "MiB. A request beyond is answered 503.");
  option("http.header_deadline", s.http.header_deadline, 10s, 100ms, 5min,
         "How long the header of an HTTP request may take to arrive.");
  option("http.body_deadline", s.http.body_deadline, 1min, 100ms, 1h,
         "How long the body of an HTTP request may take to arrive.");
  option("http.write_deadline", s.http.write_deadline, 30s, 100ms, 1h,
         "How long a client may take to read an answer before it loses its connection.");
  option("http.idle_deadline", s.http.idle_deadline, 75s, 100ms, 1h,
         "How long an HTTP connection is kept open between two requests.");
  option("http.media_origins", s.http.media_origins, "", 0, 2048,
         "Origins besides the node from which its pages may load the images, audio and video of "
         "units, such as `https://media.example.org`, with blanks between. `https:` stands for "
         "each origin of https.");

  describe_jwt(option, s.jwt);

  option("metrics.access", s.metrics.access, metrics_access::token,
         "The readers of `/metrics` on the HTTP port. `token`: callers with the token of an "
         "administrator, an operator or an auditor. `loopback`: every process of this machine as "
         "well, without a token. Behind a proxy every caller seems to be on this machine.");

  option("traces.endpoint", s.traces.endpoint, "", 0, 2048,
         "URL at which a collector takes traces by OTLP over HTTP, such as "
         "`http://127.0.0.1:4318/v1/traces`. Empty: nothing is traced.");
  option(
      "traces.headers", s.traces.headers,
      "Headers for the collector, such as a token: `name=value`, with commas between several. A "
      "file with them is read for every request, so a token may be changed while the node runs.");
  option("traces.ca_file", s.traces.ca_file, "", 0, 1024,
         "PEM file with the authorities that vouch for the collector, instead of those of the "
         "system.");
  option("traces.sample_percent", s.traces.sample_percent, 100, 0, 100,
         "Share of the requests that are traced, of those without the header `traceparent`, and of "
         "the posts of webhooks. The flag in that header decides about the others.");
  option("traces.queue_max", s.traces.queue_max, 8192, 16, 1000000,
         "Spans that wait for the collector, about 1 KiB each. Further ones are dropped, which "
         "`holdfast_trace_spans_total` counts.");
  option("traces.batch_max", s.traces.batch_max, 512, 1, 10000,
         "Spans in one request to the collector at most.");
  option("traces.flush_interval", s.traces.flush_interval, 2s, 10ms, 1min,
         "How long a span waits at most for others that share its request.");
  option("traces.timeout", s.traces.timeout, 10s, 100ms, 1min,
         "How long the collector may take to answer a request.");
}

/// A rule over several options that does not hold, or one that needs more than bounds to say.
struct conflict {
  std::vector<std::string> keys;
  std::string rule; ///< The rest of a sentence that begins with the keys and their values.
};

/// Every rule between options that `s` breaks.
std::vector<conflict> conflicts(const settings& s);

} // namespace holdfast::config
