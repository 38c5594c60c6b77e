#pragma once

#include "actors/writer_state.hpp"

/// Consequences of the answer that the database gave to a batch.
namespace holdfast::actors::writing {

void on_committed(self_ptr self);

/// The batch is cut in halves, until the guilty change stands alone.
void on_refused(self_ptr self, const persistence::commit_result& result);

/// Another host has these shards.
void on_fenced(self_ptr self, const std::vector<core::shard_id>& lost);

/// The database lacks commits that the batch follows from: the database was promoted from a standby
/// that had not got these commits, or restored. No takeover will ever end that loss, so this node
/// ends it: membership takes the shards anew, and everything above is loaded again.
void on_history_lost(self_ptr self, const persistence::commit_result& result);

/// Why `change` may not be written any more: its sender was refused, or the shard is hosted anew
/// since. No failure when it may.
core::failure why_void(const writer_state& st, const queued_change& change);

/// Drops what may not be written any more: from what is selected and from the queue behind it.
void drop_void(self_ptr self);

/// Counts the doubts about the batch, and what has become of them.
void note_doubt(writer_state& st, const persistence::commit_result& result);

} // namespace holdfast::actors::writing
