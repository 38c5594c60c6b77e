#pragma once

#include "bench/soak/commit_proxy.hpp"
#include "bench/soak/database_copy.hpp"
#include "bench/soak/history.hpp"
#include "bench/soak/isolation.hpp"
#include "persistence/private_cluster.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::soak {

struct database_options {
  std::string directory;
  bool small_disk = false;      ///< On file systems that can be made full.
  std::uint64_t disk_bytes = 0; ///< Of each of these.
  /// The positive control: it acknowledges before it has written.
  bool lazy_disk = false;
  /// Lines on which nodes reach it over TCP; null: they come by its socket. Must outlive it.
  const network* lines = nullptr;
  /// Its place on these lines; that of the standby is the one behind.
  std::uint32_t place = 0;
  /// With a standby that has every commit before it is acknowledged. Takes lines.
  bool standby = false;
  /// What interrupts commits of nodes, which then come by a proxy; null: they come to the server.
  std::shared_ptr<commit_interruptions> commits{};
  bool log_sessions = false; ///< Its log says of each session when it began, and whose it is.
  bool copies = false;       ///< Copies of it can be made, and take its place.
  bool wrong_clock = false;  ///< Its wall clock can be made wrong.
};

/// The database of a soak. Belongs to the main thread, because servers end with the thread that
/// started them. Throws `std::runtime_error` with what went wrong.
class database {
public:
  /// Starts it.
  explicit database(database_options options);
  ~database();

  /// For the harness, which is on the same machine, and for a node. Both stay true when the standby
  /// takes over.
  std::string conninfo() const;
  std::string conninfo_of_nodes() const;

  bool running() { return primary().running(); }
  /// SIGKILL, unless it does not run.
  void crash();
  void restart() { start(primary_); }
  /// SIGKILL; the standby becomes the server. Returns when it takes commits. A new standby follows
  /// by `restore_standby`.
  void fail_over();
  bool has_standby() const { return options_.standby; }
  /// SIGKILL of the standby: no commit is acknowledged until it is back.
  void kill_standby();
  /// Starts it again as it was.
  void start_standby();
  /// Makes a standby of what was the server before: until then nothing is kept twice. Returns when
  /// it has every commit.
  void restore_standby();

  /// Makes a copy that lags behind from `cut_off` on.
  database_copy& make_copy(database_copy::manner how);
  /// SIGKILL of the server and of all its processes; the copy takes its place and its address, and
  /// commits that the copy lacks are gone. A standby is gone, too, until `restore_standby`. Returns
  /// when it takes commits.
  void replace_by_copy();
  /// Starts the replaced server again, apart from all nodes, for the harness to read it.
  std::string start_replaced();
  /// Deletes the replaced server.
  void remove_replaced();

  /// The wall clock of all its servers. Only where it can be made wrong.
  wall_clock& server_clock() { return *clock_; }
  /// Of the server's own place.
  small_disk& disk() { return *disks_.at(primary_); }
  /// How often it has said in its log that it has no space left.
  std::uint64_t full_disk_reports() const { return log_lines("No space left on device"); }
  /// How often it has said in its log that it lets nobody in, because every connection is taken.
  std::uint64_t full_slots_reports() const { return log_lines("sorry, too many clients already"); }
  /// When sessions of nodes began, by its log, if that says so.
  std::vector<clock::time_point> sessions_of_nodes() const;

private:
  persistence::private_cluster& primary() { return *servers_.at(primary_); }
  std::string directory_of(std::uint32_t which) const;
  std::string address_of(std::uint32_t which) const;
  std::uint64_t log_lines(const char* text) const;
  void await_killed(std::uint32_t which) const;
  void start(std::uint32_t which);
  void crash(persistence::private_cluster& server);
  void allow_connections();
  std::string account() const;
  void put_proxy_before(std::uint32_t which);
  std::string directory_of_proxy() const { return options_.directory + "/proxy"; }
  void copy_to(std::uint32_t which);
  void await_standby();

  void put_on_clock();
  void promote();

  database_options options_;
  std::string programs_; ///< Where those of the servers are; empty: the machine's.
  std::unique_ptr<wall_clock> clock_;
  std::array<std::unique_ptr<small_disk>, 2> disks_;
  std::array<std::unique_ptr<persistence::private_cluster>, 2> servers_;
  std::uint32_t primary_ = 0;
  std::array<std::unique_ptr<commit_proxy>, 2> proxies_; ///< Before each server that runs.
  std::unique_ptr<database_copy> copy_;
  std::unique_ptr<persistence::private_cluster> replaced_;
};

} // namespace holdfast::soak
