-- Old events leave the outbox, and with them what consumers noted about them. How far that has gone
-- stands with the shard, so that `holdfast verify` knows which events must still be there.
ALTER TABLE holdfast.shard_leases
  ADD COLUMN pruned_seq bigint NOT NULL DEFAULT 0, -- events up to and including this one are gone
  ADD COLUMN pruned_to timestamptz;                -- when the newest of them was committed
