#pragma once

#include "core/outcome.hpp"

#include <cstddef>
#include <string>

namespace holdfast::connectors {

/// The certificate authorities that vouch for HTTPS receivers of webhooks.
struct trusted_authorities {
  std::string source; ///< The file or directory that libcurl reads them from; empty: none is known.
  std::size_t count = 0; ///< Certificates in it; of a directory: files that OpenSSL finds by hash.
};

/// Counts the authorities in `ca_file` (PEM), or in what this machine's libcurl reads when the path
/// is empty: the bundle of the package ca-certificates on Debian. Fails when `ca_file` is named and
/// holds no certificate that can be read, because every HTTPS delivery would fail.
core::outcome<trusted_authorities> read_authorities(const std::string& ca_file);

} // namespace holdfast::connectors
