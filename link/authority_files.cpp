#include "link/authority_files.hpp"

#include <openssl/pem.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace holdfast::link {

namespace {

constexpr mode_t for_owner = S_IRUSR | S_IWUSR;
constexpr mode_t for_all = for_owner | S_IRGRP | S_IROTH;

core::failure from_system(const std::string& path) {
  return {errno == EEXIST ? core::errc::already_exists : core::errc::invalid_argument,
          path + ": " + std::strerror(errno)};
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(file, text.data(), text.size());
    if (written < 0)
      return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file) == 0;
}

core::outcome<bool> write_file(const std::string& path, BIO* content, mode_t mode, bool replace) {
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(content, &bytes);
  const auto draft = path + ".new";
  ::unlink(draft.c_str()); // of a run that was cut short
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0)
    return from_system(draft);
  const bool written =
      ::fchmod(file, mode) == 0 && write_all(file, {bytes, static_cast<std::size_t>(size)});
  ::close(file);
  // A hard link is what fails where a rename would replace.
  const bool placed = written
                      && (replace ? ::rename(draft.c_str(), path.c_str()) == 0
                                  : ::link(draft.c_str(), path.c_str()) == 0);
  const auto failed = from_system(path);
  if (!replace || !placed)
    ::unlink(draft.c_str());
  if (!placed)
    return failed;
  return true;
}

openssl_ptr<BIO> memory() { return openssl_ptr<BIO>{BIO_new(BIO_s_mem())}; }

core::failure not_encoded() { return {core::errc::unavailable, "OpenSSL: " + openssl_error()}; }

} // namespace

core::outcome<authority_keys> read_authority(const std::string& directory) {
  const authority_paths paths{directory};
  authority_keys read;
  read.certificate = read_certificate(paths.certificate());
  const openssl_ptr<BIO> file{BIO_new_file(paths.key().c_str(), "rb")};
  if (file)
    read.key.reset(PEM_read_bio_PrivateKey(file.get(), nullptr, nullptr, nullptr));
  if (!read.certificate || !read.key)
    return core::failure{core::errc::not_found, directory
                                                    + " holds no authority (ca.crt and ca.key): "
                                                      "make one with `certs init`"};
  return read;
}

openssl_ptr<X509_CRL> read_list(const std::string& path) {
  const openssl_ptr<BIO> file{BIO_new_file(path.c_str(), "rb")};
  if (!file)
    return nullptr;
  return openssl_ptr<X509_CRL>{PEM_read_bio_X509_CRL(file.get(), nullptr, nullptr, nullptr)};
}

core::outcome<bool> make_private_directory(const std::string& path) {
  if (::mkdir(path.c_str(), S_IRWXU) == 0 || errno == EEXIST)
    return true;
  return from_system(path);
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
