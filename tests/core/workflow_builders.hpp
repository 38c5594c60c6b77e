#pragma once

#include "core/workflow.hpp"

#include <string>
#include <utility>
#include <vector>

/// Definitions and what is wrong with them, in few words.
namespace holdfast::test {

inline core::step_definition step_named(std::string key, std::vector<std::string> next = {}) {
  core::step_definition s;
  s.key = std::move(key);
  s.next = std::move(next);
  return s;
}

inline core::workflow_definition workflow_of(std::vector<core::step_definition> steps) {
  return {"w", std::move(steps)};
}

/// One per line; empty when there are none.
inline std::string text_of(const std::vector<core::definition_problem>& problems) {
  std::string text;
  for (const auto& p : problems)
    text += (text.empty() ? "" : "\n") + p.place + ": " + p.what;
  return text;
}

} // namespace holdfast::test
