#include "link/openssl.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

namespace holdfast::link {

openssl_ptr<X509> read_certificate(const std::string& path) {
  const openssl_ptr<BIO> file{BIO_new_file(path.c_str(), "rb")};
  if (!file)
    return nullptr;
  return openssl_ptr<X509>{PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr)};
}

std::string openssl_error() {
  const auto code = ERR_get_error();
  ERR_clear_error();
  if (code == 0)
    return "unknown error";
  if (const auto* reason = ERR_reason_error_string(code))
    return reason;
  return "error " + std::to_string(code);
}

} // namespace holdfast::link
