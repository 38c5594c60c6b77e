#include "connectors/trusted_authorities.hpp"

#include <curl/curl.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace holdfast::connectors {

namespace {

struct close_file {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
struct free_certificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
};

std::size_t certificates_in(const std::string& path) {
  const std::unique_ptr<std::FILE, close_file> file{std::fopen(path.c_str(), "re")};
  if (!file)
    return 0;
  std::size_t count = 0;
  while (const std::unique_ptr<X509, free_certificate> certificate{
      PEM_read_X509(file.get(), nullptr, nullptr, nullptr)})
    ++count;
  ERR_clear_error(); // the end of the file is an error to OpenSSL
  return count;
}

/// OpenSSL finds an authority in a directory by a file name of eight hexadecimal digits, a dot and
/// a number.
bool is_hashed_name(const std::string& name) {
  if (name.size() < 10 || name[8] != '.')
    return false;
  for (std::size_t i = 0; i < name.size(); ++i)
    if (i != 8
        && (i < 8 ? !std::isxdigit(static_cast<unsigned char>(name[i]))
                  : !std::isdigit(static_cast<unsigned char>(name[i]))))
      return false;
  return true;
}

std::size_t hashed_certificates_in(const std::string& directory) {
  std::size_t count = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator file{directory, error}, end; !error && file != end;
       file.increment(error))
    count += is_hashed_name(file->path().filename().string()) ? 1 : 0;
  return count;
}

} // namespace

core::outcome<trusted_authorities> read_authorities(const std::string& ca_file) {
  if (!ca_file.empty()) {
    const auto count = certificates_in(ca_file);
    if (count == 0)
      return core::failure{core::errc::invalid_argument,
                           "webhooks.ca_file: no certificate can be read from " + ca_file
                               + "; it must be a PEM file with the authorities of the receivers"};
    return trusted_authorities{ca_file, count};
  }
  const auto* libcurl = curl_version_info(CURLVERSION_NOW);
  trusted_authorities found;
  if (libcurl->cainfo != nullptr)
    found = {libcurl->cainfo, certificates_in(libcurl->cainfo)};
  if (found.count == 0 && libcurl->capath != nullptr)
    if (const auto count = hashed_certificates_in(libcurl->capath); count > 0)
      return trusted_authorities{libcurl->capath, count};
  return found;
}

} // namespace holdfast::connectors
