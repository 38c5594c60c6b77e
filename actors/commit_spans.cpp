#include "actors/commit_spans.hpp"

#include "core/task_events.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace holdfast::actors {

namespace {

/// The names of OpenTelemetry's conventions for messaging: a queue is a destination.
core::span handler_span(const core::finish_task& gone, const core::queue_name& queue) {
  core::span told;
  told.name = "process " + queue;
  told.kind = core::span_kind::consumer;
  told.began = gone.leased_at;
  told.ended = gone.at;
  told.has_failed = gone.ending != core::task_ending::completed;
  told.texts = {{"messaging.system", "holdfast"},
                {"messaging.operation.name", "process"},
                {"messaging.operation.type", "process"},
                {"messaging.destination.name", queue},
                {"messaging.message.id", core::to_string(gone.task)},
                {"holdfast.task.type", gone.type},
                {"holdfast.task.status", std::string{core::status_word(gone.ending)}}};
  if (told.has_failed)
    told.texts.emplace_back("error.type", core::status_word(gone.ending));
  told.numbers = {{"holdfast.task.failures", static_cast<std::int64_t>(gone.progress.failures)}};
  return told;
}

void tell_handler(core::tracer& to, const core::finish_task& gone, const core::queue_name& queue) {
  // Nobody has worked on one that ended without a lease.
  const auto under = gone.leased_at == core::instant{}
                         ? std::nullopt
                         : core::trace_of_task(gone.trace_id, gone.span_id);
  if (!under)
    return;
  auto told = handler_span(gone, queue);
  told.trace_id = under->trace_id;
  told.parent_id = under->span_id;
  told.span_id = to.new_span_id();
  to.take(std::move(told));
}

} // namespace

void tell_commit(core::tracer& to, const told_commit& commit, const core::change& change,
                 const core::hosted_item& item) {
  if (change.trace) {
    core::span told;
    told.trace_id = change.trace->trace_id;
    told.parent_id = change.trace->span_id;
    told.span_id = to.new_span_id();
    told.name = "commit";
    told.kind = core::span_kind::client;
    told.began = commit.began;
    told.ended = commit.ended;
    told.texts = {{"db.system.name", "postgresql"}, {"db.operation.name", "COMMIT"}};
    told.numbers = {{"holdfast.commit.changes", static_cast<std::int64_t>(commit.changes)}};
    to.take(std::move(told));
  }
  if (const auto* queue = std::get_if<core::queue_name>(&item))
    for (const auto& write : change.writes)
      if (const auto* gone = std::get_if<core::finish_task>(&write))
        tell_handler(to, *gone, *queue);
}

} // namespace holdfast::actors
