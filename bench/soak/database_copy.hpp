#pragma once

#include "persistence/private_cluster.hpp"

#include <memory>
#include <string>

namespace holdfast::soak {

/// A copy of a soak's database that lags behind it. A failover to an asynchronous standby, or the
/// restore of an older copy, puts it in the place of the database. A server of its own in a
/// directory of its own, reached by its socket only by the harness. Belongs to the main thread.
class database_copy {
public:
  enum class manner {
    standby, ///< Streams from the database, asynchronously, until it is cut off.
    backup,  ///< A base backup: the same server and timeline to whoever asks.
  };

  /// Copies the server at `conninfo`, whose data belong to `account`, and starts the copy, with the
  /// programs in `programs` where these are named. It has everything that was committed before the
  /// call. Throws `std::runtime_error` with what went wrong.
  database_copy(manner how, std::string directory, const std::string& conninfo,
                const std::string& account, const std::string& programs);

  /// From now on it gets nothing more. Returns when it shows all that it has got.
  void cut_off();
  const std::string& conninfo() const { return server_->conninfo(); }
  /// Stops it, so that its data can be moved to where the database is.
  void stop();
  std::string data() const { return directory_ + "/pgdata"; }

private:
  void copy(const std::string& conninfo, const std::string& account) const;
  void await_stream(const std::string& conninfo) const;

  manner how_;
  std::string directory_;
  std::unique_ptr<persistence::private_cluster> server_;
};

/// A value of a connection string. Throws `std::runtime_error` when it has none.
std::string value_in(const std::string& conninfo, const std::string& key);

/// A server in a directory that the accounts of servers may reach, too, as standbys do. Its
/// programs are those in `programs`; empty: the machine's.
std::unique_ptr<persistence::private_cluster> make_server(const std::string& directory,
                                                          const std::string& programs);

/// SIGKILL of a server and of all its processes, which would live on for a moment. Returns when
/// none of them is left.
void kill_server(persistence::private_cluster& server, const std::string& data);

} // namespace holdfast::soak
