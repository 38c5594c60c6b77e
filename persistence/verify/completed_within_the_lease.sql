-- I-3: A task was completed while its lease was held (5 s allow for the clocks of two hosts).
SELECT task_id, token, granted_at, finished_at, expires_at
FROM holdfast.finished_tasks
WHERE ending = 1
  AND (finished_at >= expires_at OR finished_at < granted_at - interval '5 s')
