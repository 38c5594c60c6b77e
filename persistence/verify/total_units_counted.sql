-- I-6: A step's total_units are its units without its test questions.
SELECT s.step_id, s.total_units, coalesce(u.units, 0) AS units
FROM holdfast.steps s
LEFT JOIN (SELECT step_id, count(*) AS units FROM holdfast.units
           WHERE truth IS NULL GROUP BY step_id) u USING (step_id)
WHERE s.total_units <> coalesce(u.units, 0)
