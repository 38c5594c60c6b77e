-- I-11: Corrections are of units of their step and of judgments of these, and are numbered without
-- a gap; a judgment that somebody has tainted by request does not count, and its last correction
-- says so.
SELECT c.unit_id, c.number, c.correction_id, 'of nothing' AS problem
FROM holdfast.corrections c
LEFT JOIN holdfast.units u ON u.unit_id = c.unit_id AND u.step_id = c.step_id
LEFT JOIN holdfast.judgments j ON j.judgment_id = c.judgment_id AND j.unit_id = c.unit_id
WHERE u.unit_id IS NULL OR (c.judgment_id IS NOT NULL AND j.judgment_id IS NULL)
UNION ALL
SELECT unit_id, max(number), NULL, 'a number is missing'
FROM holdfast.corrections GROUP BY unit_id HAVING max(number) <> count(*)
UNION ALL
SELECT j.unit_id, c.number, c.correction_id, 'tainted without a word'
FROM holdfast.judgments j
LEFT JOIN (SELECT judgment_id, number, correction_id, kind,
                  row_number() OVER (PARTITION BY judgment_id ORDER BY number DESC) AS nth
           FROM holdfast.corrections WHERE judgment_id IS NOT NULL) c
  ON c.judgment_id = j.judgment_id AND c.nth = 1
WHERE j.taint_requested AND (c.kind IS DISTINCT FROM 3 OR NOT j.is_tainted)
