#pragma once

#include "actors/writer_state.hpp"

/// Which changes share a transaction, and the next one while the database works on the last.
namespace holdfast::actors::writing {

/// Builds the transaction of [first, last) of `selected`, to follow `before` if there is one. The
/// changes move into it.
persistence::write_batch build(const writer_state& st, std::vector<queued_change>& selected,
                               const span& range, const persistence::write_batch* before);

/// Takes the batch that was built apart again: nothing of it was written, and it will not be tried
/// as it is.
void unbuild(writer_state& st);

/// Whether something that waits may not be written any more; see `drop_void`.
bool some_may_be_void(const writer_state& st);

/// Makes the next batch ready, if there is enough for one and nothing speaks against it.
void prepare_next(writer_state& st);

/// Puts what was made ready back where it came from.
void abandon_next(writer_state& st);

/// Takes up what is to be committed next.
void take_up(writer_state& st);

} // namespace holdfast::actors::writing
