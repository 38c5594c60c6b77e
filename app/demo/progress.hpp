#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace holdfast::app::demo {

/// Where the demo stands.
struct progress_state {
  std::uint64_t units_done = 0;
  std::uint64_t units = 0;
  std::uint64_t judgments_done = 0;
  std::uint64_t judgments = 0;
  std::uint64_t leases = 0; ///< Contributors at work on a unit now.
  std::string note;         ///< What is going on besides, such as a restart; may be empty.
};

/// Shows progress: one line that is drawn over and over on a terminal, a line now and then
/// elsewhere.
class progress_bar {
public:
  using clock = std::chrono::steady_clock;

  progress_bar(std::ostream& out, bool terminal);
  ~progress_bar();

  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  void show(const progress_state& state, clock::time_point now);

  /// Has the next `show` draw, however soon it comes.
  void hurry() { shown_ = {}; }

  /// Writes `line` above the bar.
  void say(const std::string& line);

  /// Takes the bar off the terminal, for what somebody else writes there, until the next `show`.
  void clear();

private:
  double rate(std::uint64_t done, clock::time_point now);

  std::ostream& out_;
  const bool terminal_;
  const clock::time_point started_;
  clock::time_point shown_{};
  clock::time_point rated_at_{};
  std::uint64_t rated_done_ = 0;
  double rate_ = 0;
  bool drawn_ = false;
};

/// The bar as text, without end of line.
std::string progress_line(const progress_state& state, double judgments_per_second,
                          std::chrono::seconds elapsed);

} // namespace holdfast::app::demo
