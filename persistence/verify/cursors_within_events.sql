-- I-8: No consumer's cursor is ahead of the events.
SELECT c.consumer, c.shard, c.seq, s.event_seq
FROM holdfast.consumer_cursors c
LEFT JOIN holdfast.shard_leases s USING (shard)
WHERE c.seq > coalesce(s.event_seq, 0)
