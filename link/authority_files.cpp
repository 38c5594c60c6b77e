#include "link/authority_files.hpp"

#include "files/private_file.hpp"

#include <openssl/pem.h>

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace holdfast::link {

namespace {

constexpr mode_t for_owner = S_IRUSR | S_IWUSR;
constexpr mode_t for_all = for_owner | S_IRGRP | S_IROTH;

core::outcome<bool> write_file(const std::string& path, BIO* content, mode_t mode, bool replace) {
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(content, &bytes);
  return files::write_whole(path, {bytes, static_cast<std::size_t>(size)}, mode,
                            replace ? files::existing::replace : files::existing::keep);
}

openssl_ptr<BIO> memory() { return openssl_ptr<BIO>{BIO_new(BIO_s_mem())}; }

core::failure not_encoded() { return {core::errc::unavailable, "OpenSSL: " + openssl_error()}; }

} // namespace

core::outcome<authority_keys> read_authority(const std::string& directory) {
  const authority_paths paths{directory};
  authority_keys read;
  read.certificate = read_certificate(paths.certificate());
  struct stat found {};
  if (!read.certificate || ::lstat(paths.key().c_str(), &found) != 0)
    return core::failure{core::errc::not_found, directory
                                                    + " holds no authority (ca.crt and ca.key): "
                                                      "make one with `certs init`"};
  auto key = read_key(paths.key());
  if (!key)
    return key.error();
  read.key = std::move(*key);
  return read;
}

openssl_ptr<X509_CRL> read_list(const std::string& path) {
  const openssl_ptr<BIO> file{BIO_new_file(path.c_str(), "rb")};
  if (!file)
    return nullptr;
  return openssl_ptr<X509_CRL>{PEM_read_bio_X509_CRL(file.get(), nullptr, nullptr, nullptr)};
}

core::outcome<bool> make_private_directory(const std::string& path) {
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    return core::failure{core::errc::invalid_argument, path + ": " + std::strerror(errno)};
  return files::check_directory(path);
}

core::outcome<bool> write_key(const std::string& path, EVP_PKEY* key, bool replace) {
  const auto text = memory();
  if (!text
      || PEM_write_bio_PrivateKey(text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return not_encoded();
  return write_file(path, text.get(), for_owner, replace);
}

core::outcome<bool> write_certificate(const std::string& path, X509* certificate, bool replace) {
  const auto text = memory();
  if (!text || PEM_write_bio_X509(text.get(), certificate) != 1)
    return not_encoded();
  return write_file(path, text.get(), for_all, replace);
}

core::outcome<bool> write_list(const std::string& path, X509_CRL* list) {
  const auto text = memory();
  if (!text || PEM_write_bio_X509_CRL(text.get(), list) != 1)
    return not_encoded();
  return write_file(path, text.get(), for_all, true);
}

} // namespace holdfast::link
