-- I-5: A unit that was finalized in a step with routes took one of them, or none for a reason.
SELECT u.unit_id, u.route, u.route_reason
FROM holdfast.units u
JOIN holdfast.step_definitions d ON d.step_id = u.step_id AND d.version = u.version
WHERE u.state = 3 AND jsonb_array_length(d.definition -> 'routes') > 0
  AND (u.route IS NULL OR u.route_reason IS NULL
       OR u.route >= jsonb_array_length(d.definition -> 'routes'))
