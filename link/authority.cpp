#include "link/authority.hpp"

#include "link/authority_files.hpp"
#include "link/openssl.hpp"

#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>

namespace holdfast::link {

namespace {

namespace fs = std::filesystem;

/// The clocks of a cluster differ; a new certificate must be good on all of them at once.
constexpr auto clock_tolerance = std::chrono::hours{1};

constexpr std::size_t name_length_max = 63;       // of a label, and of a common name
constexpr std::size_t bound_name_bytes_max = 128; // as the gateway has it

std::time_t seconds(core::instant at) {
  return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
}

core::instant after_days(core::instant now, std::uint32_t days) {
  return now + std::chrono::hours{24} * days;
}

core::failure internal() { return {core::errc::unavailable, "OpenSSL: " + openssl_error()}; }

bool is_name(const std::string& text) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  return !text.empty() && text.size() <= name_length_max
         && std::all_of(text.begin(), text.end(), good) && text.front() != '-'
         && text.front() != '.' && text.back() != '-' && text.back() != '.';
}

bool is_address(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> ignored{};
  return ::inet_pton(AF_INET, text.c_str(), ignored.data()) == 1
         || ::inet_pton(AF_INET6, text.c_str(), ignored.data()) == 1;
}

/// 128 random bits, so that two authorities' or two runs' numbers never meet.
bool set_random_serial(X509* certificate) {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), bytes.size()) != 1)
    return false;
  bytes[0] &= 0x7f; // a negative number otherwise
  const openssl_ptr<BIGNUM> number{BN_bin2bn(bytes.data(), bytes.size(), nullptr)};
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const openssl_ptr<X509_EXTENSION> extension{
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str())};
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool set_common_name(X509_NAME* subject, const std::string& name) {
  return X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0)
         == 1;
}

/// A certificate with everything but extensions and signature.
openssl_ptr<X509> draft(const std::string& name, EVP_PKEY* key, core::instant now,
                        std::uint32_t days) {
  openssl_ptr<X509> made{X509_new()};
  if (!made || X509_set_version(made.get(), X509_VERSION_3) != 1 || !set_random_serial(made.get())
      || ASN1_TIME_set(X509_getm_notBefore(made.get()), seconds(now - clock_tolerance)) == nullptr
      || ASN1_TIME_set(X509_getm_notAfter(made.get()), seconds(after_days(now, days))) == nullptr
      || X509_set_pubkey(made.get(), key) != 1
      || !set_common_name(X509_get_subject_name(made.get()), name))
    return nullptr;
  return made;
}

/// Signs the list as of `now`. It is good as long as its authority: it is handed out by people, and
/// one that runs out would stop the cluster.
bool finish_list(X509_CRL* list, const authority_keys& authority, core::instant now) {
  const openssl_ptr<ASN1_STRING> updated{ASN1_TIME_set(nullptr, seconds(now - clock_tolerance))};
  return updated && X509_CRL_set1_lastUpdate(list, updated.get()) == 1
         && X509_CRL_set1_nextUpdate(list, X509_get0_notAfter(authority.certificate.get())) == 1
         && X509_CRL_sort(list) == 1 && X509_CRL_sign(list, authority.key.get(), EVP_sha256()) > 0;
}

std::string alternative_names(const certificate_request& request) {
  auto text = "DNS:" + request.name;
  for (const auto& host : request.hosts)
    text += (is_address(host) ? ",IP:" : ",DNS:") + host;
  for (const auto& role : request.roles)
    text += ",DNS:" + role;
  if (request.kind == holder::peer)
    for (const auto& one : request.access)
      text += ",URI:" + core::uri_of(one);
  return text;
}

/// Empty when all names of a request can be put into a certificate.
std::string objection_to(const certificate_request& request) {
  const std::string form = " is not a name: lower case letters, digits, dots and dashes, at most "
                           + std::to_string(name_length_max);
  if (!is_name(request.name))
    return request.name + form;
  if (request.name == "ca")
    return "ca is the authority's own name";
  for (const auto& host : request.hosts)
    if (!is_name(host) && !is_address(host))
      return host + form + ", or an IP address";
  for (const auto& role : request.roles)
    if (!is_name(role))
      return role + form;
  for (const auto& one : request.access)
    if (one.name.size() > bound_name_bytes_max)
      return "a name that a role is bound to has at most " + std::to_string(bound_name_bytes_max)
             + " bytes";
  if (request.days == 0 || request.days > authority_days)
    return "a certificate lasts 1 to " + std::to_string(authority_days) + " days";
  return {};
}

} // namespace

