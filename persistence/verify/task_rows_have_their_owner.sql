-- I-13: Every attempt and late result belongs to a task, every task to a queue; a finished one may
-- belong to a queue that was removed.
SELECT 'attempt' AS what, task_id::text AS id FROM holdfast.task_attempts a
WHERE NOT EXISTS (SELECT 1 FROM holdfast.tasks t WHERE t.task_id = a.task_id)
  AND NOT EXISTS (SELECT 1 FROM holdfast.finished_tasks t WHERE t.task_id = a.task_id)
UNION ALL
SELECT 'late result', task_id::text FROM holdfast.late_results a
WHERE NOT EXISTS (SELECT 1 FROM holdfast.tasks t WHERE t.task_id = a.task_id)
  AND NOT EXISTS (SELECT 1 FROM holdfast.finished_tasks t WHERE t.task_id = a.task_id)
UNION ALL
SELECT 'live task', task_id::text FROM holdfast.tasks t
WHERE NOT EXISTS (SELECT 1 FROM holdfast.queues q WHERE q.queue = t.queue)
UNION ALL
SELECT 'finished task', task_id::text FROM holdfast.finished_tasks t
WHERE NOT EXISTS (SELECT 1 FROM holdfast.queues q WHERE q.queue = t.queue)
  AND NOT EXISTS (SELECT 1 FROM holdfast.removed_queues r WHERE r.queue = t.queue)
