#include "examples/record_linker/producer.hpp"

#include "examples/record_linker/matching.hpp"

#include <algorithm>

namespace linker {

namespace {

void count(fan_out& total, const msg::task_outcomes& answer) {
  for (const auto& outcome : answer.outcomes) {
    if (outcome.refusal != core::errc::none)
      ++total.refused;
    else
      ++(outcome.repeated ? total.repeated : total.made);
  }
}

} // namespace

core::outcome<fan_out> enqueue(task_port& node, const std::vector<link_row>& rows,
                               const std::string& trace, std::int16_t priority) {
  fan_out total;
  for (std::size_t from = 0; from < rows.size(); from += batch_size) {
    msg::enqueue_tasks batch{queue_name, {}};
    const auto until = std::min(rows.size(), from + batch_size);
    for (auto i = from; i < until; ++i)
      batch.tasks.push_back(request_for(rows[i], trace, priority));
    const auto answer = node.ask(batch);
    if (!answer)
      return answer.error();
    count(total, *answer);
  }
  return total;
}

core::outcome<fan_out> match_project(link_store& store, task_port& node, std::uint32_t project,
                                     const std::string& trace, core::instant now) {
  const auto rows = store.queue_project(project, now);
  if (!rows)
    return core::failure{core::errc::not_found, "project " + std::to_string(project)};
  return enqueue(node, *rows, trace);
}

core::outcome<std::size_t> redrive_after_outage(node_port& node) {
  std::size_t total = 0;
  msg::redrive_tasks request{queue_name, task_type, error_outage, {}, 1'000};
  for (bool more = true; more;) {
    const auto answer = node.ask(request);
    if (!answer)
      return answer.error();
    total += answer->redriven;
    request.after = answer->last;
    more = answer->more;
  }
  return total;
}

} // namespace linker
