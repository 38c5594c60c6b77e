-- I-11: Standings, flags, right answers of test questions and repairs can be read, and say what they
-- may.
SELECT step_id, contributor_id AS of, 'standing' AS kind
FROM holdfast.contributor_standings
WHERE standing NOT BETWEEN 1 AND 2 OR reason NOT BETWEEN 1 AND 4
UNION ALL
SELECT step_id, contributor_id, 'flag'
FROM holdfast.contributor_flags
WHERE monitor NOT BETWEEN 1 AND 4 OR why = ''
UNION ALL
SELECT step_id, unit_id::text, 'right answer'
FROM holdfast.units
WHERE truth IS NOT NULL AND truth::jsonb IS NULL
UNION ALL
SELECT step_id, repair_id::text, 'repair'
FROM holdfast.repairs
WHERE contributor_id = ''
