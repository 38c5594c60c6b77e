#include "app/demo/progress.hpp"

#include "app/printable.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <ostream>

namespace holdfast::app::demo {

namespace {

using namespace std::chrono_literals;

constexpr auto redraw_interval = 100ms;
constexpr auto plain_interval = 5s;
/// The rate is that of the last second or so: the average would hide the gap after a kill.
constexpr auto rate_window = 1s;
constexpr std::size_t bar_width = 24;

} // namespace

std::string progress_line(const progress_state& state, double judgments_per_second,
                          std::chrono::seconds elapsed) {
  const auto filled =
      state.judgments == 0
          ? bar_width
          : static_cast<std::size_t>(bar_width * state.judgments_done / state.judgments);
  std::string bar;
  for (std::size_t i = 0; i < bar_width; ++i)
    bar += i < filled ? '#' : '.';
  char numbers[160];
  std::snprintf(
      numbers, sizeof numbers, "units %llu/%llu  judgments %llu/%llu  %.0f/s  leases %llu  %lld s",
      static_cast<unsigned long long>(state.units_done),
      static_cast<unsigned long long>(state.units),
      static_cast<unsigned long long>(state.judgments_done),
      static_cast<unsigned long long>(state.judgments), judgments_per_second,
      static_cast<unsigned long long>(state.leases), static_cast<long long>(elapsed.count()));
  auto line = '[' + bar + "] " + numbers;
  return state.note.empty() ? line : line + "  " + state.note;
}

progress_bar::progress_bar(std::ostream& out, bool terminal)
    : out_(out), terminal_(terminal), started_(clock::now()) {}

progress_bar::~progress_bar() {
  if (drawn_)
    out_ << '\n' << std::flush;
}

double progress_bar::rate(std::uint64_t done, clock::time_point now) {
  if (rated_at_ == clock::time_point{})
    rated_at_ = now; // work begins now, not when the bar was made
  if (now - rated_at_ >= rate_window) {
    const std::chrono::duration<double> passed = now - rated_at_;
    rate_ = static_cast<double>(done - rated_done_) / passed.count();
    rated_at_ = now;
    rated_done_ = done;
  }
  return rate_;
}

void progress_bar::show(const progress_state& state, clock::time_point now) {
  const auto per_second = rate(state.judgments_done, now);
  const clock::duration interval = terminal_ ? clock::duration{redraw_interval} : plain_interval;
  if (now - shown_ < interval)
    return;
  shown_ = now;
  const auto line = progress_line(state, per_second,
                                  std::chrono::duration_cast<std::chrono::seconds>(now - started_));
  if (terminal_) {
    out_ << "\r\x1b[K" << line << std::flush;
    drawn_ = true;
  } else {
    out_ << line << std::endl;
  }
}

void progress_bar::clear() {
  if (drawn_)
    out_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

void progress_bar::say(const std::string& line) {
  clear();
  out_ << printable_lines(line) << std::endl;
  hurry();
}

} // namespace holdfast::app::demo
