#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace holdfast::test {

/// A program that runs beside the test, until it is told to end; with our standard output. Killed
/// at the latest with the test itself.
class child_program {
public:
  child_program(const std::string& program, const std::vector<std::string>& arguments);
  ~child_program();

  child_program(const child_program&) = delete;
  child_program& operator=(const child_program&) = delete;

  void signal(int number);
  /// How it ended: its exit code, or 128 + the signal; empty when it still runs after `limit`.
  std::optional<int> ended_within(std::chrono::seconds limit);

private:
  pid_t pid_ = -1;
  int watch_ = -1; ///< Readable when it has ended.
};

} // namespace holdfast::test
