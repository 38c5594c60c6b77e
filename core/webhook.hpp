#pragma once

#include "core/change.hpp"
#include "core/time.hpp"
#include "core/workflow.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::core {

/// Webhooks of one cluster at most. Each has a request under way for each shard.
inline constexpr std::size_t webhooks_most = 32;
inline constexpr std::size_t webhook_name_bytes_max = 64;

/// Whether `name` may name a webhook, or its secret: 1 to 64 of `a-z 0-9 _ . -`, beginning with a
/// letter or digit, so that it is the name of a file and of nothing outside its directory.
bool is_webhook_name(std::string_view name);

/// How a webhook is delivered, and when that is given up.
struct webhook_policy {
  std::uint32_t attempts_max = 24;          ///< Of one batch, before it goes to the dead letters.
  duration least = std::chrono::seconds{5}; ///< Shortest wait between two; see `full_jitter`.
  duration most = std::chrono::hours{1};    ///< Longest wait.
  duration timeout = std::chrono::seconds{30}; ///< Of one attempt.
  /// Dead letters one after another, without a delivery between them, that stop the delivery.
  std::uint32_t failing_after = 100;
  std::uint32_t dead_letters_max = 10'000; ///< Of one shard.
  std::uint32_t batch_events = 100;
  std::uint32_t batch_bytes = 256 * 1024; ///< Of its events; one event may have more.
};

/// A queue in which each event becomes a task. Its workers are a consumer group: they share the
/// events, and what becomes of each is a matter of the queue.
struct event_tasks {
  queue_name queue;
  std::string type = "event";
};

/// The wrapping of an event for its readers.
enum class event_envelope : std::uint8_t {
  plain = 1,       ///< Nothing but its place: `{"shard":3,"seq":17,"event":{…}}`.
  cloudevents = 2, ///< That of CloudEvents 1.0, see documents/cloud_event.hpp.
};

/// Queues that one webhook may name.
inline constexpr std::size_t webhook_queues_max = 100;

/// What a webhook is, as its owner wrote it.
struct webhook_definition {
  std::string url;
  std::string secret;               ///< Its name.
  std::optional<event_tasks> tasks; ///< Instead of both.
  std::vector<event_type> types;    ///< Empty: all.
  workflow_id workflow;             ///< Nil: of all.
  /// Of tasks of these queues alone; empty: of all, and of steps. Never of `tasks->queue`, whose
  /// own tasks would make events, and these tasks, without an end.
  std::vector<queue_name> queues;
  event_envelope envelope = event_envelope::plain; ///< Of what is posted.
  event_start start = event_start::newest;
  webhook_policy policy;
};

/// Everything that is wrong with the values of `definition`.
std::vector<definition_problem> problems_of(const webhook_definition& definition);

/// An event on its way to a receiver.
struct outgoing_event {
  event_seq seq = 0;
  std::string json;
};

/// The next events for a receiver: those up to `through` that it wants.
struct webhook_batch {
  std::vector<outgoing_event> events;
  event_seq through = 0;
};

/// As many of `wanted` as one delivery may hold, and at least one. `through` is where the last of
/// them leads, up to `position` when that is all of them.
webhook_batch batch_of(std::vector<outgoing_event> wanted, event_seq position,
                       std::uint32_t events_most, std::size_t bytes_most);

/// One event with its place, as JSON: `{"shard":3,"seq":17,"event":{…}}`. The body of its task.
std::string event_body(shard_id shard, const outgoing_event& e);

/// The id of the task that an event becomes; the same whenever it is made again, by any node. No
/// two events of a webhook have the same, and those of a shard follow each other.
task_id event_task_id(const webhook_id& webhook, shard_id shard, event_seq seq);

/// The JSON that is posted: `{"webhook":"billing","events":[{"shard":3,"seq":17,"event":{…}}]}`.
std::string post_body(const std::string& webhook, shard_id shard, const webhook_batch& batch);

/// The id of that message, which says what is in it; the same when it is sent again.
std::string post_id(const webhook_id& webhook, shard_id shard, const webhook_batch& batch);

/// What came of one attempt.
enum class post_verdict : std::uint8_t {
  delivered, ///< The receiver has it: 2xx.
  again,     ///< It may have it later: no answer, 408, 425, 429, 5xx.
  not_now,   ///< The queue takes nothing, whatever it is: it is missing, full, or not reached.
  refused,   ///< It never wants it: every other answer.
  gone,      ///< It wants nothing any more: 410.
  barred,    ///< Nothing was sent, and nothing may be: the address is not allowed.
};

post_verdict verdict_on(std::uint32_t http_status);

