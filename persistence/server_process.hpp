#pragma once

#include "core/outcome.hpp"
#include "core/time.hpp"

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace holdfast::persistence {

/// An operating system account, looked up before a fork, because the lookup is not safe after it.
struct os_user {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
};

/// The account of that name, or none.
std::optional<os_user> find_os_user(const std::string& name);

/// The name of the account this process runs as; its number when it has no name.
std::string own_user_name();

/// The first directory on the way to `directory`, itself included, that `user` may not enter. Asks
/// the kernel by trying, so that access lists and capabilities count. Empty when the way is free.
std::string first_barrier(const os_user& user, const std::string& directory);

struct program_start {
  std::string program; ///< Absolute path.
  std::vector<std::string> arguments;
  std::optional<os_user> run_as; ///< None: as this process.
  int output = 1;                ///< Descriptor for its standard output and error.
  int death_signal = 0;          ///< Sent to it when the thread that starts it ends; 0 for none.
};

/// A child process in a session of its own, with a clean environment and no inherited descriptors.
/// Does not end the child when it is destroyed.
class server_process {
public:
  /// Returns after the child has become `program`, or the reason why it could not.
  ///
  /// The death signal belongs to the calling thread, not to the process: call this on a thread
  /// that lives as long as the process, i.e. the main thread.
  static core::outcome<server_process> start(const program_start& what);

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// Waits until it has ended; false when that takes longer than `limit`.
  bool ended_within(core::duration limit);
  /// Its status as of wait(2), once it has ended.
  int exit_status() const { return exit_status_; }

private:
  explicit server_process(pid_t pid) : pid_(pid) {}

  bool reap();

  pid_t pid_ = -1;
  bool ended_ = false;
  int exit_status_ = 0;
};

/// Waits until no process has `pid` any more, or until `limit` has passed. For processes that are
/// not children.
bool gone_within(pid_t pid, core::duration limit);

/// Processes whose working directory is `directory`: for a data directory its postmaster and,
/// should that have been killed, the backends that outlive it for a moment.
std::vector<pid_t> processes_in(const std::string& directory);

} // namespace holdfast::persistence
