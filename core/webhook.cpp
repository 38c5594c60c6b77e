#include "core/webhook.hpp"

#include "core/backoff.hpp"
#include "core/invariant.hpp"
#include "core/queue_policy.hpp"
#include "core/receiver.hpp"
#include "core/task_events.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::core {

namespace {

constexpr duration timeout_most = std::chrono::minutes{5};
constexpr duration wait_most = std::chrono::hours{24};
constexpr std::uint32_t attempts_most = 1000;
constexpr std::uint32_t batch_events_most = 1000;
constexpr std::uint32_t batch_bytes_most = 1024 * 1024;
constexpr std::uint32_t dead_letters_most = 1'000'000;

/// How long to wait before the next attempt. A receiver that says when is believed, within the
/// bounds of the policy; everybody who was told the same comes a little apart.
duration wait_before(std::uint32_t attempt, const webhook_policy& policy,
                     const std::optional<duration>& retry_after, std::uint64_t random) {
  if (!retry_after)
    return full_jitter(attempt, policy.least, policy.most, random);
  const auto apart = std::chrono::duration_cast<duration>(policy.least * share_of(random));
  return std::clamp(*retry_after, policy.least, policy.most) + apart;
}

delivery_verdict stop(const webhook_progress& then, std::string reason) {
  delivery_verdict verdict;
  verdict.how = delivery_verdict::way::stop;
  verdict.reason = std::move(reason);
  verdict.then = then;
  return verdict;
}

/// The events become dead letters, if there is room for them.
delivery_verdict bury(const webhook_policy& policy, const webhook_progress& before,
                      std::size_t events, event_seq through, const std::string& reason) {
  if (before.dead_letters + events > policy.dead_letters_max)
    return stop(before, "the shard has " + std::to_string(before.dead_letters)
                            + " dead letters already (dead_letters_max); " + reason);
  delivery_verdict verdict;
  verdict.dead = true;
  verdict.reason = reason;
  verdict.then = before;
  verdict.then.position = through;
  verdict.then.attempts = 0;
  verdict.then.dead_letters += events;
  verdict.then.dead_in_a_row += static_cast<std::uint32_t>(events);
  if (verdict.then.dead_in_a_row >= policy.failing_after) {
    verdict.how = delivery_verdict::way::stop;
    verdict.reason = std::to_string(verdict.then.dead_in_a_row)
                     + " events in a row could not be delivered (failing_after); " + reason;
  }
  return verdict;
}

/// Whether a queue that answers so may take the same later. One that is missing may be made.
bool may_pass(errc code) { return code == errc::not_found || describe(code).retryable; }

/// Whether the event has its task. One of this id in another queue is that of before the webhook
/// was given this queue.
bool has_task(const failure& outcome) {
  return outcome.code == errc::none || outcome.code == errc::already_exists;
}

} // namespace

bool is_webhook_name(std::string_view name) {
  return name.size() <= webhook_name_bytes_max && is_secret_name(name);
}

std::vector<definition_problem> problems_of(const webhook_definition& definition) {
  std::vector<definition_problem> problems;
  const auto expect = [&](bool holds, const char* place, std::string what) {
    if (!holds)
      problems.push_back({place, std::move(what)});
  };
  if (definition.tasks) {
    expect(is_queue_name(definition.tasks->queue), "/queue", "must be 1 to 64 of a-z 0-9 _ . -");
  } else {
    problems = problems_of_receiver(definition.url, definition.secret, "");
  }
  const auto& queues = definition.queues;
  expect(queues.size() <= webhook_queues_max, "/queues",
         "must name at most " + std::to_string(webhook_queues_max));
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const auto place = "/queues/" + std::to_string(i);
    expect(is_queue_name(queues[i]), place.c_str(), "must be 1 to 64 of a-z 0-9 _ . -");
    expect(!definition.tasks || queues[i] != definition.tasks->queue, place.c_str(),
           "is the queue that gets the events: each task of an event would make another one,"
           " without an end");
  }
  expect(queues.empty() || definition.types.empty()
             || std::any_of(definition.types.begin(), definition.types.end(),
                            [](event_type type) { return ending_told_by(type).has_value(); }),
         "/types",
         "must name TaskCompleted, TaskFailed, TaskDead or TaskCanceled: queues leaves out all"
         " other events");
  const auto& policy = definition.policy;
  const auto expect_count = [&](std::uint32_t value, std::uint32_t most, const char* place) {
    expect(value >= 1 && value <= most, place, "must be between 1 and " + std::to_string(most));
  };
  expect_count(policy.attempts_max, attempts_most, "/retry/max_attempts");
  expect_count(policy.failing_after, dead_letters_most, "/failing_after");
  expect_count(policy.dead_letters_max, dead_letters_most, "/dead_letters_max");
  expect_count(policy.batch_events, batch_events_most, "/batch/events");
  expect_count(policy.batch_bytes, batch_bytes_most, "/batch/bytes");
  expect(policy.least >= std::chrono::milliseconds{1} && policy.least <= wait_most,
         "/retry/least_seconds", "must be between 0.001 and 86400");
  expect(policy.most >= policy.least && policy.most <= wait_most, "/retry/most_seconds",
         "must be between least_seconds and 86400");
  expect(policy.timeout >= std::chrono::milliseconds{100} && policy.timeout <= timeout_most,
         "/timeout_seconds", "must be between 0.1 and 300");
  return problems;
}

