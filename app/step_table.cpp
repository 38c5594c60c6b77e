#include "app/step_table.hpp"

#include <cstdio>
#include <string>

namespace holdfast::app {

void print_steps(const std::vector<msg::step_view>& steps) {
  std::printf("%-36s  %-24s  %-9s  %-6s  %12s  %12s\n", "step", "key", "status", "sealed",
              "completed", "units");
  for (const auto& step : steps)
    std::printf("%-36s  %-24s  %-9s  %-6s  %12llu  %12llu\n", core::to_string(step.step).c_str(),
                step.key.c_str(), std::string{core::to_string(step.status)}.c_str(),
                step.sealed ? "yes" : "no", static_cast<unsigned long long>(step.completed_units),
                static_cast<unsigned long long>(step.total_units));
}

} // namespace holdfast::app
