#pragma once

#include "app/demo/node_process.hpp"
#include "app/demo/scratch_directory.hpp"
#include "bench/soak/checker.hpp"
#include "bench/soak/commit_interruptions.hpp"
#include "bench/soak/database.hpp"
#include "bench/soak/isolation.hpp"
#include "bench/soak/node_sample.hpp"
#include "client/connection.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::soak {

struct cluster_options {
  std::string program; ///< Path of `holdfast`.
  std::uint32_t nodes = 3;
  core::duration lease_time{};
  /// The positive control: the server acknowledges before it has written. The checker must see it.
  bool lazy_disk = false;
  bool standby = false;      ///< Of the server, for it to fail over to. Takes lines.
  bool wrong_clocks = false; ///< Those of the nodes can be made wrong.
  /// What cannot be made bad here: without an obstacle nodes are on lines of their own, and talk
  /// TLS, and the server is on a disk that can be made full.
  obstacles machine;
  /// Path of `holdfast` of the version before: nodes start with it at first. Empty: with `program`.
  std::string older_program{};
  /// Of the server's disk, where it can be made full.
  std::uint64_t disk_bytes = std::uint64_t{3} << 30;
  bool guest = false;               ///< There is a node more, which comes and goes.
  bool commits_interrupted = false; ///< Nodes come to the server by what can interrupt them.
  bool log_sessions = false;        ///< See `database_options`.
  bool copies = false;              ///< See `database_options`.
  bool wrong_server_clock = false;  ///< The server's wall clock can be made wrong.
  own_clock* users_clock = nullptr; ///< That of all users. Must outlive the cluster.
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
  core::duration lease_time() const { return options_.lease_time; }
  /// The number of the node more that `cluster_options::guest` asks for. It does not run at first,
  /// and nobody is told where it is.
  std::uint32_t guest() const { return options_.nodes; }
  /// Of all nodes, beginning with one.
  std::vector<client::endpoint> endpoints(std::uint32_t first) const;
  /// Starts a node that has ended.
  void start(std::uint32_t number);
  /// From the next start of each node on, the older program or the other one.
  void use_older(bool older);
  bool uses_older() const { return older_; }
  bool has_older() const { return !options_.older_program.empty(); }
  /// Its incarnation, by what it wrote itself.
  std::string incarnation(std::uint32_t number) const;
  /// Why a process that comes new to a node is not told how it is; empty when it is.
  std::string turned_away_by(std::uint32_t number) const;
  /// Empty when the node does not run.
  std::optional<process_reading> reading(std::uint32_t number) const;
  /// Lines that all nodes have logged so far about an event of this name.
  std::uint64_t log_lines(const std::string& event) const;

  database& server() { return *server_; }
  /// Its place on the lines.
  std::uint32_t server_place() const { return options_.nodes + 1; }
  /// Only where commits are interrupted.
  commit_interruptions& commits() { return *commits_; }
  /// The wall clock of a node. Only where they can be made wrong.
  wall_clock& clock_of(std::uint32_t number) { return clocks_.at(number); }
  /// Only where it was given.
  own_clock& clock_of_users() { return *options_.users_clock; }
  /// Only without the obstacle.
  network& lines() { return *network_; }
  std::string conninfo() const { return server_->conninfo(); }

  final_state stored() const { return stored_in(conninfo()); }
  /// The same of a copy of the database.
  static final_state stored_in(const std::string& conninfo);
  /// With indexes, and without the server's log.
  double database_mib() const;
  std::string directory() const { return directory_->path().string(); }
  void keep_directory() { directory_->keep(); }

private:
  const std::string& program() const { return older_ ? options_.older_program : options_.program; }
  void make_node(std::uint32_t number);
  void issue_certificates() const;
  std::vector<std::string> arguments_of(std::uint32_t number) const;
  link::credentials credentials_of(const std::string& name) const;
  std::string authority() const { return (directory_->path() / "ca").string(); }

  cluster_options options_;
  std::optional<app::demo::scratch_directory> directory_;
  std::optional<network> network_;
  std::shared_ptr<commit_interruptions> commits_;
  std::optional<database> server_;
  bool older_ = false;
  std::vector<wall_clock> clocks_; ///< Of the nodes, where they can be made wrong.
  std::vector<std::unique_ptr<app::demo::node_process>> nodes_;
};

} // namespace holdfast::soak
