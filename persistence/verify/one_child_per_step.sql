-- I-5: A unit has at most one child in a step.
SELECT parent_id, step_id, count(*) AS children
FROM holdfast.units
WHERE parent_id IS NOT NULL
GROUP BY parent_id, step_id
HAVING count(*) > 1
