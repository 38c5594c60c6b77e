#include "client/shard_routes.hpp"

#include <algorithm>

namespace holdfast::client {

void shard_routes::open(way_number way) {
  if (nodes_.empty())
    home_ = way;
  nodes_[way] = {}; // a new process may be at its end
  doubtful_ = true;
}

void shard_routes::close(way_number way) {
  nodes_.erase(way);
  doubtful_ = true;
  if (nodes_.empty()) // the database may come back from a backup, with lower epochs
    epochs_.assign(epochs_.size(), 0);
  if (way != home_ || nodes_.empty())
    return;
  const auto next = nodes_.upper_bound(way);
  home_ = (next == nodes_.end() ? nodes_.begin() : next)->first;
  unanswered_since_.reset();
}

void shard_routes::learn(way_number way, const msg::placement& said) {
  nodes_[way] = said.node;
  if (hosts_.size() != said.hosts.size()) {
    hosts_.assign(said.hosts.size(), {});
    epochs_.assign(said.hosts.size(), 0);
  }
  for (std::size_t shard = 0; shard < hosts_.size(); ++shard) {
    const auto epoch = shard < said.epochs.size() ? said.epochs[shard] : 0;
    if (epoch < epochs_[shard]) // another node knows of a later host
      continue;
    hosts_[shard] = said.hosts[shard];
    epochs_[shard] = epoch;
  }
  if (way == home_)
    unanswered_since_.reset();
}

core::incarnation_id shard_routes::host_of(core::shard_id shard) const {
  return shard < hosts_.size() ? hosts_[shard] : core::incarnation_id{};
}

core::incarnation_id shard_routes::node_at(way_number way) const {
  const auto found = nodes_.find(way);
  return found == nodes_.end() ? core::incarnation_id{} : found->second;
}

way_number shard_routes::best_way(core::shard_id shard) const {
  if (shard >= hosts_.size() || !hosts_[shard] || nodes_.at(home_) == hosts_[shard])
    return home_;
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const auto& one) { return one.second == hosts_[shard]; });
  return found == nodes_.end() ? home_ : found->first;
}

bool shard_routes::is_detour(core::shard_id shard) const {
  return shard < hosts_.size() && hosts_[shard]
         && std::none_of(nodes_.begin(), nodes_.end(),
                         [&](const auto& one) { return one.second == hosts_[shard]; });
}

way_number shard_routes::depart(core::shard_id shard, time_point now) {
  const auto best = best_way(shard);
  if (is_detour(shard))
    ++detours_;
  auto& with = lanes_[shard];
  const bool free = with.open == 0 || nodes_.count(with.way) == 0;
  if (!free && with.way != best && !with.wrong_since)
    with.wrong_since = now;
  if (free || with.way == best || now - *with.wrong_since >= patience) {
    with.way = best;
    with.wrong_since.reset();
  }
  ++with.open;
  return with.way;
}

void shard_routes::join(core::shard_id shard) {
  auto& with = lanes_[shard];
  with.way = home_;
  ++with.open;
}

void shard_routes::arrive(core::shard_id shard) {
  const auto found = lanes_.find(shard);
  if (found != lanes_.end() && --found->second.open == 0)
    lanes_.erase(found);
}

void shard_routes::turn(core::shard_id shard) {
  const auto found = lanes_.find(shard);
  if (found == lanes_.end())
    return;
  found->second.way = best_way(shard);
  found->second.wrong_since.reset();
}

void shard_routes::distrust(core::shard_id shard) {
  doubtful_ = true;
  if (shard < hosts_.size()) {
    hosts_[shard] = {};
    epochs_[shard] = 0; // whatever is said next is better than that
  }
  const auto found = lanes_.find(shard);
  if (found == lanes_.end())
    return;
  found->second.way = home_;
  found->second.wrong_since.reset();
}

std::vector<way_number> shard_routes::questions(time_point now) {
  const auto interval = doubtful_ ? ask_again_interval : ask_interval;
  if (nodes_.empty() || (asked_at_ && now - *asked_at_ < interval))
    return {};
  asked_at_ = now;
  doubtful_ = false;
  const bool silent = unanswered_since_ && now - *unanswered_since_ >= patience;
  if (!unanswered_since_)
    unanswered_since_ = now;
  std::vector<way_number> asked;
  for (const auto& [way, node] : nodes_)
    if (way == home_ || !node || silent) // the others have to say only who they are
      asked.push_back(way);
  return asked;
}

bool shard_routes::wants_ways(time_point now) {
  if (detours_ < detours_max || (wanted_at_ && now - *wanted_at_ < ask_interval))
    return false;
  wanted_at_ = now;
  detours_ = 0;
  return true;
}

} // namespace holdfast::client
