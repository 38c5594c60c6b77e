-- I-13: A finished task has a result only when completed, an error only when not, and of the lease
-- that ended with it all or nothing.
SELECT task_id, ending, result, error_code, token, claim_id
FROM holdfast.finished_tasks
WHERE (result IS NOT NULL AND ending <> 1)
   OR (ending = 1 AND (error_code <> '' OR error_detail <> ''))
   OR num_nulls(token, claim_id, granted_at, expires_at, worker) NOT IN (0, 5)
