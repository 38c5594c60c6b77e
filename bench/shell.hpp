#pragma once

#include <filesystem>
#include <string>

/// Other programs that the benchmarks need.
namespace holdfast::bench {

/// `text` as one word of a shell command.
std::string quoted(const std::string& text);

struct shell_result {
  int status = 0;     ///< As of `pclose`; 0 is success.
  std::string output; ///< stdout and stderr together.
};

/// Runs a command in a shell and waits for its end. Throws when no shell can be started.
shell_result run_shell(const std::string& command);

/// The same for a command that must succeed: throws with what it said when it does not.
void must_run(const std::string& command);

/// A directory of its own in /tmp, gone with this object.
class scratch_directory {
public:
  /// Throws when it cannot be made.
  scratch_directory();
  ~scratch_directory();

  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;

  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace holdfast::bench
