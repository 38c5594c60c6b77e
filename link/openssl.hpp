#pragma once

// For the files of this folder alone: owners of what OpenSSL makes, and its errors in words.

#include "core/outcome.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace holdfast::link {

struct openssl_deleter {
  void operator()(BIO* object) const { BIO_free_all(object); }
  void operator()(X509* object) const { X509_free(object); }
  void operator()(X509_CRL* object) const { X509_CRL_free(object); }
  void operator()(X509_NAME* object) const { X509_NAME_free(object); }
  void operator()(X509_REVOKED* object) const { X509_REVOKED_free(object); }
  void operator()(X509_EXTENSION* object) const { X509_EXTENSION_free(object); }
  void operator()(EVP_PKEY* object) const { EVP_PKEY_free(object); }
  void operator()(ASN1_STRING* object) const { ASN1_STRING_free(object); } // also numbers, times
  void operator()(BIGNUM* object) const { BN_free(object); }
};

template <class Object>
using openssl_ptr = std::unique_ptr<Object, openssl_deleter>;

/// The first certificate of a PEM file; null when there is none, with the reason in OpenSSL's
/// queue.
openssl_ptr<X509> read_certificate(const std::string& path);

/// A private key of a PEM file that is fit for a secret; `invalid_argument` with the path and what
/// is wrong.
core::outcome<openssl_ptr<EVP_PKEY>> read_key(const std::string& path);

/// The oldest error of this thread in words; empties its queue.
std::string openssl_error();

} // namespace holdfast::link
