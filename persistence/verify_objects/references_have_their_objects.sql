-- I-12: What a task, a late result, a unit or a judgment refers to is in the object store, whole.
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
UNION ALL
SELECT 'units', unit_id, 'input', input
  FROM holdfast.units
 WHERE starts_with(input, '{"$holdfast.object":"sha256:')
UNION ALL
SELECT 'judgments', judgment_id, 'payload', payload
  FROM holdfast.judgments
 WHERE starts_with(payload, '{"$holdfast.object":"sha256:')
UNION ALL
SELECT 'surplus_judgments', judgment_id, 'payload', payload
  FROM holdfast.surplus_judgments
 WHERE starts_with(payload, '{"$holdfast.object":"sha256:')
UNION ALL
SELECT 'judgment_corrections', judgment_id, 'payload', payload
  FROM holdfast.judgment_corrections
 WHERE starts_with(payload, '{"$holdfast.object":"sha256:')
