-- I-13: Every staged task belongs to a queue, or to one that was removed and refuses it; or nobody
-- would ever take it in.
SELECT intake_id, task_id, queue
FROM holdfast.task_intake i
WHERE NOT EXISTS (SELECT 1 FROM holdfast.queues q WHERE q.queue = i.queue)
  AND NOT EXISTS (SELECT 1 FROM holdfast.removed_queues r WHERE r.queue = i.queue)
