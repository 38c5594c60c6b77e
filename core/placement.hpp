#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// Which node hosts which shard. The database knows who does; these functions say who should.
namespace holdfast::core {

/// A node of the cluster, from its row in the database.
struct node_seen {
  incarnation_id incarnation;
  std::string name;
  std::string address; ///< Where other nodes reach it: `host:port`.
  instant expires_at;  ///< Of its lease.
};

struct shard_seen {
  shard_id shard = 0;
  incarnation_id host;      ///< Nil when nobody hosts it.
  epoch at = 0;             ///< The host's fencing number.
  std::uint64_t batches{0}; ///< Number of its last batch.
  event_seq events{0};      ///< Of its last event.
};

/// The cluster at one instant.
struct cluster_view {
  instant now;                    ///< The database's clock.
  std::vector<node_seen> nodes;   ///< Those whose lease runs, in the order in which they came.
  std::vector<shard_seen> shards; ///< Ascending by shard.
  std::uint64_t generation{1};    ///< Of the database's history (docs/adr/0076).
  /// The database is on another server, on another timeline, or restored under the same name: not
  /// where its generation began. Looked at once for each connection.
  bool moved{false};
  /// The server that answers: `<system identifier>/<timeline, hexadecimal>/<database>`; empty where
  /// it does not say.
  std::string server{};
  /// When the generation began, by the clock of the server on which it did; none for the first.
  std::optional<instant> generation_began{};
};

/// The node of `view` with this incarnation; null when it is not there.
const node_seen* find_node(const cluster_view& view, const incarnation_id& incarnation);

/// The nodes that shards are placed on: those that are not `dead`, and of each name the process
/// that was started last. In order of their names.
std::vector<const node_seen*> members(const cluster_view& view,
                                      const std::set<incarnation_id>& dead);

/// Whose life the database knew of, and when: a process that is not among them had ended by then,
/// or counts as ended. What it has begun since, after it came back, is not.
struct living_processes {
  std::set<incarnation_id> alive;
  instant seen_at; ///< By the database's clock.
};

/// Those that are `members`.
living_processes living(const cluster_view& view, const std::set<incarnation_id>& dead);

/// How well a node suits a shard: the highest one hosts it. Rendezvous hashing (Thaler and
/// Ravishankar 1998): when a node comes or goes, only shards that go to it or come from it move.
/// By name, so that a node that was started again gets its shards back.
std::uint64_t suitability(const std::string& node, shard_id shard);

/// Processes of whose end there is evidence although their leases still run. Evidence may be wrong
/// (an address that leads elsewhere, a firewall that refuses); a process that renews its lease
/// afterwards is alive, and nobody's word about its end is taken any more.
class believed_dead {
public:
  /// There is evidence; it counts from the next look on.
  void add(const incarnation_id& process);
  /// What the database says of them.
  void look(const cluster_view& view);

  const std::set<incarnation_id>& all() const { return dead_; }

private:
  std::set<incarnation_id> dead_;
  std::map<incarnation_id, instant> lease_then_; ///< At the first look after the evidence.
  std::set<incarnation_id> proven_alive_;
};

/// A node's own lease, as it has seen it. When the database was away for longer than leases last,
/// all of them have run out, and whoever comes back first would find itself alone and take
/// everything, only to hand most of it over again; nor does a lease count that ends where no lease
/// can, after the database's clock was set back. So a node whose lease had run out, or that sees
/// the clock go back, lets the others come back first: one heartbeat, within which each of them
/// renews its lease.
class own_lease {
public:
  /// `view` was seen by `me`, whose lease was renewed with it.
  void look(const cluster_view& view, const incarnation_id& me, duration heartbeat);
  /// Whether the others may still come back.
  bool waits_for_others(instant now) const { return now < others_until_; }

private:
  instant expires_at_{};
  instant others_until_{};
};

/// What a node is to do about its shards.
struct hosting_plan {
  std::vector<shard_id> take;      ///< Belong here, and nobody alive hosts them.
  std::vector<shard_id> hand_over; ///< Are hosted here and belong to another node.
  /// A later process has this node's name: this one is to end, or the two would take the shards
  /// from each other for ever.
  bool superseded = false;
};

/// How long node `me` may wait for its next look at the cluster after `view`: `heartbeat`, or less
/// when the lease of another node runs out sooner, so that what that one hosts is taken as soon as
/// it may be. Between the database's clock and ours it compares spans alone: counted from when
/// `view` has come in, which is later than `view.now`, the wait ends after the lease.
duration next_look(const cluster_view& view, const incarnation_id& me, duration heartbeat);

/// The plan of node `me`; `dead` are the processes whose end need not be waited for. With
/// `spares_lapsed` nothing is taken from others whose lease has run out.
hosting_plan plan_hosting(const cluster_view& view, const incarnation_id& me,
                          const std::set<incarnation_id>& dead, bool spares_lapsed = false);

/// Whether every shard has a host that is alive.
bool is_complete(const cluster_view& view, const std::set<incarnation_id>& dead);

} // namespace holdfast::core
