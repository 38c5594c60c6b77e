#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace holdfast::link {

/// The actors that a peer has named as senders on one connection and that have not ended, by CAF's
/// numbers. CAF keeps an entry for each until it hears of its end or the connection closes.
class named_actors {
public:
  /// False when that would be more than `most`.
  bool add(std::uint64_t actor, std::size_t most) {
    const auto place = std::lower_bound(actors_.begin(), actors_.end(), actor);
    if (place != actors_.end() && *place == actor)
      return true;
    if (actors_.size() >= most)
      return false;
    actors_.insert(place, actor);
    return true;
  }

  void remove(std::uint64_t actor) {
    const auto place = std::lower_bound(actors_.begin(), actors_.end(), actor);
    if (place != actors_.end() && *place == actor)
      actors_.erase(place);
  }

  std::size_t size() const { return actors_.size(); }

private:
  std::vector<std::uint64_t> actors_; ///< Ascending: most are newer than all before.
};

} // namespace holdfast::link
