#pragma once

#include "core/outcome.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace bulk {

using namespace holdfast;

/// A mail as the sink got it.
struct received_mail {
  std::string to;
  std::string id;
  std::string subject;
  std::string text;
};

/// The mail server of the story, `smtp_sink.py`, in a process of its own. Ends with this object, or
/// with this process.
///
///   started, refuses connections ── open ──► takes mails
class smtp_sink {
public:
  static core::outcome<smtp_sink> start(const std::filesystem::path& directory);

  smtp_sink(smtp_sink&& other) noexcept;
  smtp_sink& operator=(smtp_sink&&) = delete;
  ~smtp_sink();

  std::uint16_t port() const { return port_; }
  void open() const;
  /// Those it has accepted so far.
  std::vector<received_mail> mails() const;

private:
  smtp_sink(pid_t pid, int input, std::uint16_t port, std::filesystem::path file);

  pid_t pid_;
  int input_; ///< Our end of its standard input.
  std::uint16_t port_;
  std::filesystem::path file_;
};

} // namespace bulk
