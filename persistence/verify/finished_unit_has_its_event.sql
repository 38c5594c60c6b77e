-- I-5: Each finalized unit has a UnitFinalized, and one more with its UnitReopened for each result
-- that was taken back; each canceled one has a UnitCanceled, or, with a result, a UnitWithdrawn.
-- Unless that is pruned; others, and test questions, have none.
SELECT unit_id, u.state, u.reopened, coalesce(e.finalized, 0) AS finalized,
       coalesce(e.reopened, 0) AS told_reopened, coalesce(e.canceled, 0) AS canceled,
       coalesce(e.withdrawn, 0) AS withdrawn
FROM holdfast.units u
FULL JOIN (SELECT unit_id, count(*) FILTER (WHERE type = 'UnitFinalized') AS finalized,
                  count(*) FILTER (WHERE type = 'UnitReopened') AS reopened,
                  count(*) FILTER (WHERE type = 'UnitCanceled') AS canceled,
                  count(*) FILTER (WHERE type = 'UnitWithdrawn') AS withdrawn
           FROM pg_temp.event
           WHERE type IN ('UnitFinalized', 'UnitReopened', 'UnitCanceled', 'UnitWithdrawn')
           GROUP BY unit_id) e USING (unit_id)
CROSS JOIN pg_temp.pruned
CROSS JOIN LATERAL (
  SELECT u.reopened + (u.result IS NOT NULL)::integer AS results,
         -- What came before the last change may be gone.
         CASE WHEN pruned.until = '-infinity' THEN 0 ELSE u.reopened END AS forgotten) due
WHERE u.state IS NULL
   OR coalesce(e.finalized, 0) > due.results
   OR (coalesce(e.finalized, 0) < due.results - due.forgotten
       AND coalesce(u.changed_at, 'infinity') > pruned.until)
   OR coalesce(e.reopened, 0) > u.reopened
   OR coalesce(e.reopened, 0) < u.reopened - due.forgotten
   OR (coalesce(e.withdrawn, 0) <> (u.state = 4 AND u.result IS NOT NULL)::integer
       AND (e.withdrawn > 0 OR coalesce(u.changed_at, 'infinity') > pruned.until))
   OR (coalesce(e.canceled, 0)
       <> (u.state = 4 AND u.truth IS NULL AND u.result IS NULL)::integer
       AND (e.canceled > 0 OR coalesce(u.changed_at, 'infinity') > pruned.until))
