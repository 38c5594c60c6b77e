#pragma once

#include "actors/writer_state.hpp"

/// Answers of the writer: each sender hears of its changes in their order.
namespace holdfast::actors::writing {

/// Answers a change that will not be written.
void answer(self_ptr self, const queued_change& change, core::failure why);

/// Tells senders and the follower what has been committed.
void tell_durable(self_ptr self);

/// Refuses `change` and, unless it `stands_alone`, everything that its sender decided after it:
/// those decisions stood on it.
void refuse(self_ptr self, const queued_change& change, const core::failure& why,
            bool stands_alone = false);

/// Nothing waits: everything that came has been answered.
bool is_settled(const writer_state& st);

/// Answers those who wait until nothing of some shards, or nothing at all, is under way.
void tell_shards_settled(writer_state& st);
void tell_settled(self_ptr self);

} // namespace holdfast::actors::writing
