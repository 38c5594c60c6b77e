#include "actors/queue_state.hpp"
#include "documents/envelope_document.hpp"
#include "documents/json.hpp"
#include "documents/task_words.hpp"

namespace holdfast::actors {

namespace {

using documents::check_word;

core::failure first_of(std::initializer_list<core::failure> checks) {
  for (const auto& check : checks)
    if (check.code != core::errc::none)
      return check;
  return {};
}

template <class T>
std::optional<T> unless_empty(T& value) {
  return value.empty() ? std::nullopt : std::optional<T>{std::move(value)};
}

} // namespace

core::failure check_document(const std::string& text, const char* field,
                             const documents::json_limits& limits) {
  auto why = documents::check_json(text, limits);
  if (why.code != core::errc::none)
    why.detail = std::string{field} + ": " + why.detail;
  return why;
}

core::failure check(const core::new_task& task, const documents::json_limits& limits) {
  const auto& s = task.spec;
  if (!s.id)
    return {core::errc::invalid_argument, "task must not be nil"};
  if (s.priority < -core::priority_max || s.priority > core::priority_max)
    return {core::errc::invalid_argument, "priority must be between -1000 and 1000"};
  if (s.max_attempts > core::max_attempts_most)
    return {core::errc::invalid_argument, "max_attempts must be at most 1000"};
  return first_of({documents::check_text(s.type, "type", core::task_word_bytes_max),
                   documents::check_version(s.version), check_word(task.state, "state"),
                   check_word(s.key, "key"), check_word(s.credential, "credential"),
                   check_word(s.unique_key, "unique_key"), check_word(s.owner_id, "owner_id"),
                   check_word(s.run_as_id, "run_as_id"), check_word(s.trace_id, "trace_id"),
                   check_word(s.span_id, "span_id"), check_document(s.body, "body", limits),
                   check_document(task.data, "data", limits)});
}

core::failure check(const msg::task_update& update, const documents::json_limits& limits) {
  return first_of(
      {check_word(update.state, "state"),
       update.data.empty() ? core::failure{} : check_document(update.data, "data", limits),
       update.execution_state.empty()
           ? core::failure{}
           : check_document(update.execution_state, "execution_state", limits)});
}

core::new_task to_core(msg::task_request& r) {
  core::new_task made;
  auto& spec = made.spec;
  spec.id = r.task;
  spec.type = std::move(r.type);
  spec.version = std::move(r.version);
  spec.body = std::move(r.body);
  spec.trace_id = std::move(r.trace_id);
  spec.span_id = std::move(r.span_id);
  spec.priority = r.priority;
  spec.key = std::move(r.key);
  spec.credential = std::move(r.credential);
  spec.unique_key = std::move(r.unique_key);
  spec.max_attempts = r.max_attempts;
  spec.owner_id = std::move(r.owner_id);
  spec.run_as_id = std::move(r.run_as_id);
  made.state = std::move(r.state);
  made.data = std::move(r.data);
  made.run_at = r.run_at;
  made.conflict = r.reject_duplicate ? core::on_conflict::reject : core::on_conflict::keep;
  return made;
}

core::outcome<core::new_task> to_core(msg::task_envelope& r, const documents::json_limits& limits) {
  auto envelope = documents::parse_envelope(r.envelope, limits);
  if (!envelope)
    return envelope.error();
  auto made = core::task_of(std::move(*envelope));
  if (!made)
    return made;
  auto& spec = made->spec;
  spec.priority = r.priority;
  spec.key = std::move(r.key);
  spec.credential = std::move(r.credential);
  spec.unique_key = std::move(r.unique_key);
  spec.owner_id = std::move(r.owner_id);
  spec.run_as_id = std::move(r.run_as_id);
  made->run_at = r.run_at;
  made->conflict = r.reject_duplicate ? core::on_conflict::reject : core::on_conflict::keep;
  return made;
}

core::task_update to_core(msg::task_update& update) {
  constexpr std::uint32_t percent_max = 100;
  return {unless_empty(update.state), unless_empty(update.data),
          unless_empty(update.execution_state),
          update.percent <= percent_max ? std::optional{update.percent} : std::nullopt};
}

msg::task_outcome to_message(core::item_outcome outcome) {
  return {outcome.task, outcome.refusal, std::move(outcome.detail), outcome.repeated};
}

msg::leased_task to_message(const core::task& t, const core::queue_policy& policy) {
  const auto& spec = t.spec;
  const auto& progress = t.progress;
  const auto& lease = *t.held();
  const auto most =
      spec.max_attempts != 0 ? spec.max_attempts : core::retry_of(policy, spec.type).max_attempts;
  return {spec.id,
          lease.token,
          lease.expires_at,
          spec.type,
          spec.version,
          spec.body,
          progress.state,
          progress.data,
          progress.execution_state,
          progress.attempts + 1,
          most,
          spec.created_at,
          spec.key,
          spec.credential,
          spec.owner_id,
          spec.run_as_id,
          spec.trace_id,
          spec.span_id};
}

} // namespace holdfast::actors
