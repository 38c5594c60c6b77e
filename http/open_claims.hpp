#pragma once

#include "core/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace holdfast::http {

/// The claims of tasks that calls of a door are about. A client whose connection broke sends its
/// claim again under the same id, often before the door has noticed the end of the first call. Both
/// calls are answered with the same tasks then, and the tasks are for the last call: the first must
/// not give them back. For any thread.
class open_claims {
public:
  /// The part of one call in its claim, until it is destroyed.
  class turn {
  public:
    turn(std::shared_ptr<open_claims> all, core::assignment_id claim);
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn();

    /// Whether no call under this claim has come after this one.
    bool is_last() const;

  private:
    const std::shared_ptr<open_claims> all_;
    const core::assignment_id claim_;
    std::uint64_t number_ = 0;
  };

private:
  struct entry {
    std::size_t turns = 0;
    std::uint64_t last = 0; ///< The number of the last turn.
  };

  std::mutex mutex_;
  std::uint64_t numbers_ = 0;
  std::unordered_map<core::assignment_id, entry> claims_;
};

} // namespace holdfast::http
