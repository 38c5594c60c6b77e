-- I-9: A task's lease recorded as expired had reached its end, and every lease ends after it
-- begins.
SELECT task_id, worker, token, granted_at, expires_at, ended_at
FROM holdfast.task_attempts
WHERE expires_at <= granted_at OR (ending = 4 AND ended_at < expires_at)
UNION ALL
SELECT task_id, worker, token, granted_at, expires_at, NULL
FROM holdfast.task_leases
WHERE expires_at <= granted_at
UNION ALL
SELECT task_id, worker, token, granted_at, expires_at, finished_at
FROM holdfast.finished_tasks
WHERE expires_at <= granted_at
