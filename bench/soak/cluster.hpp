#pragma once

#include "app/demo/node_process.hpp"
#include "app/demo/scratch_directory.hpp"
#include "bench/soak/checker.hpp"
#include "bench/soak/isolation.hpp"
#include "client/connection.hpp"
#include "persistence/private_cluster.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct pg_conn;

namespace holdfast::soak {

/// A connection of the harness itself. Throws `std::runtime_error` when the server is away.
class sql_session {
public:
  explicit sql_session(const std::string& conninfo);
  ~sql_session();
  sql_session(const sql_session&) = delete;
  sql_session& operator=(const sql_session&) = delete;

  /// Rows of text.
  std::vector<std::vector<std::string>> rows(const std::string& query);
  void run(const std::string& statement) { rows(statement); }

private:
  pg_conn* connection_;
};

struct cluster_options {
  std::string program; ///< Path of `holdfast`.
  std::uint32_t nodes = 3;
  core::duration lease_time{};
  /// The positive control: the server acknowledges before it has written. The checker must see it.
  bool lazy_disk = false;
  /// What cannot be made bad here: without an obstacle nodes are on lines of their own, and talk
  /// TLS, and the server is on a disk that can be made full.
  obstacles machine;
};

/// The server and the nodes, each a process. Belongs to the main thread, because they end with the
/// thread that started them.
class cluster {
public:
  /// Starts all of it. Throws with what went wrong.
  explicit cluster(cluster_options options);
  ~cluster();

  static std::string name_of(std::uint32_t node) { return "n" + std::to_string(node); }
  app::demo::node_process& node(std::uint32_t number) { return *nodes_.at(number); }
  std::uint32_t size() const { return options_.nodes; }
  /// Of all nodes, beginning with one.
  std::vector<client::endpoint> endpoints(std::uint32_t first) const;
  /// Starts a node that has ended.
  void start(std::uint32_t number);
  /// Its incarnation, by what it wrote itself.
  std::string incarnation(std::uint32_t number) const;
  /// Resident memory of a node in MiB; 0 when it does not run.
  double memory(std::uint32_t number) const;

  /// SIGKILL.
  void crash_server();
  void restart_server();
  bool server_runs() { return server_->running(); }
  /// How often the server has said in its log that it has no space left.
  std::uint64_t full_disk_reports() const;
  /// Only without the obstacle.
  network& lines() { return *network_; }
  small_disk& disk() { return *disk_; }
  const std::string& conninfo() const { return server_->conninfo(); }

  final_state stored() const;
  std::string directory() const { return directory_->path().string(); }
  void keep_directory() { directory_->keep(); }

private:
  void start_at_first(std::uint32_t number);
  void issue_certificates() const;
  std::vector<std::string> arguments_of(std::uint32_t number) const;
  link::credentials credentials_of(const std::string& name) const;
  std::string postgres() const { return (directory_->path() / "postgres").string(); }
  std::string authority() const { return (directory_->path() / "ca").string(); }

  cluster_options options_;
  std::optional<app::demo::scratch_directory> directory_;
  std::optional<network> network_;
  std::optional<small_disk> disk_;
  std::optional<persistence::private_cluster> server_;
  std::vector<std::unique_ptr<app::demo::node_process>> nodes_;
};

} // namespace holdfast::soak
