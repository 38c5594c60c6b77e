#include "actors/queue_state.hpp"
#include "actors/repeated_request.hpp"
#include "core/backoff.hpp"
#include "core/object_ref.hpp"

#include <algorithm>
#include <iterator>

namespace holdfast::actors {

namespace {

// While the store is away, tasks with payloads in it are tried again after pauses that grow.
constexpr core::duration retry_least = std::chrono::seconds{1};
constexpr core::duration retry_most = std::chrono::seconds{60};

bool has_refs(const msg::leased_tasks& answer) {
  return std::any_of(answer.tasks.begin(), answer.tasks.end(), [](const msg::leased_task& t) {
    return core::begins_like_object_ref(t.body) || core::begins_like_object_ref(t.data)
           || core::begins_like_object_ref(t.execution_state);
  });
}

bool still_held(queue_ptr self, const core::worker_id& worker, const msg::leased_task& t) {
  const auto& tasks = self->state.queue.tasks;
  const auto found = tasks.find(t.task);
  const auto* lease = found == tasks.end() ? nullptr : found->second.held();
  return lease != nullptr && lease->owner == worker && lease->token == t.token;
}

/// A claim whose answer is on its way: repetitions join it until then.
using claim_ptr = std::shared_ptr<queue_state::waiting_claim>;

/// The answer leaves now. Another one may be on its way under the same id, when all leases of this
/// one have ended.
void end_answering(queue_ptr self, const claim_ptr& to) {
  auto& known = self->state.being_answered;
  if (const auto found = known.find(to->command.id); found != known.end() && found->second == to)
    known.erase(found);
}

/// Answers everybody who waits. Nearly always that is one, who gets the answer itself: copying the
/// texts of a thousand tasks takes as long as deciding about them.
void give(const queue_state::waiting_claim& to, msg::leased_tasks answer) {
  for (std::size_t i = 1; i < to.promises.size(); ++i)
    to.promises[i].deliver(answer);
  if (!to.promises.empty())
    to.promises.front().deliver(std::move(answer));
}

/// Takes back what cannot be handed out, and answers with the rest.
void settle_claim(queue_ptr self, const claim_ptr& to, msg::leased_tasks& answer,
                  const std::map<std::size_t, core::failure>& unreadable) {
  auto& st = self->state;
  end_answering(self, to);
  const auto at = time(self);
  const auto& worker = to->command.worker;
  const bool away = std::any_of(unreadable.begin(), unreadable.end(),
                                [](const auto& each) { return !is_lost(each.second); });
  st.unreachable_payloads = away ? st.unreachable_payloads + 1 : 0;
  const auto wait = core::backoff(std::max(st.unreachable_payloads, 1U), retry_least, retry_most);
  core::change changes;
  msg::leased_tasks whole;
  bool ended = false; // a lease, while its payload was fetched
  for (std::size_t i = 0; i < answer.tasks.size(); ++i) {
    auto& t = answer.tasks[i];
    const auto why = unreadable.find(i);
    if (!still_held(self, worker, t)) {
      ended = true;
      continue;
    }
    if (why == unreadable.end()) {
      whole.tasks.push_back(std::move(t));
      continue;
    }
    st.context->log(
        log_level::error, "payload_unreadable",
        {{"queue", st.queue.name}, {"task", to_string(t.task)}, {"reason", why->second.detail}});
    auto decided = core::decide(
        st.queue, core::withhold_task{worker, {t.task, t.token}, why->second, at + wait}, at);
    core::append(changes, std::move(decided.changes));
  }
  // Nobody may hear of an end that is not durable yet: then the answer waits for that.
  if (changes.empty() && !ended)
    return give(*to, std::move(whole));
  if (!changes.empty() && whole.tasks.empty() && at < to->until) {
    carry_out(self, std::move(changes), [](const core::failure&) {});
    claim_or_wait(self, *to);
  } else {
    carry_out(self, std::move(changes), [=](const core::failure& why) {
      for (const auto& promise : to->promises)
        if (why.code == core::errc::none)
          promise.deliver(whole);
        else
          promise.deliver(msg::to_error(why));
    });
  }
  look_after(self);
}

/// Answers a claim with tasks that are leased, their payloads fetched.
void hand_out(queue_ptr self, const claim_ptr& to, msg::leased_tasks answer) {
  if (!has_refs(answer)) {
    end_answering(self, to);
    return give(*to, std::move(answer));
  }
  const auto kept = std::make_shared<msg::leased_tasks>(std::move(answer));
  std::vector<std::string*> texts;
  for (auto& task : kept->tasks)
    for (auto* text : {&task.body, &task.data, &task.execution_state})
      texts.push_back(text);
  const auto of_each = texts.size() / kept->tasks.size();
  // The lease runs already. A store that hangs must not look like a worker that has died.
  const auto patience =
      std::min<core::duration>(internal_timeout, core::shortest_ttl(self->state.queue.policy) / 2);
  get_payloads(self, self->state.links.objects, texts, patience,
               [=](const std::vector<core::failure>& outcomes) {
                 std::map<std::size_t, core::failure> unreadable;
                 for (std::size_t i = 0; i < outcomes.size(); ++i)
                   if (outcomes[i].code != core::errc::none)
                     unreadable.emplace(i / of_each, outcomes[i]);
                 settle_claim(self, to, *kept, unreadable);
               });
}

} // namespace

std::vector<large_text> large_in(queue_ptr self, core::task_update& update) {
  std::vector<large_text> found;
  for (auto* text : {&update.data, &update.execution_state})
    if (*text && is_large(self->state.context->settings, **text))
      found.push_back({&**text, &**text});
  return found;
}

/// The texts themselves are needed until the decision has checked their form.
std::vector<large_text> large_in(queue_ptr self, core::new_task& task) {
  std::vector<large_text> found;
  if (is_large(self->state.context->settings, task.spec.body))
    found.push_back({&task.spec.body, &task.body_ref});
  if (is_large(self->state.context->settings, task.data))
    found.push_back({&task.data, &task.data_ref});
  return found;
}

std::vector<large_text> large_in(queue_ptr self, core::follow_task& command) {
  auto found = large_in(self, command.next);
  if (is_large(self->state.context->settings, command.done.result))
    found.push_back({&command.done.result, &command.done.result});
  return found;
}

void store(queue_ptr self, const caf::actor& caller, const std::vector<large_text>& texts,
           payloads_done then) {
  if (caller)
    self->state.lines.hold(caller);
  put_payloads(self, self->state.links.objects, texts,
               [=, then = std::move(then)](const std::vector<core::failure>& outcomes) {
                 then(outcomes);
                 self->state.lines.go_on(caller);
               });
}

void wait_in_line(queue_ptr self, const asked& from, std::size_t bytes,
                  std::function<void()> decide) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  if (!st.lines.wait(from.caller, {settings.batching.high_water, settings.object_bytes_most}, bytes,
                     std::move(decide)))
    fail(from.promise, core::errc::overloaded,
         "too many requests wait for payloads that are being stored, or for a schedule that is "
         "being put");
}

