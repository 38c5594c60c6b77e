#pragma once

#include "client/connection.hpp"
#include "core/outcome.hpp"
#include "messages/operations.hpp"

#include <algorithm>
#include <cstdint>

namespace holdfast::app {

/// The end of a list that was read page by page.
struct pages_read {
  std::uint32_t items = 0;
  bool more = true; ///< There are others behind the last.
};

/// Asks for pages of at most `per_page` items until there are `most` in all, or no others. `show`
/// gets each page with the number of items before it, makes `request` go on behind the page, and
/// answers the number of items in it. Fails as the node does.
template <class Request, class Show>
core::outcome<pages_read> read_pages(const client::connection& cluster, Request& request,
                                     std::uint32_t most, std::uint32_t per_page, Show show) {
  pages_read read;
  while (read.more && read.items < most) {
    request.limit = std::min(most - read.items, per_page);
    const auto page = cluster.ask<msg::answer_to<Request>>(request);
    if (!page)
      return page.error();
    read.items += static_cast<std::uint32_t>(show(*page, read.items));
    read.more = page->more;
  }
  return read;
}

} // namespace holdfast::app
