#include "core/queue_action.hpp"

#include "core/invariant.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace holdfast::core {

namespace {

constexpr duration smallest_step = std::chrono::microseconds{1};

std::optional<errc> error_named(std::string_view name) {
  for (unsigned number = 1;; ++number) {
    const auto& row = describe(static_cast<errc>(number));
    if (static_cast<unsigned>(row.code) != number)
      return std::nullopt;
    if (row.name == name)
      return row.code;
  }
}

bool matches_spec(const queue_action_row& action, const task_spec& spec) {
  const auto& filter = action.filter;
  return (filter.type.empty() || spec.type == filter.type)
         && (filter.key.empty() || spec.key == filter.key) && spec.created_at >= filter.created_from
         && spec.created_at < created_limit(action);
}

/// Counts the outcome of one task.
void tally(queue_action_counts& counts, errc refusal, bool changed) {
  if (refusal != errc::none)
    ++counts.refusals[refusal];
  else if (changed)
    ++counts.changed;
  else
    ++counts.unchanged;
}

/// The chunk is decided: the action stands behind it.
void go_behind(queue_action_row& action, const searched_tasks& searched, instant now,
               change& changes) {
  action.bookmark = std::max(action.bookmark, searched.last);
  action.changed_at = now;
  if (!searched.more)
    action.status = queue_action_status::done;
  changes.writes.push_back(put_queue_action{action});
}

} // namespace

std::string_view to_string(queue_action_kind kind) {
  switch (kind) {
  case queue_action_kind::pause:
    return "pause";
  case queue_action_kind::resume:
    return "resume";
  case queue_action_kind::cancel:
    return "cancel";
  case queue_action_kind::retry:
    return "retry";
  case queue_action_kind::redrive:
    break;
  }
  return "redrive";
}

std::string_view to_string(queue_action_status status) {
  switch (status) {
  case queue_action_status::running:
    return "running";
  case queue_action_status::done:
    return "done";
  case queue_action_status::stopped:
    return "stopped";
  case queue_action_status::failed:
    break;
  }
  return "failed";
}

bool operator==(const queue_action_filter& a, const queue_action_filter& b) {
  const auto members = [](const queue_action_filter& f) {
    return std::tie(f.type, f.key, f.error_code, f.scope, f.created_from, f.created_before);
  };
  return members(a) == members(b);
}

std::uint64_t queue_action_counts::refused() const {
  std::uint64_t all = 0;
  for (const auto& [code, number] : refusals)
    all += number;
  return all;
}

std::string to_text(const std::map<errc, std::uint64_t>& refusals) {
  std::string text;
  for (const auto& [code, number] : refusals)
    text += (text.empty() ? "" : ",") + std::string{to_string(code)} + ' ' + std::to_string(number);
  return text;
}

std::optional<std::map<errc, std::uint64_t>> refusals_of(std::string_view text) {
  std::map<errc, std::uint64_t> refusals;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    const auto one = text.substr(0, end);
    const auto blank = one.find(' ');
    if (blank == std::string_view::npos)
      return std::nullopt;
    const auto code = error_named(one.substr(0, blank));
    const auto digits = one.substr(blank + 1);
    std::uint64_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (!code || read.ec != std::errc{} || read.ptr != digits.data() + digits.size()
        || !refusals.emplace(*code, number).second)
      return std::nullopt;
    if (end == text.size())
      return refusals;
    text.remove_prefix(end + 1);
    if (text.empty())
      return std::nullopt;
  }
  return refusals;
}

