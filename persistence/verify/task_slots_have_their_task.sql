-- I-13: A slot that waits for a task waits for one that was made for this unit, and what a task
-- says of a unit is what it came to. One of the two may be in the object store where nodes differ in
-- what is too large for a row.
SELECT l.unit_id, l.contributor_id, l.assignment_id, 'waits for no task' AS what
FROM holdfast.active_leases l
JOIN holdfast.units u ON u.unit_id = l.unit_id
WHERE l.contributor_id LIKE 'task:%'
  AND NOT EXISTS (
    SELECT FROM (SELECT task_id, owner_id FROM holdfast.tasks
                 UNION ALL SELECT task_id, owner_id FROM holdfast.finished_tasks
                 UNION ALL SELECT task_id, owner_id FROM holdfast.task_intake) asked
     WHERE asked.task_id = l.assignment_id
       AND asked.owner_id = 'unit/' || u.step_id || '/' || u.unit_id)
UNION ALL
SELECT j.unit_id, j.contributor_id, j.judgment_id, 'is not what the task came to'
FROM holdfast.judgments j
JOIN holdfast.finished_tasks f ON f.task_id = j.judgment_id
WHERE j.contributor_id LIKE 'task:%'
  AND (f.ending <> 1
       OR (f.result <> j.payload
           AND starts_with(f.result, '{"$holdfast.object":')
               = starts_with(j.payload, '{"$holdfast.object":')))
