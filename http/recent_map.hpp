#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace holdfast::http {

/// The entries of a large table that were used last, in bounded memory. For any thread.
template <class Key, class Value>
class recent_map {
public:
  /// Remembers at least half of `entries_max` entries, those that were used last.
  explicit recent_map(std::size_t entries_max)
      : generation_max_(std::max<std::size_t>(entries_max / 2, 1)) {}

  void remember(const Key& key, const Value& value) {
    const std::lock_guard lock{mutex_};
    enter(key, value);
  }

  std::optional<Value> find(const Key& key) {
    const std::lock_guard lock{mutex_};
    if (const auto found = young_.find(key); found != young_.end())
      return found->second;
    const auto found = old_.find(key);
    if (found == old_.end())
      return std::nullopt;
    auto value = found->second; // `enter` may forget the old generation.
    enter(key, value);
    return value;
  }

private:
  using generation = std::unordered_map<Key, Value>;

  void enter(const Key& key, const Value& value) {
    if (young_.size() >= generation_max_ && young_.count(key) == 0)
      old_ = std::exchange(young_, {});
    young_.insert_or_assign(key, value);
  }

  const std::size_t generation_max_;
  std::mutex mutex_;
  generation young_;
  generation old_; ///< Forgotten as a whole, when the young generation is full.
};

} // namespace holdfast::http
