#pragma once

#include <caf/actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <unordered_map>

namespace holdfast::actors {

/// The children of a router: actors found by key, which end with it.
template <class Key>
class children {
public:
  children() = default;
  children(const children&) = delete;
  children& operator=(const children&) = delete;
  ~children() {
    for (const auto& [key, child] : by_key_)
      caf::anon_send_exit(child, caf::exit_reason::user_shutdown);
  }

  /// The child of `key`, or a null handle.
  caf::actor find(const Key& key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? caf::actor{} : found->second;
  }
  void put(const Key& key, const caf::actor& child) {
    by_key_[key] = child;
    keys_[child.address()] = key;
  }
  /// Forgets the child that has ended; null if it is not one of these, or was replaced.
  const Key* ended(const caf::actor_addr& child) {
    const auto known = keys_.find(child);
    if (known == keys_.end())
      return nullptr;
    last_ended_ = known->second;
    keys_.erase(known);
    const auto current = by_key_.find(last_ended_);
    if (current != by_key_.end() && current->second.address() == child)
      by_key_.erase(current);
    return &last_ended_;
  }
  /// Lets go of a child without ending it.
  void release(const Key& key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end())
      return;
    keys_.erase(found->second.address());
    by_key_.erase(found);
  }
  template <class Function>
  void for_each(Function f) const {
    for (const auto& [key, child] : by_key_)
      f(key, child);
  }
  std::size_t size() const { return by_key_.size(); }

private:
  std::unordered_map<Key, caf::actor> by_key_;
  std::unordered_map<caf::actor_addr, Key> keys_;
  Key last_ended_{};
};

} // namespace holdfast::actors