/// The grants are durable: hands out what still holds. A worker of whose grants all have run out
/// meanwhile is answered that there is none, and asks again: this runs within the answer of a
/// commit, where nothing new may be decided.
static void deliver_granted(queue_ptr self, const claim_ptr& to, msg::leased_tasks answer) {
  auto& st = self->state;
  const auto at = time(self);
  std::vector<core::held_task> granted;
  granted.reserve(answer.tasks.size());
  for (const auto& t : answer.tasks)
    granted.push_back({t.task, t.token});
  const auto held = core::take_delivered(st.queue, granted, at);
  if (held.size() < granted.size()) {
    // A lease that ended otherwise than by running out is handed out: that end may not be durable
    // yet, and nobody may hear of an end that is not durable.
    const auto over = std::remove_if(answer.tasks.begin(), answer.tasks.end(),
                                     [&](const auto& t) { return t.expires_at <= at; });
    const auto left_out = std::distance(over, answer.tasks.end());
    answer.tasks.erase(over, answer.tasks.end());
    if (left_out > 0)
      st.context->log(log_level::warning, "grants_not_delivered",
                      {{"queue", st.queue.name},
                       {"leases", std::to_string(left_out)},
                       {"reason", "they ran out before their commit"}});
  }
  hand_out(self, to, std::move(answer));
}

void carry_out_granting(queue_ptr self, core::change changes, queue_state::waiting_claim to,
                        const std::vector<core::task_id>& tasks) {
  auto& q = self->state.queue;
  msg::leased_tasks answer;
  answer.tasks.reserve(tasks.size());
  for (const auto& id : tasks)
    answer.tasks.push_back(to_message(q.tasks.at(id), q.policy));
  if (!changes.empty())
    core::note_undelivered(q, tasks);
  bind_leases(self, to.client, tasks);
  const auto kept = std::make_shared<queue_state::waiting_claim>(std::move(to));
  if (!kept->promises.empty())
    changes = kept->promises.front().noted(std::move(changes));
  if (kept->command.id && !tasks.empty())
    self->state.being_answered[kept->command.id] = kept;
  carry_out(self, std::move(changes),
            [=, answer = std::move(answer)](const core::failure& why) mutable {
              if (why.code == core::errc::none)
                return deliver_granted(self, kept, std::move(answer));
              end_answering(self, kept);
              for (const auto& promise : kept->promises)
                promise.deliver(msg::to_error(why));
            });
}

bool join_answer(queue_ptr self, const queue_state::waiting_claim& repetition) {
  const auto& known = self->state.being_answered;
  const auto found = known.find(repetition.command.id);
  if (found == known.end() || found->second->command.worker != repetition.command.worker)
    return false;
  auto& first = *found->second;
  for (const auto& promise : repetition.promises)
    add_repetition(first.promises, promise);
  first.until = repetition.until;
  first.client = repetition.client;
  return true;
}

} // namespace holdfast::actors
