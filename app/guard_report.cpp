#include "app/guard_report.hpp"

#include "core/time_text.hpp"

#include <nlohmann/json.hpp>

namespace holdfast::app {

namespace {

std::uint64_t open_doubts(const msg::guard_status& g) {
  return g.in_doubt - g.found_committed - g.found_not_committed - g.never_found;
}

} // namespace

std::vector<std::pair<std::string, std::string>> guard_lines(const msg::guard_status& g) {
  std::vector<std::pair<std::string, std::string>> lines;
  if (g.fenced)
    lines.emplace_back("FENCED", "since " + core::to_rfc3339(g.fenced_since) + ": " + g.why);
  else if (g.fences > 0)
    lines.emplace_back("fences", std::to_string(g.fences) + ", all over; the last: " + g.why);
  if (g.in_doubt > 0)
    lines.emplace_back("in doubt", std::to_string(g.in_doubt) + " commits, of which "
                                       + std::to_string(g.found_committed) + " were written, "
                                       + std::to_string(g.found_not_committed) + " were not, "
                                       + std::to_string(g.never_found) + " went with their shard, "
                                       + std::to_string(open_doubts(g)) + " open");
  if (g.stale_writes > 0)
    lines.emplace_back("stale writes", std::to_string(g.stale_writes) + " refused");
  if (g.peers_slowed > 0)
    lines.emplace_back("peers slowed", std::to_string(g.peers_slowed) + " times");
  return lines;
}

nlohmann::ordered_json guards_to_json(const msg::guard_status& g) {
  nlohmann::ordered_json object{{"fenced", g.fenced}};
  if (g.fenced)
    object["fenced_since"] = core::to_rfc3339(g.fenced_since);
  if (g.fences > 0)
    object["fenced_because"] = g.why;
  object["fences"] = g.fences;
  object["commits_in_doubt"] = {{"all", g.in_doubt},
                                {"committed", g.found_committed},
                                {"not_committed", g.found_not_committed},
                                {"never_found", g.never_found},
                                {"open", open_doubts(g)}};
  object["stale_writes_refused"] = g.stale_writes;
  object["peers_slowed"] = g.peers_slowed;
  return object;
}

} // namespace holdfast::app
