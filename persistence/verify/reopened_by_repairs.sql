-- I-14: As many results were taken back in a step as its repairs say, and the corrections of its
-- units.
SELECT s.step_id, coalesce(u.reopened, 0) AS reopened, coalesce(r.reopened, 0) AS repaired,
       coalesce(c.reopened, 0) AS corrected
FROM holdfast.steps s
LEFT JOIN (SELECT step_id, sum(reopened) AS reopened FROM holdfast.units
           GROUP BY step_id) u USING (step_id)
LEFT JOIN (SELECT step_id, sum(changed + reopened) AS reopened FROM holdfast.repairs
           WHERE NOT dry_run GROUP BY step_id) r USING (step_id)
LEFT JOIN (SELECT step_id, count(*) AS reopened FROM holdfast.corrections
           WHERE took_back GROUP BY step_id) c USING (step_id)
WHERE coalesce(u.reopened, 0) <> coalesce(r.reopened, 0) + coalesce(c.reopened, 0)
