#pragma once

#include "core/outcome.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>

namespace holdfast::app {

/// What a running node tells the tools about itself, in `<data_dir>/node.json`. Readable by its
/// owner only: the connection string may hold a password.
struct node_file {
  pid_t pid = 0;
  std::string address; ///< At which it is reached from this machine.
  std::uint16_t port = 0;
  std::string incarnation;
  std::string database; ///< Connection string of its database.

  /// False when it was killed and could not remove the file.
  bool alive() const;
};

/// The right to run a node on a data directory. Held until the process ends, however it ends.
class data_dir_lock {
public:
  /// Creates the directory if need be and takes the lock. `already_exists` when another process has
  /// it, `invalid_argument` when the directory cannot be used.
  static core::outcome<data_dir_lock> take(const std::filesystem::path& directory);

  data_dir_lock(data_dir_lock&& other) noexcept;
  data_dir_lock& operator=(data_dir_lock&& other) noexcept;
  ~data_dir_lock();

private:
  explicit data_dir_lock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

/// Writes `node.json` so that a reader sees the old one or the new one, never half of it.
core::outcome<bool> write_node_file(const std::filesystem::path& directory, const node_file& node);

/// Reads `node.json`. `not_found` when there is none, which means that no node runs there (or that
/// it is still starting); `invalid_argument` when it cannot be read.
core::outcome<node_file> read_node_file(const std::filesystem::path& directory);

/// Removes `node.json`: the node is stopping.
void remove_node_file(const std::filesystem::path& directory);

} // namespace holdfast::app
