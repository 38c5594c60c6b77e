#pragma once

#include "core/access.hpp"
#include "core/outcome.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// A private certificate authority for a first cluster: a directory with `ca.crt`, `ca.key` and
/// `ca.crl`, and a pair `<name>.crt`, `<name>.key` for each node and peer. Keys are ECDSA on P-256,
/// in files for their owner only. All functions take the time as an argument and change nothing on
/// an error.
namespace holdfast::link {

inline constexpr std::uint32_t authority_days = 3650;
inline constexpr std::uint32_t certificate_days = 365;

/// Makes the authority and its empty revocation list. `already_exists` when there is one.
core::outcome<bool> make_authority(const std::string& directory, const std::string& name,
                                   std::uint32_t days, core::instant now);

enum class holder {
  node, ///< Accepts connections, and dials other nodes.
  peer, ///< Dials only: nobody takes it for a node.
};

struct certificate_request {
  std::string directory;
  std::string name; ///< Also that of its files. Lower case letters, digits, dots and dashes.
  holder kind = holder::peer;
  std::vector<std::string> hosts; ///< Where a node is reached: names and IP addresses.
  std::vector<std::string> roles; ///< Further names, for lists of who is let in.
  /// The grants of a peer. A node may send everything, and has no grants.
  std::vector<core::grant> access{{core::role::admin, {}}};
  std::uint32_t days = certificate_days;
  bool replace = false; ///< Put a new key and certificate in the place of the old.
};

/// `not_found` without an authority, `already_exists` when the name has files and is not to be
/// replaced, `invalid_argument` for names that are none.
core::outcome<bool> issue_certificate(const certificate_request& request, core::instant now);

/// Puts the certificate in `file` on the authority's revocation list. `already_exists` when it is
/// there, `invalid_argument` when another authority has issued it.
core::outcome<bool> revoke_certificate(const std::string& directory, const std::string& file,
                                       core::instant now);

} // namespace holdfast::link