core::outcome<bool> make_authority(const std::string& directory, const std::string& name,
                                   std::uint32_t days, core::instant now) {
  ERR_clear_error();
  if (days == 0 || days > 10 * authority_days)
    return core::failure{core::errc::invalid_argument, "an authority lasts 1 to "
                                                           + std::to_string(10 * authority_days)
                                                           + " days"};
  const authority_paths paths{directory};
  for (const auto& path : {paths.certificate(), paths.key(), paths.revoked()})
    if (fs::exists(path))
      return core::failure{core::errc::already_exists,
                           path
                               + " is there already; an authority is never replaced, make a new "
                                 "one in another directory"};
  authority_keys made;
  made.key.reset(EVP_EC_gen("P-256"));
  if (!made.key)
    return internal();
  made.certificate = draft(name, made.key.get(), now, days);
  auto* certificate = made.certificate.get();
  if (certificate == nullptr
      || X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) != 1
      || !add_extension(certificate, certificate, NID_basic_constraints,
                        "critical,CA:TRUE,pathlen:0")
      || !add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign")
      || !add_extension(certificate, certificate, NID_subject_key_identifier, "hash")
      || X509_sign(certificate, made.key.get(), EVP_sha256()) == 0)
    return internal();
  const openssl_ptr<X509_CRL> list{X509_CRL_new()};
  if (!list || X509_CRL_set_version(list.get(), X509_CRL_VERSION_2) != 1
      || X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(certificate)) != 1
      || !finish_list(list.get(), made, now))
    return internal();
  if (auto made_directory = make_private_directory(directory); !made_directory)
    return made_directory;
  if (auto written = write_key(paths.key(), made.key.get(), false); !written)
    return written;
  if (auto written = write_certificate(paths.certificate(), certificate, false); !written)
    return written;
  return write_list(paths.revoked(), list.get());
}

core::outcome<bool> issue_certificate(const certificate_request& request, core::instant now) {
  ERR_clear_error();
  if (auto why = objection_to(request); !why.empty())
    return core::failure{core::errc::invalid_argument, std::move(why)};
  auto authority = read_authority(request.directory);
  if (!authority)
    return authority.error();
  const auto base = (fs::path{request.directory} / request.name).string();
  for (const auto* ending : {".crt", ".key"})
    if (!request.replace && fs::exists(base + ending))
      return core::failure{core::errc::already_exists, base + ending
                                                           + " is there already; --replace puts a "
                                                             "new pair in its place"};
  const openssl_ptr<EVP_PKEY> key{EVP_EC_gen("P-256")};
  const auto certificate =
      key ? draft(request.name, key.get(), now, request.days) : openssl_ptr<X509>{};
  auto* issuer = authority->certificate.get();
  const auto* usage = request.kind == holder::node ? "serverAuth,clientAuth" : "clientAuth";
  if (!certificate || X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer)) != 1
      || !add_extension(certificate.get(), issuer, NID_basic_constraints, "critical,CA:FALSE")
      || !add_extension(certificate.get(), issuer, NID_key_usage, "critical,digitalSignature")
      || !add_extension(certificate.get(), issuer, NID_ext_key_usage, usage)
      || !add_extension(certificate.get(), issuer, NID_authority_key_identifier, "keyid")
      || !add_extension(certificate.get(), issuer, NID_subject_alt_name, alternative_names(request))
      || X509_sign(certificate.get(), authority->key.get(), EVP_sha256()) == 0)
    return internal();
  // The key first: who reads between the two finds a pair that does not fit, and keeps the old.
  if (auto written = write_key(base + ".key", key.get(), request.replace); !written)
    return written;
  return write_certificate(base + ".crt", certificate.get(), request.replace);
}

core::outcome<bool> revoke_certificate(const std::string& directory, const std::string& file,
                                       core::instant now) {
  ERR_clear_error();
  auto authority = read_authority(directory);
  if (!authority)
    return authority.error();
  const auto certificate = read_certificate(file);
  if (!certificate)
    return core::failure{core::errc::not_found, file + ": " + openssl_error()};
  if (X509_verify(certificate.get(), authority->key.get()) != 1)
    return core::failure{core::errc::invalid_argument,
                         file + " was not issued by the authority in " + directory};
  const auto path = authority_paths{directory}.revoked();
  const auto list = read_list(path);
  if (!list)
    return core::failure{core::errc::damaged, path + ": " + openssl_error()};
  X509_REVOKED* found = nullptr;
  if (X509_CRL_get0_by_cert(list.get(), &found, certificate.get()) == 1)
    return core::failure{core::errc::already_exists, file + " is revoked already"};
  openssl_ptr<X509_REVOKED> entry{X509_REVOKED_new()};
  const openssl_ptr<ASN1_STRING> at{ASN1_TIME_set(nullptr, seconds(now))};
  if (!entry || !at
      || X509_REVOKED_set_serialNumber(entry.get(), X509_get_serialNumber(certificate.get())) != 1
      || X509_REVOKED_set_revocationDate(entry.get(), at.get()) != 1
      || X509_CRL_add0_revoked(list.get(), entry.get()) != 1)
    return internal();
  static_cast<void>(entry.release()); // the list has it now
  if (!finish_list(list.get(), *authority, now))
    return internal();
  return write_list(path, list.get());
}

} // namespace holdfast::link
