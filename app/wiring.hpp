#pragma once

#include "actors/node_settings.hpp"
#include "client/peer_system.hpp"
#include "config/settings.hpp"
#include "connectors/trace_exporter.hpp"
#include "connectors/webhook_sender.hpp"
#include "core/outcome.hpp"
#include "objects/object_store.hpp"
#include "persistence/private_cluster.hpp"
#include "persistence/session.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

/// From the configuration to what each part takes. The only place that knows both.
namespace holdfast::app {

/// The connection string of the configured server, with the password as its file has it now.
/// Requires a `database.url`.
std::string conninfo_of(const config::settings& settings);

/// The private server of a node without `database.url`.
persistence::private_cluster_options private_cluster_of(const config::settings& settings);

/// Connections to the database that a node with this configuration has open at once, at most.
std::uint32_t connections_of(const config::settings& settings);

/// Where the object store is; none when every payload is in its row.
std::optional<std::filesystem::path> objects_directory_of(const config::settings& settings);

/// What carries webhooks to their receivers; `invalid_argument` when the configuration names what
/// is no network.
core::outcome<std::shared_ptr<connectors::webhook_sender>>
webhook_sender_of(const config::settings& settings);

/// The sender of traces to their collector; null when the configuration names none, and
/// `invalid_argument` when its headers or its authorities cannot be used. `report` as in
/// `trace_exporter_options`.
core::outcome<std::shared_ptr<connectors::trace_exporter>>
trace_exporter_of(const config::settings& settings, std::uint64_t seed,
                  std::function<void(const std::string& why)> report);

/// How the process takes part in the network.
client::peer_settings peer_settings_of(const config::settings& settings);

/// What differs between two starts of the same configuration.
struct node_start {
  core::incarnation_id incarnation;
  std::uint64_t seed = 0;
  persistence::conninfo_source conninfo;
  std::uint16_t port = 0;                         ///< The one to be published at.
  std::shared_ptr<objects::object_store> objects; ///< None: every payload is in its row.
  std::shared_ptr<connectors::webhook_sender> webhooks;
  core::tracer_ptr tracer{}; ///< Null: nothing is traced.
};

/// All but `log`, `dial` and `on_gateway`.
actors::node_settings node_settings_of(const config::settings& settings, const node_start& start);

} // namespace holdfast::app
