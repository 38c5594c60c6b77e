#pragma once

#include "actors/context.hpp"
#include "actors/held_promise.hpp"
#include "actors/internal_messages.hpp"
#include "actors/pending_effects.hpp"
#include "actors/standing_fault.hpp"
#include "core/webhook.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <random>
#include <string>
#include <vector>

namespace holdfast::actors {

/// What a delivery delivers, and with whom it speaks.
struct delivery_links {
  core::shard_id shard = 0;
  persistence::stored_webhook webhook;
  core::webhook_definition definition; ///< Of the webhook, as parsed.
  caf::actor writer;                   ///< Of the shard.
  caf::actor loader;
  caf::actor shards; ///< The way to the queue, if events become tasks.
  caf::actor feed;
};

struct webhook_delivery_state {
  static inline const char* name = "webhook_delivery";

  enum class doing { loading, gone, idle, reading, posting, waiting, writing };

  context_ptr context;
  delivery_links links;
  core::event_wish wish;
  core::webhook_progress progress;
  core::webhook_batch batch;                 ///< What is posted, or is to be posted again.
  std::vector<core::outgoing_event> letters; ///< Dead letters that are posted once more.
  bool letters_wait = true;                  ///< Some may be there that somebody wants replayed.
  core::instant post_at;                     ///< Not before, the batch is posted again.
  bool stopped = false;                      ///< Until somebody looks after it.
  standing_fault read_fault;
  std::string told; ///< Why it waits, as the database knows it.
  doing now = doing::loading;
  std::uint64_t turn =
      0; ///< Raised with each thing that it begins; what is of earlier ones is void.
  struct waiting_request {
    msg::replay_webhook what;
    held_promise promise;
  };
  std::vector<waiting_request> waiting_requests; ///< For the first look at the database.
  pending_effects pending;
  std::mt19937_64 random;
  metrics::registration reported; ///< To scrapes of metrics.
};

/// The DELIVERY of one webhook on one shard: reads the feed behind the stored position, posts batch
/// after batch in order, and stores the new position after the receiver's word. What to do after
/// each answer is `core::judge_delivery`; this carries it out. Dead letters that somebody wants
/// replayed go out before, and are tried once.
///
/// With a queue in place of a receiver, events become its tasks, under ids that follow from their
/// places: whatever is handed over twice, the queue has once.
///
/// Lifecycle: a child of `webhooks`, from which it also gets `msg::replay_webhook`. Ended when the
/// webhook changes or the shard leaves; started anew it begins with the stored position, so what
/// was under way goes out again.
///
/// Failure: it ends when a write is refused; `webhooks` starts it again at its next look.
/// Backpressure: one batch is in memory, and one request under way.
caf::behavior webhook_delivery(caf::stateful_actor<webhook_delivery_state>* self,
                               context_ptr context, delivery_links links);

} // namespace holdfast::actors
