#include "app/node_link.hpp"

#include <caf/binary_serializer.hpp>

#include <pwd.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

namespace holdfast::app {

namespace {

actors::log_level level_of(link::severity severity) {
  switch (severity) {
  case link::severity::info:
    return actors::log_level::info;
  case link::severity::warning:
    return actors::log_level::warning;
  case link::severity::error:
    return actors::log_level::error;
  }
  return actors::log_level::error;
}

constexpr std::uint64_t mebibyte = std::uint64_t{1024} * 1024;

link::inlet_limits limits_of(const config::settings& settings) {
  link::inlet_limits limits;
  limits.handshake_deadline = settings.link.handshake_deadline;
  limits.greeting_deadline = settings.link.handshake_deadline;
  limits.stall_deadline = settings.link.stall_deadline;
  limits.connections_max = settings.link.connections_max;
  limits.connections_per_address_max = settings.link.connections_per_address_max;
  limits.handshakes_max = settings.link.handshakes_max;
  limits.handshakes_per_address_max = std::max(1U, settings.link.handshakes_max / 4);
  limits.accepts_per_second = settings.link.accepts_per_second;
  limits.messages_per_second = settings.link.messages_per_second;
  limits.bytes_per_second = settings.link.bytes_per_second;
  limits.payload_bytes_max = settings.link.payloads_mb * mebibyte;
  limits.payload_bytes_per_peer_max = settings.link.payloads_per_peer_mb * mebibyte;
  limits.waiting_bytes_max = settings.peers.waiting_mb * mebibyte;
  limits.waiting_bytes_per_peer_max = settings.peers.waiting_per_peer_mb * mebibyte;
  limits.room_deadline = settings.link.room_deadline;
  limits.actors_max = settings.link.actors_max;
  return limits;
}

} // namespace

bool has_link(const config::settings& settings) { return !settings.link.certificate.empty(); }

link::credentials credentials_of(const config::settings& settings) {
  return {settings.link.certificate, settings.link.key, settings.link.ca, settings.link.crl};
}

void use_link(client::endpoint& where, const config::settings& settings) {
  if (!has_link(settings))
    return;
  where.tls = credentials_of(settings);
  where.dial_deadline = settings.link.dial_deadline;
  where.stall_deadline = settings.link.stall_deadline;
}

core::outcome<std::string> own_name(const config::settings& settings) {
  const auto names = link::names_in(settings.link.certificate);
  if (!names)
    return names.error();
  if (names->empty())
    return core::failure{core::errc::invalid_argument,
                         "certificate " + settings.link.certificate + " has no name"};
  return names->front();
}

core::outcome<link::local_users> local_users_of(const config::settings& settings) {
  auto allowed = link::local_users::own();
  std::istringstream list{settings.link.local_users};
  for (std::string name; std::getline(list, name, ',');) {
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    if (name.empty())
      continue;
    if (name == "*") {
      allowed.everybody = true;
      continue;
    }
    const auto* end = name.data() + name.size();
    uid_t number = 0;
    if (const auto read = std::from_chars(name.data(), end, number);
        read.ec == std::errc{} && read.ptr == end) {
      allowed.users.insert(number);
      continue;
    }
    const auto* known = ::getpwnam(name.c_str());
    if (known == nullptr)
      return core::failure{core::errc::invalid_argument,
                           "link.local_users: this machine has no user " + name};
    allowed.users.insert(known->pw_uid);
  }
  return allowed;
}

link::peer_directory::key key_of(const caf::node_id& process) {
  link::peer_directory::key key{};
  caf::binary_serializer::container_type bytes;
  caf::binary_serializer sink{nullptr, bytes};
  if (sink(process) == caf::none && bytes.size() == key.size())
    std::copy(bytes.begin(), bytes.end(), key.begin());
  return key;
}

msg::link_status status_of(const link::link_counters& counters) {
  msg::link_status status;
  status.secured = true;
  status.accepted = counters.accepted;
  status.established = counters.established;
  status.open = counters.open;
  status.frames = counters.frames;
  status.bytes_in = counters.bytes_from_dialers;
  status.bytes_out = counters.bytes_from_listeners;
  status.reloads = counters.reloads;
  for (std::size_t i = 0; i < link::refusal_count; ++i) {
    const auto why = static_cast<link::refusal>(i);
    if (const auto connections = counters.refused_for(why); connections > 0)
      status.refusals.push_back({std::string{link::to_string(why)}, connections});
  }
  return status;
}

core::outcome<bool> node_link::check(const config::settings& settings) {
  const auto context = link::make_tls_context(credentials_of(settings), link::tls_role::accepts);
  if (!context)
    return context.error();
  const auto name = own_name(settings);
  if (!name)
    return name.error();
  return true;
}

core::outcome<std::unique_ptr<node_link>>
node_link::open(const config::settings& settings, const log_stream& log, std::uint16_t port,
                std::uint16_t upstream_port, std::shared_ptr<link::peer_directory> directory) {
  auto own = own_name(settings);
  if (!own)
    return own.error();
  link::inlet_options options;
  options.address = settings.node.listen_address;
  options.port = port;
  options.tls = credentials_of(settings);
  options.allowed = link::names_of_list(settings.link.peers);
  options.allowed.push_back(std::move(*own)); // for the tools that are run beside the node
  options.upstream_port = upstream_port;
  // `config` has seen to it that they are roles.
  options.roles_without_one =
      core::roles_of_list(settings.link.roles_without_one).value_or(core::role_set{});
  options.directory = std::move(directory);
  options.limits = limits_of(settings);
  options.log = [log](link::severity severity, const std::string& event,
                      const link::log_fields& fields) {
    log.write(level_of(severity), event, fields);
  };
  std::unique_ptr<node_link> made{new node_link};
  auto opened = link::inlet::open(made->thread_, std::move(options));
  if (!opened)
    return opened.error();
  made->inlet_ = std::move(*opened);
  return made;
}

} // namespace holdfast::app
