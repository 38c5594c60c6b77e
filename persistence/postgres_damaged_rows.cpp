// The reads of `postgres_store` that a row which the server does not give back must not keep from
// its neighbours.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"
#include "persistence/unreadable_letter.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace holdfast::persistence {

/// How rows are read: all by one statement, and only where the server may not give back one of
/// them by their keys.
template <class Key>
struct row_reading {
  std::vector<call> whole;
  std::function<std::vector<call>()> keys; ///< Those of all rows, in their order.
  std::function<std::vector<Key>(const reads::results&)> keys_in;
  std::function<std::vector<call>(const std::vector<Key>&)> some;
  /// Takes what `whole` or `some` have read.
  std::function<std::optional<core::failure>(const reads::results&)> keep;
  std::function<void(const Key&, const std::string& problem)> give_up;
};

template <class Key>
std::optional<core::failure> postgres_store::read_rows(const row_reading<Key>& of) {
  const auto all = run(of.whole);
  if (!all)
    return all.error();
  if (!all->failed)
    return of.keep(all->results);
  if (!may_be_of_a_row(all->failure))
    return error_of(all->failure);
  const auto keys = ask(of.keys());
  if (!keys)
    return keys.error();
  const apart_reader<Key> rows{
      [&](const auto& some) -> read_end {
        std::optional<core::failure> refused;
        auto end =
            end_of(run(of.some(some)), [&](const auto& results) { refused = of.keep(results); });
        if (refused)
          return *refused;
        return end;
      },
      [&](const auto& key, const auto& why) { of.give_up(key, why.text()); }};
  return read_apart(of.keys_in(*keys), rows);
}

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

core::outcome<stored_step> postgres_store::load_step(core::step_id step,
                                                     const lease_policies_of& policies_of) {
  const auto answer = run(reads::load_step(step));
  if (!answer)
    return answer.error();
  if (!answer->failed)
    return reads::load_step(answer->results, policies_of);
  return may_be_of_a_row(answer->failure) ? load_step_apart(step, policies_of)
                                          : error_of(answer->failure);
}

core::outcome<stored_step> postgres_store::load_step_apart(core::step_id step,
                                                           const lease_policies_of& policies_of) {
  const auto own = ask_for_row(reads::step_and_unit_ids(step));
  if (!own)
    return own.error();
  const auto none = ask_for_row(reads::load_step_with(step, {}));
  if (!none)
    return none.error();
  auto loaded = reads::load_step(*none, policies_of);
  if (!loaded)
    return loaded;
  const apart_reader<core::unit_id> units{
      [&](const auto& some) -> read_end {
        std::optional<core::failure> refused;
        auto end = end_of(run(reads::load_step_with(step, some)), [&](const auto& results) {
          auto part = reads::load_step(results, policies_of);
          if (!part) {
            refused = part.error();
            return;
          }
          std::move(part->open_units.begin(), part->open_units.end(),
                    std::back_inserter(loaded->open_units));
          std::move(part->waiting.begin(), part->waiting.end(),
                    std::back_inserter(loaded->waiting));
        });
        if (refused)
          return *refused;
        return end;
      },
      [&](const auto& id, const auto& why) {
        loaded->unreadable.push_back({id, why.text()});
      }};
  if (auto failed = read_apart(reads::unit_ids_of(*own), units))
    return *failed;
  return loaded;
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
  std::vector<finished_task> found;
  const auto failed = read_rows<core::task_id>(
      {reads::list_finished(filter), [&] { return reads::finished_ids(filter); },
       [](const auto& ids) { return reads::finished_ids(ids); },
       [&](const auto& ids) { return reads::finished_of(filter, ids); },
       [&](const auto& results) {
         for (auto& task : reads::list_finished(results))
           found.push_back(std::move(task));
         return std::nullopt;
       },
       [&](const auto& id, const auto& problem) { // of no queue, so that nobody takes it for a task
         finished_task unreadable;
         unreadable.spec.id = id;
         unreadable.error.detail = problem;
         found.push_back(std::move(unreadable));
       }});
  if (failed)
    return *failed;
  return found;
}

core::outcome<std::vector<core::sequenced_event>>
postgres_store::events_after(core::shard_id shard, core::event_seq after, std::uint32_t limit) {
  std::vector<core::sequenced_event> events;
  const auto failed = read_rows<outbox_place>(
      {reads::events_after(shard, after, limit),
       [&] { return reads::outbox_places_after(shard, after, limit); },
       [&](const auto& rows) { return reads::outbox_places(rows, shard); },
       [&](const auto& rows) { return reads::events_of(shard, rows); },
       [&](const auto& results) { return reads::add_events(results, shard, events); },
       [&](const auto& row, const auto& problem) {
         for (auto& event : unreadable_events(row, problem))
           events.push_back(std::move(event));
       }});
  if (failed)
    return *failed;
  events.erase(std::remove_if(events.begin(), events.end(),
                              [&](const auto& event) { return event.id.seq <= after; }),
               events.end()); // of the row in which `after` lies
  return events;
}

core::outcome<std::vector<dead_letter>>
postgres_store::list_dead_letters(const dead_letter_filter& filter) {
  std::vector<dead_letter> found;
  for (auto page = filter;;) {
    bool more = false; // behind letters that are left out
    const auto failed = read_rows<dead_letter>(
        {reads::list_dead_letters(page), [&] { return reads::dead_letter_places(page); },
         [&](const auto& letters) { return reads::dead_letter_places(letters, page); },
         [&](const auto& letters) { return reads::dead_letters_of(page, letters); },
         [&](const auto& results) {
           reads::add_dead_letters(results, page, found);
           return std::nullopt;
         },
         [&](const auto& letter, const auto& problem) {
           page.after = letter.made.event.seq;
           more = true;
           if (!filter.replayed_only)
             found.push_back(unreadable_letter(letter, problem));
         }});
    if (failed)
      return *failed;
    if (!found.empty() || !more)
      return found;
  }
}

core::outcome<std::pair<std::vector<unit_result>, std::uint64_t>>
postgres_store::list_results(core::step_id step, std::uint64_t after, std::uint32_t limit) {
  std::pair<std::vector<unit_result>, std::uint64_t> page{{}, after};
  const auto failed = read_rows<reads::result_place>(
      {reads::list_results(step, after, limit),
       [&] { return reads::result_places_after(step, after, limit); },
       [](const auto& places) { return reads::result_places(places); },
       [](const auto& places) { return reads::results_of_units(places); },
       [&](const auto& results) {
         reads::add_results(results, page);
         return std::nullopt;
       },
       [&](const auto& place, const auto&) { reads::add_unreadable_result(place, page); }});
  if (failed)
    return *failed;
  return page;
}

} // namespace holdfast::persistence
