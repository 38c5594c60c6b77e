#include "tests/sim/plant.hpp"

namespace holdfast::sim {

void rebase(const persistence::memory::tables& t, persistence::shard_batch& part) {
  const auto& shard = t.shards.at(part.shard);
  part.epoch = shard.epoch;
  part.batch_seq = shard.batch_seq + 1;
  part.first_event = shard.event_seq + 1;
}

} // namespace holdfast::sim
