-- I-5: Every lease and judgment belongs to a unit, every unit, standing and repair to a step, every
-- step to a workflow.
SELECT 'active lease' AS what, unit_id AS id FROM holdfast.active_leases a
WHERE NOT EXISTS (SELECT 1 FROM holdfast.units u WHERE u.unit_id = a.unit_id)
UNION ALL
SELECT 'ended lease', unit_id FROM holdfast.ended_leases a
WHERE NOT EXISTS (SELECT 1 FROM holdfast.units u WHERE u.unit_id = a.unit_id)
UNION ALL
SELECT 'judgment', unit_id FROM holdfast.judgments a
WHERE NOT EXISTS (SELECT 1 FROM holdfast.units u WHERE u.unit_id = a.unit_id)
UNION ALL
SELECT 'surplus judgment', unit_id FROM holdfast.surplus_judgments a
WHERE NOT EXISTS (SELECT 1 FROM holdfast.units u WHERE u.unit_id = a.unit_id)
UNION ALL
SELECT 'unit', unit_id FROM holdfast.units u
WHERE NOT EXISTS (SELECT 1 FROM holdfast.steps s WHERE s.step_id = u.step_id)
UNION ALL
SELECT 'standing', step_id FROM holdfast.contributor_standings c
WHERE NOT EXISTS (SELECT 1 FROM holdfast.steps s WHERE s.step_id = c.step_id)
UNION ALL
SELECT 'flag', step_id FROM holdfast.contributor_flags f
WHERE NOT EXISTS (SELECT 1 FROM holdfast.steps s WHERE s.step_id = f.step_id)
UNION ALL
SELECT 'repair', step_id FROM holdfast.repairs r
WHERE NOT EXISTS (SELECT 1 FROM holdfast.steps s WHERE s.step_id = r.step_id)
UNION ALL
SELECT 'step', step_id FROM holdfast.steps s
WHERE NOT EXISTS (SELECT 1 FROM holdfast.workflows w WHERE w.workflow_id = s.workflow_id)
