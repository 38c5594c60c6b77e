#pragma once

#include "core/outcome.hpp"
#include "core/step_index.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace holdfast::core {

/// THE PORT to an index of open steps, in which contributors find work (docs/adr/0026). Each node
/// has one, with the steps that it hosts, and uses it from one thread at a time.
///
/// A call that fails says that what is in the directory is not to be relied on. A while later the
/// node calls `clear` and lists all that there is: so a directory that has lost something, or is to
/// be filled anew for another reason, fails once. Until then searches say that they are not
/// complete.
class step_directory {
public:
  virtual ~step_directory() = default;

  /// Forgets all. The first call of each life of the node.
  virtual failure clear() = 0;

  /// Takes the listing in place of what is known of the step. How it stands (`status`, by
  /// `revision`) and what defines it (all else, by `version`) are of different ages: of each, what
  /// is older than what is known counts for nothing.
  virtual failure put(step_listing listing) = 0;

  /// The step is over, or hosted elsewhere. It need not be known.
  virtual failure erase(const step_id& step) = 0;

  /// Of the steps that are open and for people those that the contributor may work in
  /// (`core::meets`), in order of rank, from the first behind `after` on; at most `limit`. Whoever
  /// is let into a step that it should not show is refused there.
  virtual outcome<std::vector<step_listing>> find(const contributor_profile& profile, double trust,
                                                  const std::optional<step_rank>& after,
                                                  std::size_t limit) = 0;
};

using step_directory_opener = std::function<std::unique_ptr<step_directory>()>;

/// A `step_index` in memory, which never fails.
std::unique_ptr<step_directory> open_memory_step_directory();

} // namespace holdfast::core
