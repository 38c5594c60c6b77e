#include "link/openssl.hpp"

#include "files/private_file.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

namespace holdfast::link {

openssl_ptr<X509> read_certificate(const std::string& path) {
  const openssl_ptr<BIO> file{BIO_new_file(path.c_str(), "rb")};
  if (!file)
    return nullptr;
  return openssl_ptr<X509>{PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr)};
}

core::outcome<openssl_ptr<EVP_PKEY>> read_key(const std::string& path) {
  constexpr std::size_t key_bytes_max = 64 * 1024;
  const auto text = files::read_secret(path, key_bytes_max);
  if (!text)
    return text.error();
  const openssl_ptr<BIO> memory{BIO_new_mem_buf(text->data(), static_cast<int>(text->size()))};
  openssl_ptr<EVP_PKEY> key;
  if (memory)
    key.reset(PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr));
  if (!key)
    return core::failure{core::errc::invalid_argument, path + ": " + openssl_error()};
  return key;
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
