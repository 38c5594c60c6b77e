-- I-5: Each result of a unit has at most one child for each place in a step.
SELECT parent_id, parent_reopened, step_id, part, count(*) AS children
FROM holdfast.units
WHERE parent_id IS NOT NULL
GROUP BY parent_id, parent_reopened, step_id, part
HAVING count(*) > 1
