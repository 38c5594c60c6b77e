-- I-2: A task's active lease is the only one and belongs to a live task.
SELECT l.task_id, count(*) AS leases, count(t.task_id) AS live
FROM holdfast.task_leases l LEFT JOIN holdfast.tasks t USING (task_id)
GROUP BY l.task_id
HAVING count(*) > 1 OR count(t.task_id) = 0
