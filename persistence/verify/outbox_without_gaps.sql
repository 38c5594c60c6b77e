-- I-7: The events of a shard are numbered without gap or overlap, but for the gaps that a new
-- generation makes: from the first after those pruned up to its event_seq.
SELECT r.shard, r.first_seq, r.count, r.expected_seq
FROM (SELECT o.shard, o.first_seq, o.count,
             lag(o.first_seq + o.count, 1, coalesce(s.pruned_seq, 0) + 1)
               OVER (PARTITION BY o.shard ORDER BY o.first_seq) AS expected_seq
      FROM holdfast.outbox o
      LEFT JOIN holdfast.shard_leases s USING (shard)) r
WHERE r.first_seq <> r.expected_seq
  AND NOT EXISTS (SELECT FROM holdfast.event_gaps g
                  WHERE g.shard = r.shard AND g.first_seq = r.expected_seq
                    AND g.last_seq = r.first_seq - 1)
UNION ALL
SELECT s.shard, NULL, NULL, s.event_seq + 1
FROM holdfast.shard_leases s
CROSS JOIN LATERAL (
  SELECT coalesce(max(o.first_seq + o.count - 1), s.pruned_seq) AS last_seq
  FROM holdfast.outbox o WHERE o.shard = s.shard) e
WHERE s.event_seq <> e.last_seq
  AND NOT EXISTS (SELECT FROM holdfast.event_gaps g
                  WHERE g.shard = s.shard AND g.first_seq = e.last_seq + 1
                    AND g.last_seq = s.event_seq)
