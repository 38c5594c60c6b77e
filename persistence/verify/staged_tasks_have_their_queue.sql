-- I-13: Every staged task belongs to a queue, or nobody would ever take it in.
SELECT intake_id, task_id, queue
FROM holdfast.task_intake i
WHERE NOT EXISTS (SELECT 1 FROM holdfast.queues q WHERE q.queue = i.queue)
