-- I-6: A step's completed_units are its finished units without test questions and those that are
-- part of a batch, less the finished ones whose event is still to be counted, and with those whose
-- reopening is.
SELECT s.step_id, s.completed_units, coalesce(u.finished, 0) AS finished,
       coalesce(e.uncounted, 0) AS uncounted
FROM holdfast.steps s
LEFT JOIN (SELECT step_id, count(*) AS finished FROM holdfast.units
           WHERE (state IN (3, 4) OR batch_id IS NOT NULL) AND truth IS NULL
           GROUP BY step_id) u USING (step_id)
LEFT JOIN (SELECT e.step_id,
                  sum(CASE WHEN e.type = 'UnitReopened' THEN -1 ELSE 1 END) AS uncounted
           FROM pg_temp.event e
           LEFT JOIN holdfast.inbox i ON i.consumer = 'completion' AND i.shard = e.shard
                                     AND i.seq = e.seq
           WHERE e.type IN ('UnitFinalized', 'UnitCanceled', 'UnitReopened') AND i.seq IS NULL
           GROUP BY e.step_id) e USING (step_id)
WHERE s.completed_units <> coalesce(u.finished, 0) - coalesce(e.uncounted, 0)
