-- I-5: Each finalized unit has exactly one UnitFinalized, each canceled one UnitCanceled, unless
-- that is pruned; others, and test questions, have none.
SELECT unit_id, u.state, coalesce(e.finalized, 0) AS finalized, coalesce(e.canceled, 0) AS canceled
FROM holdfast.units u
FULL JOIN (SELECT unit_id, count(*) FILTER (WHERE type = 'UnitFinalized') AS finalized,
                  count(*) FILTER (WHERE type = 'UnitCanceled') AS canceled
           FROM pg_temp.event WHERE type IN ('UnitFinalized', 'UnitCanceled')
           GROUP BY unit_id) e USING (unit_id)
CROSS JOIN pg_temp.pruned
WHERE u.state IS NULL
   OR (coalesce(e.finalized, 0) <> (u.state = 3)::integer
       AND (e.finalized > 0 OR coalesce(u.changed_at, 'infinity') > pruned.until))
   OR (coalesce(e.canceled, 0) <> (u.state = 4 AND u.truth IS NULL)::integer
       AND (e.canceled > 0 OR coalesce(u.changed_at, 'infinity') > pruned.until))
