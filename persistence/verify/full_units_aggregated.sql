-- I-10: An open unit with all judgments in is finalized, or wants more, once the events of those,
-- and of its reopening, and of what counts again, are behind the aggregation; a test question never
-- is full.
SELECT u.unit_id, u.slots, count(*) AS judgments
FROM holdfast.units u
JOIN holdfast.judgments j ON j.unit_id = u.unit_id AND NOT j.is_tainted
JOIN pg_temp.event e ON e.judgment_id = j.judgment_id AND e.type = 'JudgmentReceived'
LEFT JOIN holdfast.consumer_cursors c ON c.consumer = 'aggregation' AND c.shard = e.shard
LEFT JOIN (SELECT shard, unit_id, max(seq) AS seq FROM pg_temp.event
           WHERE type IN ('UnitReopened', 'JudgmentReinstated') GROUP BY shard, unit_id) r
       ON r.shard = e.shard AND r.unit_id = u.unit_id
WHERE u.state < 3 AND u.truth IS NULL
GROUP BY u.unit_id
HAVING count(*) >= u.slots AND bool_and(greatest(e.seq, r.seq) <= coalesce(c.seq, 0))
