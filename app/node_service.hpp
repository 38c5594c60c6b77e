#pragma once

#include "app/data_dir.hpp"
#include "app/exit_codes.hpp"
#include "app/gateway_port.hpp"
#include "app/http_entrance.hpp"
#include "app/listen_port.hpp"
#include "app/logging.hpp"
#include "app/main_loop.hpp"
#include "app/node_additions.hpp"
#include "app/node_link.hpp"
#include "app/node_workers.hpp"
#include "app/peer_node_dialer.hpp"
#include "client/peer_system.hpp"
#include "config/load.hpp"
#include "connectors/trace_exporter.hpp"
#include "connectors/webhook_sender.hpp"
#include "core/errors.hpp"
#include "messages/interfaces.hpp"
#include "metrics/registry.hpp"
#include "objects/object_store.hpp"
#include "persistence/private_cluster.hpp"

#include <caf/actor.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::app {

/// The process around one node: database, actors, published gateway, signals.
///
///   start the database ─► check and migrate it ─► claim the name ─► spawn the node ─► publish its
///   gateway (ready) ─► workers
///        SIGTERM or SIGINT ─► unpublish ─► stop workers ─► drain ─► stop the database ─► exit
///        the root ends     ─────────────────────────────────► stop the database ─► exit with its
///                                                             reason
///
/// Everything here runs on the main thread: the kernel ends the private database when the thread
/// that started it ends.
class node_service {
public:
  /// Both arguments must live as long as this.
  node_service(const config::loaded& configuration, const node_additions& additions);

  /// Returns when the node has ended.
  exit_code run();

private:
  std::optional<exit_code> take_directory();
  std::optional<exit_code> choose_port();
  std::optional<exit_code> start_database();
  bool meets_preconditions();
  void tell_of_server_settings();
  std::optional<exit_code> claim_name();
  std::string database_conninfo();
  std::optional<exit_code> open_objects();
  std::optional<exit_code> open_webhooks();
  std::optional<exit_code> open_traces();
  exit_code run_actors();
  void publish(const msg::member_gateway_actor& gateway);
  bool open_link();
  bool open_http(const msg::member_gateway_actor& gateway);
  std::optional<exit_code> choose_local_users();
  bool give_up_on_port(const core::failure& why);
  void announce();
  bool write_node_file_now();
  void watch_database();
  void restart_database();
  void stop_workers();
  exit_code drain(const caf::actor& root);
  exit_code ended_by_itself() const;
  void stop_database();

  const config::loaded& configuration_;
  config::settings settings_;
  const node_additions& additions_;
  main_loop loop_;
  log_stream log_;
  std::optional<data_dir_lock> directory_lock_;
  std::optional<held_port> held_port_;      ///< Until the end: it is listened on anew now and then.
  std::uint16_t port_ = 0;                  ///< For peers.
  std::optional<held_port> held_http_port_; ///< None without `http.port`.
  std::optional<persistence::private_cluster> cluster_;
  std::mutex conninfo_mutex_;
  std::string conninfo_; ///< As it was last asked for, or that of the private database.
  std::shared_ptr<objects::object_store> objects_;
  std::shared_ptr<connectors::webhook_sender> webhooks_;
  core::incarnation_id incarnation_;

  const std::shared_ptr<metrics::registry> registry_ = std::make_shared<metrics::registry>();
  std::shared_ptr<connectors::trace_exporter> traces_; ///< Null without `traces.endpoint`.
  metrics::registration traces_reported_;
  caf::actor_system* actors_ = nullptr; ///< Of `run_actors`.
  std::optional<gateway_port> gateway_;
  std::optional<peer_node_dialer> dialer_;
  std::unique_ptr<node_link> link_;     ///< Null without TLS.
  std::unique_ptr<http_entrance> http_; ///< Null without `http.port`.
  std::shared_ptr<link::peer_directory> peers_ = std::make_shared<link::peer_directory>();
  std::optional<node_workers> workers_; ///< None when there are no handlers.
  /// Of `link_`, for the actors' threads, which end before it; null until it is open.
  std::atomic<const link::link_counters*> link_counters_{nullptr};
  /// `link_` for the middleman's thread, likewise.
  std::atomic<node_link*> open_link_{nullptr};
  bool workers_stopped_ = false;
  bool announced_ = false;
  struct {
    std::uint32_t failed = 0; ///< In a row.
    std::chrono::steady_clock::time_point not_before{};
  } database_starts_;
  bool socket_missed_ = false;       ///< At the last look.
  std::optional<exit_code> give_up_; ///< Set when the node cannot go on for a reason of ours.
  bool root_ended_ = false;
  core::failure root_reason_; ///< `none` when the root ended as it was told to.
};

} // namespace holdfast::app