/// How much of the body of an answer is there.
enum class answer_body : std::uint8_t {
  whole,     ///< Or nobody wanted it.
  too_large, ///< It has more bytes than were wanted; those that are there are its first.
  broken,    ///< The connection ended before it did.
};

struct post_answer {
  post_verdict verdict = post_verdict::again;
  std::uint32_t status = 0; ///< Of HTTP; 0: there was no answer.
  std::optional<duration> retry_after{};
  std::string reason{}; ///< For people; empty when it was delivered.
  // Of a post that wants the body of the answer.
  std::string body{};
  answer_body body_is = answer_body::whole;
  std::string content_type{}; ///< As the receiver says it; empty when it does not.
};

/// What the failure of a request for tasks, or of one of them, means.
post_answer answer_of(const failure& why);

/// What came of a request for tasks.
struct tasks_verdict {
  post_answer answer;
  std::size_t events = 0; ///< How many of them, from the first on, it is the answer to.
};

/// Decides by what the queue says of each task, in their order. As many as it took go on: a queue
/// that fills up in the middle of a batch has taken those before. What it has of those behind is
/// known to it when they come again.
tasks_verdict judge_tasks(const std::vector<failure>& outcomes);

/// How far the delivery of one webhook is on one shard. Only `position` and `dead_letters` are
/// durable: a new host begins its attempts anew.
struct webhook_progress {
  event_seq position = 0;
  std::uint64_t dead_letters = 0;
  std::uint32_t attempts = 0; ///< Of the batch that is next.
  std::uint32_t dead_in_a_row = 0;
  std::uint32_t events_most = 0; ///< Of the next batch; 0: as many as the policy says.
};

/// How many events the next batch may hold: fewer than the policy says while it is looked for the
/// one that is refused.
std::uint32_t next_batch_events(const webhook_policy& policy, const webhook_progress& progress);

/// What to do after an attempt.
struct delivery_verdict {
  enum class way : std::uint8_t {
    go_on, ///< The batch is done with: store `then.position`, and the dead letters if it is `dead`.
    wait,  ///< Try the same again after `wait`.
    narrow, ///< Try fewer of them at once: it may be that only one of them is refused.
    stop,   ///< Nothing more until somebody looks after it. With what `go_on` stores.
  };
  way how = way::go_on;
  duration wait{0};
  bool dead = false; ///< The events of the batch become dead letters.
  std::string reason{};
  webhook_progress then;
};

/// Decides about a batch of `events` that leads to `through`; `random`: 64 random bits.
///
///              ┌── delivered ──► go on
///   attempt ───┼── again ──────► wait; after the last attempt: dead letters, go on
///              ├── not now ────► wait, for as long as it takes: no event is to blame
///              ├── refused ────► with half of the events; when it is one: dead letter, go on
///              └── gone, barred: stop; so do too many dead letters
///
/// What stops has not lost anything: its position is before the first event that is neither
/// delivered nor a dead letter.
delivery_verdict judge_delivery(const webhook_policy& policy, const webhook_progress& before,
                                std::size_t events, event_seq through, const post_answer& answer,
                                std::uint64_t random);

/// What is stored of an event that becomes a dead letter, or stays one.
put_dead_letter dead_letter_of(const webhook_id& webhook, shard_id shard, const outgoing_event& e,
                               const post_answer& answer, instant at);

// --- requests about webhooks ---

/// A webhook as it is known.
struct known_webhook {
  webhook_id id;
  std::string definition;
  bool paused = false;
  std::uint64_t revision = 1;
};

enum class webhook_verb : std::uint8_t { pause = 1, resume = 2, remove = 3 };

/// What is done about events that were not delivered. The numbers are on the wire.
enum class replay_verb : std::uint8_t {
  deliver = 1, ///< Dead letters, once more.
  forget = 2,  ///< Dead letters.
  move = 3,    ///< Deliver all events behind a position, also where delivery has stopped.
};

/// Makes the webhook `name` under `id`, or gives the one that is `known` another definition. An
/// empty change: it is so already. The answer is its revision. `limit_reached` when there are
/// `others` enough.
decision<std::uint64_t> decide_put(const std::optional<known_webhook>& known, webhook_id id,
                                   const std::string& name, const std::string& definition,
                                   event_start start, std::size_t others, instant at);

/// The answer is its revision, 0 when it is removed. Resuming always raises it, so that what has
/// stopped goes on. `not_found` when it is not known.
decision<std::uint64_t> decide_change(const std::optional<known_webhook>& known,
                                      const std::string& name, webhook_verb verb, instant at);

} // namespace holdfast::core
