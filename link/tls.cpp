#include "link/tls.hpp"

#include "core/mended_text.hpp"
#include "link/openssl.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace holdfast::link {

namespace {

/// Of the name of a certificate in the audit log.
constexpr std::size_t label_bytes_max = 256;

core::failure bad(const std::string& what, const std::string& file, const std::string& why) {
  return {core::errc::invalid_argument, what + ' ' + (file.empty() ? why : file + ": " + why)};
}

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Empty when there is such a file.
std::string objection_to_file(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0)
    return std::strerror(errno);
  return S_ISREG(found.st_mode) ? "" : "is no file";
}

/// A certificate shown to a server must be meant for clients, and the other way round, so that a
/// peer cannot pose as a node.
int purpose_of_other(tls_role role) {
  return role == tls_role::accepts ? X509_PURPOSE_SSL_CLIENT : X509_PURPOSE_SSL_SERVER;
}

std::string load_files(SSL_CTX* context, const credentials& files, std::string& what,
                       std::string& file) {
  what = "certificate";
  file = files.certificate;
  if (auto why = objection_to_file(file); !why.empty())
    return why;
  if (SSL_CTX_use_certificate_chain_file(context, file.c_str()) != 1)
    return openssl_error();
  what = "key";
  file.clear(); // the function that reads secrets names it
  const auto key = read_key(files.key);
  if (!key)
    return key.error().detail;
  if (SSL_CTX_use_PrivateKey(context, key->get()) != 1 || SSL_CTX_check_private_key(context) != 1)
    return files.key + ": " + openssl_error();
  what = "authority";
  file = files.authority;
  if (auto why = objection_to_file(file); !why.empty())
    return why;
  if (SSL_CTX_load_verify_locations(context, file.c_str(), nullptr) != 1)
    return openssl_error();
  if (files.revoked.empty())
    return {};
  what = "revocation list";
  file = files.revoked;
  if (auto why = objection_to_file(file); !why.empty())
    return why;
  auto* store = SSL_CTX_get_cert_store(context);
  auto* lookup = X509_STORE_add_lookup(store, X509_LOOKUP_file());
  if (X509_load_crl_file(lookup, file.c_str(), X509_FILETYPE_PEM) < 1)
    return openssl_error();
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
  return {};
}

} // namespace

core::outcome<tls_context> make_tls_context(const credentials& files, tls_role role) {
  ERR_clear_error();
  tls_context context{
      SSL_CTX_new(role == tls_role::accepts ? TLS_server_method() : TLS_client_method()),
      SSL_CTX_free};
  if (!context)
    return core::failure{core::errc::unavailable, "no TLS: " + openssl_error()};
  auto* raw = context.get();
  SSL_CTX_set_min_proto_version(raw, TLS1_3_VERSION);
  // Every connection proves itself anew, so that a revoked certificate cannot live on in a ticket.
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(raw, 0);
  // Idle connections keep no records; the authority's certificate is known to the other side.
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_verify_depth(raw, 4);
  std::string what;
  std::string file;
  if (const auto why = load_files(raw, files, what, file); !why.empty())
    return bad(what, file, why);
  return context;
}

std::vector<std::string> names_of(x509_st* certificate) {
  std::vector<std::string> names;
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> entries{
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free};
  const auto add = [&](const ASN1_STRING* text) {
    std::string name{reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                     static_cast<std::size_t>(ASN1_STRING_length(text))};
    if (!name.empty() && name.find('\0') == std::string::npos)
      names.push_back(in_lower_case(std::move(name)));
  };
  for (int i = 0; i < sk_GENERAL_NAME_num(entries.get()); ++i) {
    const auto* entry = sk_GENERAL_NAME_value(entries.get(), i);
    if (entry->type == GEN_DNS)
      add(entry->d.dNSName);
  }
  if (!names.empty())
    return names;
  auto* subject = X509_get_subject_name(certificate);
  const auto at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at >= 0)
    add(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  return names;
}

bool is_for_servers(x509_st* certificate) {
  const auto usage = X509_get_extended_key_usage(certificate);
  return usage != UINT32_MAX && (usage & XKU_SSL_SERVER) != 0; // the former when it says nothing
}

core::principal principal_of(x509_st* certificate, core::role_set roles_without_one) {
  core::principal who;
  who.is_node = is_for_servers(certificate);
  const auto names = names_of(certificate);
  who.label = core::mended_text(
      "certificate:" + (names.empty() ? std::string{"without a name"} : names.front()),
      label_bytes_max);
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> entries{
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free};
  bool names_roles = false;
  for (int i = 0; i < sk_GENERAL_NAME_num(entries.get()); ++i) {
    const auto* entry = sk_GENERAL_NAME_value(entries.get(), i);
    if (entry->type != GEN_URI)
      continue;
    const auto* text = entry->d.uniformResourceIdentifier;
    const std::string_view uri{reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                               static_cast<std::size_t>(ASN1_STRING_length(text))};
    names_roles = names_roles || core::is_grant_uri(uri);
    if (auto given = core::grant_of_uri(uri))
      who.grants.push_back(std::move(*given));
  }
  if (!names_roles)
    for (std::size_t i = 0; i < core::role_count; ++i)
      if (const auto one = static_cast<core::role>(i); roles_without_one.has(one))
        who.grants.push_back({one, {}});
  return who;
}

