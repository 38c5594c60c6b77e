-- I-13: No staged task waits for an hour for a queue that has room, while every shard has had a
-- live host for that long; a transaction that stages is not open for as long.
SELECT i.intake_id, i.task_id, i.queue, i.staged_at
FROM holdfast.task_intake i
JOIN holdfast.queues q USING (queue)
CROSS JOIN pg_temp.hosted
WHERE i.refused_at IS NULL AND i.staged_at < now() - interval '1 h'
  AND (SELECT count(*) FROM holdfast.tasks t WHERE t.queue = i.queue)
      < coalesce(holdfast.number_or_null(q.definition, '{depth_max}'), 1000000)
  AND hosted.since <= now() - interval '1 h'
