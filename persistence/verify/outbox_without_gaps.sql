-- I-7: The events of a shard are numbered without gap or overlap: from the first after those pruned
-- up to its event_seq.
SELECT shard, first_seq, count, expected_seq
FROM (SELECT o.shard, o.first_seq, o.count,
             lag(o.first_seq + o.count, 1, coalesce(s.pruned_seq, 0) + 1)
               OVER (PARTITION BY o.shard ORDER BY o.first_seq) AS expected_seq
      FROM holdfast.outbox o
      LEFT JOIN holdfast.shard_leases s USING (shard)) rows
WHERE first_seq <> expected_seq
UNION ALL
SELECT s.shard, NULL, NULL, s.event_seq + 1
FROM holdfast.shard_leases s
WHERE s.event_seq <> coalesce((SELECT max(o.first_seq + o.count - 1) FROM holdfast.outbox o
                               WHERE o.shard = s.shard), s.pruned_seq)
