#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace holdfast::sim {

/// How traces and dumps show a time: the seconds since midnight.
std::string seconds_of_day(core::instant at);

/// What happened in a run: a hash of everything, and, where somebody wants to read it, the last
/// lines. Lines are composed only then.
class trace {
public:
  /// Keeps the last `lines_max` lines; with `echo` it prints them all as they come.
  trace(std::size_t lines_max, bool echo) : lines_max_(lines_max), echo_(echo) {}

  bool wanted() const { return lines_max_ > 0 || echo_; }

  template <class Compose>
  void note(Compose compose) {
    if (wanted())
      put(compose());
  }

  /// Takes a number into the hash (FNV-1a over its bytes).
  void mix(std::uint64_t number) {
    for (int i = 0; i < 8; ++i, number >>= 8)
      hash_ = (hash_ ^ (number & 0xff)) * 0x100000001b3ULL;
  }
  void mix(std::string_view text) {
    for (const auto c : text)
      hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }

  /// The number of the message being handled and the time: they head each line.
  void at(std::uint64_t step, core::instant now) {
    step_ = step;
    now_ = now;
  }

  std::uint64_t step() const { return step_; }
  std::uint64_t hash() const { return hash_; }
  const std::deque<std::string>& lines() const { return lines_; }

private:
  void put(const std::string& line);

  std::size_t lines_max_;
  bool echo_;
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
  std::uint64_t step_ = 0;
  core::instant now_;
  std::deque<std::string> lines_;
};

} // namespace holdfast::sim
