-- I-7: The events of a shard are numbered from 1 to its event_seq without gap or overlap.
SELECT shard, first_seq, count, expected_seq
FROM (SELECT shard, first_seq, count,
             lag(first_seq + count, 1, 1::bigint) OVER (PARTITION BY shard ORDER BY first_seq)
               AS expected_seq
      FROM holdfast.outbox) rows
WHERE first_seq <> expected_seq
UNION ALL
SELECT s.shard, NULL, NULL, s.event_seq + 1
FROM holdfast.shard_leases s
WHERE s.event_seq <> coalesce((SELECT max(o.first_seq + o.count - 1) FROM holdfast.outbox o
                               WHERE o.shard = s.shard), 0)
