#pragma once

#include "persistence/batch_columns.hpp"
#include "persistence/connection.hpp"
#include "persistence/store.hpp"

#include <vector>

namespace holdfast::persistence {

/// The group commit: a whole batch as one pipeline, BEGIN to COMMIT, in one round trip. It holds
/// one statement per kind of write, whatever their number (tasks and the leases that they are
/// granted at once are one kind), and each counts the rows it touched and fails the transaction
/// when one is missing: so nothing has to be read before COMMIT.
std::vector<call> batch_calls(const write_batch& batch, const batch::row_types& types);

/// Asks for the numbers of the row types, which each database has its own of; and reads the answer.
call read_row_types_call();
batch::row_types row_types_of(const query_result& answer);

/// Whether the failed call of a batch is its fence, i.e. an epoch or sequence number did not match.
bool failed_at_fence(const std::vector<call>& calls, const query_failure& failure);

/// What a call of a batch was doing, for the reason of a refusal.
std::string purpose_of(const call& which);

/// A write that changes nothing, to one of the rows that the batch has written.
call confirm_call(const write_batch& batch);

/// Reads where the shards of a batch stand.
call read_fences_call(const write_batch& batch);

/// Decides, from the answer to `read_fences_call`, what a batch stopped at the fence has come to.
commit_result judge_fences(const write_batch& batch, const query_result& fences);

} // namespace holdfast::persistence
