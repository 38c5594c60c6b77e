-- works with programs of migration 25
-- What consumers noted about events goes with the events, by shard and number, whatever name it is
-- noted under: steps that units go on to have names of their own, of which pruning knew nothing, so
-- that their notes have stayed so far. The key begins with what is pruned by; with the consumer in
-- front each pruning would read the notes of all steps. What was pruned before goes now, while no
-- index has to be kept.

ALTER TABLE holdfast.inbox DROP CONSTRAINT inbox_pkey;

DELETE FROM holdfast.inbox i USING holdfast.shard_leases s
 WHERE i.shard = s.shard AND i.seq <= s.pruned_seq;

-- Invariant I-8, as before.
ALTER TABLE holdfast.inbox ADD CONSTRAINT inbox_pkey PRIMARY KEY (shard, seq, consumer);
