-- I-8: Each result of a unit, those that were taken back included, was made by exactly one message
-- about it, unless that is pruned, or by an override; other units have none. One that was damaged
-- while its judgments came in may be finalized long after their messages are gone.
SELECT u.unit_id, u.state, u.reopened, coalesce(m.messages, 0) AS messages
FROM holdfast.units u
LEFT JOIN (SELECT e.unit_id, count(*) AS messages
           FROM holdfast.inbox i
           JOIN pg_temp.event e ON e.shard = i.shard AND e.seq = i.seq
           WHERE i.consumer = 'aggregation'
           GROUP BY e.unit_id) m ON m.unit_id = u.unit_id
LEFT JOIN (SELECT unit_id, count(*) AS results FROM holdfast.corrections
           WHERE made_result GROUP BY unit_id) o ON o.unit_id = u.unit_id
CROSS JOIN pg_temp.pruned
CROSS JOIN LATERAL (
  SELECT u.reopened + (u.result IS NOT NULL)::integer - coalesce(o.results, 0) AS results,
         -- What came before the last change may be gone.
         CASE WHEN pruned.until = '-infinity' THEN 0 ELSE u.reopened END AS forgotten) due
WHERE coalesce(m.messages, 0) > due.results
   OR (coalesce(m.messages, 0) < due.results - due.forgotten
       AND coalesce(u.changed_at, 'infinity') > pruned.until
       AND (pruned.until = '-infinity'
            OR EXISTS (SELECT FROM holdfast.judgments j
                       WHERE j.unit_id = u.unit_id AND j.submitted_at > pruned.until)))