core::outcome<std::vector<std::string>> names_in(const std::string& certificate_file) {
  ERR_clear_error();
  const auto certificate = read_certificate(certificate_file);
  if (!certificate)
    return bad("certificate", certificate_file, openssl_error());
  return names_of(certificate.get());
}

bool is_allowed(const std::vector<std::string>& names, const std::vector<std::string>& allowed) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(allowed.begin(), allowed.end(), name) != allowed.end();
  });
}

std::vector<std::string> names_of_list(const std::string& text) {
  std::vector<std::string> names;
  std::string name;
  const auto end_of_name = [&] {
    if (!name.empty())
      names.push_back(in_lower_case(std::move(name)));
    name.clear();
  };
  for (const char c : text)
    if (c == ',')
      end_of_name();
    else if (c != ' ')
      name += c;
  end_of_name();
  return names;
}

refusal reason_of_failure(ssl_st* stream, unsigned long error) {
  switch (SSL_get_verify_result(stream)) {
  case X509_V_OK:
    break;
  case X509_V_ERR_CERT_HAS_EXPIRED:
  case X509_V_ERR_CERT_NOT_YET_VALID:
    return refusal::expired;
  case X509_V_ERR_CERT_REVOKED:
    return refusal::revoked;
  case X509_V_ERR_APPLICATION_VERIFICATION:
  case X509_V_ERR_HOSTNAME_MISMATCH:
  case X509_V_ERR_IP_ADDRESS_MISMATCH:
    return refusal::name_not_allowed;
  default:
    return refusal::unknown_authority;
  }
  if (ERR_GET_LIB(error) != ERR_LIB_SSL)
    return refusal::handshake_failed;
  switch (ERR_GET_REASON(error)) {
  case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
    return refusal::no_certificate;
  case SSL_R_UNSUPPORTED_PROTOCOL:
  case SSL_R_VERSION_TOO_LOW:
    return refusal::old_protocol;
  case SSL_R_WRONG_VERSION_NUMBER:
  case SSL_R_HTTP_REQUEST:
  case SSL_R_HTTPS_PROXY_REQUEST:
  case SSL_R_BAD_RECORD_TYPE:
  case SSL_R_UNEXPECTED_MESSAGE:
  case SSL_R_PACKET_LENGTH_TOO_LONG:
    return refusal::not_tls;
  default:
    return refusal::handshake_failed;
  }
}

std::string objection_now(ssl_ctx_st* context, ssl_st* chain_of) {
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> check{X509_STORE_CTX_new(),
                                                                              X509_STORE_CTX_free};
  const openssl_ptr<X509> certificate{SSL_get1_peer_certificate(chain_of)};
  if (!check || !certificate)
    return "it cannot be checked";
  if (X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(context), certificate.get(),
                          SSL_get_peer_cert_chain(chain_of))
      != 1)
    return "it cannot be checked";
  X509_STORE_CTX_set_purpose(
      check.get(), purpose_of_other(SSL_is_server(chain_of) ? tls_role::accepts : tls_role::dials));
  if (X509_verify_cert(check.get()) == 1)
    return {};
  return X509_verify_cert_error_string(X509_STORE_CTX_get_error(check.get()));
}

core::outcome<live_credentials> live_credentials::read(credentials files, tls_role role) {
  live_credentials made{std::move(files), role};
  if (const auto taken = made.refresh(); !taken)
    return taken.error();
  return made;
}

core::outcome<live_credentials::change> live_credentials::refresh() {
  // Taken before the files are read: a change meanwhile is seen the next time.
  auto now = fingerprint();
  if (context_ && now == fingerprint_)
    return change::none;
  auto made = make_tls_context(files_, role_);
  if (!made)
    return made.error();
  context_ = std::move(*made);
  fingerprint_ = std::move(now);
  return change::taken;
}

core::outcome<live_credentials::change> live_credentials::refresh(clock::time_point now) {
  if (now - looked_at_ < std::chrono::seconds{1})
    return change::none;
  looked_at_ = now;
  return refresh();
}

std::string live_credentials::fingerprint() const {
  std::string text;
  for (const auto* path : {&files_.certificate, &files_.key, &files_.authority, &files_.revoked}) {
    struct stat found {};
    if (!path->empty() && ::stat(path->c_str(), &found) == 0)
      text += std::to_string(found.st_size) + ' ' + std::to_string(found.st_mtim.tv_sec) + '.'
              + std::to_string(found.st_mtim.tv_nsec) + ' ' + std::to_string(found.st_ino);
    text += ';';
  }
  return text;
}

} // namespace holdfast::link
