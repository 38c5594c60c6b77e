#pragma once

#include "connectors/address_guard.hpp"
#include "connectors/webhook_sender.hpp"
#include "core/outcome.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace holdfast::connectors {

struct http_sender_options {
  /// A file for each secret, by its name; read for every post, so that a new one counts at once.
  std::filesystem::path secrets;
  address_guard guard;
  std::string ca_file; ///< PEM, for receivers with a private authority; empty: the system's.
  std::string user_agent = "Holdfast";
  core::duration connect_timeout = std::chrono::seconds{5};
};

/// Posts over HTTP and HTTPS, from one thread of its own.
///
/// What a receiver can do to the node is bounded: connections go only to addresses that the guard
/// permits, looked at when they are made, whatever the name resolved to before. Redirects are not
/// followed, the proxy of the environment is not used, certificates are verified, and of an answer
/// at most 64 KiB of header and 64 KiB of body are read, or as much of the body as the post wants.
/// The rest of a larger body is cut off: the status has been said by then.
std::unique_ptr<webhook_sender> open_http_sender(http_sender_options options);

} // namespace holdfast::connectors
