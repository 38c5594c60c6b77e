#pragma once

#include "core/access.hpp"
#include "core/outcome.hpp"
#include "link/report.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

struct ssl_ctx_st;
struct ssl_st;
struct x509_st;

/// TLS as links use it: version 1.3 alone, certificates on both sides, one private authority.
namespace holdfast::link {

/// Paths of PEM files.
struct credentials {
  std::string certificate; ///< Ours, and then those between it and the authority's, if any.
  std::string key;         ///< Ours. Must not be readable by everybody.
  std::string authority;   ///< The one that signs for both sides.
  std::string revoked;     ///< Revocation list of the authority; empty for none.
};

enum class tls_role { accepts, dials };

using tls_context = std::shared_ptr<ssl_ctx_st>;

/// `invalid_argument` with the file and what is wrong with it.
core::outcome<tls_context> make_tls_context(const credentials& files, tls_role role);

/// The names of a certificate: of its DNS entries or, where there are none, its common name. In
/// lower case.
std::vector<std::string> names_of(x509_st* certificate);

/// Whether a certificate says that it is meant for servers, as those of nodes are. One that does
/// not say what it is for is not: OpenSSL alone would take it for anything.
bool is_for_servers(x509_st* certificate);

/// The identity that a certificate gives its holder: a node, or a peer with the roles of its URIs
/// (`core::grant_of_uri`). A certificate without any such URI has `roles_without_one`; a URI that
/// makes no sense gives nothing.
core::principal principal_of(x509_st* certificate, core::role_set roles_without_one);

/// The names in the first certificate of a PEM file.
core::outcome<std::vector<std::string>> names_in(const std::string& certificate_file);

/// Whether one of `names` is among `allowed`, by equality: nothing here is a pattern.
bool is_allowed(const std::vector<std::string>& names, const std::vector<std::string>& allowed);

/// The words between commas, without blanks around them, in lower case.
std::vector<std::string> names_of_list(const std::string& text);

/// Why a handshake failed: by OpenSSL's verdict on the other side's certificate if that is bad, or
/// else by `error`, a code of its error queue (0 for none).
refusal reason_of_failure(ssl_st* stream, unsigned long error);

/// What a certificate that was good at the handshake is worth now; empty when it is still good.
/// `chain_of` is the stream on which it came.
std::string objection_now(ssl_ctx_st* context, ssl_st* chain_of);

/// Credentials that follow their files.
class live_credentials {
public:
  using clock = std::chrono::steady_clock;

  /// Reads them for the first time.
  static core::outcome<live_credentials> read(credentials files, tls_role role);

  /// Of the files as they were when they last made sense.
  const tls_context& context() const { return context_; }

  enum class change { none, taken };
  /// Looks whether a file has changed since, and takes what it says. On an error the old ones stay;
  /// the error comes again while the files are wrong.
  core::outcome<change> refresh();
  /// The same, at most once a second: for what happens often.
  core::outcome<change> refresh(clock::time_point now);

private:
  live_credentials(credentials files, tls_role role) : files_(std::move(files)), role_(role) {}

  /// Size, time of change and inode of each file.
  std::string fingerprint() const;

  credentials files_;
  tls_role role_;
  tls_context context_;
  std::string fingerprint_;
  clock::time_point looked_at_{};
};

} // namespace holdfast::link
