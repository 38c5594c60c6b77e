#include "app/wiring.hpp"

#include "app/suspension.hpp"
#include "app/version.hpp"
#include "calendar/time_zones.hpp"
#include "config/load.hpp"
#include "connectors/http_webhook_sender.hpp"
#include "connectors/trusted_authorities.hpp"
#include "core/invariant.hpp"
#include "documents/cloud_event.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/verify.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

namespace holdfast::app {

namespace {

bool is_uri(std::string_view conninfo) { return conninfo.find("://") != std::string_view::npos; }

std::string percent_encoded(const std::string& text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const unsigned char c : text)
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
      encoded += static_cast<char>(c);
    else
      encoded += {'%', digits[c >> 4], digits[c & 0x0f]};
  return encoded;
}

std::string quoted_value(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\')
      quoted += '\\';
    quoted += c;
  }
  return quoted + '\'';
}

} // namespace

std::string conninfo_of(const config::settings& settings) {
  auto url = config::current(settings.database.url);
  HOLDFAST_INVARIANT(!url.empty(), "a node without a URL has a private cluster");
  const auto password = config::current(settings.database.password);
  if (password.empty())
    return url;
  if (!is_uri(url))
    return url + " password=" + quoted_value(password);
  const char separator = url.find('?') == std::string::npos ? '?' : '&';
  return url + separator + "password=" + percent_encoded(password);
}

persistence::private_cluster_options private_cluster_of(const config::settings& settings) {
  persistence::private_cluster_options options;
  options.directory =
      (std::filesystem::absolute(settings.node.data_dir) / "postgres").lexically_normal().string();
  options.shared_buffers = std::to_string(settings.database.private_shared_buffers_mb) + "MB";
  constexpr std::uint32_t for_people = 20; // verify, reports, psql
  options.max_connections =
      std::max(options.max_connections, connections_of(settings) + for_people);
  return options;
}

std::uint32_t connections_of(const config::settings& settings) {
  // One more each for membership, for the pruner and, while it runs, for an audit.
  return settings.writer.lanes + 2 * settings.reader.lanes + 3;
}

std::optional<std::filesystem::path> objects_directory_of(const config::settings& settings) {
  if (!settings.objects.directory.empty())
    return std::filesystem::absolute(settings.objects.directory).lexically_normal();
  if (settings.database.url)
    return std::nullopt;
  return (std::filesystem::absolute(settings.node.data_dir) / "objects").lexically_normal();
}

core::outcome<std::shared_ptr<connectors::webhook_sender>>
webhook_sender_of(const config::settings& settings) {
  if (const auto why = documents::check_event_source(settings.events.source);
      why.code != core::errc::none)
    return core::failure{why.code, "events.source: " + why.detail};
  auto allowed = connectors::parse_networks(settings.webhooks.allowed_networks);
  if (!allowed)
    return core::failure{allowed.error().code,
                         "webhooks.allowed_networks: " + allowed.error().detail};
  if (!settings.webhooks.ca_file.empty())
    if (const auto trusted = connectors::read_authorities(settings.webhooks.ca_file); !trusted)
      return trusted.error();
  connectors::http_sender_options options;
  const auto& secrets = settings.webhooks.secrets;
  options.secrets = secrets.empty() ? std::filesystem::path{settings.node.data_dir} / "secrets"
                                    : std::filesystem::path{secrets};
  options.guard = connectors::address_guard{std::move(*allowed)};
  options.ca_file = settings.webhooks.ca_file;
  options.user_agent = std::string{"Holdfast/"} + version;
  options.connect_timeout = settings.webhooks.connect_timeout;
  return std::shared_ptr<connectors::webhook_sender>{
      connectors::open_http_sender(std::move(options))};
}

core::outcome<std::shared_ptr<connectors::trace_exporter>>
trace_exporter_of(const config::settings& settings, std::uint64_t seed,
                  std::function<void(const std::string& why)> report) {
  const auto& traces = settings.traces;
  if (traces.endpoint.empty())
    return std::shared_ptr<connectors::trace_exporter>{};
  if (const auto headers = connectors::parse_headers(config::current(traces.headers)); !headers)
    return core::failure{headers.error().code, "traces.headers: " + headers.error().detail};
  if (!traces.ca_file.empty())
    if (const auto trusted = connectors::read_authorities(traces.ca_file); !trusted)
      return trusted.error();
  connectors::trace_exporter_options options;
  options.endpoint = traces.endpoint;
  options.headers = [headers = traces.headers] { return config::current(headers); };
  options.ca_file = traces.ca_file;
  options.user_agent = std::string{"Holdfast/"} + version;
  options.resource = {version, settings.node.name};
  options.sample_percent = traces.sample_percent;
  options.queue_max = traces.queue_max;
  options.batch_max = traces.batch_max;
  options.flush_interval = traces.flush_interval;
  options.timeout = traces.timeout;
  options.seed = seed;
  options.report = std::move(report);
  return connectors::open_trace_exporter(std::move(options));
}

