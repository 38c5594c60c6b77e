#pragma once

#include "core/outcome.hpp"
#include "core/time.hpp"

#include <atomic>
#include <cstddef>
#include <string>

namespace holdfast::connectors {

/// Whether a URL is of https, or of http to this machine by its number.
bool is_safe_source(const std::string& url);

/// A document that is fetched by GET, without redirects and proxies.
struct document_request {
  std::string url;
  std::string user_agent;
  std::size_t bytes_max = 0;
  core::duration timeout{};
};

/// Blocks until the document is there: for a thread that has nothing else to do. `unavailable` when
/// it does not come, is larger, or `stopped` becomes true, which is noticed within a second.
core::outcome<std::string> fetch_document(const document_request& wanted,
                                          const std::atomic<bool>& stopped);

} // namespace holdfast::connectors
