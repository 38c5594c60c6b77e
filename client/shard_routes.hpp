#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"
#include "messages/placement_messages.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace holdfast::client {

/// The way to one node: the position of its endpoint among those that were given.
using way_number = std::size_t;

/// By which of the ways that are open a request goes. What a node said of the placement is a hint:
/// any node takes any request, so the wrong way costs a step between two nodes and nothing else.
/// One of the open ways is HOME, and takes all for which there is no hint.
///
/// Requests for one shard go the same way as those before them that have no answer yet, so that
/// they arrive in their order, for up to `patience`: then they follow the hint all the same, or a
/// caller with always one request open would never do so.
class shard_routes {
public:
  using time_point = std::chrono::steady_clock::time_point;

  static constexpr core::duration patience = std::chrono::seconds{1};
  /// Between two questions after the placement, while there are requests.
  static constexpr core::duration ask_interval = std::chrono::seconds{2};
  /// The same while there is a sign that shards have moved.
  static constexpr core::duration ask_again_interval = std::chrono::milliseconds{100};
  /// Requests that are passed on before the other ways are worth to be opened: a program that asks
  /// a few times and ends does without.
  static constexpr std::uint32_t detours_max = 8;

  void open(way_number way);
  /// Nothing goes that way any more. Home is then another one that is open, if there is any.
  void close(way_number way);

  bool any_open() const { return !nodes_.empty(); }
  way_number home() const { return home_; } ///< While any is open.

  /// The node at the end of `way`, which is open, has said so. Of a shard that another host took
  /// over since, it changes nothing, unless no way was open in between.
  void learn(way_number way, const msg::placement& said);
  /// Who hosts the shard; nil while no node has said so.
  core::incarnation_id host_of(core::shard_id shard) const;
  /// The node at the end of `way`; nil while it has not said so.
  core::incarnation_id node_at(way_number way) const;
  /// How many shards there are; 0 while no node has said so.
  std::uint32_t shards() const { return static_cast<std::uint32_t>(hosts_.size()); }

  /// The way of a request for `shard`, which is then under way until it `arrive`s.
  way_number depart(core::shard_id shard, time_point now);
  /// The same of one that has gone home already.
  void join(core::shard_id shard);
  /// It was answered, or is not waited for any more.
  void arrive(core::shard_id shard);
  /// Requests for `shard` that are under way will be sent again: the next ones need not keep
  /// theirs.
  void turn(core::shard_id shard);
  /// The way that a request for `shard` went has not led to an answer: home until told anew.
  void distrust(core::shard_id shard);

  /// The ways whose nodes are to be asked for the placement now; asks for each question once. All
  /// of them while home is silent: it may be one that has stopped.
  std::vector<way_number> questions(time_point now);
  /// Shards may have moved.
  void doubt() { doubtful_ = true; }

  /// Whether it is time to open the other ways: requests, and not only a few, went to nodes that
  /// pass them on. Says so once in an `ask_interval`.
  bool wants_ways(time_point now);

private:
  struct lane {
    way_number way = 0;
    std::uint32_t open = 0;                ///< Requests under way.
    std::optional<time_point> wrong_since; ///< Since when the hint names another way.
  };

  way_number best_way(core::shard_id shard) const;
  bool is_detour(core::shard_id shard) const;

  std::map<way_number, core::incarnation_id> nodes_; ///< Of the open ways; nil: not said yet.
  way_number home_ = 0;
  std::vector<core::incarnation_id> hosts_; ///< By shard.
  std::vector<core::epoch> epochs_;         ///< Of these, by shard; 0 where none was said.
  std::map<core::shard_id, lane> lanes_;    ///< Those with requests under way.
  std::uint32_t detours_ = 0;               ///< Requests whose host is known and not reached.
  std::optional<time_point> wanted_at_;
  bool doubtful_ = false;
  std::optional<time_point> asked_at_;
  std::optional<time_point> unanswered_since_; ///< Home was asked, and has not said anything since.
};

} // namespace holdfast::client
