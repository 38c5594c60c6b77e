-- I-5: A batch is of the step and the version of all its units, comes after them, goes on from one
-- of them and was sent back as often as the one that was most often; none is without units, unless
-- it was taken apart and is canceled. What is gathered was never worked on.
SELECT 'is in no batch of its own' AS what, m.unit_id, m.batch_id
FROM holdfast.units m
LEFT JOIN holdfast.units b ON b.unit_id = m.batch_id
WHERE m.batch_id IS NOT NULL
  AND (m.state <> 5 OR b.unit_id IS NULL OR b.state = 5 OR b.step_id <> m.step_id
       OR b.version <> m.version OR b.ordinal <= m.ordinal)
UNION ALL
SELECT 'does not go on from its units', b.unit_id, b.unit_id
FROM (SELECT batch_id, max(loops) AS loops FROM holdfast.units
      WHERE batch_id IS NOT NULL GROUP BY batch_id) m
JOIN holdfast.units b ON b.unit_id = m.batch_id
LEFT JOIN holdfast.units p ON p.unit_id = b.parent_id AND p.batch_id = b.unit_id
WHERE p.unit_id IS NULL OR b.loops <> m.loops OR b.parent_reopened <> p.ungathered
UNION ALL
SELECT 'is a batch of nothing', u.unit_id, u.unit_id
FROM holdfast.units u
JOIN holdfast.step_definitions d ON d.step_id = u.step_id AND d.version = u.version
LEFT JOIN holdfast.units p ON p.unit_id = u.parent_id
LEFT JOIN holdfast.units m ON m.batch_id = u.unit_id
WHERE u.source_key
      = 'batch:' || u.parent_id
        || CASE WHEN u.parent_reopened = 0 THEN '' ELSE '/' || u.parent_reopened + 1 END
  AND u.state <> 5
  AND d.definition -> 'gather' IS NOT NULL AND m.unit_id IS NULL
  AND NOT (u.state = 4 AND u.parent_reopened < coalesce(p.ungathered, 0))
UNION ALL
SELECT 'was worked on', u.unit_id, u.batch_id
FROM holdfast.units u
LEFT JOIN (SELECT unit_id FROM holdfast.active_leases
           UNION ALL SELECT unit_id FROM holdfast.ended_leases
           UNION ALL SELECT unit_id FROM holdfast.judgments
           UNION ALL SELECT unit_id FROM holdfast.surplus_judgments) w ON w.unit_id = u.unit_id
WHERE (u.state = 5 OR u.ungathered > 0) AND (w.unit_id IS NOT NULL OR u.result IS NOT NULL)
