-- I-5: A finalized unit that has been routed has one child in each next step that takes units.
SELECT p.unit_id, target.step_id AS missing_in_step
FROM pg_temp.event e
JOIN holdfast.consumer_cursors c ON c.consumer = 'routing' AND c.shard = e.shard AND c.seq >= e.seq
JOIN holdfast.units p ON p.unit_id = e.unit_id AND p.state = 3
JOIN holdfast.steps s ON s.step_id = p.step_id
JOIN holdfast.workflows w ON w.workflow_id = s.workflow_id
CROSS JOIN LATERAL jsonb_array_elements_text(w.definition::jsonb -> 'steps' -> s.position -> 'next')
           AS next(key)
JOIN holdfast.steps target ON target.workflow_id = s.workflow_id AND target.key = next.key
                          AND target.status <> 4
LEFT JOIN holdfast.units child ON child.parent_id = p.unit_id AND child.step_id = target.step_id
WHERE e.type = 'UnitFinalized' AND child.unit_id IS NULL
