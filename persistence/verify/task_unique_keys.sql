-- I-13: No two live tasks of a queue have the same unique key.
SELECT queue, unique_key, count(*) AS tasks
FROM holdfast.tasks
WHERE unique_key IS NOT NULL
GROUP BY queue, unique_key
HAVING count(*) > 1
