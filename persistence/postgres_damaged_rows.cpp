// The reads of `postgres_store` that a row which the server does not give back must not keep from
// its neighbours.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"

#include <utility>

namespace holdfast::persistence {

namespace {

/// How a read of some rows ended; hands what was read to `keep`.
template <class Keep>
read_end end_of(core::outcome<pipeline_results> answer, Keep keep) {
  if (!answer)
    return answer.error();
  if (answer->failed)
    return std::optional{std::move(answer->failure)};
  keep(answer->results);
  return std::optional<query_failure>{};
}

} // namespace

core::outcome<std::vector<query_result>>
postgres_store::ask_for_row(const std::vector<call>& calls) {
  auto answer = run(calls);
  if (answer && answer->failed && may_be_of_a_row(answer->failure))
    answer = run(calls); // a trouble of the server may have passed
  if (!answer)
    return answer.error();
  if (!answer->failed)
    return std::move(answer->results);
  // Also XX000, which says nothing of the row: a length in it that makes no sense is told so.
  if (may_be_of_a_row(answer->failure))
    return core::failure{core::errc::damaged, answer->failure.text()};
  return error_of(answer->failure);
}

core::outcome<stored_queue> postgres_store::load_queue(const core::queue_name& queue) {
  const auto answer = run(reads::load_queue(queue));
  if (!answer)
    return answer.error();
  if (!answer->failed)
    return reads::load_queue(answer->results);
  return may_be_of_a_row(answer->failure) ? load_queue_apart(queue) : error_of(answer->failure);
}

core::outcome<stored_queue> postgres_store::load_queue_apart(const core::queue_name& queue) {
  const auto own = ask_for_row(reads::load_queue_row(queue));
  if (!own)
    return own.error();
  auto row = reads::load_queue_row(*own);
  if (!row)
    return row.error();
  stored_queue loaded{std::move(*row), {}, {}};
  const auto ids = ask(reads::task_ids_of(queue));
  if (!ids)
    return ids.error();
  const apart_reader<core::task_id> tasks{
      [&](const auto& some) {
        return end_of(run(reads::tasks_of(queue, some)),
                      [&](const auto& results) { reads::add_tasks(results, loaded); });
      },
      [&](const auto& id, const auto& why) {
        const auto key = ask(reads::unique_key_of(id));
        loaded.unreadable.push_back(
            {id, key && !key->empty() ? reads::names(*key).front() : std::string{}, why.text()});
      }};
  if (const auto failed = read_apart(reads::task_ids(*ids), tasks))
    return *failed;
  const auto names = ask(reads::schedule_names_of(queue));
  if (!names)
    return names.error();
  for (const auto& name : reads::names(*names)) {
    const auto one = ask_for_row(reads::schedule_of(queue, name));
    if (one)
      reads::add_schedules(*one, loaded);
    else if (core::describe(one.error().code).retryable)
      return one.error();
    else { // its definition says nothing: so it makes nothing, and is shown with the reason
      core::put_schedule_row unreadable;
      unreadable.queue = queue;
      unreadable.name = name;
      loaded.schedules.push_back(std::move(unreadable));
    }
  }
  return loaded;
}

core::outcome<std::vector<core::put_queue>> postgres_store::list_queues() {
  const auto answer = run(reads::list_queues());
  if (!answer)
    return answer.error();
  if (!answer->failed)
    return reads::list_queues(answer->results);
  return may_be_of_a_row(answer->failure) ? list_queues_apart() : error_of(answer->failure);
}

core::outcome<std::vector<core::put_queue>> postgres_store::list_queues_apart() {
  const auto all = ask(reads::queue_names());
  if (!all)
    return all.error();
  std::vector<core::put_queue> queues;
  for (const auto& name : reads::names(*all)) {
    const auto answer = ask_for_row(reads::load_queue_row(name));
    if (!answer && core::describe(answer.error().code).retryable)
      return answer.error();
    if (!answer)
      queues.push_back({name, {}, false, {}, 0, {}});
    else if (auto row = reads::load_queue_row(*answer))
      queues.push_back(std::move(*row));
  }
  return queues;
}

core::outcome<std::vector<stored_webhook>> postgres_store::list_webhooks() {
  const auto answer = run(reads::list_webhooks(std::string{}));
  if (!answer)
    return answer.error();
  if (!answer->failed)
    return reads::list_webhooks(answer->results);
  return may_be_of_a_row(answer->failure) ? list_webhooks_apart() : error_of(answer->failure);
}

core::outcome<std::vector<stored_webhook>> postgres_store::list_webhooks_apart() {
  const auto all = ask(reads::webhook_names());
  if (!all)
    return all.error();
  std::vector<stored_webhook> webhooks;
  for (auto& one : reads::webhooks_by_their_names(*all)) {
    const auto answer = ask_for_row(reads::list_webhooks(one.name));
    if (!answer && core::describe(answer.error().code).retryable)
      return answer.error();
    if (!answer)
      webhooks.push_back(std::move(one));
    else
      for (auto& row : reads::list_webhooks(*answer))
        webhooks.push_back(std::move(row));
  }
  return webhooks;
}

core::outcome<std::vector<finished_task>>
postgres_store::list_finished(const finished_filter& filter) {
  auto answer = run(reads::list_finished(filter));
  if (!answer)
    return answer.error();
  if (!answer->failed)
    return reads::list_finished(answer->results);
  if (!may_be_of_a_row(answer->failure))
    return error_of(answer->failure);
  const auto ids = ask(reads::finished_ids(filter));
  if (!ids)
    return ids.error();
  std::vector<finished_task> found;
  const apart_reader<core::task_id> tasks{
      [&](const auto& some) {
        return end_of(run(reads::finished_of(filter, some)), [&](const auto& results) {
          for (auto& task : reads::list_finished(results))
            found.push_back(std::move(task));
        });
      },
      [&](const auto& id, const auto& why) { // of no queue, so that nobody takes it for a task
        finished_task unreadable;
        unreadable.spec.id = id;
        unreadable.error.detail = why.text();
        found.push_back(std::move(unreadable));
      }};
  if (const auto failed = read_apart(reads::finished_ids(*ids), tasks))
    return *failed;
  return found;
}

} // namespace holdfast::persistence
