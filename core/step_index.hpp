#pragma once

#include "core/step_listing.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

/// Which steps are there for a contributor: found without a look at the steps that are not.
namespace holdfast::core {

/// Where a list of steps goes on: behind the one of that rank.
struct step_rank {
  std::int32_t priority = 0;
  step_id step;

  /// Those of higher priority come first, among equals the oldest.
  friend bool operator<(const step_rank& a, const step_rank& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.step < b.step;
  }
};

/// An inverted index: each step is filed under the terms of that one of its requirements which
/// shares its terms with the fewest steps, or under none when it requires no term. Whoever has none
/// of these terms cannot have what the step asks; so a search merges, in order of rank, the lists
/// of the terms that the contributor has, looks at what else each step asks, and ends as soon as it
/// has found enough.
class step_index {
public:
  /// Takes the listing in place of what is known of the step. How it stands and what defines it are
  /// of different ages: of each, what is older than what is known counts for nothing. Only steps
  /// that are open are found; also those where tasks should do all the work, since any of them may
  /// leave it to people, and which do is known to the units alone.
  void put(step_listing listing);
  void erase(const step_id& step);

  /// The steps that the contributor may work in, in order of rank, from the first behind `after`
  /// on; at most `limit`.
  std::vector<step_listing> find(const contributor_profile& profile, double trust,
                                 const std::optional<step_rank>& after, std::size_t limit) const;

  const step_listing* find(const step_id& step) const;
  std::size_t size() const { return entries_.size(); }
  /// Of all steps that are listed, in no order.
  std::vector<step_id> steps() const;

private:
  using filed_steps = std::set<step_rank>;

  struct entry {
    step_listing listing;
    std::vector<std::string> under; ///< The terms that it is filed under; empty: it is not.
  };

  /// How many steps are filed under these terms, together.
  std::size_t filed_under(const std::vector<std::string>& terms) const;
  /// Files what is not filed, if it is to be found.
  void file(entry& kept);
  void unfile(entry& kept);

  std::unordered_map<step_id, entry> entries_; ///< Also those that are not filed.
  /// By `skill:ner` and so on; `*` for those that require no term.
  std::unordered_map<std::string, filed_steps> by_term_;
};

} // namespace holdfast::core
