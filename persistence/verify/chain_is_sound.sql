-- I-5: A child has a finalized parent with the same root, in a step that routes to the child's
-- step.
SELECT c.unit_id, c.parent_id, p.state AS parent_state, c.root_id, p.root_id AS parent_root_id
FROM holdfast.units c
JOIN holdfast.steps cs ON cs.step_id = c.step_id
LEFT JOIN holdfast.units p ON p.unit_id = c.parent_id
LEFT JOIN holdfast.steps ps ON ps.step_id = p.step_id
LEFT JOIN holdfast.workflows w ON w.workflow_id = ps.workflow_id
WHERE c.parent_id IS NOT NULL
  AND (p.unit_id IS NULL OR p.state <> 3 OR p.root_id <> c.root_id
       OR ps.workflow_id <> cs.workflow_id
       OR NOT coalesce(w.definition::jsonb -> 'steps' -> ps.position -> 'next' ? cs.key, false))
