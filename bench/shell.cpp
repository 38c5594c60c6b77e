#include "bench/shell.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace holdfast::bench {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return out + '\'';
}

shell_result run_shell(const std::string& command) {
  FILE* pipe = popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (pipe == nullptr)
    throw std::runtime_error{"cannot run " + command};
  shell_result result;
  char buffer[4096];
  while (const auto read = std::fread(buffer, 1, sizeof buffer, pipe))
    result.output.append(buffer, read);
  result.status = pclose(pipe);
  return result;
}

void must_run(const std::string& command) {
  const auto end = run_shell(command);
  if (end.status != 0)
    throw std::runtime_error{command + ": " + end.output};
}

scratch_directory::scratch_directory() {
  char name[] = "/tmp/holdfast-bench-XXXXXX";
  if (mkdtemp(name) == nullptr)
    throw std::runtime_error{"cannot make a directory in /tmp"};
  path_ = name;
}

scratch_directory::~scratch_directory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace holdfast::bench
