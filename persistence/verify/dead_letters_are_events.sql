-- I-8: A dead letter is an event of its shard, as it was published: EventUnreadable for one that
-- could not be read then.
SELECT w.name, d.shard, d.seq, s.event_seq
FROM holdfast.dead_letters d
JOIN holdfast.webhooks w USING (webhook_id)
LEFT JOIN holdfast.shard_leases s USING (shard)
LEFT JOIN LATERAL (SELECT o.first_seq, o.events FROM holdfast.outbox o
                   WHERE o.shard = d.shard AND o.first_seq <= d.seq
                   ORDER BY o.first_seq DESC LIMIT 1) o ON true
WHERE d.seq > coalesce(s.event_seq, 0)
   OR (d.event::jsonb <> o.events::jsonb -> (d.seq - o.first_seq)::integer
       AND d.event::jsonb ->> 'type' <> 'EventUnreadable')
