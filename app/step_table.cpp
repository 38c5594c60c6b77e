#include "app/step_table.hpp"

#include "app/printable.hpp"

#include <cstdio>
#include <string>

namespace holdfast::app {

void print_steps(const std::vector<msg::step_view>& steps) {
  print_formatted("%-36s  %-24s  %-9s  %-6s  %12s  %12s\n", "step", "key", "status", "sealed",
                  "completed", "units");
  for (const auto& step : steps)
    print_formatted("%-36s  %-24s  %-9s  %-6s  %12llu  %12llu\n", core::to_string(step.step),
                    step.workflow ? step.key : std::string{"(unreadable)"},
                    std::string{core::to_string(step.status)}, step.sealed ? "yes" : "no",
                    static_cast<unsigned long long>(step.completed_units),
                    static_cast<unsigned long long>(step.total_units));
}

nlohmann::ordered_json steps_to_json(const std::vector<msg::step_view>& steps) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& step : steps)
    list.push_back({{"step", core::to_string(step.step)},
                    {"workflow", core::to_string(step.workflow)},
                    {"key", step.key},
                    {"position", step.position},
                    {"status", core::to_string(step.status)},
                    {"sealed", step.sealed},
                    {"completed_units", step.completed_units},
                    {"total_units", step.total_units}});
  return list;
}

} // namespace holdfast::app
