#include "bench/soak/history_file.hpp"

#include <nlohmann/json.hpp>

namespace holdfast::soak {

namespace {

std::string word_for(told outcome) {
  switch (outcome) {
  case told::yes:
    return "yes";
  case told::no:
    return "no";
  case told::unknown:
    break;
  }
  return "unknown";
}

} // namespace

std::string history_lines(const client_history& clients) {
  std::string lines;
  const auto add = [&](const char* what, told outcome, nlohmann::ordered_json of) {
    nlohmann::ordered_json line{{"what", what}, {"told", word_for(outcome)}};
    line.update(of);
    lines += line.dump() + '\n';
  };
  for (const auto& one : clients.enqueued)
    add("enqueued", one.outcome, {{"task", to_string(one.task)}});
  for (const auto& one : clients.completed)
    add("completed", one.outcome,
        {{"task", to_string(one.task)},
         {"token", one.token},
         {"result", one.result},
         {"late", one.stale}});
  for (const auto& one : clients.failed)
    add("failed", one.outcome, {{"task", to_string(one.task)}});
  for (const auto& one : clients.judgments)
    add("judged", one.outcome,
        {{"judgment", to_string(one.judgment)},
         {"unit", to_string(one.unit)},
         {"contributor", one.contributor}});
  for (const auto& one : clients.rows)
    add("source data", one.outcome, {{"step", to_string(one.step)}, {"key", one.key}});
  return lines;
}

} // namespace holdfast::soak
