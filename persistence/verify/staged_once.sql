-- I-13: A task is staged once, and a refusal is marked whole, with its time, its code and its
-- detail.
SELECT task_id, count(*) AS staged, NULL::bigint AS intake_id
FROM holdfast.task_intake
WHERE refused_at IS NULL
GROUP BY task_id
HAVING count(*) > 1
UNION ALL
SELECT task_id, 1, intake_id
FROM holdfast.task_intake
WHERE num_nulls(refused_at, refusal, refusal_detail) NOT IN (0, 3)