webhook_batch batch_of(std::vector<outgoing_event> wanted, event_seq position,
                       std::uint32_t events_most, std::size_t bytes_most) {
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (count < wanted.size() && count < events_most
         && (count == 0 || bytes + wanted[count].json.size() <= bytes_most))
    bytes += wanted[count++].json.size();
  const bool all = count == wanted.size();
  const auto through = all ? position : wanted[count - 1].seq;
  wanted.resize(count);
  return {std::move(wanted), through};
}

std::string event_body(shard_id shard, const outgoing_event& e) {
  return R"({"shard":)" + std::to_string(shard) + R"(,"seq":)" + std::to_string(e.seq)
         + R"(,"event":)" + e.json + '}';
}

task_id event_task_id(const webhook_id& webhook, shard_id shard, event_seq seq) {
  // The webhook's own id, counted on: by the shard in its 12 bits behind the time, by the event in
  // the 62 last ones. Between them lie version (8: of our own making) and variant.
  auto id = webhook.value;
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    high = high << 8U | id.bytes[i];
    low = low << 8U | id.bytes[8 + i];
  }
  high = (high & ~0xffffULL) | 0x8000ULL | ((high + shard) & 0xfffULL);
  low = 1ULL << 63U | ((low + seq) & ((1ULL << 62U) - 1));
  for (std::size_t i = 0; i < 8; ++i) {
    id.bytes[i] = static_cast<std::uint8_t>(high >> (56 - 8 * i));
    id.bytes[8 + i] = static_cast<std::uint8_t>(low >> (56 - 8 * i));
  }
  return {id};
}

std::string post_body(const std::string& webhook, shard_id shard, const webhook_batch& batch) {
  auto body = R"({"webhook":")" + webhook + R"(","events":[)";
  for (const auto& e : batch.events) {
    if (&e != &batch.events.front())
      body += ',';
    body += event_body(shard, e);
  }
  return body + "]}";
}

std::string post_id(const webhook_id& webhook, shard_id shard, const webhook_batch& batch) {
  return to_string(webhook) + '-' + std::to_string(shard) + '-'
         + std::to_string(batch.events.front().seq) + '-' + std::to_string(batch.events.back().seq);
}

post_verdict verdict_on(std::uint32_t http_status) {
  if (http_status >= 200 && http_status < 300)
    return post_verdict::delivered;
  if (http_status == 410)
    return post_verdict::gone;
  if (http_status >= 500 || http_status == 408 || http_status == 425 || http_status == 429)
    return post_verdict::again;
  return post_verdict::refused;
}

post_answer answer_of(const failure& why) {
  post_answer answer;
  if (has_task(why)) {
    answer.verdict = post_verdict::delivered;
    return answer;
  }
  answer.verdict = may_pass(why.code) ? post_verdict::not_now : post_verdict::refused;
  answer.reason = std::string{to_string(why.code)} + ": " + why.detail;
  return answer;
}

