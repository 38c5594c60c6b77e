#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace holdfast::bench {

/// A process of this program, with what it prints. It ends with this object, or before.
class child {
public:
  /// `arguments` begin with the program's name.
  explicit child(const std::vector<std::string>& arguments) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0)
      throw std::runtime_error{"cannot make a pipe"};
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      std::vector<char*> words;
      for (const auto& argument : arguments)
        words.push_back(const_cast<char*>(argument.c_str()));
      words.push_back(nullptr);
      execv("/proc/self/exe", words.data());
      _exit(127);
    }
    close(ends[1]);
    out_ = fdopen(ends[0], "r");
  }
  ~child() {
    if (!ended()) {
      die();
      waitpid(pid_, nullptr, 0);
    }
    fclose(out_);
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  /// False when it ends before it has printed a line.
  bool printed_line() {
    for (int c = fgetc(out_); c != EOF; c = fgetc(out_))
      if (c == '\n')
        return true;
    return false;
  }
  bool ended() {
    over_ = over_ || waitpid(pid_, nullptr, WNOHANG) == pid_;
    return over_;
  }
  void die() const { kill(pid_, SIGKILL); }

private:
  pid_t pid_ = 0;
  FILE* out_ = nullptr;
  bool over_ = false;
};

} // namespace holdfast::bench
