#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace holdfast::link {

/// The processes that may send messages to a published actor.
enum class audience : std::uint8_t {
  anybody, ///< Peers and nodes.
  nodes,   ///< Nodes alone.
};

/// The actors of a process that take messages from other processes, by CAF's numbers. All others
/// are reached by the answers to their own requests and by nothing else, whoever guesses or hears
/// their numbers. Safe to use from several threads.
///
/// An actor that has ended stays known for a while: what was under way to it is no offence, and CAF
/// never uses a number again.
class published_actors {
public:
  /// Ended actors that are remembered.
  static constexpr std::size_t former_max = 4096;

  /// The actors of this process: what its links and its frame guard go by.
  static published_actors& of_process();

  void publish(std::uint64_t actor, audience who);
  void withdraw(std::uint64_t actor);

  /// Withdraws the actor when the last copy is gone.
  std::shared_ptr<void> published(std::uint64_t actor, audience who);

  /// The audience of the actor; empty when the actor is not published.
  std::optional<audience> who_reaches(std::uint64_t actor) const;
  bool is_reached(std::uint64_t actor, bool by_node) const {
    const auto who = who_reaches(actor);
    return who && (by_node || *who == audience::anybody);
  }

  /// Whether an actor for peers has ever been published: whether this process is a node.
  bool has_gateway() const;

private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, audience> actors_; ///< Also those that have ended.
  std::deque<std::uint64_t> former_;
  bool has_gateway_ = false;
};

} // namespace holdfast::link
