-- I-7: The events of a shard are numbered without gap or overlap, but for the gaps that a new
-- generation makes: from the first after those pruned up to its event_seq. A row that cannot be
-- read stays where others are pruned: outbox_counts_match names it.
SELECT r.shard, r.first_seq, r.count, r.expected_seq
FROM (SELECT o.shard, o.first_seq, o.count, coalesce(s.pruned_seq, 0) AS pruned_seq,
             greatest(lag(o.first_seq + o.count) OVER (PARTITION BY o.shard ORDER BY o.first_seq),
                      coalesce(s.pruned_seq, 0) + 1) AS expected_seq
      FROM holdfast.outbox o
      LEFT JOIN holdfast.shard_leases s USING (shard)) r
WHERE r.first_seq <> r.expected_seq
  AND NOT EXISTS (SELECT FROM holdfast.event_gaps g
                  WHERE g.shard = r.shard AND g.first_seq = r.expected_seq
                    AND g.last_seq = r.first_seq - 1)
  AND NOT (r.first_seq <= r.pruned_seq
           AND NOT EXISTS (SELECT FROM pg_temp.event e
                           WHERE e.shard = r.shard AND e.first_seq = r.first_seq))
UNION ALL
SELECT s.shard, NULL, NULL, s.event_seq + 1
FROM holdfast.shard_leases s
CROSS JOIN LATERAL (
  SELECT greatest(max(o.first_seq + o.count - 1), s.pruned_seq) AS last_seq
  FROM holdfast.outbox o WHERE o.shard = s.shard) e
WHERE s.event_seq <> e.last_seq
  AND NOT EXISTS (SELECT FROM holdfast.event_gaps g
                  WHERE g.shard = s.shard AND g.first_seq = e.last_seq + 1
                    AND g.last_seq = s.event_seq)
