-- I-8: A consumer has applied a message at most once, and only messages that exist.
SELECT i.consumer, i.shard, i.seq, count(*) AS times
FROM holdfast.inbox i
LEFT JOIN holdfast.shard_leases s USING (shard)
GROUP BY i.consumer, i.shard, i.seq
HAVING count(*) > 1 OR i.seq > coalesce(max(s.event_seq), 0)
