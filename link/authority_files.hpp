#pragma once

// For the files of this folder alone: how an authority is kept on disk.

#include "core/outcome.hpp"
#include "link/openssl.hpp"

#include <string>

namespace holdfast::link {

struct authority_paths {
  std::string directory;

  std::string certificate() const { return directory + "/ca.crt"; }
  std::string key() const { return directory + "/ca.key"; }
  std::string revoked() const { return directory + "/ca.crl"; }
};

struct authority_keys {
  openssl_ptr<X509> certificate;
  openssl_ptr<EVP_PKEY> key;
};

/// `not_found` when the directory holds none.
core::outcome<authority_keys> read_authority(const std::string& directory);
/// Null on an error, which is in OpenSSL's queue.
openssl_ptr<X509_CRL> read_list(const std::string& path);

/// Makes the directory, for its owner only, unless it is there.
core::outcome<bool> make_private_directory(const std::string& path);

// Each writes beside its place, makes that durable and then moves it there: a reader sees the old
// file or the new one. Without `replace` a file that is there is left alone: `already_exists`.
core::outcome<bool> write_key(const std::string& path, EVP_PKEY* key, bool replace);
core::outcome<bool> write_certificate(const std::string& path, X509* certificate, bool replace);
core::outcome<bool> write_list(const std::string& path, X509_CRL* list);

} // namespace holdfast::link
