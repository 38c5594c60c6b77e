#include "config/settings.hpp"

#include "core/access.hpp"

#include "config/value_text.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string_view>

namespace holdfast::config {

namespace {

struct assign_defaults {
  void operator()(const char*, std::string& member, const text_default& value, std::size_t,
                  std::size_t, const char*) const {
    member = value.value();
  }
  void operator()(const char*, std::uint32_t& member, std::uint32_t value, std::uint32_t,
                  std::uint32_t, const char*) const {
    member = value;
  }
  void operator()(const char*, core::duration& member, core::duration value, core::duration,
                  core::duration, const char*) const {
    member = value;
  }
  template <class Word>
  void operator()(const char*, Word& member, Word value, const char*) const {
    member = value;
  }
  void operator()(const char*, secret&, const char*) const {}
};

/// Whether `text` is an address that only this machine can reach. Names are not looked up: what
/// `localhost` means is a matter of /etc/hosts, and this check guards an unencrypted port.
bool is_loopback(const std::string& text) {
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1)
    return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

/// Whether `text` is a list of origins that a Content-Security-Policy may name: anything else in it
/// would change the rest of the policy.
bool is_origin_list(const std::string& text) {
  std::istringstream words{text};
  for (std::string word; words >> word;) {
    if (word == "https:")
      continue;
    const auto scheme = word.rfind("https://", 0) == 0 || word.rfind("http://", 0) == 0;
    const auto host = word.find("://") + 3;
    if (!scheme || host == word.size()
        || !std::all_of(word.begin() + static_cast<std::ptrdiff_t>(host), word.end(), [](char c) {
             return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                    || c == '.' || c == '-' || c == ':' || c == '[' || c == ']' || c == '*';
           }))
      return false;
  }
  return true;
}

/// Whether `url` names a host over HTTP, and nobody else's password.
bool is_collector_url(const std::string& url) {
  for (const std::string_view scheme : {"https://", "http://"})
    if (std::string_view{url}.substr(0, scheme.size()) == scheme) {
      const auto rest = std::string_view{url}.substr(scheme.size());
      const auto host = rest.substr(0, rest.find_first_of("/?#"));
      return !host.empty() && host.find('@') == std::string_view::npos
             && rest.find_first_of(" \t\r\n") == std::string_view::npos;
    }
  return false;
}

/// Whether nobody on the way can change a document of this URL. The fetcher judges it once more.
bool is_safe_key_url(const std::string& url) {
  for (const auto* beginning :
       {"https://", "http://127.0.0.1:", "http://127.0.0.1/", "http://[::1]:", "http://[::1]/"})
    if (url.rfind(beginning, 0) == 0)
      return true;
  return false;
}

} // namespace

const std::vector<std::pair<std::string, log_level>>& words(log_level) {
  static const std::vector<std::pair<std::string, log_level>> table{
      {"trace", log_level::trace}, {"debug", log_level::debug}, {"info", log_level::info},
      {"warn", log_level::warn},   {"error", log_level::error},
  };
  return table;
}

const std::vector<std::pair<std::string, log_format>>& words(log_format) {
  static const std::vector<std::pair<std::string, log_format>> table{
      {"text", log_format::text},
      {"json", log_format::json},
  };
  return table;
}

const std::vector<std::pair<std::string, memory_access>>& words(memory_access) {
  static const std::vector<std::pair<std::string, memory_access>> table{
      {"closed", memory_access::closed},
      {"open", memory_access::open},
  };
  return table;
}

const std::vector<std::pair<std::string, http_exposure>>& words(http_exposure) {
  static const std::vector<std::pair<std::string, http_exposure>> table{
      {"loopback", http_exposure::loopback},
      {"behind_proxy", http_exposure::behind_proxy},
  };
  return table;
}

const std::vector<std::pair<std::string, metrics_access>>& words(metrics_access) {
  static const std::vector<std::pair<std::string, metrics_access>> table{
      {"token", metrics_access::token},
      {"loopback", metrics_access::loopback},
  };
  return table;
}

settings::settings() { describe(assign_defaults{}, *this); }

std::string host_name() {
  std::array<char, 129> name{};
  // A name cut short is not terminated; the last byte stays zero for that case.
  if (gethostname(name.data(), name.size() - 1) != 0 || name.front() == '\0')
    return "node";
  return name.data();
}

std::vector<conflict> conflicts(const settings& s) {
  std::vector<conflict> found;
  const auto require = [&](bool holds, std::vector<std::string> keys, std::string rule) {
    if (!holds)
      found.push_back({std::move(keys), std::move(rule)});
  };
  const bool has_tls = !s.link.certificate.empty();
  require(is_loopback(s.node.listen_address) || has_tls, {"node.listen_address"},
          "must be a loopback address (127.0.0.1 or ::1) while there is no TLS; set "
          "link.certificate, link.key, link.ca and link.peers (`holdfast certs --help` makes a "
          "first set)");
  require(has_tls == !s.link.key.empty() && has_tls == !s.link.ca.empty(),
          {"link.certificate", "link.key", "link.ca"},
          "TLS needs all three: what to show, its key, and who signs for the others");
  require(has_tls || s.link.crl.empty(), {"link.crl", "link.certificate"},
          "a revocation list means nothing without TLS");
  require(core::roles_of_list(s.link.roles_without_one).has_value(), {"link.roles_without_one"},
          "must be none, or of admin, operator, requester, producer, worker, contributor, auditor");
  require(
      s.node.heartbeat_interval * 2 < s.node.lease_time,
      {"node.heartbeat_interval", "node.lease_time"},
      "the interval must be less than half of the lease time, or one lost renewal costs the lease");
  require(!s.database.password || s.database.url, {"database.password", "database.url"},
          "a password is for the server of a URL; the private cluster has none");
  require(s.unit.prefetch <= s.unit.live_max, {"unit.prefetch", "unit.live_max"},
          "units loaded ahead are live, so they cannot be more");
  require(s.writer.batch_max <= s.writer.high_water, {"writer.batch_max", "writer.high_water"},
          "a batch is filled from what waits below the high-water mark, so it cannot be larger");
  require(s.writer.retry_min <= s.writer.retry_max, {"writer.retry_min", "writer.retry_max"},
          "the first pause cannot be longer than the longest");
  require(s.events.batch_max <= s.events.high_water, {"events.batch_max", "events.high_water"},
          "a relay reads one batch at least before it stops, so the batch cannot be larger");
  require(s.peers.heartbeat * 2 <= s.peers.connection_timeout,
          {"peers.heartbeat", "peers.connection_timeout"},
          "the timeout must be two heartbeats or more, or one late heartbeat closes a connection");
  require(s.link.payloads_per_peer_mb <= s.link.payloads_mb,
          {"link.payloads_per_peer_mb", "link.payloads_mb"},
          "the room of one peer is a part of the room of all");
  require(s.peers.waiting_per_peer_mb <= s.peers.waiting_mb,
          {"peers.waiting_per_peer_mb", "peers.waiting_mb"},
          "the room of one peer is a part of the room of all");
  require(is_loopback(s.http.listen_address) || s.http.exposure == http_exposure::behind_proxy,
          {"http.listen_address", "http.exposure"},
          "HTTP is not encrypted: listen on a loopback address, or say that a proxy with TLS is in "
          "front of the node");
  require(s.metrics.access == metrics_access::token || s.http.exposure == http_exposure::loopback,
          {"metrics.access", "http.exposure"},
          "behind a proxy the whole world seems to be on this machine: ask for a token");
  require(s.http.body_mb <= s.http.bodies_mb, {"http.body_mb", "http.bodies_mb"},
          "the largest body needs room among all bodies");
  require(is_origin_list(s.http.media_origins), {"http.media_origins"},
          "must be origins such as https://media.example.org, without a path, or https:");
  const bool has_issuer = !s.jwt.issuer.empty();
  require(has_issuer == !s.jwt.audience.empty() && has_issuer == !s.jwt.keys.empty(),
          {"jwt.issuer", "jwt.audience", "jwt.keys"},
          "JSON Web Tokens need all three: the issuer, the audience, and the keys of the issuer");
  require(s.jwt.keys.find("://") == std::string::npos || is_safe_key_url(s.jwt.keys), {"jwt.keys"},
          "must be the path of a file, a URL of https, or one of http at 127.0.0.1 or [::1]: who "
          "changes the keys on their way can make tokens");
  require(s.traces.endpoint.empty() || is_collector_url(s.traces.endpoint), {"traces.endpoint"},
          "must be a URL of http or https without a user, such as http://127.0.0.1:4318/v1/traces; "
          "a token for the collector belongs into traces.headers_file");
  require(s.traces.batch_max <= s.traces.queue_max, {"traces.batch_max", "traces.queue_max"},
          "a request is filled from the spans that wait, so it cannot have more");
  return found;
}

} // namespace holdfast::config
