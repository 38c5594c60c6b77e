#include "core/placement.hpp"

#include <algorithm>
#include <chrono>
#include <map>

namespace holdfast::core {

namespace {

/// From the end of a lease to the look that finds it over. Leases end to the microsecond; timers
/// are coarser, and a look that comes too early is for nothing.
constexpr duration look_margin = std::chrono::milliseconds{5};

/// The one of `nodes`, which are in order of their names, that a shard belongs to.
incarnation_id host_for(shard_id shard, const std::vector<const node_seen*>& nodes) {
  const auto best = std::max_element(nodes.begin(), nodes.end(), [=](const auto* a, const auto* b) {
    return suitability(a->name, shard) < suitability(b->name, shard);
  });
  return (*best)->incarnation;
}

bool contains(const std::vector<const node_seen*>& nodes, const incarnation_id& incarnation) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const auto* node) { return node->incarnation == incarnation; });
}

} // namespace

const node_seen* find_node(const cluster_view& view, const incarnation_id& incarnation) {
  const auto found = std::find_if(view.nodes.begin(), view.nodes.end(), [&](const node_seen& node) {
    return node.incarnation == incarnation;
  });
  return found == view.nodes.end() ? nullptr : &*found;
}

std::vector<const node_seen*> members(const cluster_view& view,
                                      const std::set<incarnation_id>& dead) {
  std::map<std::string, const node_seen*> latest;
  for (const auto& node : view.nodes)
    if (dead.count(node.incarnation) == 0)
      latest[node.name] = &node; // in the order in which they came
  std::vector<const node_seen*> chosen;
  for (const auto& [name, node] : latest)
    chosen.push_back(node);
  return chosen;
}

living_processes living(const cluster_view& view, const std::set<incarnation_id>& dead) {
  living_processes known{{}, view.now};
  for (const auto* node : members(view, dead))
    known.alive.insert(node->incarnation);
  return known;
}

std::uint64_t suitability(const std::string& node, shard_id shard) {
  // The finalizer of SplitMix64 (Steele, Lea and Flood 2014): names and shards differ in few bits.
  auto hash = fnv1a(node) + (std::uint64_t{shard} + 1) * 0x9e3779b97f4a7c15ULL;
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9ULL;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111ebULL;
  return hash ^ hash >> 31;
}

void believed_dead::add(const incarnation_id& process) {
  if (proven_alive_.count(process) == 0)
    dead_.insert(process);
}

void believed_dead::look(const cluster_view& view) {
  for (auto it = dead_.begin(); it != dead_.end();) {
    const auto* seen = find_node(view, *it);
    if (seen == nullptr) { // its lease is over as well
      lease_then_.erase(*it);
      it = dead_.erase(it);
      continue;
    }
    const auto [then, is_first] = lease_then_.emplace(*it, seen->expires_at);
    if (!is_first && seen->expires_at > then->second) {
      proven_alive_.insert(*it);
      lease_then_.erase(then);
      it = dead_.erase(it);
    } else {
      ++it;
    }
  }
}

void own_lease::look(const cluster_view& view, const incarnation_id& me, duration heartbeat) {
  const auto* own = find_node(view, me);
  if (own == nullptr)
    return;
  const auto lease = own->expires_at - view.now;
  const bool over = view.now >= expires_at_ || expires_at_ > view.now + 2 * lease;
  if (expires_at_ != instant{} && over)
    others_until_ = view.now + heartbeat;
  expires_at_ = own->expires_at;
}

duration next_look(const cluster_view& view, const incarnation_id& me, duration heartbeat) {
  auto wait = heartbeat;
  for (const auto& node : view.nodes)
    if (node.incarnation != me)
      wait = std::min(wait, std::max(node.expires_at - view.now, duration::zero()) + look_margin);
  return wait;
}

hosting_plan plan_hosting(const cluster_view& view, const incarnation_id& me,
                          const std::set<incarnation_id>& dead, bool spares_lapsed) {
  hosting_plan plan;
  const auto* own = find_node(view, me);
  if (own == nullptr)
    return plan; // our own lease has run out: first that must be mended
  auto nodes = members(view, dead);
  if (!contains(nodes, me)) {
    plan.superseded = true;
    return plan;
  }
  const auto is_spared = [&](const incarnation_id& host) {
    return spares_lapsed && host && find_node(view, host) == nullptr && dead.count(host) == 0;
  };
  for (const auto& shard : view.shards) {
    const bool belongs_here = host_for(shard.shard, nodes) == me;
    const bool is_here = shard.host == me;
    if (is_here && !belongs_here)
      plan.hand_over.push_back(shard.shard);
    else if (!is_here && belongs_here && !contains(nodes, shard.host) && !is_spared(shard.host))
      plan.take.push_back(shard.shard);
  }
  return plan;
}

bool is_complete(const cluster_view& view, const std::set<incarnation_id>& dead) {
  const auto nodes = members(view, dead);
  return std::all_of(view.shards.begin(), view.shards.end(),
                     [&](const shard_seen& shard) { return contains(nodes, shard.host); });
}

} // namespace holdfast::core
