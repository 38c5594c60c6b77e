-- I-8: No webhook's position is ahead of the events, and none has stopped under a revision that it
-- never had.
SELECT w.name, p.shard, p.seq, s.event_seq, p.stopped_revision, w.revision
FROM holdfast.webhook_positions p
JOIN holdfast.webhooks w USING (webhook_id)
LEFT JOIN holdfast.shard_leases s USING (shard)
WHERE p.seq > coalesce(s.event_seq, 0) OR p.stopped_revision > w.revision
