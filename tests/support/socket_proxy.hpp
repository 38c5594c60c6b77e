#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace holdfast::test {

/// Where the proxy interferes with the next COMMIT that a client sends.
enum class commit_cut {
  none,
  before, ///< Cuts both sides instead of passing COMMIT on: the server rolls back.
  after,  ///< Passes it on, waits until the server has committed, and cuts instead of answering.
  held,   ///< Cuts the client and keeps COMMIT until another session has sent a whole batch: the
          ///< old backend commits while the next attempt is already under way.
  silent, ///< Passes it on and swallows the answer without cutting.
};

/// Stands between a client and PostgreSQL on unix sockets, in a thread of its own, and cuts the
/// connection at a chosen point of the protocol.
class socket_proxy {
public:
  /// Listens as `<directory>/.s.PGSQL.5432` and forwards to the same name in `upstream_directory`.
  socket_proxy(const std::string& directory, const std::string& upstream_directory);
  ~socket_proxy();
  socket_proxy(const socket_proxy&) = delete;
  socket_proxy& operator=(const socket_proxy&) = delete;

  /// Interferes with the next COMMIT, once.
  void arm(commit_cut how);
  /// How many times it has interfered.
  int cuts() const;

private:
  struct link;
  struct links;

  void run();
  void accept_client(links& all);
  void from_client(link& one, links& all);
  void from_server(link& one);
  void message_from_client(link& one, links& all, const std::string& message);
  bool take_armed(commit_cut how);

  int listener_ = -1;
  int wake_ = -1;
  std::string upstream_;
  std::string path_;
  mutable std::mutex mutex_;
  commit_cut armed_ = commit_cut::none;
  int cuts_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

} // namespace holdfast::test
