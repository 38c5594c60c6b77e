#include "examples/record_linker/match_handler.hpp"

#include <utility>

namespace linker {

match_handler::match_handler(std::shared_ptr<link_store> store, std::shared_ptr<entity_api> api,
                             log say, double speed)
    : store_(std::move(store)), api_(std::move(api)), say_(std::move(say)), speed_(speed) {}

client::outcome match_handler::run(const client::task_context& task) {
  const auto which = link_in(task.task().body);
  if (!which)
    return client::failed{error_body, task.task().body, core::failure_kind::permanent};
  // The store is asked each time: since the task was made, or since a worker before us stored the
  // result and died, things may have changed.
  const auto row = store_->find(*which);
  if (const auto why = reason_to_drop(row); !why.empty())
    return drop(*which, why);
  return match(*row, task);
}

client::outcome match_handler::match(const link_row& row, const client::task_context& task) {
  const auto said = api_->ask(row.label, row.credential, task.now());
  const auto decided = on_reply(said, task.task().attempt, speed_);
  const auto* end = std::get_if<conclude>(&decided);
  if (end != nullptr && !store_->settle(row.id, end->result, task.now()))
    return drop(row.id, "the record has changed meanwhile");
  return outcome_of(decided);
}

client::outcome match_handler::drop(const link_id& which, const std::string& why) const {
  say_(core::to_string(task_of(which)) + " is dropped: " + why);
  return client::done{R"({"stored": false})"};
}

} // namespace linker
