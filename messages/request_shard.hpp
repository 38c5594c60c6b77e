#pragma once

#include "core/ids.hpp"
#include "messages/interfaces.hpp"

namespace holdfast::msg {

/// The shard whose host decides about a request.
template <class Request>
auto shard_of_request(const Request& m, std::uint32_t shards)
    -> decltype(core::shard_of(m.queue, shards)) {
  return core::shard_of(m.queue, shards);
}
template <class Request>
auto shard_of_request(const Request& m, std::uint32_t shards)
    -> decltype(core::shard_of(m.step, shards)) {
  return core::shard_of(m.step, shards);
}
/// Any one will do for a workflow that is to be made, so long as the same is chosen when the
/// request comes again: two that make it at once would both find that it was there already.
inline core::shard_id shard_of_request(const create_workflow& m, std::uint32_t shards) {
  return core::shard_of(core::step_id{m.workflow.value}, shards);
}
/// The reader of events says which shard.
inline core::shard_id shard_of_request(const read_events& m, std::uint32_t) { return m.shard; }
/// What a webhook is decides one host, what becomes of its events that of theirs.
inline core::shard_id shard_of_request(const put_webhook& m, std::uint32_t shards) {
  return core::shard_of(m.name, shards);
}
inline core::shard_id shard_of_request(const change_webhook& m, std::uint32_t shards) {
  return core::shard_of(m.name, shards);
}
inline core::shard_id shard_of_request(const put_profile& m, std::uint32_t shards) {
  return core::shard_of(m.contributor, shards);
}
inline core::shard_id shard_of_request(const replay_webhook& m, std::uint32_t) { return m.shard; }

} // namespace holdfast::msg
