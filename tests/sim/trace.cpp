#include "tests/sim/trace.hpp"

#include <cstdio>
#include <iostream>

namespace holdfast::sim {

std::string seconds_of_day(core::instant at) {
  const auto micros = core::to_micros(at) % 86'400'000'000;
  return std::to_string(static_cast<double>(micros) / 1e6) + 's';
}

void trace::put(const std::string& line) {
  constexpr std::int64_t day_us = 86'400'000'000;
  char head[48];
  std::snprintf(head, sizeof head, "%6llu %10.3fs  ", static_cast<unsigned long long>(step_),
                static_cast<double>(core::to_micros(now_) % day_us) / 1e6);
  if (echo_)
    std::cout << head << line << '\n';
  lines_.push_back(head + line);
  if (lines_.size() > lines_max_)
    lines_.pop_front();
}

} // namespace holdfast::sim
