#pragma once

#include "core/time.hpp"

#include <chrono>
#include <string>

namespace holdfast::config {

/// The issuer of JSON Web Tokens that clients of HTTP may show.
struct jwt_settings {
  std::string issuer;
  std::string audience;
  std::string keys;
  std::string role_claim;
  std::string name_claim;
  std::string queues_claim;
  std::string workflows_claim;
  core::duration clock_skew;
};

/// The part of `describe` about them.
template <class Visitor, class Settings>
void describe_jwt(Visitor&& option, Settings& jwt) {
  using namespace std::chrono_literals;

  option("jwt.issuer", jwt.issuer, "", 0, 512,
         "Issuer of JSON Web Tokens that open the HTTP API: the claim `iss`, letter by letter. "
         "Empty: no such token is accepted.");
  option("jwt.audience", jwt.audience, "", 0, 512,
         "Audience that a token must name in its claim `aud`, which is a text or a list.");
  option("jwt.keys", jwt.keys, "", 0, 1024,
         "Public keys of the issuer as a JSON Web Key Set: the path of a file, which is read anew "
         "when it changes, or a URL of https (or of http at 127.0.0.1 or [::1]), which is fetched "
         "every 5 minutes, and when a token names a key that is not known, at most once in 30 s.");
  option("jwt.role_claim", jwt.role_claim, "role", 1, 128,
         "Claim that holds the role, or a list of roles, of which those that Holdfast does not "
         "have are ignored.");
  option("jwt.name_claim", jwt.name_claim, "sub", 1, 128,
         "Claim that names the holder: the contributor or the worker to which a token with such a "
         "role is bound.");
  option("jwt.queues_claim", jwt.queues_claim, "", 0, 128,
         "Claim that holds the beginnings of the names of the queues that a token reaches. A token "
         "without the claim has no such limit. Empty: the claim is not read.");
  option("jwt.workflows_claim", jwt.workflows_claim, "", 0, 128,
         "Claim that holds the ids of the workflows that a token reaches, likewise.");
  option("jwt.clock_skew", jwt.clock_skew, 30s, 0s, 5min,
         "Difference between the clock of the issuer and that of the database that is tolerated.");
}

} // namespace holdfast::config
