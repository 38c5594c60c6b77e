#pragma once

#include "core/ids.hpp"
#include "examples/bulk_actions/rules.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

/// The file of an export, while it grows and when it is there.
namespace bulk {

/// Where the file of a task is, once it is finished; until then there is none of this name.
std::filesystem::path export_path(const std::filesystem::path& directory,
                                  const core::task_id& task);

/// Written under one lease. Each lease has a file of its own, which begins with what the bookmark
/// says is done of the file before it: who lost the lease and does not know it yet writes into a
/// file that nobody reads any more. What a disk does not do is thrown as `trouble`, transient.
class export_file {
public:
  export_file(std::filesystem::path directory, const core::task_id& task, core::token token);
  /// Clears up when the finished file is there: who wakes up too late may have begun another.
  ~export_file();

  export_file(const export_file&) = delete;
  export_file& operator=(const export_file&) = delete;

  /// Adds text behind what is done and waits until it is on the disk. The bookmark behind it; `at`
  /// is the one before.
  bookmark append(bookmark at, const std::string& text);

  /// Whether what the bookmark says is done is there. Who gave the task up has removed it.
  bool has(const bookmark& at) const;

  /// Makes the finished file appear, whole, under the name of the task. May be repeated, by anybody
  /// who holds the task after it was finished.
  void publish(const bookmark& at);

  /// Removes what is left of the task on the way, of all leases.
  void clear() noexcept;

private:
  std::filesystem::path part_of(core::token token) const;
  void begin_with(const bookmark& at);

  const std::filesystem::path directory_;
  const core::task_id task_;
  const core::token token_;
  bool begun_ = false;
};

} // namespace bulk
