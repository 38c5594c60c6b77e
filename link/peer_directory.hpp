#pragma once

#include "core/access.hpp"
#include "link/frame_validator.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace holdfast::link {

/// The identities behind the processes that are connected, by the ids of their greetings. Written
/// by the TLS listener, which lets no two certificates' holders be one process; read by the
/// gateway. Safe to use from several threads.
class peer_directory {
public:
  using key = std::array<char, node_key::size>;

  void put(const key& process, core::principal who) {
    auto kept = std::make_shared<const core::principal>(std::move(who));
    const std::lock_guard lock{mutex_};
    known_[process] = std::move(kept);
  }
  void remove(const key& process) {
    const std::lock_guard lock{mutex_};
    known_.erase(process);
  }
  /// Null for a process that is not connected.
  std::shared_ptr<const core::principal> find(const key& process) const {
    const std::lock_guard lock{mutex_};
    const auto found = known_.find(process);
    return found == known_.end() ? nullptr : found->second;
  }

private:
  mutable std::mutex mutex_;
  std::map<key, std::shared_ptr<const core::principal>> known_;
};

} // namespace holdfast::link
