#pragma once

#include "core/outcome.hpp"
#include "persistence/store.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

/// Searches of tasks that cost as little as their pages allow.
namespace holdfast::actors {

/// As `list_tasks`, but looks at few tasks first, and at more only where those do not fill the
/// page: a page of what is frequent costs a millisecond, and one of what is rare no more looks than
/// the filter has.
inline core::outcome<persistence::listed_tasks> look_through(persistence::store& db,
                                                             persistence::task_filter filter) {
  constexpr std::uint32_t first_looks = 500;
  constexpr std::uint32_t growth = 8;
  const auto wanted = filter.limit;
  auto left = filter.looks;
  persistence::listed_tasks all;
  for (auto looks = std::max(first_looks, 2 * wanted);; looks *= growth) {
    filter.looks = std::min(looks, left);
    filter.limit = wanted - static_cast<std::uint32_t>(all.tasks.size());
    auto page = db.list_tasks(filter);
    if (!page)
      return page.error();
    std::move(page->tasks.begin(), page->tasks.end(), std::back_inserter(all.tasks));
    all.last = page->last;
    all.more = page->more;
    left -= filter.looks;
    if (!all.more || all.tasks.size() == wanted || left == 0)
      return all;
    filter.after = all.last;
  }
}

} // namespace holdfast::actors
