#include "examples/record_linker/sweeper.hpp"

#include "examples/record_linker/matching.hpp"
#include "examples/record_linker/producer.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace linker {

namespace {

/// There is no user's request that it follows from.
constexpr const char* sweepers_trace = "";

constexpr std::size_t swept_at_once = 1'000;

} // namespace

care care_for(const core::outcome<msg::task_view>& task) {
  if (!task && task.error().code == core::errc::not_found)
    return enqueue_again{};
  if (!task)
    return leave{}; // the next sweep knows more
  if (task->status == "QUEUED" || task->status == "EXECUTING")
    return leave{};
  if (task->status != "ERROR")
    return give_up{"its task ended as " + task->status + " and left no result"};
  if (task->error_code == "WORKER_LOST")
    return give_up{"every worker that tried it died"};
  if (task->error_code == "TIMEOUT")
    return give_up{"every worker that tried it took too long"};
  if (task->error_code == "NO_PROGRESS")
    return give_up{"its workers gave it back without progress"};
  return leave{};
}

core::outcome<sweep_report> sweep(link_store& store, task_port& node, core::instant now,
                                  core::duration patience, std::size_t most) {
  const auto rows = store.untouched_since(now - patience, most);
  sweep_report report{rows.size(), 0, 0};
  std::vector<link_row> without_task;
  std::vector<link_id> seen_to;
  for (const auto& row : rows) {
    const auto needs = care_for(node.ask(msg::get_task{task_of(row.id)}));
    if (const auto* end = std::get_if<give_up>(&needs))
      report.given_up +=
          store.settle(row.id, {link_status::failed, {}, end->message}, now) ? 1U : 0U;
    else if (std::holds_alternative<enqueue_again>(needs))
      without_task.push_back(row);
    seen_to.push_back(row.id);
  }
  const auto made = enqueue(node, without_task, sweepers_trace);
  if (!made)
    return made.error(); // untouched, so that the next sweep comes back to them
  report.enqueued = made->made;
  store.touch(seen_to, now);
  return report;
}

std::string sweep_schedule() {
  return nlohmann::json{{"cron", "*/15 * * * *"},
                        {"task", {{"type", sweep_type}, {"unique_key", sweep_type}}}}
      .dump();
}

client::outcome sweep_handler::run(const client::task_context& task) {
  sweep_report all;
  for (bool more = true; more && !task.canceled();) {
    const auto swept = sweep(*store_, *tasks_, task.now(), sweep_patience, swept_at_once);
    if (!swept)
      return client::failed{error_sweep, swept.error().detail};
    all.looked_at += swept->looked_at;
    all.enqueued += swept->enqueued;
    all.given_up += swept->given_up;
    more = swept->looked_at == swept_at_once;
  }
  return client::done{nlohmann::json{
      {"looked_at", all.looked_at}, {"enqueued", all.enqueued}, {"given_up", all.given_up}}
                          .dump()};
}

} // namespace linker
