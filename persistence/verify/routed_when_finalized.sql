-- I-5: A unit that was finalized in a step with routes took one of them, or none for a reason.
SELECT u.unit_id, u.route, u.route_reason
FROM holdfast.units u
JOIN holdfast.steps s ON s.step_id = u.step_id
JOIN holdfast.workflows w ON w.workflow_id = s.workflow_id
CROSS JOIN LATERAL (SELECT w.definition::jsonb -> 'steps' -> s.position -> 'routes' AS routes) d
WHERE u.state = 3 AND jsonb_array_length(d.routes) > 0
  AND (u.route IS NULL OR u.route_reason IS NULL OR u.route >= jsonb_array_length(d.routes))
