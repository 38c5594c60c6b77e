#pragma once

#include "core/outcome.hpp"
#include "core/time.hpp"
#include "persistence/server_process.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::persistence {

struct private_cluster_options {
  /// Where everything of the cluster lives: `pgdata/`, the server's configuration, `server.log`,
  /// and `socket/` unless its path is too long for a socket. Made when missing.
  std::string directory;
  /// Where the server's programs are. Empty: Debian's places, the newest version first, then PATH.
  std::string binary_directory;
  /// As PostgreSQL's option of that name.
  std::string shared_buffers = "256MB";
  /// As PostgreSQL's option of that name.
  std::uint32_t max_connections = 40;
  /// Accounts besides our own that may connect, as the database's owner.
  std::vector<std::string> allowed_users;
  /// For the server to answer, or to say again that it recovers.
  core::duration start_timeout = std::chrono::seconds{60};
  /// Whether nobody wants it to start any more; asked while it does. None: somebody does.
  std::function<bool()> stop_asked{};
  /// For a fast shutdown; then the server is stopped at once and recovers at its next start.
  core::duration stop_timeout = std::chrono::seconds{30};
  /// How long another node may still use the directory before starting gives up: a killed
  /// predecessor's server is shutting down, anything longer is a second node.
  core::duration predecessor_timeout = std::chrono::seconds{5};
};

/// A PostgreSQL server of our own in a directory: for a node that was given no database.
///
///   stopped ── start ──► running ── stop ──► stopped
///                           │ our process dies: the kernel sends the server SIGINT, which is a
///                           └ fast shutdown; the next start waits for its end
///
/// Only a unix socket in a directory of mode 0700 leads to it, and only the accounts listed may
/// connect (peer authentication); there is no password and no TCP. As root, the server runs as
/// `postgres`, or `nobody` where that does not exist, because it refuses to run as root.
///
/// Start it on the main thread: the kernel ties the server's life to the thread that started it.
class private_cluster {
public:
  explicit private_cluster(private_cluster_options options);
  /// Stops the server.
  ~private_cluster();
  private_cluster(const private_cluster&) = delete;
  private_cluster& operator=(const private_cluster&) = delete;

  /// Makes the cluster if there is none, starts the server and waits until it answers.
  core::outcome<bool> start();

  enum class shutdown {
    fast,     ///< Ends sessions, writes a checkpoint.
    immediate ///< As in a crash: the next start recovers from the log.
  };
  /// Stops the server; succeeds when it is not running.
  core::outcome<bool> stop(shutdown how);

  bool running();
  /// Whether its socket is where connections look for it. A server does not notice when it is
  /// deleted, as cleaners of /tmp do: open sessions go on, and nobody can open another one. Then
  /// only a restart helps. Valid after a start.
  bool reachable() const;
  /// For libpq. Valid after the first start.
  const std::string& conninfo() const { return conninfo_; }
  pid_t server_pid() const { return server_ ? server_->pid() : 0; }

private:
  core::outcome<bool> prepare_directory();
  core::outcome<bool> lock_directory();
  core::outcome<bool> await_predecessor();
  core::outcome<bool> find_binaries();
  core::outcome<bool> choose_socket_directory();
  core::outcome<bool> make_cluster();
  core::outcome<bool> write_configuration();
  core::outcome<bool> launch();
  core::outcome<bool> await_answer();
  core::outcome<bool> make_private(const std::string& directory);
  std::string path(const std::string& name) const { return options_.directory + '/' + name; }

  private_cluster_options options_;
  std::optional<os_user> server_user_; ///< None: our own account.
  std::string binaries_;
  int version_ = 0; ///< The major version of these.
  std::string socket_directory_;
  std::string conninfo_;
  std::optional<server_process> server_;
  int lock_ = -1;
};

} // namespace holdfast::persistence