tasks_verdict judge_tasks(const std::vector<failure>& outcomes) {
  HOLDFAST_INVARIANT(!outcomes.empty(), "a queue answers for each of the tasks");
  const auto first_left = std::find_if_not(outcomes.begin(), outcomes.end(), has_task);
  const auto taken = static_cast<std::size_t>(first_left - outcomes.begin());
  auto answer = answer_of(outcomes.front());
  if (taken > 0)
    return {std::move(answer), taken};
  const bool blames_one = answer.verdict == post_verdict::refused;
  return {std::move(answer), blames_one ? 1 : outcomes.size()};
}

std::uint32_t next_batch_events(const webhook_policy& policy, const webhook_progress& progress) {
  return progress.events_most == 0 ? policy.batch_events
                                   : std::min(progress.events_most, policy.batch_events);
}

delivery_verdict judge_delivery(const webhook_policy& policy, const webhook_progress& before,
                                std::size_t events, event_seq through, const post_answer& answer,
                                std::uint64_t random) {
  delivery_verdict verdict;
  verdict.reason = answer.reason;
  verdict.then = before;
  switch (answer.verdict) {
  case post_verdict::delivered:
    verdict.then.position = through;
    verdict.then.attempts = 0;
    verdict.then.dead_in_a_row = 0;
    // What was narrowed widens again step by step: one bad event is followed by others.
    verdict.then.events_most =
        before.events_most >= policy.batch_events ? 0 : before.events_most * 2;
    return verdict;
  case post_verdict::again:
    if (++verdict.then.attempts >= policy.attempts_max)
      return bury(policy, before, events, through, answer.reason);
    verdict.how = delivery_verdict::way::wait;
    verdict.wait = wait_before(verdict.then.attempts, policy, answer.retry_after, random);
    return verdict;
  case post_verdict::not_now:
    ++verdict.then.attempts;
    verdict.how = delivery_verdict::way::wait;
    verdict.wait = wait_before(verdict.then.attempts, policy, answer.retry_after, random);
    return verdict;
  case post_verdict::refused:
    if (events == 1)
      return bury(policy, before, events, through, answer.reason);
    verdict.how = delivery_verdict::way::narrow;
    verdict.then.attempts = 0;
    verdict.then.events_most = static_cast<std::uint32_t>(events / 2);
    return verdict;
  case post_verdict::gone:
  case post_verdict::barred:
    return stop(before, answer.reason);
  }
  break_invariant("post_verdict", "all of them are above", __FILE__, __LINE__);
}

put_dead_letter dead_letter_of(const webhook_id& webhook, shard_id shard, const outgoing_event& e,
                               const post_answer& answer, instant at) {
  return {webhook, {shard, e.seq}, e.json, answer.status, answer.reason, at};
}

decision<std::uint64_t> decide_put(const std::optional<known_webhook>& known, webhook_id id,
                                   const std::string& name, const std::string& definition,
                                   event_start start, std::size_t others, instant at) {
  decision<std::uint64_t> put;
  if (!known && others >= webhooks_most)
    return refuse<std::uint64_t>(errc::limit_reached, "there are " + std::to_string(others)
                                                          + " webhooks already; remove one");
  if (known && known->definition == definition) {
    put.answer = known->revision;
    return put;
  }
  put.answer = known ? known->revision + 1 : 1;
  put.changes.writes.push_back(put_webhook{known ? known->id : id, name, definition,
                                           known && known->paused, put.answer, start, at});
  return put;
}

decision<std::uint64_t> decide_change(const std::optional<known_webhook>& known,
                                      const std::string& name, webhook_verb verb, instant at) {
  if (!known)
    return refuse<std::uint64_t>(errc::not_found, "there is no webhook " + name);
  decision<std::uint64_t> changed;
  if (verb == webhook_verb::remove) {
    changed.changes.writes.push_back(delete_webhook{known->id});
    return changed;
  }
  changed.answer = known->revision;
  const bool pauses = verb == webhook_verb::pause;
  if (pauses && known->paused)
    return changed;
  ++changed.answer;
  changed.changes.writes.push_back(put_webhook{known->id, name, known->definition, pauses,
                                               changed.answer, event_start::newest, at});
  return changed;
}

} // namespace holdfast::core