failure check_filter(queue_action_kind kind, const queue_action_filter& filter) {
  const bool redrives = kind == queue_action_kind::redrive;
  const auto scope = filter.scope;
  const bool is_of_ended = scope == queue_action_scope::failed || scope == queue_action_scope::dead;
  if (scope != queue_action_scope::all && is_of_ended != redrives)
    return {errc::invalid_argument,
            redrives ? "a redrive is about tasks with the status FAILURE or ERROR"
                     : "this action is about live tasks, whose status is QUEUED or EXECUTING"};
  if (!filter.error_code.empty() && !redrives)
    return {errc::invalid_argument,
            "error_code is for a redrive: live tasks have not ended with an error"};
  if (filter.created_before != instant{} && filter.created_before <= filter.created_from)
    return {errc::invalid_argument, "created_before must be later than created_from"};
  return {};
}

bool same_request(const queue_action_row& a, const queue_action_row& b) {
  return a.queue == b.queue && a.id == b.id && a.kind == b.kind && a.filter == b.filter;
}

instant created_limit(const queue_action_row& action) {
  const auto arrived = action.asked_at + smallest_step;
  const auto wanted = action.filter.created_before;
  return wanted == instant{} ? arrived : std::min(wanted, arrived);
}

bool matches(const queue_action_row& action, const task& live) {
  const auto scope = action.filter.scope;
  return matches_spec(action, live.spec)
         && (scope == queue_action_scope::all
             || (scope == queue_action_scope::leased) == (live.held() != nullptr));
}

bool matches(const queue_action_row& action, const ended_task& ended) {
  const bool failed = ended.ending == task_ending::failed;
  const auto scope = action.filter.scope;
  const auto& code = action.filter.error_code;
  return (failed || ended.ending == task_ending::dead) && matches_spec(action, ended.spec)
         && ended.finished_at <= action.asked_at && (code.empty() || ended.error.code == code)
         && (scope == queue_action_scope::all || (scope == queue_action_scope::failed) == failed);
}

decision<std::vector<lost_lease>> decide(queue& q, queue_action_row& action,
                                         const act_on_live& chunk, instant now) {
  HOLDFAST_INVARIANT(action.status == queue_action_status::running
                         && action.kind != queue_action_kind::redrive,
                     "the queue goes on with running actions, by what they are about");
  decision<std::vector<lost_lease>> acted;
  const auto verb = static_cast<task_verb>(action.kind);
  for (const auto& id : chunk.found) {
    if (chunk.is_unreadable && chunk.is_unreadable(id)) {
      tally(action.counts, errc::damaged, false);
      continue;
    }
    const auto known = q.tasks.find(id);
    if (known == q.tasks.end() || !matches(action, known->second))
      continue;
    auto one = decide(q, verb, id, now);
    tally(action.counts, one.refusal, !one.changes.empty());
    if (one.answer)
      acted.answer.push_back(std::move(*one.answer));
    append(acted.changes, std::move(one.changes));
  }
  go_behind(action, chunk.searched, now, acted.changes);
  return acted;
}

decision<std::vector<lost_lease>> decide(queue& q, queue_action_row& action, act_on_ended chunk,
                                         instant now) {
  HOLDFAST_INVARIANT(action.status == queue_action_status::running
                         && action.kind == queue_action_kind::redrive,
                     "the queue goes on with running actions, by what they are about");
  decision<std::vector<lost_lease>> acted;
  for (std::uint32_t i = 0; i < chunk.unreadable; ++i)
    tally(action.counts, errc::damaged, false);
  for (auto& ended : chunk.found) {
    if (!matches(action, ended))
      continue;
    auto one = decide(
        q, redrive_task{std::move(ended.spec), std::move(ended.progress), ended.last_token}, now);
    tally(action.counts, one.answer.refusal, !one.changes.empty());
    append(acted.changes, std::move(one.changes));
  }
  go_behind(action, chunk.searched, now, acted.changes);
  return acted;
}

change end_action(queue_action_row& action, queue_action_status how, std::string problem,
                  instant now) {
  if (action.status != queue_action_status::running)
    return {};
  action.status = how;
  action.problem = std::move(problem);
  action.changed_at = now;
  return {{put_queue_action{action}}, {}};
}

} // namespace holdfast::core
