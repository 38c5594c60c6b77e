-- I-12: What a task or a late result refers to is in the object store, whole.
SELECT 'tasks' AS "table", task_id, field, reference
  FROM holdfast.tasks
 CROSS JOIN LATERAL (VALUES ('body', body), ('data', data),
                            ('execution_state', execution_state)) texts (field, reference)
 WHERE starts_with(reference, '{"$holdfast.object":')
UNION ALL
SELECT 'finished_tasks', task_id, field, reference
  FROM holdfast.finished_tasks
 CROSS JOIN LATERAL (VALUES ('body', body), ('data', data), ('execution_state', execution_state),
                            ('result', result)) texts (field, reference)
 WHERE starts_with(reference, '{"$holdfast.object":')
UNION ALL
SELECT 'late_results', task_id, 'detail', detail
  FROM holdfast.late_results
 WHERE outcome = 'completed' AND starts_with(detail, '{"$holdfast.object":')