client::peer_settings peer_settings_of(const config::settings& settings) {
  client::peer_settings peers;
  peers.scheduler_threads = settings.node.scheduler_threads;
  peers.heartbeat = settings.peers.heartbeat;
  peers.connection_timeout = settings.peers.connection_timeout;
  return peers;
}

namespace {

/// What is broken by the checks that look into tables; objects are for `holdfast verify` alone.
core::outcome<std::vector<actors::broken_invariant>>
audit(const std::string& conninfo, const persistence::verify_options& options) {
  auto results = persistence::verify(conninfo, {}, options);
  if (!results)
    return results.error();
  std::vector<actors::broken_invariant> broken;
  for (auto& result : *results)
    if (result.violations != 0)
      broken.push_back({result.what.invariant, result.what.name, result.violations,
                        result.samples.empty() ? std::string{} : result.samples.front()});
  return broken;
}

} // namespace

actors::node_settings node_settings_of(const config::settings& settings, const node_start& start) {
  actors::node_settings node;
  node.name = settings.node.name;
  node.incarnation = start.incarnation;
  const auto& advertised = settings.node.advertised_address;
  node.address = (advertised.empty() ? settings.node.listen_address : advertised) + ':'
                 + std::to_string(start.port);
  node.version = version;
  node.seed = start.seed;

  node.shards = settings.node.shards;
  node.heartbeat_interval = settings.node.heartbeat_interval;
  node.lease_time = settings.node.lease_time;
  node.time_suspended = time_suspended;
  node.dial_interval = settings.cluster.dial_interval;
  node.forward_patience = settings.cluster.forward_patience;

  node.batching.batch_max = settings.writer.batch_max;
  node.batching.high_water = settings.writer.high_water;
  node.batching.rejoin_max = settings.writer.rejoin_max;
  node.reader_lanes = settings.reader.lanes;
  node.writer_lanes = settings.writer.lanes;
  node.writer_retry_min = settings.writer.retry_min;
  node.writer_retry_max = settings.writer.retry_max;

  node.extension_delay = settings.task.extension_delay;
  node.claims_waiting_max = settings.task.claims_waiting_max;
  node.claim_connections_max = settings.task.claim_connections_max;
  node.actions_running_max = settings.task.actions_running_max;
  node.actions_kept = settings.task.actions_kept;
  node.action_chunk = settings.task.action_chunk;
  node.intake_interval = settings.task.intake_interval;
  node.sweep_interval = settings.sweep.interval;

  node.session_grace = settings.owner.session_grace;
  node.leases_max = settings.owner.leases_max;
  node.sessions_max = settings.owner.sessions_max;
  node.sessions_per_client = settings.owner.sessions_per_client;

  node.unit_idle_timeout = settings.unit.idle_timeout;
  node.units_live_max = settings.unit.live_max;
  node.unit_prefetch = settings.unit.prefetch;

  node.events_batch_max = settings.events.batch_max;
  node.events_redeliver_after = settings.events.redeliver_after;
  node.events_high_water = settings.events.high_water;
  node.events_retention = settings.events.retention;
  node.events_reads_max = settings.events.reads_max;
  node.events_source = settings.events.source;
  node.events_prune_interval = settings.events.prune_interval;
  node.audit_retention = settings.audit.retention;

  node.json.bytes_max = settings.limits.payload_bytes;
  node.json.depth_max = settings.limits.json_depth;
  node.rows_max = settings.limits.batch_rows;

  node.objects = start.objects;
  node.inline_bytes = settings.objects.inline_bytes;
  node.object_lanes = settings.objects.lanes;
  node.object_bytes_most = std::uint64_t{settings.objects.under_way_mb} * 1024 * 1024;
  node.objects_sweep_after = settings.objects.sweep_after;
  node.objects_sweep_interval = settings.objects.sweep_interval;

  node.webhooks = start.webhooks;
  node.tracer = start.tracer;
  node.webhooks_look_interval = settings.webhooks.look_interval;
  node.push_requests_max = settings.push.requests_max;
  // The rest is for what the answers make to be written.
  node.push_drain_time = settings.node.drain_timeout / 2;

  node.find_zone = calendar::find_zone;

  node.audit_interval = settings.audit.interval;
  node.audit = [conninfo = start.conninfo, name = "holdfast audit of " + node.name,
                most = settings.audit.time_max] {
    return audit(conninfo(), {name, most});
  };

  node.restarts.restarts_max = settings.supervision.restarts_max;
  node.restarts.within = settings.supervision.within;

  node.open_store = [conninfo = start.conninfo,
                     name = node.name]() -> std::unique_ptr<persistence::store> {
    persistence::postgres_options options;
    options.conninfo = conninfo;
    options.application_name = "holdfast node " + name;
    return std::make_unique<persistence::postgres_store>(std::move(options));
  };
  return node;
}

} // namespace holdfast::app
